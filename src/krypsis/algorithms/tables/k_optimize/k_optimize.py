"""k-Optimize.

The recoding that a set of cuts stands for.
"""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from krypsis.algorithms.tables.base import Algorithm
from krypsis.algorithms.tables.boxes.boxes import set_label
from krypsis.algorithms.tables.infeasible import infeasible
from krypsis.algorithms.tables.k_optimize.appraisal import Appraiser, SplitCost, split_cost
from krypsis.algorithms.tables.k_optimize.enumeration import EnumerationNotes, SetEnumeration, SplitClimber
from krypsis.algorithms.tables.k_optimize.space import Cuts, OrderedDomain, SplitSpace
from krypsis.algorithms.tables.lattice.evaluation import Judge
from krypsis.algorithms.tables.lattice.lattice import Lattice, Limits, SearchBudget
from krypsis.arrays import BoolArray, CodeArray
from krypsis.data.hierarchies.base import TOP, Label
from krypsis.data.hierarchies.decimals import EXACT
from krypsis.data.hierarchies.intervals import interval_text
from krypsis.data.recoding import CellRecoding, Codebook, FrequencySet
from krypsis.errors import InternalError, SearchWarning, Unfinished, UsageError
from krypsis.metrics.base import Metric
from krypsis.models.base import GroupModel
from krypsis.progress import NO_PROGRESS, Progress, TraceStep

Run = tuple[int, ...]
"""Neighboring units of a domain, by their places."""

KNOWN = "not missing"
"""Stands for all values that are published, where only missing values, or suppressed records, were cut off."""


@dataclass(frozen=True)
class _Entry:
    label: Label
    """The label it should have, if no other has it."""
    units: Run
    named: Run
    """The units that its label may name."""


def label_intervals(domain: OrderedDomain, cuts: Sequence[int], published: BoolArray) -> tuple[Codebook, CodeArray]:
    """Return the codebook of a domain that is cut before the given ranks, and the code of each level-0 value.

    ``published[value]`` says whether a record with that value is published.

    Examples
    --------
    >>> from krypsis.data.hierarchies.base import Hierarchy
    >>> age = Hierarchy.from_rows([[str(age), "*"] for age in (31, 34, 37, 42, 48)])
    >>> domain = OrderedDomain.of(age, np.ones(5, dtype=np.int64))
    >>> label_intervals(domain, [3], np.ones(5, dtype=np.bool_))[0].labels
    ('<40', '>=40')
    """
    hierarchy = domain.hierarchy
    if domain.size > 1 and not cuts:
        everything = np.zeros(len(hierarchy.values), dtype=np.int32)
        return Codebook.of({_top(domain): range(len(everything))}, [1.0]), everything
    entries = _entries(domain, _named_runs(domain, cuts, published))
    members: dict[Label, list[int]] = {}
    climbed: list[float] = []
    if (missing := hierarchy.code_of.get(None)) is not None and domain.level < hierarchy.height:
        members[_label_at(domain, missing, domain.level)] = [missing]
        climbed.append(domain.level / hierarchy.height)
    for entry in entries:
        label = _free_label(domain, entry, members)
        members[label] = [code for unit in entry.units for code in domain.units[unit]]
        climbed.append(_climbed(domain, entry.named))
    codes = np.zeros(len(hierarchy.values), dtype=np.int32)
    for code, values in enumerate(members.values()):
        codes[values] = code
    return Codebook.of(members, climbed), codes


def _named_runs(domain: OrderedDomain, cuts: Sequence[int], published: BoolArray) -> list[Run]:
    """Return for each interval the units that hold records which are published."""
    edges = [*sorted(cut for cut in cuts if cut != domain.missing), len(domain.present)]
    starts = [0, *edges[:-1]]
    runs = [domain.present[start:end] for start, end in zip(starts, edges, strict=True)]
    shown = [tuple(unit for unit in run if published[list(domain.units[unit])].any()) for run in runs]
    return [run for run in shown if run]


def _entries(domain: OrderedDomain, runs: list[Run]) -> list[_Entry]:
    """Return what is published: single units first, as their labels must not change, units nobody sees last."""
    joined = [entry for entry in _joined(domain, runs) if len(entry.named) > 1]
    inside = {unit for entry in joined for unit in entry.units}
    single = [run[0] for run in runs if len(run) == 1]
    unseen = [unit for unit in range(len(domain.units)) if unit not in inside and unit not in single]
    own = [_Entry(_unit_label(domain, unit), (unit,), (unit,)) for unit in (*single, *unseen)]
    return [*own[: len(single)], *joined, *own[len(single) :]]


