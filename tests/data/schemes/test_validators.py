"""The schemes of generalization, distinguished on the examples of the Job tree (C05)."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.schemes.people import JOB, SEX
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import FullDomain
from krypsis.data.schemes import (
    Recoded,
    is_cell,
    is_full_domain,
    is_multidimensional,
    is_sibling,
    is_subtree,
    narrowest_scheme,
)
from krypsis.errors import HierarchyError, UsageError
from strategies import VALUES, frequency_sets, hierarchies

ITSELF = {value: value for value in JOB.values}
CHECKS = [is_full_domain, is_subtree, is_sibling, is_multidimensional, is_cell]


def verdicts(recoded: Recoded) -> list[bool]:
    return [check(recoded) for check in CHECKS]


def job_map(**moves: str) -> Recoded:
    return Recoded.of_map(ITSELF | moves, JOB)


def test_full_domain_takes_all_values_to_the_same_level():
    whole = job_map(Undergraduate="Student", Postgraduate="Student", Programmer="Employee", Teacher="Employee")
    assert verdicts(whole) == [True, True, True, True, True]


def test_subtree_takes_the_siblings_along_and_leaves_other_subtrees():
    students = job_map(Undergraduate="Student", Postgraduate="Student")
    assert verdicts(students) == [False, True, True, True, True]


def test_sibling_may_leave_siblings_as_they_are():
    all_but_teachers = job_map(Programmer="Employee")
    assert verdicts(all_but_teachers) == [False, False, True, True, True]


def test_a_label_above_another_is_no_cut():
    assert not is_subtree(job_map(Undergraduate="Anything", Postgraduate="Student"))


def test_cell_generalization_changes_single_records():
    before = [["Undergraduate"], ["Undergraduate"]]
    recoded = Recoded.of_rows(before, [["Student"], ["Undergraduate"]], [JOB])
    assert verdicts(recoded) == [False, False, False, False, True]


def test_multidimensional_generalization_depends_on_the_whole_tuple():
    """The published value equals the original or is its ancestor (erratum E14)."""
    before = [["Undergraduate", "Female"], ["Postgraduate", "Male"], ["Postgraduate", "Female"]]
    after = [["Student", "Human"], ["Anything", "Male"], ["Postgraduate", "Female"]]
    recoded = Recoded.of_rows(before, after, [JOB, SEX])
    assert verdicts(recoded) == [False, False, False, True, True]


@pytest.mark.parametrize("label", ["Employee", "Postgraduate", "Jobless", None])
def test_what_is_not_above_a_value_is_no_generalization_of_it(label):
    recoded = Recoded.of_map({**ITSELF, "Undergraduate": label}, JOB)
    assert verdicts(recoded) == [False] * 5
    assert narrowest_scheme(recoded) is None


def test_a_name_that_stands_for_itself_at_two_levels_has_one_level():
    padded = Hierarchy.from_rows([["a", "a", "*"], ["b", "x", "*"], ["c", "x", "*"]])
    assert is_full_domain(Recoded.of_map({"a": "a", "b": "x", "c": "x"}, padded))


def test_a_constant_attribute_may_be_suppressed():
    constant = Hierarchy.from_rows([["only"]])
    assert is_full_domain(Recoded.of_map({"only": "*"}, constant))


def test_missing_values_take_part():
    recoded = Recoded.of_rows([[None], ["Male"]], [["Human"], ["Male"]], [SEX])
    assert verdicts(recoded) == [False, False, True, True, True]


def test_an_empty_table_follows_every_scheme():
    assert verdicts(Recoded.of_rows([], [], [JOB, SEX])) == [True] * 5


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda: Recoded.of_map({"Undergraduate": "Student"}, JOB),
            UsageError,
            "missing: 'Postgraduate'",
        ),
        (lambda: Recoded.of_map({**ITSELF, "Pilot": "Employee"}, JOB), UsageError, "the map names 'Pilot'"),
        (lambda: Recoded.of_rows([["Male"]], [], [SEX]), UsageError, "1 before and 0 after"),
        (lambda: Recoded.of_rows([["Male", "x"]], [["Male"]], [SEX]), UsageError, r"every row needs 1 cell\(s\)"),
        (lambda: Recoded.of_rows(["M"], ["M"], [SEX]), UsageError, "every row needs"),
        (lambda: Recoded.of_rows([["male"]], [["Human"]], [SEX]), HierarchyError, "It has 'Male'"),
    ],
)
def test_tables_that_do_not_fit_are_refused_with_the_reason(make, error, message):
    with pytest.raises(error, match=message):
        make()


@given(hierarchies(VALUES, max_height=2), st.data())
def test_each_scheme_is_what_its_definition_says(hierarchy, data):
    """The definitions of the specification, over all pairs of values."""
    above = {
        value: [hierarchy.label(value, level) for level in range(hierarchy.height + 1)] for value in hierarchy.values
    }
    published = {value: data.draw(st.sampled_from(labels)) for value, labels in above.items()}
    recoded = Recoded.of_map(published, hierarchy)
    levels = range(hierarchy.height + 1)
    same = any(all(hierarchy.label(value, level) == published[value] for value in published) for level in levels)
    mixed = any(
        published[other] in above[value] and published[other] != published[value]
        for value, other in product(published, repeat=2)
    )
    assert is_full_domain(recoded) == same
    assert is_subtree(recoded) == (not mixed)
    assert is_sibling(recoded)


@given(frequency_sets(sensitive=0), st.data())
def test_a_recoding_by_levels_is_full_domain(frequency, data):
    levels = tuple(data.draw(st.integers(0, height)) for height in frequency.heights)
    suppressed = np.array(data.draw(st.lists(st.booleans(), min_size=(n := len(frequency.counts)), max_size=n)))
    recoded = Recoded.of_recoding(FullDomain(levels, suppressed), frequency)
    assert len(recoded.before) == np.count_nonzero(~suppressed)
    assert narrowest_scheme(recoded) == "full-domain"
