"""Outliers: combinations of values, in some of the attributes, that fewer than k records share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.data.frequency import FrequencySet
from krypsis.kernels._jit import compiled
from krypsis.kernels.grouping import sum_by_number
from krypsis.kernels.rows import number


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
    # Each rare combination counts once for each of its values, however many rows hold it.
    for combination in range(len(first)):
        if rare[combination]:
            for column in columns:
                tally[offsets[column] + codes[first[combination], column]] += 1
    # A cell is held by an outlier if its row's combination is rare.
    for row in range(len(numbers)):
        if rare[numbers[row]]:
            for column in columns:
                held[row, column] = True


Combination = tuple[int, ...]
"""Positions of attributes, ascending."""


@dataclass(frozen=True, eq=False)
class Cells:
    """What groups of records are published as: ``codes[group, attribute]``, with the number of records of each group.

    ``blanks[attribute]`` is the code of a suppressed cell, ``widths[attribute]`` is more than any of its codes.
    """

    codes: CodeArray
    counts: IntArray
    blanks: tuple[int, ...]
    widths: tuple[int, ...]

    @classmethod
    def at_levels(cls, frequency: FrequencySet, levels: Sequence[int], tuples: IntArray, counts: IntArray) -> Cells:
        """Return the cells of groups, each given by one of its tuples, when every attribute goes to a level."""
        columns, blanks, widths = [], [], []
        for position, (hierarchy, level) in enumerate(zip(frequency.hierarchies, levels, strict=True)):
            labels, top = hierarchy.labels[level], hierarchy.labels[-1][0]
            columns.append(hierarchy.table[level][frequency.codes[tuples, position]])
            # A label that reads like the top cannot be told from a suppressed cell, so it counts as one.
            blanks.append(labels.index(top) if top in labels else len(labels))
            widths.append(len(labels) + 1)
        return cls(np.asfortranarray(np.stack(columns, axis=1)), counts, tuple(blanks), tuple(widths))

    def blanked(self, chosen: BoolArray) -> Cells:
        """Return the cells with the chosen ones, ``chosen[group, attribute]``, suppressed."""
        codes = np.where(chosen, np.array(self.blanks, dtype=np.int32), self.codes)
        return replace(self, codes=np.asfortranarray(codes))

    @property
    def varying(self) -> Combination:
        """The attributes in which not all groups look alike; the others can tell no records apart."""
        return tuple(np.flatnonzero((self.codes != self.codes[:1]).any(axis=0)).tolist())


@dataclass(frozen=True, eq=False)
class Outliers:
    """Where the outliers of some cells are."""

    tallies: tuple[IntArray, ...]
    """Per attribute and code, the number of outliers the value stands in."""
    held: BoolArray
    """``held[group, attribute]``: whether the cell stands in an outlier."""
    number: int
    """How many outliers there are."""

    def per_attribute(self) -> list[int]:
        """Return the number of outliers that each attribute takes part in."""
        return [int(tally.sum()) for tally in self.tallies]

    def records(self, counts: IntArray) -> int:
        """Return the number of records that hold an outlier."""
        return int(counts[self.held.any(axis=1)].sum())


def find_outliers(cells: Cells, k: int, tested: Sequence[Combination], *, count_blanks: bool) -> Outliers:
    """Return the combinations of values in the tested attributes that fewer than k records share.

    A suppressed cell looks like another suppressed cell and like nothing else. Unless ``count_blanks``, a combination
    with a suppressed cell in it is no outlier however rare it is.

    Examples
    --------
    >>> codes = np.array([[0, 0], [0, 1], [1, 1]], dtype=np.int32)
    >>> cells = Cells(codes, np.array([2, 1, 2]), blanks=(2, 2), widths=(3, 3))
    >>> outliers = find_outliers(cells, 2, [(0, 1)], count_blanks=True)
    >>> outliers.number, outliers.held.tolist()
    (1, [[False, False], [True, True], [False, False]])
    """
    offsets = np.cumsum([0, *cells.widths])
    tally = np.zeros(offsets[-1], dtype=np.int64)
    held = np.zeros(cells.codes.shape, dtype=np.bool_, order="F")
    found = 0
    for combination, numbers, first in _numbered(cells, tested):
        # A combination of values is an outlier if the records of all groups that show it are fewer than k.
        rare = _rare(cells, numbers, first, k)
        if not count_blanks:
            rare &= ~_has_blank(cells, combination, first)
        if number_of_rare := int(np.count_nonzero(rare)):
            note_rare(cells.codes, numbers, first, rare, np.array(combination), offsets, tally, held)
            found += number_of_rare
    return Outliers(tuple(np.split(tally, offsets[1:-1])), held, found)


def too_small(cells: Cells, k: int, sets: Sequence[Combination]) -> BoolArray:
    """Say for each group whether fewer than k records look like it in all attributes of some set."""
    small = np.zeros(len(cells.counts), dtype=np.bool_)
    for _, numbers, first in _numbered(cells, sets):
        small |= _rare(cells, numbers, first, k)[numbers]
    return small


def _numbered(cells: Cells, combinations: Sequence[Combination]) -> Iterator[tuple[Combination, CodeArray, IntArray]]:
    """Give numbers to groups that look alike in each combination; a common beginning is numbered once."""
    path: list[tuple[int, CodeArray, IntArray]] = []
    # In lexicographic order a combination shares a prefix with the one before, whose numbering is kept on the path.
    for combination in sorted(combinations):
        while tuple(position for position, _, _ in path) != combination[: len(path)]:
            path.pop()
        for position in combination[len(path) :]:
            keys = cells.codes[:, position].astype(np.int64)
            if path:
                # (number of the prefix, code) as one key; codes are below the width, so keys of different pairs differ.
                keys += path[-1][1] * np.int64(cells.widths[position])
            path.append((position, *number(keys)))
        yield combination, path[-1][1], path[-1][2]


def _rare(cells: Cells, numbers: CodeArray, first: IntArray, k: int) -> BoolArray:
    sums = np.zeros(len(first), dtype=np.int64)
    sum_by_number(numbers, cells.counts, sums)
    return sums < k


def _has_blank(cells: Cells, combination: Combination, first: IntArray) -> BoolArray:
    found = np.zeros(len(first), dtype=np.bool_)
    for position in combination:
        found |= cells.codes[first, position] == cells.blanks[position]
    return found
