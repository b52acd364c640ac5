"""k-Optimize."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from krypsis.algorithms.tables.base import Algorithm
from krypsis.algorithms.tables.infeasible import infeasible
from krypsis.algorithms.tables.k_optimize.appraisal import Appraiser, SplitCost, split_cost
from krypsis.algorithms.tables.k_optimize.enumeration import SetEnumeration, SplitClimber
from krypsis.algorithms.tables.k_optimize.recoding import split_recoding, starts
from krypsis.algorithms.tables.k_optimize.space import SplitSpace
from krypsis.algorithms.tables.lattice.evaluation import Judge, Limits
from krypsis.algorithms.tables.lattice.lattice import Lattice, SearchBudget
from krypsis.data.frequency import FrequencySet
from krypsis.data.recoding import CellRecoding
from krypsis.errors import SearchWarning, Unfinished, UsageError
from krypsis.metrics.base import Metric
from krypsis.models.base import GroupModel
from krypsis.progress import NO_PROGRESS, Progress

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
    the score that was proven to be out of reach; the trace has cost and bound in any case.

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
        bound = _bound(appraiser, budget)
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
        trace = {"cost": best.cost, "lower_bound": bound, "judged": budget.judged, "starts": starts(space, best.cuts)}
        proven = bound * cost.unit if bound is not None and _is_same(metric, cost, frequency) else None
        return replace(split_recoding(appraiser, best.cuts), trace=(trace,), lower_bound=proven)


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


def _bound(appraiser: Appraiser, budget: SearchBudget) -> int | None:
    """Search, first for a good set of cuts, then for a better one; return a cost that none falls below."""
    part = budget.part(CLIMBING_SHARE)
    # The paper seeds the best cost by a heuristic, so that pruning starts early; climbing is ours.
    SplitClimber(appraiser, part).run()
    budget.judged += part.judged
    # The paper's search: depth-first through the set enumeration tree.
    return SetEnumeration(appraiser, budget).run()


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
