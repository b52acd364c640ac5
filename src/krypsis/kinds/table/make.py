"""Releases of tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from krypsis.hierarchies.base import Hierarchy
from krypsis.kinds.table.publication import BucketedTables, GeneralizedTable
from krypsis.models.verdict import Verdict
from krypsis.release.before import Before
from krypsis.release.made_by import MadeBy
from krypsis.release.release import Release
from krypsis.schema import Schema


def release_of(
    table: pl.DataFrame,
    schema: Schema,
    promises: tuple[str, ...] = (),
    *,
    group_column: str | None = None,
    sensitive_table: pl.DataFrame | None = None,
    sensitive_hierarchies: Mapping[str, Hierarchy] | None = None,
    verdicts: tuple[Verdict, ...] = (),
    private: Mapping[str, Any] | None = None,
    before: Before | None = None,
    **made_by: Any,
) -> Release:
    """Return the release of a table that was anonymized in another way, so that it can be checked and saved.

    Parameters
    ----------
    table, schema, promises
        what is published, the roles of its columns, and what is promised about it.
    group_column, sensitive_table
        where the groups of records are published: their column, and the sensitive values by group.
    sensitive_hierarchies
        of sensitive columns, for promises that measure distance in them.
    verdicts, private, before
        of the release; nothing unless given.
    **made_by
        what else is known: fields of :class:`krypsis.release.made_by.MadeBy`.

    Examples
    --------
    >>> table = pl.DataFrame({"age": ["3*", "3*"], "disease": ["flu", "gout"]})
    >>> schema = Schema.of({"age": "quasi-identifier", "disease": "sensitive"})
    >>> [verdict.achieved for verdict in release_of(table, schema, ("k-anonymity:k=2",)).checked().verdicts]
    [2.0]
    """
    known = sensitive_hierarchies or {}
    if group_column is None:
        publication = GeneralizedTable(table, schema, sensitive_hierarchies=known)
    else:
        publication = BucketedTables(
            table, schema, group_column=group_column, sensitive_table=sensitive_table, sensitive_hierarchies=known
        )
    return Release(publication, MadeBy(promises=promises, **made_by), verdicts, private or {}, before)
