"""The two steps to (k,k)-anonymity: a box around every record, then more boxes over every record.

A box has, on every axis, a lowest and a highest rank. It is kept *closed*: as wide as the label it is published with.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from krypsis.algorithms.tables.kk_anonymizer.box_tree import BoxTree, hold_box, put_halves
from krypsis.arrays import CodeArray, IntArray
from krypsis.kernels._jit import compiled
from krypsis.kernels.axis_table import AxisTable, common_node, run_cost

DEEPEST = 256
"""Parts that may wait to be looked at; the tree halves, so it is never deeper than 64."""


class ClosedAxes(NamedTuple):
    """All axes, and of every ``[level, rank]`` of them the lowest and the highest rank below the same node."""

    table: AxisTable
    run_low: CodeArray
    run_high: CodeArray


@compiled
def cost_of(axes: ClosedAxes, axis: int, low: int, high: int) -> float:
    """Return what it costs to publish the ranks from low to high, with the weight of the axis."""
    return float(axes.table.weights[axis] * run_cost(axes.table, axis, low, high))


@compiled
def join(axes: ClosedAxes, low: CodeArray, high: CodeArray, point: CodeArray) -> None:
    """Widen a box until it holds a point, and close it."""
    for axis in range(len(low)):
        first, last = min(low[axis], point[axis]), max(high[axis], point[axis])
        if axes.table.by_node[axis]:
            cell = common_node(axes.table, axis, first, last)
            first, last = axes.run_low[cell], axes.run_high[cell]
        elif first < axes.table.known[axis] <= last:
            first, last = 0, axes.table.lengths[axis] - 1
        low[axis], high[axis] = first, last


@compiled
def weight_inside(
    tree: BoxTree, points: CodeArray, weights: IntArray, low: CodeArray, high: CodeArray, enough: int
) -> int:
    """Return the weight of the points in a box, or some weight that is enough."""
    stack = np.zeros(DEEPEST, np.int64)
    waiting = 1
    total = 0
    while waiting and total < enough:
        waiting -= 1
        part = stack[waiting]
        is_disjoint = False
        within = True
        for axis in range(len(low)):
            is_disjoint |= tree.low[part, axis] > high[axis] or tree.high[part, axis] < low[axis]
            within &= tree.low[part, axis] >= low[axis] and tree.high[part, axis] <= high[axis]
        if is_disjoint:
            continue
        # The whole part lies in the box, so its points need not be looked at.
        if within:
            total += tree.weight[part]
        elif tree.left[part] >= 0:
            stack[waiting] = tree.left[part]
            stack[waiting + 1] = tree.left[part] + 1
            waiting += 2
        else:
            for place in range(tree.start[part], tree.end[part]):
                point = tree.order[place]
                if holds(low, high, points[point]):
                    total += weights[point]
    return total


@compiled
def reach(axes: ClosedAxes, low: CodeArray, high: CodeArray, near: CodeArray, far: CodeArray, limit: float) -> float:
    """Return what a box costs at least when it is widened into another one, or something not below the limit."""
    total = 0.0
    for axis in range(len(low)):
        first, last = low[axis], high[axis]
        if far[axis] < first:
            first = far[axis]
        elif near[axis] > last:
            last = near[axis]
        total += cost_of(axes, axis, first, last)
        if total >= limit:
            break
    return total


@compiled
def nearest_outside(
    axes: ClosedAxes, tree: BoxTree, points: CodeArray, low: CodeArray, high: CodeArray, effort: int
) -> int:
    """Return the point outside a box that makes it cost least, -1 if all are inside.

    After looking at the points of as many parts as the effort says, the best found so far counts.
    """
    stack = np.zeros(DEEPEST, np.int64)
    bounds = np.zeros(DEEPEST)
    waiting = 1
    best = np.inf
    found = -1
    looked = 0
    while waiting and (looked < effort or found < 0):
        waiting -= 1
        part = stack[waiting]
        # Branch and bound: nothing in this part is cheaper than what was found.
        if bounds[waiting] >= best:
            continue
        if tree.left[part] >= 0:
            half = tree.left[part]
            least = (
                reach(axes, low, high, tree.low[half], tree.high[half], best),
                reach(axes, low, high, tree.low[half + 1], tree.high[half + 1], best),
            )
            put_halves(tree, part, least, stack[waiting:], bounds[waiting:])
            waiting += 2
            continue
        looked += 1
        for place in range(tree.start[part], tree.end[part]):
            point = tree.order[place]
            cost = reach(axes, low, high, points[point], points[point], best)
            if cost < best and not holds(low, high, points[point]):
                best = cost
                found = point
    return found


@compiled
def surround(
    axes: ClosedAxes,
    tree: BoxTree,
    points: CodeArray,
    weights: IntArray,
    k: int,
    effort: int,
    low: CodeArray,
    high: CodeArray,
) -> None:
    """Step 1: widen the box of each point by the cheapest point outside until it holds a weight of k."""
    for point in range(len(points)):
        low[point] = points[point]
        high[point] = points[point]
        join(axes, low[point], high[point], points[point])
        # Condition 2: the published tuple generalizes at least k private ones; records that are alike count each.
        while weight_inside(tree, points, weights, low[point], high[point], k) < k:
            nearest = nearest_outside(axes, tree, points, low[point], high[point], effort)
            join(axes, low[point], high[point], points[nearest])


@compiled
def boxes_over(tree: BoxTree, low: CodeArray, high: CodeArray, point: CodeArray, enough: int) -> int:
    """Return the number of boxes that hold a point, or ``enough`` if there are as many."""
    stack = np.zeros(DEEPEST, np.int64)
    waiting = 1
    total = 0
    while waiting and total < enough:
        waiting -= 1
        part = stack[waiting]
        is_disjoint = False
        for axis in range(len(point)):
            is_disjoint |= point[axis] < tree.low[part, axis] or point[axis] > tree.high[part, axis]
        if is_disjoint:
            continue
        if tree.left[part] >= 0:
            stack[waiting] = tree.left[part]
            stack[waiting + 1] = tree.left[part] + 1
            waiting += 2
            continue
        for place in range(tree.start[part], tree.end[part]):
            total += holds(low[tree.order[place]], high[tree.order[place]], point)
    return min(total, enough)


@compiled
def holds(low: CodeArray, high: CodeArray, point: CodeArray) -> bool:
    """Say whether a box holds a point."""
    inside = True
    for axis in range(len(point)):
        inside &= low[axis] <= point[axis] <= high[axis]
    return inside


@compiled
def growth(axes: ClosedAxes, low: CodeArray, high: CodeArray, point: CodeArray, limit: float) -> float:
    """Return what a box costs more when it is widened to hold a point, or something that is not below the limit."""
    total = 0.0
    for axis in range(len(point)):
        rank = point[axis]
        if rank < low[axis] or rank > high[axis]:
            wide = cost_of(axes, axis, min(low[axis], rank), max(high[axis], rank))
            total += wide - cost_of(axes, axis, low[axis], high[axis])
            if total >= limit:
                break
    return total


@compiled
def least_growth(axes: ClosedAxes, low: CodeArray, high: CodeArray, point: CodeArray) -> float:
    """Return what any box between low and high costs more at least when it is widened to hold a point."""
    total = 0.0
    for axis in range(len(point)):
        rank, first, last = point[axis], low[axis], high[axis]
        if first <= rank <= last:
            continue
        edge = last if rank > last else first
        step = cost_of(axes, axis, min(edge, rank), max(edge, rank))
        if axes.table.by_node[axis] or max(edge, rank) >= axes.table.known[axis]:
            # The box itself may cost as much as everything from low to high.
            step = max(step - cost_of(axes, axis, first, last), 0.0)
        total += step
    return total


@compiled
def cheapest(axes: ClosedAxes, tree: BoxTree, low: CodeArray, high: CodeArray, point: CodeArray, effort: int) -> int:
    """Return the box that costs least to widen so that it holds a point; -1 if all hold it.

    After looking at the boxes of as many parts as the effort says, the best found so far counts.
    """
    stack = np.zeros(DEEPEST, np.int64)
    bounds = np.zeros(DEEPEST)
    waiting = 1
    best = np.inf
    found = -1
    looked = 0
    while waiting and (looked < effort or found < 0):
        waiting -= 1
        part = stack[waiting]
        # The bound holds for every box of the part: none grows by less.
        if bounds[waiting] >= best:
            continue
        if tree.left[part] >= 0:
            half = tree.left[part]
            least = (
                least_growth(axes, tree.low[half], tree.high[half], point),
                least_growth(axes, tree.low[half + 1], tree.high[half + 1], point),
            )
            put_halves(tree, part, least, stack[waiting:], bounds[waiting:])
            waiting += 2
            continue
        looked += 1
        for place in range(tree.start[part], tree.end[part]):
            box = tree.order[place]
            if not holds(low[box], high[box], point):
                cost = growth(axes, low[box], high[box], point, best)
                if cost < best:
                    best = cost
                    found = box
    return found


@compiled
def cover(
    axes: ClosedAxes,
    tree: BoxTree,
    points: CodeArray,
    queue: IntArray,
    k: int,
    effort: int,
    low: CodeArray,
    high: CodeArray,
) -> int:
    """Widen boxes until each of the points in the queue lies in k of them; return how often one was widened.

    The parts of the tree must hold the boxes of their points, and are widened with them.
    """
    widened = 0
    for point in queue:
        # Condition 1: every private tuple matches at least k published ones. Widening never takes a match away.
        missing = k - boxes_over(tree, low, high, points[point], k)
        for _ in range(missing):
            box = cheapest(axes, tree, low, high, points[point], effort)
            join(axes, low[box], high[box], points[point])
            widened += 1
            hold_box(tree, box, low[box], high[box])
    return widened
