"""k^m-anonymity: the baskets of the thesis (tables 5.10 and 5.11), brute force, hierarchies, odd input."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.checker import transactions
from krypsis.checker import transactions as itemsets
from krypsis.checker.transactions import RankedSets, check_transactions, fewest_records, rare_sets
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.transactions import Transactions
from krypsis.errors import ColumnError, DataError, HierarchyError, PromiseBroken, UsageError
from krypsis.io.item_sets import transactions_of
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.km_anonymity import KmAnonymity
from krypsis.release.writer import refuse_broken
from oracles.itemsets import possible_supports, rare, supports

TABLE_5_10 = {
    "Loukas": ["KitchenPaper", "Lentils", "Chickpeas"],
    "Fani": ["Bleach", "Lentils"],
    "Dimitris": ["Bleach", "Lentils", "Chickpeas"],
    "Anna": ["KitchenPaper", "Bleach", "Chickpeas"],
}
TABLE_5_11 = {
    "Loukas": ["Cleaning", "Lentils", "Chickpeas"],
    "Fani": ["Cleaning", "Lentils"],
    "Dimitris": ["Cleaning", "Lentils", "Chickpeas"],
    "Anna": ["Cleaning", "Chickpeas"],
}
GOODS = [
    ["KitchenPaper", "Cleaning", "All"],
    ["Bleach", "Cleaning", "All"],
    ["Lentils", "Legumes", "All"],
    ["Chickpeas", "Legumes", "All"],
]
CLEANING = {"KitchenPaper": "Cleaning", "Bleach": "Cleaning"}

LETTERS = "abcdefg"
baskets = st.lists(st.lists(st.sampled_from(LETTERS), max_size=6), min_size=1, max_size=12)


def verdict_on(sets, k, m, **options):
    (verdict,) = check_transactions(list(sets), [KmAnonymity(k=k, m=m)], **options)
    return verdict


def test_the_thesis_table_breaks_the_promise_in_two_pairs_and_names_both():
    verdict = verdict_on(TABLE_5_10.values(), 2, 2)
    assert not verdict
    assert verdict.achieved == 1.0
    assert {entry["values"]["items"] for entry in verdict.offending} == {
        "KitchenPaper, Lentils",
        "Bleach, KitchenPaper",
    }
    assert "2 combination(s) of items" in verdict.sentence


def test_the_generalized_thesis_table_keeps_the_promise_for_two_and_even_three_items():
    assert verdict_on(TABLE_5_11.values(), 2, 2).achieved == 2.0
    assert verdict_on(TABLE_5_11.values(), 2, 3)


def test_generalizing_the_thesis_table_gives_the_published_one():
    made = Transactions.of_sets(TABLE_5_10.values()).generalized(CLEANING)
    assert made.sets() == [frozenset(one) for one in TABLE_5_11.values()]


def test_the_supports_of_the_thesis_are_counted():
    ranked = RankedSets.of(transactions := Transactions.of_sets(TABLE_5_10.values()))
    ((sets, counts),) = ranked.counted(2)
    labels = np.array(transactions.items)[ranked.original]
    found = {"+".join(sorted(labels[row])): count for row, count in zip(sets, counts.tolist(), strict=True)}
    assert found == {
        "Chickpeas+KitchenPaper": 2,
        "Chickpeas+Lentils": 2,
        "Bleach+Lentils": 2,
        "Bleach+Chickpeas": 2,
        "KitchenPaper+Lentils": 1,
        "Bleach+KitchenPaper": 1,
    }


@given(sets=baskets, m=st.integers(1, 4))
def test_the_level_achieved_is_that_of_the_rarest_set(sets, m):
    assert fewest_records(Transactions.of_sets(sets), m) == min([len(sets), *supports(sets, m).values()])


@given(sets=baskets, k=st.integers(1, 5), m=st.integers(1, 4))
def test_the_sets_named_are_the_smallest_rare_ones(sets, k, m):
    assert rare_sets(Transactions.of_sets(sets), k, m) == rare(sets, k, m)
    verdict = verdict_on(sets, k, m)
    assert verdict.holds == (len(sets) >= k and not rare(sets, k, m))


@given(sets=baskets, k=st.integers(1, 9), m=st.integers(1, 4), counted=st.sampled_from([0, 20, transactions.COUNTED]))
def test_the_level_of_a_verdict_is_that_of_the_rarest_set_kept_or_not(sets, k, m, counted):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transactions, "COUNTED", counted)
        verdict = verdict_on(sets, k, m)
    assert verdict.achieved == min([len(sets), *supports(sets, m).values()])
    assert all(verdict.achieved <= entry["size"] for entry in verdict.offending)


def test_a_broken_promise_says_to_which_k_it_must_be_lowered():
    sets = [*[["bread", "milk"]] * 2, *[["bread"]] * 2, *[["milk"]] * 2, *[["wine"]] * 9]
    broken = verdict_on(sets, 9, 2)  # bread and milk are rare by themselves, together they are rarer
    assert (broken.holds, broken.achieved) == (False, 2)
    assert verdict_on(sets, int(broken.achieved), 2)


@given(sets=baskets, k=st.integers(2, 9), m=st.integers(1, 4))
def test_a_search_that_is_cut_short_gives_a_level_that_is_not_too_high(sets, k, m):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transactions, "COUNTED", 0)
        patch.setattr(transactions, "LARGEST", 0)
        verdict = verdict_on(sets, k, m)
    assert verdict.achieved <= min([len(sets), *supports(sets, m).values()])
    truth = len(sets) >= k and not rare(sets, k, m)
    assert verdict.holds in (truth, None)


def test_a_search_that_ends_too_early_decides_nothing_and_lets_no_release_out():
    pairs = [["bread", "milk"], ["bread", "milk"], ["bread", "wine"], ["milk", "wine"]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transactions, "COUNTED", 0)
        patch.setattr(transactions, "LARGEST", 0)
        verdict = verdict_on(pairs, 2, 2)  # each item is in two records, which is all that was counted
    assert verdict.holds is None
    assert verdict.sentence.startswith("Undecided")
    with pytest.raises(PromiseBroken, match="Undecided"):
        refuse_broken((verdict,))


@given(sets=baskets, k=st.integers(1, 5), m=st.integers(2, 4))
def test_counting_in_small_parts_and_with_condensed_keys_changes_nothing(sets, k, m):
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(itemsets, "AT_ONCE", 3)
        changed.setattr(itemsets, "KEY_SPACE", 20)
        transactions = Transactions.of_sets(sets)
        assert rare_sets(transactions, k, m) == rare(sets, k, m)
        assert fewest_records(transactions, m) == min([len(sets), *supports(sets, m).values()])


@given(sets=baskets, k=st.integers(1, 5), m=st.integers(1, 4), counted=st.integers(0, 40))
def test_where_combinations_are_too_many_to_count_the_answer_is_the_same(sets, k, m, counted):
    expected = verdict_on(sets, k, m)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transactions, "COUNTED", counted)
        found = verdict_on(sets, k, m)
    assert found.holds == expected.holds
    assert found.achieved == expected.achieved


def test_everything_about_large_sets_may_be_known():
    items = [f"i{number}" for number in range(60)]
    assert verdict_on([items] * 6, 5, 60).achieved == 6
    broken = verdict_on([items] * 6 + [items[:59]] * 3, 7, 60)
    assert (broken.holds, broken.achieved) == (False, 6)


@given(sets=baskets, k=st.integers(1, 4), m=st.integers(1, 4))
def test_what_holds_for_more_items_or_more_records_holds_for_fewer(sets, k, m):
    if verdict_on(sets, k + 1, m + 1):
        assert verdict_on(sets, k, m + 1)
        assert verdict_on(sets, k + 1, m)


@given(sets=baskets, m=st.integers(1, 3), groups=st.lists(st.sampled_from("XYZ"), min_size=7, max_size=7))
def test_generalizing_all_records_alike_never_lowers_the_level(sets, m, groups):
    transactions = Transactions.of_sets(sets)
    labels = {item: group for item, group in zip(LETTERS, groups, strict=True) if item in transactions.items}
    assert fewest_records(transactions.generalized(labels), m) >= fewest_records(transactions, m)


ROWS = [["a", "X", "*"], ["b", "X", "*"], ["c", "X", "*"], ["d", "Y", "*"], ["e", "Y", "*"]]
mixed = st.lists(st.lists(st.sampled_from("abcdeXY*"), max_size=4), min_size=1, max_size=8)


@given(sets=mixed, m=st.integers(1, 3))
def test_with_a_hierarchy_records_count_that_may_hold_the_original_items(sets, m):
    verdict = verdict_on(sets, 1, m, hierarchy=Hierarchy.from_rows(ROWS))
    assert verdict.achieved == min([len(sets), *possible_supports(sets, ROWS, m).values()])


@given(sets=mixed, k=st.integers(1, 4), m=st.integers(1, 3))
def test_counting_labels_where_items_are_too_many_gives_the_same_answer_and_no_higher_level(sets, k, m):
    exact = verdict_on(sets, k, m, hierarchy=Hierarchy.from_rows(ROWS))
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(transactions, "LOOKED_UP", 0)
        quick = verdict_on(sets, k, m, hierarchy=Hierarchy.from_rows(ROWS))
    assert quick.holds == exact.holds
    assert quick.achieved <= exact.achieved


def test_labels_are_counted_only_where_items_are_too_many(monkeypatch):
    sets = [["a"], ["X"], ["X"], ["X"]]
    monkeypatch.setattr(transactions, "LOOKED_UP", 9.9)  # a, and three items for each X
    assert verdict_on(sets, 1, 1, hierarchy=Hierarchy.from_rows(ROWS[:3])).achieved == 1
    monkeypatch.setattr(transactions, "LOOKED_UP", 10)
    assert verdict_on(sets, 1, 1, hierarchy=Hierarchy.from_rows(ROWS[:3])).achieved == 3


def test_with_one_label_per_item_a_hierarchy_changes_nothing():
    hierarchy = Hierarchy.from_rows(GOODS)
    for m in (1, 2, 3):
        plain, with_hierarchy = (verdict_on(TABLE_5_11.values(), 3, m, hierarchy=one) for one in (None, hierarchy))
        assert plain == with_hierarchy


def test_items_that_only_one_record_may_hold_are_named_by_what_they_are():
    verdict = verdict_on([["a"], ["X"], ["a"]], 2, 1, hierarchy=Hierarchy.from_rows(ROWS[:3]))
    assert [entry["values"]["items"] for entry in verdict.offending] == ["b or c"]


FORMS = {
    "lists": lambda rows, _: (rows, {}),
    "sets": lambda rows, _: ([set(one) for one in rows], {}),
    "column of lists": lambda rows, _: (pl.Series("items", rows), {}),
    "frame with lists": lambda rows, _: (pl.DataFrame({"who": range(len(rows)), "items": rows}), {}),
    "frame with lists, named": lambda rows, _: (pl.DataFrame({"items": rows}), {"item": "items"}),
    "pairs": lambda rows, _: (pairs(rows), {"key": "who", "item": "what"}),
    "pandas": lambda rows, _: (pairs(rows).to_pandas(), {"key": "who", "item": "what"}),
    "file of pairs": lambda rows, folder: (written(pairs(rows), folder), {"key": "who", "item": "what"}),
    "file of lines": lambda rows, folder: (lines(rows, folder, ","), {}),
    "file of lines with spaces": lambda rows, folder: (lines(rows, folder, " "), {"delimiter": "space"}),
}


def pairs(rows):
    found = [(number, item) for number, one in enumerate(rows) for item in one]
    return pl.DataFrame(found, schema=["who", "what"], orient="row")


def written(frame, folder):
    frame.write_csv(folder / "pairs.csv")
    return folder / "pairs.csv"


def lines(rows, folder, delimiter):
    (folder / "sets.txt").write_text("".join(delimiter.join(one) + "\n" for one in rows), encoding="utf-8")
    return str(folder / "sets.txt")


@pytest.mark.parametrize("form", FORMS)
def test_sets_are_read_in_every_form(form, tmp_path):
    rows = [*TABLE_5_10.values()]
    data, options = FORMS[form](rows, tmp_path)
    assert transactions_of(data, **options).sets() == [frozenset(one) for one in rows]
    (verdict,) = check_transactions(data, [KmAnonymity(k=2, m=2)], **options)
    assert not verdict


def test_missing_items_and_empty_records_are_records_without_items(tmp_path):
    assert transactions_of([["a", None], []]).sizes.tolist() == [1, 0]
    assert transactions_of(pl.Series([["a", None], [], None], dtype=pl.List(pl.String))).sizes.tolist() == [1, 0, 0]
    table = pl.DataFrame({"who": [1, 1, 2], "what": ["a", None, None]})
    assert transactions_of(table, key="who", item="what").sizes.tolist() == [1, 0]
    (tmp_path / "sets.txt").write_text('a,"b, c"\n\na\n', encoding="utf-8")
    assert [sorted(one) for one in transactions_of(tmp_path / "sets.txt").sets()] == [["a", "b, c"], [], ["a"]]


def test_too_few_records_to_hide_among_break_the_promise_even_without_items():
    verdict = verdict_on([[], []], 3, 2)
    assert not verdict
    assert "only 2 records" in verdict.sentence


def test_numbers_are_items_too():
    assert transactions_of([[1, 2], [2]]).items == ("1", "2")


@pytest.mark.parametrize(
    ("data", "options", "error", "message"),
    [
        ([], {}, DataError, "there are no records"),
        (["bread"], {}, DataError, "record 1 must be a list of items"),
        ([["a"], 7], {}, DataError, "record 2 must be a list"),
        ([[1.5]], {}, DataError, "items are texts or whole numbers"),
        ([{"a": 1}], {}, DataError, "must be a list of items"),
        (pl.Series(["a"]), {}, DataError, "expected lists of items"),
        (pl.DataFrame({"who": [1], "what": ["a"]}), {}, UsageError, "name the column"),
        (pl.DataFrame({"who": [1], "what": ["a"]}), {"key": "wo", "item": "what"}, ColumnError, "Did you mean 'who'"),
        (pl.DataFrame({"who": [None, 1], "what": ["a", "b"]}), {"key": "who", "item": "what"}, DataError, "1 row"),
        ("nowhere.txt", {}, DataError, "not found"),
    ],
)
def test_what_is_no_set_of_items_is_told(data, options, error, message):
    with pytest.raises(error, match=message):
        check_transactions(data, [KmAnonymity(k=2, m=2)], **options)


def test_other_promises_are_refused():
    with pytest.raises(UsageError, match="such as km-anonymity"):
        check_transactions([["a"]], [KAnonymity(k=2)])


def test_an_item_that_the_hierarchy_lacks_is_named():
    with pytest.raises(HierarchyError, match=r"'Cleanin' stands nowhere.*Did you mean 'Cleaning'"):
        verdict_on([["Cleanin"]], 2, 1, hierarchy=Hierarchy.from_rows(GOODS))


def test_generalizing_an_item_that_does_not_occur_is_a_mistake():
    with pytest.raises(UsageError, match=r"no record holds 'bleach'.*Did you mean 'Bleach'"):
        Transactions.of_sets([["Bleach"]]).generalized({"bleach": "Cleaning"})


def test_a_set_of_ten_thousand_items_is_refused_at_once() -> None:
    sets = [[f"item {number}" for number in range(10_000)], *([["bread", "milk"]] * 9)]
    (verdict,) = check_transactions(sets, [KmAnonymity(k=5, m=3)])
    assert not verdict.holds
    assert verdict.achieved == 1


@given(st.lists(st.frozensets(st.sampled_from("abcd")), min_size=1, max_size=8), st.integers(1, 3), st.integers(1, 4))
def test_to_stop_early_never_changes_whether_the_promise_holds(sets: list[frozenset[str]], m: int, k: int) -> None:
    transactions = Transactions.of_sets(sets)
    assert (fewest_records(transactions, m, max(k - 1, 1)) >= k) == (fewest_records(transactions, m) >= k)