def _joined(domain: OrderedDomain, runs: list[Run]) -> list[_Entry]:
    """Return an entry for each run, with the units between those of the run as well."""
    if domain.numbers is not None and runs:
        return _number_intervals(domain, runs)
    return [_Entry(_node_label(domain, run, runs), tuple(range(run[0], run[-1] + 1)), run) for run in runs]


def _number_intervals(domain: OrderedDomain, runs: list[Run]) -> list[_Entry]:
    smallest, largest = (
        [extreme(_numbers(domain)[code] for code in unit) for unit in domain.units] for extreme in (min, max)
    )
    edges: list[Decimal | None] = [
        None,
        *(roundest(largest[left[-1]], smallest[right[0]]) for left, right in pairwise(runs)),
        None,
    ]
    return [
        _Entry(interval_text(lower, upper) if len(runs) > 1 else KNOWN, _units_within(smallest, lower, upper), run)
        for run, lower, upper in zip(runs, edges[:-1], edges[1:], strict=True)
    ]


def _units_within(smallest: Sequence[Decimal], lower: Decimal | None, upper: Decimal | None) -> Run:
    return tuple(
        unit
        for unit, number in enumerate(smallest)
        if (lower is None or number >= lower) and (upper is None or number < upper)
    )


def roundest(above: Decimal, up_to: Decimal) -> Decimal:
    """Return the roundest number that is larger than ``above`` and at most ``up_to``.

    Examples
    --------
    >>> [float(roundest(Decimal(low), Decimal(high))) for low, high in (("37", "42"), ("83", "88"), ("-0.2", "0.3"))]
    [40.0, 85.0, 0.0]
    """
    exponent = max(above.adjusted(), up_to.adjusted()) + 1
    while True:
        for step in (Decimal(1).scaleb(exponent), Decimal(5).scaleb(exponent - 1)):
            rounded = EXACT.multiply(EXACT.divide_int(up_to, step), step)
            if rounded > up_to:  # decimals divide towards zero
                rounded = EXACT.subtract(rounded, step)
            if rounded > above:
                return rounded
        exponent -= 1


def _node_label(domain: OrderedDomain, run: Run, runs: Iterable[Run]) -> Label:
    """Return the label of the hierarchy that stands for all of a run and nothing else, or else the set."""
    hierarchy = domain.hierarchy
    level = _common_level(domain, run)
    own = hierarchy.table[level, domain.units[run[0]][0]]
    others = [domain.units[unit][0] for other in runs if other is not run for unit in other]
    if level < hierarchy.height and own not in hierarchy.table[level, others]:
        return _label_at(domain, domain.units[run[0]][0], level)
    return _set_of(domain, run) if others else KNOWN


def _free_label(domain: OrderedDomain, entry: _Entry, taken: dict[Label, list[int]]) -> Label:
    """Return the label of an entry, or the set of what it names, which is never that of something else."""
    label = entry.label
    if label in taken or (label == _top(domain) and domain.size > 1):
        label = _set_of(domain, entry.named)
    while label in taken:
        label = f"{{{label}}}"
    return label


def _set_of(domain: OrderedDomain, units: Run) -> str:
    return set_label(_unit_label(domain, unit) for unit in units)


def _unit_label(domain: OrderedDomain, unit: int) -> Label:
    return _label_at(domain, domain.units[unit][0], domain.level)


def _label_at(domain: OrderedDomain, code: int, level: int) -> Label:
    return domain.hierarchy.labels[level][int(domain.hierarchy.table[level, code])]


def _climbed(domain: OrderedDomain, units: Run) -> float:
    """Return how far up the hierarchy the lowest label is that stands for all of the units."""
    return _common_level(domain, units) / max(domain.hierarchy.height, 1)


def _common_level(domain: OrderedDomain, units: Run) -> int:
    codes = [domain.units[unit][0] for unit in units]
    table = domain.hierarchy.table[:, codes]
    alike = (table == table[:, :1]).all(axis=1)
    return max(domain.level, int(np.flatnonzero(alike)[0]))


def _top(domain: OrderedDomain) -> Label:
    return domain.hierarchy.labels[-1][0] if domain.hierarchy.height else TOP


def _numbers(domain: OrderedDomain) -> tuple[Decimal, ...]:
    return domain.numbers or ()


