"""Optimal full-domain generalization."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from krypsis.algorithms.base import Algorithm
from krypsis.algorithms.evaluation import Judge, Limits
from krypsis.algorithms.infeasible import infeasible
from krypsis.algorithms.lattice import Lattice, raised
from krypsis.algorithms.rollup import Levels, NodeGroups
from krypsis.algorithms.watch import UNWATCHED, Watch
from krypsis.frequency import FrequencySet
from krypsis.metrics.base import Metric
from krypsis.models.base import GroupModel
from krypsis.recoding import FullDomain

ROUNDING = 1e-12
"""Scores closer than this, relative to their size, count as equal."""


class Optimal(Algorithm):
    """No full-domain generalization within the limits has a lower score: a branch and bound over the lattice.

    Notes
    -----
    The lattice is cut into boxes of nodes, each between a lowest and a highest node. What is refused at the highest
    node of a box by a model that is monotone with suppression is refused in the whole box; together with the levels of
    the lowest node this gives a lower bound of the metric. Boxes are taken in order of their bound and cut in two until
    no bound lies below the best score found. A box is dropped

    - if its bound is not below the best score, and it holds no node of the same score with lower levels,
    - if more records are surely suppressed in it than the limit allows,
    - if nothing may be suppressed and a monotone model refuses a group at its highest node.

    Models that claim no monotonicity take part in none of this; then only the bound by levels prunes. Groups are rolled
    up from the lowest node of their box, the nearest one below that has been made. Every node is judged at most once.

    Of several optima one with the lowest sum of levels is returned, of those the one that the search meets first; the
    order depends on nothing but the frequency set. Scores that differ by rounding only count as equal.

    Cost: at worst one roll-up per node of the lattice; on Adult 1 to 47 per cent of the nodes are judged.

    References
    ----------
    The problem: Samarati, "Protecting respondents' identities in microdata release", TKDE 13(6), 2001. Roll-up:
    LeFevre et al., "Incognito: efficient full-domain k-anonymity", SIGMOD 2005. Pruning by the bound of the metric:
    Bayardo and Agrawal, "Data privacy through optimal k-anonymization", ICDE 2005, there for set enumeration.
    """

    name: ClassVar[str] = "optimal"
    scheme: ClassVar[str] = "AG_TS"
    reference: ClassVar[str] = "Samarati, Protecting respondents' identities in microdata release, TKDE 13(6), 2001"

    def search(
        self,
        frequency: FrequencySet,
        models: Sequence[GroupModel],
        metric: Metric,
        limits: Limits,
        watch: Watch = UNWATCHED,
    ) -> FullDomain:
        judge = Judge(frequency, models)
        lattice = Lattice.of(frequency, limits)
        best = _Search(judge, metric, limits, watch).run(lattice)
        if best is None:
            raise infeasible(judge, lattice, limits)
        return judge.recoding(best)


@dataclass(order=True)
class _Box:
    bound: float
    number: int
    """Breaks ties by age, so that the order never depends on anything else."""
    highest: Levels = field(compare=False)
    groups: NodeGroups = field(compare=False)
    """The groups at the lowest node."""


class _Search:
    def __init__(self, judge: Judge, metric: Metric, limits: Limits, watch: Watch) -> None:
        self._judge = judge
        self._metric = metric
        self._limits = limits
        self._watch = watch
        self._allowed = limits.suppressed or 0
        self._open: list[_Box] = []
        self._boxes = 0
        self._best_score = float("inf")
        self._best: Levels | None = None

    def run(self, lattice: Lattice) -> Levels | None:
        lowest, _ = self._judge.rollup.coarsen(self._judge.rollup.bottom(), lattice.lowest)
        self._add(lowest, lattice.highest, judge_lowest=True, judge_highest=True)
        while self._open:
            box = heapq.heappop(self._open)
            if box.bound > self._best_score * (1 + ROUNDING):
                break
            if self._may_improve(box.bound, box.groups.levels):
                self._cut(box)
        return self._best

    def _cut(self, box: _Box) -> None:
        lowest = box.groups.levels
        position = self._widest(lowest, box.highest)
        only_lowest = (*box.highest[:position], lowest[position], *box.highest[position + 1 :])
        self._add(box.groups, only_lowest, judge_lowest=False, judge_highest=True)
        rest, _ = self._judge.rollup.coarsen(box.groups, raised(lowest, position))
        self._add(rest, box.highest, judge_lowest=True, judge_highest=False)

    def _widest(self, lowest: Levels, highest: Levels) -> int:
        """Return the attribute with most values at the lowest level; splitting that level off settles most."""
        hierarchies = self._judge.frequency.hierarchies
        free = [position for position, level in enumerate(lowest) if level < highest[position]]
        return max(free, key=lambda position: len(hierarchies[position].labels[lowest[position]]))

    def _add(self, lowest: NodeGroups, highest: Levels, *, judge_lowest: bool, judge_highest: bool) -> None:
        """Judge the corners of a box that are new and keep the box if it may hold something better."""
        judge = self._judge
        single = lowest.levels == highest
        if single and not (judge_lowest and judge_highest):
            return
        top, to_top = judge.rollup.coarsen(lowest, highest)
        if not self._allowed and judge.refused(top, judge.monotone).any():
            return
        optimistic = judge.outcome(lowest, judge.refused(top, judge.lasting)[to_top])
        if optimistic.suppressed > self._allowed:
            return
        if judge_highest and not single:
            self._judge_node(top)
        if judge_lowest:
            self._judge_node(lowest)
        bound = self._metric.lower_bound(optimistic, highest)
        if not single and self._may_improve(bound, lowest.levels):
            self._boxes += 1
            heapq.heappush(self._open, _Box(bound, self._boxes, highest, lowest))

    def _judge_node(self, node: NodeGroups) -> None:
        judged = self._judge.assess(node, self._metric, self._limits)
        self._watch.judged(judged)
        if judged.score is not None and self._may_improve(judged.score, judged.levels):
            self._best_score, self._best = judged.score, judged.levels

    def _may_improve(self, score: float, levels: Levels) -> bool:
        """Say whether a score, or the same score at lower levels, would be better than the best so far."""
        if self._best is None or score < self._best_score * (1 - ROUNDING):
            return True
        return score <= self._best_score * (1 + ROUNDING) and sum(levels) < sum(self._best)
