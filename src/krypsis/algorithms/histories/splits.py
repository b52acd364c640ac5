"""Split: balanced buckets become groups of one record per value that lie close together."""

import numpy as np

from krypsis.algorithms.histories.base import Snapshot
from krypsis.algorithms.tables.boxes import Axis, axes_of
from krypsis.algorithms.tables.boxes.boxes import ranks_of
from krypsis.algorithms.tables.mondrian.partition import pack_axes
from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.data.ordering import order_of
from krypsis.data.recoding import FrequencySet
from krypsis.kernels._jit import compiled
from krypsis.kernels.parts import measure_box
from krypsis.kernels.runs import AxisTable, run_cost
from krypsis.metrics.ncp import NormalizedCertaintyPenalty

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
        # Split, on an explicit stack: take a part, cut it where that is cheapest, put both sides back.
        while left > 0:
            left -= 1
            first, height = waiting[left]
            # a = 1: one record per signature value is a group.
            if height == 1:
                continue
            if height <= exact:
                axis, taken = cut_exactly(points, axes, first, slots, height, keys, costs)
            else:
                # Deviation for large parts: the box is taken to stay as wide as before on the axes that are not cut.
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
    # All candidates (i, r): the first r records of every slot in the order of attribute i.
    for axis in range(points.shape[1]):
        sort_slots(points, first, slots, height, axis, keys)
        weigh_cuts(points, axes, first, slots, height, keys, costs)
        for taken in range(1, height):
            # The source leaves ties open: the lowest attribute, then
            # the most even cut, which keeps the recursion shallow.
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
    # Prefix boxes from the left, suffix boxes from the right: each cut costs |BUC_1|·Σ l_q + |BUC_2|·Σ l_q.
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


EXACT = 48
"""Up to this many records per value, every cut of a bucket is weighed exactly."""


def axes_of_snapshot(snapshot: Snapshot) -> tuple[Axis, ...]:
    """Return the quasi-identifiers as axes, which cost what the normalized certainty penalty says.

    Numbers with a hierarchy are generalized to its nodes, all other numbers to ranges.
    """
    nobody = np.zeros((0, len(snapshot.attributes)), dtype=np.int32)
    weights = tuple(snapshot.attribute_weights.tolist())
    columns = FrequencySet(
        snapshot.attributes, snapshot.hierarchies, nobody, np.zeros(0, dtype=np.int64), weights=weights
    )
    return axes_of(columns, NormalizedCertaintyPenalty(), dict.fromkeys(snapshot.with_hierarchy, "hierarchy"))


def split(axes: tuple[Axis, ...], codes: CodeArray, bucket: IntArray, slot: IntArray, exact: int = EXACT) -> IntArray:
    """Return the group of each record, numbered from 0 on: one record of every slot of its bucket.

    Parameters
    ----------
    axes
        the quasi-identifiers.
    codes
        ``codes[record, attribute]``: level-0 codes.
    bucket, slot
        for each record, its bucket and its slot in it, such as its sensitive value. All slots of a bucket have the same
        number of records.
    exact
        up to this many records per slot, every cut is weighed exactly.

    Notes
    -----
    A bucket is cut in two, again and again, until every part has one record per slot. Of all cuts, the first ``r``
    records of every slot in the order of some attribute, the one is taken for which size times perimeter, summed over
    both parts, is least; then of the lowest attribute, the most even one, the smallest part.

    Examples
    --------
    >>> from krypsis.data.hierarchies.base import Hierarchy
    >>> age = Hierarchy.from_rows([[str(age), "*"] for age in (20, 21, 60, 61)])
    >>> one = Snapshot(("age",), (age,), np.array([[3], [0], [1], [2]], dtype=np.int32), "disease", age, None, None)
    >>> split(axes_of_snapshot(one), one.codes, np.zeros(4, dtype=np.int64), np.array([0, 0, 1, 1])).tolist()
    [1, 0, 0, 1]
    """
    order = order_of(slot)
    order = order[order_of(bucket[order])]
    if not len(order):
        return order
    firsts = np.flatnonzero(np.diff(bucket[order], prepend=-1))
    sizes = np.diff(np.append(firsts, len(order)))
    begins = np.diff(bucket[order], prepend=-1) != 0
    begins |= np.diff(slot[order], prepend=-1) != 0
    slots = np.add.reduceat(begins.astype(np.int64), firsts)
    cut_order = order.copy()
    if axes:
        points = ranks_of(codes[order], axes)
        cut_buckets(points, cut_order, pack_axes(axes, range(len(axes))), firsts, slots, sizes // slots, exact)
    else:
        cut_order = _dealt(order, firsts, slots, sizes)
    groups = np.empty(len(order), dtype=np.int64)
    base = np.concatenate([[0], np.cumsum(sizes // slots)[:-1]])
    place = np.arange(len(order)) - np.repeat(firsts, sizes)
    groups[cut_order] = np.repeat(base, sizes) + place // np.repeat(slots, sizes)
    return groups


def _dealt(order: IntArray, firsts: IntArray, slots: IntArray, sizes: IntArray) -> IntArray:
    """Return the records so that the first ones of all slots of a bucket come first, then the second ones."""
    place = np.arange(len(order)) - np.repeat(firsts, sizes)
    height = np.repeat(sizes // slots, sizes)
    return order[np.lexsort((place // height, place % height, np.repeat(firsts, sizes)))]
