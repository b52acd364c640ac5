"""explore and apply on tables whose rows stay where they lie, and init on many files."""

import json

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from typer.testing import CliRunner

import krypsis
from engines.places import SERVERS, lies_in
from krypsis.cli.main import app
from krypsis.errors import Infeasible, UsageError
from krypsis.io.dataset import Dataset
from krypsis.io.sql import publishing
from krypsis.io.sql.engine import SqlEngine
from krypsis.plan import Plan
from krypsis.release.release import Release

ROWS = 600
ROLES = {"name": "identifier", "age": "QI", "zip": "QI", "disease": "sensitive", "ward": "insensitive"}
WANTED = {
    "hierarchies": {"age": {"kind": "intervals", "width": 5}, "zip": {"kind": "masking", "length": 5}},
    "models": ["k-anonymity:k=4", "distinct-l-diversity:l=2"],
    "suppression": "5%",
}


def patients(rows=ROWS, shift=0):
    numbers = range(shift, rows + shift)
    return pl.DataFrame(
        {
            "ward": [f"w{number * number % 11}" for number in numbers],
            "name": [f"n{number}" for number in numbers],
            "age": [20 + number * 7 % 60 for number in numbers],
            "zip": [f"0{1000 + number * 13 % 40}" for number in numbers],
            "disease": [("flu", "hiv", "cold", "gout")[number * number % 7 % 4] for number in numbers],
        }
    )


@pytest.fixture
def _rows_must_stay(monkeypatch):
    def refuse(*_):
        raise AssertionError("all rows were collected")

    monkeypatch.setattr(SqlEngine, "collect", refuse)
    monkeypatch.setattr("krypsis.checker.parted_rows.PartedRows.collected", refuse)


def krypsis_command(*arguments):
    result = CliRunner().invoke(app, [*map(str, arguments)])
    assert result.exit_code == 0, f"{result.output} {result.exception}"
    return result


@pytest.mark.usefixtures("_rows_must_stay")
@pytest.mark.parametrize("engine", SERVERS)
def test_the_solution_space_is_the_same_wherever_the_rows_lie(engine):
    expected = krypsis.explore(patients(), ROLES, **WANTED)
    found = krypsis.explore(lies_in(patients(), engine), ROLES, **WANTED)
    assert_frame_equal(found.nodes, expected.nodes)
    assert found.optimum() == expected.optimum()


def test_explore_gets_rows_that_a_promise_needs():
    wanted = {"models": "kk-anonymity:k=3", "algorithm": "optimal"}
    roles = {"age": "QI", "zip": "QI"}
    found = krypsis.explore(lies_in(patients(), "duckdb"), roles, **wanted)
    assert_frame_equal(found.nodes, krypsis.explore(patients(), roles, **wanted).nodes)
    with pytest.raises(UsageError, match="needs the rows in memory: 600 rows"):
        krypsis.explore(Dataset.of(patients(), engine="duckdb", memory=1000), roles, **wanted)


@pytest.mark.parametrize("engine", SERVERS)
def test_new_rows_are_published_in_parts_as_they_are_in_memory(engine, monkeypatch, request):
    recipe = krypsis.Recipe.of(krypsis.anonymize(patients().select(*ROLES), ROLES, **WANTED))
    expected = recipe.apply(patients(500, shift=ROWS))
    request.getfixturevalue("_rows_must_stay")
    monkeypatch.setattr(publishing, "PART_ROWS", (50, 100))
    release = recipe.apply(lies_in(patients(500, shift=ROWS), engine))
    assert not release.publication.is_in_memory
    found = pl.concat(release.publication.rows().frames())
    assert found.columns == ["age", "zip", "disease", "ward"]
    assert_frame_equal(found, expected.table, check_row_order=False)
    assert (release.levels, release.suppressed, release.verdicts) == (
        expected.levels,
        expected.suppressed,
        expected.verdicts,
    )
    with pytest.raises(Infeasible, match="new rows do not keep the promises by themselves"):
        recipe.apply(lies_in(patients(20), engine))


