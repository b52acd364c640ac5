"""Where a block of points is cut in two, so that points near each other mostly stay together.

Both ways rearrange the block so that its first part lies before the cut, its second part behind, and return where that
begins.
"""

from __future__ import annotations

import numpy as np

from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.kernels._jit import compiled
from krypsis.kernels.runs import RunCosts, cost_of_run

SAMPLE = 1024
"""How many points of a block are looked at to choose where it is cut."""

SMALLEST_SHARE = 0.1
"""Less than this share of a block is never cut off by cost; it is cut in the middle instead."""

SMALLEST_TAIL = 0.02
"""Less than this share of a block is never cut off by spread, so that few outliers at a time do not take forever."""


@compiled
def cut_by_cost(points: CodeArray, costs: RunCosts, tilts: FloatArray, block: IntArray) -> int:
    """Cut on the axis where it saves most that the parts are apart, times the tilt of the axis.

    ``points[axis, point]`` are ranks.
    """
    sample = block[:: max(1, len(block) // SAMPLE)]
    axis, last, share = _best_cut(points, costs, tilts, sample)
    if share < SMALLEST_SHARE:
        block[:] = block[np.argsort(points[axis][block], kind="mergesort")]
        return len(block) // 2
    before = points[axis][block] <= last
    block[:] = np.concatenate((block[before], block[~before]))
    return int(before.sum())


@compiled
def _best_cut(points: CodeArray, costs: RunCosts, tilts: FloatArray, sample: IntArray) -> tuple[int, int, float]:
    """Return the axis to cut, the last rank of the first part, and the share of the smaller part in the sample.

    What a cut saves is judged by what it costs to join each point with the median, and by how even the cut is.
    """
    best, found, last, share = -1.0, 0, 0, 0.0
    for axis in range(len(points)):
        ranks = np.sort(points[axis][sample])
        place = _nearest_step(ranks)
        spread = tilts[axis] * _distances(costs, axis, ranks) * min(place, len(ranks) - place)
        if spread > best:
            best, found, last = spread, axis, int(ranks[max(place - 1, 0)])
            share = min(place, len(ranks) - place) / len(ranks)
    return found, last, share


@compiled
def _nearest_step(ranks: CodeArray) -> int:
    """Return the place nearest to the middle where sorted ranks change, 0 if they are all the same."""
    middle = len(ranks) // 2
    for distance in range(middle + 1):
        for place in (middle - distance, middle + distance):
            if 0 < place < len(ranks) and ranks[place - 1] < ranks[place]:
                return place
    return 0


@compiled
def _distances(costs: RunCosts, axis: int, ranks: CodeArray) -> float:
    """Return the sum of what it costs to join each of the sorted ranks with the median."""
    median = ranks[len(ranks) // 2]
    total = 0.0
    for rank in ranks:
        total += cost_of_run(costs, axis, min(rank, median), max(rank, median))
    return total


@compiled
def cut_by_spread(points: FloatArray, fewest: int, block: IntArray) -> int:
    """Cut the widest side where both parts together lie nearest to their means; neither has fewer points than allowed.

    ``points[point, axis]`` are numbers. A cut in the middle would mix the few records of a long tail with all others.
    """
    axis, width = _widest_side(points, block)
    if width == 0:
        return len(block) // 2
    values = points[block, axis]
    order = np.argsort(values, kind="mergesort")
    block[:] = block[order]
    return _least_squares_cut(values[order], max(fewest, int(np.ceil(SMALLEST_TAIL * len(block)))))


@compiled
def _widest_side(points: FloatArray, block: IntArray) -> tuple[int, float]:
    widest, width = 0, -1.0
    for axis in range(points.shape[1]):
        low, high = np.inf, -np.inf
        for point in block:
            low, high = min(low, points[point, axis]), max(high, points[point, axis])
        if high - low > width:
            widest, width = axis, high - low
    return widest, width


@compiled
def _least_squares_cut(values: FloatArray, fewest: int) -> int:
    """Return where sorted values are cut so that the squared distances from the means of both parts add up to least."""
    count, mean = len(values), values.mean()
    before, best, found = 0.0, -1.0, count // 2
    for place in range(1, count):
        before += values[place - 1] - mean
        # The squares between the parts: what they save. The sum behind the cut is minus the sum before it.
        saved = before * before * (1 / place + 1 / (count - place))
        if fewest <= place <= count - fewest and saved > best:
            best, found = saved, place
    return found
