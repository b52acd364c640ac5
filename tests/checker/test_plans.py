"""Promises and roles of a plan, checked on what was published."""

import json

import polars as pl
import pytest

import krypsis
from krypsis.errors import PromiseBroken, UsageError
from krypsis.kinds.sets.plan import PlanItems, SetsPlan
from krypsis.kinds.table.plan import TablePlan

PATIENTS = pl.DataFrame(
    {
        "age": ["31", "34", "33", "47", "48", "45"],
        "sex": ["F", "M", "F", "M", "F", "M"],
        "disease": ["flu", "gout", "flu", "cancer", "flu", "gout"],
    }
)
TENS = {"kind": "intervals", "width": 10, "origin": 0, "levels": 2}


def plan_of(*promises, sex="insensitive", **more):
    columns = {"age": {"role": "quasi-identifier", "hierarchy": TENS}, "sex": sex, "disease": "sensitive"}
    return TablePlan(columns=columns, promises=promises, **more)


@pytest.fixture(scope="module")
def release():
    return krypsis.anonymize(PATIENTS, plan=plan_of("k-anonymity:k=3"))


@pytest.fixture(scope="module")
def folder(release, tmp_path_factory):
    return release.save(tmp_path_factory.mktemp("published") / "release").folder


@pytest.fixture(params=["release", "loaded", "folder", "file"])
def published(request, release, folder):
    found = {"release": release, "loaded": krypsis.Release.load(folder), "folder": folder, "file": folder / "data.csv"}
    return found[request.param]


def test_promises_of_a_plan_that_are_not_kept_are_named(published):
    kept, broken = krypsis.check(published, plan=plan_of("k-anonymity:k=3", "k-anonymity:k=4"))
    assert (kept.holds, kept.achieved) == (True, 3)
    assert (broken.promise, broken.holds, broken.achieved) == ("k-anonymity:k=4", False, 3)


def test_the_roles_of_a_plan_count(published):
    """Ages in tens are shared by three, but with the sex of each record they single one out."""
    (verdict,) = krypsis.check(published, plan=plan_of("k-anonymity:k=2", sex="quasi-identifier"))
    assert (verdict.holds, verdict.achieved) == (False, 1)


def test_what_is_given_as_well_counts_instead(folder):
    given = {"models": "k-anonymity:k=1", "quasi_identifiers": ["age", "sex"]}
    (verdict,) = krypsis.check(folder / "data.csv", plan=plan_of("k-anonymity:k=3"), **given)
    assert (verdict.promise, verdict.holds, verdict.achieved) == ("k-anonymity:k=1", True, 1)


def test_a_plan_is_read_from_its_file(published, tmp_path):
    path = tmp_path / "plan.yaml"
    path.write_text("data: gone.csv\ncolumns: {age: QI, disease: sensitive}\npromises: ['distinct-l-diversity:l=3']\n")
    (verdict,) = krypsis.check(published, plan=path)  # nothing of the original table is needed
    assert (verdict.holds, verdict.achieved) == (False, 2)


def test_promises_about_who_could_be_who_are_compared_with_the_data_of_the_plan(published, tmp_path):
    PATIENTS.write_csv(tmp_path / "patients.csv")
    plan = plan_of("kk-anonymity:k=3", data="patients.csv", folder=tmp_path)
    (verdict,) = krypsis.check(published, plan=plan)
    assert (verdict.holds, verdict.achieved) == (True, 3)
    without = plan_of("kk-anonymity:k=3")  # it names no data
    (verdict,) = krypsis.check(published, plan=without)
    assert verdict.holds is (True if isinstance(published, krypsis.Release) and published.before else None)


def test_a_manifest_that_claims_too_much_is_refused_by_the_plan_of_the_release_too(folder, tmp_path):
    forged = tmp_path / "release"
    forged.mkdir()
    for path in folder.iterdir():
        (forged / path.name).write_bytes(path.read_bytes())
    manifest = json.loads((forged / "manifest.json").read_text())
    manifest["promises"][0]["achieved"] = 30
    (forged / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(PromiseBroken, match="claims 30"):
        krypsis.check(forged, plan=plan_of("k-anonymity:k=3"))


def test_distances_are_measured_in_the_hierarchy_of_the_plan(published):
    """Gout and flu are related in one tree and unrelated in the other: the same groups are closer to the whole."""
    trees = {
        "related": {"*": {"common": ["flu", "gout"], "rare": ["cancer"]}},
        "unrelated": {"*": {"a": ["flu"], "b": ["gout"], "c": ["cancer"]}},
    }
    achieved = {}
    for name, tree in trees.items():
        columns = {"age": "quasi-identifier", "disease": {"role": "sensitive", "hierarchy": tree}}
        plan = TablePlan(columns=columns, promises=["t-closeness:t=1,distance=hierarchical"])
        achieved[name] = krypsis.check(published, plan=plan)[0].achieved
    # Whole: flu 3, gout 2, cancer 1 of six. The groups hold (2, 1, 0) and (1, 1, 1) of three.
    # Unrelated, all masses are moved to the top: |2/3-1/2| = 1/6 in both. Related, cancer alone changes its branch.
    assert achieved == {"related": pytest.approx(1 / 6), "unrelated": pytest.approx(1 / 6)}


def test_sensitive_items_of_a_plan_are_judged(tmp_path):
    """Everybody has bread: named as sensitive, it is certain of each record, and no diversity is kept."""
    sets = krypsis.Transactions.of_sets([["bread", "milk"], ["bread"], ["bread", "tea"], ["bread", "tea", "milk"]])
    release = krypsis.anonymize(sets, models="km-anonymity:k=2,m=1", algorithm="disassociation:seed=1")
    folder = release.save(tmp_path / "release").folder
    items = PlanItems(sensitive=("bread",))
    for published in (release, folder, krypsis.Release.load(folder)):
        (verdict,) = krypsis.check(published, plan=SetsPlan(items=items, promises=["set-diversity:l=2"]))
        assert verdict.holds is False


def test_a_plan_of_another_kind_is_refused(release):
    with pytest.raises(UsageError, match="km-anonymity"):
        krypsis.check(release, plan=SetsPlan(promises=["km-anonymity:k=2,m=2"]))


def test_a_loaded_release_with_an_unknown_promise_is_undecided_as_its_folder_is(folder, tmp_path):
    forged = tmp_path / "release"
    forged.mkdir()
    for path in folder.iterdir():
        (forged / path.name).write_bytes(path.read_bytes())
    manifest = json.loads((forged / "manifest.json").read_text())
    manifest["promises"].insert(0, {**manifest["promises"][0], "promise": "my-model:k=2", "required": 2})
    (forged / "manifest.json").write_text(json.dumps(manifest))
    from_files = krypsis.check(forged)
    loaded = krypsis.check(krypsis.Release.load(forged))
    assert [verdict.holds for verdict in loaded] == [None, True]
    assert loaded == tuple(verdict.model_copy(update={"basis": None}) for verdict in from_files)


def test_an_unknown_keyword_is_refused_with_a_hint(folder):
    with pytest.raises(TypeError, match=r"'quasi_identifer'.*Did you mean 'quasi_identifiers'"):
        krypsis.check(folder, quasi_identifer=["age"])
