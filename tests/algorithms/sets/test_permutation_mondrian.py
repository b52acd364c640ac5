"""Permutation Mondrian: a slow reference, the promise, odd input, and CAHD compared with it."""

import lzma

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from algorithms.sets.baskets import HIDDEN, baskets, largest_degree, parts_of, random_sets, task_of
from effort import examples
from krypsis.algorithms.sets.base import SetTask
from krypsis.algorithms.sets.grouping.cahd import Cahd
from krypsis.algorithms.sets.grouping.permutation_mondrian import PermutationMondrian
from krypsis.checker.sets import check_sets
from krypsis.data.transactions import GroupedSets, Transactions
from krypsis.errors import Infeasible
from krypsis.metrics.transactions.group_by_kl import GroupByKl
from krypsis.models.privacy_degree import PrivacyDegree
from oracles.set_groups import degree, split_groups


def publish(task: SetTask) -> GroupedSets:
    made = PermutationMondrian().publish(task, np.random.default_rng(1))
    assert isinstance(made.published, GroupedSets)
    return made.published


def members(groups) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(np.asarray(groups) == group).tolist()) for group in set(groups)}


@given(sets=baskets, p=st.integers(1, 4))
@settings(max_examples=examples(300))
def test_groups_are_those_of_the_slow_reference(sets, p):
    assume(p <= largest_degree(sets))
    assert members(publish(task_of(sets, p)).groups.tolist()) == split_groups(*parts_of(sets), p)


def test_every_group_of_a_thousand_releases_keeps_the_promise():
    for seed in range(1000):
        sets, sensitive = random_sets(seed)
        p = largest_degree(sets, sensitive)
        published = publish(task_of(sets, max(1, p - seed % 3), sensitive))
        plain, hidden = parts_of(sets, sensitive)
        assert degree(hidden, published.groups.tolist()) >= p - seed % 3
        assert published.records.sets() == [frozenset(one) for one in plain]


def test_the_item_that_halves_the_records_splits_them():
    sets = [{"a", "b", "S"}, {"a", "b"}, {"a"}, {"a", "c"}, {"d", "S"}, {"d"}, {"d"}, {"d"}]
    assert members(publish(task_of(sets, 4)).groups.tolist()) == {frozenset(range(4)), frozenset(range(4, 8))}


def test_a_split_that_one_side_cannot_bear_is_not_made():
    sets = [{"a", "S"}, {"a"}, {"b", "S"}, {"c", "b"}]
    assert members(publish(task_of(sets, 2)).groups.tolist()) == {frozenset({0, 1}), frozenset({2, 3})}
    assert members(publish(task_of([{"a", "S"}, {"b"}, {"b"}, {"b"}], 2)).groups.tolist()) == {frozenset(range(4))}


def test_records_without_harmless_items_are_one_group():
    assert publish(task_of([{"S"}, set(), set()], 2)).groups.tolist() == [0, 0, 0]


def test_an_item_that_is_too_frequent_is_named():
    with pytest.raises(Infeasible, match="permutation-mondrian cannot keep privacy-degree:p=3: 1 of 2 records hold"):
        publish(task_of([{"S"}, {"a"}], 3, HIDDEN))


@pytest.mark.data
@pytest.mark.parametrize("p", [4, 10, 20])
@pytest.mark.parametrize("file", ["BMS-WebView-1.dat", "BMS-WebView-2.txt.xz"])
def test_correlated_groups_lose_less_than_split_ones_on_web_views(data_folder, file, p):
    path = data_folder / "transactions" / file
    text = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    views = Transactions.of_sets([line.split() for line in text.decode().splitlines()])
    rng = np.random.default_rng(1)
    chosen = rng.choice(np.flatnonzero(views.supports * 20 <= len(views)), 20, replace=False)
    task = SetTask(views, [PrivacyDegree(p=p)], sensitive=frozenset(views.items[code] for code in chosen))
    losses = []
    for method in (Cahd(), PermutationMondrian()):
        published = method.publish(task, rng).published
        assert all(check_sets(published, task.models))
        losses.append(GroupByKl(queries=200).measure(views, published, None, np.random.default_rng(1)))
    assert losses[0] < losses[1]
