"""Cutting balanced buckets into groups that hold one record of every value, with records that lie close together.

The records of a bucket of ``values`` values and ``height`` records of each lie side by side, slot after slot: those of
one value, then those of the next. A cut takes the first ``r`` records of every slot, in the order of one axis, away
from the others, so that both parts are balanced again. In the end every part has one record per slot.
"""

from __future__ import annotations

import numpy as np

from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.kernels._jit import compiled
from krypsis.kernels.axis_table import AxisTable, run_cost
from krypsis.kernels.parts import measure_box

TIE = 1e-9
"""Costs are sums of floating point numbers; those that are this near count as equal."""

MARGIN = 16
"""A part that is too large for all cuts to be weighed exactly is cut so that no side is below this share of it."""

SHORT = 32
"""Up to this many records a slot is sorted by insertion."""

SPARSE = 4
"""Ranks per record up to which counting them is faster than sorting."""

DEEPEST = 4096
"""More parts than can wait to be cut at the same time."""


@compiled
def cut_buckets(
    points: CodeArray,
    order: IntArray,
    axes: AxisTable,
    firsts: IntArray,
    values: IntArray,
    heights: IntArray,
    exact: int,
) -> None:
    """Rearrange the records of every bucket so that each run of ``values`` records from its first on is a group.

    ``points[record, axis]`` are ranks; ``order`` is rearranged like them. Every cut is the cheapest there is: the sum
    over both parts of their size times the cost of their box. Where there are more than ``exact`` records per value,
    the box of a part is taken to be as wide as before on the axes that are not cut.
    """
    widest = 1
    for bucket in range(len(firsts)):
        widest = max(widest, values[bucket] * heights[bucket])
    keys = np.empty(widest, np.int64)
    spare_points = np.empty((widest, points.shape[1]), np.int32)
    spare_order = np.empty(widest, np.int64)
    costs = np.empty(max(1, exact) + 1)
    counts = np.zeros(SPARSE * widest + 2, np.int64)
    waiting = np.empty((DEEPEST, 2), np.int64)
    for bucket in range(len(firsts)):
        slots = values[bucket]
        waiting[0, 0], waiting[0, 1] = firsts[bucket], heights[bucket]
        left = 1
        while left > 0:
            left -= 1
            first, height = waiting[left]
            if height == 1:
                continue
            if height <= exact:
                axis, taken = cut_exactly(points, axes, first, slots, height, keys, costs)
            else:
                axis, taken = cut_widely(points, axes, first, slots, height, keys, counts)
            part(points, order, first, slots, height, axis, taken, keys, counts, spare_points, spare_order)
            waiting[left, 0], waiting[left, 1] = first, taken
            waiting[left + 1, 0], waiting[left + 1, 1] = first + taken * slots, height - taken
            left += 2


@compiled
def cut_exactly(
    points: CodeArray, axes: AxisTable, first: int, slots: int, height: int, keys: IntArray, costs: FloatArray
) -> tuple[int, int]:
    """Return the axis and the number of records per slot of the cheapest cut.

    Of cuts that cost the same, the lowest axis counts, then the one that cuts most evenly, then the smallest part.
    """
    best_axis, best_taken, best = 0, 1, np.inf
    for axis in range(points.shape[1]):
        sort_slots(points, first, slots, height, axis, keys)
        weigh_cuts(points, axes, first, slots, height, keys, costs)
        for taken in range(1, height):
            more_even = axis == best_axis and abs(2 * taken - height) < abs(2 * best_taken - height)
            if costs[taken] < best - TIE or (costs[taken] <= best + TIE and more_even):
                best_axis, best_taken, best = axis, taken, costs[taken]
    return best_axis, best_taken


@compiled
def weigh_cuts(
    points: CodeArray, axes: AxisTable, first: int, slots: int, height: int, keys: IntArray, costs: FloatArray
) -> None:
    """Write what each cut costs, with the records of every slot in the order of ``keys``."""
    dimensions = points.shape[1]
    low, high = np.empty(dimensions, np.int32), np.empty(dimensions, np.int32)
    for side in range(2):
        low[:] = np.iinfo(np.int32).max
        high[:] = -1
        for step in range(height - 1):
            place = step if side == 0 else height - 1 - step
            for slot in range(slots):
                record = first + slot * height + (keys[slot * height + place] & 0xFFFFFFFF)
                for axis in range(dimensions):
                    rank = points[record, axis]
                    low[axis] = min(low[axis], rank)
                    high[axis] = max(high[axis], rank)
            cost = 0.0
            for axis in range(dimensions):
                cost += axes.weights[axis] * run_cost(axes, axis, low[axis], high[axis])
            if side == 0:
                costs[step + 1] = cost * (step + 1) * slots
            else:
                costs[height - 1 - step] += cost * (step + 1) * slots


