"""Records reduced to some items, and whether a set of these items is rare among them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from krypsis.arrays import CodeArray, IntArray
from krypsis.kernels._jit import compiled


class Rows(NamedTuple):
    """Records reduced to candidates, which are numbered in the order in which they are tried.

    Row ``r`` holds ``ranks[starts[r]:starts[r + 1]]``, ascending; candidate ``c`` is held by the rows
    ``holders[first[c]:first[c + 1]]``.
    """

    starts: IntArray
    ranks: CodeArray
    first: IntArray
    holders: CodeArray


class Stack(NamedTuple):
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
def rows_of(starts: IntArray, ranks: CodeArray, candidates: int) -> Rows:
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
    return Rows(starts, ranks, first, holders)


@compiled
def stack_for(rows: Rows, m: int) -> Stack:
    """Return room for walking through sets of up to m items."""
    count, candidates, longest = len(rows.starts) - 1, len(rows.first) - 1, 0
    for row in range(count):
        longest = max(longest, rows.starts[row + 1] - rows.starts[row])
    levels = max(1, min(m, longest, count))
    return Stack(
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
def hold_nothing(rows: Rows, stack: Stack) -> None:
    """Begin a chunk without candidates."""
    stack.held_ends[:] = rows.starts[:-1]


@compiled
def hold(rows: Rows, candidate: int, stack: Stack) -> None:
    """Add a candidate to the chunk; it comes after those that are in it."""
    for place in range(rows.first[candidate], rows.first[candidate + 1]):
        row = rows.holders[place]
        stack.held[stack.held_ends[row]] = candidate
        stack.held_ends[row] += 1


@compiled
def rare_with(rows: Rows, k: int, m: int, candidate: int, stack: Stack) -> bool:
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
def _go_down(rows: Rows, level: int, item: int, stack: Stack) -> None:
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
def _rare_next(rows: Rows, k: int, m: int, level: int, stack: Stack) -> bool:
    """Count what occurs beside the set on top of the stack; note what extends it, unless something is rare."""
    begin, end = stack.row_ends[level], stack.row_ends[level + 1]
    touched = 0
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
        rare = rare or stack.counts[item] < k
        if level + 2 < m and stack.counts[item] < end - begin:
            stack.nexts[filled] = item
            filled += 1
        stack.counts[item] = 0
    stack.next_ends[level + 1] = filled
    return rare
