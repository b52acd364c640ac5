"""The lattice of levels: what all full-domain searches need to know about it.

Roll-up: the groups at a node of the lattice from the groups at any node below it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from math import prod
from time import monotonic
from typing import Any

import numpy as np

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.data.groups import Groups, Histogram
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import FrequencySet
from krypsis.errors import UsageError
from krypsis.kernels.rows import KEY_SPACE, merge, node_keys, number, sum_by_number
from krypsis.progress import JudgedNode, Progress

Levels = tuple[int, ...]


class MergedLater(Mapping[str, Histogram]):
    """The sensitive values of merged groups, made when they are first asked for: sizes alone settle many nodes.

    Until then it knows where the groups of another mapping went whose values have been made, so that no chain of
    mappings that nobody asked is kept.
    """

    def __init__(self, finer: Mapping[str, Histogram], numbers: CodeArray) -> None:
        self._names = tuple(finer)
        self._source = _where_made(finer, numbers)
        self._made: dict[str, Histogram] = {}

    def __getitem__(self, name: str) -> Histogram:
        # The source is taken before looking: another thread lets go of it only when everything has been made.
        finer, numbers = self._source
        if name not in self._made:
            self._made[name] = merge(finer[name], numbers)
            if len(self._made) == len(self._names):
                self._source = ({}, numbers[:0].copy())
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    @property
    def source(self) -> tuple[Mapping[str, Histogram], CodeArray]:
        """What the values will be made from; an empty mapping when all have been made."""
        return self._source

    @property
    def nbytes(self) -> int:
        """The memory that it keeps alive now."""
        finer, numbers = self._source
        below = finer.nbytes if isinstance(finer, MergedLater) else 0
        return below + numbers.nbytes + _memory(self._made)


class ChangedLater(Mapping[str, Histogram]):
    """Sensitive values that are changed when they are first asked for: most promises look at one attribute or none."""

    def __init__(self, source: Mapping[str, Histogram], change: Callable[[Histogram], Histogram]) -> None:
        self._source = source
        self._change = change
        self._made: dict[str, Histogram] = {}

    def __getitem__(self, name: str) -> Histogram:
        if name not in self._made:
            self._made[name] = self._change(self._source[name])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._source)

    def __len__(self) -> int:
        return len(self._source)


def _where_made(finer: Mapping[str, Histogram], numbers: CodeArray) -> tuple[Mapping[str, Histogram], CodeArray]:
    """Return the nearest values below that have been made, and where their groups went."""
    if not isinstance(finer, MergedLater):
        return finer, numbers
    source, before = finer.source
    return (source, numbers[before]) if source else (finer, numbers)


def _memory(histograms: Mapping[Any, Histogram]) -> int:
    return sum(one.group.nbytes + one.value.nbytes + one.count.nbytes for one in tuple(histograms.values()))


@dataclass(frozen=True, eq=False)
class NodeGroups:
    """The groups at one node: each by one of its tuples and its number of records."""

    levels: Levels
    tuples: IntArray
    sizes: IntArray
    sensitive: Mapping[str, Histogram] = field(default_factory=dict)
    population: IntArray | None = None
    combined: Mapping[tuple[str, ...], Histogram] = field(default_factory=dict)

    def groups(self) -> Groups:
        """Return what a privacy model looks at."""
        return Groups(self.sizes, self.sensitive, self.population, self.combined)

    @property
    def nbytes(self) -> int:
        """The memory that the groups take now."""
        values = self.sensitive
        secrets = values.nbytes if isinstance(values, MergedLater) else _memory(values)
        return self.tuples.nbytes + self.sizes.nbytes + secrets + _memory(self.combined)

    def part(self, chosen: BoolArray) -> "NodeGroups":
        """Return the chosen groups only."""
        sensitive = ChangedLater(self.sensitive, lambda histogram: histogram.part(chosen))
        population = None if self.population is None else self.population[chosen]
        combined = {names: histogram.part(chosen) for names, histogram in self.combined.items()}
        return NodeGroups(self.levels, self.tuples[chosen], self.sizes[chosen], sensitive, population, combined)

    def alone(self) -> "NodeGroups":
        """Return the groups as if they were the whole table."""
        sensitive = ChangedLater(self.sensitive, Histogram.alone)
        return NodeGroups(self.levels, self.tuples, self.sizes, sensitive, self.population, self.combined)

    def without_records_of(self, chosen: BoolArray) -> "NodeGroups":
        """Return all groups, the chosen ones without records; the people of the population stay what they were."""
        sensitive = {name: _without(histogram, chosen) for name, histogram in self.sensitive.items()}
        combined = {names: _without(histogram, chosen) for names, histogram in self.combined.items()}
        return replace(self, sizes=np.where(chosen, 0, self.sizes), sensitive=sensitive, combined=combined)


class Rollup:
    """Makes the groups of any node of a frequency set.

    Keys are mixed-radix numbers over the labels at the levels of the node. Where the product of the radices would
    overflow, the columns are taken in several passes: each pass numbers the groups of the columns so far and uses that
    number as the first digit of the next.
    """

    def __init__(self, frequency: FrequencySet) -> None:
        self.frequency = frequency
        tables = [codes for hierarchy in frequency.hierarchies for codes in hierarchy.table]
        self._lookup = np.concatenate(tables) if tables else np.zeros(0, dtype=np.int32)
        places = iter(np.cumsum([0, *map(len, tables)]).tolist())
        self._starts = [[next(places) for _ in hierarchy.table] for hierarchy in frequency.hierarchies]
        self._radices = [[len(labels) for labels in hierarchy.labels] for hierarchy in frequency.hierarchies]

    @cached_property
    def steps(self) -> tuple[IntArray, IntArray]:
        """Labels one level up, all in one array, and where those of an attribute's labels at a level begin."""
        trees = self.frequency.hierarchies
        steps = [[_labels_above(tree, level) for level in range(tree.height)] for tree in trees]
        starts = np.zeros((len(trees), max(self.frequency.heights, default=0)), dtype=np.int64)
        places = iter(np.cumsum([0, *(len(labels) for step in steps for labels in step)]).tolist())
        for row, step in zip(starts, steps, strict=True):
            row[: len(step)] = [next(places) for _ in step]
        return np.concatenate([np.zeros(0, dtype=np.int64), *(labels for step in steps for labels in step)]), starts

    def bottom(self) -> NodeGroups:
        """Return the groups at the lowest node: the tuples themselves."""
        frequency = self.frequency
        return NodeGroups(
            (0,) * len(frequency.attributes),
            np.arange(len(frequency.counts), dtype=np.int64),
            frequency.counts,
            frequency.sensitive,
            frequency.population,
            frequency.combined,
        )

    def coarsen(self, finer: NodeGroups, levels: Levels) -> tuple[NodeGroups, CodeArray]:
        """Return the groups at a node above, and for each finer group the number of the group it went into."""
        # Rollup property of Incognito: sum the counts of all groups that get the same labels.
        numbers, first = self.number(finer, levels, tuple(range(len(levels))))
        sizes = _summed(numbers, finer.sizes, len(first))
        people = None if finer.population is None else _summed(numbers, finer.population, len(first))
        sensitive = MergedLater(finer.sensitive, numbers) if finer.sensitive else {}
        combined = {names: merge(histogram, numbers) for names, histogram in finer.combined.items()}
        return NodeGroups(levels, finer.tuples[first], sizes, sensitive, people, combined), numbers

    def number(self, finer: NodeGroups, levels: Levels, columns: tuple[int, ...]) -> tuple[CodeArray, IntArray]:
        """Give one number to all groups that look alike in the given columns at a node above.

        Returns the number of each finer group and, for each number, the first finer group that has it.
        """
        numbers = np.zeros(len(finer.sizes), dtype=np.int32)
        first = np.zeros(min(len(finer.sizes), 1), dtype=np.int64)
        for members in self._passes(levels, columns, len(finer.sizes)):
            keys = numbers.astype(np.int64)
            starts = np.array([self._starts[column][levels[column]] for column in members], dtype=np.int64)
            radices = np.array([self._radices[column][levels[column]] for column in members], dtype=np.int64)
            chosen = np.array(members, dtype=np.int64)
            node_keys(self.frequency.codes, finer.tuples, chosen, starts, radices, self._lookup, keys)
            numbers, first = number(keys)
        return numbers, first

    def _passes(self, levels: Levels, columns: tuple[int, ...], count: int) -> list[list[int]]:
        """Cut the columns that distinguish anything into passes whose keys cannot overflow."""
        passes: list[list[int]] = []
        space = KEY_SPACE
        for column in columns:
            radix = self._radices[column][levels[column]]
            if radix == 1:
                continue
            if space * radix >= KEY_SPACE:
                passes.append([])
                space = max(count, 1)
            passes[-1].append(column)
            space *= radix
        return passes


