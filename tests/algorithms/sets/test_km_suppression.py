"""Leaving items out for k^m-anonymity: hand-made cases, the independent checker, and everything that may be kept."""

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from effort import examples
from krypsis.algorithms.sets.base import SetTask
from krypsis.algorithms.sets.km import km_suppression
from krypsis.algorithms.sets.km.km_suppression import KmSuppression
from krypsis.checker.transactions import check_transactions
from krypsis.data.transactions import Transactions
from krypsis.errors import Infeasible
from krypsis.models.km_anonymity import KmAnonymity
from oracles.itemsets import rare

SCOPES = ("records", "everywhere")
every_scope = pytest.mark.parametrize("scope", SCOPES)
baskets = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=6), min_size=1, max_size=12)


def kept_of(sets, k, m, **options):
    task = SetTask(Transactions.of_sets(sets), [KmAnonymity(k=k, m=m)])
    method = KmSuppression(**options)
    method.check(task)
    return method.publish(task, np.random.default_rng(1))


@every_scope
@given(sets=baskets, k=st.integers(1, 4), m=st.integers(1, 3))
@settings(max_examples=examples(200))
def test_what_is_left_keeps_the_promise_and_is_part_of_what_was_there(scope, sets, k, m):
    assume(len(sets) >= k)
    made = kept_of(sets, k, m, scope=scope)
    kept = made.published.sets()
    assert not rare(kept, k, m)
    assert check_transactions(made.published, [KmAnonymity(k=k, m=m)])[0]
    assert all(after <= set(before) for before, after in zip(sets, kept, strict=True))
    assert made.private["items_lost"] == sum(len(set(one)) for one in sets) - sum(map(len, kept))
    assert set(made.published.items) == set().union(*kept)


@every_scope
@given(sets=baskets, k=st.integers(1, 3), m=st.integers(1, 3))
def test_sets_that_keep_the_promise_stay_as_they_are(scope, sets, k, m):
    assume(len(sets) >= k and not rare(sets, k, m))
    assert kept_of(sets, k, m, scope=scope).published.sets() == [frozenset(one) for one in sets]


@given(sets=baskets, k=st.integers(1, 3), m=st.integers(1, 3))
@example(sets=[[*"e"], [*"e"], [*"abe"], [*"df"], [*"adef"]], k=2, m=2)  # one that went first is needless in the end
def test_no_item_that_went_everywhere_could_have_stayed(sets, k, m):
    assume(len(sets) >= k)
    kept = kept_of(sets, k, m, scope="everywhere").published.sets()
    there = set().union(*kept)
    assert kept == [there & set(one) for one in sets]
    for item in set().union(*map(set, sets)) - there:
        assert rare([(there | {item}) & set(one) for one in sets], k, m)


@every_scope
@given(sets=baskets, k=st.integers(1, 3))
def test_looking_at_few_rare_sets_in_one_go_still_breaks_all(scope, sets, k):
    assume(len(sets) >= k)
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(km_suppression, "MOST", 2)
        assert not rare(kept_of(sets, k, 2, scope=scope).published.sets(), k, 2)


def test_a_rare_pair_costs_one_item_of_the_records_that_hold_it_or_one_item_of_all():
    sets = [["a", "b"], ["a"], ["a"], ["b"], ["b"], ["b"]]
    assert sum(map(len, kept_of(sets, 2, 2).published.sets())) == 6
    assert kept_of(sets, 2, 2, scope="everywhere").published.sets() == [{"b"}, set(), set(), {"b"}, {"b"}, {"b"}]


def test_the_item_goes_that_is_in_most_rare_sets_of_its_record():
    sets = [["x", "a", "b"], *[["a", "b"]] * 3, *[["x"]] * 3]
    assert kept_of(sets, 2, 2).published.sets()[0] == {"a", "b"}


def test_too_few_records_are_an_answer():
    with pytest.raises(Infeasible, match="lower k to 1"):
        kept_of([["a"]], 2, 1)


@every_scope
def test_empty_sets_duplicates_and_a_set_with_ten_thousand_items(scope):
    assert kept_of([[], []], 2, 2, scope=scope).published.sets() == [set(), set()]
    assert kept_of([["a", "a"], ["a"]], 2, 9, scope=scope).published.sets() == [{"a"}, {"a"}]
    large = [str(number) for number in range(10_000)]
    assert kept_of([large, ["1"], ["1"]], 2, 2, scope=scope).published.sets() == [{"1"}, {"1"}, {"1"}]
