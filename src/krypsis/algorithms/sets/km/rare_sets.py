"""Finds the sets of codes that some record holds and fewer than ``k`` do."""

from __future__ import annotations

import numpy as np

from krypsis.arrays import BoolArray, IntArray
from krypsis.kernels._jit import compiled


@compiled
def find_rare_sets(
    codes: IntArray, starts: IntArray, width: int, k: int, m: int, heads: int, most: int, holders: BoolArray,
    steps: IntArray,
) -> IntArray:  # fmt: skip
    """Return sets of up to ``m`` codes that fewer than ``k`` records hold, one per row, filled up with -1.

    The codes of a record are ascending and below ``width``. Sets are walked depth first in ascending order: where a
    set is rare, none that begins with it is told. Only sets whose first code is below ``heads`` are told, and no more
    than ``most``. The records that hold one of them are marked.

    ``steps[0]`` is what is left to spend, about one for each occurrence that is looked at. The walk ends where it falls
    below 0: what was found until then is not all.
    """
    record_of, ends = _records_and_ends(starts, len(codes))
    rare, found = np.empty((0, m), dtype=np.int64), 0
    counts, touched = np.zeros(width, dtype=np.int64), np.empty(width, dtype=np.int64)
    prefix = np.full(m, -1, dtype=np.int64)
    # The occurrences of the codes that may come next, for every depth one stretch, sorted by code.
    stack = np.argsort(codes, kind="mergesort").astype(np.int64)
    begin, top = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
    top[0] = np.searchsorted(codes[stack], heads)
    depth = 0 if k > 1 else -1
    # Each iteration takes the next run of one code at this depth: its length is the support of prefix + code.
    while depth >= 0 and found < most and steps[0] >= 0:
        start = begin[depth]
        if start == top[depth]:
            depth -= 1
            continue
        end = _end_of_run(codes, stack, start, top[depth])
        begin[depth] = end
        steps[0] -= end - start
        prefix[depth], prefix[depth + 1 :] = codes[stack[start]], -1
        # Rare: every superset is rare as well (a-priori principle), so this prefix is not extended.
        if end - start < k:
            rare, found = _kept_set(rare, found, prefix)
            holders[record_of[stack[start:end]]] = True
        # Last level: counting the codes that follow is enough, no occurrences need to be stored.
        elif depth + 2 == m:
            for occurrence in stack[start:end]:
                steps[0] -= ends[occurrence] - occurrence
            rare, found = _rare_next(
                codes, ends, record_of, stack[start:end], k, most, prefix, rare, found, counts, touched, holders
            )
        # Frequent: go one level down with the occurrences that follow in the same records.
        elif depth + 2 < m:
            free = len(codes) if depth == 0 else top[depth]
            stack, size = _push_following(codes, ends, stack, start, end, free, counts, touched)
            depth += 1
            steps[0] -= size
            begin[depth], top[depth] = free, free + size
    return rare[:found].copy()


@compiled
def _records_and_ends(starts: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """Return for each place its record, and where that ends."""
    record_of, ends = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    for record in range(len(starts) - 1):
        record_of[starts[record] : starts[record + 1]] = record
        ends[starts[record] : starts[record + 1]] = starts[record + 1]
    return record_of, ends


@compiled
def _end_of_run(codes: IntArray, stack: IntArray, start: int, top: int) -> int:
    end = start
    while end < top and codes[stack[end]] == codes[stack[start]]:
        end += 1
    return end


@compiled
def _count_following(
    codes: IntArray, ends: IntArray, occurrences: IntArray, counts: IntArray, touched: IntArray
) -> int:
    """Count what follows some occurrences in their records; write the codes in ascending order, return how many."""
    kinds = 0
    for occurrence in occurrences:
        for other in range(occurrence + 1, ends[occurrence]):
            if counts[codes[other]] == 0:
                touched[kinds] = codes[other]
                kinds += 1
            counts[codes[other]] += 1
    touched[:kinds].sort()
    return kinds


@compiled
def _rare_next(
    codes: IntArray, ends: IntArray, record_of: IntArray, occurrences: IntArray, k: int, most: int, prefix: IntArray,
    rare: IntArray, found: int, counts: IntArray, touched: IntArray, holders: BoolArray,
) -> tuple[IntArray, int]:  # fmt: skip
    """Return the rare sets with those that are one code longer than what some occurrences end; mark who holds them."""
    kinds = _count_following(codes, ends, occurrences, counts, touched)
    before = found
    for code in touched[:kinds]:
        if counts[code] < k and found < most:
            prefix[-1] = code
            rare, found = _kept_set(rare, found, prefix)
    if found > before:
        for occurrence in occurrences:
            for other in range(occurrence + 1, ends[occurrence]):
                if counts[codes[other]] < k:
                    holders[record_of[occurrence]] = True
    counts[touched[:kinds]] = 0
    return rare, found


@compiled
def _push_following(
    codes: IntArray, ends: IntArray, stack: IntArray, start: int, end: int, free: int, counts: IntArray,
    touched: IntArray,
) -> tuple[IntArray, int]:  # fmt: skip
    """Write what follows some occurrences to the stack from ``free`` on, sorted by code; return how much it is."""
    kinds = _count_following(codes, ends, stack[start:end], counts, touched)
    size = 0
    for code in touched[:kinds]:
        size, counts[code] = size + counts[code], size
    if free + size > len(stack):
        wider = np.empty(2 * (free + size), dtype=np.int64)
        wider[:free] = stack[:free]
        stack = wider
    for place in range(start, end):
        for other in range(stack[place] + 1, ends[stack[place]]):
            stack[free + counts[codes[other]]] = other
            counts[codes[other]] += 1
    counts[touched[:kinds]] = 0
    return stack, size


@compiled
def _kept_set(rare: IntArray, found: int, one: IntArray) -> tuple[IntArray, int]:
    """Return the sets with one more, in a larger array if there is no room."""
    if found == len(rare):
        wider = np.empty((max(2 * found, 1024), rare.shape[1]), dtype=np.int64)
        wider[:found] = rare
        rare = wider
    rare[found] = one
    return rare, found + 1