@compiled
def cut_widely(
    points: CodeArray, axes: AxisTable, first: int, slots: int, height: int, ranks: IntArray, counts: IntArray
) -> tuple[int, int]:
    """Return the axis and the number of records per slot of a good cut, without a look at the other axes."""
    dimensions = points.shape[1]
    low, high = np.empty(dimensions, np.int32), np.empty(dimensions, np.int32)
    measure_box(points, first, first + slots * height, low, high)
    whole = 0.0
    for axis in range(dimensions):
        whole += axes.weights[axis] * run_cost(axes, axis, low[axis], high[axis])
    best_axis, best_taken, best = 0, height // 2, np.inf
    margin = max(1, height // MARGIN)
    for axis in range(dimensions):
        if low[axis] == high[axis]:
            continue
        weight = axes.weights[axis]
        others = whole - weight * run_cost(axes, axis, low[axis], high[axis])
        sort_ranks(points, first, slots, height, axis, low[axis], high[axis], ranks, counts)
        for taken in range(margin, height - margin + 1):
            last, next_one = ranks[taken - 1], ranks[taken]
            for slot in range(1, slots):
                last = max(last, ranks[slot * height + taken - 1])
                next_one = min(next_one, ranks[slot * height + taken])
            cost = taken * (others + weight * run_cost(axes, axis, low[axis], last))
            cost += (height - taken) * (others + weight * run_cost(axes, axis, next_one, high[axis]))
            more_even = axis == best_axis and abs(2 * taken - height) < abs(2 * best_taken - height)
            if cost < best - TIE or (cost <= best + TIE and more_even):
                best_axis, best_taken, best = axis, taken, cost
    return best_axis, best_taken


@compiled
def sort_slots(points: CodeArray, first: int, slots: int, height: int, axis: int, keys: IntArray) -> None:
    """Write for every slot its records in the order of an axis: the rank, and in the lower 32 bits the place."""
    for slot in range(slots):
        start = slot * height
        for place in range(height):
            keys[start + place] = (np.int64(points[first + start + place, axis]) << 32) | place
        sort_run(keys, start, start + height)


@compiled
def sort_run(keys: IntArray, start: int, end: int) -> None:
    """Sort a run of numbers in place; the usual way is slow for a few of them."""
    if end - start > SHORT:
        keys[start:end].sort()
        return
    for place in range(start + 1, end):
        key, free = keys[place], place
        while free > start and keys[free - 1] > key:
            keys[free] = keys[free - 1]
            free -= 1
        keys[free] = key


@compiled
def sort_ranks(
    points: CodeArray,
    first: int,
    slots: int,
    height: int,
    axis: int,
    low: int,
    high: int,
    ranks: IntArray,
    counts: IntArray,
) -> None:
    """Write the ranks of every slot on an axis in ascending order; ``counts`` is all zero, before and after."""
    for slot in range(slots):
        start = slot * height
        if height <= SHORT or high - low >= SPARSE * height:
            for place in range(height):
                ranks[start + place] = points[first + start + place, axis]
            sort_run(ranks, start, start + height)
            continue
        for place in range(height):
            counts[points[first + start + place, axis] - low] += 1
        written = start
        for rank in range(low, high + 1):
            for _ in range(counts[rank - low]):
                ranks[written] = rank
                written += 1
            counts[rank - low] = 0


@compiled
def part(
    points: CodeArray,
    order: IntArray,
    first: int,
    slots: int,
    height: int,
    axis: int,
    taken: int,
    keys: IntArray,
    counts: IntArray,
    spare_points: CodeArray,
    spare_order: IntArray,
) -> None:
    """Bring the lowest ``taken`` records of every slot before the others; of equal ones those that stand first."""
    lowest, highest = points[first, axis], points[first, axis]
    for record in range(first, first + slots * height):
        lowest = min(lowest, points[record, axis])
        highest = max(highest, points[record, axis])
    sort_ranks(points, first, slots, height, axis, lowest, highest, keys, counts)
    for slot in range(slots):
        limit = keys[slot * height + taken - 1]
        alike = 0  # how many of those at the limit are taken
        while alike < taken and keys[slot * height + taken - 1 - alike] == limit:
            alike += 1
        front, back = slot * taken, slots * taken + slot * (height - taken)
        for record in range(first + slot * height, first + (slot + 1) * height):
            rank = points[record, axis]
            if rank < limit or (rank == limit and alike > 0):
                alike -= rank == limit
                target = front
                front += 1
            else:
                target = back
                back += 1
            spare_points[target] = points[record]
            spare_order[target] = order[record]
    for place in range(slots * height):
        points[first + place] = spare_points[place]
        order[first + place] = spare_order[place]
