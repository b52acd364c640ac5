"""Sensitive values that are numbers: the oracle of S13.15, the fewest counterfeits, and sequences of versions."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.histories.balance import Division
from krypsis.algorithms.histories.base import NEW, Past, Snapshot, Turnover
from krypsis.algorithms.histories.correlation import Correlation
from krypsis.algorithms.histories.near_numbers import NumberKinship, chain, strides
from krypsis.algorithms.histories.signatures import Signatures
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import DataError, Infeasible, UsageError
from krypsis.models.em_correlation import EMCorrelation
from krypsis.models.number_line import NumberLine
from oracles import numbers as plain

LIMITS = (Fraction(0), Fraction(12))
SALARIES = Hierarchy.from_rows([[str(number), "*"] for number in range(13)])
AGES = Hierarchy.from_rows([[str(age), "*"] for age in range(40)])
few_numbers = st.lists(st.integers(0, 12), min_size=1, max_size=7)
distances = st.sampled_from([1, 2, 3, 5])
EXACT = Fraction(12)


def snapshot_of(numbers, signature=None):
    codes = np.arange(len(numbers), dtype=np.int32).reshape(-1, 1) % len(AGES.values)
    bound = np.full(len(numbers), NEW) if signature is None else np.array(signature)
    return Snapshot(("age",), (AGES,), codes, "salary", SALARIES, np.array(numbers, dtype=np.int64), bound)


def published(numbers, promise, **options):
    method = Correlation(**options)
    return method.publication(snapshot_of(numbers), Past.none(1, 13), [promise], np.random.default_rng(1))


def groups_in(found, numbers):
    """The numbers of every group, those of counterfeits included."""
    groups = {}
    for number, group in zip(numbers, found.group.tolist(), strict=True):
        if group >= 0:
            groups.setdefault(group, []).append(number)
    for node, group in zip(found.counterfeits.published.tolist(), found.counterfeits.group.tolist(), strict=True):
        groups[group].append(int(SALARIES.values[node]))
    return groups.values()


@given(few_numbers, distances, st.integers(2, 3))
def test_groups_are_found_whenever_there_are_any(numbers, apart, m):
    """S13.15 and S12.10: there are groups if and only if no window holds more than ⌊N/m⌋ numbers."""
    promise = EMCorrelation(e=EXACT / apart, m=m, low=0, high=12)
    possible = plain.groups_exist(numbers, apart, m)
    assert possible == (plain.fullest_window(numbers, apart) <= len(numbers) // m)
    if not possible:
        with pytest.raises(Infeasible, match="numbers that lie far apart"):
            published(numbers, promise)
        return
    found = published(numbers, promise)
    assert not len(found.counterfeits)
    assert all(len(group) >= m and plain.may_meet(group, apart) for group in groups_in(found, numbers))


@given(st.lists(st.integers(0, 60), min_size=4, max_size=60), distances, st.integers(2, 4))
def test_dealing_out_in_order_keeps_numbers_apart(numbers, apart, m):
    ranks = np.array(numbers)
    if plain.fullest_window(numbers, apart) > len(numbers) // m:
        return
    group = strides(ranks, m, np.random.default_rng(0))
    members = [ranks[group == one].tolist() for one in range(len(numbers) // m)]
    assert all(m <= len(one) and plain.may_meet(one, apart) for one in members)
    assert sum(map(len, members)) == len(numbers)


@given(few_numbers, st.lists(st.integers(0, 12), max_size=4), distances, st.integers(2, 3))
def test_counterfeits_are_as_few_as_possible(numbers, holes, apart, m):
    counts, lacking = Counter(numbers), Counter(holes)
    division = Division(
        snapshot_of(numbers),
        np.full(len(numbers), NEW),
        np.arange(13),
        np.array([lacking[number] for number in range(13)]),
        np.arange(13),
        np.array([counts[number] for number in range(13)]),
    )
    kinship = NumberKinship.of(SALARIES.values, EXACT / apart, LIMITS)
    expected = plain.least_rest(counts, lacking, apart, m)
    if expected is None:
        with pytest.raises(Infeasible):
            kinship.balanced(division, m, "raise")
        return
    found = kinship.balanced(division, m, "raise")
    assert len(numbers) - found.filled.sum() == expected
    assert (found.filled <= division.holes).all()
    rest = [number for number in counts for _ in range(counts[number] - int(found.filled[number]))]
    assert min((counts[number] - found.filled[number] for number in counts), default=0) >= 0
    assert plain.fullest_window(rest, apart) * m <= len(rest)


@given(few_numbers, distances, st.integers(2, 3))
def test_records_wait_where_a_number_is_too_frequent(numbers, apart, m):
    found = published(numbers, EMCorrelation(e=EXACT / apart, m=m, low=0, high=12), on_ineligible="defer")
    assert all(len(group) >= m and plain.may_meet(group, apart) for group in groups_in(found, numbers))
    assert not len(found.counterfeits)
    if plain.groups_exist(numbers, apart, m):
        assert not len(found.deferred)


@given(few_numbers, distances, st.integers(2, 3))
def test_counterfeits_that_keep_others_company_are_as_few_as_possible(numbers, apart, m):
    promise = EMCorrelation(e=EXACT / apart, m=m, low=0, high=12)
    try:
        found = published(numbers, promise, on_ineligible="counterfeits")
    except Infeasible:
        assert not any(company_helps(numbers, size, apart, m) for size in range(4))
        return
    assert all(len(group) >= m and plain.may_meet(group, apart) for group in groups_in(found, numbers))
    assert not len(found.deferred)
    assert sum(map(len, groups_in(found, numbers))) == len(numbers) + len(found.counterfeits)
    assert not any(company_helps(numbers, size, apart, m) for size in range(min(len(found.counterfeits), 3)))


def company_helps(numbers, size, apart, m):
    """Whether so many counterfeits, with whatever numbers, let groups be formed."""
    more = combinations_with_replacement(range(13), size)
    return any(plain.fullest_window([*numbers, *one], apart) * m <= len(numbers) + size for one in more)


def test_a_number_that_nothing_known_lies_far_enough_from_is_told():
    """With 3 there can be 8, or nothing: below 0 and above 12 there are no numbers."""
    promise = EMCorrelation(e=EXACT / 5, m=3, low=0, high=12)
    with pytest.raises(Infeasible, match="no counterfeits help, as no number known so far lies far enough"):
        published([3], promise, on_ineligible="counterfeits")


def test_too_many_in_a_stretch_are_named_with_its_ends():
    promise = EMCorrelation(e=4, m=2, low=0, high=12)
    with pytest.raises(Infeasible, match=r"3 of 4 new records have a number from 5 to 7 as salary, too many"):
        published([5, 6, 7, 12], promise)


def test_fewer_numbers_than_a_group_needs_are_told():
    promise = EMCorrelation(e=1, m=3, low=0, high=12)
    with pytest.raises(Infeasible, match=r"groups of 3 numbers .* 'salary' has at most 2 such numbers so far"):
        published([0, 0, 12, 12], promise, on_ineligible="counterfeits")


def test_binning_would_let_close_numbers_meet_and_dealing_out_does_not():
    """S12.10: 5 and 6 lie in different halves, and may not meet."""
    promise = EMCorrelation(e=2, m=2, low=0, high=12)
    for group in groups_in(published([0, 5, 6, 12], promise), [0, 5, 6, 12]):
        assert plain.may_meet(group, 6)


def test_the_most_numbers_of_which_any_two_may_meet_are_found_from_the_lowest_on():
    line = NumberLine.of([str(number) for number in (0, 1, 2, 4, 5, 9)], LIMITS)
    assert [line.labels[rank] for rank in chain(line.first_close(Fraction(4)))] == ["0", "4", "9"]


def test_a_missing_number_meets_any_number_and_no_other_missing_one():
    line = NumberLine.of(["0", "12", None], LIMITS)
    assert line.labels == ("0", "12", None)
    assert line.first_close(Fraction(1)).tolist() == [0, 1, 2]


def test_numbers_are_compared_exactly_however_many_digits_they_have():
    tiny, tiny_more = "0." + "0" * 40 + "1", "0." + "0" * 40 + "2"
    line = NumberLine.of([tiny_more, "12", tiny], LIMITS)
    assert line.labels == (tiny, tiny_more, "12")
    assert line.first_close(Fraction(12 * 10**41)).tolist() == [0, 1, 2]
    assert line.first_close(Fraction(12 * 10**41 - 1)).tolist() == [0, 0, 2]


@pytest.mark.parametrize("text", ["", "x", "nan", "inf", "1/2", "1_000", "1e99999999", "0x1", "१x"])
def test_what_is_no_number_is_told(text):
    with pytest.raises(DataError, match=r"1 sensitive value\(s\) are no numbers"):
        NumberLine.of([text, "3"], LIMITS)


def test_a_number_beyond_the_limits_is_told():
    with pytest.raises(DataError, match=r"2 sensitive value.s. are not between 0 and 12: '-1', '12.5'"):
        NumberLine.of(["-1", "12.5", "3"], LIMITS)


def test_promises_about_numbers_that_do_not_fit_together_are_refused():
    promise = EMCorrelation(e=2, m=2, low=0, high=12)
    with pytest.raises(UsageError, match="different limits"):
        Correlation().require_promises([promise, EMCorrelation(e=2, m=2)])
    with pytest.raises(UsageError, match="assignment=whole is about values in a hierarchy"):
        Correlation(assignment="whole").require_promises([promise])


def test_new_records_take_the_places_of_those_who_left():
    signatures, nobody = Signatures.of([[0, 6]]), np.zeros(0, dtype=np.int64)
    past = Past(signatures, np.zeros((0, 1), dtype=np.int32), nobody, nobody, Turnover.none(13))
    snapshot = snapshot_of([0, 6, 1, 9], [0, NEW, NEW, NEW])
    promise = EMCorrelation(e=2, m=2, low=0, high=12)
    found = Correlation().publication(snapshot, past, [promise], np.random.default_rng(3))
    assert sorted(map(sorted, groups_in(found, [0, 6, 1, 9]))) == [[0, 6], [1, 9]]
    assert not len(found.counterfeits)
