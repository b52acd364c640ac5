"""The space of all ways to cut ordered domains into intervals, and the groups that a set of cuts makes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

import numpy as np

from krypsis.algorithms.tables.k_optimize.kernels import split_groups
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.data.groups import Groups, Histogram
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.hierarchies.decimals import parse_number
from krypsis.data.recoding import FrequencySet
from krypsis.kernels.rows import KEY_SPACE, merge, node_keys, number, sum_by_number

_CODE = re.compile(r"[+-]?0[0-9]")


@dataclass(frozen=True, eq=False)
class OrderedDomain:
    """An attribute as a row of *units*, each with a rank: intervals are runs of neighboring ranks.

    A unit holds the values that look alike at ``level`` of the hierarchy; at level 0 that is one value. Numbers are in
    order of size, other values as the leaves of the hierarchy's tree, from left to right. ``units`` holds the level-0
    codes of every unit, also of those without records, which have no rank of their own. Missing comes last and has
    the rank ``missing``.

    Examples
    --------
    >>> hierarchy = Hierarchy.from_rows([["10", "x", "*"], ["9", "x", "*"], ["20", "y", "*"], [None, None, "*"]])
    >>> domain = OrderedDomain.of(hierarchy, np.array([3, 1, 0, 2]))
    >>> domain.units, domain.ranks.tolist(), domain.missing, domain.size
    (((1,), (0,), (2,)), [1, 0, 1, 2], 2, 3)
    """

    hierarchy: Hierarchy
    level: int
    units: tuple[tuple[int, ...], ...]
    numbers: tuple[Decimal, ...] | None
    """The number of each value, where all are numbers; 0 for a missing one."""
    present: tuple[int, ...]
    """The units that hold records, in their order."""
    missing: int | None

    @classmethod
    def of(cls, hierarchy: Hierarchy, marginal: IntArray, level: int = 0) -> "OrderedDomain":
        """Return the order of a hierarchy's values, of which ``marginal`` counts the records."""
        missing_code = hierarchy.code_of.get(None) if level < hierarchy.height else None
        codes = [code for code in range(len(hierarchy.values)) if code != missing_code]
        numbers = _numbers(hierarchy)
        # The paper's total order on each domain: by size for numbers, else as the leaves of the tree.
        units = None if numbers is None else _by_size(codes, hierarchy, level, numbers)
        if units is None:
            numbers, units = None, _as_leaves(codes, hierarchy, level)
        present = tuple(place for place, unit in enumerate(units) if marginal[list(unit)].any())
        missing = len(present) if missing_code is not None and marginal[missing_code] else None
        return cls(hierarchy, level, units, numbers, present, missing)

    @property
    def size(self) -> int:
        """The number of ranks; it may be cut before each but the first."""
        return len(self.present) + (self.missing is not None)

    @cached_property
    def ranks(self) -> CodeArray:
        """The rank of each level-0 code; a unit without records has that of the unit before it, or the first."""
        ranks = np.zeros(len(self.hierarchy.values), dtype=np.int32)
        for place, unit in enumerate(self.units):
            ranks[list(unit)] = max(int(np.searchsorted(self.present, place, side="right")) - 1, 0)
        if self.missing is not None:
            ranks[self.hierarchy.code_of[None]] = self.missing
        return ranks

    def changes(self, rank: int) -> int:
        """Return the highest level at which the values on the two sides of a cut differ, at least 0."""
        if rank == self.missing:
            return max(self.hierarchy.height - 1, 0)
        before, after = self.units[self.present[rank - 1]][-1], self.units[self.present[rank]][0]
        differs = self.hierarchy.table[:, before] != self.hierarchy.table[:, after]
        return int(np.flatnonzero(differs).max(initial=0))


def _numbers(hierarchy: Hierarchy) -> tuple[Decimal, ...] | None:
    """Return the numbers the values stand for, or nothing if some is none: text, or a code such as ``01234``."""
    numbers: list[Decimal] = []
    for value in hierarchy.values:
        number = Decimal(0) if value is None else parse_number(value)
        if number is None or (value is not None and _CODE.match(value.strip())):
            return None
        numbers.append(number)
    return tuple(numbers)


def _by_size(
    codes: Sequence[int], hierarchy: Hierarchy, level: int, numbers: Sequence[Decimal]
) -> tuple[tuple[int, ...], ...] | None:
    """Return units in order of size, or nothing if the level joins numbers that are not side by side.

    At level 0 a unit is a number, however it is written: ``5`` and ``5.0`` are one.
    """
    looks: list[object] = [*hierarchy.table[level].tolist()] if level else [*numbers]
    units: dict[object, list[int]] = {}
    last: object = None
    for code in sorted(codes, key=numbers.__getitem__):
        if looks[code] in units and looks[code] != last:
            return None
        last = looks[code]
        units.setdefault(last, []).append(code)
    return tuple(map(tuple, units.values()))


