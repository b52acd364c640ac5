"""Puts items into chunks, so that every combination of up to m items of a chunk occurs k times or not at all."""

from typing import NamedTuple

import numpy as np

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.kernels._jit import compiled


class CandidateRows(NamedTuple):
    """Records reduced to candidates, which are numbered in the order in which they are tried.

    Row ``r`` holds ``ranks[starts[r]:starts[r + 1]]``, ascending; candidate ``c`` is held by the rows
    ``holders[first[c]:first[c + 1]]``.
    """

    starts: IntArray
    ranks: CodeArray
    first: IntArray
    holders: CodeArray


class CandidateStack(NamedTuple):
    """Room for walking through the sets of candidates that contain a new one."""

    held: CodeArray
    """The candidates of each row that are in the chunk: ``held[starts[r]:held_ends[r]]`` of row ``r``, ascending."""
    held_ends: IntArray
    rows: CodeArray
    row_ends: IntArray
    nexts: CodeArray
    next_ends: IntArray
    last: IntArray
    counts: IntArray
    touched: CodeArray


@compiled
def rows_of(starts: IntArray, ranks: CodeArray, candidates: int) -> CandidateRows:
    """Return rows with the places where each candidate occurs."""
    first = np.zeros(candidates + 1, dtype=np.int64)
    for rank in ranks:
        first[rank + 1] += 1
    for candidate in range(candidates):
        first[candidate + 1] += first[candidate]
    filled = first[:-1].copy()
    holders = np.empty(len(ranks), dtype=np.int32)
    for row in range(len(starts) - 1):
        for place in range(starts[row], starts[row + 1]):
            holders[filled[ranks[place]]] = row
            filled[ranks[place]] += 1
    return CandidateRows(starts, ranks, first, holders)


@compiled
def stack_for(rows: CandidateRows, m: int) -> CandidateStack:
    """Return room for walking through sets of up to m items."""
    count, candidates, longest = len(rows.starts) - 1, len(rows.first) - 1, 0
    for row in range(count):
        longest = max(longest, rows.starts[row + 1] - rows.starts[row])
    levels = max(1, min(m, longest, count))
    return CandidateStack(
        np.empty_like(rows.ranks),
        np.zeros(count, dtype=np.int64),
        np.zeros(levels * count, dtype=np.int32),
        np.zeros(levels + 1, dtype=np.int64),
        np.zeros(levels * candidates, dtype=np.int32),
        np.zeros(levels + 1, dtype=np.int64),
        np.zeros(levels, dtype=np.int64),
        np.zeros(candidates, dtype=np.int64),
        np.zeros(candidates, dtype=np.int32),
    )


@compiled
def hold_nothing(rows: CandidateRows, stack: CandidateStack) -> None:
    """Begin a chunk without candidates."""
    stack.held_ends[:] = rows.starts[:-1]


@compiled
def hold(rows: CandidateRows, candidate: int, stack: CandidateStack) -> None:
    """Add a candidate to the chunk; it comes after those that are in it."""
    for place in range(rows.first[candidate], rows.first[candidate + 1]):
        row = rows.holders[place]
        stack.held[stack.held_ends[row]] = candidate
        stack.held_ends[row] += 1


@compiled
def rare_with(rows: CandidateRows, k: int, m: int, candidate: int, stack: CandidateStack) -> bool:
    """Say whether some set of up to m items, the candidate and others of the chunk, is in 1 to k - 1 rows.

    Level ``d`` of the stack is a set of ``d + 1`` items. A set is extended by items that come before its last one,
    and only by items that some of its rows lack: an item in all of them changes nothing about larger sets.
    """
    if m == 1:
        return False
    begin, end = rows.first[candidate], rows.first[candidate + 1]
    stack.rows[: end - begin] = rows.holders[begin:end]
    stack.row_ends[0], stack.next_ends[0], stack.last[0] = 0, 0, candidate
    stack.row_ends[1] = end - begin
    level = 0
    if _rare_next(rows, k, m, level, stack):
        return True
    # Depth first through the combinations that contain the new candidate, without recursion.
    while level >= 0:
        if stack.next_ends[level + 1] == stack.next_ends[level]:
            level -= 1
            continue
        stack.next_ends[level + 1] -= 1
        item = stack.nexts[stack.next_ends[level + 1]]
        _go_down(rows, level, item, stack)
        level += 1
        if _rare_next(rows, k, m, level, stack):
            return True
    return False


