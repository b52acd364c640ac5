"""How closely two sensitive values are related."""

from fractions import Fraction
from itertools import combinations
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.histories.diseases import DISEASES
from krypsis.errors import UsageError
from krypsis.models.correlation import LeafOrder, numeric_correlation
from oracles.correlation import Tree
from strategies import hierarchies

numbers = st.fractions(min_value=0, max_value=100, max_denominator=10)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("flu", "strain", "8/3"),
        ("pneumonia", "strain", "8/3"),
        ("aids", "prostate cancer", "1"),
        ("lung cancer", "prostate cancer", "8/3"),
        ("aids", "strain", "8/5"),
        ("flu", "hepatitis", "8/5"),
        ("flu", "flu", "8"),
        ("flu", "X", "8/3"),
        ("X", "Y", "8/5"),
    ],
)
def test_the_correlations_of_the_worked_example(first, second, expected):
    """S10.20, ``cb.group_max_corr``, and definition 18 for equal and for general values."""
    assert LeafOrder(DISEASES).correlation(first, second) == Fraction(expected)


@given(hierarchies())
def test_correlation_is_the_number_of_values_by_those_below_the_lowest_common_ancestor(hierarchy):
    related, tree = LeafOrder(hierarchy), Tree(hierarchy)
    for first, second in combinations(tree.leaves, 2):
        assert related.correlation(first, second) == tree.correlation(first, second)
        assert related.correlation(second, first) == related.correlation(first, second)


@given(hierarchies())
def test_a_missing_value_is_related_to_no_other_and_counts_nowhere(hierarchy):
    related, more = LeafOrder(hierarchy), LeafOrder(hierarchy.with_missing())
    known = [value for value in hierarchy.values if value is not None]
    assert more.count == len(known)
    assert all(more.correlation(value, None) == 1 for value in known)
    for first, second in combinations(known, 2):
        assert more.correlation(first, second) == related.correlation(first, second)


@given(hierarchies())
def test_the_values_below_any_node_are_neighbors(hierarchy):
    ordered = LeafOrder(hierarchy).ordered
    for codes in hierarchy.table:
        assert np.count_nonzero(np.diff(codes[ordered])) == len(np.unique(codes)) - 1


def test_an_unknown_value_is_refused_with_a_hint():
    with pytest.raises(UsageError, match=r"'flue' is nowhere in the hierarchy; .* Did you mean 'flu'\?"):
        LeafOrder(DISEASES).correlation("flue", "aids")


@given(numbers, numbers)
def test_the_correlation_of_numbers_is_that_of_their_distance(first, second):
    found = numeric_correlation(first, second, (Fraction(0), Fraction(100)))
    assert found == inf if first == second else found * abs(first - second) == 100
    assert found >= 1


def test_another_distance_of_numbers_may_be_given():
    limits = (Fraction(0), Fraction(10))
    assert numeric_correlation(Fraction(2), Fraction(4), limits, lambda a, b: (a - b) ** 2) == 25


def test_numbers_outside_of_the_limits_are_refused():
    with pytest.raises(UsageError, match=r"from 0 to 10 were expected, got 4 and 11"):
        numeric_correlation(Fraction(4), Fraction(11), (Fraction(0), Fraction(10)))
