"""The cuts of the paper: rare sets are settled one after the other, each in the way that costs least."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np

from krypsis.algorithms.sets.km.item_tree import ItemTree
from krypsis.algorithms.sets.km.published_sets import MOST, LeafSets
from krypsis.arrays import BoolArray, IntArray
from krypsis.errors import InternalError

MOST_WAYS = 1000
"""How many ways to generalize one rare set are kept in mind; there are as many as products of levels."""


def apriori_cut(leaf_sets: LeafSets, k: int, m: int, closed: BoolArray | None = None) -> BoolArray:
    """Return a cut without rare sets: first settle single nodes, then pairs, up to sets of ``m`` nodes.

    What was settled for smaller sets leaves fewer larger ones: the principle of the Apriori algorithm.
    """
    closed = np.zeros(len(leaf_sets.tree), dtype=np.bool_) if closed is None else closed
    # For i = 1..m, settle the itemsets of size i; the generalizations of step i shrink step i + 1.
    for size in range(1, m + 1):
        closed = _settled(leaf_sets, closed, k, size)
    return closed


def direct_cut(leaf_sets: LeafSets, k: int, m: int) -> BoolArray:
    """Return a cut without rare sets, settling sets of all sizes in one go."""
    return _settled(leaf_sets, np.zeros(len(leaf_sets.tree), dtype=np.bool_), k, m)


def reopened(leaf_sets: LeafSets, closed: BoolArray, k: int, m: int) -> BoolArray:
    """Return a cut without rare sets in which no node can be opened any more.

    The node that costs most is tried first. One that cannot be opened never can: opening others makes sets rarer only.
    """
    closed = closed.copy()
    parent, costs = leaf_sets.tree.parent, leaf_sets.closing_costs
    highest = closed & ~((parent >= 0) & closed[parent])
    waiting = [(-int(costs[node]), node) for node in np.flatnonzero(highest).tolist()]
    heapify(waiting)
    while waiting:
        _, node = heappop(waiting)
        # Beyond the paper: undo generalizations that later ones have made unnecessary.
        if leaf_sets.can_open(closed, node, k, m):
            closed[node] = False
            for below in np.flatnonzero(closed & (parent == node)).tolist():
                heappush(waiting, (-int(costs[below]), below))
    return closed


def _settled(leaf_sets: LeafSets, closed: BoolArray, k: int, m: int) -> BoolArray:
    """Return the cut with more nodes closed, until none of its sets of up to ``m`` nodes is rare."""
    # Step 1: the itemsets at the current cut with support below k, frequent items first as in the count-tree.
    while len(rare := leaf_sets.rare_at(closed, k, m, most=MOST, frequent_first=True)):
        published = leaf_sets.tree.published_as(closed)
        for row in rare.tolist():
            nodes = tuple(node for node in row if node >= 0)
            # Step 2: skip J if one of its items is already generalized by the rules.
            if all(published[node] == node for node in nodes):  # else it is another set by now
                # Step 3: add the cheapest generalization of J; closing a node maps all leaves below it.
                closed = _with_closed(leaf_sets.tree, closed, cheapest_generalization(leaf_sets, closed, nodes, k))
                published = leaf_sets.tree.published_as(closed)
    return closed


def cheapest_generalization(leaf_sets: LeafSets, closed: BoolArray, nodes: tuple[int, ...], k: int) -> tuple[int, ...]:
    """Return nodes above those of a rare set that are not rare together, with the lowest loss when closed.

    Ways are tried in the order of their loss, one step up for one node at a time; ties go to lower numbers. A set of
    many nodes has too many ways: after some of them, the cheapest so far is climbed on, by the cheapest step each time.
    """
    price = np.concatenate([[0], np.cumsum(np.where(closed, 0, leaf_sets.closing_costs))])
    ways: list[tuple[int, tuple[int, ...]]] = [(0, nodes)]
    seen = {nodes}
    # Best first by loss: the first way that k records tell is the cheapest. The root always works.
    while ways:
        _, way = heappop(ways)
        if not leaf_sets.is_rare(way, k):
            return way
        if len(seen) > MOST_WAYS:
            # Beyond the bound: forget the alternatives and climb on from here, which is greedy but ends.
            ways = []
        for node in way:
            higher = _climbed(leaf_sets.tree, way, node)
            if higher not in seen:
                seen.add(higher)
                heappush(ways, (_loss(leaf_sets.tree, price, higher), higher))
    raise InternalError("the top of the tree is told by too few records, which was checked before; please report this")


def _climbed(tree: ItemTree, way: tuple[int, ...], node: int) -> tuple[int, ...]:
    above = int(tree.parent[node])
    if above < 0:
        return way
    return tuple(sorted({above, *(other for other in way if not above <= other <= tree.last[above])}))


def _loss(tree: ItemTree, price: IntArray, way: tuple[int, ...]) -> int:
    return sum(int(price[tree.last[node] + 1] - price[node]) for node in way)


def _with_closed(tree: ItemTree, closed: BoolArray, nodes: tuple[int, ...]) -> BoolArray:
    more = np.zeros(len(tree), dtype=np.bool_)
    more[list(nodes)] = True
    return closed | tree.closed_below(more)
