"""Frequent itemsets against counting every subset of every record."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.mining import frequent_itemsets, top_itemsets
from krypsis.data.transactions import Transactions
from krypsis.errors import HierarchyError, UsageError
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


def ordered(counted, most):
    """The first sets in the order of what is asked for: frequent, small, alphabetical."""
    keys = sorted((-count, len(one), sorted(one)) for one, count in counted.items())
    return [(items, -count) for count, _, items in keys[:most]]


def listed(found):
    return [(sorted(one), count) for one, count in zip(found.sets.sets(), found.supports.tolist(), strict=True)]


@given(sets=records, most=st.integers(1, 40))
def test_the_most_frequent_sets_are_found_in_order_and_cut_exactly(sets, most):
    assert listed(top_itemsets(Transactions.of_sets(sets), most)) == ordered(supports(sets, 8), most)


ROWS = [[item, kind, half, "*"] for item, kind, half in zip("abcdefgh", "XXYYZZUU", "LLLLRRRR", strict=True)]
ABOVE = {label: set(row[place:-1]) for row in ROWS for place, label in enumerate(row)}


@given(sets=records, most=st.integers(1, 60))
def test_with_a_hierarchy_sets_of_several_levels_are_counted_but_no_item_with_what_is_above_it(sets, most):
    above = [set().union(*(ABOVE[item] for item in one)) for one in sets]
    apart = {
        one: count
        for one, count in supports(above, 14).items()
        if not any(low != high and high in ABOVE[low] for low in one for high in one)
    }
    found = top_itemsets(Transactions.of_sets(sets), most, Hierarchy.from_rows(ROWS))
    assert listed(found) == ordered(apart, most)


def test_ten_thousand_items_that_all_occur_together_do_not_fill_the_memory():
    items = [f"{number:05d}" for number in range(10_000)]
    found = top_itemsets(Transactions.of_sets([items, items]), 1000)
    assert [sorted(one) for one in found.sets.sets()] == [[item] for item in items[:1000]]


def test_sets_that_have_been_generalized_are_extended_from_where_they_are():
    found = top_itemsets(Transactions.of_sets([["X"], ["a"]]), 10, Hierarchy.from_rows(ROWS))
    assert listed(found) == [(["L"], 2), (["X"], 2), (["a"], 1)]


def test_what_cannot_be_mined_is_refused():
    with pytest.raises(UsageError, match="count must be at least 1"):
        top_itemsets(Transactions.of_sets([["a"]]), 0)
    with pytest.raises(HierarchyError, match="lacks 'zebra'"):
        top_itemsets(Transactions.of_sets([["zebra"]]), 1, Hierarchy.from_rows(ROWS))
    twice = Hierarchy.from_rows([["a", "X", "Y", "*"], ["b", "Z", "X", "*"]])
    with pytest.raises(HierarchyError, match="'X' stands for different items"):
        top_itemsets(Transactions.of_sets([["a"]]), 1, twice)


@pytest.mark.data
def test_the_top_of_a_public_file_is_that_of_all_its_frequent_sets(data_folder):
    lines = (data_folder / "transactions" / "BMS-WebView-1.dat").read_text().splitlines()
    baskets = Transactions.of_sets(line.split() for line in lines)
    top = top_itemsets(baskets, 1000)
    every = frequent_itemsets(baskets, int(top.supports[-1]))
    assert listed(top) == listed(every)[:1000]
