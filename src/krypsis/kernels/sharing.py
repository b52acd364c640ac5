"""Which items two clusters share, whether joining them tells more, and the shared chunks."""

from __future__ import annotations

import numpy as np

from krypsis.arrays import BoolArray, CodeArray
from krypsis.kernels._jit import compiled
from krypsis.kernels.chunk_rows import Rows, rows_of
from krypsis.kernels.chunking import chunk_candidates
from krypsis.kernels.forest import Forest, Items, Leaves, OpenItems, Scratch, Wishes
from krypsis.kernels.vertical import rules_of


@compiled
def candidates(place: int, open_items: OpenItems, k: int, size: int, scratch: Scratch) -> tuple[CodeArray, int]:
    """Return the items in term chunks below two neighbors that k records hold, most frequent first.

    ``scratch.counts`` says afterwards how many records hold each; the second number is in how many term chunks they
    are, each counted for itself. There are none where joining could not tell more: see ``tells_more``.
    """
    scratch.now[0] += 1
    begin, middle, end = open_items.starts[place], open_items.starts[place + 1], open_items.starts[place + 2]
    for one in range(begin, middle):
        item = open_items.items[one]
        scratch.stamp[item], scratch.place[item] = scratch.now[0], one
    found = np.empty(min(middle - begin, end - middle), dtype=np.int32)
    used, shared, told, records = 0, 0, 0, 0
    for other in range(middle, end):
        item = open_items.items[other]
        if scratch.stamp[item] != scratch.now[0]:
            continue
        one = scratch.place[item]
        count = open_items.counts[one] + open_items.counts[other]
        if count >= k:
            scratch.counts[item] = count
            found[used] = item
            used += 1
            shared += count
            told += open_items.leaves[one] + open_items.leaves[other]
            records += open_items.records[one] + open_items.records[other]
    if shared * min(records, size) < told * size:  # even if no cluster had two of them
        for item in found[:used]:
            scratch.counts[item] = 0
        used = 0
    chosen = np.sort(found[:used])
    return chosen[np.argsort(-scratch.counts[chosen], kind="mergesort")], told


@compiled
def keep_back(left: int, right: int, chosen: CodeArray, leaves: Leaves, forest: Forest, scratch: Scratch) -> CodeArray:
    """Return the items to share without the rarest one of each term chunk that would become empty and is needed.

    Of equally rare ones the last is kept back. ``scratch.counts`` says how many records hold each chosen item.
    """
    for node in (left, right):
        leaf = forest.head[node]
        while leaf >= 0:
            if leaves.needy[leaf] and _different(leaf, leaves, scratch) == leaves.terms_left[leaf]:
                _drop_rarest(leaf, leaves, scratch)
            leaf = forest.following[leaf]
    kept = 0
    for item in chosen:
        if scratch.counts[item]:
            chosen[kept] = item
            kept += 1
    return chosen[:kept]


@compiled
def _different(leaf: int, leaves: Leaves, scratch: Scratch) -> int:
    """Return how many of the chosen items are in the term chunk of a cluster."""
    scratch.now[0] += 1
    found = 0
    for place in range(leaves.rest_starts[leaf], leaves.rest_ends[leaf]):
        item = leaves.codes[leaves.rest[place]]
        if scratch.counts[item] and scratch.seen[item] != scratch.now[0]:
            scratch.seen[item] = scratch.now[0]
            found += 1
    return found


@compiled
def _drop_rarest(leaf: int, leaves: Leaves, scratch: Scratch) -> None:
    rarest = -1
    for place in range(leaves.rest_starts[leaf], leaves.rest_ends[leaf]):
        item = leaves.codes[leaves.rest[place]]
        ahead = 0 if rarest < 0 else scratch.counts[item] - scratch.counts[rarest]
        if rarest < 0 or ahead < 0 or (ahead == 0 and item > rarest):
            rarest = item
    if rarest >= 0:
        scratch.counts[rarest] = 0


