"""What published labels stand for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.checker.coverage import coverage_of
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import DataError, HierarchyError
from strategies import VALUES, hierarchies

AGES = ["-5", "9", "31", "31.5", "45", None]


def covered(label, values=AGES, hierarchy=None):
    (row,) = coverage_of([label], values, "age", hierarchy)
    return [value for value, yes in zip(values, row, strict=True) if yes]


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("31", ["31"]),
        ("31.0", ["31"]),
        ("*", AGES),
        (None, [None]),
        ("not missing", AGES[:-1]),
        ("[9-31]", ["9", "31"]),
        ("[9-31)", ["9"]),
        ("(9-31.5]", ["31", "31.5"]),
        ("(9-31.5)", ["31"]),
        ("[-5 to 9]", ["-5", "9"]),
        ("[-5-9]", ["-5", "9"]),
        ("[-10--5]", ["-5"]),
        ("<31", ["-5", "9"]),
        ("<=31", ["-5", "9", "31"]),
        (">31", ["31.5", "45"]),
        (">=31", ["31", "31.5", "45"]),
        ("{9, 45}", ["9", "45"]),
        ("{9, 77}", ["9"]),
        ("[100-200]", []),
    ],
)
def test_a_label_stands_for(label, expected):
    assert covered(label) == expected


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("[2024-01-31 to 2024-03-01]", ["2024-01-31", "2024-02-29"]),
        ("[2024-01-31-2024-02-29]", ["2024-01-31", "2024-02-29"]),
        ("[2024-02-29-2024-12-24)", ["2024-02-29"]),
        (">=2024-02-29", ["2024-02-29", "2024-12-24"]),
        ("2024-02-29T00:00:00", ["2024-02-29"]),
    ],
)
def test_a_range_of_dates_stands_for_the_days_in_it(label, expected):
    assert covered(label, ["2024-01-31", "2024-02-29", "2024-12-24"]) == expected


def test_a_node_stands_for_what_lies_below_it_and_a_missing_value_only_for_itself_and_the_top():
    job = Hierarchy.from_rows([["nurse", "health", "any"], ["doctor", "health", "any"], ["clerk", "office", "any"]])
    values = ["nurse", "doctor", "clerk", None]
    assert covered("health", values, job) == ["nurse", "doctor"]
    assert covered("any", values, job) == values
    assert covered(None, values, job) == [None]


def test_a_label_that_stands_at_two_levels_stands_for_both():
    region = Hierarchy.from_rows([["york", "north", "*"], ["leeds", "york", "*"], ["kent", "south", "*"]])
    assert covered("york", ["york", "leeds", "kent"], region) == ["york", "leeds"]


def test_a_range_of_words_goes_by_the_order_of_the_hierarchy():
    size = Hierarchy.from_rows([["low", "*"], ["medium", "*"], ["high", "*"], ["extreme", "*"]])
    assert covered("[medium to extreme]", ["extreme", "high", "low"], size) == ["extreme", "high"]


def test_a_value_with_a_comma_in_a_set_is_one_value():
    assert covered("{York, north, Kent}", ["York, north", "Kent", "north"]) == ["York, north", "Kent"]


@pytest.mark.parametrize(
    ("label", "names"),
    [
        ('{a, "a, b", c}', ["a", "a, b", "c"]),
        ('{"a, b"}', ["a, b"]),
        ('{"say \\"a, b\\"", "{a}", b}', ['say "a, b"', "{a}", "b"]),
        ('{"a, b", "of nobody"}', ["a, b"]),
        ('{5", 6"}', ['5"', '6"']),  # written by others, without quotation marks around
    ],
)
def test_a_value_in_quotation_marks_in_a_set_is_that_value(label, names):
    values = ["a", "b", "c", "a, b", 'say "a, b"', "{a}", '5"', '6"']
    assert sorted(covered(label, values)) == sorted(names)


def test_a_mean_behind_a_range_changes_nothing_of_what_it_stands_for():
    assert covered("[20-23] (mean 21.5)", ["19", "20", "22", "24"]) == ["20", "22"]
    assert covered("[2020-01-01 to 2020-01-03] (mean 2020-01-02)", ["2020-01-02", "2020-01-04"]) == ["2020-01-02"]


def test_a_code_is_no_number():
    assert covered("01", ["1", "01"]) == ["01"]
    assert covered("1", ["1", "01"]) == ["1"]


@pytest.mark.parametrize("label", ["person", "[a-b]", "{}", "", "part 1 of 2", "[5-"])
def test_a_label_that_is_not_understood_is_named(label):
    with pytest.raises(DataError, match=r"column 'age' publishes 1 label.*give its hierarchy"):
        covered(label)


def test_a_hierarchy_that_lacks_an_original_value_is_refused():
    with pytest.raises(HierarchyError, match="lacks 1 value"):
        covered("x", ["a", "b"], Hierarchy.from_rows([["a", "x"]]))


@given(hierarchy=hierarchies(VALUES), data=st.data())
def test_the_label_of_a_value_at_any_level_stands_for_all_values_with_that_label(hierarchy, data):
    level = data.draw(st.integers(0, hierarchy.height))
    value = data.draw(st.sampled_from(VALUES))
    label = hierarchy.label(value, level)
    alike = {other for other in VALUES if hierarchy.label(other, level) == label}
    assert alike <= set(covered(label, list(VALUES), hierarchy))


def test_a_node_that_looks_like_a_number_stands_for_what_lies_below_it_only():
    tree = Hierarchy.from_rows([["1", "2.0", "*"], ["2", "1.0", "*"]])
    assert covered("1.0", ["1", "2"], tree) == ["2"]
    assert covered("2.00", ["1", "2"], tree) == ["2"]
