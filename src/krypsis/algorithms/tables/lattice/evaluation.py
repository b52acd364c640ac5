"""Judging the groups at a node: which are refused, what that costs, and whether the limits allow it."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from krypsis.algorithms.tables.lattice.lattice import Levels, Limits, NodeGroups, Rollup
from krypsis.algorithms.tables.lattice.scores import score_of
from krypsis.arrays import BoolArray, CodeArray, CountArray, FloatArray, IntArray
from krypsis.data.groups import Domain, Groups, Histogram
from krypsis.data.recoding import FrequencySet, FullDomain, LevelsOutcome
from krypsis.kernels import rows
from krypsis.metrics.base import Metric
from krypsis.models import distances
from krypsis.models.base import GroupModel, SensitiveModel, TableModel
from krypsis.models.recursive_l_diversity import RecursiveLDiversity
from krypsis.models.t_closeness import TCloseness
from krypsis.progress import JudgedNode

MOST_RANKS = 8
"""Up to this rank the largest counts of a group are noted one by one; beyond, sorting is as fast."""

FEW_ENTRIES = 100
"""Up to so many entries numpy is as fast, and a small table needs nothing compiled."""


@dataclass(frozen=True, eq=False)
class CountTable:
    """How often each sensitive value occurs in each group, ``counts[group, value]``; further columns are 0."""

    counts: CountArray
    whole: IntArray
    domain: Domain

    @cached_property
    def histogram(self) -> Histogram:
        """The same, entry by entry."""
        entries = np.empty((3, self.counts.size + 1), dtype=np.int64)
        group, value, count = entries[:, : rows.entries_of_table(self.counts, entries)]
        return Histogram(group, value, count, self.whole, self.domain)


class _Histograms(Mapping[str, Histogram]):
    """The histograms of tables, made when they are first asked for: many promises look at sizes alone."""

    def __init__(self, tables: Mapping[str, CountTable]) -> None:
        self._tables = tables

    def __getitem__(self, name: str) -> Histogram:
        return self._tables[name].histogram

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)


def accepted(model: GroupModel, groups: Groups) -> BoolArray:
    """Say for each group whether it keeps the promise: what the model itself says, only faster.

    Examples
    --------
    >>> groups = Groups.of_histograms([{"flu": 3, "cancer": 1, "hiv": 1}, {"flu": 4, "cancer": 1, "hiv": 1}])
    >>> accepted(RecursiveLDiversity(c=2, l=2), groups)
    array([ True, False])
    """
    levels = _COMPILED.get(type(model))
    if levels is None or not isinstance(model, SensitiveModel):
        return model.accepts(groups)
    histograms = groups.histograms(model.attribute)
    answers = [model.suffices(levels(model, histogram, groups.sizes)) for histogram in histograms.values()]
    return np.asarray(np.logical_and.reduce(answers))


def accepted_in_tables(models: Sequence[GroupModel], sizes: IntArray, tables: Mapping[str, CountTable]) -> BoolArray:
    """Say for each group whether it keeps all promises, where its sensitive values stand in tables.

    Examples
    --------
    >>> disease = CountTable(np.array([[2, 2], [4, 0]], dtype=np.uint16), np.array([7, 1]), Domain(("flu", "hiv")))
    >>> accepted_in_tables([TCloseness(t=0.2)], np.array([4, 4]), {"disease": disease})
    array([False,  True])
    """
    kept = np.ones(len(sizes), dtype=np.bool_)
    for model in models:
        kept &= _accepted_in_tables(model, sizes, tables)
    return kept


def _accepted_in_tables(model: GroupModel, sizes: IntArray, tables: Mapping[str, CountTable]) -> BoolArray:
    asked = _asked(model, tables) if type(model) is TCloseness else ()
    if type(model) is TCloseness and all(model.distance_of(table.domain) == "equal" for table in asked):
        answers = [model.suffices(_distances_in_table(table, sizes)) for table in asked]
        return np.asarray(np.logical_and.reduce(answers))
    return accepted(model, Groups(sizes, _Histograms(tables)))


def _asked(model: TCloseness, tables: Mapping[str, CountTable]) -> Collection[CountTable]:
    return tables.values() if model.attribute is None else [tables[model.attribute]]


def _distances_in_table(table: CountTable, sizes: IntArray) -> FloatArray:
    distances = np.empty(len(sizes))
    rows.sum_excess_in_table(table.counts, sizes, _shares(table.whole), distances)
    return distances


def _shares(whole: IntArray) -> FloatArray:
    return np.asarray(whole / max(int(whole.sum()), 1))


def _distances(model: SensitiveModel, histogram: Histogram, sizes: IntArray) -> FloatArray:
    distance = model.distance_of(histogram.domain) if isinstance(model, TCloseness) else None
    if distance == "ordered" and histogram.domain.is_ordered and len(histogram.count) > FEW_ENTRIES:
        return _ordered_distances(histogram, sizes)
    if distance != "equal":
        return model.levels(histogram, sizes)
    sums = np.zeros(len(sizes))
    rows.sum_excess(histogram.group, histogram.value, histogram.count, sizes, _shares(histogram.whole), sums)
    return sums


def _ordered_distances(histogram: Histogram, sizes: IntArray) -> FloatArray:
    place_of, reference = distances.places(histogram)
    place, shares = place_of[histogram.value], np.cumsum(reference)
    starts, running = np.zeros(len(shares) + 1, dtype=np.int64), np.zeros(len(shares) + 1)
    np.cumsum(np.bincount(place, minlength=len(shares)), out=starts[1:])
    np.cumsum(shares, out=running[1:])
    sums = np.zeros(len(sizes))
    room, seen = np.empty(len(place), dtype=np.int64), np.zeros((len(sizes), 3), dtype=np.int64)
    rows.sum_steps(histogram.group, place, histogram.count, sizes, starts, shares, running, room, seen, sums)
    # EMD with ordered ground distance: 1/(m-1) · Σ_i |Σ_(j<=i) (p_j - q_j)|.
    return sums / max(len(shares) - 1, 1)


def _ratios(model: SensitiveModel, histogram: Histogram, sizes: IntArray) -> FloatArray:
    if not isinstance(model, RecursiveLDiversity) or not 2 <= model.l <= MOST_RANKS:
        return model.levels(histogram, sizes)
    largest = np.zeros((len(sizes), model.l - 1), dtype=np.int64)
    ratios = np.zeros(len(sizes))
    rows.divide_by_rare(histogram.group, histogram.count, largest, ratios)
    return ratios


_COMPILED: Mapping[type[GroupModel], Callable[[SensitiveModel, Histogram, IntArray], FloatArray]] = {
    RecursiveLDiversity: _ratios,
    TCloseness: _distances,
}


class Judge:
    """Applies the models to the groups at a node.

    With several quasi-identifier sets a record is refused if its group in any set is refused. Taking it out may break
    another group, so this goes on until nothing changes. For models that are monotone with suppression what is left is
    the largest part of the table that keeps all promises on all sets; for others it is one such part.

    Where suppressed records are removed, nobody may be shown the sensitive values of the whole table: minus the
    published ones, they are those of the suppressed records. Promises that compare with the whole table are therefore
    kept twice: compared with all records, as their authors define them, and with the published ones, which anybody
    can check. Leaving out groups for the second reason changes what is published, so this goes on, too.
    """

    def __init__(self, frequency: FrequencySet, models: Sequence[GroupModel], limits: Limits | None = None) -> None:
        self.rollup = Rollup(frequency)
        self.frequency = frequency
        self.models = tuple(models)
        self.lasting = tuple(model for model in models if model.monotone_with_suppression)
        self.monotone = tuple(model for model in models if model.monotone)
        limits = Limits() if limits is None else limits
        self._compares = not (limits.keep or limits.whole_is_known) and any(one.compares_with_whole for one in models)
        self._known_sets: dict[GroupModel, tuple[tuple[int, ...], ...]] = {}
        self._nobody_absent = any(model.judges_absent for model in models)
        self._one_set = set(map(self.sets_of, self.models)) <= {(tuple(range(len(frequency.attributes))),)}
        self._comparing = tuple(model for model in models if not self._one_set or _depends_on_others(model))

    @property
    def judges_groups(self) -> bool:
        """Whether every promise is about the records of each group of all attributes, and about nothing else."""
        of_table = any(isinstance(model, TableModel) for model in self.models)
        more = self.frequency.population is not None or self.frequency.combined or self._nobody_absent
        return self._one_set and not of_table and not more

    def refused(self, node: NodeGroups, models: Sequence[GroupModel]) -> BoolArray:
        """Say for each group at the node whether a model refuses it."""
        by_group = [model for model in models if not isinstance(model, TableModel)]
        judge = self._refused_in_one_set if self._one_set else self._refused_in_any_set
        refused = judge(node, by_group)
        if node.population is not None:  # nothing is published of people who are not in the table
            refused |= node.sizes == 0
        refused = _refused_together([model for model in models if isinstance(model, TableModel)], node, refused)
        if refused.any() and any(model.judges_absent for model in models):
            refused = np.ones_like(refused)
        return refused

    def left_out(self, node: NodeGroups, refused: BoolArray | None = None) -> BoolArray:
        """Say for each group at the node whether it is suppressed, so that what is published keeps all promises.

        ``refused`` are the groups that the models refuse, where that has been found out already.
        """
        refused = self.refused(node, self.models) if refused is None else refused.copy()
        # Suppressing groups changes the published distribution, so what is left is judged again until it keeps the
        # promise.
        while self._compares and refused.any() and not refused.all():
            rest = node.part(~refused) if node.population is None else node.without_records_of(refused)
            more = self.refused(rest.alone(), self.models if node.population is not None else self._comparing)
            more = more if node.population is None else more[~refused]
            if not more.any():
                break
            refused[~refused] = more
        return refused

    def sets_of(self, model: GroupModel) -> tuple[tuple[int, ...], ...]:
        """Return the positions of the attributes whose groups a promise is about, set by set."""
        if model not in self._known_sets:
            own, attributes = model.sets_of(self.frequency.attributes), self.frequency.attributes
            self._known_sets[model] = (
                self.frequency.attribute_sets
                if own is None
                else tuple(tuple(sorted(map(attributes.index, names))) for names in own)
            )
        return self._known_sets[model]

    def lost_besides(self, node: NodeGroups, lost: BoolArray, refused: BoolArray) -> int:
        """Return how many records every node below has to suppress at least, apart from the groups that are lost.

        ``refused`` says which groups any model refuses at the node; what is accepted may be kept below, too.
        """
        if not (refused & ~lost).any():
            return 0
        if self._nobody_absent and self.refused(node, self.monotone).any():
            return self.frequency.rows + 1  # somebody is absent in every node below
        if not self._one_set:  # a record is in another group of every set: only whether any is lost can be told
            return int(not lost.any() and bool(self.refused(node, self.monotone).any()))
        present = node.groups() if node.population is None else node.groups().part(node.sizes > 0)
        least = [model.least_suppressed(present) for model in self.models if model not in self.lasting]
        kept = ~lost if node.population is None else ~lost[node.sizes > 0]
        return int(np.maximum.reduce(least)[kept].sum()) if least else 0

    def assess(self, node: NodeGroups, metric: Metric, limits: Limits, refused: BoolArray | None = None) -> JudgedNode:
        """Return what a search needs to know of a node: whether it is feasible, its score and its cost.

        ``refused`` are the groups that the models refuse, where that has been found out already.
        """
        if refused is None:
            refused = self.refused(node, self.models)
        if int(node.sizes[refused].sum()) <= (limits.suppressed or 0):
            refused = self.left_out(node, refused)
        outcome = self.outcome(node, refused)
        within = outcome.suppressed <= (limits.suppressed or 0) and outcome.suppressed < outcome.rows
        feasible = within and (not limits.keep or self.residue_is_accepted(node, refused))
        scores = score_of(metric, outcome) if feasible else ()
        score = scores[0] if scores else None
        return JudgedNode(node.levels, feasible, score, outcome.suppressed, outcome.group_count, scores)

    def outcome(self, node: NodeGroups, refused: BoolArray) -> LevelsOutcome:
        """Return the figures of the node when the refused groups are suppressed."""
        if node.population is not None:  # what nobody in the table looks like costs nothing
            present = node.sizes > 0
            node, refused = node.part(present), refused[present]
        return LevelsOutcome(self.frequency.own, node.tuples, node.sizes, refused, node.sensitive, node.levels)

    def recoding(self, levels: Levels, figures: tuple[Mapping[str, object], ...] = ()) -> FullDomain:
        """Return the recoding that goes to a node and suppresses what is refused there."""
        node, number = self.rollup.coarsen(self.rollup.bottom(), levels)
        return FullDomain(levels, self.left_out(node)[number], figures)

    def residue_is_accepted(self, node: NodeGroups, refused: BoolArray) -> bool:
        """Say whether the refused groups keep the promises when they are published as one group."""
        if not refused.any():
            return True
        together = (~refused).astype(np.int32)
        sizes = np.zeros(2, dtype=np.int64)
        rows.sum_by_number(together, node.sizes, sizes)
        histograms = {name: rows.merge(histogram, together) for name, histogram in node.sensitive.items()}
        # Records of which nothing is published look like everybody.
        people = None if node.population is None else np.full(2, node.population.sum())
        combined = {names: rows.merge(histogram, together) for names, histogram in node.combined.items()}
        return not _refused_by(self.models, Groups(sizes, histograms, people, combined))[0]

    @staticmethod
    def _refused_in_one_set(node: NodeGroups, models: Sequence[GroupModel]) -> BoolArray:
        return _refused_by(models, node.groups())

    def _refused_in_any_set(self, node: NodeGroups, models: Sequence[GroupModel]) -> BoolArray:
        alive = np.ones(len(node.sizes), dtype=np.bool_)
        while alive.any():
            if node.population is None:
                accepted = self._accepted_in_every_set(node.part(alive), models)
            else:  # people stay in the population when their records are suppressed
                accepted = self._accepted_in_every_set(node.without_records_of(~alive), models)[alive]
            if accepted.all():
                break
            alive[alive] = accepted
        return ~alive

    def _accepted_in_every_set(self, node: NodeGroups, models: Sequence[GroupModel]) -> BoolArray:
        accepted = np.ones(len(node.sizes), dtype=np.bool_)
        models_of: dict[tuple[int, ...], list[GroupModel]] = {}
        for model in models:
            for columns in self.sets_of(model):
                models_of.setdefault(columns, []).append(model)
        for columns, concerned in models_of.items():
            numbers, groups = self._groups_of_set(node, columns)
            accepted &= ~_refused_by(concerned, groups)[numbers]
        return accepted

    def groups_of_sets(self, node: NodeGroups, model: GroupModel) -> list[Groups]:
        """Return the groups of each set of attributes that a promise is about."""
        return [self._groups_of_set(node, columns)[1] for columns in self.sets_of(model)]

    def _groups_of_set(self, node: NodeGroups, columns: tuple[int, ...]) -> tuple[CodeArray, Groups]:
        numbers, first = self.rollup.number(node, node.levels, columns)
        sizes = np.bincount(numbers, node.sizes, minlength=len(first)).astype(np.int64)
        people = None
        if node.population is not None:
            people = np.bincount(numbers, node.population, minlength=len(first)).astype(np.int64)
        histograms = {name: rows.merge(histogram, numbers) for name, histogram in node.sensitive.items()}
        combined = {names: rows.merge(histogram, numbers) for names, histogram in node.combined.items()}
        return numbers, Groups(sizes, histograms, people, combined)


def _depends_on_others(model: GroupModel) -> bool:
    """Say whether a group that keeps the promise may break it when other groups are left out."""
    return model.compares_with_whole or model.judges_absent or isinstance(model, TableModel)


def _refused_by(models: Sequence[GroupModel], groups: Groups) -> BoolArray:
    refused = np.zeros(len(groups), dtype=np.bool_)
    present = None if groups.population is None else groups.sizes > 0
    for model in models:
        if present is None or model.needs_population:
            refused |= ~accepted(model, groups)
        else:
            refused[present] |= ~accepted(model, groups.part(present))
    return refused


def _refused_together(models: Sequence[TableModel], node: NodeGroups, refused: BoolArray) -> BoolArray:
    """Leave out groups until all promises about the table hold: what one leaves out may break another."""
    groups = node.groups()
    while True:
        before = refused
        for model in models:
            refused = model.refused(groups, refused)
        if len(models) < 2 or (before == refused).all():
            return refused
