"""The cheapest statements to remove, so that no goal follows from the rest: hitting sets of justifications.

A set of removed statements is enough if and only if it hits every minimal justification of every goal. There are far
too many of these to list them; they are found when they are needed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from krypsis.algorithms.minimal_removal.derivations import Derivations
from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.errors import Infeasible
from krypsis.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from scipy.sparse import csr_array

TOLERANCE = 1e-9
"""Costs are sums of weights in floating point; differences as small as this, relatively, are none."""
FOREVER = 1e9


@dataclass(frozen=True, eq=False)
class Removal:
    """What is removed, what it costs, and how much less it could cost at most."""

    removed: IntArray
    """The statements, in ascending order."""
    cost: float
    lower_bound: float
    """No removal that is enough costs less."""
    justifications: tuple[tuple[int, tuple[int, ...]], ...] = ()
    """Goal and removable statements that it follows from, together with those that stay: all that were found."""
    figures: dict[str, float] = field(default_factory=dict)
    """How many rounds and components there were."""

    @property
    def is_optimal(self) -> bool:
        """Whether nothing cheaper is enough."""
        return self.cost <= self.lower_bound * (1 + TOLERANCE) + TOLERANCE

    @property
    def gap(self) -> float:
        """The share of the cost that a better removal could save at most."""
        return 0.0 if self.is_optimal else 1 - self.lower_bound / self.cost


@dataclass(eq=False)
class Component:
    """Goals that have justifications in common with each other and with no other goal; statements are numbered anew."""

    graph: Derivations
    goals: IntArray
    statements: IntArray
    """Their original numbers."""
    removable: IntArray
    weights: FloatArray
    """Of the removable statements, in their order."""
    deadline: float
    secondary: FloatArray | None = None
    """A second cost of removable statements, which decides between removals that cost the same."""
    found: list[tuple[int, IntArray]] = field(default_factory=list)
    """Goals, with the places of a minimal justification among the removable statements."""
    rounds: int = 0

    @property
    def is_late(self) -> bool:
        return time.monotonic() > self.deadline

    def leaks(self, removed: IntArray) -> IntArray:
        """Return the goals that follow when statements, named by their places, are removed."""
        given = np.delete(self.removable, removed)
        return self.goals[self.graph.derivable(given)[self.goals]]

    def collect(self, removed: IntArray) -> bool:
        """Note justifications that are not hit, disjoint ones as long as there are any; say whether there were."""
        blocked = np.zeros(len(self.removable), dtype=np.bool_)
        blocked[removed] = True
        place_of = np.full(self.graph.statements, -1, dtype=np.int64)
        place_of[self.removable] = np.arange(len(self.removable))
        before = len(self.found)
        leaked = self.leaks(removed)
        while len(leaked):
            for goal in leaked.tolist():
                given = self.removable[~blocked]
                if self.graph.derivable(given)[goal]:
                    # Without time, it need not be minimal: whoever hits what is smaller hits it, too.
                    find = self.graph.support if self.is_late else self.graph.justification
                    justification = place_of[find(goal, given)]
                    self.found.append((goal, justification))
                    blocked[justification] = True
            leaked = self.leaks(np.flatnonzero(blocked))
        self.rounds += 1
        return len(self.found) > before

    def without_redundant(self, removed: IntArray) -> IntArray:
        """Return what is still needed of a removal that is enough: the most expensive are given back first."""
        kept = removed
        for one in sorted(removed.tolist(), key=lambda place: (-self.weights[place], -place)):
            less = kept[kept != one]
            if not self.is_late and not len(self.leaks(less)):
                kept = less
        return kept

    def cost(self, removed: IntArray) -> float:
        return float(self.weights[removed].sum())


Solution = tuple[IntArray, float]
"""The places of removed statements, and a lower bound of the cost."""


def remove_minimally(
    graph: Derivations,
    goals: Sequence[int] | IntArray,
    weights: FloatArray,
    always: Sequence[int] | IntArray = (),
    *,
    time_limit: float = FOREVER,
    secondary: FloatArray | None = None,
    progress: Progress = NO_PROGRESS,
) -> Removal:
    """Return the cheapest removal after which no goal follows.

    Parameters
    ----------
    graph
        what follows from what.
    goals
        the statements that must not follow.
    weights
        what it costs to remove each statement; infinite for those that cannot be removed, not a number for those that
        are not given but derived.
    always
        statements that hold whatever is removed.
    time_limit
        in seconds; a removal that is enough is returned in any case, with a lower bound of the cost.
    secondary
        a second cost of each statement: of the cheapest removals, the one with the lowest sum is returned.
    progress
        may ask to stop, which is like the end of the time.

    Raises
    ------
    Infeasible
        if a goal follows from what cannot be removed; ``closest`` names those goals.

    Notes
    -----
    Implicit hitting sets: the cheapest removal that hits all justifications found so far is computed as an integer
    program; where goals still follow, their justifications are added. As every one of these has to be hit, the last
    removal is the cheapest of all.

    References
    ----------
    Chandrasekaran, Karp, Moreno-Centeno, Vempala, Algorithms for implicit hitting set problems, SODA 2011.

    Examples
    --------
    >>> graph = Derivations.of(5, [((0, 1), 3), ((1, 2), 4)])
    >>> nan = float("nan")
    >>> found = remove_minimally(graph, [3, 4], np.array([1.0, 1.5, 1.0, nan, nan]))
    >>> found.removed.tolist(), found.cost, found.is_optimal
    ([1], 1.5, True)
    """
    return _solved(_exactly, graph, goals, weights, always, time_limit, secondary, progress)


def remove_greedily(
    graph: Derivations,
    goals: Sequence[int] | IntArray,
    weights: FloatArray,
    always: Sequence[int] | IntArray = (),
    *,
    time_limit: float = FOREVER,
    progress: Progress = NO_PROGRESS,
) -> Removal:
    """Return a removal after which no goal follows: whatever hits most justifications for its weight is removed first.

    Afterwards, what turns out not to be needed is given back. A linear program over the justifications that were found
    gives the lower bound. Parameters are those of :func:`remove_minimally`.
    """
    return _solved(_greedily, graph, goals, weights, always, time_limit, None, progress)


def components(
    graph: Derivations,
    goals: Sequence[int] | IntArray,
    weights: FloatArray,
    always: Sequence[int] | IntArray = (),
    time_limit: float = FOREVER,
    secondary: FloatArray | None = None,
) -> list[Component]:
    """Return the problem in independent parts, without what does not matter; see :func:`remove_minimally`."""
    fixed = np.unique(np.concatenate([np.asarray(always, np.int64), np.flatnonzero(np.isposinf(weights))]))
    removable = np.flatnonzero(np.isfinite(weights))
    goals = np.unique(np.asarray(goals, dtype=np.int64))
    small = graph.reduced(fixed, removable)
    settled = small.derivable(np.zeros(0, np.int64))
    if settled[goals].any():
        raise Infeasible(
            f"{int(settled[goals].sum())} goal(s) follow from what cannot be removed",
            {"goals": goals[settled[goals]].tolist()},
        )
    goals = goals[small.derivable(removable)[goals]]
    reached = small.ancestors(goals) & ~settled
    deadline = time.monotonic() + time_limit
    return [
        Component(
            part, own, statements, places, weights[statements][places], deadline, _taken(secondary, statements, places)
        )
        for part, own, statements in _split(small, goals, reached)
        for places in [np.flatnonzero(np.isfinite(weights[statements]))]
    ]


def _taken(values: FloatArray | None, statements: IntArray, places: IntArray) -> FloatArray | None:
    return None if values is None else values[statements][places]


def _split(graph: Derivations, goals: IntArray, reached: BoolArray) -> Iterator[tuple[Derivations, IntArray, IntArray]]:
    """Return connected parts of a graph with a goal: graph and goals in new numbers, the old numbers of statements.

    Statements are connected where one firing joins them.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415  slow to import, and few need it
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415  slow to import, and few need it

    firings = np.flatnonzero(reached[graph.conclusions])
    entries = np.flatnonzero(reached[graph.conclusions[graph.owners]])
    ends = (graph.premises[entries], graph.conclusions[graph.owners[entries]])
    size = graph.statements
    _, labels = connected_components(csr_array((np.ones(len(entries)), ends), shape=(size, size)), directed=False)
    statements = np.flatnonzero(reached)
    statements = statements[np.argsort(labels[statements], kind="stable")]
    firings = firings[np.argsort(labels[graph.conclusions[firings]], kind="stable")]
    goals = goals[np.argsort(labels[goals], kind="stable")]
    number = np.full(size, -1, dtype=np.int64)
    wanted = np.unique(labels[goals])
    bounds = [
        np.stack([np.searchsorted(labels[each], wanted, side) for side in ("left", "right")], axis=1)
        for each in (statements, graph.conclusions[firings], goals)
    ]
    for (low, high), (first, last), (one, other) in zip(*bounds, strict=True):
        number[statements[low:high]] = np.arange(high - low)
        yield graph.part(firings[first:last], number, int(high - low)), number[goals[one:other]], statements[low:high]


