"""Sets of items together with everything that stands above their items in a tree.

The nodes of a tree are numbered from the top down, a node before everything below it: ``last[node]`` is the last node
below a node, or the node itself if it is a leaf.
"""

from __future__ import annotations

import numpy as np

from krypsis.arrays import IntArray
from krypsis.kernels._jit import compiled


@compiled
def count_with_ancestors(leaves: IntArray, starts: IntArray, parent: IntArray, sizes: IntArray) -> None:
    """Write how many nodes each record tells: its leaves, in ascending order, and all that stands above them."""
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
    """Write the nodes that each record tells, in ascending order."""
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

    A pair is rare if some record tells both and fewer than ``k`` do. Of rare pairs only the highest ones count: what
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
    """Say whether fewer than ``k`` records tell all nodes of a set."""
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
