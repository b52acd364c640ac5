"""Grouping of tuples by an integer key, with a hash table in one array."""

from __future__ import annotations

import numpy as np

from krypsis.arrays import BoolArray, CodeArray, FloatArray, IntArray
from krypsis.kernels._jit import compiled

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
