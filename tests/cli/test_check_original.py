"""``krypsis check --original``: promises that are decided by comparing with the private table."""

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from krypsis.cli.main import app

ORIGINAL = pl.DataFrame({"age": [21, 22, 23, 24, 35, 36], "job": ["a", "b", "a", "b", "c", "c"]})
PLAN = """
data: private.csv
columns:
  age: {role: quasi-identifier, hierarchy: {kind: intervals, width: 5}}
  job: {role: quasi-identifier, hierarchy: job.csv}
promises: ["kk-anonymity:k=2"]
algorithm: kk-anonymizer:publish=hierarchy
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    ORIGINAL.write_csv(tmp_path / "private.csv")
    (tmp_path / "job.csv").write_text("a,ab,*\nb,ab,*\nc,c,*\n")
    (tmp_path / "plan.yaml").write_text(PLAN)
    return tmp_path


@pytest.fixture
def release(folder: Path) -> Path:
    assert run("run", folder / "plan.yaml").exit_code == 0
    return folder / "release"


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def test_a_release_is_checked_with_its_plan(folder, release):
    result = run("check", release, "--plan", folder / "plan.yaml")
    assert result.exit_code == 0, result.stderr
    assert "Kept, compared with the original table" in result.stdout


def test_the_original_may_be_named_beside_the_plan_and_hierarchies_one_by_one(folder, release):
    words = ("check", release, "--original", folder / "private.csv")
    assert run(*words, "--plan", folder / "plan.yaml").exit_code == 0
    # Intervals of numbers are understood without a hierarchy.
    assert run(*words, "--hierarchy", f"job={folder / 'job.csv'}").exit_code == 0


def test_without_the_original_it_says_what_is_missing(release):
    result = run("check", release)
    assert result.exit_code == 3
    assert "nobody can verify from the published files alone" in result.stdout


def test_a_table_of_another_tool_is_checked_and_the_offending_record_shown(folder):
    published = folder / "published.csv"
    ORIGINAL.with_columns(job=pl.Series(["ab", "ab", "ab", "ab", "c", "c"])).write_csv(published)
    words = ("check", published, "--qi", "job", "--original", folder / "private.csv")
    words = (*words, "--hierarchy", f"job={folder / 'job.csv'}")
    assert run(*words, "--promise", "kk-anonymity:k=2").exit_code == 0
    result = run(*words, "--promise", "1k-anonymity:k=3")
    assert result.exit_code == 1
    assert "original record, could be 2 published record(s): job=c" in result.stdout
    document = json.loads(run(*words, "--promise", "1k-anonymity:k=3", "--json").stdout)
    assert document["verdicts"][0]["offending"][0]["record"] == "original"


def test_an_unknown_label_asks_for_the_hierarchy(folder):
    published = folder / "published.csv"
    ORIGINAL.with_columns(job=pl.lit("worker")).write_csv(published)
    words = ("check", published, "--qi", "job", "--promise", "kk-anonymity:k=2")
    result = run(*words, "--original", folder / "private.csv")
    assert result.exit_code == 2
    assert "'worker'; give its hierarchy" in " ".join(result.stderr.split())


def test_an_original_that_does_not_exist_is_told(folder):
    result = run(
        "check", folder / "private.csv", "--qi", "job", "--promise", "kk-anonymity:k=2", "--original", "nope.csv"
    )
    assert result.exit_code == 2
    assert "nope.csv" in result.stderr


def test_explain_says_that_the_original_is_needed():
    assert "only with the original table" in " ".join(run("explain", "kk-anonymity").stdout.split())
