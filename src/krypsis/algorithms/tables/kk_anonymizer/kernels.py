"""The two steps to (k,k)-anonymity: a box around every record, then more boxes over every record.

A box has, on every axis, a lowest and a highest rank. It is kept *closed*: as wide as the label it is published with.

A tree over points on ordered axes: halves along the axis on which a part is widest.
"""

from typing import NamedTuple

import numpy as np

from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.kernels._jit import compiled
from krypsis.kernels.runs import AxisTable, common_node, run_cost

LEAF = 8
"""Points up to which a part is not divided any more."""


class BoxTree(NamedTuple):
    """Part ``p`` holds the points ``order[start[p]:end[p]]``, between ``low[p]`` and ``high[p]`` on every axis.

    Its halves are the parts ``left[p]`` and ``left[p] + 1``, ``left[p]`` is -1 where it is not divided; ``parent`` is
    -1 for the whole. ``weight[p]`` is the sum of the weights of its points, ``part_of`` the undivided part of a point.
    """

    order: IntArray
    start: IntArray
    end: IntArray
    left: IntArray
    parent: IntArray
    low: CodeArray
    high: CodeArray
    weight: IntArray
    part_of: IntArray


def grow_tree(points: CodeArray, weights: IntArray, scales: FloatArray) -> BoxTree:
    """Return the tree of points; on each axis, a distance of one rank counts as much as its scale says.

    Examples
    --------
    >>> tree = grow_tree(np.arange(10, dtype=np.int32)[:, None], np.ones(10, dtype=np.int64), np.ones(1))
    >>> tree.low[:, 0].tolist(), tree.high[:, 0].tolist(), tree.weight.tolist()
    ([0, 0, 5], [9, 4, 9], [10, 5, 5])
    """
    parts = 2 * (2 * len(points) // LEAF + 1) + 1
    number = [np.zeros(parts, dtype=np.int64) for _ in range(5)]
    start, end, left, parent, weight = number
    low, high = (np.zeros((parts, points.shape[1]), dtype=np.int32) for _ in range(2))
    order, part_of = np.arange(len(points), dtype=np.int64), np.zeros(len(points), dtype=np.int64)
    tree = BoxTree(order, start, end, left, parent, low, high, weight, part_of)
    used = divide(points, weights, scales, tree)
    return BoxTree(
        order, start[:used], end[:used], left[:used], parent[:used], low[:used], high[:used], weight[:used], part_of
    )


@compiled
def divide(points: CodeArray, weights: IntArray, scales: FloatArray, tree: BoxTree) -> int:
    """Fill the tree and return the number of its parts."""
    tree.end[0] = len(points)
    tree.parent[0] = -1
    used = 1
    part = 0
    # Parts in the order in which they are made: the halves of a part are appended and get their turn later.
    while part < used:
        start, end = tree.start[part], tree.end[part]
        widest = -1
        width = 0.0
        for axis in range(points.shape[1]):
            low = points[tree.order[start], axis]
            high = low
            for place in range(start, end):
                rank = points[tree.order[place], axis]
                low = min(low, rank)
                high = max(high, rank)
            tree.low[part, axis] = low
            tree.high[part, axis] = high
            if (high - low) * scales[axis] > width:
                width = (high - low) * scales[axis]
                widest = axis
        for place in range(start, end):
            tree.weight[part] += weights[tree.order[place]]
            tree.part_of[tree.order[place]] = part
        tree.left[part] = -1
        if end - start > LEAF and widest >= 0:
            members = tree.order[start:end].copy()
            ranks = np.empty(end - start, np.int32)
            for place in range(end - start):
                ranks[place] = points[members[place], widest]
            tree.order[start:end] = members[np.argsort(ranks, kind="mergesort")]
            # Half of the points on each side, so that the depth is the logarithm of their number.
            middle = (start + end) // 2
            tree.left[part] = used
            tree.start[used], tree.end[used] = start, middle
            tree.start[used + 1], tree.end[used + 1] = middle, end
            tree.parent[used], tree.parent[used + 1] = part, part
            used += 2
        part += 1
    return used


@compiled
def hold_boxes(tree: BoxTree, low: CodeArray, high: CodeArray) -> None:
    """Widen the parts of a tree so that each holds the boxes of its points."""
    for point in range(len(low)):
        hold_box(tree, point, low[point], high[point])


@compiled
def hold_box(tree: BoxTree, point: int, low: CodeArray, high: CodeArray) -> None:
    """Widen the parts of a tree that a point lies in so that they hold its box."""
    part = tree.part_of[point]
    # From the leaf to the root: every part must hold the boxes of all its points, or bounds would be wrong.
    while part >= 0:
        for axis in range(len(low)):
            tree.low[part, axis] = min(tree.low[part, axis], low[axis])
            tree.high[part, axis] = max(tree.high[part, axis], high[axis])
        part = tree.parent[part]


@compiled
def put_halves(tree: BoxTree, part: int, bounds_of: tuple[float, float], stack: IntArray, bounds: FloatArray) -> None:
    """Put the halves of a part where the first two of a stack stand, the one with the lower bound last.

    It is taken first, so that the best found soon leaves out much of the other.
    """
    first, second = bounds_of
    swapped = second < first
    stack[0], stack[1] = tree.left[part] + (not swapped), tree.left[part] + swapped
    bounds[0], bounds[1] = max(first, second), min(first, second)


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
