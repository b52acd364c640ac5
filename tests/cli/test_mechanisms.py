"""Releases made by chance, from plan to check on the command line."""

import json

import pytest
from typer.testing import CliRunner

from krypsis.cli.main import app

PEOPLE = "name,age,sex,pay\n" + "".join(f"p{n},{20 + n % 40},{'fm'[n % 2]},{1000 + n % 30}\n" for n in range(160))
PLAN = """
data: people.csv
columns:
  name: identifier
  age: {role: quasi-identifier, hierarchy: {kind: intervals, cuts: [30, 40, 50]}}
  sex: {role: sensitive, hierarchy: {"*": [f, m]}}
  pay: insensitive
"""
NUMBERS = """
data: people.csv
columns: {age: quasi-identifier, pay: quasi-identifier}
"""
RUNS = {
    "differential-privacy:epsilon=1": (PLAN, "dp-histogram"),
    "d-gamma-privacy:d=0.1,gamma=0.5": (PLAN, "alpha-beta"),
    "ct-isolation:c=2,t=5,share=0.2": (NUMBERS, "recursive-histogram"),
}


@pytest.fixture
def krypsis(tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE)

    def run(*arguments, promise="differential-privacy:epsilon=1", algorithm="auto"):
        text = f'{RUNS[promise][0] if promise in RUNS else PLAN}\npromises: ["{promise}"]\nalgorithm: {algorithm}\n'
        (tmp_path / "plan.yaml").write_text(text)
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    return run


@pytest.mark.parametrize("promise", RUNS)
@pytest.mark.parametrize("named", [True, False])
def test_a_plan_is_run_and_checked(krypsis, tmp_path, promise, named):
    algorithm = RUNS[promise][1] if named else "auto"
    result = krypsis("run", tmp_path / "plan.yaml", "--quiet", promise=promise, algorithm=algorithm)
    assert result.exit_code == 0, result.stderr
    assert "made by chance" in result.stdout
    original = ["--original", tmp_path / "people.csv"] if promise.startswith("ct") else []
    checked = krypsis("check", tmp_path / "release", *original)
    assert checked.exit_code == 3, checked.stderr
    assert "The publisher's word" in checked.stdout or "guesses can only refute it" in checked.stdout


def test_json_does_not_call_a_promise_of_chances_kept(krypsis, tmp_path):
    ran = json.loads(krypsis("run", tmp_path / "plan.yaml", "--json").stdout)
    checked = json.loads(krypsis("check", tmp_path / "release", "--json").stdout)
    for document in (ran, checked):
        assert document["holds"] is None
        assert document["verdicts"][0]["holds"] is None
    assert ran["algorithm"] == "dp-histogram"


def test_parameters_of_the_method_stand_in_the_plan(krypsis, tmp_path):
    algorithm = "{name: dp-histogram, columns: [age], levels: {age: 2}, nonnegative: 'true', missing: leave out}"
    result = krypsis("run", tmp_path / "plan.yaml", "--quiet", algorithm=algorithm)
    assert result.exit_code == 0, result.stderr
    header, *rows = (tmp_path / "release" / "data.csv").read_text().splitlines()
    assert header == "age,count"
    assert sorted(row.rpartition(",")[0] for row in rows) == ["<30", ">=50", "[30-50)"]
    private = json.loads(next(tmp_path.glob("release.*.private.json")).read_text())
    assert private["budget"]["spent"] == [{"what": "the counts", "epsilon": "1", "delta": "0"}]


@pytest.mark.parametrize(
    ("promise", "algorithm", "words"),
    [
        ("differential-privacy:epsilon=0", "auto", "epsilon of differential-privacy must be more than 0, got 0"),
        ("differential-privacy:epsilon=1,delta=2", "auto", "delta of differential-privacy must be less than 1, got 2"),
        ("d-gamma-privacy:d=0.5,gamma=0.1", "auto", "must be less than gamma"),
        ("differential-privacy:epsilon=1", "mondrian", "such as the algorithm 'dp-histogram'"),
        ("differential-privacy:epsilon=1", "alpha-beta", "such as the algorithm 'dp-histogram'"),
        ("k-anonymity:k=2", "dp-histogram", "keeps the promise 'differential-privacy'"),
    ],
)
def test_a_plan_that_does_not_fit_together_is_refused(krypsis, tmp_path, promise, algorithm, words):
    result = krypsis("run", tmp_path / "plan.yaml", promise=promise, algorithm=algorithm)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())
    assert not (tmp_path / "release").exists()


@pytest.mark.parametrize("name", ["differential-privacy", "d-gamma-privacy", "ct-isolation"])
def test_what_is_not_protected_is_explained(krypsis, name):
    shown = " ".join(krypsis("explain", name).stdout.split())
    assert "does not protect from" in shown
    assert "nobody can see from the files" in shown or "only with the original table" in shown
