"""Incognito finds all solutions and takes the best of them."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.tables.lattices import (
    SINGLE,
    cases,
    is_below,
    levels_of,
    minimal_of,
    slow_solutions,
    with_bounds,
    with_sets,
)
from effort import examples
from krypsis import registry
from krypsis.algorithms.tables.incognito.incognito import Incognito
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.errors import Infeasible
from krypsis.models.k_anonymity import KAnonymity
from oracles.brute_force import METRICS, BruteForce
from strategies import frequency_sets

TABLES = examples(500)
LOSS = registry.create("metric", "loss")
OPTIONS = [Incognito(super_roots=roots, cube=cube) for roots, cube in product([True, False], repeat=2)]


@given(case=cases())
@settings(max_examples=TABLES)
def test_it_finds_what_trying_every_node_finds(case):
    frequency, models, limits = case
    expected = slow_solutions(frequency, models, limits)
    found = Incognito().solutions(frequency, models, limits)
    assert list(found.nodes) == expected
    assert list(found.minimal) == minimal_of(expected)


@given(frequency=frequency_sets(max_attributes=4, sensitive=0), k=st.integers(1, 5), limit=st.integers(0, 6))
@settings(max_examples=TABLES)
def test_it_finds_every_k_anonymous_node_of_up_to_four_attributes(frequency, k, limit):
    found = Incognito().solutions(frequency, [KAnonymity(k=k)], Limits(limit))
    assert list(found.nodes) == slow_solutions(frequency, [KAnonymity(k=k)], Limits(limit))


@given(case=cases(), data=st.data())
def test_several_quasi_identifier_sets_hold_each(case, data):
    frequency, models, limits = case
    frequency = with_sets(data.draw, frequency)
    assert list(Incognito().solutions(frequency, models, limits).nodes) == slow_solutions(frequency, models, limits)


@given(case=cases(), data=st.data())
def test_levels_stay_within_their_limits(case, data):
    frequency, models, limits = case
    limits = with_bounds(data.draw, frequency, limits)
    for incognito in OPTIONS:
        assert list(incognito.solutions(frequency, models, limits).nodes) == slow_solutions(frequency, models, limits)


@given(case=cases())
def test_what_keeps_the_promises_is_upward_closed(case):
    frequency, models, limits = case
    found = set(Incognito().solutions(frequency, models, limits).nodes)
    for node in product(*(range(height + 1) for height in frequency.heights)):
        assert node in found or not any(is_below(lower, node) for lower in found)


@given(case=cases(), metric=st.sampled_from(sorted(METRICS)))
def test_options_change_the_cost_and_not_the_result(case, metric):
    frequency, models, limits = case
    solutions = [incognito.solutions(frequency, models, limits) for incognito in OPTIONS]
    assert solutions == [solutions[0]] * len(OPTIONS)
    chosen = [levels_of(incognito, frequency, models, metric, limits) for incognito in OPTIONS]
    assert chosen == [chosen[0]] * len(OPTIONS)


@given(case=cases(), metric=st.sampled_from(SINGLE))
@settings(max_examples=examples(200))
def test_no_solution_beats_the_one_it_takes(case, metric):
    frequency, models, limits = case
    force = BruteForce(frequency)
    nodes = {node.levels: node for node in force.nodes(models)}
    scores = {levels: METRICS[metric](force, nodes[levels]) for levels in slow_solutions(frequency, models, limits)}
    found = levels_of(Incognito(), frequency, models, metric, limits)
    if not scores:
        assert found is None
        return
    best = min(scores.values())
    tied = [levels for levels, score in scores.items() if score == pytest.approx(best, rel=1e-9, abs=1e-12)]
    assert found in tied
    assert sum(found) == min(map(sum, tied))


@given(case=cases())
def test_a_lexicographic_order_asks_the_second_metric_among_equals(case):
    frequency, models, limits = case
    found = levels_of(Incognito(), frequency, models, "lexicographic:order=suppressed-share+loss", limits)
    force = BruteForce(frequency)
    scores = {
        levels: (node.lost, round(METRICS["loss"](force, node), 9))
        for levels in slow_solutions(frequency, models, limits)
        if (node := force.node(levels, models))
    }
    assert scores.get(found) == min(scores.values(), default=None)


@given(case=cases())
def test_its_recoding_says_the_score_that_nothing_beats_and_what_each_iteration_did(case):
    frequency, models, limits = case
    try:
        recoding = Incognito().search(frequency, models, LOSS, limits)
    except Infeasible:
        return
    force = BruteForce(frequency)
    assert recoding.lower_bound == pytest.approx(METRICS["loss"](force, force.node(recoding.levels, models)))
    iterations = [list(found) for found in Incognito().iterations(frequency, models, limits)]
    assert [step["attributes"] for step in recoding.figures] == list(range(1, len(frequency.attributes) + 1))
    for step, found in zip(recoding.figures, iterations, strict=True):
        assert step["tested"] == sum(len(searched.tested) for searched in found)
        assert step["survivors"] == sum(len(searched.survivors) for searched in found)
        assert step["candidates"] == sum(len(searched.candidates) for searched in found)
