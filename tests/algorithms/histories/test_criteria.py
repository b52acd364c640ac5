"""When a value is published more generally: the exact fractions of S10.22, and the oracle of S13.13."""

from fractions import Fraction
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.histories.penalties import counterfeit_penalty
from krypsis.algorithms.histories.targets import Stakes, charged, expected_penalty, imbalance, imbalance_of_values
from oracles.frequency import is_balanced, is_cheaper, penalty_in_group, printed_lower_bound

# S10.22, frq.cases, with |S| = 8, m = 2, e = 8/5, 4 attributes; corrected formulas (errata 25 and 26).
CASES = """flu,1/2,X,3/8,1/5,0,0,1,-41/168,19/8,3/10,1
pneumonia,1/4,X,3/8,1/5,0,0,1,-41/168,-1/8,3/10,0
aids,9/10,Y,1/4,3/5,0,0,1,77/184,43/8,103/160,0
aids,9/10,Y,1/4,3/5,0,1/5,1,13/184,43/8,103/160,1
aids,9/10,Y,1/4,3/5,1/2,0,1,-23/344,61/56,241/320,1
flu,1/2,X,3/8,1/5,1/2,0,1/2,-341/648,17/24,17/40,1"""
ROWS = [line.split(",") for line in CASES.splitlines()]
E = Fraction(8, 5)

chances = st.fractions(0, 1, max_denominator=20)
shares = st.fractions(Fraction(1, 20), 1, max_denominator=20)
below_one = st.fractions(0, Fraction(19, 20), max_denominator=20)


@pytest.mark.parametrize("row", ROWS)
def test_the_bounds_of_the_worked_cases(row):
    p, share, p_g, c, f, v, lowest, highest, threshold = map(Fraction, (row[1], *row[3:11]))
    stakes = Stakes(2, E, 4, c, f, v)
    assert stakes.lower_bound(p_g) == lowest
    assert stakes.upper_bound(p, p_g) == highest
    assert stakes.threshold(share, p_g) == threshold
    assert (lowest <= share <= highest) == bool(int(row[11]))
    assert (threshold <= p) == (share <= highest)


def test_the_lower_bound_as_printed_loses_a_factor():
    """Erratum 25: the last row of S10.22, and nothing changes where the factor is 1."""
    arguments = Fraction(1, 5), 2, E, 4, Fraction(1, 2), Fraction(0)
    assert float(printed_lower_bound(*arguments, Fraction(1, 2))) == pytest.approx(-0.527439, abs=5e-7)
    found = Stakes(2, E, 4, Fraction(1, 2), Fraction(0), Fraction(1, 2)).lower_bound(Fraction(1, 5))
    assert float(found) == pytest.approx(-0.526235, abs=5e-7)
    assert printed_lower_bound(*arguments, Fraction(1)) == Stakes(2, E, 4, Fraction(1, 2)).lower_bound(Fraction(1, 5))


@given(p_g=chances, share=shares, m=st.integers(2, 5), e=st.fractions(1, 9), c=below_one, f=chances, v=chances)
def test_the_lower_bound_is_balanced_utility(p_g, share, m, e, c, f, v):
    stakes, attributes = Stakes(m, e, 4, c, f, v), 4
    expected = is_balanced(p_g, penalty_in_group(share, m, e), c, f, v, attributes)
    assert (stakes.lower_bound(p_g) <= share) == expected


@given(p=chances, p_g=chances, share=shares, m=st.integers(2, 5), e=st.fractions(1, 9), c=below_one)
def test_the_threshold_and_the_upper_bound_are_minimal_penalty(p, p_g, share, m, e, c):
    stakes = Stakes(m, e, 5, c)
    expected = is_cheaper(p, p_g, penalty_in_group(share, m, e), c, 5)
    assert (stakes.threshold(share, p_g) <= p) == expected
    assert (share <= stakes.upper_bound(p, p_g)) == expected


@given(p=chances, more=chances, share=shares, c=below_one)
def test_a_node_that_needs_more_counterfeits_than_the_value_never_pays(p, more, share, c):
    """S8.3: it cannot hold where the general value is at least as likely to need one."""
    p_g = p + more * (1 - p)
    if p_g < 1:
        assert Stakes(2, E, 4, c).threshold(share, p_g) > p


def test_where_a_counterfeit_is_certain_and_costs_all_only_the_chances_count():
    stakes = Stakes(2, E, 4)
    assert stakes.upper_bound(Fraction(1), Fraction(1)) == inf
    assert stakes.upper_bound(Fraction(1, 2), Fraction(1)) == -inf


@given(p_g=chances, special=chances, c=chances)
def test_everything_generalized_is_balanced(p_g, special, c):
    """Erratum 24: the first term is 0 there, not below."""
    assert imbalance(p_g, Fraction(1), special, c) == -(1 - special) <= 0


@given(p_g=chances, attributes=st.integers(1, 6), before=chances, after=chances, c=chances, v=chances)
def test_both_forms_of_balanced_utility_agree(p_g, attributes, before, after, c, v):
    """S8.2: forms 4 and 5, with ``b = v / |attr|``, where the quasi-identifiers cost nothing."""
    general, special = after / attributes, before / attributes
    whole = imbalance(p_g, general, special, c, v / attributes)
    assert attributes * whole == imbalance_of_values(p_g, general, after - before, c, v)


@given(chance=chances, penalty=chances, c=chances)
def test_what_is_expected_lies_between_the_record_and_the_counterfeit(chance, penalty, c):
    assert penalty <= expected_penalty(chance, penalty, c) <= charged(penalty, c) <= 1
    assert float(charged(penalty, c)) == pytest.approx(counterfeit_penalty(float(penalty), float(c)))
