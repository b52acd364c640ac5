"""Groups around the most distant records (MDAV), with a tree of boxes that shrinks as records leave it.

The plain way looks at every remaining record three times per two groups, which takes time in the square of the number
of records. Here the records lie in a balanced k-d tree whose boxes always fit what is left of them, so that most
records are never looked at. Distances and bounds are summed in the same order, and rounding keeps that order, so a box
is skipped only if no record in it could be chosen: the groups are the same, ties included.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from krypsis.groups import FloatArray, IntArray
from krypsis.kernels._jit import compiled

LEAF_SIZE = 12
MOST_OPEN = 128
"""Boxes that may wait to be looked at: two per level of a tree, which has fewer than 64."""


class Tree(NamedTuple):
    """Records in boxes: node 1 holds all, node ``i`` is made of ``2i`` and ``2i + 1``, leaves come last.

    A *place* is a number of a record in the order of the leaves.
    """

    points: FloatArray
    """Place → coordinates."""
    rows: IntArray
    """Place → number of the record, which decides ties: the lower comes first."""
    leaf: IntArray
    """Place → node of its leaf."""
    slots: IntArray
    """The places leaf by leaf, those that are left first."""
    slot: IntArray
    """Place → where it stands in ``slots``."""
    starts: IntArray
    """Node → where a leaf begins in ``slots``."""
    left: IntArray
    """Node → how many records are left in it."""
    low: FloatArray
    high: FloatArray


def mdav_groups(points: FloatArray, k: int) -> IntArray:
    """Return the group of each record: MDAV with groups of ``k``, the last ones of up to ``2k - 1`` records.

    Among records at the same distance the one that stands first is taken.

    Examples
    --------
    >>> mdav_groups(np.array([[1.0], [9.0], [2.0], [8.0], [5.0]]), 2).tolist()
    [0, 1, 0, 1, 1]
    """
    points = np.ascontiguousarray(points, dtype=np.float64)
    groups = np.zeros(len(points), dtype=np.int64)
    if len(points) >= 2 * k:
        _form_groups(_tree(points), k, groups)
    return groups


def _tree(points: FloatArray) -> Tree:
    count, dimensions = points.shape
    levels = max(0, int(np.ceil(np.log2(max(1.0, count / LEAF_SIZE)))))
    leaves = 1 << levels
    order = np.arange(count, dtype=np.int64)
    _sort_into_leaves(points, order, levels)
    edges = count * np.arange(leaves + 1, dtype=np.int64) // leaves
    starts = np.zeros(2 * leaves, dtype=np.int64)
    starts[leaves:] = edges[:-1]
    tree = Tree(
        points=np.ascontiguousarray(points[order]),
        rows=order,
        leaf=np.repeat(np.arange(leaves, 2 * leaves), np.diff(edges)),
        slots=np.arange(count, dtype=np.int64),
        slot=np.arange(count, dtype=np.int64),
        starts=starts,
        left=np.zeros(2 * leaves, dtype=np.int64),
        low=np.full((2 * leaves, dimensions), np.inf),
        high=np.full((2 * leaves, dimensions), -np.inf),
    )
    tree.left[leaves:] = np.diff(edges)
    _fit_all(tree)
    return tree


@compiled
def _sort_into_leaves(points: FloatArray, order: IntArray, levels: int) -> None:
    """Order the records so that every node is cut in half along its widest side."""
    count, dimensions = points.shape
    for level in range(levels):
        nodes = 1 << level
        for node in range(nodes):
            part = order[count * node // nodes : count * (node + 1) // nodes]
            widest, width = 0, -1.0
            for dimension in range(dimensions):
                low, high = np.inf, -np.inf
                for row in part:
                    low, high = min(low, points[row, dimension]), max(high, points[row, dimension])
                if high - low > width:
                    widest, width = dimension, high - low
            part[:] = part[np.argsort(points[part, widest])]


@compiled
def _fit_all(tree: Tree) -> None:
    for node in range(len(tree.left) - 1, 0, -1):
        _fit(tree, node)


@compiled
def _fit(tree: Tree, node: int) -> None:
    """Make a box as small as what is left in it allows."""
    dimensions = tree.points.shape[1]
    if 2 * node < len(tree.left):
        one, other = 2 * node, 2 * node + 1
        tree.left[node] = tree.left[one] + tree.left[other]
        for dimension in range(dimensions):
            tree.low[node, dimension] = min(tree.low[one, dimension], tree.low[other, dimension])
            tree.high[node, dimension] = max(tree.high[one, dimension], tree.high[other, dimension])
        return
    start = tree.starts[node]
    for dimension in range(dimensions):
        low, high = np.inf, -np.inf
        for slot in range(start, start + tree.left[node]):
            value = tree.points[tree.slots[slot], dimension]
            low, high = min(low, value), max(high, value)
        tree.low[node, dimension], tree.high[node, dimension] = low, high


@compiled
def _remove(tree: Tree, place: np.int64) -> None:
    node = tree.leaf[place]
    tree.left[node] -= 1
    last = tree.starts[node] + tree.left[node]
    moved, slot = tree.slots[last], tree.slot[place]
    tree.slots[slot], tree.slots[last] = moved, place
    tree.slot[moved], tree.slot[place] = slot, last
    while node > 0:
        _fit(tree, node)
        node //= 2


@compiled
def _distance(tree: Tree, place: int, center: FloatArray) -> float:
    total = 0.0
    for dimension in range(len(center)):
        step = tree.points[place, dimension] - center[dimension]
        total += step * step
    return total


@compiled
def _least_distance(tree: Tree, node: int, center: FloatArray) -> float:
    total = 0.0
    for dimension in range(len(center)):
        below = tree.low[node, dimension] - center[dimension]
        above = tree.high[node, dimension] - center[dimension]
        step = below if below > 0 else (above if above < 0 else 0.0)
        total += step * step
    return total


@compiled
def _most_distance(tree: Tree, node: int, center: FloatArray) -> float:
    total = 0.0
    for dimension in range(len(center)):
        below = tree.low[node, dimension] - center[dimension]
        above = tree.high[node, dimension] - center[dimension]
        total += max(below * below, above * above)
    return total


@compiled
def _farthest(tree: Tree, center: FloatArray) -> int:
    """Return the place of the record that is farthest from a point."""
    nodes, bounds = np.empty(MOST_OPEN, dtype=np.int64), np.empty(MOST_OPEN)
    nodes[0], bounds[0], waiting = 1, np.inf, 1
    found, most = -1, -1.0
    while waiting:
        waiting -= 1
        node = nodes[waiting]
        if bounds[waiting] < most:
            continue
        if 2 * node >= len(tree.left):
            for slot in range(tree.starts[node], tree.starts[node] + tree.left[node]):
                place = tree.slots[slot]
                distance = _distance(tree, place, center)
                if distance > most or (distance == most and tree.rows[place] < tree.rows[found]):
                    found, most = place, distance
            continue
        one, other = 2 * node, 2 * node + 1
        if _most_distance(tree, one, center) > _most_distance(tree, other, center):
            one, other = other, one
        for child in (one, other):  # the more promising one is looked at first
            if tree.left[child] > 0:
                nodes[waiting], bounds[waiting] = child, _most_distance(tree, child, center)
                waiting += 1
    return found


@compiled
def _nearest(tree: Tree, center: FloatArray, chosen: IntArray, distances: FloatArray) -> None:
    """Write the places of the nearest records into ``chosen``, the nearest first."""
    nodes, bounds = np.empty(MOST_OPEN, dtype=np.int64), np.empty(MOST_OPEN)
    nodes[0], bounds[0], waiting, found, k = 1, 0.0, 1, 0, len(chosen)
    while waiting:
        waiting -= 1
        node = nodes[waiting]
        if found == k and bounds[waiting] > distances[k - 1]:
            continue
        if 2 * node >= len(tree.left):
            for slot in range(tree.starts[node], tree.starts[node] + tree.left[node]):
                place = tree.slots[slot]
                found = _insert(tree, place, _distance(tree, place, center), chosen, distances, found)
            continue
        one, other = 2 * node, 2 * node + 1
        if _least_distance(tree, one, center) < _least_distance(tree, other, center):
            one, other = other, one
        for child in (one, other):
            if tree.left[child] > 0:
                nodes[waiting], bounds[waiting] = child, _least_distance(tree, child, center)
                waiting += 1


@compiled
def _insert(tree: Tree, place: int, distance: float, chosen: IntArray, distances: FloatArray, found: int) -> int:
    """Put a record in its place among the nearest; return how many there are."""
    at = found
    while at > 0:
        before = distances[at - 1]
        if before < distance or (before == distance and tree.rows[chosen[at - 1]] < tree.rows[place]):
            break
        at -= 1
    if at == len(chosen):
        return found
    found = min(found + 1, len(chosen))
    for position in range(found - 1, at, -1):
        chosen[position], distances[position] = chosen[position - 1], distances[position - 1]
    chosen[at], distances[at] = place, distance
    return found


@compiled
def _take(tree: Tree, center: FloatArray, total: FloatArray, groups: IntArray, group: int, k: int) -> None:
    """Make a group of the records nearest to a point."""
    chosen, distances = np.empty(k, dtype=np.int64), np.empty(k)
    _nearest(tree, center, chosen, distances)
    for position in range(k):
        place = chosen[position]
        groups[tree.rows[place]] = group
        for dimension in range(len(total)):
            total[dimension] -= tree.points[place, dimension]
        _remove(tree, place)


@compiled
def _form_groups(tree: Tree, k: int, groups: IntArray) -> None:
    count, dimensions = tree.points.shape
    total = np.zeros(dimensions)
    by_row = np.argsort(tree.rows)
    for place in by_row:
        total += tree.points[place]
    group, remaining = 0, count
    while remaining >= 2 * k:
        extreme = tree.points[_farthest(tree, total / remaining)].copy()
        _take(tree, extreme, total, groups, group, k)
        group, remaining = group + 1, remaining - k
        if remaining >= 2 * k:  # there were 3k: a second group, as far away from the first as possible
            opposite = tree.points[_farthest(tree, extreme)].copy()
            _take(tree, opposite, total, groups, group, k)
            group, remaining = group + 1, remaining - k
    for node in range(len(tree.left) // 2, len(tree.left)):
        for slot in range(tree.starts[node], tree.starts[node] + tree.left[node]):
            groups[tree.rows[tree.slots[slot]]] = group
