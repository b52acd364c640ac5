"""Permutation cuts sorted numbers into groups whose ranges add up to as little as possible."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis.errors import Infeasible, UsageError
from oracles.partitions import partitions

ROLES = {"job": "quasi-identifier", "pay": "sensitive"}


def permuted(pay, different, apart, more=(), **options):
    table = pl.DataFrame({"job": range(len(pay)), "pay": pay}, strict=False)
    models = [f"ke-anonymity:k={different},e={apart}", *more]
    return krypsis.anonymize(table, ROLES, models=models, algorithm={"name": "permutation", **options})


def groups_of(release, pay):
    """The original numbers of each group; the jobs are the numbers of the records."""
    groups = {}
    for job, group in release.table.select("job", "group").rows():
        groups.setdefault(group, []).append(pay[job])
    return list(groups.values())


def is_good(group, different, apart):
    return len(set(group)) >= different and max(group) - min(group) >= apart


def total_range(groups):
    return sum(max(group) - min(group) for group in groups)


some_pay = st.lists(st.integers(-3, 12), min_size=1, max_size=7)


@given(pay=some_pay, different=st.integers(1, 4), apart=st.integers(0, 6))
def test_no_partition_at_all_has_a_smaller_sum_of_ranges(pay, different, apart):
    every = ([[pay[record] for record in part] for part in partition] for partition in partitions(len(pay)))
    allowed = [total_range(groups) for groups in every if all(is_good(group, different, apart) for group in groups)]
    if not allowed:
        with pytest.raises(Infeasible):
            permuted(pay, different, apart)
        return
    groups = groups_of(permuted(pay, different, apart), pay)
    assert all(is_good(group, different, apart) for group in groups)
    assert total_range(groups) == min(allowed)


@given(
    pay=st.lists(st.integers(0, 200), min_size=8, max_size=60), different=st.integers(1, 5), apart=st.integers(0, 40)
)
def test_larger_tables_reach_the_least_sum_over_all_cuts_of_the_sorted_numbers(pay, different, apart):
    numbers = sorted(set(pay))
    least = {0: 0.0}
    for end in range(1, len(numbers) + 1):
        ways = [
            least[start] + numbers[end - 1] - numbers[start]
            for start in range(end)
            if start in least and is_good(numbers[start:end], different, apart)
        ]
        if ways:
            least[end] = min(ways)
    if len(numbers) not in least:
        with pytest.raises(Infeasible):
            permuted(pay, different, apart)
        return
    groups = groups_of(permuted(pay, different, apart), pay)
    assert all(is_good(group, different, apart) for group in groups)
    assert total_range(groups) == least[len(numbers)]


@given(pay=st.lists(st.none() | st.integers(0, 30), min_size=1, max_size=30), different=st.integers(1, 4))
def test_the_numbers_of_a_group_stay_the_same_and_missing_ones_are_kept(pay, different):
    try:
        release = permuted(pay, different, 3)
    except Infeasible:
        known = {number for number in pay if number is not None}
        assert len(set(pay)) < different or max(known, default=0) - min(known, default=0) < 3
        return
    shown = {}
    for _, number, group in release.table.rows():
        shown.setdefault(group, []).append(number)
    assert in_order(shown.values()) == in_order(groups_of(release, pay))
    assert release.sensitive_table is None
    assert all(release.verdicts)


def in_order(groups):
    return sorted(sorted(map(str, group)) for group in groups)


def test_decimals_that_are_just_far_enough_apart_are_a_group():
    release = permuted([0.1, 0.3, 1.1, 1.3], 2, 0.2)
    assert len(groups_of(release, [0.1, 0.3, 1.1, 1.3])) == 2


def test_a_distinct_diversity_asks_for_as_many_numbers():
    pay = list(range(12))
    groups = groups_of(permuted(pay, 2, 1, more=["distinct-l-diversity:l=4"]), pay)
    assert [len(group) for group in groups] == [4, 4, 4]


def test_several_promises_about_ranges_hold_together():
    pay = list(range(12))
    release = permuted(pay, 2, 5, more=["ke-anonymity:k=3,e=1"])
    assert [len(group) for group in groups_of(release, pay)] == [6, 6]
    assert len(release.verdicts) == 2


def test_the_error_says_the_largest_feasible_k():
    with pytest.raises(Infeasible, match=r"pay has only 3\. The largest feasible k is 3") as caught:
        permuted([1, 2, 2, 9], 4, 1)
    assert caught.value.closest == {"k": 3, "e": 8.0}


def test_the_error_says_the_largest_feasible_e():
    with pytest.raises(Infeasible, match=r"within 8\. The largest feasible e is 8"):
        permuted([1, 2, 2, 9], 2, 8.5)
    assert permuted([1, 2, 2, 9], 3, 8)


@pytest.mark.parametrize("pay", [[None, None], [4, 4, 4], [7]])
def test_numbers_that_do_not_differ_cannot_be_apart(pay):
    with pytest.raises(Infeasible, match="The largest feasible e is 0"):
        permuted(pay, 1, 1)
    assert len(groups_of(permuted(pay, 1, 0), pay)) == 1


def test_categories_are_refused_with_what_to_promise_instead():
    with pytest.raises(UsageError, match=r"pay has 1 value\(s\) that are none: 'much'"):
        permuted(["1", "2", "much"], 2, 1)


def test_a_promise_is_needed_that_says_how_far_apart_numbers_must_be():
    table = pl.DataFrame({"job": ["a", "b"], "pay": [1, 2]})
    with pytest.raises(UsageError, match="promise 'ke-anonymity:k=5,e=1000'"):
        krypsis.anonymize(table, ROLES, models="distinct-l-diversity:l=2", algorithm="permutation")


def test_numbers_really_change_hands():
    pay = list(range(100))
    table = permuted(pay, 50, 49, seed=1).table
    kept = sum(job == number for job, number in table.select("job", "pay").rows())
    assert kept < 10
    assert sorted(table["pay"]) == pay
