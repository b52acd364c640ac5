"""The cheapest statements to remove, by one integer program over what may still follow.

A removal is enough if and only if there is a set of statements that holds everything that is left, is closed under all
firings, and holds no goal. Such a set needs one constraint for each firing, where hitting sets need one for each
justification: where every one of many rows can reveal the value of every other, that is a row instead of a pair.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from krypsis.algorithms.minimal_removal.derivations import Derivations
from krypsis.algorithms.minimal_removal.hitting_sets import FOREVER, Removal
from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.errors import Infeasible
from krypsis.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from scipy.optimize import LinearConstraint
    from scipy.sparse import csr_array

BATCH = 500
"""Components are solved together up to so many statements."""
NO_CONDITIONS = np.zeros((0, 2), dtype=np.int64)


def remove_by_closed_sets(
    graph: Derivations,
    goals: Sequence[int] | IntArray,
    weights: FloatArray,
    always: Sequence[int] | IntArray = (),
    *,
    conditions: IntArray = NO_CONDITIONS,
    time_limit: float = FOREVER,
    progress: Progress = NO_PROGRESS,
) -> Removal:
    """Return the cheapest removal after which no goal follows.

    Parameters
    ----------
    graph, goals, weights, always, time_limit, progress
        as for :func:`krypsis.algorithms.minimal_removal.remove_minimally`.
    conditions
        pairs of a removable statement and any statement, also itself: where the first is removed, the second must not
        follow from what is left.

    Raises
    ------
    Infeasible
        if a goal follows from what cannot be removed; ``closest`` names those goals.

    Examples
    --------
    >>> graph = Derivations.of(5, [((0, 1), 3), ((1, 2), 4)])
    >>> nan = float("nan")
    >>> weights = np.array([1.0, 1.5, 1.0, nan, nan])
    >>> remove_by_closed_sets(graph, [3], weights).removed.tolist()
    [0]
    >>> remove_by_closed_sets(graph, [3], weights, conditions=np.array([[0, 4]])).removed.tolist()
    [1]
    """
    fixed = np.unique(np.concatenate([np.asarray(always, np.int64), np.flatnonzero(np.isposinf(weights))]))
    goals = np.unique(np.asarray(goals, dtype=np.int64))
    small = graph.reduced(fixed, np.flatnonzero(np.isfinite(weights)))
    settled = small.derivable(np.zeros(0, np.int64))
    if settled[goals].any():
        raise Infeasible(
            f"{int(settled[goals].sum())} goal(s) follow from what cannot be removed",
            {"goals": goals[settled[goals]].tolist()},
        )
    possible = small.derivable(np.flatnonzero(np.isfinite(weights)))
    goals, conditions = goals[possible[goals]], conditions[possible[conditions[:, 1]]]
    deadline = time.monotonic() + time_limit
    removed, cost, bound, count = [np.zeros(0, np.int64)], 0.0, 0.0, 0
    for part in _parts(small, goals, weights, conditions):
        chosen, least = part.solved(0.0 if progress.wants_stop() else deadline - time.monotonic())
        removed.append(part.statements[chosen])
        own = float(part.weights[chosen].sum())
        cost, bound, count = cost + own, bound + min(least, own), count + 1
    return Removal(np.sort(np.concatenate(removed)), cost, bound, (), {"components": count, "rounds": count})


@dataclass(frozen=True, eq=False)
class Part:
    """Statements that no firing and no condition joins with others, numbered anew."""

    graph: Derivations
    goals: IntArray
    statements: IntArray
    """Their original numbers."""
    weights: FloatArray
    """Of all statements; not a number where there is nothing to remove."""
    conditions: IntArray

    @property
    def removable(self) -> IntArray:
        return np.flatnonzero(np.isfinite(self.weights))

    def solved(self, seconds: float) -> tuple[IntArray, float]:
        """Return what to remove, and a lower bound of its cost."""
        from scipy.optimize import Bounds, milp  # noqa: PLC0415  slow to import, and few need it

        removable = self.removable
        costs = np.concatenate([np.zeros(self.graph.statements), self.weights[removable]])
        # Given what is removed, the statements that follow are the smallest closed set: these variables become whole
        # numbers by themselves.
        is_whole = np.concatenate([np.zeros(self.graph.statements), np.ones(len(removable))])
        upper = np.ones(len(costs))
        upper[self.goals] = 0
        answer = milp(
            costs,
            integrality=is_whole,
            bounds=Bounds(0, upper),
            constraints=self._constraints(),
            options={"mip_rel_gap": 0, "time_limit": max(seconds, 0.01)},
        )
        bound = max(float(answer.mip_dual_bound), 0.0) if answer.mip_dual_bound is not None else 0.0
        if answer.x is None:  # without everything that can be removed, nothing follows
            return self._without_redundant(removable), bound
        chosen = removable[answer.x[self.graph.statements :] > 0.5]
        if answer.status == 0:
            return chosen, float(self.weights[chosen].sum())
        return self._without_redundant(chosen), bound

    def _constraints(self) -> list[LinearConstraint]:
        from scipy.optimize import LinearConstraint  # noqa: PLC0415  slow to import, and few need it
        from scipy.sparse import coo_array, vstack  # noqa: PLC0415  slow to import, and few need it

        graph, removable = self.graph, self.removable
        width = graph.statements + len(removable)
        place = np.full(graph.statements, -1, dtype=np.int64)
        place[removable] = graph.statements + np.arange(len(removable))
        # What is left follows.
        left = _matrix([(removable, 1.0), (place[removable], 1.0)], width)
        # A conclusion follows where all premises do: conclusion - premises >= 1 - number of premises.
        counts = np.diff(graph.premise_starts)
        firings = coo_array(
            (
                np.concatenate([np.ones(len(graph)), -np.ones(len(graph.premises))]),
                (
                    np.concatenate([np.arange(len(graph)), graph.owners]),
                    np.concatenate([graph.conclusions, graph.premises]),
                ),
            ),
            shape=(len(graph), width),
        )
        lower = np.concatenate([np.ones(len(removable)), 1 - counts])
        found = [LinearConstraint(vstack([left, firings], format="csr"), lb=lower)]
        if len(self.conditions):
            first, second = self.conditions.T
            found.append(LinearConstraint(_matrix([(place[first], 1.0), (second, 1.0)], width), ub=1))
        return found

    def is_safe(self, removed: IntArray) -> bool:
        """Say whether nothing follows that must not."""
        follows = self.graph.derivable(np.setdiff1d(self.removable, removed))
        where = np.isin(self.conditions[:, 0], removed)
        return not (follows[self.goals].any() or follows[self.conditions[where, 1]].any())

    def _without_redundant(self, removed: IntArray) -> IntArray:
        """Return what is needed of a removal that is enough: the most expensive are given back first."""
        kept = removed
        for one in sorted(removed.tolist(), key=lambda statement: (-self.weights[statement], statement)):
            less = kept[kept != one]
            if self.is_safe(less):
                kept = less
        return kept


def _matrix(entries: list[tuple[IntArray, float]], width: int) -> csr_array:
    """Return rows with one entry from each list of columns."""
    from scipy.sparse import csr_array  # noqa: PLC0415  slow to import, and few need it

    rows = len(entries[0][0])
    columns = np.concatenate([places for places, _ in entries])
    values = np.concatenate([np.full(rows, value) for _, value in entries])
    return csr_array((values, (np.tile(np.arange(rows), len(entries)), columns)), shape=(rows, width))


def _parts(graph: Derivations, goals: IntArray, weights: FloatArray, conditions: IntArray) -> Iterator[Part]:
    """Yield the independent parts of a problem, without what does not matter."""
    from scipy.sparse import csr_array  # noqa: PLC0415  slow to import, and few need it
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415  slow to import, and few need it

    reached, conditions = _reached(graph, goals, conditions)
    entries = np.flatnonzero(reached[graph.conclusions[graph.owners]])
    ends = (
        np.concatenate([graph.premises[entries], conditions[:, 0]]),
        np.concatenate([graph.conclusions[graph.owners[entries]], conditions[:, 1]]),
    )
    size = graph.statements
    _, found = connected_components(csr_array((np.ones(len(ends[0])), ends), shape=(size, size)), directed=False)
    goals = goals[reached[goals]]
    labels = _batches(found.astype(np.int64), reached, goals)
    firings = np.flatnonzero(reached[graph.conclusions])
    every = np.flatnonzero(reached)
    by_label = [
        _sorted_by(every, labels[every]),
        _sorted_by(firings, labels[graph.conclusions[firings]]),
        _sorted_by(goals, labels[goals]),
        _sorted_by(np.arange(len(conditions)), labels[conditions[:, 0]]),
    ]
    number = np.full(size, -1, dtype=np.int64)
    for label in np.unique(labels[goals]).tolist():
        statements, own, wanted, which = (_with_label(*each, label) for each in by_label)
        number[statements] = np.arange(len(statements))
        part = graph.part(own, number, len(statements))
        yield Part(part, number[wanted], statements, weights[statements], number[conditions[which]])


def _batches(labels: IntArray, reached: BoolArray, goals: IntArray) -> IntArray:
    """Return labels by which small components are solved together: every program takes a moment to set up."""
    has_goal = np.zeros(labels.max(initial=-1) + 1, dtype=np.bool_)
    has_goal[labels[goals]] = True
    sizes = np.bincount(labels[reached], minlength=len(has_goal)) * has_goal
    batch = np.cumsum(sizes) // BATCH + 1
    return np.asarray(np.where(has_goal, batch, 0)[labels], dtype=np.int64)


def _reached(graph: Derivations, goals: IntArray, conditions: IntArray) -> tuple[BoolArray, IntArray]:
    """Return which statements matter for goals, and the conditions of those that may be removed for them."""
    wanted = goals
    while True:
        reached = graph.ancestors(wanted)
        own = conditions[reached[conditions[:, 0]]]
        more = np.union1d(goals, own[:, 1])
        if reached[more].all():
            return reached, own
        wanted = more


def _sorted_by(values: IntArray, labels: IntArray) -> tuple[IntArray, IntArray]:
    order = np.argsort(labels, kind="stable")
    return values[order], labels[order]


def _with_label(values: IntArray, labels: IntArray, label: int) -> IntArray:
    return values[np.searchsorted(labels, label) : np.searchsorted(labels, label, side="right")]