@compiled
def _go_down(rows: CandidateRows, level: int, item: int, stack: CandidateStack) -> None:
    """Put the rows that hold one more item on the stack."""
    begin, end = stack.row_ends[level], stack.row_ends[level + 1]
    filled = end
    for place in range(begin, end):
        row = stack.rows[place]
        left, right = rows.starts[row], stack.held_ends[row]
        found = left + np.searchsorted(stack.held[left:right], item)
        if found < right and stack.held[found] == item:
            stack.rows[filled] = row
            filled += 1
    stack.row_ends[level + 2] = filled
    stack.last[level + 1] = item


@compiled
def _rare_next(rows: CandidateRows, k: int, m: int, level: int, stack: CandidateStack) -> bool:
    """Count what occurs together with the set on top of the stack; note what extends it, unless something is rare."""
    begin, end = stack.row_ends[level], stack.row_ends[level + 1]
    touched = 0
    # counts[item] = the support of the set on top with the item;
    # only items before its last one, so each set is met once.
    for place in range(begin, end):
        row = stack.rows[place]
        for other in range(rows.starts[row], stack.held_ends[row]):
            item = stack.held[other]
            if item >= stack.last[level]:
                break
            if stack.counts[item] == 0:
                stack.touched[touched] = item
                touched += 1
            stack.counts[item] += 1
    rare, filled = False, stack.next_ends[level]
    for number in range(touched):
        item = stack.touched[number]
        # It occurs, and in fewer than k rows.
        rare = rare or stack.counts[item] < k
        if level + 2 < m and stack.counts[item] < end - begin:
            stack.nexts[filled] = item
            filled += 1
        stack.counts[item] = 0
    stack.next_ends[level + 1] = filled
    return rare


class ChunkRules(NamedTuple):
    """What else decides about the chunk of a candidate."""

    conflict: BoolArray
    """Candidate → whether it stands in another chunk of the same records' clusters."""
    alone: bool
    """Whether a candidate in conflict gets a chunk of its own; otherwise all pieces of its chunk occur k times."""
    home: CodeArray
    """Candidate → the set of items that it is wanted together with, -1 for none."""
    member_first: IntArray
    """Candidate ``c`` is in the wanted sets ``members[member_first[c]:member_first[c + 1]]``."""
    members: CodeArray
    sets: int
    """How many wanted sets there are."""


class _Kinds(NamedTuple):
    """Rows are of one kind if they hold the same candidates of the chunk; kind 0 holds none."""

    of_row: IntArray
    sizes: IntArray
    tally: IntArray
    split: IntArray
    used: IntArray