def test_apply_on_the_command_line_works_on_many_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    krypsis.anonymize(patients(), ROLES, **WANTED).save("release")
    (tmp_path / "new").mkdir()
    patients(400, shift=ROWS).write_parquet("new/a.parquet")
    patients(300, shift=2 * ROWS).write_parquet("new/b.parquet")
    pl.concat([patients(400, shift=ROWS), patients(300, shift=2 * ROWS)]).write_csv("new.csv")
    krypsis_command(
        "apply", "release", "new/*.parquet", "--output", "parts", "--memory", "500MB", "--format", "parquet"
    )
    krypsis_command("apply", "release", "new.csv", "--output", "memory", "--format", "parquet")
    found, expected = Release.load("parts"), Release.load("memory")
    assert (tmp_path / "parts.report.html").is_file()
    assert_frame_equal(found.table, expected.table, check_row_order=False)
    assert found.verdicts == expected.verdicts


def test_publishing_together_needs_the_rows_and_says_so(tmp_path):
    whole = krypsis.anonymize(patients(), ROLES, **WANTED)
    recipe, place = krypsis.Recipe.of(whole), whole.save(tmp_path / "release").folder
    new = patients(500, shift=ROWS)
    found = recipe.apply(lies_in(new, "duckdb"), together_with=place)
    assert found.records == recipe.apply(new, together_with=place).records
    with pytest.raises(UsageError, match=r"together with an earlier release needs the rows in memory: 500 rows"):
        recipe.apply(Dataset.of(new, engine="duckdb", memory=1000), together_with=place)


@pytest.mark.parametrize("engine", SERVERS)
def test_no_record_of_an_identifier_leaves_its_place(engine, monkeypatch):
    asked = []
    sample = SqlEngine.collect_sample

    def collect_sample(self, rows, columns=None):
        asked.append(columns)
        return sample(self, rows, columns)

    monkeypatch.setattr(SqlEngine, "collect_sample", collect_sample)
    release = krypsis.anonymize(lies_in(patients(), engine), ROLES, **WANTED)
    assert release.before.sample.columns == ["ward", "age", "zip", "disease"]
    assert asked == [["ward", "age", "zip", "disease"]]


@pytest.mark.parametrize("options", [(), ("--engine", "duckdb")])
def test_init_looks_at_folders_of_files(tmp_path, monkeypatch, options):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "visits").mkdir()
    patients(300).write_parquet("visits/a.parquet")
    patients(300, shift=300).write_parquet("visits/b.parquet")
    krypsis_command("init", "visits", "-o", "plan.yaml", *options)
    plan = Plan.load("plan.yaml")
    assert (plan.data, plan.engine) == ("visits", "duckdb" if options else None)
    assert len(plan.columns) == 5


def test_a_hierarchy_file_must_hold_values_outside_the_sample(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("krypsis.kinds.table.proposal.MOST_PROFILED", 300)
    table = patients().with_columns(region=pl.Series(["north", "south"] * 299 + ["north", "west"]))
    table.write_parquet("visits.parquet")
    (tmp_path / "region.csv").write_text("north;*\nsouth;*\n", encoding="utf-8")
    krypsis_command("init", "visits.parquet", "--engine", "duckdb")
    assert Plan.load("plan.yaml").columns["region"].hierarchy != "region.csv"


def test_explore_on_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    patients().write_parquet("visits.parquet")
    columns = "columns: {age: QI, zip: QI, disease: sensitive}\npromises: [k-anonymity:k=4]\n"
    text = f"data: visits.parquet\nengine: duckdb\n{columns}"
    (tmp_path / "plan.yaml").write_text(text, encoding="utf-8")
    found = json.loads(krypsis_command("explore", "plan.yaml", "--json").stdout)
    (tmp_path / "plan.yaml").write_text(text.replace("engine: duckdb\n", ""), encoding="utf-8")
    expected = json.loads(krypsis_command("explore", "plan.yaml", "--json", "--force").stdout)
    assert found["optimum"] == expected["optimum"]
    assert found["feasible"] == expected["feasible"]