def _as_leaves(codes: Sequence[int], hierarchy: Hierarchy, level: int) -> tuple[tuple[int, ...], ...]:
    """Return units in the order of the tree's leaves, so that values below one parent are side by side."""
    paths = hierarchy.table[::-1].T.tolist()
    units: dict[int, list[int]] = {}
    for code in sorted(codes, key=paths.__getitem__):
        units.setdefault(int(hierarchy.table[level, code]), []).append(code)
    return tuple(map(tuple, units.values()))


Cuts = BoolArray
"""A set of cuts: ``cuts[i]`` says whether cut ``i`` of the space is in it."""

NEVER = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class IntervalDigits:
    """The interval of every rank under a set of cuts; the ranks of all columns lie in one array."""

    digits: CodeArray
    radices: IntArray
    places: IntArray
    """Where each cut of the space stands in an array over the intervals of all columns."""


@dataclass(frozen=True, eq=False)
class Refinement:
    """Groups made of cells: records that look alike under a set of cuts, and under a larger one.

    The cells of a group lie side by side from ``starts[group]`` on. ``tuples`` names one tuple of each cell, ``counts``
    its records; the groups of the histograms are the cells.
    """

    tuples: IntArray
    counts: IntArray
    starts: IntArray
    sensitive: Mapping[str, Histogram]

    @cached_property
    def sizes(self) -> IntArray:
        """The number of records in each group."""
        sums = np.concatenate([[0], np.cumsum(self.counts)])
        sizes: IntArray = sums[self.starts[1:]] - sums[self.starts[:-1]]
        return sizes

    @cached_property
    def group_of_cell(self) -> CodeArray:
        """The group each cell lies in."""
        lengths = np.diff(self.starts)
        return np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)

    def groups(self) -> Groups:
        """Return what a privacy model looks at."""
        merged = {name: merge(histogram, self.group_of_cell) for name, histogram in self.sensitive.items()}
        return Groups(self.sizes, merged)

    def cells(self) -> Groups:
        """Return the cells as if each was a group."""
        return Groups(self.counts, self.sensitive)

    def only(self, kept: BoolArray) -> "Refinement":
        """Return some of the groups."""
        if kept.all():
            return self
        cells = np.flatnonzero(kept[self.group_of_cell])
        starts = np.concatenate([[0], np.cumsum(np.diff(self.starts)[kept])])
        return self._taken(cells, starts)

    def arranged(self, order: IntArray, starts: IntArray) -> "Refinement":
        """Return the cells in another order, cut into other groups."""
        return self._taken(order, starts)

    def merged(self, numbers: CodeArray, first: IntArray) -> "Refinement":
        """Return larger cells; ``numbers`` says which cells become one, in order of appearance."""
        counts = np.zeros(len(first), dtype=np.int64)
        sum_by_number(numbers, self.counts, counts)
        merged = {name: merge(histogram, numbers) for name, histogram in self.sensitive.items()}
        return Refinement(self.tuples[first], counts, np.searchsorted(first, self.starts), merged)

    def _taken(self, cells: IntArray, starts: IntArray) -> "Refinement":
        place = np.full(len(self.tuples), -1, dtype=np.int64)
        place[cells] = np.arange(len(cells))
        moved = {name: _moved(histogram, place) for name, histogram in self.sensitive.items()}
        return Refinement(self.tuples[cells], self.counts[cells], starts, moved)