@compiled
def chunk_candidates(rows: CandidateRows, k: int, m: int, rules: ChunkRules) -> CodeArray:
    """Return the chunk of each candidate, numbered from 0 on.

    Chunk after chunk, every candidate left is tried in order and stays if the chunk remains safe.
    """
    candidates = len(rows.first) - 1
    chunk = np.full(candidates, -1, dtype=np.int32)
    taken = np.zeros(candidates, dtype=np.bool_)
    stack = stack_for(rows, m)
    count = len(rows.starts) - 1
    kinds = _Kinds(
        np.zeros(count, dtype=np.int64),
        np.zeros(count + 1, dtype=np.int64),
        np.zeros(count + 1, dtype=np.int64),
        np.zeros(count + 1, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )
    placed, number = 0, 0
    # while Tremain: the first term left always enters, so every round places at least one.
    while placed < candidates:
        # Tcur: every term left is tried in order.
        _fill(rows, k, m, rules, chunk, taken, kinds, stack)
        # VERPART_U: take out terms of constraints that are not complete in this chunk.
        _evict(rules, taken)
        for candidate in range(candidates):
            if taken[candidate]:
                chunk[candidate], taken[candidate] = number, False
                placed += 1
        number += 1
    return chunk


@compiled
def _fill(
    rows: CandidateRows,
    k: int,
    m: int,
    rules: ChunkRules,
    chunk: CodeArray,
    taken: BoolArray,
    kinds: _Kinds,
    stack: CandidateStack,
) -> None:
    """Take the candidates of the next chunk."""
    hold_nothing(rows, stack)
    kinds.of_row[:] = 0
    kinds.sizes[0], kinds.used[0] = len(kinds.of_row), 1
    begun, conflict = False, False
    for candidate in range(len(chunk)):
        if chunk[candidate] >= 0:
            continue
        # Hardening 1 of REFINE: a term of T^r never shares a chunk.
        if rules.alone and begun and rules.conflict[candidate]:
            continue
        # Property 3.1 as printed: a chunk with a term of T^r must be k-anonymous, not only k^m-anonymous.
        strict = not rules.alone and (conflict or rules.conflict[candidate])
        # Tcur += t if the projection on Tcur ∪ {t} is k^m-anonymous.
        if begun and not _fits(rows, k, m, candidate, strict, kinds, stack):
            continue
        taken[candidate], begun = True, True
        conflict = conflict or rules.conflict[candidate]
        hold(rows, candidate, stack)
        _split_kinds(rows, candidate, kinds)
        if rules.alone and conflict:
            return


@compiled
def _fits(
    rows: CandidateRows, k: int, m: int, candidate: int, strict: bool, kinds: _Kinds, stack: CandidateStack
) -> bool:
    """Say whether the chunk stays safe with one more candidate."""
    if strict:
        return _alike(rows, k, candidate, kinds)
    # Cheap test first: k equal pieces imply k^m for every m. Only combinations with the new term can have become rare.
    return _repeated(rows, k, candidate, kinds) or not rare_with(rows, k, m, candidate, stack)


@compiled
def _repeated(rows: CandidateRows, k: int, candidate: int, kinds: _Kinds) -> bool:
    """Say whether every piece with the candidate would occur k times, which is enough for combinations of any size."""
    begin, end = rows.first[candidate], rows.first[candidate + 1]
    for place in range(begin, end):
        kinds.tally[kinds.of_row[rows.holders[place]]] += 1
    enough = True
    for place in range(begin, end):
        kind = kinds.of_row[rows.holders[place]]
        enough = enough and (kinds.tally[kind] == 0 or kinds.tally[kind] >= k)
        kinds.tally[kind] = 0
    return enough


@compiled
def _alike(rows: CandidateRows, k: int, candidate: int, kinds: _Kinds) -> bool:
    """Say whether all pieces, with the candidate and without, would occur k times."""
    begin, end = rows.first[candidate], rows.first[candidate + 1]
    for place in range(begin, end):
        kinds.tally[kinds.of_row[rows.holders[place]]] += 1
    enough = True
    for kind in range(kinds.used[0]):
        with_it, without = kinds.tally[kind], kinds.sizes[kind] - kinds.tally[kind]
        enough = enough and (with_it == 0 or with_it >= k) and (kind == 0 or without == 0 or without >= k)
        kinds.tally[kind] = 0
    return enough


@compiled
def _split_kinds(rows: CandidateRows, candidate: int, kinds: _Kinds) -> None:
    """Give rows that hold a new candidate of the chunk kinds of their own."""
    begin, end = rows.first[candidate], rows.first[candidate + 1]
    for place in range(begin, end):
        kinds.tally[kinds.of_row[rows.holders[place]]] += 1
    for place in range(begin, end):
        row = rows.holders[place]
        old = kinds.of_row[row]
        if kinds.tally[old] > 0:
            # Where all rows of a kind hold it the kind stays as it is, but for kind 0, which holds nothing.
            whole = old > 0 and kinds.tally[old] == kinds.sizes[old]
            kinds.split[old] = old if whole else kinds.used[0]
            if not whole:
                kinds.sizes[old] -= kinds.tally[old]
                kinds.sizes[kinds.used[0]] = kinds.tally[old]
                kinds.used[0] += 1
            kinds.tally[old] = 0
        kinds.of_row[row] = kinds.split[old]


@compiled
def _evict(rules: ChunkRules, taken: BoolArray) -> None:
    """Take candidates out of the chunk whose wanted set is not all in it, but for that of the first candidate."""
    if rules.sets == 0:
        return
    wanted = np.zeros(rules.sets, dtype=np.int64)
    first = -2
    for candidate in range(len(taken)):
        for place in range(rules.member_first[candidate], rules.member_first[candidate + 1]):
            wanted[rules.members[place]] += 0 if taken[candidate] else 1
        if taken[candidate] and first == -2:
            first = rules.home[candidate]
    for candidate in range(len(taken)):
        home = rules.home[candidate]
        # "Not all codes of the constraint are in Tcur": the pseudo-code, not the prose, reproduces Fig. 4.5.
        if taken[candidate] and home >= 0 and home != first and wanted[home] > 0:
            taken[candidate] = False
