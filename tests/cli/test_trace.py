"""``krypsis run --trace``: the steps of the algorithm, in the report and nowhere else."""

import json

import pytest
from typer.testing import CliRunner

from krypsis.cli.main import app
from krypsis.report import parse_json
from krypsis.report.blocks import plain

AGES = "age,disease\n3171,flu\n3184,flu\n4197,gout\n4198,flu\n"
PLAN = """
data: ages.csv
columns:
  age: {role: quasi-identifier, hierarchy: {kind: intervals, width: 1000}}
  disease: insensitive
promises: ["k-anonymity:k=2"]
algorithm: datafly
output: {report: false}
"""


@pytest.fixture
def run(tmp_path):
    (tmp_path / "ages.csv").write_text(AGES)
    (tmp_path / "plan.yaml").write_text(PLAN)
    return lambda *words: CliRunner().invoke(app, ["run", str(tmp_path / "plan.yaml"), "--quiet", *words])


def test_the_steps_are_folded_in_the_report_and_in_no_published_file(run, tmp_path):
    result = run("--trace")
    assert result.exit_code == 0, result.stderr
    assert "steps  2 of datafly, folded in the report" in result.stdout
    assert "3171" not in result.stdout
    report = parse_json((tmp_path / "release.report.json").read_text())
    (folded,) = [block for block in report.section("steps").blocks if block.type == "folded"]
    assert folded.title == "2 steps of datafly"
    assert [plain(panel.title) for panel in folded.blocks] == ["Step 1: generalize age", "Step 2: done"]
    page = (tmp_path / "release.report.html").read_text()
    assert "<details><summary>2 steps of datafly</summary>" in page
    assert "3171" in page
    for file in (tmp_path / "release").iterdir():
        assert "3171" not in file.read_text(), file
        assert "generalize age" not in file.read_text(), file
    for file in tmp_path.glob("release.*"):
        assert not file.stat().st_mode & 0o077, file


def test_without_the_option_there_are_no_steps(run, tmp_path):
    assert run("--report").exit_code == 0
    sections = json.loads((tmp_path / "release.report.json").read_text())["sections"]
    assert "steps" not in [section["key"] for section in sections]


def test_an_algorithm_that_describes_no_steps_says_which_do(run):
    result = run("--trace", "--algorithm", "optimal")
    assert result.exit_code == 0, result.stderr
    assert "steps  none: optimal does not describe its steps here; these do: " in result.stdout
    assert "datafly" in result.stdout


@pytest.mark.parametrize(
    ("words", "reason"),
    [(["--no-report"], "--no-report asks for none"), (["--server", "http://127.0.0.1:9"], "not sent to a server")],
)
def test_steps_that_would_be_shown_nowhere_are_refused(run, tmp_path, words, reason):
    result = run("--trace", *words)
    assert result.exit_code == 2
    assert reason in result.stderr
    assert not (tmp_path / "release").exists()


def test_a_version_of_a_history_has_the_phases_of_its_method_in_the_private_report(tmp_path, monkeypatch):
    people = "id,age,illness\n" + "".join(f"p{n},{7120 + n},{('flu', 'gout')[n % 2]}\n" for n in range(6))
    (tmp_path / "people.csv").write_text(people)
    columns = "{id: identifier, age: quasi-identifier, illness: sensitive}"
    (tmp_path / "plan.yaml").write_text(f'data: people.csv\ncolumns: {columns}\npromises: ["m-invariance:m=2"]\n')
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["history", "init", "people.csv", "--quiet", "--trace"])
    assert result.exit_code == 0, result.stderr
    (file,) = (tmp_path / "history").rglob("*.report.json")
    assert not file.stat().st_mode & 0o077
    (folded,) = [block for block in parse_json(file.read_text()).section("steps").blocks if block.type == "folded"]
    assert [plain(panel.title) for panel in folded.blocks] == ["Division", "Balancing", "Assignment", "Split"]
    refused = CliRunner().invoke(app, ["history", "publish", "people.csv", "--trace", "--no-report"])
    assert refused.exit_code == 2
    assert "--no-report asks for none" in refused.stderr
