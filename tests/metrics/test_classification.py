"""The classification metric, worked out by hand, and its target."""

import polars as pl
import pytest

import krypsis
from krypsis import registry
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import ColumnError, UsageError
from metrics.tables import outcome, table, value

JOB = Hierarchy.from_rows([["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"]])
ROWS = [("a",), ("a",), ("a",), ("b",), ("b",), ("c",)]
CLASSES = ["rich", "rich", "poor", "poor", "poor", "rich"]


def test_a_record_pays_if_it_is_not_of_the_most_common_class():
    jobs = table({"job": JOB}, ROWS, CLASSES)
    assert value("cm", jobs, (0,)) == pytest.approx(1 / 6)  # one poor a
    assert value("cm", jobs, (1,)) == pytest.approx(2 / 6)  # x: two rich of five
    assert value("cm", jobs, (2,)) == pytest.approx(3 / 6)  # three and three: one side is wrong, whichever is guessed


def test_a_suppressed_record_pays():
    assert value("cm", table({"job": JOB}, ROWS, CLASSES), (0,), "k-anonymity:k=2") == pytest.approx(2 / 6)


def test_the_unchanged_table_sets_the_best_value():
    found = outcome(table({"job": JOB}, ROWS, CLASSES), (2,))
    assert registry.create("metric", "cm").best(found) == pytest.approx(1 / 6)


def test_a_target_that_is_not_sensitive_is_named():
    with pytest.raises(ColumnError, match=r"'clas' not found; columns: class\. Did you mean 'class'"):
        value("cm:target=clas", table({"job": JOB}, ROWS, CLASSES), (0,))


TABLE = pl.DataFrame({"age": [31, 31, 38, 38], "income": ["rich", "poor", "rich", "rich"], "zip": ["1", "1", "2", "3"]})
ROLES = {"age": "quasi-identifier", "zip": "sensitive", "income": "sensitive"}


def test_without_a_sensitive_attribute_a_release_is_not_measured_by_it():
    roles = {"age": "quasi-identifier"}
    assert "classification" not in krypsis.anonymize(TABLE, roles, models="k-anonymity:k=2").metrics


def test_without_a_sensitive_attribute_it_cannot_be_chosen():
    with pytest.raises(UsageError, match="no column has the role 'sensitive'"):
        krypsis.anonymize(TABLE, {"age": "quasi-identifier"}, models="k-anonymity:k=2", metric="classification")


@pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")  # nothing is promised about zip
def test_the_target_is_the_first_sensitive_attribute_unless_given():
    release = krypsis.anonymize(TABLE, ROLES, models="k-anonymity:k=2", metric="classification:target=income")
    assert release.score == pytest.approx(1 / 4)  # one of the two aged 31 is poor
    assert release.metrics["classification"] == pytest.approx(1 / 4)  # zip: 1, 1 right; of 2 and 3 one is wrong
