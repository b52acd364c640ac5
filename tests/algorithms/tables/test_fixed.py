"""Levels chosen by hand."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis.algorithms.tables.fixed import Fixed
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.errors import ColumnError, Infeasible, UsageError
from krypsis.metrics.loss import Loss
from krypsis.models.k_anonymity import KAnonymity
from krypsis.progress import Progress
from oracles.brute_force import BruteForce
from strategies import frequency_sets

PEOPLE = pl.DataFrame({"age": ["31", "34", "47", "48", "90"], "sex": ["F", "F", "M", "M", "M"]})
ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier"}
AGE = {"age": {"kind": "intervals", "width": 10}}


def at(levels, **more):
    chosen = {"name": "fixed", "levels": levels}
    options = {"models": "k-anonymity:k=2", "hierarchies": AGE, "suppression": 1, **more}
    return krypsis.anonymize(PEOPLE, ROLES, algorithm=chosen, **options)


@pytest.mark.parametrize("levels", ["1,0", "age=1,sex=0", "age=1", (1, 0), [1, "0"], {"age": 1}, " sex = 0 , age = 1 "])
def test_levels_can_be_written_in_every_usual_way(levels):
    release = at(levels)
    assert release.levels == {"age": 1, "sex": 0}
    assert release.suppressed == 1
    assert sorted(release.table.rows()) == [("[30-40)", "F")] * 2 + [("[40-50)", "M")] * 2


def test_an_attribute_that_is_not_named_stays_at_its_lowest_level():
    release = at({"age": 4}, min_levels={"sex": 1})
    assert release.levels == {"age": 4, "sex": 1}


def test_a_name_with_a_comma_or_an_equals_sign_can_be_written():
    table = pl.DataFrame({"pay, yearly": ["1", "2"], "a=b": ["x", "y"]})
    release = krypsis.anonymize(
        table,
        dict.fromkeys(table.columns, "quasi-identifier"),
        models="k-anonymity:k=2",
        algorithm={"name": "fixed", "levels": '"pay, yearly=1",a=b=1'},
    )
    assert release.levels == {"pay, yearly": 1, "a=b": 1}


@given(frequency_sets(max_rows=8), st.integers(1, 3), st.integers(0, 8))
def test_every_node_is_refused_or_suppresses_what_brute_force_does(frequency, k, limit):
    for node in BruteForce(frequency).nodes([KAnonymity(k=k)]):
        fixed = Fixed(levels=node.levels)
        if node.lost <= limit and node.lost < frequency.rows:
            found = fixed.search(frequency, [KAnonymity(k=k)], Loss(), Limits(suppressed=limit))
            assert found.levels == node.levels
            assert frequency.counts[found.suppressed].sum() == node.lost
        else:
            with pytest.raises(Infeasible, match=f"{node.lost} of {frequency.rows} records"):
                fixed.search(frequency, [KAnonymity(k=k)], Loss(), Limits(suppressed=limit))


def test_too_much_suppression_is_refused_with_numbers():
    with pytest.raises(Infeasible, match=r"age=0, sex=0, 5 of 5 records .*nothing would be left") as nothing:
        at("0,0")
    assert "suppression" not in nothing.value.closest
    with pytest.raises(Infeasible, match=r"1 of 5 records \(20\.00%\).*at most 0 may be suppressed") as some:
        at("1,0", suppression=0)
    assert some.value.closest["suppression"] == 1


def test_kept_records_that_would_stand_out_are_refused():
    with pytest.raises(Infeasible, match="published together at the top they would not keep the promise"):
        at("1,0", suppressed="keep")


def test_the_watch_hears_of_the_node():
    heard = []

    class Listener(Progress):
        def judged(self, node):
            heard.append((node.levels, node.feasible, node.suppressed, node.groups))

    at("1,0", progress=Listener())
    assert heard == [((1, 0), True, 1, 2)]


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ("1", r"1 level\(s\) chosen for 2 quasi-identifier\(s\).*age, sex"),
        ("1,0,0", r"3 level\(s\) chosen for 2"),
        ("9,0", r"level 9 chosen for 'age', whose hierarchy has the levels 0 to 4"),
        ("0,-1", r"level -1 chosen for 'sex'.*0 to 1"),
        ({"age": 2**70}, "chosen for 'age'"),
        ("agee=1", "column 'agee' not found.*Did you mean 'age'"),
        ("age=1,0", "one number per quasi-identifier"),
        ("age=1,age=2", "named twice"),
        ("", "one number per quasi-identifier"),
        (",", "a level is a whole number"),
        ("1.5,0", "a level is a whole number, got '1.5'"),
        ("--1,0", "a level is a whole number"),
        ("1 0", "a level is a whole number"),
        ("²,0", "a level is a whole number"),
        ([1.0, 0], "a level is a whole number"),
        ([True, 0], "a level is a whole number"),
        ([None, 0], "a level is a whole number"),
        (None, "one number per quasi-identifier"),
        (7, "one number per quasi-identifier"),
    ],
    ids=repr,
)
def test_levels_that_mean_nothing_are_told_what_was_expected(levels, message):
    with pytest.raises(UsageError, match=message):
        at(levels)


def test_levels_outside_those_of_the_plan_are_refused():
    with pytest.raises(UsageError, match="allowed here are the levels 0 to 1"):
        at("3,0", max_levels={"age": 1})


def test_a_column_that_is_no_quasi_identifier_is_not_found():
    with pytest.raises(ColumnError):
        krypsis.anonymize(
            PEOPLE,
            {"age": "quasi-identifier", "sex": "sensitive"},
            models="k-anonymity:k=1",
            algorithm={"name": "fixed", "levels": {"sex": 0}},
        )