def _solved(
    solve: Callable[[Component], Solution],
    graph: Derivations,
    goals: Sequence[int] | IntArray,
    weights: FloatArray,
    always: Sequence[int] | IntArray,
    time_limit: float,
    secondary: FloatArray | None,
    progress: Progress,
) -> Removal:
    """Solve each component for itself, and join what was found."""
    each = components(graph, goals, weights, always, time_limit, secondary)
    found = []
    for component in each:
        if progress.wants_stop():
            component.deadline = 0
        found.append(removal_of(component, *solve(component)))
    return joined_removals(found)


def removal_of(component: Component, removed: IntArray, lower_bound: float) -> Removal:
    """Return a solution of a component in original numbers."""
    names = component.statements[component.removable]
    justifications = tuple(
        (int(component.statements[goal]), tuple(names[places].tolist())) for goal, places in component.found
    )
    cost = component.cost(removed)
    return Removal(np.sort(names[removed]), cost, min(lower_bound, cost), justifications, {"rounds": component.rounds})


def joined_removals(each: Sequence[Removal]) -> Removal:
    """Return the removals of all components as one."""
    return Removal(
        np.sort(np.concatenate([np.zeros(0, np.int64), *(one.removed for one in each)])),
        sum(one.cost for one in each),
        sum(one.lower_bound for one in each),
        tuple(found for one in each for found in one.justifications),
        {"components": len(each), "rounds": sum(one.figures["rounds"] for one in each)},
    )


