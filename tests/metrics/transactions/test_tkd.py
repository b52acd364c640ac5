"""Frequent sets that are lost, against counting every set."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import Transactions
from krypsis.errors import UsageError
from metrics.transactions.figures import FIGURE_3_2B, FIGURE_3_3, SEARCHES, measured
from oracles.itemsets import supports

records = st.lists(st.sets(st.sampled_from("abcdef"), max_size=4), max_size=10)


def top(sets, most):
    counted = supports(sets, 12)
    return set(sorted(counted, key=lambda one: (-counted[one], len(one), sorted(one)))[:most])


def lost(before, after, most):
    first = top(before, most)
    return 1 - len(first & top(after, most)) / len(first) if first else 0


@given(before=records, after=records, most=st.integers(1, 12))
def test_it_is_what_counting_every_set_finds(before, after, most):
    found = measured(f"tkd:top={most}", Transactions.of_sets(before), Transactions.of_sets(after))
    assert found == pytest.approx(lost(before, after, most))


@pytest.mark.parametrize("published", [FIGURE_3_2B, FIGURE_3_3])
@pytest.mark.parametrize("most", [5, 9, 20])
def test_certain_sets_are_those_of_the_pieces_and_listed_items(published, most):
    told = [*published.pieces.sets(), *({item} for one in published.terms.sets() for item in one)]
    assert measured(f"tkd-a:top={most}", SEARCHES, published) == pytest.approx(lost(SEARCHES.sets(), told, most))


def test_sharing_chunks_tells_more_sets_for_certain():
    # In four searches each: ikea, ruby, and both with madonna. The items are found once clusters are joined, the pairs
    # never; before, each item is listed twice, and items and pairs in three pieces come first.
    assert measured("tkd-a:top=9", SEARCHES, FIGURE_3_2B) == pytest.approx(4 / 9)
    assert measured("tkd-a:top=9", SEARCHES, FIGURE_3_3) == pytest.approx(2 / 9)


def test_the_mean_over_reconstructions_is_the_same_for_the_same_seed():
    spec = "tkd:top=20,reconstructions=3"
    assert measured(spec, SEARCHES, FIGURE_3_3, seed=2) == measured(spec, SEARCHES, FIGURE_3_3, seed=2)
    assert 0 <= measured(spec, SEARCHES, FIGURE_3_3, seed=2) <= 1


def test_general_items_are_found_again_on_their_level_only():
    kinds = Hierarchy.from_rows([["a", "X", "*"], ["b", "X", "*"], ["c", "Y", "*"], ["d", "Y", "*"]])
    before = Transactions.of_sets([["a", "c"], ["b", "d"]])
    after = before.generalized({"a": "X", "b": "X"})
    # Before: X, Y, XY with 2; a, b, c, d, aY, bY, cX, dX, ac, bd with 1. After: X, Y, XY, c, d, cX, dX.
    assert measured("tkd-ml2", before, after, kinds) == pytest.approx(1 - 7 / 13)
    assert measured("tkd-ml2", before, before, kinds) == 0
    # Without levels a set of general items is another one: c and d are left of a, b, c, d, ac, bd.
    assert measured("tkd", before, after, kinds) == pytest.approx(1 - 2 / 6)


def test_no_sets_lose_nothing():
    assert measured("tkd", Transactions.of_sets([]), Transactions.of_sets([])) == 0


def test_what_it_needs_is_said():
    with pytest.raises(UsageError, match="give the hierarchy of the items"):
        measured("tkd-ml2", SEARCHES, SEARCHES)
    with pytest.raises(UsageError, match="measures pieces of sets in clusters, got Transactions"):
        measured("tkd-a", SEARCHES, SEARCHES)
