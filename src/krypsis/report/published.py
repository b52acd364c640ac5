"""The published table as counted tuples: the recoding applied to the frequency set, without touching a row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from krypsis.groups import BoolArray, IntArray
from krypsis.hierarchies.base import TOP, CodeArray, Hierarchy, Label
from krypsis.release.evidence import Evidence

_LARGEST_KEY = 2**62


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

    @property
    def rows(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    def group_sizes(self, positions: Iterable[int]) -> IntArray:
        """Return the sizes of the groups of records that look alike in the columns at these positions."""
        return group_sizes([self.columns[position] for position in positions], self.counts)


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
    frequency, recoding = evidence.frequency, evidence.recoding
    parts = zip(frequency.hierarchies, recoding.levels, frequency.codes.T, strict=True)
    if suppression == "keep":
        kept_columns = (_with_top(hierarchy, level, codes, recoding.suppressed) for hierarchy, level, codes in parts)
        return CountedTable(tuple(kept_columns), frequency.counts)
    kept = ~recoding.suppressed
    columns = (
        Column(hierarchy.table[level][codes[kept]], hierarchy.labels[level]) for hierarchy, level, codes in parts
    )
    return CountedTable(tuple(columns), frequency.counts[kept])


def group_sizes(columns: Sequence[Column], counts: IntArray) -> IntArray:
    """Return the number of records behind each distinct tuple of codes.

    Examples
    --------
    >>> sex = Column(np.array([0, 1, 0], dtype=np.int32), ("male", "female"))
    >>> group_sizes([sex], np.array([2, 5, 1]))
    array([3, 5])
    """
    keys, span = np.zeros(len(counts), dtype=np.int64), 1
    for column in columns:
        if span > _LARGEST_KEY // max(len(column.labels), 1):
            keys, span = _dense(keys), len(keys)
        keys = keys * len(column.labels) + column.codes
        span *= len(column.labels)
    sizes = np.bincount(keys if span <= 4 * len(keys) else _dense(keys), counts)
    return sizes[sizes > 0].astype(np.int64)


def _dense(keys: IntArray) -> IntArray:
    return np.unique(keys, return_inverse=True)[1].astype(np.int64)


def _with_top(hierarchy: Hierarchy, level: int, codes: CodeArray, suppressed: BoolArray) -> Column:
    """Return the column where suppressed tuples show the top; it may be a label of the level already."""
    labels = hierarchy.labels[level]
    top = hierarchy.labels[-1][0] if hierarchy.height else TOP
    labels = labels if top in labels else (*labels, top)
    recoded = np.where(suppressed, np.int32(labels.index(top)), hierarchy.table[level][codes])
    return Column(recoded, labels)