def _labels_above(tree: Hierarchy, level: int) -> IntArray:
    above = np.zeros(len(tree.labels[level]), dtype=np.int64)
    above[tree.table[level]] = tree.table[level + 1]
    return above


def _summed(numbers: CodeArray, counts: IntArray, groups: int) -> IntArray:
    sums = np.zeros(groups, dtype=np.int64)
    sum_by_number(numbers, counts, sums)
    return sums


def _without(histogram: Histogram, chosen: BoolArray) -> Histogram:
    kept = ~chosen[histogram.group]
    return replace(histogram, group=histogram.group[kept], value=histogram.value[kept], count=histogram.count[kept])


@dataclass(frozen=True)
class Limits:
    """What a search may do: how many records may be suppressed, what becomes of them, how far attributes may go."""

    suppressed: int | None = None
    """Most records that may be suppressed; ``None`` leaves it to the algorithm."""
    keep: bool = False
    """Suppressed records stay in the table as one group of their own, which must keep the promises too."""
    lowest: tuple[int, ...] | None = None
    highest: tuple[int, ...] | None = None
    whole_is_known: bool = False
    """Whether readers know the sensitive values of the whole table from elsewhere; they never learn them from us."""


@dataclass(frozen=True)
class Lattice:
    """All level vectors between ``lowest`` and ``highest``.

    Examples
    --------
    >>> sex_and_job = Lattice((0, 0), (1, 2))
    >>> sex_and_job.size, sum(len(sex_and_job.successors(node)) for node in sex_and_job)
    (6, 7)
    """

    lowest: Levels
    highest: Levels

    @classmethod
    def of(cls, frequency: FrequencySet, limits: Limits) -> "Lattice":
        """Return the lattice of a frequency set within the limits."""
        heights = frequency.heights
        lowest = limits.lowest or (0,) * len(heights)
        highest = limits.highest or heights
        for name, low, high, height in zip(frequency.attributes, lowest, highest, heights, strict=True):
            if not 0 <= low <= high <= height:
                raise UsageError(
                    f"levels of {name!r} must lie between 0 and {height}, the height of its hierarchy, "
                    f"with the lowest not above the highest; got {low} to {high}"
                )
        return cls(lowest, highest)

    @property
    def size(self) -> int:
        """The number of nodes, which may be more than any computer can count to."""
        return prod(high - low + 1 for low, high in zip(self.lowest, self.highest, strict=True))

    def __iter__(self) -> Iterator[Levels]:
        return product(*(range(low, high + 1) for low, high in zip(self.lowest, self.highest, strict=True)))

    def successors(self, node: Levels) -> list[Levels]:
        """Return the nodes one step above."""
        return [raised(node, position) for position, level in enumerate(node) if level < self.highest[position]]


