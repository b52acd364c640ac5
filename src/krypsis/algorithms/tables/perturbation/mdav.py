"""Groups around the most distant records (MDAV), with a tree of boxes that shrinks as records leave it.

The plain way looks at every remaining record three times per two groups, which takes time in the square of the number
of records. Here they lie in a balanced k-d tree whose boxes always fit what is left of them, so that most records are
never looked at; equal records are one point. The groups are the same, ties included.

Boxes do not help to find the record farthest from the mean, from which the outermost records all are about equally far.
For that the points are sorted by their distance from where the mean once was: only those can be farthest whose
distance was within twice the way of the mean since then.
"""

from typing import NamedTuple

import numpy as np

from krypsis.algorithms.tables.perturbation.mdav_tree import PointTree, is_left, take_record, tree_of
from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.kernels._jit import compiled

MOST_OPEN = 128  # boxes that may wait to be looked at: two per level of a tree, which has fewer than 64


@compiled
def distance_to(tree: PointTree, place: int, center: FloatArray) -> float:
    """Return the squared distance of a point from another."""
    total = 0.0
    for dimension in range(len(center)):
        step = tree.points[place, dimension] - center[dimension]
        total += step * step
    return total


@compiled
def first_row(tree: PointTree, place: int) -> int:
    """Return the first record of a point that is left; it decides ties."""
    return int(tree.rows[tree.next[place]])


@compiled
def farthest(tree: PointTree, center: FloatArray) -> int:
    """Return the place of the record that is farthest from a point."""
    nodes, bounds = np.empty(MOST_OPEN, dtype=np.int64), np.empty(MOST_OPEN)
    nodes[0], bounds[0], waiting = 1, np.inf, 1
    found, most = -1, -1.0
    while waiting:
        waiting -= 1
        # Nothing in this box is as far as what was found; ties must be looked at, the first record wins them.
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
def nearest(tree: PointTree, center: FloatArray, chosen: IntArray, rows: IntArray) -> None:
    """Write the places and the numbers of the nearest records into ``chosen`` and ``rows``, the nearest first."""
    nodes, bounds = np.empty(MOST_OPEN, dtype=np.int64), np.empty(MOST_OPEN)
    nodes[0], bounds[0], waiting, found, k = 1, 0.0, 1, 0, len(chosen)
    distances = np.empty(k)
    while waiting:
        waiting -= 1
        node = nodes[waiting]
        # Every point of this box is farther than the k found.
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
def _least_distance(tree: PointTree, node: int, center: FloatArray) -> float:
    total = 0.0
    for dimension in range(len(center)):
        below = tree.low[node, dimension] - center[dimension]
        above = tree.high[node, dimension] - center[dimension]
        step = below if below > 0 else (above if above < 0 else 0.0)
        total += step * step
    return total


@compiled
def _most_distance(tree: PointTree, node: int, center: FloatArray) -> float:
    total = 0.0
    for dimension in range(len(center)):
        below = tree.low[node, dimension] - center[dimension]
        above = tree.high[node, dimension] - center[dimension]
        total += max(below * below, above * above)
    return total


SORT_AFTER = 8  # looks at each point take about as long as sorting them
SAFE = 1 + 1e-9  # more than rounding can add to a distance


class Outside(NamedTuple):
    """Points by their distance from where the mean once was, the farthest first."""

    places: IntArray
    distances: FloatArray
    center: FloatArray
    state: IntArray
    """How many points are sorted, how many were looked at since, and how many at the front are gone."""


def mdav_groups(points: FloatArray, k: int, within: float = -1.0) -> CodeArray:
    """Return the group of each record: MDAV with groups of ``k``, the last ones of up to ``2k - 1`` records.

    Among records at the same distance the one that stands first is taken. Once no record left is farther from the mean
    of those left than the square root of ``within``, MDAV ends, and the records left have the group -1.

    Examples
    --------
    >>> points = np.array([[1.0], [9.0], [2.0], [8.0], [5.0], [6.0], [50.0], [60.0]])
    >>> mdav_groups(points[:5], 2).tolist(), mdav_groups(points, 2, within=25).tolist()
    ([0, 1, 0, 1, 1], [1, -1, 1, -1, -1, -1, 0, 0])
    """
    points = np.ascontiguousarray(points, dtype=np.float64)
    groups = np.full(len(points), -1 if within >= 0 else 0, dtype=np.int32)
    if len(points) >= 2 * k:
        tree = tree_of(points)
        _form_groups(tree, _outside_of(tree), _sum_in_order(points), k, float(within), groups)  # compiled for one type
    return groups


