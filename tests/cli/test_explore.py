"""``krypsis explore``, from a plan to a page and back to a release."""

import json
import os
import re
import shlex
import signal

import polars as pl
import pytest
from typer.testing import CliRunner

from krypsis.cli import explore as command
from krypsis.cli.main import app
from krypsis.kinds.table.exploration import MOST_NODES

PEOPLE = "name,age,sex,disease\nAnn,31,F,flu\nBob,34,F,flu\nCat,47,M,cancer\nDan,48,M,flu\nEve,90,F,flu\n"
PLAN = """
data: people.csv
columns:
  name: identifier
  age: {role: quasi-identifier, hierarchy: {kind: intervals, width: 10}}
  sex: quasi-identifier
  disease: insensitive
promises: ["k-anonymity:k=2"]
suppression: 1
output: {report: false}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "plan.yaml").write_text(PLAN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(app, ["explore", "plan.yaml", "--quiet", *map(str, arguments)])


def test_it_writes_a_page_beside_the_plan_and_says_what_is_best(folder):
    result = run()
    assert result.exit_code == 0, result.stderr
    assert "10 of 10 nodes judged" in result.stdout
    assert (folder / "explore.html").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in folder.iterdir()) == ["explore.html", "people.csv", "plan.yaml"]


def test_every_command_on_the_page_publishes_the_node_with_its_figures(folder):
    document = json.loads(run("--json").stdout)
    page = (folder / "explore.html").read_text("utf-8")
    commands = re.findall(r"<code>(krypsis run [^<]+)</code>", page)
    assert len(commands) == len(document["frontier"]) > 1
    for line, node in zip(commands, document["frontier"], strict=True):
        published = CliRunner().invoke(app, [*shlex.split(line)[1:], "--json", "--force"])
        assert published.exit_code == 0, published.stderr
        release = json.loads(published.stdout)
        assert release["score"] == pytest.approx(node["metric:loss"])
        assert release["suppressed"] == node["suppressed"]
        assert release["levels"] == {"age": node["level:age"], "sex": node["level:sex"]}
        assert release["verdicts"][0]["achieved"] == node["smallest_group"]


@pytest.mark.usefixtures("folder")
def test_the_best_node_is_what_run_finds():
    best = json.loads(run("--json").stdout)["optimum"]
    found = json.loads(CliRunner().invoke(app, ["run", "plan.yaml", "--json"]).stdout)
    assert found["score"] == best["metric:loss"]
    assert found["suppressed"] == best["suppressed"]


@pytest.mark.parametrize("name", ["nodes.csv", "nodes.parquet"])
def test_the_nodes_are_written_as_a_table(folder, name):
    assert run("--table", name, "--metric", "dm", "--metric", "ncp", "--output", "page.html").exit_code == 0
    table = pl.read_csv(folder / name) if name.endswith("csv") else pl.read_parquet(folder / name)
    assert table.height == 10
    assert {"metric:loss", "metric:discernibility", "metric:ncp", "level:age", "feasible"} <= set(table.columns)
    assert (folder / name).stat().st_mode & 0o777 == 0o600
    assert "discernibility (lower is better)" in (folder / "page.html").read_text("utf-8")


def test_what_counts_as_risk_can_be_chosen(folder):
    assert run("--risk", "highest").exit_code == 0
    assert "Highest risk (lower is better)" in (folder / "explore.html").read_text("utf-8")


def test_a_limit_of_nodes_explores_by_the_search(folder):
    result = run("--nodes", 3)
    assert result.exit_code == 0
    assert "of 10 nodes judged" in result.stdout
    assert "too large to be judged as a whole" in (folder / "explore.html").read_text("utf-8")


def test_the_limit_in_the_help_is_that_of_the_library():
    assert f"{MOST_NODES}" in CliRunner().invoke(app, ["explore", "--help"]).stdout


def test_when_nothing_is_feasible_it_says_what_the_least_would_need(folder):
    (folder / "plan.yaml").write_text(PLAN.replace("k=2", "k=6"))
    result = run()
    assert result.exit_code == 0
    assert "no node is within the limit of 1 suppressed records; the least needs 5" in result.stdout
    assert "No node keeps the promises" in (folder / "explore.html").read_text("utf-8")


def test_an_existing_file_is_replaced_only_when_asked(folder):
    (folder / "explore.html").write_text("mine")
    result = run()
    assert result.exit_code == 2
    assert "--force" in result.stderr
    assert (folder / "explore.html").read_text() == "mine"
    assert run("--force").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--table", "nodes.xlsx"], [".csv or .parquet", "nodes.xlsx"]),
        (["--table", "nowhere/nodes.csv"], ["the folder nowhere does not exist"]),
        (["--output", "."], ["is a folder"]),
        (["--output", "x.csv", "--table", "x.csv"], ["same file"]),
        (["--metric", "losss"], ["metric 'losss' is not known", "Did you mean 'loss'?"]),
        (["--risk", "high"], ["high"]),
        (["--nodes", "0"], ["--nodes"]),
        (["--nodes", "many"], ["--nodes"]),
    ],
)
def test_wrong_usage_exits_with_2_and_writes_nothing(folder, arguments, words):
    result = run(*arguments)
    assert result.exit_code == 2
    for word in words:
        assert word in result.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["people.csv", "plan.yaml"]


@pytest.mark.parametrize(
    ("change", "word"),
    [(("age:", "agee:"), "Did you mean 'age'?"), (("people.csv", "nobody.csv"), "not found"), (("k=2", "k=0"), "k of")],
)
def test_a_plan_with_a_mistake_exits_with_2(folder, change, word):
    (folder / "plan.yaml").write_text(PLAN.replace(*change))
    result = run()
    assert result.exit_code == 2
    assert word in result.stderr
    assert not (folder / "explore.html").exists()


def test_an_interrupt_exits_with_130_and_writes_nothing(folder, monkeypatch):
    class Interrupting(command.Reporter):
        def judged(self, node):
            super().judged(node)
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(command, "Reporter", Interrupting)
    result = run()
    assert result.exit_code == 130
    assert "interrupted after 1 of 10 nodes" in result.stderr
    assert not (folder / "explore.html").exists()


def test_the_printed_command_works_while_a_release_exists(folder):
    for expected in ("release", "release-2", "release-3"):
        printed = next(line.strip() for line in run("--force").stdout.splitlines() if "krypsis run" in line)
        published = CliRunner().invoke(app, [*shlex.split(printed)[1:], "--quiet"])
        assert published.exit_code == 0, published.stderr
        assert (folder / expected / "manifest.json").is_file()
