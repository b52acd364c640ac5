"""What groups tell of a sensitive attribute, where a release hides which record of a group has which value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from krypsis.arrays import FloatArray, IntArray
from krypsis.hierarchies.base import Label
from krypsis.release.release import Release
from krypsis.utility.published import GroupedColumn

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True, eq=False)
class Apart:
    """A sensitive attribute in groups: ``counts[group, value]``, and the group of each published record."""

    labels: tuple[Label, ...]
    counts: sparse.csr_array
    group: IntArray
    leaves: IntArray | None = None
    """How many values each label stands for, where some are more general."""

    @property
    def possible(self) -> FloatArray:
        """For each published record, how many values of its group may be its own."""
        told = np.ones(len(self.labels)) if self.leaves is None else self.leaves
        sums = np.bincount(
            np.repeat(np.arange(self.counts.shape[0]), np.diff(self.counts.indptr)),
            told[self.counts.indices],
            minlength=self.counts.shape[0],
        )
        return np.asarray(sums[self.group], dtype=np.float64)

    def counts_of(self, values: Sequence[Label]) -> FloatArray:
        """Return how often each of some values occurs."""
        told = dict(zip(self.labels, np.asarray(self.counts.sum(axis=0)).ravel().tolist(), strict=True))
        return np.array([told.get(value, 0.0) for value in values])

    def together_with(self, shown: IntArray, shares: FloatArray, own: IntArray, width: int) -> FloatArray:
        """Return how many records, to be expected, are in a bin of another column and in one of this column.

        ``shares[shown[record], bin]`` says how likely a record is in a bin of the other; ``own`` are the bins of the
        labels of this one, which has ``width`` of them.
        """
        from scipy import sparse  # noqa: PLC0415  it takes long to load, and only releases in groups need it

        groups = self.counts.shape[0]
        pairs = sparse.csr_array((np.ones(len(self.group)), (self.group, shown)), shape=(groups, len(shares)))
        other = sparse.csr_array(pairs @ sparse.csr_array(shares))
        columns = sparse.csr_array((np.ones(len(own)), (np.arange(len(own)), own)), shape=(len(own), width))
        sizes = np.asarray(self.counts.sum(axis=1)).ravel()
        told = sparse.csr_array(sparse.diags_array(1.0 / np.maximum(sizes, 1)) @ self.counts @ columns)
        return np.asarray((other.T @ told).todense(), dtype=np.float64)


def values_apart(release: Release) -> Apart:
    """Return what the groups of a release tell of its sensitive attribute."""
    from scipy import sparse  # noqa: PLC0415  it takes long to load, and only releases in groups need it

    column = GroupedColumn.of(release)
    groups = int(max(column.group.max(initial=-1), column.group_of_record.max(initial=-1))) + 1
    labels = tuple(column.axis.values)
    counts = sparse.csr_array(
        (column.count.astype(np.float64), (column.group, column.value)), shape=(groups, len(labels))
    )
    counts.sum_duplicates()
    return Apart(labels, counts, column.group_of_record)