@compiled
def tells_more(
    left: int, right: int, chosen: CodeArray, told: int, size: int, leaves: Leaves, forest: Forest, scratch: Scratch
) -> bool:
    """Say whether a record of the joint cluster is likelier to get a chosen item than one of the term chunks was.

    Equation 3.1: (s(t1) + … + s(tn)) / |J| ≥ (u1 + … + um) / (|P1| + … + |Pm|), in whole numbers.
    """
    shared, records = 0, 0
    for item in chosen:
        shared += scratch.counts[item]
    for node in (left, right):
        leaf = forest.head[node]
        while leaf >= 0:
            if _different(leaf, leaves, scratch):
                records += leaves.sizes[leaf]
            leaf = forest.following[leaf]
    return bool(shared * records >= told * size)


@compiled
def conflicts(chosen: CodeArray, place: int, fixed: Items, scratch: Scratch) -> BoolArray:
    """Say which of the items stand in a record chunk or a shared chunk of the two roots from a place on."""
    scratch.now[0] += 1
    for other in range(fixed.starts[place], fixed.starts[place + 2]):
        scratch.stamp[fixed.items[other]] = scratch.now[0]
    found = np.zeros(len(chosen), dtype=np.bool_)
    for number in range(len(chosen)):
        found[number] = scratch.stamp[chosen[number]] == scratch.now[0]
    return found


@compiled
def share(
    node: int,
    chosen: CodeArray,
    conflict: BoolArray,
    leaves: Leaves,
    forest: Forest,
    wishes: Wishes,
    scratch: Scratch,
) -> None:
    """Move the chosen items from the term chunks below a node to new shared chunks."""
    for number in range(len(chosen)):
        scratch.rank[chosen[number]] = number
    rows = _rows(node, chosen, leaves, forest, scratch)
    rules = rules_of(chosen, conflict, wishes.hardened, wishes.together)
    chunks = chunk_candidates(rows, wishes.k, wishes.m, rules)
    base = forest.used[1]
    for number in range(chunks.max() + 1):
        forest.chunk_nodes[base + number] = node
    forest.used[1] += chunks.max() + 1
    leaf = forest.head[node]
    while leaf >= 0:
        leaves.terms_left[leaf] -= _different(leaf, leaves, scratch)
        kept = leaves.rest_starts[leaf]
        for place in range(leaves.rest_starts[leaf], leaves.rest_ends[leaf]):
            occurrence = leaves.rest[place]
            item = leaves.codes[occurrence]
            if scratch.counts[item]:
                leaves.shared[occurrence] = base + chunks[scratch.rank[item]]
            else:
                leaves.rest[kept] = occurrence
                kept += 1
        leaves.rest_ends[leaf] = kept
        leaf = forest.following[leaf]


@compiled
def _rows(node: int, chosen: CodeArray, leaves: Leaves, forest: Forest, scratch: Scratch) -> Rows:
    """Return the records below a node that hold chosen items in their term chunks, reduced to these items."""
    total = 0
    for item in chosen:
        total += scratch.counts[item]
    ranks, starts = np.empty(total, dtype=np.int32), np.zeros(total + 2, dtype=np.int64)
    used, rows, record = 0, 0, -1
    leaf = forest.head[node]
    while leaf >= 0:
        for place in range(leaves.rest_starts[leaf], leaves.rest_ends[leaf]):
            occurrence = leaves.rest[place]
            if scratch.counts[leaves.codes[occurrence]] == 0:
                continue
            if leaves.records[occurrence] != record:
                ranks[starts[rows] : used].sort()
                record = leaves.records[occurrence]
                rows += 1
                starts[rows] = used
            ranks[used] = scratch.rank[leaves.codes[occurrence]]
            used += 1
        leaf = forest.following[leaf]
    ranks[starts[rows] : used].sort()
    starts[rows + 1] = used
    return rows_of(starts[1 : rows + 2], ranks, len(chosen))
