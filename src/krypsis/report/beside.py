"""Columns beside the table before, where a release is no recoding: distributions, losses and groups of records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import numpy as np

from krypsis.arrays import BoolArray, IntArray
from krypsis.kinds.table.publication import GeneralizedTable
from krypsis.release.made_by import MadeBy
from krypsis.release.release import Release
from krypsis.report.arrangement import arrange_labels, arrange_values
from krypsis.report.parts import FurtherTable
from krypsis.report.published import Column, CountedTable
from krypsis.report.text import readable
from krypsis.report.values import AttributeLoss, Distribution
from krypsis.schema import Role
from krypsis.utility.binning import ranks_of
from krypsis.utility.compared import ComparedColumn, compared_columns

SHOWN = (Role.QUASI_IDENTIFIER, Role.SENSITIVE)
"""The columns that a report draws: what an attacker may know, and what nobody should learn."""


def distributions_of(columns: Iterable[ComparedColumn]) -> tuple[Distribution, ...]:
    """Return the values of the columns before and after, quasi-identifiers first."""
    shown = [column for column in columns if column.role in SHOWN]
    return tuple(_distribution(column) for column in sorted(shown, key=lambda column: SHOWN.index(column.role)))


def losses_of(release: Release, columns: Iterable[ComparedColumn]) -> tuple[AttributeLoss, ...]:
    """Return what each quasi-identifier, and each hidden attribute, has lost."""
    return tuple(
        AttributeLoss(
            attribute=readable(column.name),
            hierarchy=readable(release.hierarchies[column.name]) if column.name in release.hierarchies else "",
            level=release.levels.get(column.name),
            height=release.heights.get(column.name),
            weight=release.schema.weight(column.name),
            loss=column.imprecision,
            values_before=int(np.count_nonzero(column.counts_before)),
            values_after=int(np.count_nonzero(column.estimated if column.apart else column.counts_after)),
        )
        for column in columns
        if column.role is Role.QUASI_IDENTIFIER or column.apart is not None
    )


def tables_of(columns: Sequence[ComparedColumn], nobody: BoolArray | None = None) -> tuple[CountedTable, CountedTable]:
    """Return the quasi-identifiers before and after as counted tables of single records.

    ``nobody`` says which published rows are counterfeits, where there are any.
    """
    known = [column for column in columns if column.role is Role.QUASI_IDENTIFIER]
    before = tuple(Column(column.before, column.values) for column in known)
    after = tuple(Column(column.after, column.book.labels) for column in known)
    people = None if nobody is None else (~nobody).astype(np.int64)
    return CountedTable(before, _ones(before)), CountedTable(after, _ones(after), people)


def further_tables(release: Release) -> Iterator[FurtherTable]:
    """Yield the further tables of a release of several with their attributes before and after."""
    tables = {} if release.before is None else release.before.tables
    for name, before in tables.items():
        told = release.publication.further[name]
        alone = Release(GeneralizedTable(told.table, told.schema), MadeBy(release.promises), before=before)
        yield FurtherTable(
            name=readable(name),
            records_before=before.table.height,
            records_published=told.table.height,
            distributions=distributions_of(compared_columns(alone)),
        )


def _ones(columns: Sequence[Column]) -> IntArray:
    return np.ones(len(columns[0].codes) if columns else 0, dtype=np.int64)


def _label_ranks(column: ComparedColumn) -> IntArray | None:
    """Return the place of each label: that of the first value it stands for, where values have an order."""
    present = np.flatnonzero(column.counts_before)
    known = ranks_of([column.values[code] for code in present])
    if known is None:
        return None
    ranks = np.full(len(column.values), len(present), dtype=np.int64)  # what no record has comes last
    ranks[present] = known
    return np.array([ranks[column.book.below(code)].min(initial=len(ranks)) for code in range(len(column.book.labels))])


def _distribution(column: ComparedColumn) -> Distribution:
    role: Literal["quasi-identifier", "sensitive"] = (
        "sensitive" if column.role is Role.SENSITIVE else "quasi-identifier"
    )
    before = arrange_values(column.values, column.counts_before + (column.estimated > 0))
    if column.apart is not None or set(column.book.labels) <= set(column.values):
        counts = np.round(column.estimated).astype(np.int64)
        after, note = before.bars(counts), before.note
    else:
        counts = np.round(column.counts_after).astype(np.int64)
        published = arrange_labels(column.book.labels, counts, _label_ranks(column))
        after = published.bars(counts)
        before = arrange_values(column.values, column.counts_before)
        note = " ".join(f"{when}: {one}" for when, one in (("Before", before.note), ("After", published.note)) if one)
    return Distribution(
        attribute=readable(column.name),
        role=role,
        aligned=column.apart is not None or set(column.book.labels) <= set(column.values),
        before=before.bars(column.counts_before),
        after=after,
        note=note,
    )
