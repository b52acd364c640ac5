"""Generalized loss: which labels are intervals, and what they cost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.hierarchies.intervals import Intervals
from krypsis.data.recoding import FullDomain, as_cells, outcome_of
from krypsis.metrics.loss import GeneralizedLoss
from krypsis.metrics.scale import Scale, bounds_of
from metrics.tables import outcome, table, value
from oracles.brute_force import BruteForce, generalized_loss


def test_an_interval_costs_its_width_and_not_its_number_of_values():
    # [0-90) holds one value and is nine tenths of the domain.
    age = Hierarchy.from_rows([["5", "[0-90)", "*"], ["91", "[90-100)", "*"], ["95", "[90-100)", "*"]])
    frequency = table({"age": age}, [("5",), ("91",)])
    assert value("iloss", frequency, (1,)) == pytest.approx((0.9 + 0.1) / 2)
    assert value("loss", frequency, (1,)) == pytest.approx((0 + 0.5) / 2)


def test_an_open_interval_reaches_to_the_end_of_the_domain():
    age = Intervals(cuts=[18, 65]).build(["0", "18", "30", "65", "100"], "age")
    widths = [0.18, 0.47, 0.47, 0.35, 0.35]
    for number, width in zip(age.values, widths, strict=True):
        assert value("iloss", table({"age": age}, [(number,)]), (1,)) == pytest.approx(width)


def test_a_missing_number_costs_nothing_until_it_looks_like_others():
    age = Hierarchy.from_rows([["1", "[0-5)", "*"], ["7", "[5-10)", "*"], [None, None, "*"]])
    missing = table({"age": age}, [(None,)])
    assert [value("iloss", missing, (level,)) for level in (0, 1, 2)] == [0, 0, 1]


def test_an_attribute_with_one_value_costs_nothing():
    constant = Hierarchy.from_rows([["31", "[30-35)", "*"]])
    assert value("iloss", table({"age": constant}, [("31",)]), (1,)) == 0


@pytest.mark.parametrize(
    "rows",
    [
        [["32021", "3202*", "*"], ["32042", "3204*", "*"]],  # masked
        [["1", "[5-10)", "*"], ["7", "[0-5)", "*"]],  # intervals that do not hold their values
        [["1", "[0-8)", "[0-4)", "*"], ["3", "[0-8)", "[0-4)", "*"], ["9", "[8-16)", "[8-16)", "*"]],  # narrower above
        [["low", "[0-5)", "*"], ["high", "[5-9)", "*"]],  # no numbers
        [["1", "[5-0)", "*"], ["7", "[5-10)", "*"]],  # ends before it begins
        [["1", "[0-1e999)", "*"], ["7", "[0-1e999)", "*"]],  # beyond all numbers
        [[None, "*"]],
    ],
)
def test_other_labels_cost_by_their_leaves(rows):
    assert Scale.of(Hierarchy.from_rows(rows)) is None


@pytest.mark.parametrize("label", [None, "", "*", "3202*", "2020-05-01", "a-b", "[1-2-3)", "<", ">=x", "[9-1)"])
def test_what_is_no_interval_has_no_bounds(label):
    assert bounds_of(label) is None


numbers = st.sets(st.integers(0, 60), min_size=1, max_size=8)


@given(numbers, st.integers(2, 9), st.data())
def test_widths_agree_with_the_slow_definition(drawn, width, data):
    age = Intervals(width=width, levels=2).build([str(number) for number in sorted(drawn)], "age")
    rows = data.draw(st.lists(st.sampled_from(age.values), min_size=1, max_size=12))
    frequency = table({"age": age}, [(row,) for row in rows])
    force = BruteForce(frequency)
    for level in range(age.height + 1):
        expected = generalized_loss(force, force.node((level,), []))
        assert value("iloss", frequency, (level,)) == pytest.approx(expected)


def test_it_is_the_same_cell_by_cell_where_labels_are_intervals():
    age = Intervals(width=5, levels=2).build(["1", "7", "23", "24"], "age")  # the widest labels end at 30
    frequency = table({"age": age}, [("1",), ("7",), ("7",), ("23",), ("24",)])
    recoding = FullDomain((1,), frequency.codes[:, 0] == 0)
    expected = pytest.approx((1 + 4 * 5 / 30) / 5)
    assert value("iloss", outcome(frequency, (1,), "k-anonymity:k=2")) == expected
    assert GeneralizedLoss().compute(outcome_of(as_cells(recoding, frequency), frequency)) == expected
