"""Rounds against outliers: generalize attributes while somebody decides so, then suppress cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from krypsis.algorithms.tables.lattice.evaluation import Judge, Limits
from krypsis.algorithms.tables.lattice.lattice import Lattice, raised
from krypsis.algorithms.tables.lattice.rollup import Levels, NodeGroups, Rollup
from krypsis.algorithms.tables.mu_argus.outliers import Cells, Combination, Outliers, find_outliers
from krypsis.arrays import BoolArray, CodeArray
from krypsis.data.frequency import FrequencySet
from krypsis.data.recoding import FullDomain, Recoding
from krypsis.data.schemes import blank, full_domain
from krypsis.errors import UsageError, did_you_mean
from krypsis.metrics.base import Metric
from krypsis.models.base import GroupModel
from krypsis.models.k_anonymity import KAnonymity
from krypsis.progress import NO_PROGRESS, Progress

Tested = Callable[[Cells], Sequence[Combination]]
"""Which combinations of attributes are looked at."""

Heard = Callable[[NodeGroups], None]
"""Is told of the groups at every node."""


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

    def blank(self, chosen: BoolArray) -> Round:
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
    trace: list[Mapping[str, object]] = field(default_factory=list)

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
            return FullDomain(now.node.levels, np.zeros(len(now.number), dtype=np.bool_), tuple(self.trace))
        recoding = full_domain(self.frequency, now.node.levels)
        for position, name in enumerate(self.frequency.attributes):
            recoding = blank(recoding, self.frequency, name, now.blanked[now.number, position])
        return replace(recoding, trace=tuple(self.trace))

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
        self.trace.append(step if name is None else {**step, "generalize": name})

    def _note_suppression(self, now: Round, worst: tuple[int, int], chosen: BoolArray) -> None:
        position, code = worst
        self.trace.append(
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
