"""Joins clusters whose term chunks have items in common, and publishes these items in shared chunks."""

from __future__ import annotations

import numpy as np

from krypsis.arrays import CodeArray, IntArray
from krypsis.kernels._jit import compiled
from krypsis.kernels.forest import Forest, Items, Leaves, OpenItems, Scratch, Wishes
from krypsis.kernels.sharing import candidates, conflicts, keep_back, share, tells_more
from krypsis.kernels.vertical import grouped


@compiled
def join_neighbors(
    roots: IntArray, open_items: OpenItems, fixed: Items, leaves: Leaves, forest: Forest, wishes: Wishes
) -> tuple[IntArray, OpenItems, Items]:
    """Try to join neighbors, from left to right, each at most once; return the roots with their items.

    ``fixed`` are the items in the record and shared chunks below each root.
    """
    scratch = _scratch(len(wishes.together.home))
    count = len(roots)
    new = np.empty(count, dtype=np.int64)
    new_open = _room_for(open_items, count)
    room = len(fixed.items) + len(open_items.items)
    new_fixed = Items(np.zeros(count + 1, dtype=np.int64), np.empty(room, dtype=np.int32))
    place, used = 0, 0
    nothing = np.empty(0, dtype=np.int32)
    while place < count:
        chosen = nothing
        if place + 1 < count and forest.refused[roots[place]] != roots[place + 1]:
            chosen = _join(roots[place], roots[place + 1], place, open_items, fixed, leaves, forest, wishes, scratch)
            forest.refused[roots[place]] = roots[place + 1]
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
        Items(new_fixed.starts[: used + 1], new_fixed.items[:last]),
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
def _carry_fixed(old: Items, begin: int, end: int, chosen: CodeArray, new: Items, place: int, scratch: Scratch) -> None:
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
    fixed: Items,
    leaves: Leaves,
    forest: Forest,
    wishes: Wishes,
    scratch: Scratch,
) -> CodeArray:
    """Join two nodes if that tells more; return the items of the new shared chunks, none if the nodes stay apart."""
    size = forest.records[left] + forest.records[right]
    chosen, told = candidates(place, open_items, wishes.k, size, scratch)
    if len(chosen) and not tells_more(left, right, chosen, told, size, leaves, forest, scratch):
        chosen = _forgotten(chosen, scratch)
    if len(chosen) and wishes.hardened:
        chosen = keep_back(left, right, chosen, leaves, forest, scratch)
    if len(chosen) == 0:
        return chosen
    if wishes.together.members.size:
        chosen = grouped(chosen, wishes.together)
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
