"""Families of sensitive values that must not meet: the fixtures of S10.20, and brute force over all pairs."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.histories.diseases import DISEASES
from krypsis.algorithms.histories.families import families_of
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import UsageError
from oracles.correlation import Tree, families
from strategies import hierarchies

bounds = st.fractions(min_value=1, max_value=6, max_denominator=6)


def as_sets(found):
    names = np.array(found.taxonomy.values, dtype=object)
    sets = [frozenset(names[found.of_value == family]) for family in range(len(found))]
    return {one for one in sets if one != frozenset({None})}


@pytest.mark.parametrize(
    ("e", "expected"),
    [
        ("1", "NonCancer;Cancer"),
        ("8/7", "NonCancer;Cancer"),
        ("8/5", "X;Y;Cancer"),
        ("2", "X;Y;Cancer"),
        ("8/3", "Y;pneumonia;flu;strain;prostate cancer;lung cancer;bladder cancer"),
        ("4", "pneumonia;flu;strain;aids;hepatitis;prostate cancer;lung cancer;bladder cancer"),
    ],
)
def test_the_families_of_the_worked_example(e, expected):
    """S10.20, ``cb.gsa_by_e``."""
    assert set(families_of(DISEASES, Fraction(e)).labels) == set(expected.split(";"))


@given(hierarchies(), bounds)
def test_two_values_may_meet_if_and_only_if_they_are_of_different_families(hierarchy, e):
    found, tree = families_of(hierarchy, e), Tree(hierarchy)
    for first, second in combinations(tree.leaves, 2):
        one, other = (found.of_value[hierarchy.code_of[value]] for value in (first, second))
        assert (one != other) == (tree.correlation(first, second) <= e)


@given(hierarchies(), bounds)
def test_the_families_are_those_of_the_repaired_search(hierarchy, e):
    """Algorithm 8 with erratum 22."""
    assert as_sets(families_of(hierarchy, e)) == families(Tree(hierarchy), e)


def test_the_printed_search_loses_values_and_this_one_does_not():
    """Erratum 22: with the leaves of the parent removed, aids and hepatitis are in no family."""
    tree, e = Tree(DISEASES), Fraction(8, 5)
    assert frozenset().union(*families(tree, e, printed=True)) < tree.root
    assert frozenset().union(*as_sets(families_of(DISEASES, e))) == tree.root


@given(hierarchies())
def test_a_missing_value_is_a_family_of_its_own_and_changes_no_other(hierarchy):
    known = Hierarchy.from_rows([row for row in hierarchy.rows() if row[0] is not None])
    for e in (Fraction(1), Fraction(3, 2), Fraction(5)):
        assert as_sets(families_of(known.with_missing(), e)) == as_sets(families_of(known, e))


def test_from_half_of_the_number_of_values_on_every_value_is_a_family():
    assert len(families_of(DISEASES, Fraction(4))) == len(DISEASES.values)


def test_a_bound_below_the_least_correlation_is_refused():
    with pytest.raises(UsageError, match=r"at least 1.*got 1/2"):
        families_of(DISEASES, Fraction(1, 2))
