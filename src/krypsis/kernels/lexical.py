"""Sorts lists of items, so that lists that begin with the same widespread items become neighbors."""

from __future__ import annotations

import numpy as np

from krypsis.arrays import CodeArray, IntArray
from krypsis.kernels._jit import compiled


@compiled
def neighbors(starts: IntArray, items: CodeArray, width: int) -> IntArray:
    """Return the order of lists of different items.

    An item ranks before others if more lists hold it, of equally widespread ones the first. Lists are compared rank by
    rank; of two that begin alike, the shorter comes first; equal lists stay in their order.
    """
    rank = _ranks(items, width)
    ranks = np.empty_like(items)
    for number in range(len(starts) - 1):
        for place in range(starts[number], starts[number + 1]):
            ranks[place] = rank[items[place]]
        ranks[starts[number] : starts[number + 1]].sort()
    return _sorted(starts, ranks)


@compiled
def _ranks(items: CodeArray, width: int) -> CodeArray:
    counts = np.zeros(width, dtype=np.int64)
    for item in items:
        counts[item] += 1
    item_at = np.argsort(-counts, kind="mergesort")
    rank = np.empty(width, dtype=np.int32)
    for place in range(width):
        rank[item_at[place]] = place
    return rank


@compiled
def _sorted(starts: IntArray, ranks: CodeArray) -> IntArray:
    """Return the order of the lists, by merging sorted runs of twice the length each time."""
    count = len(starts) - 1
    order, other = np.arange(count), np.empty(count, dtype=np.int64)
    length = 1
    while length < count:
        for begin in range(0, count, 2 * length):
            middle, end = min(begin + length, count), min(begin + 2 * length, count)
            left, right = begin, middle
            for place in range(begin, end):
                if right >= end or (left < middle and not _before(starts, ranks, order[right], order[left])):
                    other[place] = order[left]
                    left += 1
                else:
                    other[place] = order[right]
                    right += 1
        order, other = other, order
        length *= 2
    return order


@compiled
def _before(starts: IntArray, ranks: CodeArray, one: int, other: int) -> bool:
    first, second = starts[one], starts[other]
    while first < starts[one + 1] and second < starts[other + 1]:
        if ranks[first] != ranks[second]:
            return bool(ranks[first] < ranks[second])
        first += 1
        second += 1
    return bool(starts[one + 1] - starts[one] < starts[other + 1] - starts[other])
