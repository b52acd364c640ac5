"""Releases of generalized sets, from the library call to the check of the published folder."""

import json

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import krypsis
from algorithms.sets.hierarchies_of_items import baskets, enough, item_hierarchies
from krypsis.data.transactions import Transactions
from krypsis.errors import UsageError


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


RARE = (
    [["a1", "b1"]] * 4
    + [["a2", "b1"]] * 4
    + [["c1", "d7"], ["c1", "d7"], ["c2", "d7"], ["c1", "d7"]]
    + [["a1", "d7"]] * 2
)
"""One record holds c2; local recoding publishes it as something more general."""


@pytest.mark.parametrize("hierarchy", ["flat", {"kind": "masking"}])
def test_a_published_hierarchy_never_lists_items_that_only_the_data_names(hierarchy):
    with pytest.raises(UsageError, match="known without the data"):
        release_of(RARE, hierarchy, 3, 2, "apriori:recoding=local")
    assert release_of(RARE, hierarchy, 3, 2, "apriori").publication.item_hierarchy is None


def test_a_published_hierarchy_is_the_same_whether_a_rare_item_is_in_the_data_or_not(tmp_path):
    tree = {"*": {"a": ["a1", "a2"], "b": ["b1"], "c": ["c1", "c2", "c3"], "d": ["d7"]}}
    other = [["c3" if item == "c2" else item for item in one] for one in RARE]
    published = []
    for place, sets in enumerate((RARE, other)):
        folder = release_of(sets, tree, 3, 2, "apriori:recoding=local").save(tmp_path / str(place)).folder
        published.append(json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["item_hierarchy"])
    assert published[0] == published[1] != []
