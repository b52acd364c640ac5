"""Releases of tables: the family of the method makes them, one template does the rest."""

import importlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from krypsis.data.schema import Schema
from krypsis.kinds.table.parted_publication import PartedTable
from krypsis.kinds.table.publication import GeneralizedTable
from krypsis.kinds.table.task import RECODING, TableTask, settled, with_rows_where_needed
from krypsis.progress import NO_PROGRESS, Progress
from krypsis.release.order import in_published_order
from krypsis.release.provenance import Before, MadeBy
from krypsis.release.publication import Publication
from krypsis.release.release import Release
from krypsis.release.run import Run

FAMILIES = "krypsis.kinds.table.families"
"""The package in which every family of methods has a module with a function ``release``."""

DIVIDED = "divided"
"""The module that recodes tables whose rows stay elsewhere; not even their distinct tuples need fit into memory."""


def make_release(task: TableTask, progress: Progress = NO_PROGRESS) -> Release:
    """Return the release of a task, its records in published order. Its promises have not been checked."""
    # Before anything is asked of the table: what does not fit into memory is refused without a scan.
    wanted = with_rows_where_needed(task)
    wanted = wanted if task.is_about_several_tables else with_rows_where_needed(settled(wanted))
    is_elsewhere = wanted.family == RECODING and wanted.dataset.engine.keeps_rows
    family = importlib.import_module(f"{FAMILIES}.{DIVIDED if is_elsewhere else wanted.family}")
    release: Release = family.release(wanted, Run(progress, getattr(wanted.method, "seed", None)))
    published = release.publication
    if isinstance(published, PartedTable) or (isinstance(published, GeneralizedTable) and not published.is_shuffled):
        published = replace(published, from_text=_from_text(task, published, release.levels))
    shuffled = in_published_order(replace(release, publication=published))
    return shuffled.disclosing_like(release)


def _from_text(task: TableTask, published: GeneralizedTable | PartedTable, levels: Mapping[str, int]) -> frozenset[str]:
    """Return the columns that are published as a text file had them: not generalized, and without a type."""
    if not task.dataset.is_text:
        return frozenset()
    generalizes = isinstance(published, PartedTable) or not (published.made_by_chance or published.group_column)
    general = {name for name in published.schema.quasi_identifiers if generalizes and levels.get(name) != 0}
    return frozenset(task.dataset.columns) - general


def release_of(
    table: pl.DataFrame,
    schema: Schema,
    promises: tuple[str, ...] = (),
    *,
    private: Mapping[str, Any] | None = None,
    before: Before | None = None,
    **made_by: Any,
) -> Release:
    """Return the release of a table that was anonymized in another way, so that it can be checked and saved.

    Parameters
    ----------
    table, schema, promises
        what is published, the roles of its columns, and what is promised about it.
    private, before
        of the release; nothing unless given.
    **made_by
        what else is known: fields of :class:`krypsis.release.provenance.MadeBy`.

    Examples
    --------
    >>> table = pl.DataFrame({"age": ["3*", "3*"], "disease": ["flu", "gout"]})
    >>> schema = Schema.of({"age": "quasi-identifier", "disease": "sensitive"})
    >>> [verdict.achieved for verdict in release_of(table, schema, ("k-anonymity:k=2",)).checked().verdicts]
    [2.0]
    """
    publication = GeneralizedTable(table, schema)
    return release_of_publication(publication, promises, private=private, before=before, **made_by)


def release_of_publication(
    publication: Publication,
    promises: tuple[str, ...] = (),
    *,
    private: Mapping[str, Any] | None = None,
    before: Before | None = None,
    **made_by: Any,
) -> Release:
    """Return the release of what was anonymized in another way and is no plain table, such as tables in groups.

    For the other parameters see :func:`release_of`.

    Examples
    --------
    >>> from krypsis.kinds.table.publication import BucketedTables
    >>> table = pl.DataFrame({"age": [31, 40], "group": ["1", "1"], "disease": ["flu", "gout"]})
    >>> schema = Schema.of({"age": "quasi-identifier", "group": "insensitive", "disease": "sensitive"})
    >>> release = release_of_publication(BucketedTables(table, schema, group_column="group"),
    ...                                  ("frequency-l-diversity:l=2",))
    >>> [verdict.achieved for verdict in release.checked().verdicts]
    [2.0]
    """
    return Run().release(publication, MadeBy(promises=promises, **made_by), before, **(private or {}))
