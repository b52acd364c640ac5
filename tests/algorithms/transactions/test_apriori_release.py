"""Releases of generalized sets, from the library call to the check of the published folder."""

import json

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import krypsis
from algorithms.transactions.hierarchies_of_items import baskets, enough, item_hierarchies
from krypsis.transactions import Transactions


def release_of(sets, hierarchy, k, m, algorithm):
    return krypsis.anonymize(
        Transactions.of_sets(sets),
        models=f"km-anonymity:k={k},m={m}",
        hierarchies={"item": hierarchy},
        algorithm=algorithm,
    )


@pytest.mark.parametrize("algorithm", ["apriori", "apriori:recoding=local", "km-suppression"])
@given(sets=baskets, hierarchy=item_hierarchies, k=st.integers(1, 3), m=st.integers(1, 3))
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_the_published_folder_keeps_the_promise(algorithm, sets, hierarchy, k, m, tmp_path):
    assume(enough(sets, k) and any(sets))
    folder = tmp_path / "release"
    release = release_of(sets, hierarchy, k, m, algorithm)
    release.save(folder, force=True)
    assert all(krypsis.check(folder))
    assert all(release.verdicts)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["algorithm"] == algorithm


@pytest.mark.parametrize("algorithm", ["apriori:recoding=local,seed=7", "km-suppression:seed=7"])
@given(sets=baskets, hierarchy=item_hierarchies)
@settings(max_examples=10)
def test_the_same_seed_makes_the_same_release(algorithm, sets, hierarchy):
    assume(enough(sets, 2))
    one, other = (release_of(sets, hierarchy, 2, 2, algorithm) for _ in range(2))
    assert one.table.equals(other.table)
