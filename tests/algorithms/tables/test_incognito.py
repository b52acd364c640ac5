"""Incognito finds all solutions, takes the best of them, and tells what it did as the paper does."""

from collections import Counter
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import PrivateAttr

from algorithms.tables.lattices import (
    SINGLE,
    Recorder,
    cases,
    is_below,
    minimal_of,
    of_models,
    paper_table,
    slow_solutions,
    with_bounds,
    with_sets,
)
from krypsis import registry
from krypsis.algorithms.evaluation import Limits
from krypsis.algorithms.rollup import NodeGroups
from krypsis.algorithms.subset_search import smallest_below
from krypsis.algorithms.tables.incognito import MOST_NODES, Incognito
from krypsis.errors import Infeasible, UsageError
from krypsis.frequency import FrequencySet
from krypsis.hierarchies.base import Hierarchy
from krypsis.metrics.suppressed_share import SuppressedShare
from krypsis.models.base import GroupModel
from krypsis.models.k_anonymity import KAnonymity
from oracles.brute_force import METRICS, BruteForce
from strategies import frequency_sets

TABLES = 500
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
@settings(max_examples=200)
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
    assert [step["attributes"] for step in recoding.trace] == list(range(1, len(frequency.attributes) + 1))
    for step, found in zip(recoding.trace, iterations, strict=True):
        assert step["tested"] == sum(len(searched.tested) for searched in found)
        assert step["survivors"] == sum(len(searched.survivors) for searched in found)
        assert step["candidates"] == sum(len(searched.candidates) for searched in found)


def levels_of(incognito, frequency, models, metric, limits):
    try:
        return incognito.search(frequency, models, registry.create("metric", metric), limits).levels
    except Infeasible:
        return None


# The running example of the paper (spec S10.8)

B, S, Z = "birthdate", "sex", "zip"
SURVIVORS = {
    (B,): "0;1",
    (S,): "0;1",
    (Z,): "0;1;2",
    (B, S): "0|1;1|0;1|1",
    (B, Z): "0|2;1|0;1|1;1|2",
    (S, Z): "0|2;1|0;1|1;1|2",
    (B, S, Z): "0|1|2;1|0|2;1|1|0;1|1|1;1|1|2",
}


def iterations_of(folder, table, k):
    frequency = paper_table(folder, table)
    found = Incognito().iterations(frequency, [KAnonymity(k=k)], Limits())
    return {searched.attributes: searched for iteration in found for searched in iteration}


def nodes(text):
    return tuple(tuple(map(int, node.split("|"))) for node in text.split(";"))


def test_every_iteration_of_the_running_example_leaves_what_the_paper_leaves():
    found = iterations_of("lefevre_2005_incognito", "patients", k=2)
    assert {attributes: searched.survivors for attributes, searched in found.items()} == {
        attributes: nodes(survivors) for attributes, survivors in SURVIVORS.items()
    }


def test_sex_and_zip_form_the_lattice_of_figure_2_6():
    searched = iterations_of("lefevre_2005_incognito", "patients", k=2)[S, Z]
    by_number = dict(enumerate([(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2)], start=1))
    assert searched.candidates == tuple(sorted(by_number.values()))
    edges = [(1, 2), (1, 3), (2, 4), (3, 4), (3, 5), (4, 6), (5, 6)]
    assert searched.edges == tuple(sorted((by_number[start], by_number[end]) for start, end in edges))


def test_sex_and_zip_are_tested_in_the_order_of_the_text():
    """⟨S1,Z1⟩ lies above ⟨S1,Z0⟩, which passes, and is never tested; nor is ⟨S1,Z2⟩."""
    searched = iterations_of("lefevre_2005_incognito", "patients", k=2)[S, Z]
    first, *second, last = searched.tested
    assert (first, set(second), last) == ((0, 0), {(1, 0), (0, 1)}, (0, 2))


