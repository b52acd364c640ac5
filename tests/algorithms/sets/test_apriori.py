"""Generalizing items for k^m-anonymity: the thesis' table, brute force over all cuts, odd input."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from algorithms.sets.hierarchies_of_items import baskets, enough, item_hierarchies, made_of, rows_of
from effort import examples
from krypsis.algorithms.sets.base import SetTask
from krypsis.algorithms.sets.km.apriori import Apriori
from krypsis.algorithms.sets.km.item_tree import ItemTree
from krypsis.algorithms.sets.km.optimal_cut import cheapest_generalization
from krypsis.algorithms.sets.km.published_sets import LeafSets
from krypsis.checker.transactions import check_transactions
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import Transactions
from krypsis.errors import HierarchyError, Infeasible, UsageError
from krypsis.metrics.transactions.set_ncp import SetNcp
from krypsis.models.km_anonymity import KmAnonymity
from oracles.item_cuts import cuts, lowest_loss, published
from oracles.itemsets import possible_supports, rare

TABLE_5_10 = [
    ["KitchenPaper", "Lentils", "Chickpeas"],
    ["Bleach", "Lentils"],
    ["Bleach", "Lentils", "Chickpeas"],
    ["KitchenPaper", "Bleach", "Chickpeas"],
]
TABLE_5_11 = [
    {"Cleaning", "Lentils", "Chickpeas"},
    {"Cleaning", "Lentils"},
    {"Cleaning", "Lentils", "Chickpeas"},
    {"Cleaning", "Chickpeas"},
]
GOODS = [
    ["KitchenPaper", "Cleaning", "All"],
    ["Bleach", "Cleaning", "All"],
    ["Lentils", "Legumes", "All"],
    ["Chickpeas", "Legumes", "All"],
]
VARIANTS = ("optimal", "apriori", "direct")
RECODINGS = ("global", "local")
every_way = pytest.mark.parametrize(("variant", "recoding"), [(v, r) for v in VARIANTS for r in RECODINGS])
every_variant = pytest.mark.parametrize("variant", VARIANTS)


@every_way
def test_the_table_of_the_thesis_becomes_the_published_one(variant, recoding):
    made = made_of(TABLE_5_10, GOODS, 2, 2, variant=variant, recoding=recoding)
    assert made.published.sets() == TABLE_5_11


@every_variant
def test_with_three_known_items_the_published_table_of_the_thesis_is_still_enough(variant):
    assert made_of(TABLE_5_10, GOODS, 2, 3, variant=variant).published.sets() == TABLE_5_11


@every_way
@given(sets=baskets, hierarchy=item_hierarchies, k=st.integers(1, 4), m=st.integers(1, 3), reopen=st.booleans())
@settings(max_examples=examples(150))
def test_what_is_published_keeps_the_promise_for_labels_and_for_the_items_they_stand_for(
    variant, recoding, sets, hierarchy, k, m, reopen
):
    assume(enough(sets, k))
    rows = rows_of(hierarchy)
    made = made_of(sets, rows, k, m, variant=variant, recoding=recoding, reopen=reopen).published.sets()
    assert not rare(made, k, m)
    assert all(count >= k for count in possible_supports(made, rows, m).values())


@every_way
@given(sets=baskets, hierarchy=item_hierarchies, k=st.integers(1, 4), m=st.integers(1, 4))
def test_the_independent_checker_agrees(variant, recoding, sets, hierarchy, k, m):
    assume(enough(sets, k))
    made = made_of(sets, rows_of(hierarchy), k, m, variant=variant, recoding=recoding).published
    for known in (None, hierarchy):
        (verdict,) = check_transactions(made, [KmAnonymity(k=k, m=m)], hierarchy=known)
        assert verdict, verdict.sentence


@every_way
@given(sets=baskets, hierarchy=item_hierarchies, k=st.integers(1, 4), m=st.integers(1, 3))
def test_every_item_is_told_by_itself_or_by_something_above_it_and_nothing_else_is_told(
    variant, recoding, sets, hierarchy, k, m
):
    assume(enough(sets, k))
    above = {row[0]: set(row) for row in rows_of(hierarchy)}
    made = made_of(sets, rows_of(hierarchy), k, m, variant=variant, recoding=recoding).published.sets()
    for before, after in zip(sets, made, strict=True):
        assert all(len(above[item] & after) == 1 for item in before)
        assert all(any(label in above[item] for item in before) for label in after)


@given(sets=baskets, hierarchy=item_hierarchies, k=st.integers(1, 4), m=st.integers(1, 3))
@settings(max_examples=examples(300))
def test_the_optimal_cut_loses_as_little_as_the_best_of_all_cuts(sets, hierarchy, k, m):
    assume(enough(sets, k))
    rows = rows_of(hierarchy)
    made = made_of(sets, rows, k, m)
    assert made.private["set_ncp"] == pytest.approx(float(lowest_loss(sets, rows, k, m)))
    assert made.private["proven_optimal"]


@pytest.mark.parametrize("variant", ["apriori", "direct"])
@given(sets=baskets, hierarchy=item_hierarchies, k=st.integers(1, 4), m=st.integers(1, 3))
def test_the_algorithms_of_the_paper_never_lose_less_and_opening_again_never_loses_more(variant, sets, hierarchy, k, m):
    assume(enough(sets, k))
    rows = rows_of(hierarchy)
    as_printed, reopened = (
        made_of(sets, rows, k, m, variant=variant, reopen=reopen).private["set_ncp"] for reopen in (False, True)
    )
    assert float(lowest_loss(sets, rows, k, m)) <= reopened + 1e-12
    assert reopened <= as_printed + 1e-12


@pytest.mark.parametrize("variant", ["apriori", "direct"])
@given(sets=baskets, hierarchy=item_hierarchies, k=st.integers(2, 4), m=st.integers(1, 3))
@settings(max_examples=examples(150))
def test_once_opened_again_no_finer_cut_keeps_the_promise(variant, sets, hierarchy, k, m):
    assume(enough(sets, k))
    rows = rows_of(hierarchy)
    made = made_of(sets, rows, k, m, variant=variant).published.sets()
    found, named = cuts(rows)
    there = {item for one in sets for item in one}
    chosen = next(cut for cut in found if published(sets, cut, named) == made)
    finer = [cut for cut in found if all(cut[item] <= chosen[item] for item in there)]
    kept = [cut for cut in finer if not rare(published(sets, cut, named), k, m)]
    assert all(cut[item] == chosen[item] for cut in kept for item in there)


def test_opening_again_finds_the_best_cut_where_the_algorithm_of_the_paper_closes_too_much():
    rows = [["a", "X", "*"], ["b", "X", "*"], ["c", "Y", "*"], ["d", "Y", "*"], ["e", "Z", "*"], ["f", "Z", "*"]]
    sets = [["e", "f"], ["b", "d", "f"], ["b", "d", "f"], ["a", "f"], ["b"], ["a", "e"]]
    as_printed, reopened = (
        made_of(sets, rows, 2, 2, variant="apriori", reopen=reopen).private["set_ncp"] for reopen in (False, True)
    )
    assert reopened == pytest.approx(float(lowest_loss(sets, rows, 2, 2)))
    assert as_printed > reopened


def test_closing_a_kind_of_kinds_closes_the_kinds_below_it():
    # Each pair of the four kinds A to D is told once: P or Q has to be published, with all eight items below.
    kinds = {"A": "P", "B": "P", "C": "Q", "D": "Q"}
    rows = [[kind + number, kind, above, "*"] for kind, above in kinds.items() for number in "12"]
    sets = [[one + "1", other + "1"] for one in "AB" for other in "CD"] + [[row[0]] for row in rows] * 2
    made = made_of(sets, rows, 2, 2)
    assert made.private["set_ncp"] == pytest.approx(float(lowest_loss(sets, rows, 2, 2)))
    assert len({"P", "Q"} & set(made.published.items)) == 1


@given(sets=baskets, hierarchy=item_hierarchies, k=st.integers(2, 4))
def test_a_rare_set_is_settled_in_the_cheapest_way_there_is(sets, hierarchy, k):
    assume(enough(sets, k))
    tree = ItemTree.of(hierarchy)
    told = LeafSets.of(Transactions.of_sets(sets), tree)
    closed = np.zeros(len(tree), dtype=np.bool_)
    for row in told.rare_at(closed, k, 2, most=20).tolist():
        nodes = tuple(node for node in row if node >= 0)
        costs = [
            told.cost(tree.closed_below(np.isin(np.arange(len(tree)), way)))
            for way in product(*([one for one in range(node + 1) if node <= tree.last[one]] for node in nodes))
            if not told.is_rare(way, k)
        ]
        chosen = cheapest_generalization(told, closed, nodes, k)
        assert not told.is_rare(chosen, k)
        assert told.cost(tree.closed_below(np.isin(np.arange(len(tree)), chosen))) == min(costs)


@every_variant
@given(sets=baskets, hierarchy=item_hierarchies, k=st.integers(1, 4), m=st.integers(1, 3))
def test_parts_with_cuts_of_their_own_never_lose_more_than_one_cut_for_all(variant, sets, hierarchy, k, m):
    assume(enough(sets, k))
    rows = rows_of(hierarchy)
    whole, parts = (made_of(sets, rows, k, m, variant=variant, recoding=one).private["set_ncp"] for one in RECODINGS)
    assert parts <= whole + 1e-12


@every_way
@given(sets=baskets, hierarchy=item_hierarchies, k=st.integers(1, 3), m=st.integers(1, 3))
def test_the_loss_that_is_told_is_the_certainty_penalty(variant, recoding, sets, hierarchy, k, m):
    assume(enough(sets, k))
    made = made_of(sets, rows_of(hierarchy), k, m, variant=variant, recoding=recoding)
    loss = SetNcp().measure(Transactions.of_sets(sets), made.published, hierarchy, np.random.default_rng(1))
    assert made.private["set_ncp"] == pytest.approx(loss)


@every_way
@given(sets=baskets, hierarchy=item_hierarchies, k=st.integers(1, 3), data=st.data())
def test_the_order_of_records_changes_nothing_and_the_same_is_made_twice(variant, recoding, sets, hierarchy, k, data):
    assume(enough(sets, k))
    order = data.draw(st.permutations(range(len(sets))))
    rows, options = rows_of(hierarchy), {"variant": variant, "recoding": recoding}
    made = made_of(sets, rows, k, 2, **options).published.sets()
    assert made_of(sets, rows, k, 2, **options).published.sets() == made
    assert made_of([sets[place] for place in order], rows, k, 2, **options).published.sets() == [
        made[place] for place in order
    ]


def test_records_that_look_alike_in_parts_are_told_more_exactly_than_by_one_cut():
    # The third kind of record would close both kinds of goods for all.
    sets = [["a"]] * 3 + [["d"]] * 3 + [["b", "e"], ["b", "f"]]
    rows = [["a", "X", "*"], ["b", "X", "*"], ["c", "X", "*"], ["d", "Y", "*"], ["e", "Y", "*"], ["f", "Y", "*"]]
    whole, parts = (made_of(sets, rows, 2, 2, recoding=recoding) for recoding in RECODINGS)
    assert set(whole.published.items) == {"a", "b", "Y"}
    assert parts.private["parts"] == [2, 6]
    assert parts.published.sets() == [{"a"}] * 3 + [{"d"}] * 3 + [{"b", "Y"}] * 2


def test_a_set_with_ten_thousand_items_is_no_obstacle():
    rows = [[f"i{number}", f"g{number // 100}", "*"] for number in range(10_000)]
    sets = [[row[0] for row in rows], *([f"i{number}"] for number in range(0, 10_000, 50))]
    made = made_of(sets, rows, 2, 2)
    assert check_transactions(made.published, [KmAnonymity(k=2, m=2)])[0]
    assert made.published.sets()[0] == {"*"}


def test_an_attacker_who_knows_more_items_than_any_record_has_is_one_who_knows_them_all():
    assert made_of(TABLE_5_10, GOODS, 2, 50).published.sets() == made_of(TABLE_5_10, GOODS, 2, 3).published.sets()


def test_items_named_twice_and_empty_sets_change_nothing_for_others():
    made = made_of([["Bleach", "Bleach"], ["Bleach"], []], GOODS, 2, 2)
    assert made.published.sets() == [{"Bleach"}, {"Bleach"}, set()]
    assert made_of([[], [], []], GOODS, 3, 2).published.sets() == [set()] * 3


def test_a_kind_with_one_item_is_told_as_the_item_and_a_label_on_several_levels_means_the_same():
    rows = [["a", "X", "X", "*"], ["b", "X", "X", "*"], ["c", "Y", "Y", "*"]]
    made = made_of([["a", "c"], ["b", "c"], ["c"]], rows, 2, 2)
    assert made.published.sets() == [{"X", "c"}, {"X", "c"}, {"c"}]


def test_a_single_item_is_its_own_top():
    assert made_of([["a"], ["a"]], [["a"]], 2, 2).published.sets() == [{"a"}, {"a"}]


def test_a_label_that_stands_for_different_items_on_different_levels_is_refused():
    rows = [["a", "X", "X"], ["b", "X", "X"], ["c", "Y", "X"]]
    with pytest.raises(HierarchyError, match=r"'X' stands for 2 item\(s\) and at level 2 for 3.*'X \(level 2\)'"):
        made_of([["a"]], rows, 1, 1)


def test_an_item_that_the_hierarchy_lacks_is_named():
    with pytest.raises(HierarchyError, match=r"lacks 1 value\(s\) of the data: 'Soap'"):
        made_of([["Soap"]], GOODS, 1, 1)


@pytest.mark.parametrize("sets", [[["Bleach"]], [["Bleach"], ["Bleach"], [], []]])
def test_too_few_records_are_an_answer_that_says_what_is_possible(sets):
    with pytest.raises(Infeasible, match="Nearest feasible setting: k=") as told:
        made_of(sets, GOODS, 3, 2)
    assert made_of(sets, GOODS, told.value.closest["k"], 2).published.sets() == [set(one) for one in sets]


def test_it_asks_for_a_hierarchy_and_for_its_promise():
    sets = Transactions.of_sets([["a"]])
    with pytest.raises(UsageError, match="needs their hierarchy"):
        Apriori().check(SetTask(sets, [KmAnonymity(k=1, m=1)]))
    with pytest.raises(UsageError, match="needs the promise km-anonymity"):
        Apriori().check(SetTask(sets, [], Hierarchy.from_rows([["a", "*"]])))


def test_several_promises_are_kept_together():
    task = SetTask(
        Transactions.of_sets(TABLE_5_10), [KmAnonymity(k=4, m=1), KmAnonymity(k=2, m=2)], Hierarchy.from_rows(GOODS)
    )
    made = Apriori().publish(task, np.random.default_rng(1)).published
    assert all(check_transactions(made, task.models))
