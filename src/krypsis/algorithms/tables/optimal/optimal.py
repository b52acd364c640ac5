"""Optimal full-domain generalization."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

from pydantic import Field

from krypsis.algorithms.tables.base import Algorithm
from krypsis.algorithms.tables.infeasible import infeasible
from krypsis.algorithms.tables.lattice.evaluation import Judge
from krypsis.algorithms.tables.lattice.lattice import Lattice, Levels, Limits, SearchBudget, raised
from krypsis.algorithms.tables.lattice.scores import Incumbent
from krypsis.algorithms.tables.optimal.branch_and_bound import BranchAndBound
from krypsis.data.recoding import FrequencySet, FullDomain
from krypsis.errors import Unfinished
from krypsis.metrics.base import Metric
from krypsis.models.base import GroupModel
from krypsis.progress import NO_PROGRESS, JudgedNode, Progress

SHAKES = (2, 3, 4)
"""How many attributes are set anew before a local search begins again."""


class LocalSearch:
    """Climbs from the most general node by single steps, shakes the best node found, and climbs again.

    The first step that improves is taken, in random order: on real tables this comes further than always taking the
    best step, and costs less.
    """

    def __init__(self, judge: Judge, metric: Metric, limits: Limits, budget: SearchBudget, seed: int) -> None:
        self._judge = judge
        self._metric = metric
        self._limits = limits
        self._budget = budget
        self._random = random.Random(seed)  # noqa: S311  no secret depends on it
        self._bottom = judge.rollup.bottom()
        self._known: dict[Levels, JudgedNode] = {}

    def run(self, lattice: Lattice, incumbent: Incumbent) -> None:
        """Improve the incumbent until the budget is spent."""
        # Iterated local search (Lourenço et al.): local optimum, perturbation, local optimum, accept if better.
        self._climb(lattice, incumbent, lattice.highest)
        while incumbent.levels is not None and not self._budget.is_spent():
            self._climb(lattice, incumbent, self._shaken(lattice, incumbent.levels))
            if len(self._known) == lattice.size:
                return

    def _climb(self, lattice: Lattice, incumbent: Incumbent, start: Levels) -> None:
        here = Incumbent()
        here.offer(self._judged(start))
        incumbent.offer(self._known[start])
        current = start
        while (better := self._better_neighbor(lattice, here, current)) is not None:
            current = better.levels
            incumbent.offer(better)

    def _better_neighbor(self, lattice: Lattice, here: Incumbent, current: Levels) -> JudgedNode | None:
        steps = list(_steps(lattice, current))
        self._random.shuffle(steps)
        for levels in steps:
            if self._budget.is_spent():
                return None
            node = self._judged(levels)
            if here.offer(node):
                return node
        return None

    def _shaken(self, lattice: Lattice, levels: Levels) -> Levels:
        count = min(self._random.choice(SHAKES), len(levels))
        chosen = set(self._random.sample(range(len(levels)), count))
        return tuple(
            self._random.randint(lattice.lowest[position], lattice.highest[position]) if position in chosen else level
            for position, level in enumerate(levels)
        )

    def _judged(self, levels: Levels) -> JudgedNode:
        if levels not in self._known:
            node, _ = self._judge.rollup.coarsen(self._bottom, levels)
            self._known[levels] = self._judge.assess(node, self._metric, self._limits)
            self._budget.spend(self._known[levels])
        return self._known[levels]


def _steps(lattice: Lattice, levels: Levels) -> Iterator[Levels]:
    """Yield the nodes one level up or down in one attribute."""
    for position, level in enumerate(levels):
        if level > lattice.lowest[position]:
            yield raised(levels, position, -1)
        if level < lattice.highest[position]:
            yield raised(levels, position)


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
        budget, incumbent = SearchBudget(progress, self.seconds, self.nodes), Incumbent()
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