def test_the_third_candidate_graph_is_that_of_figure_2_7():
    searched = iterations_of("lefevre_2005_incognito", "patients", k=2)[B, S, Z]
    assert searched.candidates == nodes(SURVIVORS[B, S, Z])
    edges = "1|1|0 1|1|1;1|1|1 1|1|2;1|0|2 1|1|2;0|1|2 1|1|2"
    assert searched.edges == tuple(sorted(nodes(edge.replace(" ", ";")) for edge in edges.split(";")))
    assert set(searched.roots) == {(1, 1, 0), (1, 0, 2), (0, 1, 2)}
    assert searched.super_root == (0, 0, 0)
    assert set(searched.tested) == set(searched.roots) == set(searched.minimal)


def test_with_k_3_two_nodes_of_the_running_example_are_left():
    found = Incognito().solutions(paper_table("lefevre_2005_incognito", "patients"), [KAnonymity(k=3)], Limits())
    assert found.nodes == ((1, 0, 2), (1, 1, 2))


# The example of the thesis on relational data and graphs (spec 8.10)


def test_every_iteration_of_the_crimes_finds_the_minimal_nodes_of_the_thesis():
    """The text skips ⟨K0,H2⟩, which is minimal and needed for the third iteration."""
    found = iterations_of("thesis_2016_incognito", "original", k=2)
    minimal = {attributes: set(searched.minimal) for attributes, searched in found.items()}
    assert minimal == {
        ("marital",): {(0,)},
        ("age",): {(1,)},
        ("zip",): {(1,)},
        ("marital", "age"): {(0, 2), (1, 1)},
        ("marital", "zip"): {(0, 2), (1, 1)},
        ("age", "zip"): {(1, 1)},
        ("marital", "age", "zip"): {(0, 2, 2), (1, 1, 1)},
    }
    assert len(found["marital", "age", "zip"].survivors) == 9


def test_of_the_crimes_what_fails_is_what_was_not_pruned_before():
    """⟨K0,H0⟩ and ⟨K1,H0⟩ are printed as checked and failed; H0 has failed alone, so they are not even candidates."""
    searched = iterations_of("thesis_2016_incognito", "original", k=2)["marital", "age"]
    assert (0, 0) not in searched.candidates
    assert (1, 0) not in searched.candidates
    assert (0, 1) in set(searched.tested) - set(searched.survivors)
    assert (1, 1) in set(searched.tested) & set(searched.survivors)


def test_three_alike_crimes_have_one_minimal_node():
    frequency = paper_table("thesis_2016_incognito", "original")
    assert Incognito().solutions(frequency, [KAnonymity(k=3)], Limits()).minimal == ((1, 1, 1),)


@pytest.mark.parametrize(
    ("metric", "levels"),
    [("discernibility", (0, 2, 2)), ("average-class-size", (0, 2, 2)), ("precision", (1, 1, 1))],
)
def test_the_metric_chooses_among_the_crimes_as_in_the_thesis(metric, levels):
    frequency = paper_table("thesis_2016_incognito", "original")
    assert levels_of(Incognito(), frequency, [KAnonymity(k=2)], metric, Limits()) == levels


# What it tests, and whom it tells


@given(case=cases())
def test_nothing_above_a_node_that_passes_is_tested_and_nothing_twice(case):
    for iteration in Incognito().iterations(*case):
        for searched in iteration:
            assert len(set(searched.tested)) == len(searched.tested)
            passing = set(searched.survivors)
            for node in searched.tested:
                assert not any(
                    lower in passing and lower != node and is_below(lower, node) for lower in searched.tested
                )


@given(frequency=frequency_sets(sensitive=0), k=st.integers(1, 4), limit=st.integers(0, 4))
def test_a_candidate_has_all_its_parts_among_the_survivors(frequency, k, limit):
    survivors = {(): {()}}
    for iteration in Incognito().iterations(frequency, [KAnonymity(k=k)], Limits(limit)):
        for searched in iteration:
            names = searched.attributes
            parts = list(combinations(range(len(names)), len(names) - 1))
            lattice = product(*(range(frequency.heights[frequency.attributes.index(name)] + 1) for name in names))
            assert set(searched.candidates) == {
                node
                for node in lattice
                if all(tuple(node[n] for n in part) in survivors[tuple(names[n] for n in part)] for part in parts)
            }
        survivors |= {searched.attributes: set(searched.survivors) for searched in iteration}


