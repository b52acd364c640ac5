"""Step 2 to (k,k)-anonymity: boxes are widened, the cheapest first, until every record lies in k of them."""

from __future__ import annotations

import numpy as np

from krypsis.arrays import CodeArray, IntArray
from krypsis.kernels._jit import compiled
from krypsis.kernels.box_tree import BoxTree, hold_box, put_halves
from krypsis.kernels.kk import DEEPEST, ClosedAxes, boxes_over, cost_of, holds, join


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
        missing = k - boxes_over(tree, low, high, points[point], k)
        for _ in range(missing):
            box = cheapest(axes, tree, low, high, points[point], effort)
            join(axes, low[box], high[box], points[point])
            widened += 1
            hold_box(tree, box, low[box], high[box])
    return widened
