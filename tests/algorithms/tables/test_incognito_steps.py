"""What Incognito tests, what it leaves out, and whom it tells."""

from collections import Counter
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import PrivateAttr

from algorithms.tables.lattices import (
    Recorder,
    cases,
    is_below,
    slow_solutions,
    with_bounds,
)
from krypsis import registry
from krypsis.algorithms.tables.incognito.incognito import Incognito
from krypsis.algorithms.tables.incognito.subset_search import smallest_below
from krypsis.algorithms.tables.lattice.lattice import Limits, NodeGroups
from krypsis.errors import Infeasible
from krypsis.metrics.suppressed_share import SuppressedShare
from krypsis.models.k_anonymity import KAnonymity
from oracles.brute_force import METRICS, BruteForce
from strategies import frequency_sets

LOSS = registry.create("metric", "loss")
OPTIONS = [Incognito(super_roots=roots, cube=cube) for roots, cube in product([True, False], repeat=2)]


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
    progress = Recorder()
    try:
        found = Incognito().search(frequency, models, LOSS, limits, progress).levels
    except Infeasible:
        found = None
    heard = Counter(node.levels for node in progress.nodes)
    assert set(heard.values()) <= {1}
    assert all(len(levels) == len(frequency.attributes) for levels in heard)
    force = BruteForce(frequency)
    for node in progress.nodes:
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
    progress = Recorder(patience)
    Incognito().search(frequency, models, LOSS, limits, progress)
    return progress.nodes
