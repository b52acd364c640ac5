"""Releases in groups from the command line: run, check, and tables of other tools."""

import json

import pytest
from typer.testing import CliRunner

from krypsis.cli.main import app
from release.groups import PATIENTS

PLAN = """
data: patients.csv
columns:
  age: quasi-identifier
  sex: quasi-identifier
  {sensitive}: sensitive
promises: ["{promise}"]
algorithm: {algorithm}
"""
TASKS = {
    "anatomize": {"sensitive": "disease", "promise": "frequency-l-diversity:l=2", "algorithm": "anatomize"},
    "permutation": {"sensitive": "pay", "promise": "ke-anonymity:k=3,e=10", "algorithm": "permutation:seed=3"},
}


@pytest.fixture
def workplace(tmp_path):
    PATIENTS.write_csv(tmp_path / "patients.csv")
    for name, task in TASKS.items():
        (tmp_path / f"{name}.yaml").write_text(PLAN.format(**task), encoding="utf-8")
    return tmp_path


def krypsis_command(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.mark.parametrize("name", TASKS)
def test_a_plan_is_run_and_its_release_checked(workplace, name):
    result = krypsis_command("run", workplace / f"{name}.yaml", "--quiet")
    assert result.exit_code == 0, result.output
    assert "the release reveals who is in the table" in result.stdout
    assert "is hidden in groups" in (workplace / "release.report.html").read_text()
    check = krypsis_command("check", workplace / "release")
    assert check.exit_code == 0
    assert check.stdout.startswith(TASKS[name]["promise"])
    assert ": Kept: " in check.stdout


@pytest.mark.parametrize("name", TASKS)
def test_a_run_tells_the_same_as_json(workplace, name):
    document = json.loads(krypsis_command("run", workplace / f"{name}.yaml", "--json").stdout)
    assert document["holds"]
    assert document["scheme"] == "bucketization"
    assert document["algorithm"] == name
    assert document["paths"]["report"].endswith("release.report.html")


def test_a_value_that_is_too_frequent_is_named(workplace):
    plan = PLAN.format(**{**TASKS["anatomize"], "promise": "frequency-l-diversity:l=5"})
    (workplace / "strict.yaml").write_text(plan, encoding="utf-8")
    result = krypsis_command("run", workplace / "strict.yaml", "--quiet")
    assert result.exit_code == 1
    assert "The largest feasible l is 4" in result.output


def test_two_tables_of_another_tool_are_checked(tmp_path):
    (tmp_path / "people.csv").write_text("age,class\n23,1\n27,1\n61,2\n65,2\n")
    (tmp_path / "values.csv").write_text("class,disease,n\n1,flu,1\n1,cold,1\n2,flu,2\n")
    tables = (tmp_path / "people.csv", "--sensitive-table", tmp_path / "values.csv", "--group", "class")
    result = krypsis_command("check", *tables, "--sensitive", "disease", "--promise", "distinct-l-diversity:l=2")
    assert result.exit_code == 1
    assert "Not kept: 1 of 2 groups" in result.stdout
    assert "2 record(s): class=2" in result.stdout
    result = krypsis_command("check", *tables, "--sensitive", "disease", "--promise", "distinct-l-diversity:l=1")
    assert result.exit_code == 0
