"""Blocks: records that lie near each other, where comparing all with each other would take too long."""

from collections.abc import Callable, Iterable
from typing import Annotated

import numpy as np
from pydantic import BeforeValidator, Field

from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.kernels._jit import compiled
from krypsis.kernels.runs import RunCosts, cost_of_run


def _none(given: object) -> object:
    return None if given == "none" else given


Block = Annotated[Annotated[int, Field(ge=16)] | None, BeforeValidator(_none)]
"""The size of blocks; the word ``none`` for no blocks."""

Grouped = tuple[IntArray, CodeArray]
"""Records of a block, and their groups, numbered from 0 on."""


def cut_into_blocks(count: int, largest: int | None, cut: Callable[[IntArray], int]) -> list[IntArray]:
    """Return the numbers below ``count`` in blocks of at most ``largest``, each block in ascending order.

    ``cut`` rearranges a block that is too large so that its two parts stand one behind the other, and returns where
    the second begins.

    Examples
    --------
    >>> [block.tolist() for block in cut_into_blocks(5, 2, lambda block: len(block) // 2)]
    [[0, 1], [2], [3, 4]]
    """
    blocks, waiting = [], [np.arange(count, dtype=np.int64)]
    # Depth first, the first part before the second, so that neighboring blocks follow each other.
    while waiting:
        block = waiting.pop()
        if largest is None or len(block) <= largest:
            blocks.append(np.sort(block))
            continue
        middle = cut(block)
        waiting += [block[middle:], block[:middle]]
    return blocks


def gathered(records: int, parts: Iterable[Grouped]) -> CodeArray:
    """Return the groups of all blocks in one numbering.

    Examples
    --------
    >>> gathered(4, [(np.array([0, 3]), np.array([0, 1])), (np.array([1, 2]), np.array([0, 0]))]).tolist()
    [0, 2, 2, 1]
    """
    group_of = np.zeros(records, dtype=np.int32)
    groups = 0
    for members, inside in parts:
        group_of[members] = inside + groups
        groups += int(inside.max(initial=-1)) + 1
    return group_of


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
    # One axis per iteration: how much its spread costs, times how many points the smaller part would have.
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
