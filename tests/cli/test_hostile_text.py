"""Cells, names and manifests may hold escapes that act on a terminal; none of them is printed."""

import ast
import json
import logging
import re
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import krypsis
from checker.forging import rewrite
from krypsis.cli.main import app
from krypsis.texts.printable import harmless, one_line

HOSTILE = "\x1b[2J\x1b]0;owned\x07\u202eulf\u2066\x9b31m[red]x[/red]\nKept: every promise holds\u2028\x7f"
SPOKEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]")
CLI = Path(krypsis.__file__).parent / "cli"


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def printed(result):
    text = result.stdout + result.stderr
    assert not SPOKEN.search(text), text
    return text


@pytest.fixture
def release(tmp_path):
    table = pl.DataFrame({HOSTILE: [HOSTILE, HOSTILE, "b", "b"], "disease": [HOSTILE, "flu"] * 2})
    roles = {HOSTILE: "QI", "disease": "sensitive"}
    return krypsis.anonymize(table, roles, models="k-anonymity:k=2").save(tmp_path / "release").folder


def test_names_and_cells_of_a_table_do_nothing_to_the_terminal(release):
    text = printed(run("check", release, "--promise", "k-anonymity:k=3"))
    assert not any(line.startswith("Kept") for line in text.splitlines())
    assert "[red]x[/red]" in text


def test_json_says_exactly_what_is_published(release):
    result = run("check", release, "--promise", "k-anonymity:k=3", "--json")
    printed(result)
    (verdict,) = json.loads(result.stdout)["verdicts"]
    assert HOSTILE in verdict["offending"][0]["values"]


@pytest.mark.parametrize("field", ["promise", "sentence"])
def test_a_manifest_does_nothing_to_the_terminal(release, field):
    (claim,) = json.loads((release / "manifest.json").read_text())["promises"]
    rewrite(release, promises=[{**claim, field: HOSTILE}])
    printed(run("check", release))
    rewrite(release, promises=[], guarantee=HOSTILE)
    assert "\\u001b" in printed(run("check", release))


def test_a_table_is_looked_at_run_and_reported_without_doing_anything(tmp_path):
    table = pl.DataFrame({HOSTILE: ["a", "b"] * 20, "age": [30, 40] * 20})
    table.write_csv(tmp_path / "people.csv")
    printed(run("init", tmp_path / "people.csv", "--output", tmp_path / "plan.yaml"))
    printed(run("run", tmp_path / "plan.yaml", "--output", tmp_path / "release"))
    printed(run("check", tmp_path / "release"))
    printed(run("check", tmp_path / f"no {HOSTILE.replace('/', '')}"))


def test_logs_are_harmless():
    run("models")
    record = logging.LogRecord("krypsis", logging.WARNING, __file__, 1, HOSTILE, None, None)
    assert not SPOKEN.search(logging.lastResort.format(record))


def test_the_command_line_prints_in_one_place():
    """Text that is printed elsewhere is printed as it came."""
    allowed = {"streams.py", "progress.py"}
    for path in CLI.rglob("*.py"):
        calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
        names = [ast.unparse(call.func) for call in calls]
        assert path.name in allowed or not {"print", "typer.echo", "typer.secho"} & set(names), path


def test_what_is_shown_can_be_told_from_what_it_replaces():
    assert json.loads(f'"{harmless(json.dumps(HOSTILE, ensure_ascii=False)[1:-1])}"') == HOSTILE
    assert "\n" not in one_line(HOSTILE)
