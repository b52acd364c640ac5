"""Cuts that divide numbers on a line into runs."""

from __future__ import annotations

from krypsis.arrays import FloatArray, IntArray
from krypsis.kernels._jit import compiled


@compiled
def widest_gaps(numbers: FloatArray, latest: IntArray, saved: FloatArray, before: IntArray) -> None:
    """Find the cuts with the widest gaps in all between runs of ascending numbers.

    A run that ends before position ``end`` may begin at every position up to ``latest[end]``, which is never less for a
    later end, and nowhere if that is negative. Writes into ``saved[end]`` the sum of the gaps over the best cuts up to
    ``end``, and into ``before[end]`` where the last run then begins, -1 if there is none. Of equal sums the one that
    cuts last is taken, so that runs stay short.
    """
    best, start, seen = -1.0, -1, 0
    before[0] = -1
    saved[0] = 0.0
    for end in range(1, len(latest)):
        while seen <= latest[end]:
            if seen == 0:
                gained = 0.0
            elif before[seen] < 0:
                gained = -1.0
            else:
                gained = saved[seen] + numbers[seen] - numbers[seen - 1]
            if gained >= best and gained >= 0:
                best, start = gained, seen
            seen += 1
        before[end] = start
        saved[end] = best
