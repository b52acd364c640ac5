"""The order of records says nothing about where they stood in the input, in memory as in files."""

import copy
import pickle

import numpy as np
import polars as pl
import pytest

import krypsis
from anatomy_view import anatomy_of
from history.people import FIRST, SECOND, start
from krypsis import Transactions, registry
from krypsis.algorithms.tables.base import Algorithm, Bucketing, Perturbation
from krypsis.release.order import in_input_order
from krypsis.release.release import Release

pytestmark = pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")  # about the mark

PEOPLE = 200
MARKED = pl.DataFrame(
    {
        "age": [str(20 + person % 4) for person in range(PEOPLE)],
        "pay": [1000 * (person // 4 % 4) for person in range(PEOPLE)],
        "mark": range(PEOPLE),
    }
)
"""The mark is published as it is: its order is the published order of the people."""
ROLES = {"age": "quasi-identifier", "pay": "sensitive", "mark": "insensitive"}
OPTIONS = {
    "fixed": {"levels": "0"},
    "synthetic": {"rare": 1},
    "data-swapping": {"rate": 1},
    "noise": {"share": 1},
    "microaggregation": {"k": 2},
}
PROMISES = {
    "kk-anonymizer": "kk-anonymity:k=2",
    "mu-argus": "k-anonymity:k=2",
    "mu-argus-improved": "k-anonymity:k=2",
    "permutation": "ke-anonymity:k=2,e=10",
    "proximity-permutation": "em-anonymity:epsilon=10,m=2",
}


def methods(kind):
    return sorted(name for name, cls in registry.classes("algorithm").items() if issubclass(cls, kind))


def made(name, **more):
    cls = registry.find("algorithm", name)
    usual = () if issubclass(cls, Perturbation) else "distinct-l-diversity:l=2"
    method = {"name": name, **OPTIONS.get(name, {}), **more}
    return krypsis.anonymize(MARKED, ROLES, models=PROMISES.get(name, usual), algorithm=method)


def tells_the_order(places):
    """Whether the places of people in the input can be guessed from their places in the release."""
    seen = np.asarray(list(places), dtype=np.float64)
    return abs(np.corrcoef(seen, np.arange(len(seen)))[0, 1]) > 0.4  # by chance once in ten million


@pytest.mark.parametrize("name", [*methods(Algorithm), *methods(Bucketing), *methods(Perturbation)])
def test_a_table_in_memory_is_in_the_order_in_which_it_is_published(name, tmp_path):
    release = made(name)
    assert not tells_the_order(release.table["mark"])
    assert release.to_pandas()["mark"].to_list() == release.table["mark"].to_list()
    saved = release.save(tmp_path / "release")
    assert Release.load(saved.folder).table.equals(release.table)
    assert saved.release.table.equals(release.table)


@pytest.mark.parametrize("name", methods(Bucketing))
def test_the_same_seed_gives_the_same_table_in_the_same_order(name):
    assert made(name, seed=5).table.equals(made(name, seed=5).table)
    assert not made(name, seed=5).table.equals(made(name, seed=6).table)


def test_two_releases_of_the_same_table_are_in_orders_of_their_own():
    assert made("optimal").table["mark"].to_list() != made("optimal").table["mark"].to_list()


def test_new_rows_do_not_follow_on_the_earlier_ones(tmp_path):
    folder = made("optimal").save(tmp_path / "release").folder
    more = MARKED.with_columns(pl.col("mark") + PEOPLE)
    together = krypsis.apply(folder, more, together_with=folder)
    assert sorted(together.table["mark"]) == list(range(2 * PEOPLE))
    assert not tells_the_order(together.table["mark"])
    assert not tells_the_order(krypsis.apply(folder, more).table["mark"])


def test_counterfeits_do_not_stand_at_the_end_of_a_version_in_memory(tmp_path):
    for number in range(30):  # by chance there are none, or they stand at the end nevertheless
        history = start(tmp_path / str(number), algorithm="m-invariant:publish=generalization")
        history.publish(FIRST)
        nobody = history.publish(SECOND).release.before.nobody
        if not nobody[len(nobody) - nobody.sum() :].all():
            return
    pytest.fail("the last records of a version are always its counterfeits")


def test_sets_are_numbered_in_random_order():
    baskets = Transactions.of_sets([["milk", f"mark {person:03}"] for person in range(PEOPLE)])
    release = krypsis.anonymize(baskets, models="km-anonymity:k=1,m=1", algorithm="km-suppression")
    marks = release.table.filter(pl.col("item") != "milk").sort("record")["item"].str.slice(5).cast(pl.Int64)
    assert len(marks) == PEOPLE
    assert not tells_the_order(marks)


def test_the_groups_of_a_generalized_table_are_renumbered_and_its_records_shuffled():
    view = MARKED.with_columns(age=pl.Series([f"{person // 2}" for person in range(PEOPLE)]))
    records, _ = anatomy_of(view, MARKED, quasi_identifiers=["age"], sensitive="pay")
    assert not tells_the_order(records["mark"])
    assert not tells_the_order(records.sort("mark")["group"])


def test_what_leads_back_to_the_input_stays_with_the_publisher(tmp_path):
    release = made("optimal")
    assert in_input_order(release)["mark"].to_list() == list(range(PEOPLE))
    seed = release.private["order_seed"]
    assert len(bytes.fromhex(seed)) == 32
    saved = release.save(tmp_path / "release", ["csv", "parquet"])
    public = [path.read_bytes() for path in saved.folder.iterdir()]
    assert not any(seed.encode() in content for content in (*public, repr(release).encode()))
    assert in_input_order(Release.load(saved.folder)) is None


def test_a_pickled_release_is_its_public_side():
    release = made("optimal")
    packed = pickle.dumps(release)
    assert release.private["order_seed"].encode() not in packed
    again = pickle.loads(packed)
    assert again.table.equals(release.table)
    assert (dict(again.private), again.evidence, again.before) == ({}, None, None)
    assert copy.deepcopy(release).private == release.private


def test_a_pickled_release_tells_no_more_than_its_manifest():
    table = pl.DataFrame({"age": ["30"] * 16 + ["99"], "disease": ["flu", "cold"] * 8 + ["plague"]})
    tree = krypsis.Hierarchy.from_rows([["flu", "any"], ["cold", "any"], ["plague", "any"]])
    release = krypsis.anonymize(
        table,
        {"age": "quasi-identifier", "disease": "sensitive"},
        models=["k-anonymity:k=4", "t-closeness:t=0.2,distance=hierarchical"],
        hierarchies={"disease": tree},
        algorithm={"name": "optimal", "seed": 31415926535},
        suppression=1,
        max_levels={"age": 0},
    )
    packed = pickle.dumps(release)
    assert b"plague" in pickle.dumps(release.evidence)
    assert b"plague" not in packed
    again = pickle.loads(packed)
    assert "31415926535" not in again.algorithm
    assert again.score is None  # what it depends on includes suppressed records
    assert [verdict.achieved for verdict in again.checked().verdicts] == [16, 0]
