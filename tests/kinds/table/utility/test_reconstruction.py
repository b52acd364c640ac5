"""The reconstruction error of the papers, and by its definition."""

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis.data.schema import Schema
from krypsis.kinds.table.make import release_of, release_of_publication
from krypsis.kinds.table.publication import BucketedTables
from krypsis.kinds.table.utility import reconstruction_error
from krypsis.kinds.table.utility.reconstruction import cell_errors, entry_errors

pytestmark = pytest.mark.exposed

# Fig 2.16 of the thesis on dynamic data, as in Xiao and Tao
PATIENTS = pl.DataFrame(
    {
        "age": [23, 27, 35, 59, 61, 65, 65, 70],
        "sex": ["M", "M", "M", "M", "F", "F", "F", "F"],
        "zipcode": [11000, 13000, 59000, 12000, 54000, 25000, 25000, 30000],
        "disease": ["pneumonia", "dyspepsia", "dyspepsia", "pneumonia", "flu", "gastritis", "flu", "bronchitis"],
    }
)
ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier", "zipcode": "quasi-identifier", "disease": "sensitive"}
VALUES = pl.DataFrame(
    {
        "group": [1, 1, 2, 2, 2],
        "disease": ["dyspepsia", "pneumonia", "bronchitis", "flu", "gastritis"],
        "count": [2, 2, 1, 2, 1],
    }
)
DOMAINS = {"age": range(21, 71), "sex": ["M", "F"], "zipcode": range(10001, 60001)}


def in_groups():
    schema = Schema.of({**ROLES, "group": "insensitive"})
    table = PATIENTS.drop("disease").with_columns(group=pl.Series([1] * 4 + [2] * 4))
    publication = BucketedTables(table, schema, group_column="group", sensitive_table=VALUES)
    return release_of_publication(publication, ("frequency-l-diversity:l=2",))


def generalized():
    """Fig 2.17."""
    table = PATIENTS.with_columns(
        age=pl.Series(["[21-60]"] * 4 + ["[61-70]"] * 4), zipcode=pl.Series(["[10001-60000]"] * 8)
    )
    return release_of(table, Schema.of(ROLES), promises=("k-anonymity:k=4",))


def test_the_error_of_a_record_is_that_of_the_paper():
    errors = entry_errors(VALUES["group"].to_numpy(), VALUES["count"].to_numpy())
    assert errors.tolist() == [0.5, 0.5, 0.875, 0.375, 0.875]


def test_the_groups_of_the_paper_have_its_error_and_anatomize_reaches_the_lower_bound():
    assert reconstruction_error(in_groups()).total == pytest.approx(4.5)
    release = krypsis.anonymize(PATIENTS, ROLES, models="frequency-l-diversity:l=2", algorithm="anatomize")
    found = reconstruction_error(release)
    assert found.total == pytest.approx(8 * (1 - 1 / 2))
    assert found.mean == pytest.approx(0.5)
    assert "a record is 0.5 away on average" in found.sentence


def test_the_error_of_the_generalized_table():
    """Erratum 11: the thesis prints 22.5 for the first record by age and disease; the formula gives 0.975."""
    by_age = reconstruction_error(generalized(), columns=["age"], domains=DOMAINS)
    assert by_age.total == pytest.approx(4 * 0.975 + 4 * 0.9)
    by_all = reconstruction_error(generalized(), domains=DOMAINS)
    assert by_all.total == pytest.approx(4 * 0.9999995 + 4 * 0.999998, abs=1e-12)


def test_a_record_that_was_removed_is_told_nothing_of():
    table = pl.DataFrame({"age": ["30"], "disease": ["flu"]})
    schema = Schema.of({"age": "quasi-identifier", "disease": "sensitive"})
    release = release_of(table, schema, promises=("k-anonymity:k=1",), suppressed=2, rows_before=3)
    assert reconstruction_error(release, domains={"age": [30, 40]}).total == 2


def test_a_release_that_was_just_made_knows_its_hierarchies():
    release = krypsis.anonymize(
        PATIENTS,
        {"age": "quasi-identifier", "disease": "sensitive"},
        models="k-anonymity:k=4",
        hierarchies={"age": krypsis.Hierarchy.from_rows([[str(age), f"{age // 61}", "*"] for age in range(21, 71)])},
    )
    assert reconstruction_error(release).total == pytest.approx(4 * (1 - 1 / 40) + 4 * (1 - 1 / 10))


@given(counts=st.lists(st.integers(1, 5), min_size=1, max_size=5))
def test_the_error_in_groups_is_the_sum_over_all_points(counts):
    size = sum(counts)
    told = np.array(counts) / size
    for value, found in enumerate(entry_errors(np.zeros(len(counts), dtype=np.int64), np.array(counts))):
        point = np.eye(len(counts))[value]
        assert found == pytest.approx(((told - point) ** 2).sum())


@given(leaves=st.lists(st.integers(1, 4), min_size=1, max_size=3))
def test_the_error_of_a_generalized_record_is_the_sum_over_all_points(leaves):
    points = list(product(*map(range, leaves)))
    expected = sum((1 / len(points) - (number == 0)) ** 2 for number in range(len(points)))
    assert cell_errors([np.array([number]) for number in leaves])[0] == pytest.approx(expected)
