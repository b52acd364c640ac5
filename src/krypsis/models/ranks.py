"""The frequent and the rare sensitive values of each group, for all groups at once."""

from __future__ import annotations

import numpy as np

from krypsis.arrays import IntArray
from krypsis.data.groups import Histogram
from krypsis.models.base import CELLS_PER_ENTRY


def largest_and_rare(histogram: Histogram, group_count: int, rank: int) -> tuple[IntArray, IntArray]:
    """Return the largest count of each group, and the sum of its counts from a rank on, the most frequent being 1.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 3, "cancer": 2, "hiv": 1}, {"flu": 4}])
    >>> largest_and_rare(groups.sensitive["sensitive"], 2, rank=2)
    (array([3, 4]), array([3, 0]))
    """
    dense = group_count * len(histogram.whole) < CELLS_PER_ENTRY * len(histogram.count)
    return (_dense if dense else _sparse)(histogram, group_count, rank)


def count_at_and_from(histogram: Histogram, group_count: int, rank: int) -> tuple[IntArray, IntArray]:
    """Return the count at a rank in each group, 0 if it has fewer values, and the sum of its counts from there on.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 3, "cancer": 2, "hiv": 1}, {"flu": 4}])
    >>> count_at_and_from(groups.sensitive["sensitive"], 2, rank=2)
    (array([2, 0]), array([3, 0]))
    """
    _, here = largest_and_rare(histogram, group_count, rank)
    _, beyond = largest_and_rare(histogram, group_count, rank + 1)
    return here - beyond, here


def _dense(histogram: Histogram, group_count: int, rank: int) -> tuple[IntArray, IntArray]:
    """Take both from a table of all cells."""
    cells = np.zeros((group_count, len(histogram.whole)), dtype=np.int64)
    cells[histogram.group, histogram.value] = histogram.count
    cells.sort(axis=1)
    return cells[:, -1], cells[:, : max(cells.shape[1] - rank + 1, 0)].sum(axis=1)


def _sparse(histogram: Histogram, group_count: int, rank: int) -> tuple[IntArray, IntArray]:
    """Take both from the sorted entries.

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
