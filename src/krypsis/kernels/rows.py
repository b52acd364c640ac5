"""Numbering of rows that are alike in several columns of codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from krypsis.arrays import CodeArray, CountArray, FloatArray, IntArray
from krypsis.kernels._jit import compiled
from krypsis.kernels.grouping import number_keys, sum_by_number

if TYPE_CHECKING:
    from krypsis.data.groups import Histogram


@compiled
def merge_entries(
    group: IntArray, value: IntArray, count: IntArray, numbers: CodeArray, places: CodeArray, merged: IntArray
) -> int:
    """Merge the entries of groups that have the same number, in order of appearance; return how many are left.

    ``places[number, value]`` is all zeros and is written to. ``merged[0]``, ``merged[1]`` and ``merged[2]`` get the
    groups, values and counts, and are as long as the entries.
    """
    found = 0
    for entry in range(len(group)):
        number = numbers[group[entry]]
        place = places[number, value[entry]]
        if place:
            merged[2, place - 1] += count[entry]
            continue
        merged[0, found] = number
        merged[1, found] = value[entry]
        merged[2, found] = count[entry]
        found += 1
        places[number, value[entry]] = found
    return found


@compiled
def entries_of_table(counts: CountArray, entries: IntArray) -> int:
    """Write the groups, values and counts that are not 0 into three rows; return how many there are.

    ``counts[group, value]`` are the counts; the rows are as long as there are cells.
    """
    found = 0
    for group in range(counts.shape[0]):
        for value in range(counts.shape[1]):
            entries[0, found] = group
            entries[1, found] = value
            entries[2, found] = counts[group, value]
            found += counts[group, value] > 0  # a cell that is 0 is written over by the next: no branch to guess wrong
    return found


@compiled
def sum_steps(
    group: IntArray,
    place: IntArray,
    count: IntArray,
    sizes: IntArray,
    starts: IntArray,
    shares: FloatArray,
    running: FloatArray,
    ordered: IntArray,
    seen: IntArray,
    sums: FloatArray,
) -> None:
    """Add to the sum of each group how far its running shares are from those given, over all places.

    ``place`` is where the value of an entry stands in the order of values, ``starts[place]`` how many entries stand
    before that place, ``shares`` are the running shares of the whole table and ``running`` their running sums, from 0
    on. Between two places of a group its own running share stays the same: each such stretch is summed at once.
    ``starts`` is written to, and so is room for the entries in order and for what was seen of each group: how many of
    its entries, its last place, and how many records up to there; all zeros at first.
    """
    values = len(shares)
    # Counting sort by place: afterwards the entries of each group come in the order of values.
    for entry in range(len(place)):
        ordered[starts[place[entry]]] = entry
        starts[place[entry]] += 1
    for turn in range(len(ordered) + len(sizes)):
        entry = ordered[turn] if turn < len(ordered) else -1
        number = group[entry] if entry >= 0 else turn - len(ordered)
        here = place[entry] if entry >= 0 else values
        start = seen[number, 1]
        if seen[number, 0] > 0:
            share = seen[number, 2] / sizes[number]
            low, high = start, here  # the first place of the stretch where the whole table has a share as large
            while low < high:
                middle = (low + high) // 2
                if shares[middle] < share:
                    low = middle + 1
                else:
                    high = middle
            # Below ``low`` the group is ahead of the table, from it on behind: Σ |share - shares[i]| without a loop.
            work = share * (2 * low - start - here) + running[start] + running[here] - 2 * running[low]
            if seen[number, 0] == 1:
                work += running[start]  # before its first value the group has no share at all
            sums[number] += work
        if entry >= 0:
            seen[number, 0] += 1
            seen[number, 1] = here
            seen[number, 2] += count[entry]


@compiled
def sum_excess(
    group: IntArray, value: IntArray, count: IntArray, sizes: IntArray, shares: FloatArray, sums: FloatArray
) -> None:
    """Add to the sum of each group by how much the share of each value in it exceeds the share given."""
    # EMD with equal ground distance is ½·Σ|p - q| = Σ max(p - q, 0), because both sum to 1.
    for entry in range(len(group)):
        number = group[entry]
        sums[number] += max(count[entry] / sizes[number] - shares[value[entry]], 0.0)  # no branch to guess wrong


@compiled
def sum_excess_in_table(counts: CountArray, sizes: IntArray, shares: FloatArray, sums: FloatArray) -> None:
    """Set the sum of each group to what :func:`sum_excess` adds; ``counts[group, value]`` may have further columns."""
    for number in range(len(sizes)):
        one = 1 / sizes[number]
        total = 0.0
        for value in range(len(shares)):
            total += max(counts[number, value] * one - shares[value], 0.0)
        sums[number] = total


@compiled
def divide_by_rare(group: IntArray, count: IntArray, largest: IntArray, ratios: FloatArray) -> None:
    """Divide the largest count of each group by the sum of its counts from a rank on; infinite where that is 0.

    ``largest[group]`` has one zero per rank before that rank, at least one, and gets the largest counts in descending
    order. ``ratios`` has one zero per group.
    """
    for entry in range(len(group)):
        row = largest[group[entry]]
        smaller = count[entry]
        # Insertion into the l - 1 largest counts; what falls out at the end belongs to the sum f_(l) + … + f_(m).
        for place in range(len(row)):
            larger = max(smaller, row[place])
            smaller = min(smaller, row[place])
            row[place] = larger
        ratios[group[entry]] += smaller
    for number in range(len(ratios)):
        ratios[number] = largest[number, 0] / ratios[number] if ratios[number] > 0 else np.inf


KEY_SPACE = 2**62
"""Row keys stay below this."""

DENSE = 16
"""Cells per entry up to which a table of all cells is faster than numbering those that occur."""


def number_rows(columns: Sequence[CodeArray], radices: Sequence[int], rows: int) -> tuple[CodeArray, IntArray]:
    """Give numbers to the distinct rows in ascending order of their codes.

    Returns the number of each row and, for each number, one row that has it. Where the mixed-radix key would overflow,
    the rows are numbered by the columns so far and that number becomes the first digit.

    Examples
    --------
    >>> number_rows([np.array([1, 0, 1], dtype=np.int32), np.array([2, 5, 2], dtype=np.int32)], [2, 6], 3)
    (array([1, 0, 1], dtype=int32), array([1, 0]))
    """
    keys = np.zeros(rows, dtype=np.int64)
    space = 1
    for column, radix in zip(columns, radices, strict=True):
        # The next digit would overflow: rows that agree so far get a number, which becomes the first digit.
        if space * radix >= KEY_SPACE:
            keys, space = _condensed(keys)
        keys *= radix
        keys += column
        space *= radix
    numbers, first = number(keys)
    return _in_order(keys, numbers, first)


def _condensed(keys: IntArray) -> tuple[IntArray, int]:
    """Return equal-order keys without gaps, and how many there are."""
    numbers, first = number(keys)
    ordered, _ = _in_order(keys, numbers, first)
    return ordered.astype(np.int64), len(first)


def _in_order(keys: IntArray, numbers: CodeArray, first: IntArray) -> tuple[CodeArray, IntArray]:
    order = np.argsort(keys[first])
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank[numbers], first[order]


def number(keys: IntArray) -> tuple[CodeArray, IntArray]:
    """Give numbers to the distinct keys in order of appearance; return them and where each appears first."""
    numbers = np.empty(len(keys), dtype=np.int32)
    first = np.empty(len(keys), dtype=np.int64)
    found = number_keys(keys, numbers, first)
    return numbers, first[:found]


def merge(histogram: Histogram, numbers: CodeArray) -> Histogram:
    """Return the histogram of merged groups; ``numbers`` says where each group went."""
    width = max(len(histogram.domain), 1)
    groups = int(numbers.max(initial=-1)) + 1
    if groups * width <= DENSE * len(histogram.count):
        return _merged_by_table(histogram, numbers, (groups, width))
    keys = numbers[histogram.group] * np.int64(width) + histogram.value
    merged, first = number(keys)
    counts = np.zeros(len(first), dtype=np.int64)
    sum_by_number(merged, histogram.count, counts)
    distinct = keys[first]
    return replace(histogram, group=distinct // width, value=distinct % width, count=counts)


def _merged_by_table(histogram: Histogram, numbers: CodeArray, cells: tuple[int, int]) -> Histogram:
    places = np.zeros(cells, dtype=np.int32)
    merged = np.empty((3, len(histogram.count)), dtype=np.int64)
    found = merge_entries(histogram.group, histogram.value, histogram.count, numbers, places, merged)
    group, value, count = merged[:, :found].copy()
    return replace(histogram, group=group, value=value, count=count)
