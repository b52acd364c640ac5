"""Samarati's search finds all solutions of the lowest height, by either way of counting."""

from collections import Counter
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.tables.lattices import (
    SINGLE,
    Recorder,
    cases,
    minimal_of,
    paper_table,
    slow_solutions,
    with_bounds,
    with_sets,
)
from effort import examples
from krypsis import registry
from krypsis.algorithms.tables.incognito.incognito import Incognito
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.algorithms.tables.optimal.optimal import Optimal
from krypsis.algorithms.tables.samarati import Samarati, nodes_of_height
from krypsis.errors import Infeasible
from krypsis.models.k_anonymity import KAnonymity
from oracles.brute_force import METRICS, BruteForce
from strategies import frequency_sets

TABLES = examples(500)
LOSS = registry.create("metric", "loss")
HEIGHT = registry.create("metric", "height")
METHODS = [Samarati(method="frequency"), Samarati(method="distance-vectors")]

either_method = pytest.mark.parametrize("samarati", METHODS, ids=lambda samarati: samarati.method)


def search(samarati, frequency, models, metric, limits):
    try:
        return samarati.search(frequency, models, metric, limits)
    except Infeasible:
        return None


@either_method
@given(case=cases())
@settings(max_examples=examples(200))
def test_it_finds_all_solutions_of_the_lowest_height(samarati, case):
    expected = slow_solutions(*case)
    found = search(samarati, *case[:2], LOSS, case[2])
    if not expected:
        assert found is None
        return
    lowest = min(map(sum, expected))
    assert [step["levels"] for step in found.figures] == [node for node in expected if sum(node) == lowest]
    force = BruteForce(case[0])
    for step in found.figures:
        node = force.node(step["levels"], case[1])
        assert step["minimal"] is (step["levels"] in minimal_of(expected))
        assert step["suppressed"] == node.lost
        assert step["score"] == pytest.approx(METRICS["loss"](force, node))


@either_method
@given(case=cases(), metric=st.sampled_from(SINGLE))
def test_the_metric_is_the_preference_among_them(samarati, case, metric):
    found = search(samarati, *case[:2], registry.create("metric", metric), case[2])
    if found is None:
        return
    force = BruteForce(case[0])
    scores = {step["levels"]: METRICS[metric](force, force.node(step["levels"], case[1])) for step in found.figures}
    best = min(scores.values())
    tied = [levels for levels, score in scores.items() if score == pytest.approx(best, rel=1e-9, abs=1e-12)]
    assert found.levels == min(tied)


@given(case=cases(), data=st.data())
@settings(max_examples=examples(200))
def test_the_distance_vectors_find_what_roll_up_finds(case, data):
    frequency, models, limits = case
    if data.draw(st.booleans()):
        frequency = with_sets(data.draw, frequency)
    if data.draw(st.booleans()):
        limits = with_bounds(data.draw, frequency, limits)
    rolled_up, compared = (search(samarati, frequency, models, LOSS, limits) for samarati in METHODS)
    if rolled_up is None:
        assert compared is None
        return
    assert compared.levels == rolled_up.levels
    assert (compared.suppressed == rolled_up.suppressed).all()
    assert compared.figures == rolled_up.figures


@given(case=cases(), data=st.data())
@settings(max_examples=TABLES)
def test_its_height_is_the_lowest_of_incognitos_nodes_and_the_optimum_of_the_metric_height(case, data):
    frequency, models, limits = case
    if data.draw(st.booleans()):
        frequency = with_sets(data.draw, frequency)
    nodes = Incognito().solutions(frequency, models, limits).nodes
    found = search(Samarati(), frequency, models, LOSS, limits)
    optimum = search(Optimal(), frequency, models, HEIGHT, limits)
    if found is None:
        assert not nodes
        assert optimum is None
        return
    assert sum(found.levels) == min(map(sum, nodes)) == sum(optimum.levels)


