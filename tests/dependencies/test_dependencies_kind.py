"""Tables with dependencies from the plan to the release: what is written, what is refused, what is said."""

import json
from pathlib import Path

import polars as pl
import pytest

import krypsis
from checker.forging import forge, rewrite
from krypsis.attacks.dependencies import DependencyTarget, RuleInferenceAttack
from krypsis.data.dependencies.cells import ColumnCells
from krypsis.data.dependencies.discovery import discover_dependencies
from krypsis.errors import DataWarning, PlanError, PrivacyRefused, PrivacyWarning, PromiseBroken, UsageError
from krypsis.kinds.base import kind_named
from krypsis.kinds.dependencies.plan import DependenciesPlan
from krypsis.kinds.dependencies.report import dependency_figures
from krypsis.kinds.publishing import publish

PATIENTS = pl.DataFrame(
    {
        "name": ["Ann", "Bob", "Cid", "Dan", "Eve", "Fay"],
        "zip": [10431, 10431, 15122, 15122, 15122, 15122],
        "city": ["Athens", "Athens", "Marousi", "Marousi", "Marousi", "Marousi"],
        "drug": ["insulin", "aspirin", "metformin", "statin", "statin", "statin"],
        "ward": ["east", "west", "west", "east", "west", "west"],
        "diagnosis": ["E10", "I10", "E11", "E78", "E78", "E78"],
    }
)
ROLES = {
    "name": "identifier",
    "zip": "insensitive",
    "city": "insensitive",
    "drug": "insensitive",
    "ward": "insensitive",
    "diagnosis": "sensitive",
}
INSULIN = "drug = insulin => diagnosis in E10, E11"


def planned(**changed: object) -> DependenciesPlan:
    given = {
        "columns": ROLES,
        "secrets": ["diagnosis where ward = east"],
        "dependencies": [INSULIN, "drug -> diagnosis"],
    }
    return DependenciesPlan.of_objects(**{**given, **changed})


@pytest.fixture(scope="module")
def release() -> krypsis.Release:
    return planned().bind(PATIENTS).release().checked()


@pytest.fixture
def folder(release, tmp_path) -> Path:
    return release.save(tmp_path / "release").folder


def test_secret_cells_are_blank_and_nothing_else_is_but_what_they_follow_from(release):
    assert "name" not in release.table.columns
    rows = release.table.rows()
    # Ann's drug says that it is diabetes; two other records say what Dan's drug is for.
    assert (10431, "Athens", None, "east", None) in rows
    assert (10431, "Athens", "aspirin", "west", "I10") in rows
    assert (15122, "Marousi", "metformin", "west", "E11") in rows
    assert sum(row.count(None) for row in rows) == 4
    assert release.private["followed"] == {"diagnosis": 2}
    assert release.private["optimal"]


def test_the_keywords_of_the_library_make_the_same_plan():
    found = krypsis.anonymize(
        PATIENTS, ROLES, secrets="diagnosis where ward = east", dependencies=[INSULIN, "drug -> diagnosis"]
    )
    assert found.kind == "dependencies"
    assert found.private["cost"] == 2


def test_a_release_is_read_back_checked_and_attacked(release, folder):
    again = krypsis.Release.load(folder)
    assert again.table.equals(release.table)
    assert [rule.text for rule in again.publication.rules] == [INSULIN, "drug -> diagnosis"]
    assert [verdict.holds for verdict in krypsis.check(folder)] == [True]
    assert [verdict.holds for verdict in krypsis.check(folder, plan=planned())] == [True]
    assert not RuleInferenceAttack().aimed_at(again)


def test_a_plan_with_more_rules_is_checked_by_these(folder):
    (verdict,) = krypsis.check(folder, plan=planned(dependencies=["zip -> diagnosis"]))
    assert (verdict.holds, verdict.achieved) == (False, 2)
    assert verdict.offending[0]["values"]["column"] == "diagnosis"


def test_a_table_of_another_tool_is_checked_with_rules(tmp_path):
    file = tmp_path / "published.csv"
    PATIENTS.with_columns(diagnosis=pl.lit(None, pl.String)).write_csv(file)
    (verdict,) = krypsis.check(file, "dependency-safety", sensitive=["diagnosis"], dependencies=[INSULIN])
    assert (verdict.holds, verdict.achieved) == (False, 1)
    with pytest.raises(UsageError, match="none is named; give dependencies"):
        krypsis.check(file, "dependency-safety", sensitive=["diagnosis"])
    with pytest.raises(UsageError, match="name at least one"):
        krypsis.check(file, "dependency-safety", dependencies=[INSULIN])


def test_who_knows_the_plan_sees_secrets_that_are_published(tmp_path, folder):
    file = tmp_path / "published.csv"
    PATIENTS.drop("name").write_csv(file)
    (verdict,) = krypsis.check(file, plan=planned())
    assert (verdict.holds, verdict.achieved) == (False, 2)
    assert "2 secret cells are published as they are" in verdict.sentence
    data = (folder / "data.csv").read_text("utf-8")
    forge(folder, "data.csv", data.replace("Athens,,east,", "Athens,,east,E10").encode())
    with pytest.raises(PromiseBroken, match="claims 0 for dependency-safety, but the published data has 1"):
        krypsis.check(folder, plan=planned())


