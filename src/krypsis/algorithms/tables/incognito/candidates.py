"""Incognito's candidates: the nodes over a set of attributes that may keep the promises, by what smaller sets showed.

A *family* is a set of attributes, as ascending positions. Its nodes are a Boolean array with one axis per attribute; an
index counts levels from the lowest that is allowed. Nodes that keep the promises lie above each other: if one does, so
do all above it. Such an upward closed set is closed under all that is done here, and so every edge of the candidate
graph is a single step.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from krypsis.arrays import BoolArray, IntArray

Family = tuple[int, ...]
Index = tuple[int, ...]


def join_and_prune(family: Family, survivors: Mapping[Family, BoolArray], levels: tuple[int, ...]) -> BoolArray:
    """Return the candidates of a family: every node whose part over one attribute less survived, whichever is left out.

    The paper joins the parts without the last and without the last but one attribute, which agree in all others, and
    then prunes by the other parts. On Boolean arrays both are the same operation. ``levels`` are the numbers of levels
    of the family's attributes.

    Examples
    --------
    >>> sex, zip = np.array([True, True]), np.array([False, True, True])
    >>> join_and_prune((0, 1), {(0,): sex, (1,): zip}, (2, 3)).astype(int)
    array([[0, 1, 1],
           [0, 1, 1]])
    """
    candidates = np.ones(levels, dtype=np.bool_)
    for axis in reversed(range(len(family))):
        part = survivors[family[:axis] + family[axis + 1 :]]
        # Join and prune phase: the sub-node without this attribute must be in S_(i-1), whatever its level here.
        candidates &= np.expand_dims(part, axis)
    return candidates


def edges(nodes: BoolArray) -> list[tuple[Index, Index]]:
    """Return the direct generalizations among the nodes of an upward closed set, in lexicographic order.

    Examples
    --------
    >>> edges(np.array([[False, True], [True, True]]))
    [((0, 1), (1, 1)), ((1, 0), (1, 1))]
    """
    steps = np.eye(nodes.ndim, dtype=np.int64)
    # Edge generation: the set is upward closed, so a direct generalization changes one attribute by one level.
    found = [
        (tuple(start), tuple(end))
        for axis in range(nodes.ndim)
        for start in indexes(nodes).tolist()
        if (end := (start + steps[axis]).tolist())[axis] < nodes.shape[axis]
    ]
    return sorted(found)


def predecessors(index: Index) -> list[Index]:
    """Return where the edges to a node may come from."""
    return [(*index[:axis], level - 1, *index[axis + 1 :]) for axis, level in enumerate(index) if level]


def minimal(nodes: BoolArray) -> BoolArray:
    """Return the nodes of an upward closed set that have none of it below: the roots of a candidate graph.

    Examples
    --------
    >>> minimal(np.array([[False, True, True], [True, True, True]])).astype(int)
    array([[0, 1, 0],
           [1, 0, 0]])
    """
    found = nodes.copy()
    # A node with a predecessor in the set on any axis is not minimal; upward closed, so one step below is enough.
    for axis in range(nodes.ndim):
        lower = np.moveaxis(nodes, axis, 0)[:-1]
        np.moveaxis(found, axis, 0)[1:] &= ~lower
    return found


def super_root(nodes: BoolArray) -> Index:
    """Return the highest node below all nodes of a set that is not empty, which need not belong to it."""
    return tuple(indexes(nodes).min(axis=0).tolist())


def upward(index: Index) -> tuple[slice, ...]:
    """Return what selects a node and all above it."""
    return tuple(slice(level, None) for level in index)


def indexes(nodes: BoolArray) -> IntArray:
    """Return the index of each node, in lexicographic order."""
    return np.argwhere(nodes).astype(np.int64, copy=False)