class SplitSpace:
    """All cuts of all attributes of a frequency set, numbered through.

    A set of cuts of an attribute whose missing values are present takes these apart from the others, also when the cut
    that does only that is not in the set: missing values look like others only where all values look alike.

    ``lowest`` levels allow cuts only where the hierarchy changes at that level; ``forced`` cuts are those that the
    ``highest`` levels ask for.
    """

    def __init__(self, frequency: FrequencySet, limits: Limits, level: int = 0) -> None:
        self.frequency = frequency
        lowest = limits.lowest or (0,) * len(frequency.attributes)
        self.domains = tuple(
            OrderedDomain.of(hierarchy, marginal, max(low, min(level, max(hierarchy.height - 1, 0))))
            for hierarchy, marginal, low in zip(frequency.hierarchies, frequency.marginals, lowest, strict=True)
        )
        self.codes = _ranked(frequency, self.domains)
        sizes = [domain.size for domain in self.domains]
        self.offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.has_missing = np.array([domain.missing is not None for domain in self.domains])
        self.columns, self.ranks = _numbered(sizes)
        self._flat = self.offsets[self.columns] + self.ranks
        self.forced = self._changing_at(limits.highest or frequency.heights)

    def __len__(self) -> int:
        return len(self.columns)

    def name_of(self, cut: int) -> str:
        """Return the value that starts an interval, with its attribute, such as ``zip 94139``."""
        column, rank = int(self.columns[cut]), int(self.ranks[cut])
        domain = self.domains[column]
        value = None if rank == domain.missing else domain.hierarchy.values[domain.units[domain.present[rank]][0]]
        return f"{self.frequency.attributes[column]} {'(missing)' if value is None else value}"

    @cached_property
    def changes(self) -> IntArray:
        """The highest level at which each cut is one."""
        pairs = zip(self.columns.tolist(), self.ranks.tolist(), strict=True)
        return np.array([self.domains[column].changes(rank) for column, rank in pairs], dtype=np.int64)

    def none(self) -> Cuts:
        """Return the empty set."""
        return np.zeros(len(self), dtype=np.bool_)

    def changing_at(self, level: int) -> Cuts:
        """Return the cuts at which the hierarchies change at a level, or at their highest below the top."""
        return self._changing_at(tuple(min(level, max(height - 1, 0)) for height in self.frequency.heights))

    def _changing_at(self, levels: Sequence[int]) -> Cuts:
        changing: Cuts = self.changes >= np.array(levels, dtype=np.int64)[self.columns]
        return changing

    def digits(self, cuts: Cuts) -> IntervalDigits:
        """Return the intervals of a set of cuts."""
        begins = np.zeros(self.offsets[-1], dtype=np.int64)
        begins[self._flat[cuts]] = 1
        split = np.add.reduceat(begins, self.offsets[:-1]) > 0
        # Once a column is cut, its missing values are an interval of their own.
        begins[(self.offsets[1:] - 1)[split & self.has_missing]] = 1
        running = np.cumsum(begins)
        base = running[self.offsets[:-1]]
        digits = (running - np.repeat(base, np.diff(self.offsets))).astype(np.int32)
        places = self.offsets[self.columns] + digits[self._flat]
        return IntervalDigits(digits, digits[self.offsets[1:] - 1].astype(np.int64) + 1, places)

    def everything(self, sensitive: Mapping[str, Histogram]) -> Refinement:
        """Return all records as one group, each tuple a cell."""
        count = len(self.frequency.counts)
        return Refinement(np.arange(count), self.frequency.counts, np.array([0, count]), sensitive)

    def refine(self, refinement: Refinement, cut: int) -> Refinement:
        """Return the groups split at a cut."""
        column = self.columns[cut]
        missing = self.domains[column].missing
        order = np.empty(len(refinement.tuples), dtype=np.int64)
        edges = np.empty(3 * len(refinement.starts), dtype=np.int64)
        found = split_groups(
            self.codes[:, column],
            int(self.ranks[cut]),
            NEVER if missing is None else missing,
            refinement.tuples,
            refinement.starts,
            order,
            edges,
        )
        return refinement.arranged(order, edges[: found + 1].copy())

    def coarsen(self, refinement: Refinement, digits: IntervalDigits) -> Refinement:
        """Return the same groups with cells merged that look alike."""
        numbers, first = self.number(refinement.tuples, digits)
        return refinement if len(first) == len(numbers) else refinement.merged(numbers, first)

    def regroup(self, refinement: Refinement, digits: IntervalDigits) -> Refinement:
        """Return the same cells in the groups of those that look alike."""
        numbers, first = self.number(refinement.tuples, digits)
        starts = np.concatenate([[0], np.cumsum(np.bincount(numbers))])
        # Numbers of 16 bits are sorted by counting, several times faster than larger ones.
        small = numbers.astype(np.uint16) if len(first) <= 2**16 else numbers
        return refinement.arranged(np.argsort(small, kind="stable"), starts)

    def number(self, tuples: IntArray, digits: IntervalDigits) -> tuple[CodeArray, IntArray]:
        """Give one number to tuples that look alike, in order of appearance; return them and where each comes first."""
        keys = np.zeros(len(tuples), dtype=np.int64)
        for columns in self._passes(digits.radices, len(tuples)):
            keys = number(keys)[0].astype(np.int64) if keys.any() else keys
            chosen = np.array(columns, dtype=np.int64)
            starts, radices = self.offsets[chosen], digits.radices[chosen]
            node_keys(self.codes, tuples, chosen, starts, radices, digits.digits, keys)
        return number(keys)

    def _passes(self, radices: IntArray, carried: int) -> list[list[int]]:
        """Cut the columns into passes whose keys cannot overflow; from the second on, a pass starts with a number."""
        passes: list[list[int]] = [[]]
        space = max(carried, 1)
        for column in np.flatnonzero(radices > 1).tolist():
            if space * int(radices[column]) >= KEY_SPACE and passes[-1]:
                passes.append([])
                space = max(carried, 1)
            space *= int(radices[column])
            passes[-1].append(column)
        return passes


def _moved(histogram: Histogram, place: IntArray) -> Histogram:
    kept = place[histogram.group] >= 0
    group = place[histogram.group][kept]
    return Histogram(group, histogram.value[kept], histogram.count[kept], histogram.whole, histogram.domain)


def _ranked(frequency: FrequencySet, domains: Sequence[OrderedDomain]) -> CodeArray:
    columns = [domain.ranks[frequency.codes[:, column]] for column, domain in enumerate(domains)]
    # Column after column in memory: a split reads one column of many tuples.
    return np.asfortranarray(np.stack(columns, axis=1))


def _numbered(sizes: Sequence[int]) -> tuple[IntArray, IntArray]:
    """Return the column and the rank of every cut."""
    columns = np.repeat(np.arange(len(sizes)), [size - 1 for size in sizes])
    ranks = np.concatenate([np.arange(1, size) for size in sizes])
    return columns.astype(np.int64), ranks.astype(np.int64)
