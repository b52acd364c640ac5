"""The published table as counted tuples: the recoding applied to the frequency set, without touching a row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.hierarchies.base import TOP, Label
from krypsis.kernels.rows import number_rows
from krypsis.recoding import as_cells
from krypsis.release.before import Evidence


@dataclass(frozen=True, eq=False)
class Column:
    """One attribute of counted tuples: a code per tuple, and the label of each code."""

    codes: CodeArray
    labels: tuple[Label, ...]

    def count(self, counts: IntArray) -> IntArray:
        """Return the number of records of each label."""
        return np.bincount(self.codes, counts, minlength=len(self.labels)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class CountedTable:
    """A table as distinct tuples with their counts; after a recoding a tuple may stand there more than once."""

    columns: tuple[Column, ...]
    counts: IntArray
    people: IntArray | None = None
    """Of these, how many belong to somebody, where some do not: counterfeits."""

    @property
    def rows(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    def group_sizes(self, positions: Iterable[int]) -> IntArray:
        """Return the sizes of the groups of records that look alike in the columns at these positions."""
        return group_sizes([self.columns[position] for position in positions], self.counts)

    def people_in_groups(self, positions: Iterable[int]) -> IntArray:
        """Return how many records of each of these groups belong to somebody, in the same order."""
        columns = [self.columns[position] for position in positions]
        return group_sizes(columns, self.counts if self.people is None else self.people)


def original(evidence: Evidence) -> CountedTable:
    """Return the table before, as far as its quasi-identifiers go."""
    frequency = evidence.frequency
    columns = (
        Column(frequency.codes[:, position], hierarchy.values)
        for position, hierarchy in enumerate(frequency.hierarchies)
    )
    return CountedTable(tuple(columns), frequency.counts)


def published(evidence: Evidence, suppression: str) -> CountedTable:
    """Return the table after; suppressed records are left out, or at the top of everything if ``"keep"``."""
    cells = as_cells(evidence.recoding, evidence.frequency)
    columns = tuple(Column(cells.released[:, position], book.labels) for position, book in enumerate(cells.codebooks))
    if suppression == "keep":
        tops = (hierarchy.labels[-1][0] if hierarchy.height else TOP for hierarchy in evidence.frequency.hierarchies)
        return CountedTable(
            tuple(_with_top(column, top, cells.suppressed) for column, top in zip(columns, tops, strict=True)),
            evidence.frequency.counts,
        )
    kept = ~cells.suppressed
    left = tuple(Column(column.codes[kept], column.labels) for column in columns)
    return CountedTable(left, evidence.frequency.counts[kept])


def group_sizes(columns: Sequence[Column], counts: IntArray) -> IntArray:
    """Return the number of records behind each distinct tuple of codes.

    Examples
    --------
    >>> sex = Column(np.array([0, 1, 0], dtype=np.int32), ("male", "female"))
    >>> group_sizes([sex], np.array([2, 5, 1]))
    array([3, 5])
    """
    radices = [len(column.labels) for column in columns]
    numbers, _ = number_rows([column.codes for column in columns], radices, len(counts))
    return np.bincount(numbers, counts).astype(np.int64)


def _with_top(column: Column, top: Label, suppressed: BoolArray) -> Column:
    """Return the column where suppressed tuples show the top; it may be one of its labels already."""
    labels = column.labels if top in column.labels else (*column.labels, top)
    return Column(np.where(suppressed, np.int32(labels.index(top)), column.codes), labels)
