"""The parts of a release show, and pickle, no more than its published files."""

import pickle

import polars as pl
import pytest

import krypsis
from krypsis.errors import UsageError
from krypsis.kinds.table.report_figures import table_figures
from krypsis.kinds.table.utility import utility_gauge

TREE = krypsis.Hierarchy.from_rows(
    [["flu", "x", "*"], ["cold", "x", "*"], ["hiv", "y", "*"], ["unpublished", "y", "*"]]
)


@pytest.fixture(scope="module")
def release():
    table = pl.DataFrame({"age": ["31", "31", "47", "47", "99"], "disease": ["flu", "cold", "flu", "cold", "hiv"]})
    return krypsis.anonymize(
        table,
        {"age": "quasi-identifier", "disease": "sensitive"},
        models=["k-anonymity:k=2", "t-closeness:t=0.5,distance=hierarchical"],
        hierarchies={"disease": TREE},
        suppression=1,
        algorithm="optimal",
    )


@pytest.mark.parametrize("part", ["publication", "made_by", "before"])
def test_no_part_shows_what_is_not_published(release, part):
    shown = repr(getattr(release, part))
    assert not [secret for secret in ("hiv", "99", "unpublished", "'ncp': ") if secret in shown]


def test_publication_and_figures_are_pickled_as_they_are_published(release):
    assert "ncp" in release.metrics
    made_by = pickle.loads(pickle.dumps(release.made_by))
    assert "ncp" not in made_by.metrics
    assert (made_by.score, made_by.lower_bound, made_by.levels) == (None, None, release.levels)
    content = pickle.dumps(release.publication)
    assert b"unpublished" not in content
    assert b"hiv" not in content
    assert pickle.loads(content).table.equals(release.table)


def test_what_was_before_is_not_pickled(release):
    with pytest.raises(TypeError, match="is private and is not pickled"):
        pickle.dumps(release.before)


@pytest.mark.parametrize("measure", [utility_gauge, table_figures])
def test_sets_before_are_no_table_before(measure):
    baskets = krypsis.Transactions.of_sets([["bread", "milk"]] * 3 + [["tea"]] * 3)
    release = krypsis.anonymize(baskets, models="km-anonymity:k=3,m=2", algorithm="disassociation")
    with pytest.raises(UsageError, match="table before"):
        measure(release)
