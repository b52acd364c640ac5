import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.data.hierarchies import Hierarchy
from krypsis.errors import HierarchyError


def message_of(rows, name="hierarchy"):
    with pytest.raises(HierarchyError) as caught:
        Hierarchy.from_rows(rows, name)
    return str(caught.value)


def test_rows_come_back_as_they_were_given():
    rows = [["31", "[30-35)", "*"], ["38", "[35-40)", "*"], [None, None, "*"]]
    assert Hierarchy.from_rows(rows).rows() == rows


def test_a_row_given_twice_counts_once():
    assert Hierarchy.from_rows([["a", "*"], ["b", "*"], ["a", "*"]]).values == ("a", "b")


def test_a_value_with_two_different_parents_is_refused_with_its_row():
    text = message_of([["a", "x", "*"], ["b", "x", "*"], ["a", "y", "*"]], "job.csv")
    assert text == (
        "job.csv: row 3: value 'a' stands twice with different generalizations: x, * and y, *; keep one of the rows"
    )


def test_rows_of_different_length_are_refused_with_the_row():
    assert message_of([["a", "*"], ["b", "x", "*"]]) == "hierarchy: row 2 has 3 cell(s), expected 2 as in row 1"


def test_a_level_that_is_no_coarsening_is_refused_naming_the_values():
    text = message_of([["1", "low", "small", "*"], ["2", "low", "big", "*"]], "size")
    assert text == (
        "size: level 2 is not a coarsening of level 1: 'low' becomes 'small' for the value '1' "
        "and 'big' for the value '2'; give each value one parent"
    )


def test_a_hierarchy_without_single_top_is_refused_naming_its_tops():
    text = message_of([["a", "*"], ["b", "any"]])
    assert text == (
        "hierarchy has no single top: its last level has 2 values ('*', 'any'); "
        "end every row with the same value, such as '*'"
    )


def test_two_values_without_generalizations_have_no_single_top():
    assert "no single top" in message_of([["a"], ["b"]])


@pytest.mark.parametrize("rows", [[], iter([])])
def test_no_rows_are_refused(rows):
    assert message_of(rows, "age") == ("age has no values; give one row per value: the value, then its generalizations")


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([[]], "row 1 is empty"),
        ([["a", "*"], []], "row 2 is empty"),
        (["ab", "cb"], "row 1 is the text 'ab'"),
        ([[1, "*"]], "got 1 (int)"),
        ([["1", 2.5]], "got 2.5 (float)"),
        ([["a", None]], "'a' has no generalization at level 1"),
        ([["a", None, "*"], [None, None, "*"]], "'a' has no generalization at level 1"),
        ([[None, None]], "None has no generalization at level 1"),
    ],
)
def test_odd_rows_are_refused_with_a_reason(rows, words):
    assert words in message_of(rows)


def test_columns_must_be_of_one_length_and_hold_each_value_once():
    with pytest.raises(HierarchyError, match=re.escape("level 1 has 1 cell(s) for 2 value(s)")):
        Hierarchy.from_columns([["a", "b"], ["*"]])
    with pytest.raises(HierarchyError, match="a value stands twice at level 0"):
        Hierarchy.from_columns([["a", "a"], ["*", "*"]])


def test_a_single_value_without_generalizations_is_a_constant_column():
    constant = Hierarchy.from_rows([["Greece"]])
    assert constant.height == 0
    assert constant.label("Greece", 0) == "Greece"
    assert constant.covering(["Greece"], "country") is constant


def test_a_constant_column_gains_a_top_when_a_value_is_missing():
    assert Hierarchy.from_rows([["Greece"]]).with_missing().rows() == [["Greece", "*"], [None, "*"]]


def test_a_missing_value_keeps_to_itself_below_the_top():
    job = Hierarchy.from_rows([["Writer", "Artist", "Any"], ["Dancer", "Artist", "Any"]]).with_missing()
    assert job.rows()[-1] == [None, None, "Any"]
    assert job.leaves[:, 2].tolist() == [1, 1, 3]


def test_a_missing_value_may_have_a_generalization_of_its_own():
    assert Hierarchy.from_rows([["a", "x", "*"], [None, "unknown", "*"]]).label(None, 1) == "unknown"


def test_adding_the_missing_value_twice_changes_nothing():
    once = Hierarchy.from_rows([["a", "*"], [None, "*"]])
    assert once.with_missing() is once


def test_covering_lists_the_values_the_hierarchy_lacks():
    sex = Hierarchy.from_rows([["Male", "*"], ["Female", "*"]])
    with pytest.raises(HierarchyError) as caught:
        sex.covering(["Male", "diverse", "x", "diverse"], "sex")
    assert str(caught.value) == (
        "hierarchy of 'sex' lacks 2 value(s) of the data: 'diverse', 'x'; add them to the hierarchy."
    )


def test_covering_cuts_a_long_list_of_values():
    with pytest.raises(HierarchyError, match=r"lacks 30 value.*'0', '1', .*'9' and 20 more"):
        Hierarchy.from_rows([["a", "*"]]).covering(map(str, range(30)), "n")


def test_covering_points_at_another_spelling():
    with pytest.raises(HierarchyError, match="It has 'Male', which differs from 'male ' only by spaces"):
        Hierarchy.from_rows([["Male", "*"]]).covering(["male "], "sex")


def test_the_value_star_is_an_ordinary_value():
    assert Hierarchy.from_rows([["*", "*"], ["a", "*"]]).leaves.tolist() == [[1, 1], [2, 2]]


@given(st.lists(st.lists(st.sampled_from("ab"), min_size=3, max_size=3), min_size=1, max_size=6))
def test_exactly_the_coarsenings_are_accepted(middle):
    rows = [[str(number), *cells, "*"] for number, cells in enumerate(middle)]
    valid = all(
        one[level + 1] == other[level + 1]
        for one in rows
        for other in rows
        for level in range(len(one) - 1)
        if one[level] == other[level]
    )
    if valid:
        assert Hierarchy.from_rows(rows).rows() == rows
    else:
        assert "is not a coarsening" in message_of(rows)


def test_a_hundred_thousand_values_are_no_burden():
    rows = [[str(number), str(number // 10), str(number // 1000), "*"] for number in range(100_000)]
    hierarchy = Hierarchy.from_rows(rows)
    assert hierarchy.covering([*hierarchy.values, None], "n").rows()[:-1] == rows
