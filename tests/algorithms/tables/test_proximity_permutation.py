"""Proximity permutation deals sorted numbers out, so that no group has more than 1 in m near to each other."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis.errors import Infeasible, UsageError
from oracles.partitions import partitions

ROLES = {"job": "quasi-identifier", "pay": "sensitive"}
some_pay = st.lists(st.none() | st.integers(-9, 40), min_size=1, max_size=40)


def released(pay, epsilon, m, more=(), proximity="absolute", **options):
    table = pl.DataFrame({"job": range(len(pay)), "pay": pay}, strict=False)
    models = [f"em-anonymity:epsilon={epsilon},m={m},proximity={proximity}", *more]
    return krypsis.anonymize(table, ROLES, models=models, algorithm={"name": "proximity-permutation", **options})


def groups_of(release, pay):
    """The original numbers of each group; the jobs are the numbers of the records."""
    groups = {}
    for job, group in release.table.select("job", "group").rows():
        groups.setdefault(group, []).append(pay[job])
    return list(groups.values())


def largest_neighborhood(numbers, epsilon):
    return max(
        sum(y is None if s is None else y is not None and abs(y - s) <= epsilon for y in numbers) for s in numbers
    )


def is_good(group, epsilon, m):
    return largest_neighborhood(group, epsilon) * m <= len(group)


@given(pay=some_pay, epsilon=st.integers(0, 6), m=st.integers(1, 4))
def test_where_no_neighborhood_is_too_large_there_are_as_many_groups_as_there_can_be(pay, epsilon, m):
    if largest_neighborhood(pay, epsilon) > len(pay) // m:
        return
    release = released(pay, epsilon, m)
    groups = groups_of(release, pay)
    assert len(groups) == len(pay) // m
    assert all(is_good(group, epsilon, m) for group in groups)
    assert max(map(len, groups)) - min(map(len, groups)) <= 1
    assert all(release.verdicts)


@given(pay=st.lists(st.integers(0, 12), min_size=1, max_size=7), epsilon=st.integers(0, 4), m=st.integers(1, 3))
def test_what_it_finds_is_good_and_it_fails_only_where_the_bound_does_not_hold(pay, epsilon, m):
    every = ([[pay[record] for record in part] for part in partition] for partition in partitions(len(pay)))
    possible = any(all(is_good(group, epsilon, m) for group in groups) for groups in every)
    try:
        groups = groups_of(released(pay, epsilon, m), pay)
    except Infeasible:
        assert largest_neighborhood(pay, epsilon) > len(pay) // m
        return
    assert possible
    assert all(is_good(group, epsilon, m) for group in groups)


def test_groups_are_found_beyond_the_bound_too():
    """Three of four numbers are near to 5, and two groups of two far numbers exist."""
    pay = [0, 5, 10, 20]
    assert sorted(map(sorted, groups_of(released(pay, 5, 2), pay))) == [[0, 10], [5, 20]]


@given(pay=some_pay, epsilon=st.integers(0, 6), m=st.integers(1, 4))
def test_what_the_refusal_says_is_surely_kept_is_kept(pay, epsilon, m):
    try:
        released(pay, epsilon, m)
    except Infeasible as refusal:
        if "surely kept" in str(refusal):
            promised = int(str(refusal).rsplit("m=", 1)[1])
            assert all(released(pay, epsilon, promised).verdicts)


def test_fewer_records_than_m_are_refused_with_their_number():
    with pytest.raises(Infeasible, match="cannot make groups of 5 records: there are only 2"):
        released([1, 100], 1, 5)


def test_a_refusal_names_the_level_and_an_m_that_is_possible():
    with pytest.raises(Infeasible) as caught:
        released([1, 1, 1, 1, 50, 90], 1, 3)
    assert "do not keep em-anonymity:epsilon=1.0,m=3" in str(caught.value)
    assert str(caught.value).endswith("surely kept with m=1")


def test_relative_proximity_is_kept_too():
    pay = [10, 11, 100, 110, 1000, 1100]
    groups = groups_of(released(pay, 0.1, 2, proximity="relative"), pay)
    assert sorted(map(len, groups)) == [2, 2, 2]
    assert all(max(group) - min(group) > 0.1 * max(group) for group in groups)


def test_other_promises_are_kept_as_well_or_named():
    pay = list(range(0, 120, 10))
    assert all(released(pay, 5, 2, more=["ke-anonymity:k=2,e=50"]).verdicts)
    with pytest.raises(Infeasible, match="do not keep ke-anonymity:k=20"):
        released(pay, 5, 2, more=["ke-anonymity:k=20,e=50"])


def test_the_strictest_of_several_promises_says_how_many_groups_there_are():
    pay = list(range(0, 120, 10))
    release = released(pay, 5, 2, more=["em-anonymity:epsilon=15,m=4"])
    assert len(groups_of(release, pay)) == 3
    assert all(release.verdicts)


def test_equal_numbers_are_dealt_out_in_random_order():
    pay = [1, 1, 1, 50, 50, 50, 99, 99, 99]
    jobs = {tuple(released(pay, 5, 3, seed=seed).table.sort("job")["group"].rank("dense")[:3]) for seed in range(30)}
    assert len(jobs) > 1


def test_it_asks_for_the_promise_that_it_can_keep():
    table = pl.DataFrame({"job": [1, 2], "pay": [3, 4]})
    with pytest.raises(UsageError, match="promise 'em-anonymity:epsilon=1000,m=3'"):
        krypsis.anonymize(table, ROLES, models="frequency-l-diversity:l=2", algorithm="proximity-permutation")


def test_what_is_no_number_is_refused_by_name():
    with pytest.raises(UsageError, match="pay has 1 value\\(s\\) that are none: 'much'"):
        released(["1", "much"], 1, 2)
