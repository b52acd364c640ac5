import re
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import ValidationError

from krypsis.data.hierarchies import Intervals
from krypsis.errors import HierarchyError

NUMBER = r"-?\d+(?:\.\d+)?"
numbers = st.decimals(min_value=-1000, max_value=1000, places=2).map(str)


def bounds(label):
    """Read a label without using the code that wrote it."""
    if found := re.fullmatch(rf"\[({NUMBER})(?:-| to )({NUMBER})\)", label):
        return Fraction(found[1]), Fraction(found[2])
    if found := re.fullmatch(rf"<({NUMBER})", label):
        return None, Fraction(found[1])
    if found := re.fullmatch(rf">=({NUMBER})", label):
        return Fraction(found[1]), None
    raise AssertionError(f"unreadable label {label!r}")


def contains(label, value):
    lower, upper = bounds(label)
    return (lower is None or lower <= Fraction(value)) and (upper is None or Fraction(value) < upper)


def test_equal_widths_start_at_zero_and_double():
    age = Intervals(width=5).build(["34", "35"], "age")
    assert age.rows() == [["34", "[30-35)", "[30-40)", "[20-40)", "*"], ["35", "[35-40)", "[30-40)", "[20-40)", "*"]]


def test_an_origin_moves_all_intervals():
    assert Intervals(width=10, origin=18, levels=1).build(["17", "18", "28"], "age").column(1) == [
        "[8-18)",
        "[18-28)",
        "[28-38)",
    ]


def test_the_factor_says_how_many_neighbors_are_merged():
    assert Intervals(width=1, factor=10, levels=3).build(["123"], "n").rows() == [
        ["123", "[123-124)", "[120-130)", "[100-200)", "*"]
    ]


def test_cuts_have_open_ends_and_every_value_has_a_place():
    age = Intervals(cuts=[18, 30, 65], levels=1).build(["17", "18", "29.9", "65", "120", "-1"], "age")
    assert age.column(1) == ["<18", "[18-30)", "[18-30)", ">=65", ">=65", "<18"]


def test_cuts_are_merged_from_the_first_given_interval():
    age = Intervals(cuts=[0, 10, 20, 30], levels=9).build(["-5", "5", "15", "25", "35"], "age")
    assert age.column(2) == ["<0", "[0-20)", "[0-20)", ">=20", ">=20"]
    assert age.height == 3


def test_one_cut_makes_two_intervals():
    assert Intervals(cuts=["18"]).build(["1", "18"], "age").rows() == [["1", "<18", "*"], ["18", ">=18", "*"]]


def test_quantiles_hold_equally_many_values_and_hide_the_extremes():
    values = [str(number) for number in range(1, 13)]
    income = Intervals(quantiles=4).build(values, "income")
    assert income.column(1) == ["<4"] * 3 + ["[4-7)"] * 3 + ["[7-10)"] * 3 + [">=10"] * 3
    assert income.column(2) == ["<7"] * 6 + [">=7"] * 6
    assert income.height == 3


def test_quantiles_of_a_constant_column_leave_only_the_top():
    assert Intervals(quantiles=4).build(["7"], "n").rows() == [["7", "*"]]


def test_more_quantiles_than_values_make_one_interval_per_value():
    assert Intervals(quantiles=10, levels=1).build(["1", "2"], "n").column(1) == ["<2", ">=2"]


def test_decimals_stay_clean():
    labels = Intervals(width="0.1", levels=2).build(["0.3", "0.7", "1.1"], "x")
    assert labels.column(1) == ["[0.3-0.4)", "[0.7-0.8)", "[1.1-1.2)"]
    assert Intervals(width=0.1, levels=2).build(["0.3", "0.7", "1.1"], "x").rows() == labels.rows()


@pytest.mark.parametrize(
    ("value", "label"),
    [("-7", "[-10 to -5)"), ("-5", "[-5 to 0)"), ("-0.01", "[-5 to 0)"), ("-0", "[0-5)"), ("0", "[0-5)")],
)
def test_negative_numbers_are_readable(value, label):
    assert Intervals(width=5).build([value], "x").column(1) == [label]


