"""The checker of sets in groups believes nothing but what is published."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.checker.sets import check_sets
from krypsis.data.transactions import GroupedSets, Transactions
from krypsis.errors import UsageError
from krypsis.io.item_sets import sensitive_table_of_groups, sets_of
from krypsis.models.privacy_degree import PrivacyDegree
from krypsis.models.set_diversity import SetDiversity
from oracles.set_groups import degree

rows = st.lists(st.tuples(st.sets(st.sampled_from("abST"), max_size=3), st.integers(0, 3)), min_size=1, max_size=12)


def grouped(sets, groups, sensitive=("S", "T")) -> GroupedSets:
    numbers = np.unique(groups, return_inverse=True)[1]
    return GroupedSets.of(Transactions.of_sets(sets), set(sensitive), numbers)


@given(rows=rows, p=st.integers(1, 5))
def test_the_degree_is_that_of_the_worst_item_of_the_worst_group(rows, p):
    sets, groups = zip(*rows, strict=True)
    (verdict,) = check_sets(grouped(sets, groups), [PrivacyDegree(p=p)])
    expected = degree([one & {"S", "T"} for one in sets], groups)
    assert verdict.holds == (expected >= p)
    assert verdict.achieved == (len(sets) if expected == float("inf") else expected)
    assert bool(verdict.offending) != verdict.holds


def test_the_worst_groups_are_shown_first():
    sets = [{"S"}, {"a"}, {"S"}, {"S"}, {"S"}]
    (verdict,) = check_sets(grouped(sets, [0, 0, 1, 1, 1]), [PrivacyDegree(p=3)])
    assert [one["values"] for one in verdict.offending] == [
        {"group": "2", "item": "S", "records": 3},
        {"group": "1", "item": "S", "records": 1},
    ]
    assert verdict.sentence == (
        "Not kept: 2 group(s) break the promise that no sensitive item belongs to more than 1 in 3 records of a group "
        "(required at least 3, achieved 1)."
    )


def test_a_sensitive_item_that_stands_in_a_record_is_attached_to_it():
    records = Transactions.of_sets([["a", "S"], ["a"], ["a"]])
    published = GroupedSets(records, np.zeros(3, dtype=np.int64), ("S",), np.empty((0, 3), dtype=np.int64))
    (verdict,) = check_sets(published, [PrivacyDegree(p=2)])
    assert (verdict.holds, verdict.achieved) == (False, 1.0)
    assert verdict.offending[0]["values"]["item"] == "S"


def test_counts_of_the_same_item_in_a_group_are_added_up():
    counts = np.array([[0, 0, 1], [0, 0, 1]])
    published = GroupedSets(Transactions.of_sets([["a"]] * 3), np.zeros(3, dtype=np.int64), ("S",), counts)
    (verdict,) = check_sets(published, [PrivacyDegree(p=2)])
    assert (verdict.holds, verdict.achieved) == (False, 1.5)


def test_promises_about_other_things_are_refused():
    with pytest.raises(UsageError, match="such as privacy-degree:p=4; got SetDiversity"):
        check_sets(grouped([{"a"}], [0]), [SetDiversity(l=2)])


def test_an_item_the_release_calls_sensitive_and_tells_openly_is_attached_for_certain():
    forged = grouped([{"a"}, {"a", "T"}, {"S"}, {"a"}], [0, 0, 0, 0], sensitive=("S",))
    (verdict,) = check_sets(forged, [PrivacyDegree(p=2)], sensitive=frozenset({"S", "T"}))
    assert not verdict.holds
    assert verdict.achieved == 1


def test_an_item_nobody_calls_sensitive_may_be_told_openly():
    openly = grouped([{"a"}, {"a", "T"}, {"S"}, {"a"}], [0, 0, 0, 0], sensitive=("S",))
    assert check_sets(openly, [PrivacyDegree(p=2)], sensitive=frozenset({"S"}))[0].holds


def test_the_groups_named_are_those_of_the_published_files():
    sets = [["milk", "S"], ["milk"], ["wine", "S"], ["wine", "S"]]
    items = pl.DataFrame(
        {"record": [1, 2, 3, 4], "group": ["ward 9", "ward 9", "ward 10", "ward 10"], "item": [one[0] for one in sets]}
    )
    apart = pl.DataFrame({"group": ["ward 9", "ward 10"], "item": ["S", "S"], "count": [1, 2]})
    (verdict,) = check_sets(sets_of(items, apart), [PrivacyDegree(p=2)])
    assert [one["values"]["group"] for one in verdict.offending] == ["ward 10"]


def test_the_groups_named_of_sets_in_memory_are_those_that_would_be_written():
    published = grouped([{"S"}, {"S"}, {"a", "S"}, {"b"}], [1, 1, 0, 0])
    (verdict,) = check_sets(published, [PrivacyDegree(p=2)])
    ((name, table),) = [(one["values"]["group"], sensitive_table_of_groups(published)) for one in verdict.offending]
    (count,) = table.filter(pl.col("group") == int(name))["count"]
    assert count == int((published.groups == int(name) - 1).sum())  # all records of that group hold it
