"""Which items two clusters share, whether joining them shows more, and the shared chunks."""

import numpy as np

from krypsis.algorithms.sets.disassociation.chunks import CandidateRows, chunk_candidates, rows_of
from krypsis.algorithms.sets.disassociation.forest import Forest, Leaves, OpenItems, RootItems, Scratch, Wishes
from krypsis.algorithms.sets.disassociation.vertical import grouped, rules_of
from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.kernels._jit import compiled


@compiled
def candidates(place: int, open_items: OpenItems, k: int, size: int, scratch: Scratch) -> tuple[CodeArray, int]:
    """Return the items in term chunks below two neighbors that k records hold, most frequent first.

    ``scratch.counts`` says afterwards how many records hold each; the second number is in how many term chunks they
    are, each counted for itself. There are none where joining could not reveal more: see ``reveals_more``.
    """
    scratch.now[0] += 1
    begin, middle, end = open_items.starts[place], open_items.starts[place + 1], open_items.starts[place + 2]
    for one in range(begin, middle):
        item = open_items.items[one]
        scratch.stamp[item], scratch.place[item] = scratch.now[0], one
    found = np.empty(min(middle - begin, end - middle), dtype=np.int32)
    used, shared, revealed, records = 0, 0, 0, 0
    # Ts = vTC(X) ∩ vTC(Y); cand = the terms of it with support >= k in the term chunks below.
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
            revealed += open_items.leaves[one] + open_items.leaves[other]
            records += open_items.records[one] + open_items.records[other]
    # The right side of equation 3.1 is larger still if clusters have several terms, so this join would fail anyway.
    if shared * min(records, size) < revealed * size:  # even if no cluster had two of them
        for item in found[:used]:
            scratch.counts[item] = 0
        used = 0
    chosen = np.sort(found[:used])
    return chosen[np.argsort(-scratch.counts[chosen], kind="mergesort")], revealed


@compiled
def keep_back(left: int, right: int, chosen: CodeArray, leaves: Leaves, forest: Forest, scratch: Scratch) -> CodeArray:
    """Return the items to share without the rarest one of each term chunk that would become empty and is needed.

    Of equally rare ones the last is kept back. ``scratch.counts`` says how many records hold each chosen item.
    """
    for node in (left, right):
        leaf = forest.head[node]
        while leaf >= 0:
            # Hardening 2: this leaf would lose its last term while it fails the numeric bound of Lemma 3.2.
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
def reveals_more(
    left: int, right: int, chosen: CodeArray, revealed: int, size: int, leaves: Leaves, forest: Forest, scratch: Scratch
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
            # P1..Pm: the simple clusters with a refining term in their term chunk; ``revealed`` is u1 + … + um.
            if _different(leaf, leaves, scratch):
                records += leaves.sizes[leaf]
            leaf = forest.following[leaf]
    return bool(shared * records >= revealed * size)


@compiled
def conflicts(chosen: CodeArray, place: int, fixed: RootItems, scratch: Scratch) -> BoolArray:
    """Say which of the items stand in a record chunk or a shared chunk of the two roots from a place on."""
    scratch.now[0] += 1
    # T^r: the terms in record chunks or shared chunks anywhere below the two nodes.
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
    # rows = r ∩ TT(leaf) ∩ Ts for every record below the node.
    rows = _rows(node, chosen, leaves, forest, scratch)
    rules = rules_of(chosen, conflict, wishes.hardened, wishes.together)
    # The VERPART loop over these rows.
    chunks = chunk_candidates(rows, wishes.k, wishes.m, rules)
    base = forest.used[1]
    for number in range(chunks.max() + 1):
        forest.chunk_nodes[base + number] = node
    forest.used[1] += chunks.max() + 1
    leaf = forest.head[node]
    while leaf >= 0:
        # Remove the placed terms from the leaves' term chunks.
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
def _rows(node: int, chosen: CodeArray, leaves: Leaves, forest: Forest, scratch: Scratch) -> CandidateRows:
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


@compiled
def join_neighbors(
    roots: IntArray, open_items: OpenItems, fixed: RootItems, leaves: Leaves, forest: Forest, wishes: Wishes
) -> tuple[IntArray, OpenItems, RootItems]:
    """Try to join neighbors, from left to right, each at most once; return the roots with their items.

    ``fixed`` are the items in the record and shared chunks below each root.
    """
    scratch = _scratch(len(wishes.together.home))
    count = len(roots)
    new = np.empty(count, dtype=np.int64)
    new_open = _room_for(open_items, count)
    room = len(fixed.items) + len(open_items.items)
    new_fixed = RootItems(np.zeros(count + 1, dtype=np.int64), np.empty(room, dtype=np.int32))
    place, used = 0, 0
    nothing = np.empty(0, dtype=np.int32)
    while place < count:
        chosen = nothing
        if place + 1 < count and forest.refused[roots[place]] != roots[place + 1]:
            chosen = _join(roots[place], roots[place + 1], place, open_items, fixed, leaves, forest, wishes, scratch)
            forest.refused[roots[place]] = roots[place + 1]
        # Each cluster joins at most once per pass.
        step = 2 if len(chosen) else 1
        new[used] = forest.used[0] - 1 if len(chosen) else roots[place]
        _carry_open(open_items, place, place + step, chosen, new_open, used, scratch)
        _carry_fixed(fixed, place, place + step, chosen, new_fixed, used, scratch)
        place += step
        used += 1
    end, last = new_open.starts[used], new_fixed.starts[used]
    return (
        new[:used],
        OpenItems(
            new_open.starts[: used + 1],
            new_open.items[:end],
            new_open.counts[:end],
            new_open.leaves[:end],
            new_open.records[:end],
        ),
        RootItems(new_fixed.starts[: used + 1], new_fixed.items[:last]),
    )


@compiled
def _scratch(width: int) -> Scratch:
    return Scratch(
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int32),
        np.zeros(1, dtype=np.int64),
    )


