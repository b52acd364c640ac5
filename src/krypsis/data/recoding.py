"""The frequency set, which is all that a search sees of a table, and the recoding that it returns."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np

from krypsis.arrays import BoolArray, CodeArray, FloatArray, IntArray
from krypsis.data.groups import Histogram
from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.kernels.rows import count_values, merge, number, number_rows, sum_of_chosen, weigh_values

Grain = Literal["tuple", "record"]
"""What a frequency set counts: distinct tuples of quasi-identifiers, or every record for itself."""


@dataclass(frozen=True, eq=False)
class FrequencySet:
    """What an engine hands to an algorithm; nothing in a search depends on the number of rows behind it.

    ``codes[tuple, attribute]`` are codes of level 0 of ``hierarchies[attribute]``; ``counts[tuple]`` is the number of
    records; the histograms of ``sensitive`` have the tuples as their groups. Tuples are in ascending order of their
    codes, so that the order of the rows in the table leaves no trace. With the grain ``record`` every record is a tuple
    of its own, so that tuples may be equal.
    """

    attributes: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]
    codes: CodeArray
    counts: IntArray
    sensitive: Mapping[str, Histogram] = field(default_factory=dict)
    sets: tuple[tuple[int, ...], ...] = ()
    """The quasi-identifier sets as positions in ``attributes``; empty means one set of all."""
    weights: tuple[float, ...] = ()
    """The weight of each attribute in the metrics; empty means 1 for all."""
    population: IntArray | None = None
    """The number of people of the population per tuple, where one is given; then tuples may be without records.

    These come after all others, so that a group which has records is represented by a tuple that has, too.
    """
    combined: Mapping[tuple[str, ...], Histogram] = field(default_factory=dict)
    """Columns → the combinations of their values per tuple, where a promise asks for them; not always published."""

    @cached_property
    def rows(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    @cached_property
    def own(self) -> "FrequencySet":
        """The frequency set of the table alone, without a population."""
        if self.population is None:
            return self
        present = int(np.count_nonzero(self.counts))
        return replace(self, codes=self.codes[:present], counts=self.counts[:present], population=None)

    def with_groups_as_tuples(
        self, codes: CodeArray, counts: IntArray, marginals: Sequence[IntArray], sensitive: Mapping[str, Histogram]
    ) -> "FrequencySet":
        """Return a frequency set with whole groups in the place of tuples, of which ``codes`` has one value each.

        Only ``marginals`` says how often values occur. For tables whose tuples do not fit into memory: sizes of groups,
        labels, promises and axes can be computed from it, and nothing that looks at values of single tuples.
        """
        made = replace(self, codes=codes, counts=counts, sensitive=sensitive)
        made.__dict__["marginals"] = tuple(marginals)  # the place of the cached property, which would count the codes
        return made

    @property
    def heights(self) -> tuple[int, ...]:
        """The highest level of each attribute."""
        return tuple(hierarchy.height for hierarchy in self.hierarchies)

    @cached_property
    def attribute_weights(self) -> FloatArray:
        """The weight of each attribute in the metrics."""
        return np.array(self.weights or [1.0] * len(self.attributes))

    @cached_property
    def attribute_sets(self) -> tuple[tuple[int, ...], ...]:
        """The quasi-identifier sets as positions in ``attributes``."""
        return self.sets or (tuple(range(len(self.attributes))),)

    @cached_property
    def value_offsets(self) -> IntArray:
        """Where the values of each attribute begin when all attributes are laid out one after the other."""
        return np.cumsum([0, *(len(hierarchy.values) for hierarchy in self.hierarchies)], dtype=np.int64)

    @cached_property
    def marginals(self) -> tuple[IntArray, ...]:
        """Per attribute, the number of records of each value at level 0."""
        return tuple(
            np.bincount(self.codes[:, position], self.counts, minlength=len(hierarchy.values)).astype(np.int64)
            for position, hierarchy in enumerate(self.hierarchies)
        )


RunFigures = tuple[Mapping[str, object], ...]
"""Key figures of a search, one mapping per step; what a person wants to follow is in a trace, see ``progress.py``."""


@dataclass(frozen=True, eq=False)
class FullDomain:
    """Every value of an attribute goes to the same level; the records of some tuples are suppressed.

    ``suppressed[tuple]`` refers to the tuples of the frequency set the recoding was found on. ``lower_bound`` is a
    score that no recoding of the same search space can beat, where the algorithm has proven one.
    """

    levels: tuple[int, ...]
    suppressed: BoolArray
    figures: RunFigures = field(default=())
    lower_bound: float | None = None


@dataclass(frozen=True, eq=False)
class Codebook:
    """What an attribute may be published as: different labels, each with the values it stands for.

    ``values[starts[code] : ends[code]]`` are the level-0 codes below the label ``code``; labels may overlap, as ranges
    do that different groups of records are published with. ``climbed`` says how far up its hierarchy a label is, from
    0 (a value itself) to 1 (the top).

    Examples
    --------
    >>> job = Hierarchy.from_rows([["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"]])
    >>> book = Codebook.of_level(job, 1)
    >>> book.labels, book.leaves.tolist(), book.climbed.tolist()
    (('x', 'y'), [2, 1], [0.5, 0.5])
    """

    labels: tuple[Label, ...]
    starts: IntArray
    ends: IntArray
    values: IntArray
    climbed: FloatArray

    @classmethod
    def of(cls, members: Mapping[Label, Sequence[int]], climbed: Sequence[float]) -> "Codebook":
        """Return the codebook of labels with the level-0 codes below each."""
        edges = np.cumsum([0, *map(len, members.values())], dtype=np.int64)
        values = [value for below in members.values() for value in below]
        return cls(
            tuple(members),
            edges[:-1],
            edges[1:],
            np.array(values, dtype=np.int64),
            np.array(climbed, dtype=np.float64),
        )

    @classmethod
    def of_level(cls, hierarchy: Hierarchy, level: int) -> "Codebook":
        """Return the labels of one level of a hierarchy."""
        codes = hierarchy.table[level]
        counts = np.bincount(codes, minlength=len(hierarchy.labels[level]))
        ends = np.cumsum(counts, dtype=np.int64)
        return cls(
            hierarchy.labels[level],
            ends - counts,
            ends,
            np.argsort(codes, kind="stable").astype(np.int64),
            np.full(len(counts), level / max(hierarchy.height, 1)),
        )

    @cached_property
    def leaves(self) -> IntArray:
        """The number of values each label stands for."""
        return self.ends - self.starts

    def below(self, code: int) -> IntArray:
        """Return the level-0 codes that a label stands for."""
        return self.values[self.starts[code] : self.ends[code]]

    def weigh(self, marginal: IntArray) -> IntArray:
        """Return the number of records of the whole table that each label stands for."""
        sums = np.concatenate([[0], np.cumsum(marginal[self.values])])
        weights: IntArray = (sums[self.ends] - sums[self.starts]).astype(np.int64)
        return weights


@dataclass(frozen=True, eq=False)
class CellRecoding:
    """Every tuple has its own label in every attribute: ``released[tuple, attribute]`` is a code of its codebook."""

    released: CodeArray
    codebooks: tuple[Codebook, ...]
    suppressed: BoolArray
    figures: RunFigures = field(default=())
    lower_bound: float | None = None


Recoding = FullDomain | CellRecoding


def as_cells(recoding: Recoding, frequency: FrequencySet) -> CellRecoding:
    """Return a recoding in the form that says everything cell by cell."""
    if isinstance(recoding, CellRecoding):
        return recoding
    books = tuple(map(Codebook.of_level, frequency.hierarchies, recoding.levels))
    columns = [
        hierarchy.table[level][frequency.codes[:, position]]
        for position, (hierarchy, level) in enumerate(zip(frequency.hierarchies, recoding.levels, strict=True))
    ]
    return CellRecoding(np.stack(columns, axis=1), books, recoding.suppressed, recoding.figures, recoding.lower_bound)


Penalty = Callable[[IntArray, int, FloatArray], FloatArray]
"""The cost of labels, from their numbers of leaves, the number of all leaves and how far up the hierarchy they are."""


@dataclass(frozen=True, eq=False)
class PenaltyTable:
    """The penalties of all attributes, one level after the other, and their sums over all records."""

    penalties: FloatArray
    starts: tuple[tuple[int, ...], ...]
    """Where the penalties of an attribute's values at a level begin."""
    totals: tuple[tuple[float, ...], ...]
    highest: tuple[tuple[float, ...], ...]
    """The highest penalty of any record in an attribute at a level."""