def raised(node: Levels, position: int, steps: int = 1) -> Levels:
    """Return the node with one attribute generalized further."""
    return (*node[:position], node[position] + steps, *node[position + 1 :])


class SearchBudget:
    """Counts what a search spends, reports its progress, and says when to stop."""

    def __init__(self, progress: Progress, seconds: float | None = None, nodes: int | None = None) -> None:
        self._progress = progress
        self._end = None if seconds is None else monotonic() + seconds
        self._nodes = nodes
        self.judged = 0

    def spend(self, node: JudgedNode) -> None:
        """Record a node that was judged."""
        self.judged += 1
        self._progress.judged(node)

    def pass_over(self, nodes: int) -> None:
        """Count nodes that were settled without being judged."""
        self.judged += nodes

    def at_most(self, nodes: int) -> int:
        """Return how many of so many nodes may still be judged, at least one."""
        return nodes if self._nodes is None else max(min(nodes, self._nodes - self.judged), 1)

    def is_spent(self) -> bool:
        """Say whether the search must return what it has."""
        late = self._end is not None and monotonic() >= self._end
        enough = self._nodes is not None and self.judged >= self._nodes
        return late or enough or self._progress.wants_stop()

    def part(self, share: float) -> "SearchBudget":
        """Return a budget of a share of what is left in time and nodes, reporting to the same listener."""
        seconds = None if self._end is None else max(self._end - monotonic(), 0) * share
        nodes = None if self._nodes is None else int((self._nodes - self.judged) * share)
        return SearchBudget(self._progress, seconds, nodes)


class Stopped(Exception):  # noqa: N818  an event rather than an error
    """The listener asks the search to stop; the search catches this and returns what it has."""


def stop_if_wanted(progress: Progress) -> None:
    """Raise if the listener asks the search to stop."""
    if progress.wants_stop():
        raise Stopped
