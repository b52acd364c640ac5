"""Divergence of group-by queries: by hand, against a slow reference, odd input."""

from itertools import combinations
from math import log

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from effort import examples
from krypsis import registry
from krypsis.data.transactions import GroupedSets, Transactions
from krypsis.errors import UsageError
from krypsis.metrics.transactions.group_by_kl import GroupByKl, divergence
from oracles.set_groups import divergence as slow_divergence

rows = st.lists(st.tuples(st.sets(st.sampled_from("abcST"), max_size=4), st.integers(0, 3)), min_size=1, max_size=10)


def answers(sets, groups, sensitive=("S", "T"), r=2, queries=100, seed=1):
    original = Transactions.of_sets(sets)
    numbers = np.unique(groups, return_inverse=True)[1]
    published = GroupedSets.of(original, set(sensitive), numbers)
    return GroupByKl(r=r, queries=queries).answers(original, published, np.random.default_rng(seed))


def test_a_figure_by_hand():
    # S is held by records 0 and 1, both with a. In the first group one of two holds a, in the second two of three.
    sets, groups = [{"a", "S"}, set(), {"a", "S"}, {"a"}, set()], [0, 0, 1, 1, 1]
    estimated = (1 / 2 + 2 / 3) / 2
    assert answers(sets, groups, ["S"], r=1).tolist() == pytest.approx([log(1 / estimated)] * 100)


@given(rows=rows)
@settings(max_examples=examples(150))
def test_answers_are_those_of_the_slow_reference(rows):
    sets, groups = zip(*rows, strict=True)
    plain, hidden = [one - {"S", "T"} for one in sets], [one & {"S", "T"} for one in sets]
    assume(any(hidden))
    known = sorted(set().union(*plain))
    possible = [
        slow_divergence(plain, hidden, groups, item, others)
        for item in sorted(set().union(*hidden))
        for others in combinations(known, min(2, len(known)))
    ]
    found = answers(sets, groups)
    assert all(any(abs(one - expected) < 1e-9 for expected in possible) for one in found)
    assert all(any(abs(one - expected) < 1e-9 for one in found) for expected in possible)  # all are drawn in the end


def test_groups_of_equal_records_tell_everything():
    assert answers([{"a", "S"}, {"a"}, {"b", "S"}, {"b"}], [0, 0, 1, 1]).tolist() == pytest.approx([0] * 100)


def test_where_all_items_are_sensitive_there_is_nothing_to_ask_for():
    assert answers([{"S"}, {"T"}], [0, 0]).tolist() == [0] * 100


def test_the_order_of_published_records_means_nothing():
    original = Transactions.of_sets([["a", "S"], ["a", "b"], ["b", "S"], ["c"]])
    published = GroupedSets.of(original, {"S"}, np.array([0, 0, 1, 1]))
    turned = np.array([3, 1, 0, 2])
    other = GroupedSets(published.records.taken(turned), published.groups[turned], ("S",), published.counts)
    figures = [GroupByKl(r=2).measure(original, one, None, np.random.default_rng(4)) for one in (published, other)]
    assert figures[0] == pytest.approx(figures[1])


def test_the_same_seed_draws_the_same_queries():
    sets, groups = [{"a", "b", "S"}, {"a"}, {"b", "c", "T"}, {"c"}], [0, 0, 1, 1]
    assert answers(sets, groups, seed=3).tolist() == answers(sets, groups, seed=3).tolist()
    assert answers(sets, groups, seed=3).tolist() != answers(sets, groups, seed=4).tolist()


def test_a_cell_that_a_release_rules_out_is_infinitely_wrong():
    assert divergence(np.array([0.5, 0.5]), np.array([1.0, 0.0])) == float("inf")
    original = Transactions.of_sets([["a", "S"], ["a"]])
    nobody = GroupedSets(original.without("S"), np.zeros(2, dtype=np.int64), ("S",), np.empty((0, 3), dtype=np.int64))
    assert GroupByKl().measure(original, nobody, None, np.random.default_rng(1)) == float("inf")


def test_it_measures_groups_with_sensitive_items_only():
    original = Transactions.of_sets([["a"], ["b"]])
    apart = GroupedSets.of(original, {"S"}, np.array([0, 0]))
    assert not GroupByKl().applies_to(apart, None)
    assert not GroupByKl().applies_to(original, None)
    with pytest.raises(UsageError, match="none is in a record"):
        GroupByKl().measure(original, apart, None, np.random.default_rng(1))
    with pytest.raises(UsageError, match="measures sets in groups, got Transactions"):
        GroupByKl().measure(original, original, None, np.random.default_rng(1))
    with pytest.raises(UsageError, match="3 records became 2"):
        GroupByKl().measure(Transactions.of_sets([["S"]] * 3), apart, None, np.random.default_rng(1))


def test_it_is_registered_with_its_parameters():
    assert registry.create("metric", "group-by-kl:r=2,queries=10") == GroupByKl(r=2, queries=10)
    with pytest.raises(UsageError, match="r of group-by-kl must be at most 16, got 40"):
        registry.create("metric", "group-by-kl:r=40")
