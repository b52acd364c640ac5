"""``krypsis apply``, from a release to a release of new rows."""

import json

import polars as pl
import pytest
from typer.testing import CliRunner

import krypsis
from krypsis.cli.main import app

PEOPLE = "name,age,sex,disease\nAnn,31,F,flu\nBob,34,F,cold\nCat,47,M,flu\nDan,48,M,cold\n"
NEW = "disease;sex;age\nflu;F;38\nrash;F;30\n"
PLAN = """
data: people.csv
columns:
  name: identifier
  age: {role: quasi-identifier, hierarchy: {kind: intervals, width: 10}}
  sex: {role: quasi-identifier, hierarchy: {any: [F, M]}}
  disease: sensitive
promises: ["k-anonymity:k=2"]
suppression: 0
output: {report: false}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "new.csv").write_text(NEW)
    (tmp_path / "plan.yaml").write_text(PLAN)
    assert CliRunner().invoke(app, ["run", "plan.yaml", "--quiet"]).exit_code == 0
    return tmp_path


def apply(*arguments, output="more"):
    return CliRunner().invoke(app, ["apply", *map(str, arguments), "--output", output, "--quiet"])


def test_new_rows_become_a_release_of_their_own_with_its_report(folder):
    result = apply("release", "new.csv")
    assert result.exit_code == 0, result.stderr
    assert sorted((folder / "more" / "data.csv").read_text().splitlines()) == [
        "[30-40),F,flu",
        "[30-40),F,rash",
        "age,sex,disease",
    ]
    assert (folder / "more.report.html").is_file()
    assert CliRunner().invoke(app, ["check", "more"]).exit_code == 0


def test_the_private_record_may_lie_anywhere(folder):
    (record,) = folder.glob("release.*.private.json")
    record.rename(folder / "safe.json")
    assert apply("release", "new.csv").exit_code == 2
    assert apply("safe.json", "new.csv").exit_code == 0


def test_results_as_one_document_and_in_the_forms_asked_for(folder):
    result = apply("release", "new.csv", "--json", "--format", "parquet", "--no-report")
    document = json.loads(result.stdout)
    assert document["holds"] is True
    assert document["levels"] == {"age": 1, "sex": 0}
    assert pl.read_parquet(folder / "more" / "data.parquet").height == 2
    assert not (folder / "more.report.html").exists()


def test_groups_that_are_too_small_exit_with_1_and_nothing_is_written(folder):
    (folder / "new.csv").write_text("age,sex,disease\n38,F,flu\n30,F,flu\n44,M,flu\n")
    result = apply("release", "new.csv")
    assert result.exit_code == 1
    assert "1 of 3 records (33.33%)" in result.stderr
    assert "--with" in result.stderr
    assert not (folder / "more").exists()
    assert not list(folder.glob("more*"))
    assert apply("release", "new.csv", "--suppression", "34%").exit_code == 0


@pytest.mark.filterwarnings("always::krypsis.errors.PrivacyWarning")
def test_with_the_earlier_release_groups_complete_each_other(folder):
    (folder / "new.csv").write_text("age,sex,disease\n38,F,rash\n")
    assert apply("release", "new.csv").exit_code == 1
    result = apply("release", "new.csv", "--with", "release", output="both")
    assert result.exit_code == 0, result.stderr
    assert "warning: 1 of 1 new records are hidden only among records of the earlier release" in result.stderr
    assert krypsis.Release.load(folder / "both").table.height == 5
    assert CliRunner().invoke(app, ["check", "both"]).exit_code == 0
    assert not (folder / "both.report.html").exists()


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("age,sex,disease\n38,D,flu\n30,X,flu\n", ["'sex' lacks 2 value(s)", "'D'", "'X'"]),
        ("age,sex,disease\nold,F,flu\n30,F,flu\n", ["'age'", "not numbers: 'old'"]),
        ("age,sex\n38,F\n30,F\n", ["column 'disease' not found"]),
        ("age,sex,disease\n", ["no rows"]),
        ("", ["empty"]),
    ],
    ids=["unknown category", "no number", "missing column", "header only", "empty"],
)
def test_rows_that_do_not_fit_exit_with_2_and_nothing_is_written(folder, rows, words):
    (folder / "new.csv").write_text(rows)
    before = sorted(folder.iterdir())
    result = apply("release", "new.csv")
    assert result.exit_code == 2
    for word in words:
        assert word in result.stderr
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere", "new.csv"], ["no file or folder nowhere"]),
        (["people.csv", "new.csv"], ["is not JSON"]),
        (["release", "nowhere.csv"], ["nowhere.csv", "not found"]),
        (["release", "new.csv", "--with", "nowhere"], ["nowhere", "not a folder"]),
        (["release", "new.csv", "--suppression", "a lot"], ["suppression", "a lot"]),
        (["release", "new.csv", "--format", "sas"], ["format 'sas' is not known"]),
        (["release", "new.csv", "--sheet", "1"], ["sheet has no meaning"]),
    ],
    ids=str,
)
def test_wrong_usage_exits_with_2(folder, arguments, words):
    result = apply(*arguments)
    assert result.exit_code == 2
    for word in words:
        assert word in result.stderr
    assert not (folder / "more").exists()


def test_an_existing_release_is_replaced_only_when_asked(folder):
    assert apply("release", "new.csv", output="release").exit_code == 2
    assert apply("release", "new.csv", "--force", output="release").exit_code == 0
    assert krypsis.Release.load(folder / "release").table.height == 2
