"""What the search for the best cut does where its limits end it, and that its steps are of any size."""

import warnings

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from algorithms.sets.hierarchies_of_items import baskets, enough, item_hierarchies, made_of, rows_of
from krypsis.algorithms.sets.km import optimal_cut
from krypsis.algorithms.sets.km import optimal_cut as clauses
from krypsis.algorithms.sets.km import published_sets as told_sets
from krypsis.errors import SearchWarning
from oracles.item_cuts import lowest_loss
from oracles.itemsets import rare

# All pairs and most triples of the four kinds are rare, so one program is not enough for three known items.
ROWS = [[f"{kind}{number}", kind, "*"] for kind in "ABCD" for number in (1, 2)]
SETS = [["A1", "B1", "C1"], ["A1", "B1", "D1"], ["A1", "C1", "D1"], ["B1", "C1", "D1"]] * 2 + [["A1", "B1", "C1", "D1"]]


@given(sets=baskets, hierarchy=item_hierarchies, k=st.integers(1, 4), m=st.integers(1, 3))
def test_one_rare_set_at_a_time_and_keys_without_numbers_find_the_same_optimum(sets, hierarchy, k, m):
    assume(enough(sets, k))
    rows = rows_of(hierarchy)
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(optimal_cut, "PER_ROUND", 1)
        changed.setattr(clauses, "KEY_SPACE", 0)
        made = made_of(sets, rows, k, m)
    assert made.private["set_ncp"] == pytest.approx(float(lowest_loss(sets, rows, k, m)))


@pytest.mark.parametrize("variant", ["apriori", "direct"])
@given(sets=baskets, hierarchy=item_hierarchies, k=st.integers(1, 4))
def test_looking_at_few_rare_sets_in_one_go_still_settles_all(variant, sets, hierarchy, k):
    assume(enough(sets, k))
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(told_sets, "MOST", 1)
        changed.setattr(optimal_cut, "MOST", 1)
        made = made_of(sets, rows_of(hierarchy), k, 3, variant=variant, recoding="local")
    assert not rare(made.published.sets(), k, 3)


def test_a_search_that_is_ended_says_so_and_keeps_the_promise(monkeypatch):
    monkeypatch.setattr(optimal_cut, "ROUNDS", 1)
    with pytest.warns(SearchWarning, match="a better one may exist"):
        made = made_of(SETS, ROWS, 4, 3)
    assert not made.private["proven_optimal"]
    assert not rare(made.published.sets(), 4, 3)


def test_a_search_that_is_not_ended_says_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert made_of(SETS, ROWS, 4, 3).private["proven_optimal"]


@given(sets=baskets, hierarchy=item_hierarchies, k=st.integers(2, 4))
@pytest.mark.filterwarnings("ignore::krypsis.errors.SearchWarning")
def test_a_program_without_any_solution_closes_all_and_opens_what_it_can(sets, hierarchy, k):
    assume(enough(sets, k))
    rows = rows_of(hierarchy)

    def unsolved(clauses, _):
        return clauses.tree.inner.copy(), False

    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(optimal_cut, "cheapest_cut", unsolved)
        made = made_of(sets, rows, k, 2)
    assert not rare(made.published.sets(), k, 2)
    assert made.private["set_ncp"] >= float(lowest_loss(sets, rows, k, 2)) - 1e-12
