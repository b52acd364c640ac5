"""How large a part of a group one sensitive value is, for all groups at once."""

import numpy as np

from krypsis.arrays import FloatArray, IntArray
from krypsis.data.groups import Histogram, sum_by

ROUNDS = 4
"""How often the limit to what can be kept is drawn closer; every round is a valid limit."""


def largest_counts(histogram: Histogram, group_count: int) -> IntArray:
    """Return how often the most frequent value of each group occurs in it, 0 in a group without records.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 2, "cancer": 1}, {"flu": 3}])
    >>> largest_counts(groups.sensitive["sensitive"], 2)
    array([2, 3])
    """
    largest = np.zeros(group_count, dtype=np.int64)
    np.maximum.at(largest, histogram.group, histogram.count)
    return largest


def largest_by(keys: IntArray, values: FloatArray, length: int) -> FloatArray:
    """Return, for each key from 0 to ``length - 1``, the largest of its values, none of them below 0; 0 without any.

    Examples
    --------
    >>> largest_by(np.array([0, 2, 0]), np.array([0.5, 1.0, 0.25]), 3)
    array([0.5, 0. , 1. ])
    """
    largest = np.zeros(length)
    np.maximum.at(largest, keys, values)
    return largest


def lifts(histogram: Histogram, sizes: IntArray) -> FloatArray:
    """Return for each entry how many times as frequent its value is in its group as in the whole table.

    Infinite for a value that the whole table does not have.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 1, "cancer": 1}], whole={"flu": 3, "cancer": 1})
    >>> lifts(groups.sensitive["sensitive"], groups.sizes).round(6)  # flu, cancer
    array([0.666667, 2.      ])
    """
    lifted = np.full(len(histogram.count), np.inf)
    shares = histogram.count / sizes[histogram.group]
    usual = (histogram.whole / max(int(histogram.whole.sum()), 1))[histogram.value]
    np.divide(shares, usual, out=lifted, where=usual > 0)
    return lifted


def most_kept(histogram: Histogram, sizes: IntArray, share: float | FloatArray) -> IntArray:
    """Return an upper limit to the records of each group that can be kept if no value may be more than a share of them.

    The share may differ from value to value. If ``n`` records are kept, at most ``share · n`` of them have the same
    value, so ``n ≤ Σ min(c, share · n)``. The largest such ``n`` is approached from above.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 8, "cancer": 1}, {"flu": 3, "cancer": 3}])
    >>> most_kept(groups.sensitive["sensitive"], groups.sizes, 0.5)
    array([2, 6])
    """
    shares = np.broadcast_to(np.asarray(share, dtype=np.float64), histogram.whole.shape)[histogram.value]
    kept: FloatArray = sizes.astype(np.float64)
    for _ in range(ROUNDS):
        # a limit may be too high by rounding, never too low
        most = np.floor(shares * kept[histogram.group] * (1 + 1e-12) + 1e-9)
        kept = sum_by(histogram.group, np.minimum(histogram.count, most), len(sizes))
    return kept.astype(np.int64)