@given(case=cases(), data=st.data())
def test_what_survives_of_a_set_of_attributes_are_the_solutions_over_these_alone(case, data):
    frequency, models, limits = case
    limits = with_bounds(data.draw, frequency, limits)
    for iteration in Incognito().iterations(frequency, models, limits):
        for searched in iteration:
            columns = [frequency.attributes.index(name) for name in searched.attributes]
            assert list(searched.survivors) == slow_solutions(*over(columns, frequency, models, limits))


def over(columns, frequency, models, limits):
    """The same case with some of the attributes."""
    chosen = {
        name: tuple(getattr(frequency, name)[column] for column in columns) for name in ("attributes", "hierarchies")
    }
    bounds = {name: tuple(getattr(limits, name)[column] for column in columns) for name in ("lowest", "highest")}
    return replace(frequency, **chosen, codes=frequency.codes[:, columns]), models, replace(limits, **bounds)


def test_groups_are_rolled_up_from_the_smallest_table_below():
    def table(groups):
        return NodeGroups((), np.zeros(groups, dtype=np.int64), np.ones(groups, dtype=np.int64))

    start, left, right, elsewhere = table(9), table(7), table(5), table(2)
    below = {(0, 1): left, (1, 0): right, (0, 2): elsewhere}
    assert smallest_below((1, 1), below, start) is right
    assert smallest_below((0, 2), below, start) is left
    assert smallest_below((2, 0), {}, start) is start


@given(frequency=frequency_sets(max_attributes=2, sensitive=2))
def test_the_metric_sees_every_sensitive_attribute(frequency):
    for incognito in OPTIONS:
        metric = Observer()
        incognito.search(frequency, [KAnonymity(k=1)], metric, Limits(0))
        assert metric.seen == {"disease", "income"}


class Observer(SuppressedShare):
    """Remembers which sensitive attributes it was shown."""

    _seen: set = PrivateAttr(default_factory=set)

    @property
    def seen(self):
        return self._seen

    def compute(self, outcome):
        self._seen.update(outcome.sensitive)
        return super().compute(outcome)


@given(case=cases())
def test_the_watch_hears_of_nodes_over_all_attributes_each_once(case):
    frequency, models, limits = case
    watch = Recorder()
    try:
        found = Incognito().search(frequency, models, LOSS, limits, watch).levels
    except Infeasible:
        found = None
    heard = Counter(node.levels for node in watch.nodes)
    assert set(heard.values()) <= {1}
    assert all(len(levels) == len(frequency.attributes) for levels in heard)
    force = BruteForce(frequency)
    for node in watch.nodes:
        slow = force.node(node.levels, models)
        assert node.suppressed == slow.lost
        assert node.feasible == (node.levels in slow_solutions(frequency, models, limits))
        if node.feasible:
            assert node.score == pytest.approx(METRICS["loss"](force, slow))
    assert found is None or found in heard


@given(case=cases(), patience=st.integers(0, 40))
def test_stopped_it_returns_a_solution_if_there_is_one(case, patience):
    frequency, models, limits = case
    expected = slow_solutions(frequency, models, limits)
    try:
        recoding = Incognito().search(frequency, models, LOSS, limits, Recorder(patience))
    except Infeasible:
        assert not expected
        return
    assert recoding.levels in expected
    if recoding.lower_bound is None:
        assert recoding.levels in {node.levels for node in heard_until(case, patience)} | {expected[-1]}


def heard_until(case, patience):
    frequency, models, limits = case
    watch = Recorder(patience)
    Incognito().search(frequency, models, LOSS, limits, watch)
    return watch.nodes


# What it refuses


class Picky(GroupModel):
    """Accepts groups of an even number of records below six: neither kind of monotone."""

    name = ""
    monotone = False
    monotone_with_suppression = False
    better = "higher"
    reference = "none"

    @property
    def spec(self):
        return "picky"

    @property
    def required(self):
        return 0.0

    def promise(self):
        return "every group has two or four records"

    def accepts(self, groups):
        return np.isin(groups.sizes, [2, 4])

    def measure(self, groups):
        return float(groups.sizes.min())


