"""The exact audit of small clusters: how many records with the same items can stand in one possible original at most.

For every set of up to m items of a tree of clusters, an integer program asks for the possible original data, of
records that are not empty, in which most records hold the set. The promise is kept if that is none, or at least k.
It is exact and slow, so it serves where the conditions of ``chunk_structure`` do not decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb

import numpy as np

from krypsis.groups import FloatArray
from krypsis.transactions import Disassociated

MOST_RECORDS = 60
"""Larger trees are not audited."""
MOST_SETS = 3000
"""Nor are trees with more sets of items than this."""


def roots(published: Disassociated) -> Iterator[list[int]]:
    """Yield the nodes of each tree of clusters."""
    top = np.arange(len(published.parents))
    for node in range(len(top) - 1, -1, -1):  # parents come after their children
        if published.parents[node] >= 0:
            top[node] = top[published.parents[node]]
    order = np.argsort(top, kind="stable")
    for nodes in np.split(order, np.flatnonzero(np.diff(top[order])) + 1):
        yield nodes.tolist()


def is_auditable(published: Disassociated, nodes: list[int], m: int) -> bool:
    """Say whether a tree is small enough for the exact audit."""
    if sum(int(published.sizes[node]) for node in nodes if node < published.clusters) > MOST_RECORDS:
        return False
    tree = _Tree(published, nodes)
    sets = sum(comb(len(tree.items), size) for size in range(1, m + 1))
    return sets <= MOST_SETS


def violations(published: Disassociated, nodes: list[int], k: int, m: int) -> list[tuple[tuple[str, ...], int]]:
    """Return the sets of up to ``m`` items of a tree that some, but fewer than ``k`` records can hold, with how many.

    Sets that contain a smaller one of these are left out.
    """
    tree, found = _Tree(published, nodes), list[tuple[tuple[int, ...], int]]()
    for size in range(1, m + 1):
        for items in combinations(tree.items, size):
            if any(set(smaller) <= set(items) for smaller, _ in found):
                continue
            most = tree.most_records_with(items)
            if 0 < most < k:
                found.append((items, most))
    return [(tuple(published.items[item] for item in items), most) for items, most in found]


class _Tree:
    """One tree of clusters as the variables and limits of an integer program.

    A variable says that a piece, or an item of a term chunk, is put into a record.
    """

    def __init__(self, published: Disassociated, nodes: list[int]) -> None:
        self.published = published
        self.leaves = [node for node in nodes if node < published.clusters]
        self.records = [leaf for leaf in self.leaves for _ in range(int(published.sizes[leaf]))]
        self.chunks = np.flatnonzero(np.isin(published.chunk_nodes, nodes)).tolist()
        self.holds: list[frozenset[int]] = []
        """Variable → the items it puts into its record."""
        self.record_of: list[int] = []
        self.rows: list[tuple[list[int], float, float]] = []
        """Limits: variables, least and greatest number of them."""
        for chunk in self.chunks:
            self._add_chunk(chunk)
        self._add_terms()
        self._add_no_empty_record()
        self.items = sorted({item for one in self.holds for item in one})

    def most_records_with(self, items: tuple[int, ...]) -> int:
        """Return how many records of a possible original hold all of these items, at most; -1 if there is none."""
        from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415  only small releases need it

        counted = len(self.holds)
        variables = counted + len(self.records)
        rows = list(self.rows)
        for item in items:
            for record in range(len(self.records)):
                carriers = [one for one in range(counted) if self.record_of[one] == record and item in self.holds[one]]
                rows.append(([*carriers, ~(counted + record)], 0.0, np.inf))
        matrix = np.zeros((len(rows), variables))
        for place, (members, _, _) in enumerate(rows):
            for one in members:
                matrix[place, one if one >= 0 else ~one] = 1.0 if one >= 0 else -1.0
        limits = LinearConstraint(matrix, [low for _, low, _ in rows], [high for _, _, high in rows])
        goal: FloatArray = np.zeros(variables)
        goal[counted:] = -1.0
        solved = milp(goal, constraints=limits, integrality=np.ones(variables, dtype=np.int64), bounds=Bounds(0, 1))
        return -1 if solved.x is None else round(-solved.fun)

    def _variable(self, record: int, items: frozenset[int]) -> int:
        self.holds.append(items)
        self.record_of.append(record)
        return len(self.holds) - 1

    def _add_chunk(self, chunk: int) -> None:
        """Every piece goes to one record in which its items do not stand already; a record gets one of a chunk."""
        published = self.published
        start, end = published.chunk_starts[chunk : chunk + 2].tolist()
        starts, codes = published.pieces.starts, published.pieces.codes
        kinds: dict[frozenset[int], int] = {}
        for piece in range(start, end):
            items = frozenset(codes[starts[piece] : starts[piece + 1]].tolist())
            kinds[items] = kinds.get(items, 0) + 1
        in_record: dict[int, list[int]] = {}
        for items, copies in kinds.items():
            members = []
            for record, leaf in enumerate(self.records):
                if self._fits(chunk, items, leaf):
                    members.append(self._variable(record, items))
                    in_record.setdefault(record, []).append(members[-1])
            self.rows.append((members, float(copies), float(copies)))
        self.rows += [(members, 0.0, 1.0) for members in in_record.values()]

    def _fits(self, chunk: int, items: frozenset[int], leaf: int) -> bool:
        """Say whether a piece may belong to a record of a leaf: it is below, and nothing on the way has an item."""
        published, node, below = self.published, int(self.published.chunk_nodes[chunk]), leaf
        while below >= 0 and below != node:
            if items & self._items_at(below):
                return False
            below = int(published.parents[below])
        return below == node

    def _items_at(self, node: int) -> frozenset[int]:
        """Return the items of the chunks of a node; the term chunk is no obstacle, it has lost what is shared."""
        published = self.published
        found: set[int] = set()
        for chunk in np.flatnonzero(published.chunk_nodes == node).tolist():
            start, end = published.chunk_starts[chunk : chunk + 2].tolist()
            found.update(published.pieces.codes[published.pieces.starts[start] : published.pieces.starts[end]].tolist())
        return frozenset(found)

    def _add_terms(self) -> None:
        """Every item of a term chunk is in one record at least; in how many is not told."""
        terms = self.published.terms
        for leaf in self.leaves:
            members = [record for record, one in enumerate(self.records) if one == leaf]
            for item in terms.codes[terms.starts[leaf] : terms.starts[leaf + 1]].tolist():
                variables = [self._variable(record, frozenset([item])) for record in members]
                self.rows.append((variables, 1.0, np.inf))

    def _add_no_empty_record(self) -> None:
        by_record: dict[int, list[int]] = {record: [] for record in range(len(self.records))}
        for variable, record in enumerate(self.record_of):
            by_record[record].append(variable)
        self.rows += [(members, 1.0, np.inf) for members in by_record.values()]