_tables: WeakKeyDictionary[FrequencySet, dict[Penalty, PenaltyTable]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Outcome(ABC):
    """All groups of a recoded table, each by one of its tuples, and which of them are refused and so suppressed."""

    frequency: FrequencySet
    tuples: IntArray
    sizes: IntArray
    refused: BoolArray
    sensitive: Mapping[str, Histogram]
    """The sensitive values of all groups, refused ones included."""

    @property
    def rows(self) -> int:
        """The number of records before suppression."""
        return self.frequency.rows

    @cached_property
    def suppressed(self) -> int:
        """The number of suppressed records."""
        return sum_of_chosen(self.sizes, self.refused)

    @cached_property
    def kept_sizes(self) -> IntArray:
        """The sizes of the groups that are kept."""
        return self.sizes[~self.refused]

    @property
    def group_count(self) -> int:
        """The number of groups that are kept."""
        return len(self.kept_sizes)

    @property
    def square_sum(self) -> int:
        """The sum of the squared sizes of the groups that are kept."""
        return int(self.kept_sizes @ self.kept_sizes)

    @abstractmethod
    def mean_penalties(self, penalty: Penalty, generalization: float = 1.0, suppression: float = 1.0) -> FloatArray:
        """Return the mean penalty of each attribute over all records; a suppressed record costs 1.

        ``generalization`` scales what a kept record pays. A suppressed record pays what it would pay if it were kept,
        and ``suppression`` times the rest up to 1.
        """

    @abstractmethod
    def kept_leaves(self, position: int) -> IntArray:
        """Return for each kept group how many values its label in an attribute stands for."""


@dataclass(frozen=True, eq=False)
class LevelsOutcome(Outcome):
    """The outcome of a full-domain recoding; fast, because searches ask for thousands of them."""

    levels: tuple[int, ...]

    @cached_property
    def suppressed_counts(self) -> IntArray:
        """The suppressed records by their value, the attributes one after the other.

        The value is that of one record of each group, so it is only meaningful at the levels of the outcome or above.
        """
        offsets = self.frequency.value_offsets
        histogram = np.zeros(offsets[-1], dtype=np.int64)
        if self.suppressed:
            count_values(self.frequency.codes, self.tuples, self.sizes, self.refused, offsets, histogram)
        return histogram

    @cached_property
    def suppressed_values(self) -> tuple[IntArray, ...]:
        """Per attribute, the suppressed records by their value, see :attr:`suppressed_counts`."""
        ends = pairwise(self.frequency.value_offsets.tolist())
        return tuple(self.suppressed_counts[start:end] for start, end in ends)

    def mean_penalties(self, penalty: Penalty, generalization: float = 1.0, suppression: float = 1.0) -> FloatArray:
        table = penalty_table(self.frequency, penalty)
        sums = generalization * np.array([total[level] for total, level in zip(table.totals, self.levels, strict=True)])
        if self.suppressed:
            starts = np.array([start[level] for start, level in zip(table.starts, self.levels, strict=True)])
            spared = np.zeros(len(starts))
            weigh_values(self.suppressed_counts, self.frequency.value_offsets, table.penalties, starts, spared)
            sums += suppression * (self.suppressed - generalization * spared)
        means: FloatArray = sums / self.rows
        return means

    def kept_leaves(self, position: int) -> IntArray:
        leaves = self.frequency.hierarchies[position].leaves[self.levels[position]]
        return np.asarray(leaves[self.frequency.codes[self.tuples[~self.refused], position]])


@dataclass(frozen=True, eq=False)
class CellsOutcome(Outcome):
    """The outcome of a recoding cell by cell."""

    recoding: CellRecoding

    def mean_penalties(self, penalty: Penalty, generalization: float = 1.0, suppression: float = 1.0) -> FloatArray:
        # What is charged of a suppressed record's own label; nothing when suppression counts in full.
        charged = np.where(self.recoding.suppressed, 1 - suppression, 1.0) * self.frequency.counts
        sums = [
            np.bincount(self.recoding.released[:, position], charged, minlength=len(book.labels))
            @ penalty(book.leaves, len(hierarchy.values), book.climbed)
            for position, (book, hierarchy) in enumerate(
                zip(self.recoding.codebooks, self.frequency.hierarchies, strict=True)
            )
        ]
        means: FloatArray = (generalization * np.array(sums) + suppression * self.suppressed) / self.rows
        return means

    def kept_leaves(self, position: int) -> IntArray:
        leaves = self.recoding.codebooks[position].leaves
        return np.asarray(leaves[self.recoding.released[self.tuples[~self.refused], position]])


def outcome_of(recoding: Recoding, frequency: FrequencySet) -> Outcome:
    """Return the figures of a recoding."""
    cells = as_cells(recoding, frequency)
    radices = [len(book.labels) for book in cells.codebooks]
    alike, _ = number_rows(list(cells.released.T), radices, len(frequency.counts))
    # Tuples that look alike may be suppressed one by one: then they are two groups, one kept and one not.
    numbers, first = number(alike * np.int64(2) + cells.suppressed)
    sizes = np.bincount(numbers, frequency.counts, minlength=len(first)).astype(np.int64)
    sensitive = {name: merge(histogram, numbers) for name, histogram in frequency.sensitive.items()}
    groups = (frequency, first, sizes, cells.suppressed[first], sensitive)
    if isinstance(recoding, FullDomain):
        return LevelsOutcome(*groups, recoding.levels)
    return CellsOutcome(*groups, cells)


def penalty_table(frequency: FrequencySet, penalty: Penalty) -> PenaltyTable:
    """Return the penalties of a frequency set, which are made once."""
    tables = _tables.setdefault(frequency, {})
    if penalty not in tables:
        tables[penalty] = _made_table(frequency, penalty)
    return tables[penalty]


def _made_table(frequency: FrequencySet, penalty: Penalty) -> PenaltyTable:
    penalties = [
        penalty(hierarchy.leaves, len(hierarchy.values), _climbed(hierarchy.height))
        for hierarchy in frequency.hierarchies
    ]
    levels = [row for table in penalties for row in table]
    places = iter(np.cumsum([0, *map(len, levels)]).tolist())
    return PenaltyTable(
        np.concatenate(levels) if levels else np.zeros(0),
        tuple(tuple(next(places) for _ in table) for table in penalties),
        tuple(
            tuple((table @ marginal).tolist()) for table, marginal in zip(penalties, frequency.marginals, strict=True)
        ),
        tuple(
            tuple(table.max(axis=1, where=marginal > 0, initial=0.0).tolist())
            for table, marginal in zip(penalties, frequency.marginals, strict=True)
        ),
    )


def _climbed(height: int) -> FloatArray:
    """Return the share of the hierarchy that lies below each level, as a column to go with ``[level, value]``."""
    return (np.arange(height + 1) / max(height, 1))[:, None]
