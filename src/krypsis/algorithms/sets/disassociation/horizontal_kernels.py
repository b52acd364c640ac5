"""Splits sets of items into clusters of records that share items: again and again by the item most records hold."""

import heapq
from typing import NamedTuple

import numpy as np

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.kernels._jit import compiled


class Together(NamedTuple):
    """Sets of items that are wanted together: set ``s`` has the items ``members[starts[s]:starts[s + 1]]``."""

    starts: IntArray
    members: CodeArray
    home: CodeArray
    """Item → the set that it belongs to first, -1 for none."""
    first: IntArray
    """Item ``i`` is in the sets ``sets[first[i]:first[i + 1]]``."""
    sets: CodeArray


class _Part(NamedTuple):
    """The records of one part while it is split: which are left, and where each item occurs."""

    left: BoolArray
    counts: IntArray
    """Item → how many of the records left hold it; 0 for items that may not split any more."""
    first: IntArray
    """Item → where its records begin in ``holders``."""
    last: IntArray
    holders: IntArray
    seen: CodeArray
    """The items of the part, in the order of their first occurrence."""


class _Path(NamedTuple):
    """The items that led to each part: items by which all its records have been chosen may not split it again."""

    items: CodeArray
    above: IntArray
    used: IntArray


@compiled
def split_records(
    starts: IntArray, codes: CodeArray, width: int, limit: int, least: int, together: Together
) -> tuple[IntArray, IntArray, CodeArray, IntArray]:
    """Return the records in the order of their clusters, where each cluster begins, and the items of all splits.

    Of each split that is its item, and the number of the split whose records with the item it divides, -1 for all.

    Records are split by the item that most of them hold (of equally frequent ones the first): those with it, then
    those without, until a part has fewer than ``limit`` records. Items that are wanted together are chosen before
    others, and after one of them those of the same set. Parts that no item splits are cut into equal slices, of at
    least ``least`` records where possible.

    Each record is looked at once for every item by which it was chosen, not once for every split: what the records
    without an item hold is what all held less what those with the item hold.
    """
    count = len(starts) - 1
    order = np.arange(count)
    edge = np.zeros(count + 1, dtype=np.bool_)
    edge[0], edge[count] = True, True
    part = _Part(
        np.zeros(count, dtype=np.bool_),
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.zeros(len(codes), dtype=np.int64),
        np.zeros(width, dtype=np.int32),
    )
    room = len(codes) + 1
    path = _Path(np.zeros(room, dtype=np.int32), np.zeros(room, dtype=np.int64), np.zeros(1, dtype=np.int64))
    waiting = [(0, count, -1, -1)]
    # An explicit stack: the recursion could be as deep as there are records.
    while waiting:
        begin, end, trail, wanted = waiting.pop()
        # |D| < maxClusterSize (strict): a cluster.
        if end - begin < limit:
            continue
        held = _hold(starts, codes, order[begin:end], path, trail, part)
        sorted_records, parts = _divide(
            starts, codes, order[begin:end], trail, wanted, limit, held, part, path, together
        )
        order[begin:end] = sorted_records
        place = begin
        for size, below, want, whole in parts:
            if whole:
                waiting.append((place, place + size, below, want))
            else:
                _slice(edge, place, size, limit, least)
            place += size
            edge[place] = True
    used = path.used[0]
    return order, np.flatnonzero(edge)[:-1], path.items[:used].copy(), path.above[:used].copy()


@compiled
def _hold(starts: IntArray, codes: CodeArray, records: IntArray, path: _Path, trail: int, part: _Part) -> int:
    """Note where each item occurs in some records, but for the items on the way to them; return how many items."""
    held = 0
    for record in records:
        part.left[record] = True
        for place in range(starts[record], starts[record + 1]):
            item = codes[place]
            if part.counts[item] == 0:
                part.seen[held] = item
                held += 1
            part.counts[item] += 1
    # T \ ignore: all records of the part hold the terms on its path, so these may not split it again.
    while trail >= 0:
        part.counts[path.items[trail]] = 0
        trail = path.above[trail]
    total = 0
    for number in range(held):
        item = part.seen[number]
        part.first[item], part.last[item] = total, total
        total += part.counts[item]
    for record in records:
        for place in range(starts[record], starts[record + 1]):
            item = codes[place]
            if part.counts[item]:
                part.holders[part.last[item]] = record
                part.last[item] += 1
    return held