@given(case=cases(), data=st.data())
def test_levels_stay_within_their_limits(case, data):
    frequency, models, limits = case
    limits = with_bounds(data.draw, frequency, limits)
    expected = slow_solutions(frequency, models, limits)
    found = search(Samarati(), frequency, models, LOSS, limits)
    assert (found is None) == (not expected)
    if found is not None:
        assert found.levels in expected
        assert sum(found.levels) == min(map(sum, expected))


@given(frequency=frequency_sets(sensitive=0), k=st.integers(2, 4))
def test_without_a_limit_nothing_is_suppressed(frequency, k):
    found = search(Samarati(), frequency, [KAnonymity(k=k)], LOSS, Limits())
    assert found is None or not found.suppressed.any()


# The example of the lecture notes: k = 2, at most two records suppressed, the limit included


@either_method
def test_two_incomparable_solutions_suppress_exactly_as_many_as_allowed(samarati):
    frequency = paper_table("samarati_2001_minimal_generalization", "private")
    found = samarati.search(frequency, [KAnonymity(k=2)], LOSS, Limits(2))
    told = {step["levels"]: (step["suppressed"], step["minimal"]) for step in found.figures}
    assert told == {(0, 1): (2, True), (1, 0): (2, True)}


def test_each_preference_of_the_paper_can_choose():
    """Distribution: ⟨1,0⟩ keeps 2 different tuples, ⟨0,1⟩ 3; steps: 1 of 1 against 1 of 2."""
    frequency = paper_table("samarati_2001_minimal_generalization", "private")
    for metric in ("lost-groups", "relative-height", "lexicographic:order=height+suppressed-share+lost-groups"):
        preference = registry.create("metric", metric)
        assert Samarati().search(frequency, [KAnonymity(k=2)], preference, Limits(2)).levels == (0, 1)


# Nodes of a height


def test_the_nodes_of_a_height_are_all_of_it_in_order():
    lowest, highest = (0, 1, 0), (2, 3, 1)
    every = [(a, b, c) for a in range(3) for b in range(1, 4) for c in range(2)]
    for height in range(-1, 9):
        found = list(nodes_of_height(lowest, highest, height))
        assert found == [node for node in every if sum(node) == height]


def test_the_middle_of_a_tall_lattice_is_counted_as_choices():
    assert sum(1 for _ in nodes_of_height((0,) * 12, (1,) * 12, 6)) == comb(12, 6)


# Whom it tells, and when it stops


@given(case=cases())
def test_the_watch_hears_of_every_node_judged_once(case):
    frequency, models, limits = case
    progress = Recorder()
    found = search(WithWatch(progress), frequency, models, LOSS, limits)
    heard = Counter(node.levels for node in progress.nodes)
    assert set(heard.values()) <= {1}
    feasible = set(slow_solutions(frequency, models, limits))
    assert all(node.feasible == (node.levels in feasible) for node in progress.nodes)
    if found is not None:
        assert {step["levels"] for step in found.figures} <= set(heard)


class WithWatch:
    """Samarati's search, watched."""

    def __init__(self, progress):
        self._progress = progress

    def search(self, *given):
        return Samarati().search(*given, self._progress)


@given(case=cases(), patience=st.integers(0, 20))
def test_stopped_it_returns_the_lowest_solutions_known(case, patience):
    frequency, models, limits = case
    expected = slow_solutions(frequency, models, limits)
    progress = Recorder(patience)
    found = search(WithWatch(progress), frequency, models, LOSS, limits)
    assert (found is None) == (not expected)
    if found is None:
        return
    assert found.levels in expected
    known = [node.levels for node in progress.nodes if node.feasible]
    assert {step["levels"] for step in found.figures} == {node for node in known if sum(node) == min(map(sum, known))}
    for step in found.figures:
        assert step["minimal"] in (True, None)
        if step["minimal"]:
            assert step["levels"] in minimal_of(expected)