def test_a_forged_table_is_refused(folder):
    data = (folder / "data.csv").read_text("utf-8")
    forge(folder, "data.csv", data.replace("Athens,,east", "Athens,insulin,east").encode())
    with pytest.raises(PromiseBroken, match="claims 0 for dependency-safety, but the published data has 1"):
        krypsis.check(folder)


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ([{"rule": "drug"}], "a rule that cannot be read: 'drug' concludes nothing"),
        ([{"rule": INSULIN, "mapping": [["insulin", "E10"]]}], "a mapping that does not fit"),
        ([{"rule": "drug -> diagnosis", "mapping": [["insulin"]]}], "a mapping that does not fit"),
    ],
)
def test_rules_of_a_manifest_that_cannot_be_read_are_refused(folder, stated, message):
    rewrite(folder, dependencies=stated)
    with pytest.raises(PromiseBroken, match=message):
        krypsis.check(folder)


def test_a_manifest_with_quasi_identifiers_is_refused(folder):
    rewrite(folder, quasi_identifier_sets=[["zip"]])
    with pytest.raises(PromiseBroken, match="quasi-identifiers"):
        krypsis.check(folder)


def test_the_public_mapping_is_published_and_used(tmp_path):
    pl.DataFrame({"zip": ["10431", "15122"], "city": ["Athens", "Marousi"]}).write_csv(tmp_path / "cities.csv")
    PATIENTS.write_csv(tmp_path / "patients.csv")
    content = {
        "kind": "dependencies",
        "data": "patients.csv",
        "columns": {**ROLES, "diagnosis": "insensitive", "city": "sensitive"},
        "secrets": ["city where ward = east"],
        "dependencies": [{"rule": "zip -> city", "public": "cities.csv"}],
    }
    published = publish(krypsis.Plan.of(content, folder=tmp_path), tmp_path / "release")
    assert published.release.table.filter(pl.col("city").is_null())["zip"].to_list() == [None, None]
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text("utf-8"))
    assert manifest["dependencies"] == [{"rule": "zip -> city", "mapping": [["10431", "Athens"], ["15122", "Marousi"]]}]
    assert (tmp_path / "release.report.html").is_file()


def test_figures_of_the_report_are_those_counted_by_hand(release):
    figures = dependency_figures(release)
    assert {one.name: (one.before, one.secret, one.blanked, one.after) for one in figures.columns} == {
        "zip": (6, 0, 0, 6),
        "city": (6, 0, 0, 6),
        "drug": (6, 0, 2, 4),
        "ward": (6, 0, 0, 6),
        "diagnosis": (6, 2, 0, 4),
    }
    assert (figures.followed, figures.cost, figures.lower_bound) == (2, 2, 2)
    before, after = figures.attack
    # Of two secret cells, one value is computed and one is among two; afterwards the most frequent one is guessed.
    assert (before.rate, before.certain) == (0.75, 1)
    assert (after.rate, after.baseline, after.certain) == (0.5, 0.5, 0)


def test_an_attack_on_loaded_files_gets_the_table_before_from_the_plan(release, tmp_path):
    PATIENTS.write_csv(tmp_path / "patients.csv")
    folder = release.save(tmp_path / "release").folder
    plan = planned(data="patients.csv", folder=tmp_path)
    again = kind_named("dependencies").with_before(krypsis.Release.load(folder), folder, plan)
    target = DependencyTarget.of(again)
    assert target is not None
    assert target.hidden["diagnosis"].sum() == 2
    assert RuleInferenceAttack().run(target.before()).certain == 1


@pytest.mark.parametrize(
    "claims",
    [
        {"algorithm": "ann-has-diabetes"},
        {"algorithm": "minimal-blanking:note=Ann Smith"},
        {"scheme": "ann"},
        {"metric": "ann-smith"},
        {"weights": {"zip": 3.5}},
        {"hierarchies": {"zip": "ann"}},
        {"levels": {"zip": 3}},
        {"suppressed": {"records": 2, "mode": "remove"}},
        {"guarantee": "Ann is safe."},
        {"dependencies": [{"rule": "drug  ->  diagnosis"}]},
        {"dependencies": [{"rule": "zip -> city", "mapping": [["2", "Athens"], ["1", "Athens"]]}]},
    ],
    ids=str,
)
def test_a_manifest_that_says_what_nobody_can_confirm_is_refused(folder, claims):
    rewrite(folder, **claims)
    with pytest.raises(PromiseBroken, match="do not trust"):
        krypsis.check(folder)


