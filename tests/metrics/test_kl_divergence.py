"""Kullback-Leibler divergence, worked out by hand."""

from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.data.hierarchies.base import Hierarchy
from metrics.tables import outcome, table, value

LETTERS = Hierarchy.from_rows([["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"], ["d", "y", "*"]])


def letters(**counts):
    return table({"letter": LETTERS}, [(letter,) for letter, count in counts.items() for _ in range(count)])


@pytest.mark.parametrize("per", ["record", "tuple"])
def test_values_that_were_spread_evenly_are_not_off(per):
    assert value(f"kl:per={per}", letters(a=2, b=2), (1,)) == pytest.approx(0)


def test_the_divergence_is_that_between_two_distributions():
    # a has 3/4 and b 1/4 of the records; a reader of "x" takes both for one half.
    expected = 3 / 4 * log2((3 / 4) / (1 / 2)) + 1 / 4 * log2((1 / 4) / (1 / 2))
    assert value("kl:per=tuple", letters(a=3, b=1), (1,)) == pytest.approx(expected)


def test_per_record_a_tuple_counts_once_for_each_of_its_records():
    expected = 3 * (3 / 4 * log2((3 / 4) / (1 / 2))) + 1 * (1 / 4 * log2((1 / 4) / (1 / 2)))
    assert value("kl", letters(a=3, b=1), (1,)) == pytest.approx(expected)


@pytest.mark.parametrize("per", ["record", "tuple"])
def test_a_suppressed_record_could_have_been_anything(per):
    # b is one of four records and its share is taken as spread over the four letters.
    found = outcome(letters(a=3, b=1), (0,), "k-anonymity:k=2")
    assert value(f"kl:per={per}", found) == pytest.approx(1 / 4 * log2((1 / 4) / (1 / 4 / 4)))


@given(st.lists(st.integers(1, 50), min_size=4, max_size=4), st.sampled_from(["record", "tuple"]))
def test_it_is_never_negative(counts, per):
    frequency = letters(**dict(zip("abcd", counts, strict=True)))
    for level in (0, 1, 2):
        assert value(f"kl:per={per}", frequency, (level,)) >= 0


def test_a_domain_beyond_the_numbers_of_a_computer_keeps_the_bound_finite():
    wide = Hierarchy.from_rows([[str(number), "*"] for number in range(1000)])
    rows = [tuple(str(number) for _ in range(24)) for number in range(4)]
    frequency = table({f"q{number}": wide for number in range(24)}, rows)
    found = outcome(frequency, (0,) * 24)
    assert np.isfinite(value("kl", found))
    top = outcome(frequency, (1,) * 24)
    assert value("kl", top) == pytest.approx(24 * log2(1000) - 2)