def split_recoding(appraiser: Appraiser, cuts: Cuts) -> CellRecoding:
    """Return the recoding of the best set of cuts, whose groups are made and judged once more from the tuples."""
    space = appraiser.space
    groups = space.regroup(appraiser.everything(), space.digits(cuts))
    again = appraiser.appraise(groups.groups(), 0)
    if again.cost != appraiser.best.cost or not again.feasible:
        raise InternalError(f"cuts that cost {appraiser.best.cost} in the search cost {again.cost} when judged again")
    suppressed = np.zeros(len(space.frequency.counts), dtype=np.bool_)
    suppressed[groups.tuples] = again.refused[groups.group_of_cell]
    labeled = [_labeled(space, column, cuts, ~suppressed) for column in range(len(space.domains))]
    released = np.stack([codes for _, codes in labeled], axis=1)
    return CellRecoding(released, tuple(book for book, _ in labeled), suppressed)


def starts(space: SplitSpace, cuts: Cuts) -> dict[str, tuple[Label, ...]]:
    """Return for each attribute the values that start a new interval, except the first."""
    found: dict[str, tuple[Label, ...]] = {}
    for column, name in enumerate(space.frequency.attributes):
        domain = space.domains[column]
        ranks = space.ranks[cuts & (space.columns == column)].tolist()
        units = [domain.units[domain.present[rank]] for rank in ranks if rank != domain.missing]
        found[name] = tuple(domain.hierarchy.values[unit[0]] for unit in units) + (None,) * (domain.missing in ranks)
    return found


def _labeled(space: SplitSpace, column: int, cuts: Cuts, kept: BoolArray) -> tuple[Codebook, CodeArray]:
    """Return the codebook of an attribute and the code of each tuple in it."""
    domain, values = space.domains[column], space.frequency.codes[:, column]
    published = np.zeros(len(domain.hierarchy.values), dtype=np.bool_)
    published[values[kept]] = True
    book, codes = label_intervals(domain, space.ranks[cuts & (space.columns == column)].tolist(), published)
    return book, codes[values]


USUAL_SECONDS = 60.0
"""How long it searches if neither ``seconds`` nor ``nodes`` is given: all sets of cuts may be too many to wait for."""

CLIMBING_SHARE = 0.5
"""The part of a limited budget that goes into finding good cuts; the rest goes into proving how good they are."""


class KOptimize(Algorithm):
    """No way to cut the attributes into intervals costs less: a search through all sets of cuts.

    Notes
    -----
    The values of each attribute are put in a total order: numbers by size, others as the leaves of the hierarchy's
    tree. A generalization is the set of values that start a new interval, the same for all records. The search adds
    one value after the other, depth-first, and leaves out whatever a lower bound of the cost rules out.

    The cost is the ``discernibility`` (a record costs the size of its group, a suppressed one that of the table) or the
    ``classification`` cost (a record costs 1 if it is suppressed or its class is not the most common of its group).
    The chosen metric plays no part in the search. Where it is the same as the cost, ``lower_bound`` of the result is
    the score that was proven to be out of reach; the figures have cost and bound in any case.

    Records in refused groups are suppressed. Without a limit for suppression the cost alone decides how many, as in
    the paper. The lecture notes prune every set that is not k-anonymous; that holds only where nothing may be
    suppressed, and is done only then.

    All models can be used. Those that are monotone with suppression, such as k-anonymity, sharpen the bound.

    Only values of the data start an interval. Missing values are an interval of their own, unless the attribute is a
    single one. Minimum levels, and ``level``, allow cuts only where the hierarchy changes at that level; maximum levels
    demand them there.

    Beyond the paper: besides each set, the set with all values that are still allowed is judged, too, which ends a
    branch as soon as all its groups are large enough; the first best cost comes from climbing, level by level of the
    hierarchies. Of equally cheap sets the one met first is returned; the order depends on the frequency set alone.

    Cost: exponential in the number of values at worst. With a limit of ``seconds`` or ``nodes`` it returns the best so
    far with the bound proven until then. Without either it searches for a minute, and warns if that was not enough.

    References
    ----------
    Bayardo and Agrawal, "Data privacy through optimal k-anonymization", ICDE 2005.
    """

    name: ClassVar[str] = "k-optimize"
    describes_steps: ClassVar[bool] = True
    scheme: ClassVar[str] = "AG_TS"
    reference: ClassVar[str] = "Bayardo and Agrawal, Data privacy through optimal k-anonymization, ICDE 2005"

    cost: Literal["discernibility", "classification"] = Field(
        default="discernibility", description="what is minimized: large groups, or wrong guesses of the class"
    )
    target: str | None = Field(
        default=None, description="the sensitive attribute with the classes; the first one unless given"
    )
    level: int = Field(
        default=0,
        ge=0,
        description="cut only where the hierarchies change at this level, or at their highest one below the top",
    )
    seconds: float | None = Field(
        default=None,
        gt=0,
        description="stop after so many seconds with the best found; 60 unless this or nodes is given",
    )
    nodes: int | None = Field(default=None, ge=1, description="stop after so many sets of cuts with the best found")

    @model_validator(mode="after")
    def _check_target(self) -> Self:
        if self.target is not None and self.cost != "classification":
            raise ValueError(f"target belongs to cost=classification; the cost here is {self.cost}")
        return self

    def search(
        self,
        frequency: FrequencySet,
        models: Sequence[GroupModel],
        metric: Metric,
        limits: Limits,
        progress: Progress = NO_PROGRESS,
    ) -> CellRecoding:
        _refuse_several_sets(frequency)
        lattice = Lattice.of(frequency, limits)
        limits = replace(limits, suppressed=frequency.rows if limits.suppressed is None else limits.suppressed)
        space, cost = SplitSpace(frequency, limits, self.level), split_cost(self.cost, self.target, frequency)
        is_free = self.seconds is None and self.nodes is None
        seconds = USUAL_SECONDS if is_free else self.seconds
        appraiser, budget = Appraiser(space, models, cost, limits), SearchBudget(progress, seconds, self.nodes)
        bound = _bound(appraiser, budget, progress)
        best = appraiser.best
        if best.cuts is None and bound is None:
            raise infeasible(Judge(frequency, models, limits), lattice, limits)
        if best.cuts is None:
            raise Unfinished(
                f"the search had to stop after {budget.judged} of 2^{len(space)} sets of cuts, before it found any "
                "that keeps the promises within the limits; give it more time"
            )
        if is_free and not progress.wants_stop():
            _warn_of_gap(best.cost, bound)
        figures = {"cost": best.cost, "lower_bound": bound, "judged": budget.judged, "starts": starts(space, best.cuts)}
        proven = bound * cost.unit if bound is not None and _is_same(metric, cost, frequency) else None
        return replace(split_recoding(appraiser, best.cuts), figures=(figures,), lower_bound=proven)


