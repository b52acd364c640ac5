"""Forming groups of at least ``k`` records around seeds.

The loops work on one part of a table: ``columns[axis, record]`` are the ranks of its records.
"""

from __future__ import annotations

import numpy as np

from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.kernels._jit import compiled
from krypsis.kernels.runs import RunCosts, box_cost, join_costs, widen


@compiled
def grow_groups(columns: CodeArray, costs: RunCosts, k: int, group_of: CodeArray) -> int:
    """Form groups of ``k`` records one after the other; return their number and write the group of each record.

    A group starts with the record farthest from the start of the group before, and takes the record that makes its
    box least expensive until it has ``k``. Fewer than ``k`` are left at the end; each joins the group it adds least to.
    If there are fewer than ``k`` to begin with, they are one group.
    """
    axes, left = columns.shape
    free = columns.copy()
    records = np.arange(left)
    joined = np.empty(left)
    low, high = columns[:, 0].copy(), columns[:, 0].copy()
    lows, highs = np.empty((axes, left // k + 1), np.int32), np.empty((axes, left // k + 1), np.int32)
    groups = 0
    while left >= k:
        place = _farthest(costs, low, free, joined[:left])
        for size in range(k):
            if size:
                join_costs(costs, low, high, free, free, joined[:left])
                place = int(joined[:left].argmin())
            else:
                low[:] = free[:, place]
                high[:] = free[:, place]
            widen(low, high, free[:, place], free[:, place])
            group_of[records[place]] = groups
            left -= 1
            records[place] = records[left]
            free[:, place] = free[:, left]
        lows[:, groups] = low
        highs[:, groups] = high
        groups += 1
    if groups == 0:
        group_of[:] = 0
        return 1
    _place_rest(columns, costs, k, records[:left], lows, highs, group_of, groups)
    return groups


@compiled
def _farthest(costs: RunCosts, point: CodeArray, free: CodeArray, joined: FloatArray) -> int:
    join_costs(costs, point, point, free, free, joined)
    return int(joined.argmax())


@compiled
def _place_rest(
    columns: CodeArray, costs: RunCosts, k: int, rest: IntArray, lows: CodeArray, highs: CodeArray,
    group_of: CodeArray, groups: int,
) -> None:  # fmt: skip
    """Add each record of the rest to the group whose records then pay least more."""
    sizes = np.full(groups, k)
    joined = np.empty(groups)
    paid = np.empty(groups)
    for group in range(groups):
        paid[group] = k * box_cost(costs, lows[:, group].copy(), highs[:, group].copy())
    for record in rest:
        point = columns[:, record].copy()
        join_costs(costs, point, point, lows, highs, joined)
        found = ((sizes + 1) * joined - paid).argmin()
        sizes[found] += 1
        paid[found] = sizes[found] * joined[found]
        widen(lows[:, found], highs[:, found], point, point)
        group_of[record] = found