@compiled
def _divide(
    starts: IntArray,
    codes: CodeArray,
    records: IntArray,
    trail: int,
    wanted: int,
    limit: int,
    held: int,
    part: _Part,
    path: _Path,
    together: Together,
) -> tuple[IntArray, list[tuple[int, int, int, bool]]]:
    """Return the records part after part, and of each part its size, its way, its wanted set and if it may be split."""
    heap = _heap(part.seen[:held], part.counts, together, len(starts))
    found = np.empty(len(records), dtype=np.int64)
    parts = [(0, 0, 0, False) for _ in range(0)]
    place = 0
    # One split per iteration; D2 goes on in this loop, D1 is put on the stack by the caller.
    while len(records) - place >= limit:
        # HORPART_U, case 1: stay in the current constraint u.
        item = _member(wanted, part.counts, together)
        if item < 0:
            # Cases 2 and 3: the most frequent term of any constraint, else of T \ ignore; u = its constraint.
            item = _most_frequent(heap, part.counts, together, len(starts))
            wanted = together.home[item] if item >= 0 else -1
        if item < 0:
            # T \ ignore is empty, which the paper leaves open: the caller cuts such records into equal slices.
            break
        path.items[path.used[0]], path.above[path.used[0]] = item, trail
        below = path.used[0]
        path.used[0] += 1
        if part.counts[item] == len(records) - place:
            part.counts[item], trail = 0, below  # all hold it: it splits nothing
            continue
        # D1 = the records that contain a; the counts of D2 follow by subtraction.
        size = _take(starts, codes, item, part, found[place:])
        parts.append((size, below, wanted, True))
        place += size
        # D2 starts without a constraint.
        wanted = -1
    parts.append((len(records) - place, trail, wanted, False))
    for record in records:
        if part.left[record]:
            part.left[record] = False
            found[place] = record
            place += 1
    for number in range(held):
        part.counts[part.seen[number]] = 0
    return found, parts


@compiled
def _heap(items: CodeArray, counts: IntArray, together: Together, records: int) -> list[int]:
    heap = [0 for _ in range(len(items))]
    for number in range(len(items)):
        heap[number] = _rank(items[number], counts, together, records)
    heapq.heapify(heap)
    return heap


@compiled
def _rank(item: int, counts: IntArray, together: Together, records: int) -> int:
    """Return a number that is smaller for items to choose before others."""
    wanted = 1 if together.home[item] >= 0 else 0
    return -int((wanted * records + counts[item]) * len(counts) + (len(counts) - 1 - item))


@compiled
def _most_frequent(heap: list[int], counts: IntArray, together: Together, records: int) -> int:
    """Return the item to choose, -1 if there is none; counts only fall, so what the heap says is never too low."""
    while heap:
        best = heapq.heappop(heap)
        item = len(counts) - 1 - (-best) % len(counts)
        if counts[item] == 0:
            continue
        # Counts may have fallen since the item was pushed: push it again with its present rank.
        now = _rank(item, counts, together, records)
        if now == best:
            return item
        heapq.heappush(heap, now)
    return -1


@compiled
def _member(wanted: int, counts: IntArray, together: Together) -> int:
    """Return the most frequent item of a wanted set, -1 if none of it is left."""
    best = -1
    if wanted < 0:
        return best
    for place in range(together.starts[wanted], together.starts[wanted + 1]):
        item = together.members[place]
        if counts[item] > 0 and (best < 0 or counts[item] > counts[best]):
            best = item
    return best


@compiled
def _take(starts: IntArray, codes: CodeArray, item: int, part: _Part, found: IntArray) -> int:
    """Take the records that hold an item, in their order; return how many."""
    size = 0
    for place in range(part.first[item], part.last[item]):
        record = part.holders[place]
        if not part.left[record]:
            continue
        part.left[record] = False
        found[size] = record
        size += 1
        for other in range(starts[record], starts[record + 1]):
            if part.counts[codes[other]] > 0:
                part.counts[codes[other]] -= 1
    return size


@compiled
def _slice(edge: BoolArray, begin: int, size: int, limit: int, least: int) -> None:
    """Cut records that no item splits into slices of equal size."""
    slices = max(1, min(-(-size // (limit - 1)), size // least))
    for number in range(slices):
        edge[begin + size * number // slices] = True
