"""Minimal removal: exact and greedy solvers against every subset of random AND/OR graphs."""

from dataclasses import dataclass
from itertools import chain, combinations

import numpy as np
import pytest

from effort import either
from krypsis.algorithms.minimal_removal import (
    Derivations,
    minimal_justifications,
    remove_greedily,
    remove_minimally,
    remove_minimally_then_few_lost,
    remove_with_few_lost,
    remove_with_fewest_lost,
)
from krypsis.algorithms.minimal_removal.derivations import chain_forward, walk_back
from krypsis.errors import Infeasible
from krypsis.progress import Progress


@dataclass
class Instance:
    """A random problem: statements 0, 1, … are given, the next few hold always, and the rest is derived."""

    statements: int
    firings: list[tuple[tuple[int, ...], int]]
    given: list[int]
    always: list[int]
    goals: list[int]
    weights: np.ndarray

    @property
    def graph(self) -> Derivations:
        return Derivations.of(self.statements, self.firings)

    def follows(self, given) -> set[int]:
        """What follows, by the plainest loop."""
        known = {*given, *self.always}
        while True:
            new = {conclusion for premises, conclusion in self.firings if known.issuperset(premises)} - known
            if not new:
                return known
            known |= new

    def subsets(self):
        return chain.from_iterable(combinations(self.given, size) for size in range(len(self.given) + 1))

    def is_safe(self, removed) -> bool:
        return not self.follows(set(self.given) - set(removed)).intersection(self.goals)

    def cheapest(self, cost) -> float:
        return min(cost(removed) for removed in self.subsets() if self.is_safe(removed))

    def lowest_weight(self) -> float:
        return self.cheapest(lambda removed: self.weights[list(removed)].sum())


def instances(count: int, *, start: int = 0):
    """Random problems that have a solution; weights are whole numbers in some, and cycles occur."""
    seed, found = start, 0
    while found < count:
        rng = np.random.default_rng(seed)
        seed += 1
        given, always, derived = int(rng.integers(3, 8)), int(rng.integers(0, 3)), int(rng.integers(3, 9))
        statements = given + always + derived
        firings = []
        for _ in range(int(rng.integers(4, 22))):
            premises = rng.choice(statements, int(rng.integers(1, 4)), replace=False)
            conclusion = int(rng.integers(0 if rng.random() < 0.1 else given + always, statements))
            firings.append((tuple(premises.tolist()), conclusion))
        goals = sorted({int(one) for one in rng.integers(given + always, statements, int(rng.integers(1, 4)))})
        weights = np.full(statements, np.nan)
        weights[:given] = rng.integers(1, 4, given) if rng.random() < 0.5 else rng.random(given) + 0.1
        instance = Instance(statements, firings, list(range(given)), list(range(given, given + always)), goals, weights)
        if instance.is_safe(instance.given) and not instance.is_safe([]):
            found += 1
            yield instance


def test_the_exact_solver_is_as_cheap_as_the_best_of_all_subsets():
    for instance in instances(either(1000, 60)):
        found = remove_minimally(instance.graph, instance.goals, instance.weights, instance.always)
        best = instance.lowest_weight()
        assert instance.is_safe(found.removed.tolist())
        assert found.cost == pytest.approx(instance.weights[found.removed].sum())
        assert found.cost == pytest.approx(best)
        assert found.is_optimal
        assert found.gap == 0


def test_the_greedy_solver_is_safe_irredundant_and_states_a_true_bound():
    for instance in instances(either(1000, 60)):
        found = remove_greedily(instance.graph, instance.goals, instance.weights, instance.always)
        best = instance.lowest_weight()
        removed = set(found.removed.tolist())
        assert instance.is_safe(removed)
        assert not any(instance.is_safe(removed - {one}) for one in removed)
        assert found.lower_bound <= best * (1 + 1e-9)
        assert found.cost >= best * (1 - 1e-9)
        assert found.cost * (1 - found.gap) <= best * (1 + 1e-6)


def test_the_fewest_consequences_are_lost():
    for instance in instances(either(500, 30)):
        everything = instance.follows(instance.given)

        def lost(removed, instance=instance, everything=everything) -> int:
            return len(everything) - len(instance.follows(set(instance.given) - set(removed)))

        found = remove_with_fewest_lost(instance.graph, instance.goals, instance.weights, instance.always)
        assert instance.is_safe(found.removed.tolist())
        assert found.cost == lost(found.removed.tolist()) == instance.cheapest(lost)
        assert found.is_optimal
        few = remove_with_few_lost(instance.graph, instance.goals, instance.weights, instance.always)
        assert instance.is_safe(few.removed.tolist())
        assert few.lower_bound <= found.cost <= few.cost == lost(few.removed.tolist())


