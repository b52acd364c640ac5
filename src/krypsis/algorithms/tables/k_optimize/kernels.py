"""Splitting of groups: what every possible split would do, and the split itself.

The records of a group lie side by side as *cells*: ``tuples[cell]`` is one tuple of a cell, ``counts[cell]`` its number
of records, and ``starts[group]`` the first cell of a group. A cut splits a column into the values before it, the values
from it on, and the missing ones, which never stay with others once their column is split.

Intervals are those between all cuts that are left: ``digits[offsets[column] + code]`` is the interval of a code and
``radices[column]`` their number; the last one is that of the missing values where ``has_missing``. What is found out
about a cut is written at the interval that begins with it.
"""

import numpy as np

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.kernels._jit import compiled


@compiled
def split_groups(
    codes: CodeArray, cut: int, missing: int, tuples: IntArray, starts: IntArray, order: IntArray, edges: IntArray
) -> int:
    """Split every group at a cut of one column, whose codes of all tuples are given; return the number of groups.

    Writes the cells in their new order into ``order`` and the starts of the new groups into ``edges``, which has room
    for three times as many. ``missing`` is the code of a missing value, or larger than any code.
    """
    written = 0
    groups = 0
    for group in range(len(starts) - 1):
        # One pass per part keeps the order inside each part: below the cut, from it on, missing.
        for part in range(3):
            edges[groups] = written
            for cell in range(starts[group], starts[group + 1]):
                code = codes[tuples[cell]]
                place = 2 if code >= missing else 1 if code >= cut else 0
                if place == part:
                    order[written] = cell
                    written += 1
            if written > edges[groups]:
                groups += 1
    edges[groups] = written
    return groups


@compiled
def weigh_splits(  # noqa: C901  one compiled loop
    codes: CodeArray,
    digits: CodeArray,
    offsets: IntArray,
    radices: IntArray,
    has_missing: BoolArray,
    tuples: IntArray,
    counts: IntArray,
    least: IntArray,
    starts: IntArray,
    k: int,
    price: int,
    dearest: int,
    bounds: IntArray,
    lost: IntArray,
    refined: IntArray,
    squares: IntArray,
    useful: BoolArray,
) -> None:
    """Find out for every cut what splitting all groups at it would do.

    ``least[cell]`` is what the records of a cell cost at least unless they are suppressed, which costs ``price`` each.
    Parts smaller than ``k`` are suppressed. Added up are: the growth of the lower bound (``bounds``), the suppressed
    records (``lost``), the groups that fall apart (``refined``), and the change of the sum of squares (``squares``).
    A cut is ``useful`` if it leaves more than one part of some group, or one part of a group so large that its size
    and that of the part are more than ``dearest`` together.
    """
    widest = max(1, radices.max())
    sizes = np.zeros(widest, np.int64)
    weights = np.zeros(widest, np.int64)
    # One group per iteration. All cuts of a column are weighed in one sweep over its intervals, left to right.
    for group in range(len(starts) - 1):
        first, end = starts[group], starts[group + 1]
        if end - first < 2:
            continue
        total = counts[first:end].sum()
        whole = least[first:end].sum()
        for column in range(len(radices)):
            if radices[column] < 2:
                continue
            lowest = highest = np.int64(digits[offsets[column] + codes[tuples[first], column]])
            for cell in range(first, end):
                digit = np.int64(digits[offsets[column] + codes[tuples[cell], column]])
                sizes[digit] += counts[cell]
                weights[digit] += least[cell]
                lowest = min(lowest, digit)
                highest = max(highest, digit)
            split_off, split_off_weight = 0, 0
            if has_missing[column] and highest == radices[column] - 1 and lowest < highest:
                # Any cut of this column takes the missing values away, so each of them splits this group.
                split_off, split_off_weight, lowest = sizes[highest], weights[highest], np.int64(0)
            left, left_weight = 0, 0
            for interval in range(lowest, highest):
                # After this step ``left`` holds the records before the cut at ``interval + 1``.
                left += sizes[interval]
                left_weight += weights[interval]
                place = offsets[column] + interval + 1
                refined[place] += 1
                # The group's own share of the discernibility goes; that of its parts is added below.
                squares[place] -= total * total
                parts, remaining = 0, 0
                for size, weight in (
                    (left, left_weight),
                    (total - split_off - left, whole - split_off_weight - left_weight),
                    (split_off, split_off_weight),
                ):
                    if size >= k:
                        parts += 1
                        remaining = size
                        squares[place] += size * size
                    else:
                        lost[place] += size
                        # A part below k stays suppressed in every descendant, at its price instead of its least cost.
                        bounds[place] += size * price - weight
                        squares[place] += size * price
                if parts > 1 or (parts == 1 and total + remaining > dearest):
                    useful[place] = True
            sizes[: highest + 1] = 0
            weights[: highest + 1] = 0


@compiled
def weigh_majorities(  # noqa: C901, PLR0912  one compiled loop
    codes: CodeArray,
    digits: CodeArray,
    offsets: IntArray,
    radices: IntArray,
    has_missing: BoolArray,
    tuples: IntArray,
    starts: IntArray,
    entries: IntArray,
    values: IntArray,
    amounts: IntArray,
    classes: int,
    k: int,
    agreeing: IntArray,
) -> None:
    """Add up for every cut by how many fewer records agree with the majority of their group after splitting there.

    ``entries[cell]`` is the first entry of a cell: entry ``i`` says that ``amounts[i]`` of its records are of the class
    ``values[i]``. The records of parts smaller than ``k`` are suppressed and agree with nobody.
    """
    widest = max(1, radices.max())
    table = np.zeros((widest, classes), np.int64)
    total = np.zeros(classes, np.int64)
    left = np.zeros(classes, np.int64)
    # The same sweep as in ``weigh_splits``, with a count per class instead of a sum.
    for group in range(len(starts) - 1):
        first, end = starts[group], starts[group + 1]
        if end - first < 2:
            continue
        total[:] = 0
        for entry in range(entries[first], entries[end]):
            total[values[entry]] += amounts[entry]
        majority = total.max()
        for column in range(len(radices)):
            if radices[column] < 2:
                continue
            lowest = highest = np.int64(digits[offsets[column] + codes[tuples[first], column]])
            for cell in range(first, end):
                digit = np.int64(digits[offsets[column] + codes[tuples[cell], column]])
                for entry in range(entries[cell], entries[cell + 1]):
                    table[digit, values[entry]] += amounts[entry]
                lowest = min(lowest, digit)
                highest = max(highest, digit)
            away = has_missing[column] and highest == radices[column] - 1 and lowest < highest
            if away:
                lowest = np.int64(0)
            left[:] = 0
            for interval in range(lowest, highest):
                sizes, largest = np.zeros(3, np.int64), np.zeros(3, np.int64)
                for value in range(classes):
                    left[value] += table[interval, value]
                    split_off = table[highest, value] if away else 0
                    for part, amount in ((0, left[value]), (1, total[value] - left[value] - split_off), (2, split_off)):
                        sizes[part] += amount
                        largest[part] = max(largest[part], amount)
                place = offsets[column] + interval + 1
                # The cost rises by the old majority less those of the parts that are kept.
                agreeing[place] += majority
                for part in range(3):
                    if sizes[part] >= k:
                        agreeing[place] -= largest[part]
            table[: highest + 1] = 0