def _warn_of_gap(cost: int | None, bound: int | None) -> None:
    """Say how far the best cost may be from the optimum, unless it is the optimum."""
    if cost is None or bound is None or bound >= cost:
        return
    gap = (cost - bound) / cost
    warnings.warn(
        f"k-optimize stopped after {USUAL_SECONDS:g} seconds: the best cost found is {cost}, and it is proven that "
        f"none is below {bound}, a gap of {gap:.1%}. The result keeps its promises, but a better one may exist: choose "
        "'k-optimize:seconds=600' to search longer",
        SearchWarning,
        stacklevel=7,
    )


def _bound(appraiser: Appraiser, budget: SearchBudget, progress: Progress) -> int | None:
    """Search, first for a good set of cuts, then for a better one; return a cost that none falls below."""
    part = budget.part(CLIMBING_SHARE)
    # The paper seeds the best cost by a heuristic, so that pruning starts early; climbing is ours.
    SplitClimber(appraiser, part).run()
    budget.judged += part.judged
    climbed = appraiser.best.cost
    # The paper's search: depth-first through the set enumeration tree.
    notes = EnumerationNotes(appraiser.space) if progress.keeps_steps else None
    bound = SetEnumeration(appraiser, budget, notes).run()
    if notes is not None:
        says = f"Climbing found the cost {climbed}. Then {len(appraiser.space)} cuts are tried depth-first; best: "
        step = TraceStep(
            KOptimize.name, "Set enumeration", f"{says}{appraiser.best.cost}, proven bound: {bound}.", (notes.table(),)
        )
        progress.step(lambda: step)
    return bound


def _refuse_several_sets(frequency: FrequencySet) -> None:
    if len(frequency.attribute_sets) > 1:
        raise UsageError(
            f"k-optimize knows one set of quasi-identifiers, got {len(frequency.attribute_sets)}. "
            "Use algorithm 'optimal', which keeps the promises on several"
        )


def _is_same(metric: Metric, cost: SplitCost, frequency: FrequencySet) -> bool:
    """Say whether the metric is the cost, perhaps in another unit."""
    first = next(iter(frequency.sensitive), None)
    target = getattr(metric, "target", None) or first
    return metric.name == cost.name and cost.target in (None, target)
