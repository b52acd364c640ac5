"""Finds the sets of items that many records hold, by going down from each set to those with one item more."""

from __future__ import annotations

import numpy as np

from krypsis.arrays import CodeArray, IntArray
from krypsis.kernels._jit import compiled


@compiled
def frequent_sets(
    starts: IntArray, ranks: CodeArray, items: int, least: int, most: int
) -> tuple[list[int], list[int], list[int]]:
    """Return the sizes, the items one set after the other, and the supports of sets of up to ``most`` items.

    Every set is grown by items of lower rank only, so it is met once; its records are looked at once for all of them.
    """
    sizes, found, supports = [0 for _ in range(0)], [0 for _ in range(0)], [0 for _ in range(0)]
    counts = np.zeros(items, dtype=np.int64)
    filled = np.zeros(items, dtype=np.int64)
    prefix = np.zeros(items + 1, dtype=np.int64)
    waiting = [(np.arange(len(starts) - 1), items, 0)]
    while waiting:
        records, last, size = waiting.pop()
        if size:
            prefix[size - 1] = last
            sizes.append(size)
            supports.append(len(records))
            found.extend(prefix[:size])
        if size == most:
            continue
        frequent = _frequent_beside(starts, ranks, records, last, least, counts)
        holders, first = _holders(starts, ranks, records, last, frequent, counts, filled)
        for number in range(len(frequent)):
            waiting.append((holders[first[number] : first[number + 1]].copy(), frequent[number], size + 1))
            counts[frequent[number]] = 0
    return sizes, found, supports


@compiled
def _frequent_beside(
    starts: IntArray, ranks: CodeArray, records: IntArray, last: int, least: int, counts: IntArray
) -> IntArray:
    """Count the items below a rank in some records; return those that are frequent, and forget the others."""
    touched = np.empty(min(len(counts), last), dtype=np.int64)
    used = 0
    for record in records:
        for place in range(starts[record], starts[record + 1]):
            item = ranks[place]
            if item >= last:
                break
            if counts[item] == 0:
                touched[used] = item
                used += 1
            counts[item] += 1
    kept = 0
    for number in range(used):
        item = touched[number]
        if counts[item] >= least:
            touched[kept] = item
            kept += 1
        else:
            counts[item] = 0
    return touched[:kept]


@compiled
def _holders(
    starts: IntArray,
    ranks: CodeArray,
    records: IntArray,
    last: int,
    frequent: IntArray,
    counts: IntArray,
    filled: IntArray,
) -> tuple[IntArray, IntArray]:
    """Return the records of each frequent item, one list after the other."""
    first = np.zeros(len(frequent) + 1, dtype=np.int64)
    for number in range(len(frequent)):
        filled[frequent[number]] = first[number]
        first[number + 1] = first[number] + counts[frequent[number]]
    holders = np.empty(first[-1], dtype=np.int64)
    for record in records:
        for place in range(starts[record], starts[record + 1]):
            item = ranks[place]
            if item >= last:
                break
            if counts[item]:
                holders[filled[item]] = record
                filled[item] += 1
    return holders, first


@compiled
def beside(
    starts: IntArray, ranks: CodeArray, holders: IntArray, items: IntArray, least: int, counts: IntArray
) -> tuple[IntArray, IntArray]:
    """Return the items below all of some others that enough records hold with them, and how many do.

    ``items`` are ascending; ``holders`` are records that hold the last of them. ``counts`` is empty room.
    """
    records = _holding(starts, ranks, holders, items)
    found = _frequent_beside(starts, ranks, records, items[0], least, counts)
    supports = counts[found]
    counts[found] = 0
    return found, supports


@compiled
def _holding(starts: IntArray, ranks: CodeArray, records: IntArray, items: IntArray) -> IntArray:
    """Return those of the records that hold all items."""
    kept = np.empty(len(records), dtype=np.int64)
    used = 0
    for record in records:
        matched = 0
        for place in range(starts[record], starts[record + 1]):
            if matched == len(items) or ranks[place] > items[matched]:
                break
            if ranks[place] == items[matched]:
                matched += 1
        if matched == len(items):
            kept[used] = record
            used += 1
    return kept[:used]
