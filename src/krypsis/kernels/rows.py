"""Numbering of rows that are alike in several columns of codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from krypsis.arrays import CodeArray, IntArray
from krypsis.kernels.grouping import number_keys, sum_by_number
from krypsis.kernels.histograms import merge_entries

if TYPE_CHECKING:
    from krypsis.data.groups import Histogram

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
