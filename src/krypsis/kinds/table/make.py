"""Releases of tables: the family of the method makes them, one template does the rest."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.schema import Schema
from krypsis.kinds.table.publication import BucketedTables, GeneralizedTable
from krypsis.kinds.table.task import TableTask, settled
from krypsis.models.base import Verdict
from krypsis.progress import NO_PROGRESS, Progress
from krypsis.release.made_by import Before, MadeBy
from krypsis.release.order import in_published_order
from krypsis.release.release import Release
from krypsis.release.run import Run

FAMILIES = "krypsis.kinds.table.families"
"""The package in which every family of methods has a module with a function ``release``."""


def make_release(task: TableTask, progress: Progress = NO_PROGRESS) -> Release:
    """Return the release of a task, its records in published order. Its promises have not been checked."""
    family = importlib.import_module(f"{FAMILIES}.{task.family}")
    wanted = task if task.is_about_several_tables else settled(task)
    release: Release = family.release(wanted, Run(progress, getattr(wanted.method, "seed", None)))
    published = release.publication
    if isinstance(published, GeneralizedTable) and not published.is_shuffled:
        published = replace(published, from_text=_from_text(task, published, release.levels))
    shuffled = in_published_order(replace(release, publication=published))
    return shuffled.disclosing_like(release)


def _from_text(task: TableTask, published: GeneralizedTable, levels: Mapping[str, int]) -> frozenset[str]:
    """Return the columns that are published as a text file had them: not generalized, and without a type."""
    if not task.dataset.is_text:
        return frozenset()
    generalizes = not published.made_by_chance and published.group_column is None
    general = {name for name in published.schema.quasi_identifiers if generalizes and levels.get(name) != 0}
    return frozenset(task.dataset.columns) - general


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
    made = Run().release(publication, MadeBy(promises=promises, **made_by), before, **(private or {}))
    return replace(made, verdicts=verdicts)