def _outside_of(tree: PointTree) -> Outside:
    """Return room for the points, none of which is sorted."""
    count, dimensions = tree.points.shape
    return Outside(
        places=np.empty(count, dtype=np.int64),
        distances=np.empty(count),
        center=np.zeros(dimensions),
        state=np.zeros(3, dtype=np.int64),
    )


@compiled
def _sum_in_order(points: FloatArray) -> FloatArray:
    """Return the sum of the records, added one after the other."""
    total = np.zeros(points.shape[1])
    for point in points:
        total += point
    return total


@compiled
def _form_groups(
    tree: PointTree, outside: Outside, total: FloatArray, k: int, within: float, groups: CodeArray
) -> None:
    group, remaining = 0, len(groups)
    while remaining >= 2 * k:
        # Step 1: x_r = the record most distant from the average of the records left.
        place = _farthest_from_mean(tree, outside, total / remaining)
        if distance_to(tree, place, total / remaining) <= within:
            return
        extreme = tree.points[place].copy()
        # Step 2: a group of x_r and its k - 1 nearest records.
        _take(tree, extreme, total, groups, group, k)
        group, remaining = group + 1, remaining - k
        if remaining >= 2 * k:  # there were 3k: a second group, as far away from the first as possible
            # Step 3: x_s = the record most distant from x_r, with a group of its own.
            opposite = tree.points[farthest(tree, extreme)].copy()
            _take(tree, opposite, total, groups, group, k)
            group, remaining = group + 1, remaining - k
    # Step 4: fewer than 2k records are left and form the last group.
    for place in range(len(tree.next)):
        for position in range(tree.next[place], tree.end[place]):
            groups[tree.rows[position]] = group


@compiled
def _take(tree: PointTree, center: FloatArray, total: FloatArray, groups: CodeArray, group: int, k: int) -> None:
    """Make a group of the records nearest to a point."""
    chosen, rows = np.empty(k, dtype=np.int64), np.empty(k, dtype=np.int64)
    nearest(tree, center, chosen, rows)
    for position in range(k):
        place = chosen[position]
        groups[rows[position]] = group
        for dimension in range(len(total)):
            total[dimension] -= tree.points[place, dimension]
        take_record(tree, place)


@compiled
def _farthest_from_mean(tree: PointTree, outside: Outside, center: FloatArray) -> int:
    """Return the place of the record that is farthest from the mean."""
    if outside.state[1] >= SORT_AFTER * tree.left[1] or not outside.state[0]:
        _sort_outside(tree, outside, center)
    moved = np.sqrt(((center - outside.center) ** 2).sum())
    found, most = -1, -1.0
    for position in range(outside.state[2], outside.state[0]):
        # Triangle inequality: from here on no record can be farther from the present mean.
        if ((outside.distances[position] + moved) * SAFE) ** 2 < most:
            break
        outside.state[1] += 1
        place = outside.places[position]
        if not is_left(tree, place):
            outside.state[2] += position == outside.state[2]
            continue
        distance = distance_to(tree, place, center)
        if distance > most or (distance == most and first_row(tree, place) < first_row(tree, found)):
            found, most = place, distance
    return found


@compiled
def _sort_outside(tree: PointTree, outside: Outside, center: FloatArray) -> None:
    count = 0
    for node in range(len(tree.left) // 2, len(tree.left)):
        for slot in range(tree.starts[node], tree.starts[node] + tree.left[node]):
            outside.places[count] = tree.slots[slot]
            outside.distances[count] = np.sqrt(distance_to(tree, tree.slots[slot], center))
            count += 1
    order = np.argsort(-outside.distances[:count])
    outside.places[:count] = outside.places[order]
    outside.distances[:count] = outside.distances[order]
    outside.center[:] = center
    outside.state[0], outside.state[1], outside.state[2] = count, 0, 0
