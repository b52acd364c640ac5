"""Methods without a promise about groups, from plan to check on the command line."""

import json

import pytest
from typer.testing import CliRunner

from krypsis.cli.main import app

PEOPLE = "name,age,sex,pay\n" + "".join(f"p{n},{20 + n % 40},{'fm'[n % 2]},{1000 + n}.50\n" for n in range(80))
PLAN = """
data: people.csv
columns:
  name: identifier
  age: {role: quasi-identifier, hierarchy: {kind: intervals, width: 10}}
  sex: quasi-identifier
  pay: sensitive
algorithm: %s
"""


@pytest.fixture
def krypsis(tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE)

    def run(*arguments, algorithm="noise:columns=age,seed=918273", more=""):
        (tmp_path / "plan.yaml").write_text(PLAN % algorithm + more)
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    return run


def test_a_plan_without_promises_is_run_checked_and_explained(krypsis, tmp_path):
    result = krypsis("run", tmp_path / "plan.yaml", "--quiet")
    assert result.exit_code == 0, result.stderr
    for words in ("nothing about groups of records", "random noise", "standard deviation", "as they were: sex, pay"):
        assert words in result.stdout
    assert "Utility gauge" in (tmp_path / "release.report.html").read_text()
    checked = krypsis("check", tmp_path / "release")
    assert checked.exit_code == 3
    assert "no promise was made. This release promises nothing about groups" in checked.stdout
    assert "918273" not in "".join(path.read_text() for path in (tmp_path / "release").iterdir())


def test_json_says_that_nothing_can_hold(krypsis, tmp_path):
    ran = json.loads(krypsis("run", tmp_path / "plan.yaml", "--json").stdout)
    checked = json.loads(krypsis("check", tmp_path / "release", "--json").stdout)
    for document in (ran, checked):
        assert document["holds"] is None
        assert document["verdicts"] == []
        assert "nothing about groups" in document["guarantee"]
    assert ran["algorithm"] == "noise:columns=age"


def test_promises_that_are_given_are_kept_or_refused(krypsis, tmp_path):
    promise = 'promises: ["k-anonymity:k=3"]'
    refused = krypsis("run", tmp_path / "plan.yaml", "--quiet", more=promise)
    assert refused.exit_code == 1
    assert not (tmp_path / "release").exists()
    algorithm = "{name: microaggregation, k: 3, within: [sex]}"
    kept = krypsis("run", tmp_path / "plan.yaml", "--json", algorithm=algorithm, more=promise)
    assert kept.exit_code == 0, kept.stderr
    assert json.loads(kept.stdout)["holds"] is True
    assert json.loads(krypsis("check", tmp_path / "release", "--json").stdout)["holds"] is True


def test_a_changed_file_is_found_out_although_nothing_was_promised(krypsis, tmp_path):
    krypsis("run", tmp_path / "plan.yaml", "--quiet")
    data = tmp_path / "release" / "data.csv"
    data.write_text(data.read_text().replace("1000.50", "9999.50"))
    assert krypsis("check", tmp_path / "release").exit_code == 1


@pytest.mark.parametrize("more", ["", "promises: []"])
@pytest.mark.parametrize("algorithm", ["optimal", "auto", "{name: datafly}", "nois"])
def test_all_other_algorithms_need_a_promise(krypsis, tmp_path, algorithm, more):
    result = krypsis("run", tmp_path / "plan.yaml", algorithm=algorithm, more=more)
    assert result.exit_code == 2
    assert "'promises' is missing" in result.stderr or "promises: expected at least one entry" in result.stderr


def test_levels_cannot_be_explored(krypsis, tmp_path):
    result = krypsis("explore", tmp_path / "plan.yaml")
    assert result.exit_code == 2
    assert "algorithm 'optimal'" in result.stderr


def test_the_guarantee_and_the_parameters_are_explained(krypsis):
    shown = krypsis("explain", "mdav").stdout
    assert "what it guarantees\n  The changed numbers are averages" in shown
    assert "columns: list of names, optional" in shown
    assert "replaces values by others" in shown
    assert "guarantee" in json.loads(krypsis("explain", "pram", "--json").stdout)
