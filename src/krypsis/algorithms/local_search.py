"""Iterated local search: a good node of a lattice that is too large to be searched completely."""

from __future__ import annotations

import random
from collections.abc import Iterator

from krypsis.algorithms.budget import Budget
from krypsis.algorithms.evaluation import Judge, Limits
from krypsis.algorithms.incumbent import Incumbent
from krypsis.algorithms.lattice import Lattice, raised
from krypsis.algorithms.rollup import Levels
from krypsis.metrics.base import Metric
from krypsis.progress import JudgedNode

SHAKES = (2, 3, 4)
"""How many attributes are set anew before a local search begins again."""


class LocalSearch:
    """Climbs from the most general node by single steps, shakes the best node found, and climbs again.

    The first step that improves is taken, in random order: on real tables this comes further than always taking the
    best step, and costs less.
    """

    def __init__(self, judge: Judge, metric: Metric, limits: Limits, budget: Budget, seed: int) -> None:
        self._judge = judge
        self._metric = metric
        self._limits = limits
        self._budget = budget
        self._random = random.Random(seed)  # noqa: S311  no secret depends on it
        self._bottom = judge.rollup.bottom()
        self._known: dict[Levels, JudgedNode] = {}

    def run(self, lattice: Lattice, incumbent: Incumbent) -> None:
        """Improve the incumbent until the budget is spent."""
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
