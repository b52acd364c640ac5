"""The points of a table in a balanced tree of boxes, which shrink as records leave it."""

from typing import NamedTuple

import numpy as np

from krypsis.arrays import FloatArray, IntArray
from krypsis.kernels._jit import compiled
from krypsis.kernels.rows import number_rows

LEAF_SIZE = 12


class PointTree(NamedTuple):
    """Points in boxes: node 1 holds all, node ``i`` is made of ``2i`` and ``2i + 1``, leaves come last.

    A *place* is a number of a point in the order of the leaves. Equal records are one point, which is left as long as
    one of them is.
    """

    points: FloatArray
    """Place → coordinates."""
    rows: IntArray
    """The numbers of the records point by point, the lower first: they decide ties, the lower comes first."""
    next: IntArray
    """Place → where the first of its records that is left stands in ``rows``."""
    end: IntArray
    """Place → where its records end in ``rows``."""
    leaf: IntArray
    """Place → node of its leaf."""
    slots: IntArray
    """The places leaf by leaf, those that are left first."""
    slot: IntArray
    """Place → where it stands in ``slots``."""
    starts: IntArray
    """Node → where a leaf begins in ``slots``."""
    left: IntArray
    """Node → how many points are left in it."""
    low: FloatArray
    high: FloatArray


def tree_of(records: FloatArray) -> PointTree:
    """Return the points of records in leaves of about the same size.

    Examples
    --------
    >>> tree = tree_of(np.append(np.arange(24.0), 3)[:, None])
    >>> tree.left.tolist(), tree.low.ravel().tolist(), tree.rows.tolist()[3:5]
    ([0, 24, 12, 12], [inf, 0.0, 0.0, 12.0], [3, 24])
    """
    point_of, first = _distinct(records)
    count, dimensions = len(first), records.shape[1]
    levels = max(0, int(np.ceil(np.log2(max(1.0, count / LEAF_SIZE)))))
    leaves = 1 << levels
    order = np.arange(count, dtype=np.int64)
    points = np.ascontiguousarray(records[first])
    _sort_into_leaves(points, order, levels)
    edges = count * np.arange(leaves + 1, dtype=np.int64) // leaves
    starts, left = np.zeros(2 * leaves, dtype=np.int64), np.zeros(2 * leaves, dtype=np.int64)
    starts[leaves:], left[leaves:] = edges[:-1], np.diff(edges)
    rows, ends = _records_by_place(point_of, order)
    tree = PointTree(
        points=np.ascontiguousarray(points[order]),
        rows=rows,
        next=np.append(0, ends[:-1]),
        end=ends,
        leaf=np.repeat(np.arange(leaves, 2 * leaves), np.diff(edges)),
        slots=np.arange(count, dtype=np.int64),
        slot=np.arange(count, dtype=np.int64),
        starts=starts,
        left=left,
        low=np.full((2 * leaves, dimensions), np.inf),
        high=np.full((2 * leaves, dimensions), -np.inf),
    )
    _fit_all(tree)
    return tree


def _distinct(records: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the point of each record, and one record of each point."""
    found = [np.unique(column, return_inverse=True) for column in records.T]
    codes = [codes.astype(np.int32) for _, codes in found]
    point_of, first = number_rows(codes, [len(values) for values, _ in found], len(records))
    return point_of.astype(np.int64), first


def _records_by_place(point_of: IntArray, order: IntArray) -> tuple[IntArray, IntArray]:
    """Return the records in the order of their places, and where those of each place end."""
    place_of = np.empty_like(order)
    place_of[order] = np.arange(len(order))
    places = place_of[point_of]
    return np.argsort(places, kind="stable"), np.cumsum(np.bincount(places))


@compiled
def _sort_into_leaves(points: FloatArray, order: IntArray, levels: int) -> None:
    """Order the points so that every node is cut in half along its widest side."""
    count, dimensions = points.shape
    for level in range(levels):
        nodes = 1 << level
        # Every node of a level is halved on its widest side; nodes of a level are equal slices of the order.
        for node in range(nodes):
            start, end = count * node // nodes, count * (node + 1) // nodes
            middle = count * (2 * node + 1) // (2 * nodes)
            widest, width = 0, -1.0
            for dimension in range(dimensions):
                low, high = np.inf, -np.inf
                for point in order[start:end]:
                    low, high = min(low, points[point, dimension]), max(high, points[point, dimension])
                if high - low > width:
                    widest, width = dimension, high - low
            _halve(points, order[start:end], widest, middle - start)


@compiled
def _halve(points: FloatArray, part: IntArray, dimension: int, middle: int) -> None:
    """Order a part so that no point before the middle lies above one behind it: Hoare's selection."""
    first, last = 0, len(part) - 1
    while first < last:
        pivot = points[part[(first + last) // 2], dimension]
        up, down = first, last
        # Exchange what stands on the wrong side of the pivot; then only the side with the middle is sorted on.
        while up <= down:
            while points[part[up], dimension] < pivot:
                up += 1
            while points[part[down], dimension] > pivot:
                down -= 1
            if up <= down:
                part[up], part[down] = part[down], part[up]
                up, down = up + 1, down - 1
        if middle <= down:
            last = down
        elif middle >= up:
            first = up
        else:
            return


@compiled
def _fit_all(tree: PointTree) -> None:
    for node in range(len(tree.left) - 1, 0, -1):
        _fit(tree, node)


@compiled
def _fit(tree: PointTree, node: int) -> None:
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
def is_left(tree: PointTree, place: int) -> bool:
    """Say whether any record of a point is left."""
    return bool(tree.next[place] < tree.end[place])


@compiled
def take_record(tree: PointTree, place: int) -> None:
    """Take the first record of a point; with the last one the point leaves the tree."""
    tree.next[place] += 1
    if is_left(tree, place):
        return
    node = tree.leaf[place]
    tree.left[node] -= 1
    last = tree.starts[node] + tree.left[node]
    moved, slot = tree.slots[last], tree.slot[place]
    tree.slots[slot], tree.slots[last] = moved, place
    tree.slot[moved], tree.slot[place] = slot, last
    # Shrink the boxes on the way to the root, so that bounds stay tight.
    while node > 0:
        _fit(tree, node)
        node //= 2
