import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from krypsis.data.hierarchies import Order
from krypsis.errors import HierarchyError


def test_neighbors_in_the_given_order_are_grouped():
    built = Order(order=["none", "primary", "secondary", "bachelor", "master"]).build(["primary", "master"], "school")
    assert built.rows() == [
        ["none", "none … primary", "none … bachelor", "*"],
        ["primary", "none … primary", "none … bachelor", "*"],
        ["secondary", "secondary … bachelor", "none … bachelor", "*"],
        ["bachelor", "secondary … bachelor", "none … bachelor", "*"],
        ["master", "master", "master", "*"],
    ]


def test_numbers_are_ordered_by_size():
    built = Order(size=3).build(["10", "9", "2", "-1"], "n")
    assert built.column(0) == ["-1", "2", "9", "10"]
    assert built.column(1) == ["part 1 of 2", "part 1 of 2", "part 1 of 2", "part 2 of 2"]


def test_other_values_are_ordered_as_text():
    assert Order().build(["10", "9", "few"], "n").rows() == [
        ["10", "part 1 of 2", "*"],
        ["9", "part 1 of 2", "*"],
        ["few", "part 2 of 2", "*"],
    ]


@given(st.lists(st.text("xyzXYZ", min_size=3, max_size=6), min_size=1, max_size=30, unique=True), st.integers(2, 4))
def test_labels_of_the_natural_order_name_no_value_of_the_data(values, size):
    built = Order(size=size).build(values, "born")
    labels = [label for level in built.labels[1:] for label in level]
    assert not [(label, value) for label in labels for value in values if value in label]


def test_size_factor_and_levels_say_how_groups_grow():
    built = Order(size=2, factor=5, levels=2).build([str(number) for number in range(40)], "n")
    assert [len(labels) for labels in built.labels] == [40, 20, 4, 1]


@pytest.mark.parametrize("values", [["a"], ["a", "b"]])
def test_a_group_of_everything_is_the_top(values):
    assert Order().build(values, "x").rows() == [[value, "*"] for value in values]


def test_values_that_the_order_does_not_name_are_listed():
    with pytest.raises(HierarchyError, match=r"hierarchy of 'risk' lacks 1 value.* of the data: 'extreme'"):
        Order(order=["low", "high"]).build(["low", "extreme"], "risk")


@pytest.mark.parametrize(
    "options", [{"order": []}, {"order": ["a", "a"]}, {"size": 1}, {"factor": 1}, {"levels": 0}, {"order": "abc"}]
)
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(ValidationError):
        Order(**options)


@given(st.lists(st.integers(-50, 50).map(str), min_size=1, unique=True), st.integers(2, 5), st.integers(2, 4))
def test_groups_are_runs_of_the_order_of_the_promised_size(values, size, factor):
    built = Order(size=size, factor=factor).build(values, "n")
    ordered = sorted(values, key=int)
    for level in range(1, built.height):
        width = size * factor ** (level - 1)
        expected = [position // width for position in range(len(ordered))]
        labels = [built.label(value, level) for value in ordered]
        assert [labels.index(label) // width for label in labels] == expected
