"""Recodings of each scheme do what the scheme allows and no more."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.schemes.people import PEOPLE, figure, published
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import FrequencySet, FullDomain
from krypsis.data.schemes import (
    Recoded,
    cell,
    full_domain,
    is_cell,
    is_full_domain,
    is_sibling,
    is_subtree,
    sibling,
    subtree,
)
from krypsis.errors import ColumnError, UsageError
from strategies import frequency_sets


def test_full_domain_takes_every_attribute_to_its_level():
    assert set(published(full_domain(PEOPLE, (1, 1)))) == {("Student", "Human"), ("Employee", "Human")}


def test_a_cut_publishes_students_together_and_every_other_job_by_itself():
    recoding = subtree(PEOPLE, {"job": ["Student", "Programmer", "Teacher"]})
    assert {job for job, _ in published(recoding)} == {"Student", "Programmer", "Teacher"}
    assert {sex for _, sex in published(recoding)} == {"Male", "Female"}
    book = recoding.codebooks[0]
    assert dict(zip(book.labels, book.leaves.tolist(), strict=True)) == {"Student": 2, "Programmer": 1, "Teacher": 1}


def test_employee_covers_every_employee_but_the_teacher_who_stays():
    recoding = sibling(PEOPLE, {"job": {"Programmer": "Employee"}})
    assert {job for job, _ in published(recoding)} == {"Undergraduate", "Postgraduate", "Employee", "Teacher"}
    book = recoding.codebooks[0]
    assert book.leaves[book.labels.index("Employee")] == 1
    assert figure("loss", recoding) == 0


def test_one_cell_is_generalized_and_its_label_stands_for_all_below():
    levels = np.zeros((8, 2), dtype=np.int64)
    levels[0, 0] = 1
    recoding = cell(PEOPLE, levels)
    assert published(recoding)[0] == ("Student", "Male")
    assert published(recoding)[1] == ("Undergraduate", "Female")
    book = recoding.codebooks[0]
    assert book.leaves[book.labels.index("Student")] == 2
    # One of 36 records lost (2 - 1) / (4 - 1) of its job and nothing of its sex.
    assert figure("loss", recoding) == pytest.approx((1 + 1 / 36 / 3) ** 0.5 - 1)
    assert figure("precision", recoding) == pytest.approx(1 / 36 / 2 / 2)


def test_the_same_text_at_two_levels_is_one_label():
    tree = Hierarchy.from_rows([["a", "x", "x", "*"], ["b", "y", "x", "*"], ["c", "z", "z", "*"]])
    frequency = FrequencySet(("q",), (tree,), np.array([[0], [1], [2]], dtype=np.int32), np.ones(3, dtype=np.int64))
    recoding = cell(frequency, np.array([[1], [2], [0]]))
    assert published(recoding) == [("x",), ("x",), ("c",)]
    assert len(set(recoding.codebooks[0].labels)) == len(recoding.codebooks[0].labels)
    assert sorted(recoding.codebooks[0].leaves.tolist()) == [1, 2]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: full_domain(PEOPLE, (0,)), UsageError, "levels must be one per attribute, 1 by 2"),
        (lambda: full_domain(PEOPLE, (3, 0)), UsageError, "levels of 'job' lie between 0 and 2, got 3"),
        (lambda: full_domain(PEOPLE, (0, -1)), UsageError, "levels of 'sex' lie between 0 and 1, got -1"),
        (lambda: subtree(PEOPLE, {"jobs": ["Anything"]}), ColumnError, "Did you mean 'job'"),
        (lambda: subtree(PEOPLE, {"job": ["Student"]}), UsageError, "'Programmer' lies below none"),
        (lambda: subtree(PEOPLE, {"job": ["Anything", "Student"]}), UsageError, "below 'Anything' and 'Student'"),
        (lambda: subtree(PEOPLE, {"job": ["Anything", "Studnt"]}), UsageError, "Did you mean 'Student'"),
        (lambda: subtree(PEOPLE, {"job": []}), UsageError, "lies below none"),
        (lambda: sibling(PEOPLE, {"job": {"Teachr": "Employee"}}), UsageError, "Did you mean 'Teacher'"),
        (lambda: sibling(PEOPLE, {"job": {"Teacher": "Student"}}), UsageError, "cannot be published as 'Student'"),
        (lambda: sibling(PEOPLE, {"age": {}}), ColumnError, "columns: job, sex"),
        (lambda: cell(PEOPLE, np.zeros((2, 2), dtype=np.int64)), UsageError, "one row per tuple"),
        (lambda: cell(PEOPLE, np.full((8, 2), 2)), UsageError, "levels of 'sex' lie between 0 and 1, got 2"),
    ],
)
def test_what_a_scheme_does_not_allow_is_refused_with_the_reason(make, error, message):
    with pytest.raises(error, match=message):
        make()


@given(frequency_sets(sensitive=0), st.data())
def test_every_recoding_follows_its_scheme(frequency, data):
    levels = np.array([[data.draw(st.integers(0, height)) for height in frequency.heights] for _ in frequency.counts])
    assert is_cell(Recoded.of_recoding(cell(frequency, levels), frequency))
    assert is_full_domain(Recoded.of_recoding(full_domain(frequency, levels[0]), frequency))
    moves, cuts = {}, {}
    for name, hierarchy, level in zip(frequency.attributes, frequency.hierarchies, levels[0], strict=True):
        value = data.draw(st.sampled_from(hierarchy.values))
        moves[name] = {value: hierarchy.label(value, level)}
        cuts[name] = cut_at(hierarchy, value, level)
    assert is_sibling(Recoded.of_recoding(sibling(frequency, moves), frequency))
    assert is_subtree(Recoded.of_recoding(subtree(frequency, cuts), frequency))


def cut_at(hierarchy: Hierarchy, value, level) -> set:
    """One value goes to a level with its whole subtree; all others stay."""
    label = hierarchy.label(value, level)
    return {label, *(other for other in hierarchy.values if hierarchy.label(other, level) != label)}


@given(frequency_sets(sensitive=0), st.data())
def test_all_cells_at_one_level_lose_as_much_as_the_level(frequency, data):
    levels = tuple(data.draw(st.integers(0, height)) for height in frequency.heights)
    by_cells = cell(frequency, np.tile(levels, (len(frequency.counts), 1)))
    by_levels = FullDomain(levels, by_cells.suppressed)
    for metric in ("loss", "ncp", "precision", "discernibility", "non-uniform-entropy"):
        assert figure(metric, by_cells, frequency) == pytest.approx(figure(metric, by_levels, frequency), abs=1e-9)
