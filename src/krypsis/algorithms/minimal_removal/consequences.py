"""The removal after which the most consequences are left: a cost that is no sum over what is removed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from krypsis.algorithms.minimal_removal.derivations import Derivations
from krypsis.algorithms.minimal_removal.hitting_sets import (
    FOREVER,
    TOLERANCE,
    Removal,
    remove_greedily,
    remove_minimally,
)
from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.progress import NO_PROGRESS, Progress


@dataclass(frozen=True, eq=False)
class LostConsequences:
    """Counts which statements do not follow any more when some are removed; it never falls when more are.

    Examples
    --------
    >>> graph = Derivations.of(4, [((0,), 2), ((0, 1), 3)])
    >>> lost = LostConsequences.of(graph, np.array([0, 1]), [], np.ones(4, dtype=bool))
    >>> lost([0]), lost([1]), lost([])
    (3, 2, 0)
    """

    graph: Derivations
    given: IntArray
    counted: BoolArray
    before: int

    @classmethod
    def of(
        cls, graph: Derivations, removable: IntArray, always: Sequence[int] | IntArray, counted: BoolArray
    ) -> LostConsequences:
        """Return the count for statements that are given, of which some hold always; only some statements count."""
        small = graph.reduced(always, removable)
        return cls(small, removable, counted, int((small.derivable(removable) & counted).sum()))

    def __call__(self, removed: Sequence[int] | IntArray) -> int:
        """Return how many statements are lost."""
        return self.before - int((self._left(removed) & self.counted).sum())

    def _left(self, removed: Sequence[int] | IntArray) -> BoolArray:
        return self.graph.derivable(np.setdiff1d(self.given, np.asarray(removed, dtype=np.int64)))

    def statements(self, removed: int) -> IntArray:
        """Return the statements that are lost when one is removed."""
        return np.flatnonzero(self._everything & self.counted & ~self._left([removed]))

    @cached_property
    def _everything(self) -> BoolArray:
        return self.graph.derivable(self.given)


def remove_with_fewest_lost(
    graph: Derivations,
    goals: Sequence[int] | IntArray,
    weights: FloatArray,
    always: Sequence[int] | IntArray = (),
    *,
    counted: BoolArray | None = None,
    time_limit: float = FOREVER,
    progress: Progress = NO_PROGRESS,
) -> Removal:
    """Return the removal after which no goal follows and as many other statements as possible still do.

    The cost of the removal is the number of statements that are lost. Parameters are those of
    :func:`krypsis.algorithms.minimal_removal.remove_minimally`; of the weights only matters which statements can be
    removed, and ``counted`` says which statements count as consequences: all unless given.

    Notes
    -----
    It begins with :func:`remove_with_few_lost`. Branch and bound then tries, for a justification that is not hit, each
    of its statements. As losses never fall when more is removed, what already
    loses as much as the best removal is not followed. Where the time ends before, the lower bound is the smallest loss
    of any branch that was left open.

    Examples
    --------
    >>> graph = Derivations.of(6, [((0, 1), 2), ((0,), 3), ((0,), 4)])
    >>> nan = float("nan")
    >>> found = remove_with_fewest_lost(graph, [2], np.array([1.0, 5.0, nan, nan, nan, nan]))
    >>> found.removed.tolist(), found.cost
    ([1], 2.0)
    """
    deadline = time.monotonic() + time_limit
    start = remove_with_few_lost(
        graph, goals, weights, always, counted=counted, time_limit=time_limit / 2, progress=progress
    )
    removable = np.flatnonzero(np.isfinite(weights))
    lost = _lost(graph, weights, always, counted)
    search = _BranchAndBound(lost, lost.graph, np.asarray(goals, np.int64), removable, deadline)
    search.best, search.cost, search.found = start.removed, start.cost, list(start.justifications)
    search.run(start.lower_bound, progress)
    figures = {**start.figures, "branches": search.branches}
    return Removal(search.without_redundant(), search.cost, search.bound, tuple(search.found), figures)


def remove_with_few_lost(
    graph: Derivations,
    goals: Sequence[int] | IntArray,
    weights: FloatArray,
    always: Sequence[int] | IntArray = (),
    *,
    counted: BoolArray | None = None,
    time_limit: float = FOREVER,
    progress: Progress = NO_PROGRESS,
) -> Removal:
    """Return a removal after which no goal follows and many other statements still do.

    What is lost when a single statement is removed serves as its weight. For the lower bound, what several statements
    would lose is charged to each of them in equal parts: the lowest sum of such charges is at most what is lost.
    Parameters are those of :func:`remove_with_fewest_lost`.
    """
    deadline = time.monotonic() + time_limit
    lost = _lost(graph, weights, always, counted)
    single = weights.copy()
    losses: dict[int, IntArray] = {}
    """Statement → what is lost without it."""
    every: dict[tuple[int, tuple[int, ...]], None] = {}
    """All justifications that were found, each once."""
    tried: list[Removal] = []
    is_new = True
    while (is_new and time.monotonic() < deadline and not progress.wants_stop()) or not tried:
        left = max(deadline - time.monotonic(), 0)
        tried.append(remove_greedily(graph, goals, single, always, time_limit=left, progress=progress))
        every.update(dict.fromkeys(tried[-1].justifications))
        new = {one for _, found in tried[-1].justifications for one in found} - losses.keys()
        for one in sorted(new):
            losses[one] = lost.statements(one)
            single[one] = len(losses[one])
        is_new = bool(new)
    # What several would lose is charged to each in part. These charges add up to at most what is lost.
    count = np.maximum(np.bincount(np.concatenate([np.zeros(0, np.int64), *losses.values()]), minlength=1), 1)
    charges = np.where(np.isfinite(weights), 0.0, weights)
    for one, own in losses.items():
        charges[one] = (1 / count[own]).sum()
    left = max(deadline - time.monotonic(), 0.1)
    charged = remove_minimally(graph, goals, charges, always, time_limit=left, progress=progress)
    every.update(dict.fromkeys(charged.justifications))
    best = min((*tried, charged), key=lambda one: lost(one.removed))
    cost = float(lost(best.removed))
    bound = float(np.ceil(charged.lower_bound * (1 - 1e-9) - 1e-6))
    return replace(best, cost=cost, lower_bound=min(bound, cost), justifications=tuple(every))


def remove_minimally_then_few_lost(
    graph: Derivations,
    goals: Sequence[int] | IntArray,
    weights: FloatArray,
    always: Sequence[int] | IntArray = (),
    *,
    counted: BoolArray | None = None,
    time_limit: float = FOREVER,
    progress: Progress = NO_PROGRESS,
) -> Removal:
    """Return, of the cheapest removals after which no goal follows, one after which many other statements still do.

    What is lost when a single statement is removed decides between removals of the same cost. Parameters are those of
    :func:`remove_with_fewest_lost`; the cost is the sum of weights.

    Examples
    --------
    >>> graph = Derivations.of(4, [((0, 1), 2), ((0,), 3)])
    >>> nan = float("nan")
    >>> remove_minimally_then_few_lost(graph, [2], np.array([1.0, 1.0, nan, nan])).removed.tolist()
    [1]
    """
    deadline = time.monotonic() + time_limit
    lost = _lost(graph, weights, always, counted)
    tried = [remove_minimally(graph, goals, weights, always, time_limit=time_limit, progress=progress)]
    second = np.zeros(graph.statements)
    known: set[int] = set()
    while new := {one for _, members in tried[-1].justifications for one in members} - known:
        for one in sorted(new):
            second[one] = len(lost.statements(one))
        known |= new
        left = deadline - time.monotonic()
        if left <= 0 or progress.wants_stop():
            break
        tried.append(
            remove_minimally(graph, goals, weights, always, time_limit=left, secondary=second, progress=progress)
        )
    lowest = min(one.cost for one in tried) * (1 + TOLERANCE)
    return min((one for one in tried if one.cost <= lowest), key=lambda one: lost(one.removed))


def _lost(
    graph: Derivations, weights: FloatArray, always: Sequence[int] | IntArray, counted: BoolArray | None
) -> LostConsequences:
    fixed = np.concatenate([np.asarray(always, np.int64), np.flatnonzero(np.isposinf(weights))])
    every = np.ones(graph.statements, dtype=np.bool_) if counted is None else counted
    return LostConsequences.of(graph, np.flatnonzero(np.isfinite(weights)), fixed, every)


@dataclass(eq=False)
class _BranchAndBound:
    lost: LostConsequences
    graph: Derivations
    goals: IntArray
    removable: IntArray
    deadline: float
    cost: float = 0.0
    branches: int = 0
    bound: float = 0.0

    def __post_init__(self) -> None:
        self.best = np.zeros(0, np.int64)
        self.found: list[tuple[int, tuple[int, ...]]] = []

    def run(self, least: float, progress: Progress) -> None:
        """Search depth first, and set the best removal and the lower bound, which is known to be at least so high."""
        stack: list[tuple[frozenset[int], frozenset[int], float]] = [(frozenset(), frozenset(), 0.0)]
        """Removed statements, statements that another branch removes, and what is lost at least."""
        while stack:
            if time.monotonic() > self.deadline or progress.wants_stop():
                self.bound = max(least, min(self.cost, *(bound for _, _, bound in stack)))
                return
            removed, kept, bound = stack.pop()
            if bound >= self.cost:
                continue
            self.branches += 1
            justification = self._not_hit(removed)
            if justification is None:
                self.best, self.cost = np.array(sorted(removed), dtype=np.int64), bound
                continue
            passed: set[int] = set(kept)
            branches = []
            for one in justification:
                if one not in kept:
                    more = removed | {one}
                    branches.append((more, frozenset(passed), float(self.lost(list(more)))))
                    passed.add(one)
            # The most promising branch is on top.
            stack += sorted(branches, key=lambda branch: -branch[2])
        self.bound = self.cost

    def without_redundant(self) -> IntArray:
        """Return what is needed of the best removal, which may hold statements that nothing is lost with."""
        kept = self.best
        for one in self.best[::-1].tolist():
            given = np.setdiff1d(self.removable, kept[kept != one])
            if not self.graph.derivable(given)[self.goals].any():
                kept = kept[kept != one]
        return np.sort(kept)

    def _not_hit(self, removed: frozenset[int]) -> tuple[int, ...] | None:
        """Return a justification that a removal does not hit, one that is known if possible."""
        known = next((found for _, found in self.found if removed.isdisjoint(found)), None)
        if known is not None:
            return known
        given = self.removable[~np.isin(self.removable, list(removed))]
        leaked = self.goals[self.graph.derivable(given)[self.goals]]
        if not len(leaked):
            return None
        goal = int(leaked[0])
        self.found.append((goal, tuple(self.graph.justification(goal, given).tolist())))
        return self.found[-1][1]
