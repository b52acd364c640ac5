"""``krypsis run --levels``: a chosen node instead of a search."""

import json

import pytest
from typer.testing import CliRunner

from krypsis.cli.main import app

PEOPLE = "name,age,sex,disease\nAnn,31,F,flu\nBob,34,F,flu\nCat,47,M,cancer\nDan,48,M,flu\nEve,90,F,flu\n"
PLAN = """
data: people.csv
columns:
  name: identifier
  age: {role: quasi-identifier, hierarchy: {kind: intervals, width: 10}}
  disease: insensitive
  sex: {role: quasi-identifier, max_level: 1}
promises: ["k-anonymity:k=2"]
suppression: 1
output: {report: false}
"""


@pytest.fixture
def run(tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "plan.yaml").write_text(PLAN)

    def run(*arguments):
        result = CliRunner().invoke(app, ["run", str(tmp_path / "plan.yaml"), "--quiet", *arguments])
        assert (tmp_path / "release").exists() == (result.exit_code == 0)
        return result

    return run


@pytest.mark.parametrize(
    ("levels", "algorithm"),
    [("1,0", 'fixed:levels="1,0"'), ("sex=0,age=1", 'fixed:levels="sex=0,age=1"'), ("age=1", 'fixed:levels="age=1"')],
)
def test_the_chosen_levels_are_published(run, tmp_path, levels, algorithm):
    result = run("--levels", levels, "--json")
    assert result.exit_code == 0, result.stderr
    document = json.loads(result.stdout)
    assert document["levels"] == {"age": 1, "sex": 0}
    assert document["algorithm"] == algorithm
    assert document["suppressed"] == 1
    assert sorted((tmp_path / "release" / "data.csv").read_text().splitlines()[1:]) == [
        "[30-40),F,flu",
        "[30-40),F,flu",
        "[40-50),M,cancer",
        "[40-50),M,flu",
    ]


def test_more_suppression_than_the_plan_allows_exits_with_1_and_says_how_much(run):
    result = run("--levels", "0,0")
    assert result.exit_code == 1
    assert "5 of 5 records" in result.stderr


@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ("1", ["1 level(s) chosen for 2", "age, sex"]),
        ("9,0", ["'age'", "0 to 4"]),
        ("-1,0", ["'age'", "0 to 4"]),
        ("1,2", ["'sex'", "0 to 1"]),
        ("aeg=1", ["Did you mean 'age'?"]),
        ("high", ["whole number", "high"]),
        ("1.0,0", ["whole number"]),
        ("", ["one number per quasi-identifier"]),
    ],
)
def test_levels_that_cannot_be_chosen_exit_with_2(run, levels, words):
    result = run("--levels", levels)
    assert result.exit_code == 2
    for word in words:
        assert word in result.stderr
