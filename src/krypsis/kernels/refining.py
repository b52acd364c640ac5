"""Joins clusters whose term chunks have items in common, and publishes these items in shared chunks."""

from __future__ import annotations

import numpy as np

from krypsis.groups import IntArray
from krypsis.hierarchies.base import CodeArray
from krypsis.kernels._jit import compiled
from krypsis.kernels.forest import Forest, Items, Leaves, Scratch, Wishes
from krypsis.kernels.sharing import conflicts, keep_back, share, tells_more
from krypsis.kernels.vertical import grouped


@compiled
def join_neighbors(
    roots: IntArray, open_items: Items, fixed: Items, leaves: Leaves, forest: Forest, wishes: Wishes
) -> tuple[IntArray, Items, Items]:
    """Try to join neighbors, from left to right, each at most once; return the roots with their items.

    ``open_items`` are the items in the term chunks below each root, ``fixed`` those in its record and shared chunks.
    """
    width = len(wishes.together.home)
    scratch = Scratch(
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int32),
        np.zeros(1, dtype=np.int64),
    )
    count = len(roots)
    new = np.empty(count, dtype=np.int64)
    new_open = Items(np.zeros(count + 1, dtype=np.int64), np.empty(len(open_items.items), dtype=np.int32))
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
        _carry(open_items, place, place + step, chosen, False, new_open, used, scratch)
        _carry(fixed, place, place + step, chosen, True, new_fixed, used, scratch)
        place += step
        used += 1
    return (
        new[:used],
        Items(new_open.starts[: used + 1], new_open.items[: new_open.starts[used]]),
        Items(new_fixed.starts[: used + 1], new_fixed.items[: new_fixed.starts[used]]),
    )


@compiled
def _carry(
    old: Items, begin: int, end: int, chosen: CodeArray, with_chosen: bool, new: Items, place: int, scratch: Scratch
) -> None:
    """Write the items of one or two roots, each once; the chosen ones are added or left out."""
    filled = new.starts[place]
    scratch.now[0] += 1
    for item in chosen:
        scratch.stamp[item] = scratch.now[0]
        if with_chosen:
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
    open_items: Items,
    fixed: Items,
    leaves: Leaves,
    forest: Forest,
    wishes: Wishes,
    scratch: Scratch,
) -> CodeArray:
    """Join two nodes if that tells more; return the items of the new shared chunks, none if the nodes stay apart."""
    chosen = _candidates(left, right, place, open_items, leaves, forest, wishes, scratch)
    if wishes.hardened:
        chosen = keep_back(left, right, chosen, leaves, forest, scratch)
    size = forest.records[left] + forest.records[right]
    if len(chosen) == 0 or not tells_more(left, right, chosen, size, leaves, forest, scratch):
        for item in chosen:
            scratch.counts[item] = 0
        return chosen[:0]
    if wishes.together.members.size:
        chosen = grouped(chosen, wishes.together)
    conflict = conflicts(chosen, place, fixed, scratch)
    node = _new_node(left, right, forest)
    share(node, chosen, conflict, leaves, forest, wishes, scratch)
    for item in chosen:
        scratch.counts[item] = 0
    return chosen


@compiled
def _candidates(
    left: int,
    right: int,
    place: int,
    open_items: Items,
    leaves: Leaves,
    forest: Forest,
    wishes: Wishes,
    scratch: Scratch,
) -> CodeArray:
    """Return the items in the term chunks on both sides that k records hold, most frequent first, and count them."""
    common = _common(place, open_items, scratch)
    for item in common:
        scratch.counts[item] = 1  # one too many, so that 0 says that an item is not looked for
    if len(common):
        _count(left, leaves, forest, scratch)
        _count(right, leaves, forest, scratch)
    found = 0
    for item in common:
        scratch.counts[item] -= 1
        if scratch.counts[item] >= wishes.k:
            common[found] = item
            found += 1
        else:
            scratch.counts[item] = 0
    chosen = np.sort(common[:found])
    return chosen[np.argsort(-scratch.counts[chosen], kind="mergesort")]


@compiled
def _common(place: int, open_items: Items, scratch: Scratch) -> CodeArray:
    """Return the items that are in term chunks below two neighbors."""
    scratch.now[0] += 1
    begin, middle, end = open_items.starts[place], open_items.starts[place + 1], open_items.starts[place + 2]
    for item in open_items.items[begin:middle]:
        scratch.stamp[item] = scratch.now[0]
    common = np.empty(middle - begin, dtype=np.int32)
    used = 0
    for item in open_items.items[middle:end]:
        if scratch.stamp[item] == scratch.now[0]:
            common[used] = item
            used += 1
    return common[:used]


@compiled
def _count(node: int, leaves: Leaves, forest: Forest, scratch: Scratch) -> None:
    """Count the records below a node that hold each of the items looked for in a term chunk."""
    leaf = forest.head[node]
    while leaf >= 0:
        for place in range(leaves.rest_starts[leaf], leaves.rest_ends[leaf]):
            item = leaves.codes[leaves.rest[place]]
            if scratch.counts[item]:
                scratch.counts[item] += 1
        leaf = forest.following[leaf]


@compiled
def _new_node(left: int, right: int, forest: Forest) -> int:
    node = forest.used[0]
    forest.used[0] += 1
    forest.records[node] = forest.records[left] + forest.records[right]
    forest.head[node], forest.tail[node] = forest.head[left], forest.tail[right]
    forest.following[forest.tail[left]] = forest.head[right]
    forest.parents[left], forest.parents[right] = node, node
    return int(node)
