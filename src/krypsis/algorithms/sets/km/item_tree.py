"""The hierarchy of items as a tree, and cuts through it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from krypsis.arrays import BoolArray, IntArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import HierarchyError


@dataclass(frozen=True, eq=False)
class ItemTree:
    """Nodes numbered from the top down, each before everything below it; a node with one child is that child.

    Examples
    --------
    >>> tree = ItemTree.of(Hierarchy.from_rows([["a", "X", "*"], ["b", "X", "*"], ["c", "Y", "*"]]))
    >>> tree.labels, tree.parent.tolist(), tree.last.tolist()
    (('*', 'X', 'a', 'b', 'c'), [-1, 0, 1, 1, 0], [4, 3, 2, 3, 4])
    """

    labels: tuple[str, ...]
    parent: IntArray
    last: IntArray
    """Node → the last node below it, or the node itself if it is a leaf."""

    @classmethod
    def of(cls, hierarchy: Hierarchy) -> ItemTree:
        """Return the tree of a hierarchy.

        Raises
        ------
        HierarchyError
            if a label stands for different items at different levels, so that nobody could say what it tells.
        """
        order = np.lexsort(hierarchy.table)
        first, end, level = _runs(hierarchy, order)
        # Equal runs are one node, which is called as on the lowest level.
        preorder = np.lexsort((level, -end, first))
        first, end, level = first[preorder], end[preorder], level[preorder]
        new = np.append(True, (np.diff(first) != 0) | (np.diff(end) != 0))
        first, end, level = first[new], end[new], level[new]
        labels = tuple(
            str(hierarchy.labels[height][hierarchy.table[height, value]])
            for height, value in zip(level.tolist(), order[first].tolist(), strict=True)
        )
        _check_labels(hierarchy, order)
        return cls(labels, *_links(first, end))

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def inner(self) -> BoolArray:
        """Whether a node has others below it."""
        return self.last > np.arange(len(self))

    @cached_property
    def leaves(self) -> IntArray:
        """The number of leaves that a node stands for."""
        before = np.concatenate([[0], np.cumsum(~self.inner)])
        return np.asarray(before[self.last + 1] - before[:-1])

    @cached_property
    def depth(self) -> IntArray:
        """The number of nodes above a node."""
        depth = np.zeros(len(self), dtype=np.int64)
        for node, above in enumerate(self.parent.tolist()):
            depth[node] = depth[above] + 1 if above >= 0 else 0
        return depth

    def closed_below(self, nodes: BoolArray) -> BoolArray:
        """Return the inner nodes that are among the given ones, or below one of them."""
        opened = np.zeros(len(self) + 1, dtype=np.int64)
        np.add.at(opened, np.flatnonzero(nodes), 1)
        np.add.at(opened, self.last[nodes] + 1, -1)
        return np.asarray((np.cumsum(opened[:-1]) > 0) & self.inner)

    def published_as(self, closed: BoolArray) -> IntArray:
        """Return what each node becomes: the highest closed node that stands above it, or is it; else itself.

        ``closed`` holds with a node everything inner below it.
        """
        nodes = np.arange(len(self))
        highest = closed & ~(closed[self.parent] & (self.parent >= 0))
        latest = np.maximum.accumulate(np.where(highest, nodes, -1))
        covered = (latest >= 0) & (nodes <= self.last[latest])
        return np.where(covered, latest, nodes)


def _runs(hierarchy: Hierarchy, order: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return first and end of the leaves in order below every label, and its level."""
    firsts, ends, levels = [], [], []
    for level, codes in enumerate(hierarchy.table):
        starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
        firsts.append(starts)
        ends.append(np.append(starts[1:], len(order)))
        levels.append(np.full(len(starts), level))
    # With a single value there may be one level only, and the tree is a leaf.
    return np.concatenate(firsts), np.concatenate(ends), np.concatenate(levels)


def _links(first: IntArray, end: IntArray) -> tuple[IntArray, IntArray]:
    """Return parent and last node below, for nodes in preorder given by the leaves below them."""
    parent = np.full(len(first), -1, dtype=np.int64)
    open_: list[int] = []
    for node, start in enumerate(first.tolist()):
        while open_ and end[open_[-1]] <= start:
            open_.pop()
        parent[node] = open_[-1] if open_ else -1
        open_.append(node)
    last = np.searchsorted(first, end, side="left") - 1
    return parent, last.astype(np.int64)


def _check_labels(hierarchy: Hierarchy, order: IntArray) -> None:
    known: dict[str | None, tuple[int, int]] = {}
    starts, ends, levels = _runs(hierarchy, order)
    for start, stop, level in zip(starts.tolist(), ends.tolist(), levels.tolist(), strict=True):
        label = hierarchy.labels[level][hierarchy.table[level, order[start]]]
        if known.setdefault(label, (start, stop)) != (start, stop):
            raise HierarchyError(
                f"the label {label!r} stands for {known[label][1] - known[label][0]} item(s) and at level {level} for "
                f"{stop - start}, so it would not say what was published; give different things different labels, such "
                f"as '{label} (level {level})'"
            )
