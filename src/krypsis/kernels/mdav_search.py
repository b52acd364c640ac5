"""The farthest and the nearest records of a tree of boxes.

Distances and bounds are summed in the same order, and rounding keeps that order, so a box is skipped only if no record
in it could be chosen: what is found is what a look at every record would find, ties included.
"""

from __future__ import annotations

import numpy as np

from krypsis.arrays import FloatArray, IntArray
from krypsis.kernels._jit import compiled
from krypsis.kernels.mdav_tree import Tree

MOST_OPEN = 128  # boxes that may wait to be looked at: two per level of a tree, which has fewer than 64


@compiled
def distance_to(tree: Tree, place: int, center: FloatArray) -> float:
    """Return the squared distance of a point from another."""
    total = 0.0
    for dimension in range(len(center)):
        step = tree.points[place, dimension] - center[dimension]
        total += step * step
    return total


@compiled
def first_row(tree: Tree, place: int) -> int:
    """Return the first record of a point that is left; it decides ties."""
    return int(tree.rows[tree.next[place]])


@compiled
def farthest(tree: Tree, center: FloatArray) -> int:
    """Return the place of the record that is farthest from a point."""
    nodes, bounds = np.empty(MOST_OPEN, dtype=np.int64), np.empty(MOST_OPEN)
    nodes[0], bounds[0], waiting = 1, np.inf, 1
    found, most = -1, -1.0
    while waiting:
        waiting -= 1
        if bounds[waiting] < most:
            continue
        node = nodes[waiting]
        if 2 * node >= len(tree.left):
            for slot in range(tree.starts[node], tree.starts[node] + tree.left[node]):
                place = tree.slots[slot]
                distance = distance_to(tree, place, center)
                if distance > most or (distance == most and first_row(tree, place) < first_row(tree, found)):
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
def nearest(tree: Tree, center: FloatArray, chosen: IntArray, rows: IntArray) -> None:
    """Write the places and the numbers of the nearest records into ``chosen`` and ``rows``, the nearest first."""
    nodes, bounds = np.empty(MOST_OPEN, dtype=np.int64), np.empty(MOST_OPEN)
    nodes[0], bounds[0], waiting, found, k = 1, 0.0, 1, 0, len(chosen)
    distances = np.empty(k)
    while waiting:
        waiting -= 1
        node = nodes[waiting]
        if found == k and bounds[waiting] > distances[k - 1]:
            continue
        if 2 * node >= len(tree.left):
            for slot in range(tree.starts[node], tree.starts[node] + tree.left[node]):
                place = tree.slots[slot]
                distance = distance_to(tree, place, center)
                for position in range(tree.next[place], min(tree.next[place] + k, tree.end[place])):
                    found = _insert(place, tree.rows[position], distance, chosen, rows, distances, found)
            continue
        one, other = 2 * node, 2 * node + 1
        if _least_distance(tree, one, center) < _least_distance(tree, other, center):
            one, other = other, one
        for child in (one, other):
            if tree.left[child] > 0:
                nodes[waiting], bounds[waiting] = child, _least_distance(tree, child, center)
                waiting += 1


@compiled
def _insert(
    place: int, row: int, distance: float, chosen: IntArray, rows: IntArray, distances: FloatArray, found: int
) -> int:
    """Put a record in its place among the nearest; return how many there are."""
    at = found
    while at > 0:
        before = distances[at - 1]
        if before < distance or (before == distance and rows[at - 1] < row):
            break
        at -= 1
    if at == len(chosen):
        return found
    found = min(found + 1, len(chosen))
    for position in range(found - 1, at, -1):
        chosen[position], rows[position] = chosen[position - 1], rows[position - 1]
        distances[position] = distances[position - 1]
    chosen[at], rows[at], distances[at] = place, row, distance
    return found


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
