"""Outliers: combinations of values, in some of the attributes, that fewer than k records share."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from krypsis.algorithms.tables.lattice.evaluation import Judge
from krypsis.algorithms.tables.lattice.lattice import Lattice, Levels, Limits, NodeGroups, Rollup, raised
from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.data.recoding import FrequencySet, FullDomain, Recoding
from krypsis.data.schemes import blank, full_domain
from krypsis.errors import UsageError, did_you_mean
from krypsis.kernels._jit import compiled
from krypsis.kernels.rows import number, sum_by_number
from krypsis.metrics.base import Metric
from krypsis.models.base import GroupModel
from krypsis.models.k_anonymity import KAnonymity
from krypsis.progress import NO_PROGRESS, Progress


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
    def at_levels(cls, frequency: FrequencySet, levels: Sequence[int], tuples: IntArray, counts: IntArray) -> "Cells":
        """Return the cells of groups, each given by one of its tuples, when every attribute goes to a level."""
        columns, blanks, widths = [], [], []
        for position, (hierarchy, level) in enumerate(zip(frequency.hierarchies, levels, strict=True)):
            labels, top = hierarchy.labels[level], hierarchy.labels[-1][0]
            columns.append(hierarchy.table[level][frequency.codes[tuples, position]])
            # A label that reads like the top cannot be distinguished from a suppressed cell, so it counts as one.
            blanks.append(labels.index(top) if top in labels else len(labels))
            widths.append(len(labels) + 1)
        return cls(np.asfortranarray(np.stack(columns, axis=1)), counts, tuple(blanks), tuple(widths))

    def blanked(self, chosen: BoolArray) -> "Cells":
        """Return the cells with the chosen ones, ``chosen[group, attribute]``, suppressed."""
        codes = np.where(chosen, np.array(self.blanks, dtype=np.int32), self.codes)
        return replace(self, codes=np.asfortranarray(codes))

    @property
    def varying(self) -> Combination:
        """The attributes in which not all groups look alike; the others can distinguish no records."""
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


Tested = Callable[[Cells], Sequence[Combination]]
"""Which combinations of attributes are looked at."""

Heard = Callable[[NodeGroups], None]
"""Is given the groups at every node."""


@dataclass(frozen=True)
class RoundState:
    """What is known between two rounds, when it is decided whether an attribute is generalized further."""

    levels: Mapping[str, int]
    free: tuple[str, ...]
    """The attributes that may be generalized further."""
    outliers: Mapping[str, int]
    """The number of outliers each attribute takes part in."""
    share: float
    """The share of records that hold an outlier."""


Decider = Callable[[RoundState], str | None]
"""Names the attribute to generalize by one level, or nothing to go on to suppression."""


@dataclass(frozen=True)
class MostOutliers:
    """Decides for the attribute with most outliers, until few enough records hold one.

    Of equals the first in the order of the quasi-identifiers is taken.
    """

    tolerance: float

    def __call__(self, situation: RoundState) -> str | None:
        """Return the attribute to generalize, or nothing."""
        useful = [name for name in situation.free if situation.outliers[name]]
        if situation.share <= self.tolerance or not useful:
            return None
        # The default of the specification: generalize the attribute with most outliers while any remain.
        return max(useful, key=lambda name: situation.outliers[name])


@dataclass(frozen=True, eq=False)
class Round:
    """The table at some levels: its groups, which cells of them are suppressed, and what is looked at."""

    node: NodeGroups
    number: CodeArray
    """The group of each tuple."""
    cells: Cells
    blanked: BoolArray
    tested: tuple[Combination, ...]

    def blank(self, chosen: BoolArray) -> "Round":
        """Return the round with more cells, ``chosen[group, attribute]``, suppressed."""
        return replace(self, cells=self.cells.blanked(chosen), blanked=self.blanked | chosen)


@dataclass(eq=False)
class Rounds:
    """The steps that μ-Argus and its improved variant share; they differ in what counts as an outlier."""

    frequency: FrequencySet
    k: int
    lattice: Lattice
    tested: Tested
    count_blanks: bool
    progress: Progress = NO_PROGRESS
    heard: Heard | None = None
    figures: list[Mapping[str, object]] = field(default_factory=list)

    def run(self, decide: Decider) -> Round:
        """Return the table after all steps."""
        return self._suppressed(self._generalized(decide))

    def _generalized(self, decide: Decider) -> Round:
        """Return the table after steps 2 to 5: values are common one by one, and the decider wants no more."""
        # Step 2: generalize each attribute until each single value satisfies k.
        levels = self._levels_of_common_values()
        while True:
            now = self._at(levels)
            # Step 3: outliers = the tested combinations with fewer than k occurrences.
            outliers = find_outliers(now.cells, self.k, now.tested, count_blanks=self.count_blanks)
            situation = self._situation(now, outliers)
            # Step 4: the user may choose an attribute to generalize; the decider stands in for the user.
            name = None if self.progress.wants_stop() else decide(situation)
            self._note_generalization(situation, outliers, name)
            if name is None:
                # Step 5: repeat steps 3 and 4 until the user stops.
                return now
            levels = raised(levels, self._position(name, situation))

    def _suppressed(self, now: Round) -> Round:
        """Return the table after step 6: the value that stands in most outliers leaves them all, again and again."""
        while not self.progress.wants_stop():
            outliers = find_outliers(now.cells, self.k, now.tested, count_blanks=self.count_blanks)
            # Step 6: blank first the value that occurs in the most outlier combinations.
            worst = _most_frequent(outliers, now.cells)
            if worst is None:
                break
            position, code = worst
            chosen = np.zeros_like(now.blanked)
            # Only cells that stand in an outlier: elsewhere the value does no harm.
            chosen[:, position] = outliers.held[:, position] & (now.cells.codes[:, position] == code)
            self._note_suppression(now, worst, chosen)
            now = now.blank(chosen)
        return now

    def recoding(self, now: Round) -> Recoding:
        """Return what the table is published as; where no cell is suppressed, the levels say it all."""
        if not now.blanked.any():
            return FullDomain(now.node.levels, np.zeros(len(now.number), dtype=np.bool_), tuple(self.figures))
        recoding = full_domain(self.frequency, now.node.levels)
        for position, name in enumerate(self.frequency.attributes):
            recoding = blank(recoding, self.frequency, name, now.blanked[now.number, position])
        return replace(recoding, figures=tuple(self.figures))

    def _levels_of_common_values(self) -> Levels:
        """Generalize each attribute until every single value is shared by k records (step 2)."""
        levels = []
        for position, (low, high) in enumerate(zip(self.lattice.lowest, self.lattice.highest, strict=True)):
            wanted = (level for level in range(low, high) if self._values_are_common(position, level))
            levels.append(next(wanted, high))
        return tuple(levels)

    def _values_are_common(self, position: int, level: int) -> bool:
        # Values without records count 0 and do not matter.
        counts = np.bincount(self.frequency.hierarchies[position].table[level], self.frequency.marginals[position])
        return bool((counts[counts > 0] >= self.k).all())

    @cached_property
    def _rollup(self) -> Rollup:
        return Rollup(self.frequency)

    def _at(self, levels: Levels) -> Round:
        node, number = self._rollup.coarsen(self._rollup.bottom(), levels)
        if self.heard is not None:
            self.heard(node)
        cells = Cells.at_levels(self.frequency, levels, node.tuples, node.sizes)
        nothing = np.zeros(cells.codes.shape, dtype=np.bool_)
        return Round(node, number, cells, nothing, tuple(self.tested(cells)))

    def _situation(self, now: Round, outliers: Outliers) -> RoundState:
        names = self.frequency.attributes
        levels, highest = now.node.levels, self.lattice.highest
        return RoundState(
            levels=dict(zip(names, levels, strict=True)),
            free=tuple(name for name, low, high in zip(names, levels, highest, strict=True) if low < high),
            outliers=dict(zip(names, outliers.per_attribute(), strict=True)),
            share=outliers.records(now.cells.counts) / self.frequency.rows,
        )

    def _position(self, name: str, situation: RoundState) -> int:
        if name not in situation.free:
            raise UsageError(
                f"{name!r} cannot be generalized further; attributes that can: {', '.join(situation.free) or 'none'}."
                f"{did_you_mean(str(name), situation.free)}"
            )
        return self.frequency.attributes.index(name)

    def _note_generalization(self, situation: RoundState, outliers: Outliers, name: str | None) -> None:
        step = {"levels": dict(situation.levels), "outliers": outliers.number, "share": situation.share}
        self.figures.append(step if name is None else {**step, "generalize": name})

    def _note_suppression(self, now: Round, worst: tuple[int, int], chosen: BoolArray) -> None:
        position, code = worst
        self.figures.append(
            {
                "suppress": self.frequency.attributes[position],
                "value": self.frequency.hierarchies[position].labels[now.node.levels[position]][code],
                "records": int(now.cells.counts[chosen[:, position]].sum()),
            }
        )


def hearing(judge: Judge, metric: Metric, limits: Limits, progress: Progress) -> Heard:
    """Return a function that reports every node that the rounds come to."""
    return lambda node: progress.judged(judge.assess(node, metric, limits))


def promised_k(algorithm: str, models: Sequence[GroupModel]) -> int:
    """Return the k that is promised, the largest of several.

    Raises
    ------
    UsageError
        if something else is promised: these algorithms count records and never look at sensitive values.

    Examples
    --------
    >>> promised_k("mu-argus", [KAnonymity(k=3)])
    3
    """
    for model in models:
        if not isinstance(model, KAnonymity):
            raise UsageError(
                f"{algorithm} is for k-anonymity alone: it counts how many records share a combination of values and "
                f"looks at nothing else, so it cannot keep {model.spec}. Use algorithm 'optimal' or 'datafly'"
            )
    return max(model.k for model in models if isinstance(model, KAnonymity))


def within_sets(combinations: Sequence[Combination], frequency: FrequencySet) -> list[Combination]:
    """Return the combinations of attributes that some attacker knows together."""
    sets = [set(members) for members in frequency.attribute_sets]
    return [combination for combination in combinations if any(known.issuperset(combination) for known in sets)]


def _most_frequent(outliers: Outliers, cells: Cells) -> tuple[int, int] | None:
    """Return the attribute and the code of the value that stands in most outliers; a suppressed cell has none."""
    best: tuple[int, int] | None = None
    most = 0
    for position, tally in enumerate(outliers.tallies):
        counts = tally.copy()
        counts[cells.blanks[position]] = 0
        if counts.max() > most:
            best, most = (position, int(counts.argmax())), int(counts.max())
    return best
