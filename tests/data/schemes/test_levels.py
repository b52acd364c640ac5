"""A recoding tells the level of every attribute that has one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.schemes.people import PEOPLE
from krypsis.data.recoding import FullDomain, as_cells
from krypsis.data.schemes import full_domain, levels_of, sibling, suppress_cell, suppress_records
from strategies import frequency_sets


def test_an_attribute_with_a_suppressed_cell_has_no_level():
    recoding = suppress_cell(full_domain(PEOPLE, (1, 0)), PEOPLE, "job", [3])
    assert levels_of(recoding, PEOPLE) == {"sex": 0}


def test_the_cells_of_suppressed_records_do_not_count():
    recoding = suppress_records(suppress_cell(full_domain(PEOPLE, (1, 0)), PEOPLE, "job", [3]), [3])
    assert levels_of(recoding, PEOPLE) == {"job": 1, "sex": 0}


def test_a_single_value_on_another_level_is_enough_to_have_none():
    assert levels_of(sibling(PEOPLE, {"job": {"Teacher": "Employee"}}), PEOPLE) == {"sex": 0}


@pytest.mark.parametrize("level", [0, 1, 2])
def test_an_attribute_that_went_to_one_level_has_that_level(level):
    assert levels_of(full_domain(PEOPLE, (level, 1)), PEOPLE) == {"job": level, "sex": 1}


@given(frequency_sets(sensitive=0), st.data())
def test_cell_by_cell_the_level_is_the_lowest_that_looks_the_same(frequency, data):
    levels = tuple(data.draw(st.integers(0, height)) for height in frequency.heights)
    recoding = FullDomain(levels, np.zeros(len(frequency.counts), dtype=np.bool_))
    assert levels_of(recoding, frequency) == dict(zip(frequency.attributes, levels, strict=True))
    found = levels_of(as_cells(recoding, frequency), frequency)
    assert list(found) == list(frequency.attributes)
    for position, (hierarchy, level) in enumerate(zip(frequency.hierarchies, found.values(), strict=True)):
        values = [hierarchy.values[code] for code in frequency.codes[:, position]]

        def column(at, hierarchy=hierarchy, values=values):
            return [hierarchy.label(value, at) for value in values]

        assert column(level) == column(levels[position])
        assert all(column(lower) != column(level) for lower in range(level))
