"""A tree over points on ordered axes: halves along the axis on which a part is widest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.kernels._jit import compiled

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
