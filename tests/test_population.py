"""The whole journey with a population: plan, run, report, check, explore, and what cannot be done."""

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import krypsis
from krypsis.cli.main import app
from krypsis.errors import UsageError

pytestmark = pytest.mark.exposed

PEOPLE = pl.DataFrame(
    {
        "name": list("ABCDEFGHIJKL"),
        "age": [21, 22, 23, 24, 26, 27, 31, 32, 33, 36, 38, 52],
        "job": ["a", "b", "a", "b", "c", "c", "a", "b", "c", "c", "a", "b"],
    }
)
PATIENTS = PEOPLE.filter(pl.col("name").is_in(list("ADEHK"))).select("age", "job", ward=pl.lit("x"))
PLAN = """
data: patients.csv
population: people.csv
columns:
  age: {role: quasi-identifier, hierarchy: {kind: intervals, width: 5}}
  job: {role: quasi-identifier, hierarchy: job.csv}
  ward: {role: insensitive}
promises: [PROMISE]
suppression: 0
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    PEOPLE.write_csv(tmp_path / "people.csv")
    PATIENTS.write_csv(tmp_path / "patients.csv")
    (tmp_path / "job.csv").write_text("a,ab,*\nb,ab,*\nc,c,*\n")
    (tmp_path / "plan.yaml").write_text(PLAN.replace("PROMISE", '"delta-presence:delta_min=0.25,delta_max=0.6"'))
    return tmp_path


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def test_a_plan_names_the_population_and_the_report_counts_the_records_of_the_table(folder):
    result = run("run", folder / "plan.yaml")
    assert result.exit_code == 0, result.stderr
    release = krypsis.Release.load(folder / "release")
    assert release.table.height == release.rows_before == PATIENTS.height
    assert release.suppressed == 0
    page = next(folder.glob("*report*.html")).read_text(encoding="utf-8")
    assert "Everybody of the population is in the data" in page
    assert "5 records" in page
    assert "12 records" not in page


def test_what_is_published_names_nobody_of_the_population(folder):
    assert run("run", folder / "plan.yaml").exit_code == 0
    texts = [path.read_text(encoding="utf-8") for path in (folder / "release").iterdir() if path.suffix != ".parquet"]
    assert texts
    assert not any("people.csv" in text or "[50-55)" in text for text in texts)


def test_a_release_is_checked_with_its_population(folder):
    assert run("run", folder / "plan.yaml").exit_code == 0
    release = folder / "release"
    without = run("check", release)
    assert without.exit_code == 3
    assert "--population people.csv" in without.stdout
    by_plan = run("check", release, "--plan", folder / "plan.yaml")
    assert by_plan.exit_code == 0, by_plan.stderr
    words = ("check", release, "--population", folder / "people.csv", "--json")
    named = run(*words, "--hierarchy", f"job={folder / 'job.csv'}")
    assert named.exit_code == 0, named.stderr
    (verdict,) = json.loads(named.stdout)["verdicts"]
    assert 0.25 <= verdict["achieved"] <= 0.6


def test_another_population_gives_another_verdict(folder):
    assert run("run", folder / "plan.yaml").exit_code == 0
    more = pl.concat([PEOPLE, PEOPLE.with_columns(pl.lit("c").alias("job"), age=pl.lit(80, pl.Int64))])
    more.write_csv(folder / "more.csv")
    words = ("check", folder / "release", "--population", folder / "more.csv")
    result = run(*words, "--hierarchy", f"job={folder / 'job.csv'}")
    assert result.exit_code == 1
    assert "Not kept" in result.stdout


def test_a_population_that_lacks_somebody_is_refused(folder):
    PEOPLE.head(6).write_csv(folder / "people.csv")
    result = run("run", folder / "plan.yaml")
    assert result.exit_code == 2
    assert "2 of 5 records are not in the population" in " ".join(result.stderr.split())


def test_a_missing_file_is_named(folder):
    (folder / "people.csv").unlink()
    result = run("run", folder / "plan.yaml")
    assert result.exit_code == 2
    assert "people.csv" in result.stderr


def test_the_solution_space_is_that_of_the_search(folder):
    plan = krypsis.Plan.load(folder / "plan.yaml")
    explored = krypsis.explore(
        PATIENTS,
        {"age": "quasi-identifier", "job": "quasi-identifier"},
        models=["delta-presence:delta_min=0.25,delta_max=0.6", "k-map:k=2"],
        hierarchies={"age": {"kind": "intervals", "width": 5}, "job": folder / "job.csv"},
        population=PEOPLE,
        suppression=0,
    )
    feasible = explored.nodes.filter(pl.col("feasible"))
    assert plan.population == "people.csv"
    assert 0 < feasible.height < explored.nodes.height
    assert (feasible["achieved:delta-presence:delta_max=0.6,delta_min=0.25"] <= 0.6).all()
    assert (feasible["achieved:k-map:k=2"] >= 2).all()


def test_new_rows_need_a_population_of_their_own(folder):
    assert run("run", folder / "plan.yaml").exit_code == 0
    release = krypsis.anonymize(
        PATIENTS, {"job": "quasi-identifier"}, models=["k-map:k=2"], population=PEOPLE, suppression=0
    )
    with pytest.raises(UsageError, match=r"k-map:k=2 compares with the population .* new rows come from another one"):
        krypsis.apply(krypsis.Recipe.of(release), PATIENTS)


def test_a_population_that_no_promise_asks_for_is_not_read(folder):
    text = PLAN.replace("PROMISE", '"k-anonymity:k=2"').replace("people.csv", "nowhere.csv")
    (folder / "plan.yaml").write_text(text)
    assert run("run", folder / "plan.yaml").exit_code == 0
