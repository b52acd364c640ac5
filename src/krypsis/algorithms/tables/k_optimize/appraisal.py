"""Appraising a set of cuts: what it costs, whether it is allowed, and what each further cut would do."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from krypsis.algorithms.tables.k_optimize.kernels import weigh_majorities, weigh_splits
from krypsis.algorithms.tables.k_optimize.space import Cuts, IntervalDigits, Refinement, SplitSpace
from krypsis.algorithms.tables.lattice.lattice import Limits, SearchBudget
from krypsis.arrays import BoolArray, IntArray
from krypsis.data.groups import Groups, Histogram
from krypsis.data.recoding import FrequencySet
from krypsis.errors import UsageError, column_not_found
from krypsis.kernels.labels import largest_by_group
from krypsis.models.base import GroupModel, SensitiveModel
from krypsis.models.k_anonymity import KAnonymity
from krypsis.progress import JudgedNode

NEVER = np.iinfo(np.int64).max


class SplitCost(ABC):
    """A cost that is the sum over the groups, and grows when groups are merged or records suppressed."""

    name: str
    price: int
    """What a suppressed record costs."""
    dearest: int
    """A group costs less with some records suppressed only if it is larger than this together with what is left."""
    unit: float = 1.0
    """What a cost of 1 is in the metric of the same name."""
    target: str | None = None
    """The sensitive attribute it looks at."""
    tie: float = 0.0
    """What a discernibility of 1 is worth to a climb among equally cheap sets of cuts."""

    @abstractmethod
    def of_groups(self, groups: Groups) -> IntArray:
        """Return the cost of each group that is kept."""

    @abstractmethod
    def least(self, cells: Groups, k: int) -> IntArray:
        """Return what the records of each cell cost at least in any group of ``k`` or more, unless suppressed."""

    @abstractmethod
    def changes(
        self, space: SplitSpace, refinement: Refinement, digits: IntervalDigits, k: int, squares: IntArray
    ) -> IntArray:
        """Return how the cost changes with each cut, at its place; ``squares`` is the change of the discernibility."""


class DiscernibilityCost(SplitCost):
    """A record costs the size of its group; a suppressed one the size of the table."""

    name = "discernibility"

    def __init__(self, rows: int) -> None:
        self.price = self.dearest = rows

    def of_groups(self, groups: Groups) -> IntArray:
        return groups.sizes**2

    def least(self, cells: Groups, k: int) -> IntArray:
        # The paper's bound: a record that is kept costs at least max(k, size of its cell under all remaining splits).
        return cells.sizes * np.maximum(cells.sizes, k)

    def changes(
        self,
        space: SplitSpace,  # noqa: ARG002
        refinement: Refinement,  # noqa: ARG002
        digits: IntervalDigits,  # noqa: ARG002
        k: int,  # noqa: ARG002
        squares: IntArray,
    ) -> IntArray:
        return squares


class ClassificationCost(SplitCost):
    """A record costs 1 if it is suppressed or not of the most common class of its group."""

    name = "classification"

    def __init__(self, frequency: FrequencySet, target: str | None) -> None:
        self.target = _existing(target, frequency.sensitive)
        self.price, self.dearest, self.unit = 1, NEVER, 1 / max(frequency.rows, 1)
        # A single cut seldom changes a majority; smaller groups lead on. All of them count less than one record.
        self.tie = 1 / (frequency.rows**2 + 1)

    def of_groups(self, groups: Groups) -> IntArray:
        largest = np.zeros(len(groups), dtype=np.int64)
        histogram = groups.sensitive[str(self.target)]
        largest_by_group(histogram.group, histogram.count, largest)
        return groups.sizes - largest

    def least(self, cells: Groups, k: int) -> IntArray:  # noqa: ARG002  a group may agree however large it is
        # Merging cells never makes fewer records disagree with the majority, so the finest cells bound from below.
        return self.of_groups(cells)

    def changes(
        self,
        space: SplitSpace,
        refinement: Refinement,
        digits: IntervalDigits,
        k: int,
        squares: IntArray,
    ) -> IntArray:
        histogram = refinement.sensitive[str(self.target)]
        order = np.argsort(histogram.group, kind="stable")
        entries = np.searchsorted(histogram.group[order], np.arange(len(refinement.tuples) + 1))
        agreeing = np.zeros_like(squares)
        weigh_majorities(
            space.codes, digits.digits, space.offsets, digits.radices, space.has_missing,
            refinement.tuples, refinement.starts, entries, histogram.value[order], histogram.count[order],
            len(histogram.domain), k, agreeing,
        )  # fmt: skip
        return agreeing


def split_cost(name: str, target: str | None, frequency: FrequencySet) -> SplitCost:
    """Return the cost of that name."""
    if name == ClassificationCost.name:
        return ClassificationCost(frequency, target)
    return DiscernibilityCost(frequency.rows)


def _existing(target: str | None, sensitive: Mapping[str, Histogram]) -> str:
    if not sensitive:
        raise UsageError(
            "the classification cost counts the classes of a sensitive attribute and none is declared; "
            "give the column with the classes the role 'sensitive'"
        )
    if target is not None and target not in sensitive:
        raise column_not_found(target, sensitive)
    return target or next(iter(sensitive))


@dataclass(frozen=True, eq=False)
class Appraisal:
    """What is known of a set of cuts."""

    cost: int
    squares: int
    """The discernibility."""
    suppressed: int
    kept_groups: int
    feasible: bool
    refused: BoolArray
    """The groups that are suppressed."""
    lasting: BoolArray
    """Those of them that are refused however they are split."""
    is_hopeless: bool
    """Whether no finer set of cuts is feasible."""


@dataclass(frozen=True, eq=False)
class Weighed:
    """What each cut would do to a set of cuts."""

    least: int
    """What all records cost at least, whatever cuts are added."""
    bounds: IntArray
    """By how much that grows."""
    lost: IntArray
    """How many more records are suppressed however the groups are split further."""
    refined: IntArray
    """How many groups fall apart."""
    changes: IntArray
    """By how much the cost changes, as far as the sizes of groups go."""
    squares: IntArray
    """By how much the discernibility changes, as far as the sizes of groups go."""
    useful: BoolArray
    """Whether it can lower the cost of any finer set."""


class Best:
    """The cheapest set of cuts so far."""

    def __init__(self) -> None:
        self.cost: int | None = None
        self.cuts: Cuts | None = None

    def offer(self, cost: int, cuts: Cuts) -> None:
        """Take a set of cuts if it is cheaper."""
        if self.cost is None or cost < self.cost:
            self.cost, self.cuts = cost, cuts.copy()


class Appraiser:
    """Applies models, limits and a cost to groups, and remembers the best set of cuts."""

    def __init__(self, space: SplitSpace, models: Sequence[GroupModel], cost: SplitCost, limits: Limits) -> None:
        rows = space.frequency.rows
        self.space = space
        self.cost = cost
        self.best = Best()
        self.limit = rows if limits.suppressed is None else limits.suppressed
        self.k = max((model.k for model in models if isinstance(model, KAnonymity)), default=1)
        self._models = tuple(models)
        self._lasting = tuple(model for model in models if model.monotone_with_suppression)
        self._monotone = tuple(model for model in models if model.monotone)
        self._keep = limits.keep
        self._compares = not (limits.keep or limits.whole_is_known) and any(one.compares_with_whole for one in models)
        self.may_drop_useless = len(self._lasting) == len(self._models) and not limits.keep
        """Without a useless cut groups are larger. That helps only models that accept whatever holds an accepted group,
        and leaves fewer suppressed records, which may be too few for a group of their own."""

    def everything(self) -> Refinement:
        """Return all records as one group, with the sensitive values that are looked at."""
        sensitive = self.space.frequency.sensitive
        needs_all = any(
            model.needs_sensitive or isinstance(model, SensitiveModel) or model.combinations(tuple(sensitive))
            for model in self._models
        )
        looked_at = {name: found for name, found in sensitive.items() if needs_all or name == self.cost.target}
        return self.space.everything(looked_at)

    def judge(self, groups: Groups, lost: int, cuts: Cuts, budget: SearchBudget) -> Appraisal:
        """Appraise a set of cuts, tell the budget, and remember it if it is the best."""
        appraisal = self.appraise(groups, lost)
        score = appraisal.cost * self.cost.unit if appraisal.feasible else None
        scores = () if score is None else (score,)
        node = JudgedNode((), appraisal.feasible, score, appraisal.suppressed, appraisal.kept_groups, scores)
        budget.spend(node)
        if appraisal.feasible:
            self.best.offer(appraisal.cost, cuts)
        return appraisal

    def appraise(self, groups: Groups, lost: int) -> Appraisal:
        """Return what is known of groups, in addition to which so many records are suppressed already."""
        refused = self._left_out(groups)
        lasting = refused if len(self._lasting) == len(self._models) else refused_by(self._lasting, groups)
        suppressed = lost + int(groups.sizes[refused].sum())
        # The cost of the paper: kept groups, and the price of a suppressed record for all others.
        cost = int(self.cost.of_groups(groups)[~refused].sum()) + suppressed * self.cost.price
        kept = groups.sizes[~refused]
        surely = lost + int(groups.sizes[lasting].sum())
        within = suppressed <= self.limit and suppressed < self.space.frequency.rows
        return Appraisal(
            cost=cost,
            squares=int(kept @ kept) + suppressed * self.space.frequency.rows,
            suppressed=suppressed,
            kept_groups=len(kept),
            feasible=within and (not self._keep or self._residue_is_accepted(groups, refused, suppressed)),
            refused=refused,
            lasting=lasting,
            is_hopeless=surely > self.limit or (not self.limit and bool(refused_by(self._monotone, groups).any())),
        )

    def weigh(self, refinement: Refinement, digits: IntervalDigits) -> Weighed:
        """Return what each cut would do; the cells are those of the given intervals."""
        space, least = self.space, self.cost.least(refinement.cells(), self.k)
        bounds, lost, refined, squares = np.zeros((4, int(space.offsets[-1]) + 1), dtype=np.int64)
        useful = np.zeros(len(bounds), dtype=np.bool_)
        weigh_splits(
            space.codes, digits.digits, space.offsets, digits.radices, space.has_missing,
            refinement.tuples, refinement.counts, least, refinement.starts, self.k, self.cost.price, self.cost.dearest,
            bounds, lost, refined, squares, useful,
        )  # fmt: skip
        changes = self.cost.changes(space, refinement, digits, self.k, squares)
        squares += lost * (space.frequency.rows - self.cost.price)  # the discernibility of a suppressed record
        at = digits.places
        return Weighed(int(least.sum()), bounds[at], lost[at], refined[at], changes[at], squares[at], useful[at])

    def _left_out(self, groups: Groups) -> BoolArray:
        """Say which groups are suppressed, so that the published rest keeps the promises by itself, too."""
        refused = refused_by(self._models, groups)
        while self._compares and not refused.all():
            more = refused_by(self._models, groups.part(~refused).alone())
            if not more.any():
                break
            refused[~refused] = more
        return refused

    def _residue_is_accepted(self, groups: Groups, refused: BoolArray, suppressed: int) -> bool:
        """Say whether all suppressed records keep the promises as one group."""
        if not suppressed:
            return True
        rest = {name: _rest(histogram, ~refused) for name, histogram in groups.sensitive.items()}
        return not refused_by(self._models, Groups(np.array([suppressed]), rest))[0]


def refused_by(models: Iterable[GroupModel], groups: Groups) -> BoolArray:
    """Say for each group whether a model refuses it."""
    refused = np.zeros(len(groups), dtype=np.bool_)
    for model in models:
        refused |= ~model.accepts(groups)
    return refused


def _rest(histogram: Histogram, kept: BoolArray) -> Histogram:
    """Return the histogram of all records that are in none of the kept groups, as one group."""
    entries = kept[histogram.group]
    inside = np.bincount(histogram.value[entries], histogram.count[entries], minlength=len(histogram.whole))
    outside = histogram.whole - inside.astype(np.int64)
    values = np.flatnonzero(outside)
    return Histogram(np.zeros_like(values), values, outside[values], histogram.whole, histogram.domain)
