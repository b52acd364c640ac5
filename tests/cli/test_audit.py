"""``krypsis audit``."""

import json

import pytest
from typer.testing import CliRunner

from krypsis.cli.main import app
from krypsis.errors import Infeasible
from krypsis.release.audit_log import AuditLog


@pytest.fixture
def log(tmp_path):
    log = AuditLog.of(tmp_path)
    with pytest.raises(Infeasible), log.running("run", {"promises": ["k-anonymity:k=9"]}, "people.csv"):
        raise Infeasible("no")
    return log


def call(*words):
    return CliRunner().invoke(app, ["audit", *map(str, words)])


def test_all_runs_are_shown_in_words_and_as_json(log):
    assert ", run, infeasible, plan " in call("show", "--folder", log.path.parent).stdout
    (run,) = json.loads(call("show", "--json", "--folder", log.path.parent).stdout)
    assert (run["data"], run["outcome"]) == ("people.csv", "infeasible")


def test_check_ends_with_1_where_a_line_was_changed(log):
    result = call("check", "--folder", log.path.parent)
    assert result.exit_code == 0
    assert log.digest() in result.stdout
    log.path.write_bytes(log.path.read_bytes().replace(b"k=9", b"k=5"))
    result = call("check", "--folder", log.path.parent)
    assert result.exit_code == 1
    assert "line 2: does not follow the line before it" in result.stderr


def test_it_is_exported(log):
    file = log.path.with_name("audit.csv")
    assert call("export", file, "--folder", log.path.parent).stdout.strip().endswith("written: 1 run")
    assert file.read_text("utf-8").startswith("run,began,ended,who,")


def test_a_folder_without_a_log_and_a_file_of_another_form_are_refused(log):
    assert "there is no audit log" in call("show", "--folder", log.path.parent / "nowhere").stderr
    result = call("export", log.path.with_name("audit.txt"), "--folder", log.path.parent)
    assert result.exit_code == 2
    assert "expected a file that ends in .csv or .json" in result.stderr