@compiled
def _room_for(old: OpenItems, roots: int) -> OpenItems:
    return OpenItems(
        np.zeros(roots + 1, dtype=np.int64),
        np.empty_like(old.items),
        np.empty_like(old.counts),
        np.empty_like(old.leaves),
        np.empty_like(old.records),
    )


@compiled
def _carry_open(
    old: OpenItems, begin: int, end: int, chosen: CodeArray, new: OpenItems, place: int, scratch: Scratch
) -> None:
    """Write the open items of one or two roots, each once, without the chosen ones."""
    filled = new.starts[place]
    scratch.now[0] += 2
    here, gone = scratch.now[0], scratch.now[0] - 1
    for item in chosen:
        scratch.stamp[item] = gone
    for other in range(old.starts[begin], old.starts[end]):
        item = old.items[other]
        if scratch.stamp[item] == here:
            known = scratch.place[item]
            new.counts[known] += old.counts[other]
            new.leaves[known] += old.leaves[other]
            new.records[known] += old.records[other]
        elif scratch.stamp[item] != gone:
            scratch.stamp[item], scratch.place[item] = here, filled
            new.items[filled], new.counts[filled] = item, old.counts[other]
            new.leaves[filled], new.records[filled] = old.leaves[other], old.records[other]
            filled += 1
    new.starts[place + 1] = filled


@compiled
def _carry_fixed(
    old: RootItems, begin: int, end: int, chosen: CodeArray, new: RootItems, place: int, scratch: Scratch
) -> None:
    """Write the fixed items of one or two roots, each once, and the chosen ones."""
    filled = new.starts[place]
    scratch.now[0] += 1
    for item in chosen:
        scratch.stamp[item] = scratch.now[0]
        new.items[filled] = item
        filled += 1
    for other in range(old.starts[begin], old.starts[end]):
        item = old.items[other]
        if scratch.stamp[item] != scratch.now[0]:
            scratch.stamp[item] = scratch.now[0]
            new.items[filled] = item
            filled += 1
    new.starts[place + 1] = filled


@compiled
def _join(
    left: int,
    right: int,
    place: int,
    open_items: OpenItems,
    fixed: RootItems,
    leaves: Leaves,
    forest: Forest,
    wishes: Wishes,
    scratch: Scratch,
) -> CodeArray:
    """Join two nodes if that reveals more; return the items of the new shared chunks, none if the nodes stay apart."""
    size = forest.records[left] + forest.records[right]
    # TRY_JOIN, step 1: the candidates among the common terms of the virtual term chunks.
    chosen, revealed = candidates(place, open_items, wishes.k, size, scratch)
    # Step 2: equation 3.1.
    if len(chosen) and not reveals_more(left, right, chosen, revealed, size, leaves, forest, scratch):
        chosen = _forgotten(chosen, scratch)
    if len(chosen) and wishes.hardened:
        # Step 3 (hardening 2): do not empty a term chunk that is needed.
        chosen = keep_back(left, right, chosen, leaves, forest, scratch)
    if len(chosen) == 0:
        return chosen
    if wishes.together.members.size:
        chosen = grouped(chosen, wishes.together)
    # Step 4: build the shared chunks; terms of T^r are in conflict (Property 3.1, hardening 1).
    conflict = conflicts(chosen, place, fixed, scratch)
    node = _new_node(left, right, forest)
    share(node, chosen, conflict, leaves, forest, wishes, scratch)
    _forgotten(chosen, scratch)
    return chosen


@compiled
def _forgotten(chosen: CodeArray, scratch: Scratch) -> CodeArray:
    for item in chosen:
        scratch.counts[item] = 0
    return chosen[:0]


@compiled
def _new_node(left: int, right: int, forest: Forest) -> int:
    node = forest.used[0]
    forest.used[0] += 1
    forest.records[node] = forest.records[left] + forest.records[right]
    forest.head[node], forest.tail[node] = forest.head[left], forest.tail[right]
    forest.following[forest.tail[left]] = forest.head[right]
    forest.parents[left], forest.parents[right] = node, node
    return int(node)
