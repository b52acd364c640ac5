"""Intervals are published under labels that tell no more than they must."""

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.tables.k_optimize.k_optimize import label_intervals, roundest
from krypsis.algorithms.tables.k_optimize.space import OrderedDomain
from krypsis.data.hierarchies.base import Hierarchy
from label_reading import stands_for


def flat(*values):
    return Hierarchy.from_rows([value, "*"] for value in values)


def labels(hierarchy, starts, *, level=0, absent=(), suppressed=()):
    """The label of every value that is published, when a new interval starts at each of ``starts``."""
    present = np.array([value not in absent for value in hierarchy.values])
    published = present & np.array([value not in suppressed for value in hierarchy.values])
    domain = OrderedDomain.of(hierarchy, present.astype(np.int64), level)
    cuts = sorted({int(domain.ranks[hierarchy.code_of[value]]) for value in starts} - {0})
    book, codes = label_intervals(domain, cuts, published)
    assert sorted(book.values.tolist()) == list(range(len(hierarchy.values)))  # every value has one label
    for value, code in enumerate(codes):
        assert value in book.below(code)
    return {
        value: book.labels[code] for value, code, seen in zip(hierarchy.values, codes, published, strict=True) if seen
    }


AGES = flat("17", "21", "30", "31", "38", "44", "90")


def test_a_value_alone_is_published_as_it_is():
    assert labels(flat("17", "21"), ["21"]) == {"17": "17", "21": "21"}


def test_a_single_interval_is_the_top():
    assert set(labels(AGES, []).values()) == {"*"}
    assert set(labels(flat("a", None), []).values()) == {"*"}


def test_a_constant_column_stays():
    assert labels(flat("a"), []) == {"a": "a"}
    assert labels(Hierarchy.from_rows([["a"]]), []) == {"a": "a"}
    assert labels(flat(None), []) == {None: None}


def test_numbers_meet_at_the_roundest_number_between_them_and_the_ends_are_open():
    found = labels(AGES, ["30", "44"])
    assert found == {
        "17": "<30", "21": "<30", "30": "[30-40)", "31": "[30-40)", "38": "[30-40)", "44": ">=40", "90": ">=40",
    }  # fmt: skip


def test_the_smallest_and_the_largest_number_are_not_named():
    named = " ".join(labels(AGES, ["30", "38"]).values())
    assert "17" not in named
    assert "90" not in named


def test_numbers_below_zero_can_be_read():
    assert labels(flat("-9", "-7", "-4", "-2", "3", "8"), ["-4", "3"])["-4"] == "[-5 to 0)"


def test_values_of_suppressed_records_are_not_named():
    kept = labels(flat("asian", "black", "eskimo", "white"), ["white"], suppressed=["eskimo"])
    assert kept == {"asian": "{asian, black}", "black": "{asian, black}", "white": "white"}
    numbers = labels(flat("20", "21", "29", "41", "42"), ["29"], suppressed=["29"])
    assert set(numbers.values()) == {"<40", ">=40"}


def test_values_without_records_are_covered_and_not_named():
    found = labels(flat("a", "b", "c", "d"), ["d"], absent=["b"])
    assert found == {"a": "{a, c}", "c": "{a, c}", "d": "d"}


def test_a_value_alone_among_values_without_records_stays():
    assert labels(flat("30", "31", "32", "40", "45"), ["40"], absent=["31", "32"])["30"] == "30"


COUNTRY = Hierarchy.from_rows(
    [["Canada", "America", "*"], ["Mexico", "America", "*"], ["France", "Europe", "*"], ["Italy", "Europe", "*"],
     ["Spain", "Europe", "*"]]
)  # fmt: skip


def test_an_interval_that_is_a_node_of_the_hierarchy_has_its_name():
    found = labels(COUNTRY, ["France"])
    assert found["Canada"] == "America"
    assert found["Italy"] == "Europe"


def test_other_categories_are_a_set():
    found = labels(COUNTRY, ["Italy"])
    assert found["Canada"] == "{Canada, Mexico, France}"
    assert found["Spain"] == "{Italy, Spain}"


def test_a_node_of_which_only_unseen_values_are_elsewhere_has_its_name():
    assert labels(COUNTRY, ["Italy"], suppressed=["France"])["Spain"] == "Europe"


def test_missing_stays_missing_once_the_attribute_is_cut():
    assert labels(flat("1", "2", "3", None), ["2"]) == {"1": "1", "2": ">=2", "3": ">=2", None: None}


@pytest.mark.parametrize("values", [("1", "2"), ("a", "b")])
def test_missing_alone_may_be_apart(values):
    found = labels(flat(*values, None), [None])
    assert found == {values[0]: "not missing", values[1]: "not missing", None: None}


def test_a_level_is_the_finest_that_is_shown():
    assert labels(COUNTRY, ["France"], level=1) == {
        "Canada": "America", "Mexico": "America", "France": "Europe", "Italy": "Europe", "Spain": "Europe",
    }  # fmt: skip
    assert set(labels(COUNTRY, [], level=2).values()) == {"*"}


def test_numbers_at_a_level_are_joined_without_naming_them():
    age = Hierarchy.from_rows(
        [["31", "30s", "*"], ["38", "30s", "*"], ["42", "40s", "*"], ["55", "50s", "*"], ["56", "50s", "*"]]
    )
    found = labels(age, ["55"], level=1)
    assert found["31"] == found["42"] == "<50"
    assert found["55"] == "50s"


def test_no_two_intervals_share_a_label():
    other = Hierarchy.from_rows([["Other", "a", "*"], ["x", "Other", "*"], ["y", "Other", "*"]])
    assert labels(other, ["x"]) == {"Other": "Other", "x": "{x, y}", "y": "{x, y}"}
    hostile = flat("{a, b}", "a", "b")
    assert labels(hostile, ["a"]) == {"{a, b}": "{a, b}", "a": "{{a, b}}", "b": "{{a, b}}"}
    commas = flat("a, b", "c", "a", "b, c")
    assert len(set(labels(commas, ["a"]).values())) == 2


def test_a_value_that_is_written_like_the_top_is_told_from_it():
    assert labels(flat("*", "a", "b"), ["a", "b"])["*"] == "{*}"


def test_codes_with_leading_zeros_are_no_numbers():
    assert labels(flat("01234", "02000", "10000"), ["10000"])["01234"] == "{01234, 02000}"


@given(st.decimals(-1000, 1000, places=2), st.decimals("0.01", 50, places=2))
def test_the_roundest_number_lies_between(above, distance):
    found = roundest(above, above + distance)
    assert above < found <= above + distance


@pytest.mark.parametrize(
    ("above", "up_to", "expected"),
    [("38", "44", 40), ("83", "88", 85), ("29", "30", 30), ("-9", "8", 0), ("-45", "-31", -40), ("998", "1003", 1000),
     ("0.31", "0.34", Decimal("0.34")), ("1e300", "2e300", Decimal("2e300"))],
)  # fmt: skip
def test_rounder_means_a_multiple_of_a_larger_power_of_ten_or_half_of_it(above, up_to, expected):
    assert roundest(Decimal(above), Decimal(up_to)) == expected


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=12, unique=True), st.data())
def test_every_number_lies_in_the_interval_it_is_published_as(numbers, data):
    hierarchy = flat(*map(str, numbers))
    starts = data.draw(st.lists(st.sampled_from(hierarchy.values), unique=True))
    hidden = data.draw(st.lists(st.sampled_from(hierarchy.values), unique=True))
    for value, label in labels(hierarchy, starts, suppressed=hidden).items():
        assert label == "*" or stands_for(label, value)
