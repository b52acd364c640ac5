"""Groups around the most distant records (MDAV), with a tree of boxes that shrinks as records leave it.

The plain way looks at every remaining record three times per two groups, which takes time in the square of the number
of records. Here the records lie in a balanced k-d tree whose boxes always fit what is left of them, so that most
records are never looked at. Distances and bounds are summed in the same order, and rounding keeps that order, so a box
is skipped only if no record in it could be chosen: the groups are the same, ties included.

Boxes do not help to find the record farthest from the mean, from which the outermost records all are about equally far.
For that the records are sorted by their distance from where the mean once was: only those can be farthest whose
distance was within twice the way of the mean since then.
"""

from __future__ import annotations

import numpy as np

from krypsis.groups import FloatArray, IntArray
from krypsis.kernels._jit import compiled
from krypsis.kernels.mdav_tree import Outside, Tree, outside_of, tree_of

SORT_AFTER = 8  # looks at each record take about as long as sorting them
SAFE = 1 + 1e-9  # more than rounding can add to a distance
MOST_OPEN = 128  # boxes that may wait to be looked at: two per level of a tree, which has fewer than 64


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
        tree = tree_of(points)
        _fit_all(tree)
        _form_groups(tree, outside_of(tree), k, groups)
    return groups


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
        if bounds[waiting] < most:
            continue
        node = nodes[waiting]
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
def _sort_outside(tree: Tree, outside: Outside, center: FloatArray) -> None:
    count = 0
    for node in range(len(tree.left) // 2, len(tree.left)):
        for slot in range(tree.starts[node], tree.starts[node] + tree.left[node]):
            outside.places[count] = tree.slots[slot]
            outside.distances[count] = np.sqrt(_distance(tree, tree.slots[slot], center))
            count += 1
    order = np.argsort(-outside.distances[:count])
    outside.places[:count] = outside.places[order]
    outside.distances[:count] = outside.distances[order]
    outside.center[:] = center
    outside.state[0], outside.state[1], outside.state[2] = count, 0, 0


@compiled
def _farthest_from_mean(tree: Tree, outside: Outside, center: FloatArray) -> int:
    """Return the place of the record that is farthest from the mean."""
    if outside.state[1] >= SORT_AFTER * tree.left[1] or not outside.state[0]:
        _sort_outside(tree, outside, center)
    moved = np.sqrt(((center - outside.center) ** 2).sum())
    found, most = -1, -1.0
    for position in range(outside.state[2], outside.state[0]):
        if ((outside.distances[position] + moved) * SAFE) ** 2 < most:
            break
        outside.state[1] += 1
        place = outside.places[position]
        leaf = tree.leaf[place]
        if tree.slot[place] >= tree.starts[leaf] + tree.left[leaf]:
            outside.state[2] += position == outside.state[2]
            continue  # it is in a group by now
        distance = _distance(tree, place, center)
        if distance > most or (distance == most and tree.rows[place] < tree.rows[found]):
            found, most = place, distance
    return found


@compiled
def _form_groups(tree: Tree, outside: Outside, k: int, groups: IntArray) -> None:
    count, dimensions = tree.points.shape
    total = np.zeros(dimensions)
    by_row = np.argsort(tree.rows)
    for place in by_row:
        total += tree.points[place]
    group, remaining = 0, count
    while remaining >= 2 * k:
        extreme = tree.points[_farthest_from_mean(tree, outside, total / remaining)].copy()
        _take(tree, extreme, total, groups, group, k)
        group, remaining = group + 1, remaining - k
        if remaining >= 2 * k:  # there were 3k: a second group, as far away from the first as possible
            opposite = tree.points[_farthest(tree, extreme)].copy()
            _take(tree, opposite, total, groups, group, k)
            group, remaining = group + 1, remaining - k
    for node in range(len(tree.left) // 2, len(tree.left)):
        for slot in range(tree.starts[node], tree.starts[node] + tree.left[node]):
            groups[tree.rows[tree.slots[slot]]] = group
