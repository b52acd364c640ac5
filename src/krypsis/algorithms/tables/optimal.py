"""Optimal full-domain generalization."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from pydantic import Field

from krypsis.algorithms.base import Algorithm
from krypsis.algorithms.branch_and_bound import BranchAndBound
from krypsis.algorithms.budget import Budget
from krypsis.algorithms.evaluation import Judge, Limits
from krypsis.algorithms.incumbent import Incumbent
from krypsis.algorithms.infeasible import infeasible
from krypsis.algorithms.lattice import Lattice
from krypsis.algorithms.local_search import LocalSearch
from krypsis.errors import Unfinished
from krypsis.frequency import FrequencySet
from krypsis.metrics.base import Metric
from krypsis.models.base import GroupModel
from krypsis.progress import NO_PROGRESS, Progress
from krypsis.recoding import FullDomain

HEURISTIC_SHARE = 0.5
"""The part of a limited budget that goes into finding a good node; the rest goes into proving how good it is."""

LARGE_LATTICE = 100_000
"""Lattices of up to this many nodes are searched at once, without looking for a good node first."""


class Optimal(Algorithm):
    """No full-domain generalization within the limits has a lower score: a branch and bound over the lattice.

    Notes
    -----
    The lattice is cut into boxes of nodes, each between a lowest and a highest node. What is refused at the highest
    node of a box by a model that is monotone with suppression is refused in the whole box; together with the levels of
    the lowest node this gives a lower bound of the metric. Boxes are taken in order of their bound and cut in two until
    no bound lies below the best score found. A box is dropped

    - if its bound is not below the best score, and it holds no node of the same score with lower levels,
    - if more records are surely suppressed in it than the limit allows: what is refused at its highest node, and what
      the models say must at least be suppressed in a group however it is cut.

    Models that claim no monotonicity take part in none of this; then only the bound by levels prunes. Groups are rolled
    up from the lowest node of their box, the nearest one below that has been made. Where few nodes are spared, a box is
    not cut further: all its nodes are visited to see how much they suppress, and those that could be best are judged.

    With a limit of ``seconds`` or ``nodes`` the search may end early. On a large lattice half of the limit then goes
    into an iterated local search for a good node, and the result carries the lower bound that was proven until then:
    no node has a better score than that.

    Of several optima one with the lowest sum of levels is returned, of those the one that the search meets first; the
    order depends on nothing but the frequency set and the seed. Scores that differ by rounding only count as equal.

    Cost: at worst one roll-up per node of the lattice; on Adult 1 to 47 per cent of the nodes are judged.

    References
    ----------
    The problem: Samarati, "Protecting respondents' identities in microdata release", TKDE 13(6), 2001. Roll-up:
    LeFevre et al., "Incognito: efficient full-domain k-anonymity", SIGMOD 2005. Pruning by the bound of the metric:
    Bayardo and Agrawal, "Data privacy through optimal k-anonymization", ICDE 2005, there for set enumeration.
    Iterated local search: Lourenço, Martin, Stützle, Handbook of Metaheuristics, 2003, chapter 11.
    """

    name: ClassVar[str] = "optimal"
    scheme: ClassVar[str] = "AG_TS"
    judges_all: ClassVar[bool] = True
    reference: ClassVar[str] = "Samarati, Protecting respondents' identities in microdata release, TKDE 13(6), 2001"

    seconds: float | None = Field(default=None, gt=0, description="stop after so many seconds with the best found")
    nodes: int | None = Field(default=None, ge=1, description="stop after so many nodes with the best found")
    seed: int = Field(default=0, description="of the random order in which a limited search tries its steps")

    def search(
        self,
        frequency: FrequencySet,
        models: Sequence[GroupModel],
        metric: Metric,
        limits: Limits,
        progress: Progress = NO_PROGRESS,
    ) -> FullDomain:
        judge = Judge(frequency, models, limits)
        lattice = Lattice.of(frequency, limits)
        budget, incumbent = Budget(progress, self.seconds, self.nodes), Incumbent()
        if self._is_limited and lattice.size > LARGE_LATTICE:
            part = budget.part(HEURISTIC_SHARE)
            LocalSearch(judge, metric, limits, part, self.seed).run(lattice, incumbent)
        bound = BranchAndBound(judge, metric, limits, budget, incumbent).run(lattice)
        if incumbent.levels is None and bound is not None:
            raise Unfinished(
                f"the search had to stop after {budget.judged} of {lattice.size:,} nodes, before it found any that "
                "keeps the promises within the limits; give it more time"
            )
        if incumbent.levels is None:
            raise infeasible(judge, lattice, limits)
        return replace(judge.recoding(incumbent.levels), lower_bound=bound[0] if bound else None)

    @property
    def _is_limited(self) -> bool:
        return self.seconds is not None or self.nodes is not None
