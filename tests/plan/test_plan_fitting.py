"""Whether a plan fits its data, and what it says about columns."""

import polars as pl
import pytest

from krypsis.errors import ColumnError
from krypsis.io.dataset import Dataset
from krypsis.kinds.table.plan_fit import fit_of
from krypsis.plan import Plan
from krypsis.plan.plan_text import PlanText

DATA = Dataset.of(pl.DataFrame({"age": ["30", "about 40"], "disease": ["flu", "hiv"]}))
COLUMNS = {"age": "QI", "disease": "sensitive"}


def plan(columns=COLUMNS, promises=("k-anonymity:k=2",), **more):
    return Plan.of({"data": "p.csv", "columns": columns, "promises": promises, **more})


def test_a_plan_that_fits_has_no_problems():
    assert fit_of(plan(), DATA) == fit_of(plan(promises=["distinct-l-diversity:l=2"]), DATA)
    assert not fit_of(plan(), DATA).problems


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"columns": {"aeg": "QI", "disease": "sensitive"}}, "Did you mean 'age'"),
        ({"columns": {"age": {"role": "QI", "hierarchy": {"kind": "intervals", "width": "5"}}}}, "'about 40'"),
        ({"columns": {"age": {"role": "QI", "hierarchy": "hierarchies/age.csv"}}}, "no file age.csv"),
        ({"promises": ["k-anonymity:k=0"]}, "at least 1"),
        ({"algorithm": "mondrain"}, "Did you mean 'mondrian'"),
        ({"promises": ["m-invariance:m=2"]}, "one table"),
    ],
)
def test_what_does_not_fit_is_told(wrong, message):
    (problem,) = fit_of(plan(**wrong), DATA).problems
    assert message in problem


def test_a_promise_about_a_value_that_nobody_has_is_a_warning():
    found = fit_of(plan(promises=["confidence-bounding:value=hib,h=0.5"]), DATA)
    assert not found.problems
    assert "Did you mean 'hiv'" in found.warnings[0]


def test_a_column_loses_what_is_said_about_it_and_an_unknown_one_is_told():
    text = "columns:\n  age: {role: QI, weight: 2}   # known\n"
    assert str(PlanText(text).set_column("age", "weight", None)) == "columns:\n  age: {role: QI}   # known\n"
    with pytest.raises(ColumnError, match="Did you mean 'age'"):
        PlanText(text).set_column("aeg", "weight", 2)
