"""CAHD: the figure of the paper, a slow reference, brute force, the last group, odd input."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from algorithms.sets.baskets import (
    HIDDEN,
    PLAIN,
    baskets,
    largest_degree,
    parts_of,
    random_sets,
    task_of,
)
from effort import examples
from krypsis import registry
from krypsis.algorithms.sets.base import SetTask
from krypsis.algorithms.sets.grouping.band import band_order, column_order
from krypsis.algorithms.sets.grouping.cahd import Cahd
from krypsis.checker.sets import check_sets
from krypsis.data.transactions import GroupedSets, Transactions
from krypsis.errors import Infeasible, UsageError
from krypsis.models.km_anonymity import KmAnonymity
from krypsis.models.privacy_degree import PrivacyDegree
from oracles.set_groups import band, correlated_groups, degree, partitions

FIGURE_1 = {
    "Bob": ["Wine", "Meat", "Viagra"],
    "David": ["Wine", "Meat"],
    "Claire": ["Strawberries", "Cream", "Pregnancy Test"],
    "Andrea": ["Strawberries", "Meat"],
    "Ellen": ["Wine", "Meat", "Cream"],
}
SENSITIVE = {"Pregnancy Test", "Viagra"}

# At p = 2, T is in half of the records. Whoever groups the two records with x leaves T in both of the others.
ALL_OF_THE_REST_HOLD_T = [{"y", "T"}, {"z", "T"}, {"x", "S"}, {"x"}]


def publish(task: SetTask, **parameters) -> GroupedSets:
    made = Cahd(**parameters).publish(task, np.random.default_rng(1))
    assert isinstance(made.published, GroupedSets)
    return made.published


def members(groups) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(np.asarray(groups) == group).tolist()) for group in set(groups)}


def test_the_baskets_of_the_paper_get_degree_two():
    published = publish(task_of(FIGURE_1.values(), 2, SENSITIVE))
    (verdict,) = check_sets(published, [PrivacyDegree(p=2)])
    assert verdict.holds
    assert degree(parts_of(FIGURE_1.values(), SENSITIVE)[1], published.groups.tolist()) == verdict.achieved >= 2


def test_the_grouping_printed_in_the_paper_is_accepted():
    printed = {"Bob": 0, "David": 0, "Ellen": 0, "Andrea": 1, "Claire": 1}
    groups = np.array([printed[name] for name in FIGURE_1])
    published = GroupedSets.of(Transactions.of_sets(FIGURE_1.values()), SENSITIVE, groups)
    assert [(*row,) for row in published.counts.tolist()] == [(0, 1, 1), (1, 0, 1)]
    kept, broken = check_sets(published, [PrivacyDegree(p=2), PrivacyDegree(p=3)])
    assert (kept.holds, kept.achieved, broken.holds) == (True, 2.0, False)
    assert broken.offending == ({"values": {"group": "2", "item": "Pregnancy Test", "records": 1}, "size": 2},)


@given(sets=baskets, p=st.integers(1, 5), alpha=st.integers(1, 3))
@settings(max_examples=examples(300))
def test_groups_are_those_of_the_slow_reference(sets, p, alpha):
    assume(p <= largest_degree(sets))
    task = task_of(sets, p)
    plain, hidden = parts_of(sets)
    order = band_order(task.transactions.without(HIDDEN)).tolist()
    expected = {frozenset(group) for group in correlated_groups(order, plain, hidden, p, alpha)}
    assert members(publish(task, alpha=alpha).groups.tolist()) == expected


def test_every_group_of_a_thousand_releases_keeps_the_largest_degree_and_smaller_ones():
    for seed in range(1000):
        sets, sensitive = random_sets(seed)
        plain, hidden = parts_of(sets, sensitive)
        largest = largest_degree(sets, sensitive)
        for p in sorted({largest, max(1, largest // 2)}):
            published = publish(task_of(sets, p, sensitive))
            assert degree(hidden, published.groups.tolist()) >= p
            assert published.records.sets() == [frozenset(one) for one in plain]
            told = {(int(group), published.sensitive[code]): int(count) for group, code, count in published.counts}
            assert told == _counted(hidden, published.groups.tolist())


def _counted(hidden, groups):
    counted = {}
    for group, items in zip(groups, hidden, strict=True):
        for item in items:
            counted[group, item] = counted.get((group, item), 0) + 1
    return counted


def test_the_printed_comparison_leaves_a_group_that_breaks_the_promise_and_ours_does_not():
    plain, hidden = parts_of(ALL_OF_THE_REST_HOLD_T)
    order = band_order(Transactions.of_sets(plain)).tolist()
    assert correlated_groups(order, plain, hidden, 2, printed=True) == [[2, 3], [1, 0]]
    assert degree(hidden, [1, 1, 0, 0]) == 1
    published = publish(task_of(ALL_OF_THE_REST_HOLD_T, 2))
    assert degree(hidden, published.groups.tolist()) == 2


@given(sets=st.lists(st.sets(st.sampled_from("aST"), max_size=3), min_size=1, max_size=6), p=st.integers(1, 4))
def test_a_release_is_found_exactly_if_some_partition_keeps_the_promise(sets, p):
    hidden = parts_of(sets)[1]
    numbers = [
        [next(number for number, group in enumerate(one) if record in group) for record in range(len(sets))]
        for one in partitions(list(range(len(sets))))
    ]
    if any(degree(hidden, groups) >= p for groups in numbers):
        assert degree(hidden, publish(task_of(sets, p)).groups.tolist()) >= p
    else:
        with pytest.raises(Infeasible):
            publish(task_of(sets, p))


def test_what_the_first_pass_leaves_is_split_where_that_is_possible():
    # The records most like those with S and T hold nothing sensitive; to take two of them would leave too few.
    sets = [{"a", "S"}, {"a"}, {"a"}, {"a", "S"}, {"b", "T"}, {"b", "T"}]
    published = publish(task_of(sets, 3))
    assert sorted(published.sizes.tolist()) == [3, 3]
    assert degree(parts_of(sets)[1], published.groups.tolist()) == 3


def test_a_group_is_made_of_the_records_most_alike():
    sets = [{"a", "b", "c", "S"}, {"d"}, {"a"}, {"a", "b", "c"}, {"d", "e"}, {"a", "b"}]
    published = publish(task_of(sets, 3))
    assert frozenset({0, 3, 5}) in members(published.groups.tolist())


def test_an_item_that_is_too_frequent_is_named_with_the_largest_degree_possible():
    sets = [{"a", "S"}, {"a", "S", "T"}, {"b"}, {"b"}, {"c"}, {"c"}, set()]
    with pytest.raises(Infeasible, match=r"2 of 7 records hold the sensitive item 'S', and at most 1 in 4") as caught:
        publish(task_of(sets, 4))
    assert "largest feasible p is 3" in str(caught.value)
    assert caught.value.closest == {"item": "S", "count": 2, "records": 7, "p": 3}
    assert degree(parts_of(sets)[1], publish(task_of(sets, 3)).groups.tolist()) >= 3


def test_a_degree_above_the_number_of_records_is_infeasible():
    with pytest.raises(Infeasible, match="largest feasible p is 2"):
        publish(task_of([{"S"}, {"a"}], 3))


def test_degree_one_asks_for_nothing_and_every_sensitive_record_is_its_own_group():
    published = publish(task_of([{"a", "S"}, {"a", "S"}, {"b"}], 1))
    assert sorted(published.sizes.tolist()) == [1, 1, 1]


def test_of_several_promises_the_largest_is_kept():
    sets = [{"a", "S"}, {"a"}, {"a"}, {"b"}]
    models = [PrivacyDegree(p=2), PrivacyDegree(p=4)]
    published = publish(SetTask(Transactions.of_sets(sets), models, sensitive=frozenset("S")))
    assert all(check_sets(published, models))


def test_sensitive_items_of_no_record_make_one_group_of_all():
    published = publish(task_of([{"a"}, {"b"}], 5, {"Z"}))
    assert (published.groups.tolist(), published.sensitive, len(published.counts)) == ([0, 0], ("Z",), 0)


def test_records_may_hold_nothing_but_sensitive_items():
    sets = [{"S"}, {"T"}, {"S", "T"}, set(), set(), set()]
    published = publish(task_of(sets, 3))
    assert published.records.sets() == [frozenset()] * 6
    assert degree(parts_of(sets)[1], published.groups.tolist()) == 3


@pytest.mark.parametrize("p", ["2.5", "0", "many"])
def test_a_degree_that_is_no_whole_number_from_one_on_is_refused(p):
    with pytest.raises(UsageError, match="p of privacy-degree"):
        registry.create("model", f"privacy-degree:p={p}")


def test_it_needs_sensitive_items_and_its_own_promise():
    baskets = Transactions.of_sets([["a"]])
    with pytest.raises(UsageError, match="name at least one sensitive item"):
        publish(SetTask(baskets, [PrivacyDegree(p=2)]))
    with pytest.raises(UsageError, match="cahd cannot keep km-anonymity:k=2,m=2; it keeps: privacy-degree"):
        publish(SetTask(baskets, [KmAnonymity(k=2, m=2)], sensitive=frozenset("a")))
    with pytest.raises(UsageError, match="needs the promise privacy-degree"):
        publish(SetTask(baskets, [], sensitive=frozenset("a")))


@given(sets=baskets, p=st.integers(1, 4), seeds=st.tuples(st.integers(0, 9), st.integers(0, 9)))
def test_the_same_sets_make_the_same_groups_whatever_the_seed(sets, p, seeds):
    assume(p <= largest_degree(sets))
    task = task_of(sets, p)
    for array in (task.transactions.codes, task.transactions.starts):
        array.flags.writeable = False
    found = [Cahd().publish(task, np.random.default_rng(seed)).published for seed in seeds]
    assert found[0].groups.tolist() == found[1].groups.tolist()


@given(sets=st.lists(st.sets(st.sampled_from(PLAIN), max_size=4), max_size=14))
@settings(max_examples=examples(300))
def test_band_order_is_that_of_the_slow_reference_and_empty_records_stand_last(sets):
    empty = [record for record, one in enumerate(sets) if not one]
    assert band_order(Transactions.of_sets(sets)).tolist() == band(sets) + empty


def test_band_order_brings_records_together_that_share_items():
    sets = [{"abc", "xyz"}, {"1", "2"}, {"abc"}, {"2", "3"}, {"xyz"}, {"3", "1"}]
    places = np.argsort(band_order(Transactions.of_sets(sets)))
    assert max(places[[0, 2, 4]]) - min(places[[0, 2, 4]]) == 2
    assert max(places[[1, 3, 5]]) - min(places[[1, 3, 5]]) == 2


def test_items_follow_the_last_of_their_records():
    baskets = Transactions.of_sets([["a"], ["a", "b"], ["c"]]).with_items(("a", "b", "c", "d"))
    assert column_order(baskets, np.array([2, 1, 0])).tolist() == [3, 2, 1, 0]
    assert column_order(baskets, np.array([1, 0, 2])).tolist() == [3, 1, 0, 2]