def _exactly(component: Component) -> Solution:
    """Add justifications until the cheapest hitting set of those that were found is enough."""
    removed, bound = np.zeros(0, np.int64), 0.0
    while component.collect(removed):
        if component.is_late:
            return _greedily(component, bound)
        removed, bound, is_proven = _hitting_set(component, component.weights)
        if not is_proven:
            return _greedily(component, bound)
    return (_tie_broken(component, removed), bound) if component.secondary is not None else (removed, bound)


def _tie_broken(component: Component, removed: IntArray) -> IntArray:
    """Return, of the removals with the cost of one that is optimal, the one of lowest secondary cost."""
    assert component.secondary is not None
    limit = component.cost(removed)
    limit += TOLERANCE * max(limit, 1)
    while not component.is_late:
        other, _, is_proven = _hitting_set(component, component.secondary, limit)
        if not is_proven:
            break
        if not component.collect(other):
            return component.without_redundant(other)
    return removed


def _hitting_set(component: Component, costs: FloatArray, most: float | None = None) -> tuple[IntArray, float, bool]:
    """Return the cheapest set that hits all justifications, a lower bound, and whether the optimum was reached.

    Where ``most`` is given, the sum of the weights is at most so high.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415  slow to import, and few need it

    if most is None and (simple := _simple_hitting_set(component, costs)) is not None:
        return simple, float(costs[simple].sum()), True
    constraints = [LinearConstraint(_incidence(component), lb=1)]
    if most is not None:
        constraints.append(LinearConstraint(component.weights[None, :], ub=most))
    left = max(component.deadline - time.monotonic(), 0.01)
    answer = milp(
        costs,
        integrality=np.ones(len(costs), dtype=np.int64),
        bounds=Bounds(0, 1),
        constraints=constraints,
        options={"mip_rel_gap": 0, "time_limit": left},
    )
    bound = float(answer.mip_dual_bound) if answer.mip_dual_bound is not None else 0.0
    if answer.x is None or answer.status != 0:
        return np.zeros(0, np.int64), max(bound, 0.0), False
    chosen = np.flatnonzero(answer.x > 0.5)
    return chosen, float(costs[chosen].sum()), True


def _simple_hitting_set(component: Component, costs: FloatArray) -> IntArray | None:
    """Return the cheapest hitting set where no program is needed: at most one set is left after those of one member."""
    forced = {int(places[0]) for _, places in component.found if len(places) == 1}
    rest = {tuple(places.tolist()) for _, places in component.found if forced.isdisjoint(places.tolist())}
    if len(rest) > 1:
        return None
    chosen = forced | {min(members, key=lambda place: (costs[place], place)) for members in rest}
    return np.array(sorted(chosen), dtype=np.int64)


def _incidence(component: Component) -> csr_array:
    """Return which justification, as a row, has which removable statement, as a column."""
    from scipy.sparse import csr_array  # noqa: PLC0415  slow to import, and few need it

    sets = [places for _, places in component.found]
    starts = np.cumsum([0, *map(len, sets)])
    columns = np.concatenate(sets)
    return csr_array((np.ones(len(columns)), columns, starts), shape=(len(sets), len(component.removable)))


def _greedily(component: Component, bound: float = 0.0) -> Solution:
    """Hit what was found, add what is not hit, until nothing follows; then give back what is not needed."""
    removed = _greedy_hitting_set(component)
    while component.collect(removed):
        removed = _greedy_hitting_set(component)
    removed = component.without_redundant(removed)
    return removed, max(bound, _relaxed(component))


def _greedy_hitting_set(component: Component) -> IntArray:
    """Return a hitting set of what was found: always what newly hits most for its weight, of equals the first."""
    if not component.found:
        return np.zeros(0, np.int64)
    matrix = _incidence(component)
    by_column = matrix.tocsc()
    gain = np.asarray(matrix.sum(axis=0)).ravel()
    is_hit = np.zeros(matrix.shape[0], dtype=np.bool_)
    chosen: list[int] = []
    with np.errstate(divide="ignore", invalid="ignore"):
        while not is_hit.all():
            best = int(np.argmax(np.where(gain > 0, gain / component.weights, 0)))
            chosen.append(best)
            rows = by_column.indices[by_column.indptr[best] : by_column.indptr[best + 1]]
            for row in rows[~is_hit[rows]].tolist():
                gain[matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]] -= 1
                is_hit[row] = True
    return np.array(sorted(chosen), dtype=np.int64)


def _relaxed(component: Component) -> float:
    """Return the cost of hitting what was found if statements could be removed in part."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415  slow to import, and few need it

    weights = component.weights
    if (simple := _simple_hitting_set(component, weights)) is not None:
        return float(weights[simple].sum())
    answer = milp(weights, bounds=Bounds(0, 1), constraints=[LinearConstraint(_incidence(component), lb=1)])
    if answer.x is None:
        return 0.0
    # A linear program is solved up to a tolerance; a bound must not be too high. Sums of whole numbers are whole.
    bound = float(answer.fun) * (1 - 1e-7)
    return float(np.ceil(bound - 1e-6)) if (weights == np.round(weights)).all() else max(bound, 0.0)