@pytest.mark.parametrize("said", [{"sentence": "Kept: Ann."}, {"achieved": 0.25}, {"proven": False}])
def test_words_and_figures_of_a_promise_are_those_of_one_that_is_kept(folder, said):
    [claim] = json.loads((folder / "manifest.json").read_text("utf-8"))["promises"]
    rewrite(folder, promises=[claim | said])
    with pytest.raises(PromiseBroken, match="about dependency-safety"):
        krypsis.check(folder)


BAD = {
    "no secret": ({"secrets": []}, "no secret is named"),
    "not sensitive": ({"secrets": ["diagnosis", "drug"]}, "'drug'.*insensitive.*sensitive"),
    "sensitive without secret": (
        {"columns": {**ROLES, "drug": "sensitive"}},
        "'drug' is sensitive and no secret names it",
    ),
    "quasi-identifier": ({"columns": {**ROLES, "zip": "QI"}}, "zip: a quasi-identifier has no meaning"),
    "column of a rule": (
        {"dependencies": ["zipp -> diagnosis"]},
        r"the rule 'zipp -> diagnosis': column 'zipp'.*Did you mean 'zip'",
    ),
    "column of a secret": ({"secrets": ["diagnosis where wart = east"]}, "column 'wart' not found"),
    "value of a secret": (
        {"secrets": ["diagnosis where ward = eastt"]},
        "no record has ward = eastt.*Did you mean 'east'",
    ),
    "no conclusion": ({"dependencies": ["drug = insulin"]}, "concludes nothing"),
    "half a rule": ({"dependencies": ["drug = insulin =>"]}, "expected the name of a column, got the end"),
    "own column": ({"dependencies": ["drug -> drug"]}, "on both sides"),
    "contradiction": (
        {"dependencies": [INSULIN, "drug = insulin => diagnosis = I10"]},
        "contradict each other",
    ),
    "mapping of values": (
        {"dependencies": [{"rule": INSULIN, "public": PATIENTS}]},
        "has no mapping that could be public",
    ),
    "mapping without column": (
        {"dependencies": [{"rule": "zip -> diagnosis", "public": PATIENTS.select("zip")}]},
        "column 'diagnosis' not found",
    ),
    "weight": ({"weights": {"zip": 0}}, "the weight of 'zip' must be a number above 0"),
    "weight of nothing": ({"weights": {"name": 2}}, "'name' is not published"),
    "promise": ({"promises": ["k-anonymity:k=2"]}, "the promise about them is dependency-safety"),
    "method": ({"algorithm": "datafly"}, "the method for them: minimal-blanking"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_refused_with_what_to_do(case):
    changed, message = BAD[case]
    with pytest.raises((UsageError, KeyError), match=message):
        planned(**changed).bind(PATIENTS)


def test_an_empty_table_is_refused():
    with pytest.raises(UsageError, match="no rows"):
        planned().bind(PATIENTS.clear())


def test_a_plan_file_names_the_rule_that_cannot_be_read():
    content = {
        "kind": "dependencies",
        "data": "p.csv",
        "columns": ROLES,
        "secrets": ["diagnosis"],
        "dependencies": ["zip"],
    }
    with pytest.raises(PlanError, match=r"dependencies.*'zip' concludes nothing"):
        krypsis.Plan.of(content)


def test_records_that_contradict_a_rule_are_counted():
    with pytest.warns(DataWarning, match=r"3 record\(s\) contradict the rule 'ward -> diagnosis'"):
        found = planned(dependencies=["ward -> diagnosis"]).bind(PATIENTS)
    assert found.release().checked().private["said"][0].startswith("3 record(s) contradict")


def test_a_rule_that_no_record_meets_is_warned_of():
    with pytest.warns(DataWarning, match="says nothing about any record: no record has drug = Insulin.*Did you mean"):
        planned(dependencies=["drug = Insulin => diagnosis = E10"]).bind(PATIENTS)


@pytest.mark.parametrize(
    ("secret", "message"),
    [
        ("diagnosis where diagnosis in E10, E11", "chosen by its own value"),
        ("diagnosis where drug = statin", "all 3 records .* have the same value"),
    ],
)
def test_secrets_whose_blank_cells_say_their_value_are_warned_of(secret, message):
    with pytest.warns(PrivacyWarning, match=message):
        planned(secrets=[secret]).bind(PATIENTS)
    with pytest.raises(PrivacyRefused, match=message):
        krypsis.anonymize(PATIENTS, plan=planned(secrets=[secret], strict=True))


def test_dependencies_of_the_data_are_found_and_keys_are_not():
    cells = {name: ColumnCells.of(PATIENTS[name].cast(pl.String)) for name in PATIENTS.columns}
    found = {one.rule.text: one.determined for one in discover_dependencies(cells)}
    assert found["zip -> city"] == found["city -> zip"] == 6
    assert found["diagnosis -> drug"] == found["drug -> diagnosis"] == 3
    assert not [text for text in found if "name" in text]
    assert "ward -> diagnosis" not in found


def test_neither_plan_nor_task_shows_values():
    assert "insulin" not in repr(planned()) + repr(planned().bind(PATIENTS))
