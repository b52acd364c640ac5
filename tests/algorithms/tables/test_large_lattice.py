"""Forty quasi-identifiers: a lattice that nobody can search to its end, and what each algorithm makes of it."""

import numpy as np
import polars as pl
import pytest

import krypsis
from krypsis import registry
from krypsis.errors import SearchWarning, UsageError
from krypsis.kinds.table.families import recoding as generalized

NAMES = [f"q{number}" for number in range(40)]
ROLES = dict.fromkeys(NAMES, "quasi-identifier")
OPTIONS = {
    "models": "k-anonymity:k=3",
    "hierarchies": {name: {"kind": "intervals", "width": 2, "origin": 0} for name in NAMES},
    "suppression": 1.0,
}
REFUSED = {"incognito": "13,367,494,538,", "samarati": "9,094,947,017,", "mu-argus-improved": "40 of 40"}


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    draw = np.random.default_rng(1)
    return pl.DataFrame({name: draw.integers(0, 10, 60).astype(str) for name in NAMES})


@pytest.mark.parametrize("algorithm", ["auto", "optimal", "optimal:seed=7"])
def test_a_search_without_end_is_limited_and_says_so(table, algorithm, monkeypatch):
    monkeypatch.setattr(generalized, "AUTO_SECONDS", 0.3)
    with pytest.warns(SearchWarning, match=r"the lattice has 9\.09e\+27 nodes, too many to search them all"):
        release = krypsis.anonymize(table, ROLES, algorithm=algorithm, **OPTIONS)
    assert all(verdict.holds for verdict in release.verdicts)
    assert 0 <= release.lower_bound <= release.score


def test_a_search_with_a_limit_of_its_own_keeps_it(table):
    release = krypsis.anonymize(table, ROLES, algorithm="optimal:nodes=30", **OPTIONS)
    assert 0 <= release.lower_bound <= release.score


@pytest.mark.parametrize("algorithm", REFUSED)
def test_what_goes_through_all_nodes_refuses_with_their_number(table, algorithm):
    with pytest.raises(UsageError, match=f"{REFUSED[algorithm]}.*Use algorithm"):
        krypsis.anonymize(table, ROLES, algorithm=algorithm, **OPTIONS)


@pytest.mark.parametrize("algorithm", ["datafly", "k-optimize:nodes=30"])
def test_the_others_find_a_table(table, algorithm):
    release = krypsis.anonymize(table, ROLES, algorithm=algorithm, **OPTIONS)
    assert all(verdict.holds for verdict in release.verdicts)


def test_weights_that_add_up_to_nothing_are_refused(table):
    with pytest.raises(UsageError, match="weights of the quasi-identifiers are all 0"):
        krypsis.anonymize(table, ROLES, weights=dict.fromkeys(NAMES, 0), **OPTIONS)
    with pytest.raises(UsageError, match="must not all be 0"):
        registry.create("metric", "weighted:parts=loss*0+ncp*0")
