"""Missing cells as wildcards, against the attacker they are meant to stop."""

from itertools import product

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.checker import Given, check_table
from krypsis.errors import UsageError
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.l_diversity import DistinctLDiversity, EntropyLDiversity

CELL = st.sampled_from(["a", "b", None])
ROWS = st.lists(st.tuples(CELL, CELL, CELL, st.sampled_from(["x", "y", None])), min_size=1, max_size=8)
QI = ["q0", "q1", "q2"]


def frame(rows):
    return pl.DataFrame(rows, schema=dict.fromkeys([*QI, "s"], pl.String), orient="row")


def attacks(rows):
    """Yield, for every person in the table and everything their true values may be, the records that fit them.

    ``new`` stands for a value that nobody else has.
    """
    for row in rows:
        for truth in product(*[["a", "b", "new"] if cell is None else [cell] for cell in row[:3]]):
            yield [other for other in rows if all(c in (None, t) for c, t in zip(other[:3], truth, strict=True))]


@given(ROWS)
def test_k_is_the_smallest_number_of_records_that_fit_a_person_whatever_is_true_of_them(rows):
    (verdict,) = check_table(frame(rows), [KAnonymity(k=2)], Given(QI, missing="wildcard"))
    assert verdict.achieved == min(len(candidates) for candidates in attacks(rows))
    assert verdict.holds == (verdict.achieved >= 2)


@given(ROWS)
def test_l_is_the_smallest_number_of_values_among_the_records_that_fit_a_person(rows):
    (verdict,) = check_table(frame(rows), [DistinctLDiversity(l=2)], Given(QI, ["s"], missing="wildcard"))
    assert verdict.achieved == min(len({row[3] for row in candidates}) for candidates in attacks(rows))


@given(ROWS)
def test_wildcards_only_add_records_to_a_group(rows):
    models = [KAnonymity(k=2)]
    (exact,), (wild,) = (check_table(frame(rows), models, Given(QI, missing=way)) for way in ("value", "wildcard"))
    assert wild.achieved >= exact.achieved
    assert wild.holds or not exact.holds


def test_a_record_with_a_missing_cell_hides_others_but_not_itself():
    rows = [("a", "a", "a", "x"), ("a", "a", None, "y")]
    (verdict,) = check_table(frame(rows), [KAnonymity(k=2)], Given(QI, missing="wildcard"))
    assert [group["values"]["q2"] for group in verdict.offending] == [None]


def test_without_missing_cells_nothing_changes():
    rows = [("a", "a", "a", "x")] * 2 + [("b", "a", "a", "x")] * 3
    value, wild = (check_table(frame(rows), [KAnonymity(k=3)], Given(QI, missing=way)) for way in ("value", "wildcard"))
    assert value == wild


def test_a_promise_that_a_larger_group_may_break_is_refused():
    with pytest.raises(UsageError, match=r"entropy-l-diversity.*cannot be checked with missing cells as wildcards"):
        check_table(frame([("a", "a", "a", "x")]), [EntropyLDiversity(l=1)], Given(QI, ["s"], missing="wildcard"))


def test_an_empty_table_keeps_nothing():
    (verdict,) = check_table(frame([]), [KAnonymity(k=1)], Given(QI, missing="wildcard"))
    assert not verdict.holds
