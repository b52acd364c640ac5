"""Frequent itemsets against counting every subset of every record."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.errors import UsageError
from krypsis.mining import frequent_itemsets
from krypsis.transactions import Transactions
from oracles.itemsets import supports

records = st.lists(st.sets(st.sampled_from("abcdefgh"), max_size=6), max_size=25)


@given(sets=records, least=st.integers(1, 6), most=st.none() | st.integers(1, 7))
def test_all_sets_that_enough_records_hold_are_found(sets, least, most):
    found = frequent_itemsets(Transactions.of_sets(sets), least, most)
    expected = {part: count for part, count in supports(sets, most or 8).items() if count >= least}
    assert dict(zip(found.sets.sets(), found.supports.tolist(), strict=True)) == expected
    assert len(found) == len(expected)


@given(sets=records)
def test_the_most_frequent_come_first_and_of_those_the_smallest_in_alphabetical_order(sets):
    found = frequent_itemsets(Transactions.of_sets(sets), 1)
    keys = [(-count, len(one), sorted(one)) for one, count in zip(found.sets.sets(), found.supports, strict=True)]
    assert keys == sorted(keys)


def test_a_set_of_ten_thousand_items_is_counted_where_the_size_is_limited():
    items = list(range(10_000))
    assert len(frequent_itemsets(Transactions.of_sets([items, items[:50], items[:50]]), 3, 2)) == 50 + 50 * 49 // 2


def test_no_records_have_no_frequent_sets():
    assert len(frequent_itemsets(Transactions.of_sets([]), 1)) == 0


@pytest.mark.parametrize(("least", "most", "words"), [(0, None, "min_support must be at least 1"), (1, 0, "max_size")])
def test_numbers_that_mean_nothing_are_refused(least, most, words):
    with pytest.raises(UsageError, match=words):
        frequent_itemsets(Transactions.of_sets([["a"]]), least, most)


def test_every_subset_of_a_repeated_record_is_as_frequent_as_the_record():
    found = frequent_itemsets(Transactions.of_sets([list("abcde")] * 4), 4)
    assert set(found.sets.sets()) == {frozenset(c) for n in range(1, 6) for c in combinations("abcde", n)}
    assert set(found.supports.tolist()) == {4}
