"""Counting of combinations of values that few records share."""

from __future__ import annotations

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.kernels._jit import compiled


@compiled
def note_rare(
    codes: CodeArray,
    numbers: CodeArray,
    first: IntArray,
    rare: BoolArray,
    columns: IntArray,
    offsets: IntArray,
    tally: IntArray,
    held: BoolArray,
) -> None:
    """Note the rare ones among the combinations of values in some columns.

    ``numbers[row]`` is the combination of each row, ``first[number]`` one row that has it. Every rare combination adds
    one to ``tally[offsets[column] + code]`` of each of its values, and every cell in one is marked in ``held``.
    """
    for combination in range(len(first)):
        if rare[combination]:
            for column in columns:
                tally[offsets[column] + codes[first[combination], column]] += 1
    for row in range(len(numbers)):
        if rare[numbers[row]]:
            for column in columns:
                held[row, column] = True
