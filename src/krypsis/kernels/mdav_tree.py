"""The records of a table in a balanced tree of boxes, as MDAV works on them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from krypsis.groups import FloatArray, IntArray
from krypsis.kernels._jit import compiled

LEAF_SIZE = 12


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


class Outside(NamedTuple):
    """Records by their distance from where the mean once was, the farthest first."""

    places: IntArray
    distances: FloatArray
    center: FloatArray
    state: IntArray
    """How many records are sorted, how many were looked at since, and how many at the front are gone."""


def tree_of(points: FloatArray) -> Tree:
    """Return the records in leaves of about the same size; the boxes do not fit yet.

    Examples
    --------
    >>> tree_of(np.arange(24.0)[:, None]).left.tolist()
    [0, 0, 12, 12]
    """
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
    return tree


def outside_of(tree: Tree) -> Outside:
    """Return room for the records, none of which is sorted."""
    count, dimensions = tree.points.shape
    return Outside(
        places=np.empty(count, dtype=np.int64),
        distances=np.empty(count),
        center=np.zeros(dimensions),
        state=np.zeros(3, dtype=np.int64),
    )


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
