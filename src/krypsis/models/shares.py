"""How large a part of a group one sensitive value is, for all groups at once."""

from __future__ import annotations

import numpy as np

from krypsis.groups import FloatArray, Histogram, IntArray, sum_by

ROUNDS = 4
"""How often the limit to what can be kept is drawn closer; every round is a valid limit."""


def largest_counts(histogram: Histogram, group_count: int) -> IntArray:
    """Return how often the most frequent value of each group occurs in it, 0 in a group without records.

    Examples
    --------
    >>> from krypsis.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 2, "cancer": 1}, {"flu": 3}])
    >>> largest_counts(groups.sensitive["sensitive"], 2)
    array([2, 3])
    """
    largest = np.zeros(group_count, dtype=np.int64)
    np.maximum.at(largest, histogram.group, histogram.count)
    return largest


def most_kept(histogram: Histogram, sizes: IntArray, share: float) -> IntArray:
    """Return an upper limit to the records of each group that can be kept if no value may be more than a share of them.

    If ``n`` records are kept, at most ``share · n`` of them have the same value, so ``n ≤ Σ min(c, share · n)``. The
    largest such ``n`` is approached from above.

    Examples
    --------
    >>> from krypsis.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 8, "cancer": 1}, {"flu": 3, "cancer": 3}])
    >>> most_kept(groups.sensitive["sensitive"], groups.sizes, 0.5)
    array([2, 6])
    """
    kept: FloatArray = sizes.astype(np.float64)
    for _ in range(ROUNDS):
        most = np.floor(share * kept * (1 + 1e-12) + 1e-9)  # a limit may be too high by rounding, never too low
        kept = sum_by(histogram.group, np.minimum(histogram.count, most[histogram.group]), len(sizes))
    return kept.astype(np.int64)
