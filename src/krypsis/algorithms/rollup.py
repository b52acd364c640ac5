"""Roll-up: the groups at a node of the lattice from the groups at any node below it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from krypsis.frequency import FrequencySet
from krypsis.groups import BoolArray, Groups, Histogram, IntArray
from krypsis.hierarchies.base import CodeArray
from krypsis.kernels.grouping import node_keys, number_keys, sum_by_number
from krypsis.kernels.rows import KEY_SPACE, merge

Levels = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class NodeGroups:
    """The groups at one node: each by one of its tuples and its number of records."""

    levels: Levels
    tuples: IntArray
    sizes: IntArray
    sensitive: Mapping[str, Histogram] = field(default_factory=dict)

    def groups(self) -> Groups:
        """Return what a privacy model looks at."""
        return Groups(self.sizes, self.sensitive)

    def part(self, chosen: BoolArray) -> NodeGroups:
        """Return the chosen groups only."""
        sensitive = {name: _part_of(histogram, chosen) for name, histogram in self.sensitive.items()}
        return NodeGroups(self.levels, self.tuples[chosen], self.sizes[chosen], sensitive)


class Rollup:
    """Makes the groups of any node of a frequency set.

    Keys are mixed-radix numbers. Where the product of the radices would overflow, the columns are taken in several
    passes: each pass numbers the groups of the columns so far and uses that number as the first digit of the next.
    """

    def __init__(self, frequency: FrequencySet) -> None:
        self.frequency = frequency
        self._passes = _split_columns(frequency)
        self._starts, self._lookup = _digit_tables(frequency, self._passes)

    def bottom(self) -> NodeGroups:
        """Return the groups at the lowest node: the tuples themselves."""
        frequency = self.frequency
        return NodeGroups(
            (0,) * len(frequency.attributes),
            np.arange(len(frequency.counts), dtype=np.int64),
            frequency.counts,
            frequency.sensitive,
        )

    def coarsen(self, finer: NodeGroups, levels: Levels) -> tuple[NodeGroups, CodeArray]:
        """Return the groups at a node above, and for each finer group the number of the group it went into."""
        numbers, first = self.number(finer, levels, tuple(range(len(levels))))
        sizes = np.zeros(len(first), dtype=np.int64)
        sum_by_number(numbers, finer.sizes, sizes)
        sensitive = {name: merge(histogram, numbers) for name, histogram in finer.sensitive.items()}
        return NodeGroups(levels, finer.tuples[first], sizes, sensitive), numbers

    def number(self, finer: NodeGroups, levels: Levels, columns: tuple[int, ...]) -> tuple[CodeArray, IntArray]:
        """Give one number to all groups that look alike in the given columns at a node above.

        Returns the number of each finer group and, for each number, the first finer group that has it.
        """
        count = len(finer.sizes)
        keys = np.zeros(count, dtype=np.int64)
        numbers = np.zeros(count, dtype=np.int32)
        first = np.zeros(count, dtype=np.int64)
        found = min(count, 1)
        for last, (radix, members) in enumerate(self._passes):
            active = [column for column in members if column in columns and self._matters(column, levels)]
            if not active:
                continue
            keys = numbers * np.int64(radix) if last else keys
            starts = np.array([self._starts[column][levels[column]] for column in active], dtype=np.int64)
            node_keys(self.frequency.codes, finer.tuples, np.array(active, dtype=np.int64), starts, self._lookup, keys)
            found = number_keys(keys, numbers, first)
        return numbers, first[:found]

    def _matters(self, column: int, levels: Levels) -> bool:
        return len(self.frequency.hierarchies[column].labels[levels[column]]) > 1


def _part_of(histogram: Histogram, chosen: BoolArray) -> Histogram:
    renumbered = np.cumsum(chosen) - 1
    entries = chosen[histogram.group]
    return Histogram(
        renumbered[histogram.group[entries]],
        histogram.value[entries],
        histogram.count[entries],
        histogram.whole,
        histogram.domain,
    )


def _split_columns(frequency: FrequencySet) -> list[tuple[int, list[int]]]:
    """Cut the columns into passes whose keys cannot overflow; a pass is its key space and its columns."""
    carried = max(len(frequency.counts), 1)
    passes: list[tuple[int, list[int]]] = [(1, [])]
    for column, hierarchy in enumerate(frequency.hierarchies):
        radix, members = passes[-1]
        if radix * len(hierarchy.values) * carried >= KEY_SPACE and members:
            passes.append((1, []))
            radix, members = passes[-1]
        passes[-1] = (radix * len(hierarchy.values), [*members, column])
    return passes


def _digit_tables(frequency: FrequencySet, passes: list[tuple[int, list[int]]]) -> tuple[list[list[int]], IntArray]:
    """Lay out one table per column and level: code → digit times place value."""
    starts: list[list[int]] = [[] for _ in frequency.attributes]
    tables: list[IntArray] = []
    length = 0
    for _, members in passes:
        place = 1
        for column in members:
            hierarchy = frequency.hierarchies[column]
            for codes in hierarchy.table:
                starts[column].append(length)
                tables.append(codes.astype(np.int64) * place)
                length += len(codes)
            place *= len(hierarchy.values)
    return starts, np.concatenate(tables) if tables else np.zeros(0, dtype=np.int64)
