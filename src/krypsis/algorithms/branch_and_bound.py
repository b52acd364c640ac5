"""Branch and bound over boxes of the lattice. See ``docs/decisions/0004-search-by-boxes.md``."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

from krypsis.algorithms.budget import Budget
from krypsis.algorithms.evaluation import Judge, Limits
from krypsis.algorithms.incumbent import Incumbent
from krypsis.algorithms.lattice import Lattice, raised
from krypsis.algorithms.rollup import Levels, NodeGroups
from krypsis.algorithms.scores import Score, lowest_score
from krypsis.algorithms.watch import JudgedNode
from krypsis.metrics.base import Metric

MEMORY = 96 * 2**20
"""Bytes of groups that open boxes may keep; boxes beyond that make theirs anew when their turn comes."""

PARALLEL_TUPLES = 50_000
"""From so many distinct tuples on, both halves of a box are judged at the same time."""


@dataclass(order=True)
class _Box:
    """The nodes between ``lowest`` and ``highest``; none of them has a better score than ``bound``."""

    bound: Score
    number: int
    """Breaks ties by age, so that the order never depends on anything else."""
    lowest: Levels = field(compare=False)
    highest: Levels = field(compare=False)
    groups: NodeGroups | None = field(compare=False, repr=False)
    """The groups at the lowest node, as long as there is memory for them."""
    size: int = field(compare=False, default=0)
    """The memory that was counted for them."""


@dataclass(frozen=True)
class _Half:
    """What was found out about one half of a box."""

    judged: tuple[JudgedNode, ...] = ()
    bound: Score | None = None
    """Absent if no node of it can be feasible."""
    lowest: NodeGroups | None = None
    highest: Levels = ()


class BranchAndBound:
    """Takes boxes in order of their bound and cuts them in two until none can hold anything better."""

    def __init__(self, judge: Judge, metric: Metric, limits: Limits, budget: Budget, incumbent: Incumbent) -> None:
        self._judge = judge
        self._metric = metric
        self._limits = limits
        self._budget = budget
        self._incumbent = incumbent
        self._allowed = limits.suppressed or 0
        self._open: list[_Box] = []
        self._boxes = 0
        self._bytes = 0

    def run(self, lattice: Lattice) -> Score | None:
        """Search until the incumbent is the optimum or the budget is spent.

        Returns a score that no node can beat: that of the incumbent if it is the optimum. Nothing if there is no
        feasible node.
        """
        bottom = self._judge.rollup.bottom()
        lowest, _ = self._judge.rollup.coarsen(bottom, lattice.lowest)
        self._take(self._explore(lowest, lattice.highest, new_lowest=True, new_highest=True))
        with _workers(len(lowest.sizes)) as both:
            while self._open and not self._incumbent.is_better_than(self._open[0].bound):
                if self._budget.is_spent():
                    return self._proven()
                self._cut(self._pop(), both)
        return self._incumbent.score or None

    def _proven(self) -> Score:
        bound = self._open[0].bound
        return self._incumbent.score if self._incumbent.is_better_than(bound) else bound

    def _pop(self) -> _Box:
        box = heapq.heappop(self._open)
        self._bytes -= box.size
        return box

    def _cut(self, box: _Box, both: _Both) -> None:
        if not self._incumbent.could_be_beaten_by(box.bound, box.lowest):
            return
        rollup = self._judge.rollup
        groups = box.groups or rollup.coarsen(rollup.bottom(), box.lowest)[0]
        position = self._widest(box.lowest, box.highest)
        only_lowest = (*box.highest[:position], box.lowest[position], *box.highest[position + 1 :])

        def lower_half() -> _Half:
            return self._explore(groups, only_lowest, new_lowest=False, new_highest=True)

        def upper_half() -> _Half:
            rest, _ = rollup.coarsen(groups, raised(box.lowest, position))
            return self._explore(rest, box.highest, new_lowest=True, new_highest=False)

        for half in both(lower_half, upper_half):
            self._take(half)

    def _widest(self, lowest: Levels, highest: Levels) -> int:
        """Return the attribute with most values at the lowest level; splitting that level off settles most."""
        hierarchies = self._judge.frequency.hierarchies
        free = [position for position, level in enumerate(lowest) if level < highest[position]]
        return max(free, key=lambda position: len(hierarchies[position].labels[lowest[position]]))

    def _explore(self, lowest: NodeGroups, highest: Levels, *, new_lowest: bool, new_highest: bool) -> _Half:
        """Judge the corners of a box that are new, and bound the box. Changes nothing, so that two may run at once."""
        judge = self._judge
        single = lowest.levels == highest
        if single and not (new_lowest and new_highest):
            return _Half()
        top, to_top = judge.rollup.coarsen(lowest, highest)
        lost = judge.refused(top, judge.lasting)
        optimistic = judge.outcome(lowest, lost[to_top])
        left = self._allowed - optimistic.suppressed
        if left < 0 or (self._allowed < optimistic.rows and judge.lost_besides(top, lost) > left):
            return _Half()
        corners = ([top] if new_highest and not single else []) + ([lowest] if new_lowest else [])
        judged = tuple(judge.assess(node, self._metric, self._limits) for node in corners)
        if single:
            return _Half(judged)
        return _Half(judged, lowest_score(self._metric, optimistic, highest), lowest, highest)

    def _take(self, half: _Half) -> None:
        """Learn from a half, and keep it open if it may hold something better."""
        for node in half.judged:
            self._budget.spend(node)
            self._incumbent.offer(node)
        if half.bound is None or half.lowest is None:
            return
        if not self._incumbent.could_be_beaten_by(half.bound, half.lowest.levels):
            return
        fits = self._bytes + half.lowest.nbytes <= MEMORY
        groups, size = (half.lowest, half.lowest.nbytes) if fits else (None, 0)
        self._bytes += size
        self._boxes += 1
        heapq.heappush(self._open, _Box(half.bound, self._boxes, half.lowest.levels, half.highest, groups, size))


_Both = Callable[[Callable[[], _Half], Callable[[], _Half]], tuple[_Half, _Half]]
"""Calls two functions, one after the other or at the same time, and returns both results in order."""


@contextmanager
def _workers(tuples: int) -> Iterator[_Both]:
    if tuples < PARALLEL_TUPLES:
        yield lambda first, second: (first(), second())
        return
    with ThreadPoolExecutor(1) as pool:

        def both(first: Callable[[], _Half], second: Callable[[], _Half]) -> tuple[_Half, _Half]:
            running = pool.submit(second)
            return first(), running.result()

        yield both