@given(frequency=frequency_sets(sensitive=1))
def test_a_model_that_is_not_monotone_is_refused_with_the_reason_and_the_way_out(frequency):
    with pytest.raises(UsageError, match=r"incognito .*picky is not monotone: two groups .* algorithm 'optimal'"):
        Incognito().search(frequency, [KAnonymity(k=2), Picky()], LOSS, Limits(0))
    with pytest.raises(UsageError, match="picky is not monotone"):
        Incognito().solutions(frequency, [Picky()], Limits(0))


@given(frequency=frequency_sets(sensitive=1), model=of_models("monotone"), limit=st.integers(1, 5))
def test_suppression_is_refused_where_it_may_cost_more_higher_up(frequency, model, limit):
    if model.monotone_with_suppression:
        Incognito().solutions(frequency, [model], Limits(limit))
        return
    with pytest.raises(UsageError, match=rf"up to {limit} suppressed records .* suppress more\. .*'optimal'"):
        Incognito().search(frequency, [model], LOSS, Limits(limit))


@given(frequency=frequency_sets(sensitive=0))
def test_suppressed_records_that_stay_are_refused_unless_none_may_be_suppressed(frequency):
    with pytest.raises(UsageError, match=r"kept as a group: .* too few .*'optimal'"):
        Incognito().search(frequency, [KAnonymity(k=2)], LOSS, Limits(1, keep=True))
    expected = slow_solutions(frequency, [KAnonymity(k=2)], Limits(0))
    assert list(Incognito().solutions(frequency, [KAnonymity(k=2)], Limits(0, keep=True)).nodes) == expected


def flat_table(attributes, height=1):
    tree = Hierarchy.from_rows([["a", *"bcdefghij"[: height - 1], "*"], ["z", *"zyxwvutsr"[: height - 1], "*"]])
    codes = np.array([[0] * attributes, [1] * attributes], dtype=np.int32)
    names = tuple(f"q{number}" for number in range(attributes))
    return FrequencySet(names, (tree,) * attributes, codes, np.array([2, 2]))


def test_forty_attributes_are_refused_with_their_number_of_nodes():
    with pytest.raises(UsageError, match=rf"up to {MOST_NODES:,}; here are {3**40 - 1:,}\. .*'optimal' or 'datafly'"):
        Incognito().search(flat_table(40), [KAnonymity(k=2)], LOSS, Limits(0))


def test_attributes_may_be_held_at_their_lowest_level():
    limits = Limits(0, highest=(1,) * 3 + (0,) * 7)
    found = Incognito().solutions(flat_table(10), [KAnonymity(k=2)], limits)
    assert found.minimal == ((0,) * 10,)
    assert len(found.nodes) == 8


def test_levels_out_of_range_are_named():
    with pytest.raises(UsageError, match="levels of 'q1' must lie between 0 and 1"):
        Incognito().search(flat_table(2), [KAnonymity(k=2)], LOSS, Limits(0, highest=(1, 2)))


@given(frequency=frequency_sets(sensitive=0))
def test_more_records_than_there_are_cannot_look_alike(frequency):
    models = [KAnonymity(k=frequency.rows + 1)]
    with pytest.raises(Infeasible, match=rf"the best is k-anonymity {frequency.rows}\b"):
        Incognito().search(frequency, models, LOSS, Limits(0))
    assert Incognito().solutions(frequency, models, Limits(frequency.rows)).nodes == ()


@given(frequency=frequency_sets(max_attributes=2, sensitive=2), k=st.integers(1, 3))
def test_sensitive_attributes_nobody_asks_about_change_nothing(frequency, k):
    without = replace(frequency, sensitive={})
    for incognito in OPTIONS:
        assert incognito.solutions(frequency, [KAnonymity(k=k)], Limits(1)) == incognito.solutions(
            without, [KAnonymity(k=k)], Limits(1)
        )
