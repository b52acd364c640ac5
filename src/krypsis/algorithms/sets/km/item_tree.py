"""The hierarchy of items as a tree, cuts through it, and sets of items with everything that stands above them.

Kernels number the nodes of a tree from the top down, a node before everything below it: ``last[node]`` is the last node
below a node, or the node itself if it is a leaf.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from krypsis.arrays import BoolArray, IntArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import HierarchyError
from krypsis.kernels._jit import compiled


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
    def of(cls, hierarchy: Hierarchy) -> "ItemTree":
        """Return the tree of a hierarchy.

        Raises
        ------
        HierarchyError
            if a label stands for different items at different levels, so that nobody could say what it means.
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


@compiled
def count_with_ancestors(leaves: IntArray, starts: IntArray, parent: IntArray, sizes: IntArray) -> None:
    """Write how many nodes each record shows: its leaves, in ascending order, and all that stands above them."""
    for record in range(len(sizes)):
        before = -1
        for place in range(starts[record], starts[record + 1]):
            node = leaves[place]
            # What stands above this leaf and the one before has a lower number than the one before.
            while node > before:
                sizes[record] += 1
                node = parent[node]
            before = leaves[place]


@compiled
def write_with_ancestors(
    leaves: IntArray, starts: IntArray, parent: IntArray, nodes: IntArray, node_starts: IntArray
) -> None:
    """Write the nodes that each record shows, in ascending order."""
    for record in range(len(starts) - 1):
        before, end = -1, node_starts[record]
        for place in range(starts[record], starts[record + 1]):
            node, first = leaves[place], end
            # Ancestors above the leaf before were written with it: their numbers are not above it.
            while node > before:
                nodes[end] = node
                end += 1
                node = parent[node]
            nodes[first:end] = nodes[first:end][::-1].copy()
            before = leaves[place]


@compiled
def list_records(codes: IntArray, starts: IntArray, places: IntArray, records: IntArray) -> None:
    """Write the records that hold each code, in ascending order; ``places`` says where the list of each code begins."""
    for record in range(len(starts) - 1):
        for place in range(starts[record], starts[record + 1]):
            records[places[codes[place]]] = record
            places[codes[place]] += 1


@compiled
def highest_rare_pairs(
    nodes: IntArray, starts: IntArray, records: IntArray, record_starts: IntArray, parent: IntArray, last: IntArray,
    depth: IntArray, k: int,
) -> IntArray:  # fmt: skip
    """Return pairs of nodes of which one must become more general: the parents of two nodes that are rare together.

    A pair is rare if some record shows both and fewer than ``k`` do. Of rare pairs only the highest ones count: what
    lies below is settled with them. A node that is rare alone comes with its parent twice. ``records`` are those that
    tell each node, one list after the other.
    """
    count = len(parent)
    together = np.zeros((depth.max() + 1, count), dtype=np.int32)
    found, room = 0, 1024
    pairs = np.empty((room, 2), dtype=np.int64)
    # One node per iteration, in preorder: the row of its parent is still there, one level up.
    for node in range(1, count):
        row = together[depth[node]]
        row[:] = 0
        support = record_starts[node + 1] - record_starts[node]
        if support == 0:
            continue
        above, above_row = parent[node], together[depth[parent[node]]]
        # row[other] = in how many records ``node`` and ``other`` occur together.
        for place in range(record_starts[node], record_starts[node + 1]):
            record = records[place]
            for other in range(starts[record], starts[record + 1]):
                row[nodes[other]] += 1
        # A node that is rare alone needs no pair. Else pairs with later nodes only: those below it say nothing new.
        first_other = last[node] + 1 if support >= k else count
        if support < k:
            found, room, pairs = _kept_pair(pairs, found, room, above, above)
        for other in range(first_other, count):
            if row[other] == 0 or row[other] >= k:
                continue
            over = parent[other]
            # The pair (parent, other) is rare itself and settles this one.
            if other > last[above] and 0 < above_row[other] < k:
                continue
            # So does (node, parent of other).
            if not over <= node and 0 < row[over] < k:
                continue
            found, room, pairs = _kept_pair(pairs, found, room, above, over)
    return pairs[:found].copy()


@compiled
def _kept_pair(pairs: IntArray, found: int, room: int, first: int, second: int) -> tuple[int, int, IntArray]:
    """Return the pairs with one more, in a larger array if there is no room."""
    if found == room:
        wider = np.empty((room * 2, 2), dtype=np.int64)
        wider[:room] = pairs
        pairs, room = wider, room * 2
    pairs[found, 0] = first
    pairs[found, 1] = second
    return found + 1, room, pairs


@compiled
def lift_rare_sets(
    sets: IntArray, nodes: IntArray, starts: IntArray, records: IntArray, record_starts: IntArray, parent: IntArray,
    last: IntArray, k: int,
) -> None:  # fmt: skip
    """Replace the nodes of rare sets by higher ones as long as the set stays rare.

    ``sets`` has a set per row, filled up with -1; where a node comes to stand above others of its set, they leave it.
    """
    for row in range(len(sets)):
        one = sets[row]
        climbing = True
        # A rare set of higher nodes implies more clauses at once; climb while it stays rare.
        while climbing:
            climbing = False
            for place in range(len(one)):
                if one[place] < 0 or parent[one[place]] < 0:
                    continue
                higher = one.copy()
                _climb(higher, place, parent, last)
                if is_rare(higher, nodes, starts, records, record_starts, k):
                    one[:] = higher
                    climbing = True


@compiled
def _climb(one: IntArray, place: int, parent: IntArray, last: IntArray) -> None:
    above = parent[one[place]]
    for other in range(len(one)):
        if one[other] >= above and one[other] <= last[above]:
            one[other] = -1
    one[place] = above


@compiled
def is_rare(
    one: IntArray, nodes: IntArray, starts: IntArray, records: IntArray, record_starts: IntArray, k: int
) -> bool:
    """Say whether fewer than ``k`` records show all nodes of a set."""
    rarest = -1
    for node in one:
        if node >= 0 and (
            rarest < 0
            or record_starts[node + 1] - record_starts[node] < record_starts[rarest + 1] - record_starts[rarest]
        ):
            rarest = node
    support = 0
    # Only records with the rarest node can hold the whole set.
    for place in range(record_starts[rarest], record_starts[rarest + 1]):
        held = nodes[starts[records[place]] : starts[records[place] + 1]]
        holds = True
        for node in one:
            if node >= 0:
                where = np.searchsorted(held, node)
                if where == len(held) or held[where] != node:
                    holds = False
                    break
        support += holds
        if support >= k:
            return False
    return True
