"""Cutting points into blocks of bounded size, so that points near each other are mostly in one block."""

from __future__ import annotations

import numpy as np

from krypsis.groups import FloatArray, IntArray
from krypsis.hierarchies.base import CodeArray
from krypsis.kernels._jit import compiled
from krypsis.kernels.runs import RunCosts, cost_of_run

SAMPLE = 1024
"""How many points of a block are looked at to choose where it is cut."""

SMALLEST_SHARE = 0.1
"""Less than this share of a block is never cut off; it is cut in the middle instead."""


@compiled
def cut_into_blocks(points: CodeArray, costs: RunCosts, largest: int, tilts: FloatArray, order: IntArray) -> IntArray:
    """Order the points by blocks of at most ``largest``; return where each block begins, and the end.

    ``points[axis, point]`` are ranks; ``order`` holds all points, in any order, and is rearranged. Every block is cut
    on the axis where it saves most that the halves are apart, times the tilt of the axis.
    """
    waiting = [(0, len(order))]
    edges = []
    while waiting:
        start, end = waiting.pop()
        if end - start <= largest:
            edges.append(start)
            continue
        middle = start + _cut(points, costs, tilts, order[start:end])
        waiting.append((middle, end))
        waiting.append((start, middle))
    edges.append(len(order))
    return np.array(edges)


@compiled
def _cut(points: CodeArray, costs: RunCosts, tilts: FloatArray, block: IntArray) -> int:
    """Rearrange a block so that its first part lies before a cut, its second part behind; return where that begins."""
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
