"""Values are put in an order, and only those with records may start an interval."""

import numpy as np
import pytest

from krypsis.algorithms.tables.k_optimize.space import OrderedDomain
from krypsis.data.hierarchies.base import Hierarchy


def flat(*values):
    return Hierarchy.from_rows([value, "*"] for value in values)


def ordered(hierarchy, *, level=0, absent=()):
    marginal = np.array([value not in absent for value in hierarchy.values], dtype=np.int64)
    return OrderedDomain.of(hierarchy, marginal, level)


def texts(domain):
    return [tuple(domain.hierarchy.values[code] for code in unit) for unit in domain.units]


def test_numbers_are_in_order_of_size():
    assert texts(ordered(flat("10", "9", "-3", "1e2"))) == [("-3",), ("9",), ("10",), ("1e2",)]


def test_a_number_is_one_value_however_it_is_written():
    assert texts(ordered(flat("5", "7", "5.0"))) == [("5", "5.0"), ("7",)]


@pytest.mark.parametrize("values", [("10", "9", "many"), ("10", "09", "8"), ("10", "nan", "9"), ("10", "1_0", "9")])
def test_what_is_not_all_numbers_stays_as_the_hierarchy_lists_it(values):
    domain = ordered(flat(*values))
    assert texts(domain) == [(value,) for value in values]
    assert domain.numbers is None


def test_values_below_one_parent_are_side_by_side():
    """The order is that of the leaves of the tree, also where a file lists them mixed."""
    country = Hierarchy.from_rows(
        [["Canada", "America", "*"], ["France", "Europe", "*"], ["Mexico", "America", "*"], ["Italy", "Europe", "*"]]
    )
    assert texts(ordered(country)) == [("Canada",), ("Mexico",), ("France",), ("Italy",)]


def test_missing_comes_last_and_has_a_rank_of_its_own():
    domain = ordered(flat(None, "b", "a"))
    assert texts(domain) == [("b",), ("a",)]
    assert (domain.missing, domain.size, domain.ranks.tolist()) == (2, 3, [2, 0, 1])


def test_a_missing_value_without_records_has_no_rank():
    domain = ordered(flat("a", "b", None), absent=[None])
    assert (domain.missing, domain.size) == (None, 2)


def test_values_without_records_start_nothing_and_go_with_those_before():
    domain = ordered(flat("1", "2", "3", "4", "5"), absent=["1", "3", "4"])
    assert domain.size == 2
    assert domain.ranks.tolist() == [0, 0, 0, 0, 1]


def test_a_level_makes_units_of_what_looks_alike_there():
    job = Hierarchy.from_rows([["a", "x", "*"], ["b", "y", "*"], ["c", "x", "*"], [None, None, "*"]])
    domain = ordered(job, level=1)
    assert texts(domain) == [("a", "c"), ("b",)]
    assert domain.missing == 2


def test_at_the_top_everything_is_one_unit():
    domain = ordered(Hierarchy.from_rows([["a", "*"], [None, "*"], ["b", "*"]]), level=1)
    assert (domain.size, domain.missing) == (1, None)


def test_a_level_that_joins_distant_numbers_is_ordered_by_its_tree():
    parity = Hierarchy.from_rows([["1", "odd", "*"], ["2", "even", "*"], ["3", "odd", "*"]])
    assert texts(ordered(parity)) == [("1",), ("2",), ("3",)]
    domain = ordered(parity, level=1)
    assert texts(domain) == [("1", "3"), ("2",)]
    assert domain.numbers is None


def test_a_cut_knows_the_highest_level_at_which_it_is_one():
    age = Hierarchy.from_rows([["1", "1-2", "1-4", "*"], ["2", "1-2", "1-4", "*"], ["3", "3-4", "1-4", "*"],
                               ["7", "7-8", "5-8", "*"], [None, None, None, "*"]])  # fmt: skip
    assert [ordered(age).changes(rank) for rank in (1, 2, 3, 4)] == [0, 1, 2, 2]


def test_a_column_without_any_value_is_one_missing_value():
    domain = ordered(flat(None))
    assert (domain.size, domain.missing, domain.units) == (1, 0, ())
