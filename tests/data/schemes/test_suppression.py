"""The kinds of suppression (C06), named as in the literature; the thesis exchanges two of the names (E15)."""

import numpy as np
import pytest

from data.schemes.people import PEOPLE, figure, published
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import FrequencySet, outcome_of
from krypsis.data.schemes import (
    Recoded,
    full_domain,
    is_cell,
    suppress,
    suppress_attribute,
    suppress_cell,
    suppress_records,
    suppress_value,
)
from krypsis.errors import ColumnError, UsageError

UNCHANGED = full_domain(PEOPLE, (0, 0))
BEFORE = published(UNCHANGED)


def test_suppressed_records_are_marked_and_no_cell_changes():
    recoding = suppress_records(UNCHANGED, [0, 7])
    assert np.flatnonzero(recoding.suppressed).tolist() == [0, 7]
    assert published(recoding) == BEFORE
    assert outcome_of(recoding, PEOPLE).suppressed == 1 + 8


def test_a_suppressed_value_is_gone_from_every_record():
    after = published(suppress_value(UNCHANGED, PEOPLE, "job", "Teacher"))
    assert after == [("Anything" if job == "Teacher" else job, sex) for job, sex in BEFORE]


def test_a_suppressed_cell_is_gone_from_one_tuple_only():
    after = published(suppress_cell(UNCHANGED, PEOPLE, "job", [6]))
    assert BEFORE[6:] == [("Teacher", "Male"), ("Teacher", "Female")]
    assert after == [*BEFORE[:6], ("Anything", "Male"), ("Teacher", "Female")]


def test_a_suppressed_attribute_says_nothing_in_any_record():
    assert published(suppress_attribute(UNCHANGED, PEOPLE, "job")) == [("Anything", sex) for _, sex in BEFORE]


def test_kinds_of_suppression_go_together():
    recoding = suppress(
        UNCHANGED, PEOPLE, attributes=["sex"], values={"job": ["Teacher"]}, cells={"job": [0]}, records=[1]
    )
    jobs = ["Anything" if job == "Teacher" or number == 0 else job for number, (job, _) in enumerate(BEFORE)]
    assert published(recoding) == [(job, "Human") for job in jobs]
    assert np.flatnonzero(recoding.suppressed).tolist() == [1]


def test_nothing_to_suppress_changes_nothing():
    recoding = suppress(UNCHANGED, PEOPLE)
    assert published(recoding) == BEFORE
    assert not recoding.suppressed.any()


def test_the_recoding_it_starts_from_is_not_changed():
    start = full_domain(PEOPLE, (1, 0))
    before = published(start), start.suppressed.copy()
    suppress(start, PEOPLE, attributes=["sex"], values={"job": ["Student"]}, cells={"job": [5]}, records=[1])
    assert published(start) == before[0]
    assert (start.suppressed == before[1]).all()


def test_a_suppressed_cell_loses_everything_and_the_others_nothing():
    recoding = suppress_cell(UNCHANGED, PEOPLE, "job", [6, 7])
    # 7 + 8 of 36 records have no job any more.
    assert figure("ncp", recoding) == pytest.approx(15 / 36 / 2)
    assert figure("precision", recoding) == pytest.approx(15 / 36 / 2)
    assert figure("loss", recoding) == pytest.approx((1 + 15 / 36) ** 0.5 - 1)


def test_after_generalization_the_suppressed_cell_still_stands_for_all_values():
    recoding = suppress_cell(full_domain(PEOPLE, (1, 0)), PEOPLE, "job", [0])
    book = recoding.codebooks[0]
    assert dict(zip(book.labels, book.leaves.tolist(), strict=True)) == {"Student": 2, "Employee": 2, "Anything": 4}


def test_a_label_that_reads_like_the_top_is_the_top():
    tree = Hierarchy.from_rows([["a", "*", "*"], ["b", "x", "*"], ["c", "x", "*"]])
    frequency = FrequencySet(("q",), (tree,), np.array([[0], [1], [2]], dtype=np.int32), np.ones(3, dtype=np.int64))
    recoding = suppress_cell(full_domain(frequency, (1,)), frequency, "q", [1])
    assert published(recoding) == [("*",), ("*",), ("x",)]
    assert recoding.codebooks[0].labels == ("*", "x")
    assert sorted(outcome_of(recoding, frequency).sizes.tolist()) == [1, 2]


def test_a_constant_column_is_suppressed_by_a_star():
    constant = Hierarchy.from_rows([["only"]])
    frequency = FrequencySet(("q",), (constant,), np.array([[0]], dtype=np.int32), np.array([3]))
    recoding = suppress_attribute(full_domain(frequency, (0,)), frequency, "q")
    assert published(recoding) == [("*",)]
    assert is_cell(Recoded.of_recoding(recoding, frequency))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: suppress_records(UNCHANGED, [8]), UsageError, "from 0 to 7, got 8"),
        (lambda: suppress_records(UNCHANGED, [-1]), UsageError, "got -1"),
        (lambda: suppress_cell(UNCHANGED, PEOPLE, "job", [99]), UsageError, "from 0 to 7, got 99"),
        (lambda: suppress_cell(UNCHANGED, PEOPLE, "jbo", [0]), ColumnError, "Did you mean 'job'"),
        (lambda: suppress_value(UNCHANGED, PEOPLE, "job", "Teachr"), UsageError, "Did you mean 'Teacher'"),
        (lambda: suppress_value(UNCHANGED, PEOPLE, "job", "Student"), UsageError, "nowhere published as 'Student'"),
        (lambda: suppress_attribute(UNCHANGED, PEOPLE, "age"), ColumnError, "columns: job, sex"),
    ],
)
def test_what_is_not_there_cannot_be_suppressed(make, error, message):
    with pytest.raises(error, match=message):
        make()
