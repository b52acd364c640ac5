"""Numbering of rows that are alike in several columns of codes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from krypsis.arrays import BoolArray, CodeArray, ColumnArray, CountArray, FloatArray, IntArray
from krypsis.kernels._jit import compiled

if TYPE_CHECKING:
    from krypsis.data.groups import Histogram


# The golden ratio as a 64-bit fraction spreads neighboring keys over the table (Knuth, vol. 3, 6.4).
SPREAD = np.uint64(0x9E3779B97F4A7C15)


@compiled
def number_keys(keys: IntArray, numbers: CodeArray, first: IntArray) -> int:
    """Give numbers to the distinct keys in order of appearance.

    Writes the number of each key into ``numbers`` and the position of its first appearance into ``first`` (both as long
    as ``keys``), and returns how many distinct keys there are.
    """
    bits = 4
    # At most half full, so that linear probing stays short.
    while (1 << bits) < 2 * len(keys):
        bits += 1
    mask = (1 << bits) - 1
    shift = np.uint64(64 - bits)
    table = np.full(1 << bits, -1, np.int32)
    found = 0
    # Each key walks from its slot to an equal key or a free slot; keys are never removed, so both end the walk.
    for position in range(len(keys)):
        key = keys[position]
        slot = np.int64((np.uint64(key) * SPREAD) >> shift)
        while True:
            number = table[slot]
            if number < 0:
                table[slot] = found
                first[found] = position
                numbers[position] = found
                found += 1
                break
            if keys[first[number]] == key:
                numbers[position] = number
                break
            slot = (slot + 1) & mask
    return found


@compiled
def sum_by_number(numbers: CodeArray, counts: IntArray, sums: IntArray) -> None:
    """Add each count to the sum of its number."""
    for position in range(len(numbers)):
        sums[numbers[position]] += counts[position]


@compiled
def node_keys(
    codes: CodeArray,
    tuples: IntArray,
    columns: IntArray,
    starts: IntArray,
    radices: IntArray,
    lookup: CodeArray,
    keys: IntArray,
) -> None:
    """Append to ``keys`` the digits of the given columns, for one tuple per key.

    ``lookup[starts[number] + code]`` is the digit of a code of the column ``columns[number]`` at the level of the node,
    and ``radices[number]`` how many such digits there are.
    """
    for position in range(len(tuples)):
        row = tuples[position]
        key = keys[position]
        for number in range(len(columns)):
            # Mixed radix: different label vectors get different keys as long as nothing overflows.
            key = key * radices[number] + lookup[starts[number] + codes[row, columns[number]]]
        keys[position] = key


@compiled
def sum_of_chosen(counts: IntArray, chosen: BoolArray) -> int:
    """Return the sum of the counts that are chosen."""
    total = 0
    for position in range(len(counts)):
        if chosen[position]:
            total += counts[position]
    return total


@compiled
def count_values(
    codes: CodeArray, tuples: IntArray, counts: IntArray, chosen: BoolArray, offsets: IntArray, histogram: IntArray
) -> None:
    """Add the counts of the chosen tuples to the histogram of each of their values; all columns lie in one array."""
    for position in range(len(tuples)):
        if chosen[position]:
            row = tuples[position]
            for column in range(codes.shape[1]):
                histogram[offsets[column] + codes[row, column]] += counts[position]


@compiled
def weigh_values(
    histogram: IntArray, offsets: IntArray, weights: FloatArray, starts: IntArray, sums: FloatArray
) -> None:
    """Add to the sum of each column its histogram times the weights of its values, which begin at its start."""
    for column in range(len(starts)):
        ahead = starts[column] - offsets[column]
        for place in range(offsets[column], offsets[column + 1]):
            if histogram[place]:
                sums[column] += histogram[place] * weights[ahead + place]


def load_kernels() -> None:
    """Load numba and the kernel that every run begins with, which takes a good part of a second in a new process.

    Meant for a thread of its own, next to one that reads a file: reading leaves the interpreter free. Whoever calls a
    kernel in the meantime waits until it is loaded.

    Examples
    --------
    >>> load_kernels()
    """
    number_keys(np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int64))


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


def number_rows(columns: Sequence[ColumnArray], radices: Sequence[int], rows: int) -> tuple[CodeArray, IntArray]:
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


def merge(histogram: "Histogram", numbers: CodeArray) -> "Histogram":
    """Return the histogram of merged groups; ``numbers`` says where each group went."""
    width = max(len(histogram.domain), 1)
    groups = int(numbers.max(initial=-1)) + 1
    if groups * width <= DENSE * len(histogram.count):
        return _merged_by_table(histogram, numbers, (groups, width))
    group = numbers.take(histogram.group).astype(np.int64)
    merged, first = number(group * width + histogram.value)
    counts = np.zeros(len(first), dtype=np.int64)
    sum_by_number(merged, histogram.count, counts)
    return replace(histogram, group=group.take(first), value=histogram.value.take(first), count=counts)


def _merged_by_table(histogram: "Histogram", numbers: CodeArray, cells: tuple[int, int]) -> "Histogram":
    places = np.zeros(cells, dtype=np.int32)
    merged = np.empty((3, len(histogram.count)), dtype=np.int64)
    found = merge_entries(histogram.group, histogram.value, histogram.count, numbers, places, merged)
    group, value, count = merged[:, :found].copy()
    return replace(histogram, group=group, value=value, count=count)
