"""Balancing: which holes new records fill."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.histories.balance import BalanceDemand, balance, least_rest, limited
from krypsis.errors import Infeasible
from oracles.histories import eligible, least_rest_of_all, printed_balancing
from oracles.histories import least_rest as oracle


@st.composite
def needs(draw, families=None):
    values = draw(st.integers(1, 5))
    number = draw(st.integers(0, 4))
    holes = draw(st.lists(st.integers(0, 3), min_size=number, max_size=number))
    value_of = draw(st.lists(st.integers(0, values - 1), min_size=number, max_size=number))
    counts = draw(st.lists(st.integers(0, 5), min_size=values, max_size=values))
    arrays = [np.array(one, dtype=np.int64) for one in (holes, value_of, counts)]
    if families is None:
        return BalanceDemand.of_values(*arrays)
    family_of = np.array(draw(st.lists(st.integers(0, families - 1), min_size=values, max_size=values)))
    return BalanceDemand(*arrays, family_of, families)


def by_family(need, numbers):
    return [int(sum(numbers[need.family_of == one])) for one in range(need.families)]


def fillable_of(need):
    holes = [int(need.holes[need.value_of == value].sum()) for value in range(len(need.counts))]
    return by_family(need, np.minimum(holes, need.counts))


def rest_of(need, found):
    filled = np.bincount(need.value_of, found.filled, minlength=len(need.counts)).astype(np.int64)
    return need.counts - filled - found.deferred + found.added


@given(counts=st.lists(st.integers(0, 4), max_size=4), m=st.integers(2, 4), data=st.data())
def test_the_oracle_of_the_specification_is_what_trying_all_moves_finds(counts, m, data):
    fillable = [data.draw(st.integers(0, count)) for count in counts]
    assert oracle(counts, fillable, m) == least_rest_of_all(counts, fillable, m)


@given(need=needs() | needs(families=3), m=st.integers(2, 4))
def test_the_smallest_rest_is_that_of_the_oracle(need, m):
    assert least_rest(need, m) == oracle(by_family(need, need.counts), fillable_of(need), m)


@given(need=needs() | needs(families=3), m=st.integers(2, 4))
def test_a_balance_leaves_an_eligible_rest_and_as_few_counterfeits_as_possible(need, m):
    least = oracle(by_family(need, need.counts), fillable_of(need), m)
    if least is None:
        with pytest.raises(Infeasible):
            balance(need, m)
        return
    found = balance(need, m)
    rest = rest_of(need, found)
    assert not found.deferred.any()
    assert not found.added.any()
    assert (found.filled >= 0).all()
    assert (found.filled <= need.holes).all()
    assert (rest >= 0).all()
    assert eligible(by_family(need, rest), m)
    assert rest.sum() == least


@given(need=needs(), m=st.integers(2, 4))
def test_deferring_lets_as_few_records_wait_as_possible(need, m):
    found = balance(need, m, "defer")
    rest = rest_of(need, found)
    assert (found.deferred >= 0).all()
    assert (rest >= 0).all()
    assert eligible(rest.tolist(), m)
    assert not found.added.any()
    waiting = int(found.deferred.sum())
    fillable = fillable_of(need)
    counts = need.counts.tolist()
    assert least_waiting(counts, fillable, m) == waiting


def least_waiting(counts, fillable, m):
    """With rests of at most ``share`` records of each value, as many as are eligible, the others wait."""
    best = sum(counts)
    for share in range(max(counts) + 1):
        if sum(min(count, share) for count in counts) >= m * share:
            kept = sum(min(count, share + full) for count, full in zip(counts, fillable, strict=True))
            best = min(best, sum(counts) - kept)
    return best


@given(need=needs(), m=st.integers(2, 4))
def test_counterfeits_make_the_rest_eligible_wherever_there_are_m_values(need, m):
    if least_rest(need, m) is None and need.families < m:
        with pytest.raises(Infeasible):
            balance(need, m, "counterfeits")
        return
    found = balance(need, m, "counterfeits")
    rest = rest_of(need, found)
    assert (found.added >= 0).all()
    assert not found.deferred.any()
    assert eligible(rest.tolist(), m)
    if found.added.any():
        # The most frequent value that no hole takes needs m - 1 others next to every record.
        worst = max(count - full for count, full in zip(need.counts.tolist(), fillable_of(need), strict=True))
        holes = int(need.holes.sum() - found.filled.sum())
        assert int(found.added.sum()) + holes == int(need.holes.sum()) + m * worst - int(need.counts.sum())


def test_what_the_printed_balancing_cannot_begin_with_is_balanced_without_counterfeits():
    """S10.17, figures 2.22 and 2.23: one flu is missing, and the new records are two flu and one dyspepsia."""
    assert printed_balancing(["flu"], {"flu": 2, "dyspepsia": 1}, 2) is None
    need = BalanceDemand.of_values(np.array([1]), np.array([0]), np.array([2, 1]))
    assert balance(need, 2).filled.tolist() == [1]


def test_the_printed_balancing_wastes_counterfeits_where_two_moves_are_good_only_together():
    """S10.18: signatures {a, c} and {b, c} with a member c each, new records a and b."""
    assert printed_balancing(["a", "b"], {"a": 1, "b": 1}, 2) == 2
    need = BalanceDemand.of_values(np.array([1, 1]), np.array([0, 1]), np.array([1, 1, 0]))
    assert balance(need, 2).filled.tolist() == [1, 1]


@given(need=needs(), m=st.integers(2, 3))
def test_the_printed_balancing_never_needs_fewer_counterfeits(need, m):
    order = [int(value) for value, many in zip(need.value_of, need.holes, strict=True) for _ in range(many)]
    printed = printed_balancing(order, dict(enumerate(need.counts.tolist())), m)
    if printed is not None:
        assert int(need.holes.sum() - balance(need, m).filled.sum()) <= printed


@given(wishes=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), max_size=6), limits=st.lists(st.integers(0, 5)))
def test_wishes_are_granted_one_after_the_other_up_to_the_limit_of_their_kind(wishes, limits):
    left = [*limits, 0, 0, 0][:3]
    granted = limited(*np.array(wishes, dtype=np.int64).reshape(-1, 2).T, np.array(left))
    for (wish, kind), given_ in zip(wishes, granted.tolist(), strict=True):
        assert given_ == min(wish, left[kind])
        left[kind] -= given_