def test_of_the_cheapest_removals_the_second_cost_decides():
    for instance in instances(either(300, 25)):
        second = np.random.default_rng(1).integers(0, 9, instance.statements).astype(float)
        instance.weights[instance.given] = np.ceil(instance.weights[instance.given])
        found = remove_minimally(instance.graph, instance.goals, instance.weights, instance.always, secondary=second)
        best = instance.cheapest(
            lambda removed, instance=instance, second=second: (
                1000 * instance.weights[list(removed)].sum() + second[list(removed)].sum()
            )
        )
        assert 1000 * found.cost + second[found.removed].sum() == pytest.approx(best)


def test_of_the_cheapest_removals_one_with_few_lost_consequences_is_taken():
    better = 0
    for instance in instances(either(300, 25)):
        instance.weights[instance.given] = 1
        plain = remove_minimally(instance.graph, instance.goals, instance.weights, instance.always)
        found = remove_minimally_then_few_lost(instance.graph, instance.goals, instance.weights, instance.always)
        assert instance.is_safe(found.removed.tolist())
        assert found.cost == pytest.approx(plain.cost)
        left = [len(instance.follows(set(instance.given) - set(one.removed.tolist()))) for one in (plain, found)]
        assert left[1] >= left[0]
        better += left[1] > left[0]
    assert better > 0


def test_all_minimal_justifications_are_found():
    for instance in instances(either(300, 25), start=7):
        goal = next(one for one in instance.goals if one in instance.follows(instance.given))
        enough = [set(kept) for kept in instance.subsets() if goal in instance.follows(kept)]
        expected = {tuple(sorted(one)) for one in enough if not any(other < one for other in enough)}
        always = [((), one) for one in instance.always]
        graph = Derivations.of(instance.statements, [*instance.firings, *always])
        found, is_all = minimal_justifications(graph, goal, instance.given)
        assert is_all
        assert set(found) == expected
        some, _ = minimal_justifications(graph, goal, instance.given, limit=1)
        assert len(some) == 1
        assert set(some) <= expected


def test_a_justification_is_minimal_and_steps_lead_to_the_goal():
    for instance in instances(either(300, 25), start=11):
        goal = next(one for one in instance.goals if one in instance.follows(instance.given))
        graph = instance.graph
        given = [*instance.given, *instance.always]
        found = graph.justification(goal, given).tolist()
        plain = Instance(instance.statements, instance.firings, [], [], [], instance.weights)
        assert goal in plain.follows(found)
        assert not any(goal in plain.follows(set(found) - {one}) for one in found)
        known = set(found)
        for firing in graph.steps(goal, found):
            assert known.issuperset(graph.premises_of(firing).tolist())
            known.add(int(graph.conclusions[firing]))
        assert goal in known


def test_a_goal_that_cannot_be_prevented_is_named():
    graph = Derivations.of(3, [((1,), 2)])
    with pytest.raises(Infeasible) as failure:
        remove_minimally(graph, [2], np.array([1.0, np.inf, np.nan]))
    assert failure.value.closest == {"goals": [2]}
    with pytest.raises(Infeasible):
        remove_greedily(graph, [2], np.array([1.0, 1.0, np.nan]), always=[1])


def test_a_goal_that_is_given_is_removed_and_one_that_does_not_follow_costs_nothing():
    graph = Derivations.of(3, [((1,), 2)])
    weights = np.array([2.0, np.nan, np.nan])
    assert remove_minimally(graph, [0], weights).removed.tolist() == [0]
    assert remove_minimally(graph, [2], weights).removed.tolist() == []
    assert remove_minimally(graph, [], weights).cost == 0


class Impatient(Progress):
    def wants_stop(self) -> bool:
        return True


def test_without_time_the_removal_is_safe_and_its_bound_true():
    for instance in instances(either(200, 15), start=3):
        best = instance.lowest_weight()
        for found in (
            remove_minimally(instance.graph, instance.goals, instance.weights, instance.always, time_limit=0),
            remove_minimally(instance.graph, instance.goals, instance.weights, instance.always, progress=Impatient()),
        ):
            assert instance.is_safe(found.removed.tolist())
            assert found.lower_bound <= best * (1 + 1e-9) <= found.cost * (1 + 2e-9)
        lost = remove_with_fewest_lost(instance.graph, instance.goals, instance.weights, instance.always, time_limit=0)
        assert instance.is_safe(lost.removed.tolist())
        assert lost.lower_bound <= lost.cost


def test_compiled_loops_and_their_plain_forms_agree():
    for instance in instances(10):
        graph = instance.graph
        given = np.zeros(graph.statements, dtype=np.bool_)
        given[instance.given] = True
        for one, other in zip(
            chain_forward(graph._firings, given), chain_forward.reference(graph._firings, given), strict=True
        ):
            assert one.tolist() == other.tolist()
        order = np.argsort(graph.conclusions, kind="stable").astype(np.int64)
        starts = np.searchsorted(graph.conclusions[order], np.arange(graph.statements + 1)).astype(np.int64)
        parts = (order, starts, graph.premise_starts, graph.premises, given)
        assert walk_back(*parts).tolist() == walk_back.reference(*parts).tolist()
