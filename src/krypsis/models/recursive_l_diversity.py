"""Recursive (c,l)-diversity."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.groups import BoolArray, FloatArray, Histogram, IntArray, sum_by
from krypsis.models.base import CELLS_PER_ENTRY, SensitiveModel


class RecursiveLDiversity(SensitiveModel):
    """In every group the most frequent sensitive value is rarer than ``c`` times the rare values together.

    Notes
    -----
    With the counts of a group in descending order, ``f(1) < c · (f(l) + f(l+1) + … + f(m))``. A group with fewer than
    ``l`` values is refused. ``strict=False`` allows equality. The level of a group is ``f(1) / (f(l) + … + f(m))``, the
    ``c`` it just misses: lower is better, and infinite with fewer than ``l`` values.

    References
    ----------
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", ACM TKDD 1(1), 2007,
    Definition 4.2.

    Examples
    --------
    >>> from krypsis.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 3, "cancer": 1, "hiv": 1}, {"flu": 4, "cancer": 1, "hiv": 1}])
    >>> RecursiveLDiversity(c=2, l=2).accepts(groups)
    array([ True, False])
    """

    name: ClassVar[str] = "recursive-l-diversity"
    protects_from: ClassVar[str] = (
        "learning a person's sensitive value because it dominates the group, also after l - 2 values were ruled out"
    )
    does_not_protect_from: ClassVar[str] = (
        "values that differ in name and are alike in meaning (similarity), groups whose shares are far from those of "
        "the whole table (skewness), and learning that a person is in the table"
    )
    reference: ClassVar[str] = "Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, ACM TKDD 1(1), 2007"
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    c: float = Field(
        gt=0, allow_inf_nan=False, description="how many times the rare values together the most frequent may occur"
    )
    l: int = Field(  # noqa: E741 - the name in the literature
        ge=1, description="rank from which values count as rare; a group needs at least this many values"
    )
    strict: bool = Field(default=True, description="refuse a group that reaches c exactly, as the definition does")

    @property
    def required(self) -> float:
        return self.c

    def promise(self) -> str:
        return (
            f"in every group of records that look alike, the most frequent value of {self.subject} occurs "
            f"{'less than' if self.strict else 'at most'} {self.c:g} times as often as "
            f"all values from rank {self.l} on together"
        )

    def levels(self, histogram: Histogram, sizes: IntArray) -> FloatArray:
        highest, rare = self._extremes(histogram, len(sizes))
        levels = np.full(len(sizes), np.inf)
        np.divide(highest, rare, out=levels, where=rare > 0)
        return levels

    def most_kept(self, histogram: Histogram, sizes: IntArray) -> IntArray:
        """Return what can be kept: no part has more from rank l on, so no value may occur over c times as often."""
        _, rare = self._extremes(histogram, len(sizes))
        limit = np.floor(self.c * rare * (1 + 1e-12))
        return sum_by(histogram.group, np.minimum(histogram.count, limit[histogram.group]), len(sizes)).astype(np.int64)

    def _extremes(self, histogram: Histogram, group_count: int) -> tuple[IntArray, IntArray]:
        dense = group_count * len(histogram.whole) < CELLS_PER_ENTRY * len(histogram.count)
        return (_dense if dense else _sparse)(histogram, group_count, self.l)

    def suffices(self, levels: FloatArray) -> BoolArray:
        # No tolerance is needed: a quotient of counts is rounded to the same number as the decimal it equals.
        return levels < self.c if self.strict else levels <= self.c


def _dense(histogram: Histogram, group_count: int, rank: int) -> tuple[IntArray, IntArray]:
    """Return the largest count of each group and the sum of its counts from a rank on, by a table of all cells."""
    cells = np.zeros((group_count, len(histogram.whole)), dtype=np.int64)
    cells[histogram.group, histogram.value] = histogram.count
    cells.sort(axis=1)
    return cells[:, -1], cells[:, : max(cells.shape[1] - rank + 1, 0)].sum(axis=1)


def _sparse(histogram: Histogram, group_count: int, rank: int) -> tuple[IntArray, IntArray]:
    """Return the same by sorting the entries.

    Group and count are packed into one integer, so that a plain sort orders both. It fits into 63 bits because the
    number of groups and the largest count are both at most the number of records.
    """
    most = int(histogram.count.max(initial=0))
    bits = most.bit_length()
    keys = (histogram.group << bits) | (most - histogram.count)
    keys.sort()
    counts = most - (keys & ((1 << bits) - 1))
    cumulated = np.append(0, np.cumsum(counts))
    entries = np.bincount(histogram.group, minlength=group_count)
    end = np.cumsum(entries)
    start = end - entries
    return np.append(counts, 0)[start], cumulated[end] - cumulated[np.minimum(start + rank - 1, end)]
