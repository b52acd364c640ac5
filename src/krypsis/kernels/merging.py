"""Merging groups that are too small with their nearest neighbors, and cutting groups in two around two seeds."""

from __future__ import annotations

import numpy as np

from krypsis.groups import BoolArray, FloatArray, IntArray
from krypsis.hierarchies.base import CodeArray
from krypsis.kernels._jit import compiled
from krypsis.kernels.runs import RunCosts, box_cost, join_costs, widen

EPSILON = 1e-9
"""Costs are sums of fractions; what is less than this apart is equal."""

SEED_ROUNDS = 6
"""How often the farthest record is looked for to find two that are far apart; more do not help, the paper says."""


@compiled
def merge_nearest(
    lows: CodeArray, highs: CodeArray, sizes: IntArray, refused: BoolArray, costs: RunCosts, into: IntArray
) -> None:
    """Merge every refused group, one after the other, with the group for which the records of both pay least.

    Of equally cheap groups the smaller one is taken, then the first one. A group that has been merged waits for the
    next call. ``into[group]`` becomes the group that it is part of in the end; boxes and sizes become those of the
    merged groups.
    """
    joined = np.empty(len(sizes))
    alive = np.ones(len(sizes), np.bool_)
    waiting = refused.copy()
    for group in range(len(sizes)):
        if not waiting[group] or alive.sum() < 2:
            continue
        low, high = lows[:, group].copy(), highs[:, group].copy()
        join_costs(costs, low, high, lows, highs, joined)
        alive[group] = False
        partner = _cheapest(joined, sizes, alive, sizes[group])
        kept, gone = min(group, partner), max(group, partner)
        widen(low, high, lows[:, partner], highs[:, partner])
        lows[:, kept] = low
        highs[:, kept] = high
        sizes[kept] += sizes[gone]
        sizes[gone] = 0
        alive[kept], alive[gone] = True, False
        waiting[kept], waiting[gone] = False, False
        into[gone] = kept
    for group in range(len(sizes)):
        into[group] = into[into[group]]  # what a group was merged into comes before it and is settled


@compiled
def _cheapest(joined: FloatArray, sizes: IntArray, alive: BoolArray, size: int) -> int:
    best, found = np.inf, -1
    for group in range(len(sizes)):
        if alive[group]:
            cost = (size + sizes[group]) * joined[group]
            if cost < best - EPSILON or (cost <= best + EPSILON and sizes[group] < sizes[found]):
                best, found = min(best, cost), group
    return found


@compiled
def cut_in_two(columns: CodeArray, costs: RunCosts, most_first: int, most_second: int, second: BoolArray) -> None:
    """Cut records in two parts around two that are far apart; ``second`` says which records are in the second part.

    Starting with the first record, the farthest one is looked for a few times (UT-A3). The others go, in their order,
    to the part whose box then costs less, the smaller part if both cost the same (OPEN 6), unless that one is full.
    """
    records = columns.shape[1]
    first, last = _far_apart(columns, costs)
    lows, highs = columns[:, np.array([first, last])].copy(), columns[:, np.array([first, last])].copy()
    sizes = np.ones(2, np.int64)
    most = np.array([most_first, most_second])
    joined = np.empty(2)
    second[:] = False
    second[last] = True
    for record in range(records):
        if record in (first, last):
            continue
        point = columns[:, record].copy()
        join_costs(costs, point, point, lows, highs, joined)
        part = 0 if joined[0] < joined[1] - EPSILON else 1
        if abs(joined[0] - joined[1]) <= EPSILON:
            part = 0 if sizes[0] <= sizes[1] else 1
        if sizes[part] >= most[part]:
            part = 1 - part
        sizes[part] += 1
        widen(lows[:, part], highs[:, part], point, point)
        second[record] = part == 1


@compiled
def _far_apart(columns: CodeArray, costs: RunCosts) -> tuple[int, int]:
    """Return two different records; which of them are farthest apart is guessed in a few rounds."""
    joined = np.empty(columns.shape[1])
    start, end, distance = 0, 1, -1.0
    for _ in range(SEED_ROUNDS):
        point = columns[:, start].copy()
        join_costs(costs, point, point, columns, columns, joined)
        joined[start] = -1.0
        farthest = int(joined.argmax())
        if joined[farthest] <= distance + EPSILON:
            break
        distance = joined[farthest]
        start, end = farthest, start
    return min(start, end), max(start, end)


@compiled
def cut_groups(
    columns: CodeArray, costs: RunCosts, order: IntArray, starts: IntArray, k: int, second: BoolArray, saved: FloatArray
) -> None:
    """Cut groups in two; ``order[starts[group] : starts[group + 1]]`` are the records of a group, at least two.

    With ``k`` both parts of a group of at least ``2 k`` get as many records as half of all groups of ``k`` that fit
    need; without (0) each gets at least one. ``saved[group]`` is what its records pay less.
    """
    for group in range(len(starts) - 1):
        members = order[starts[group] : starts[group + 1]]
        size = len(members)
        parts = size // k if k else 2
        least = max(k, 1)
        ranks = columns[:, members].copy()
        part_of = np.zeros(size, np.bool_)
        cut_in_two(ranks, costs, size - (parts - parts // 2) * least, size - (parts // 2) * least, part_of)
        saved[group] = _paid(ranks, costs) - _paid(ranks[:, part_of], costs) - _paid(ranks[:, ~part_of], costs)
        for place in range(size):
            second[starts[group] + place] = part_of[place]


@compiled
def _paid(columns: CodeArray, costs: RunCosts) -> float:
    """Return what records pay together as one group."""
    low, high = columns[:, 0].copy(), columns[:, 0].copy()
    for record in range(1, columns.shape[1]):
        widen(low, high, columns[:, record], columns[:, record])
    return float(columns.shape[1] * box_cost(costs, low, high))