@pytest.mark.parametrize("value", ["1e3", "+1000", " 1000 ", "1000.", "01000", "1000.000"])
def test_numbers_may_be_written_in_many_ways(value):
    assert Intervals(width=1000, levels=1).build([value], "x").rows() == [[value, "[1000-2000)", "*"]]


def test_very_large_and_very_small_numbers_are_exact():
    large, small = "9" * 300, "1e-300"
    assert all(contains(Intervals(width=7).build([value], "x").column(1)[0], value) for value in (large, small))


@pytest.mark.parametrize(
    "value",
    ["abc", "", " ", "nan", "inf", "-Infinity", "1,5", "1_000", "٣", "1e9999", "1e999999999", "0x10", "5" * 500, "--5"],
)
def test_what_is_no_number_is_refused_and_named(value):
    with pytest.raises(HierarchyError, match=r"hierarchy of 'age': 1 of 2 value.* not numbers: ") as caught:
        Intervals(width=5).build(["30", value], "age")
    assert repr(value) in str(caught.value)


def test_missing_values_stay_missing_until_the_top():
    assert Intervals(width=5, levels=1).build([None, "3"], "x").rows() == [["3", "[0-5)", "*"], [None, None, "*"]]


def test_a_column_of_missing_values_goes_straight_to_the_top():
    assert Intervals(width=5).build([None], "x").rows() == [[None, "*"]]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"width": 0},
        {"width": -1},
        {"width": "nan"},
        {"width": "1e-500"},
        {"width": 5, "cuts": [1]},
        {"cuts": []},
        {"cuts": [2, 1]},
        {"cuts": [1, 1]},
        {"cuts": [1, 2], "origin": 0},
        {"quantiles": 1},
        {"quantiles": 10**9},
        {"width": 5, "factor": 1},
        {"width": 5, "levels": 0},
        {"width": 5, "widht": 6},
    ],
)
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(ValidationError):
        Intervals(**options)


rules = st.one_of(
    st.builds(
        Intervals,
        width=st.decimals("0.01", 300, places=2),
        origin=st.decimals(-50, 50, places=2),
        factor=st.integers(2, 5),
        levels=st.integers(1, 6),
    ),
    st.builds(
        Intervals,
        cuts=st.sets(st.integers(-1000, 1000), min_size=1, max_size=12).map(sorted),
        factor=st.integers(2, 4),
        levels=st.integers(1, 5),
    ),
    st.builds(Intervals, quantiles=st.integers(2, 12), factor=st.integers(2, 4), levels=st.integers(1, 5)),
)


@given(rules, st.lists(numbers, min_size=1, unique=True))
def test_every_value_lies_in_all_its_intervals(rule, values):
    built = rule.build(values, "x")
    for level in range(1, built.height):
        assert all(contains(built.label(value, level), value) for value in values)


@given(rules, st.lists(numbers, min_size=1, unique=True))
def test_each_interval_lies_inside_the_next(rule, values):
    for row in rule.build(values, "x").rows():
        intervals = [bounds(label) for label in row[1:-1]]
        for (lower, upper), (wider_lower, wider_upper) in pairwise(intervals):
            assert wider_lower is None or (lower is not None and wider_lower <= lower)
            assert wider_upper is None or (upper is not None and upper <= wider_upper)


@given(rules, st.lists(numbers, min_size=2, unique=True))
def test_different_intervals_of_a_level_do_not_overlap(rule, values):
    built = rule.build(values, "x")
    for level in range(1, built.height):
        labels = set(built.column(level))
        assert all(sum(contains(label, value) for label in labels) == 1 for value in values)


@given(st.lists(numbers, min_size=2, unique=True), st.data())
def test_labels_of_equal_width_do_not_depend_on_the_other_values(values, data):
    rule = Intervals(width=5)
    assume(len(values) > 1)
    alone = data.draw(st.sampled_from(values))
    assert rule.build([alone], "x").rows()[0] in rule.build(values, "x").rows()
