"""What would help a poor result: each figure is that of the run it names."""

import shlex

import polars as pl
import pytest
from typer.testing import CliRunner

from kinds.table.test_auto import people
from krypsis.cli.main import app
from krypsis.kinds.publishing import publish
from krypsis.kinds.table.improvements import TEXTS, improvements
from krypsis.plan import Plan
from krypsis.web.texts import catalogue

PLAN = """
data: people.csv
columns:
  age: {role: quasi-identifier, hierarchy: {kind: intervals, width: 5}}
  zip: {role: quasi-identifier, hierarchy: {kind: masking, side: right}}
  job: quasi-identifier
promises: ["k-anonymity:k=5"]
algorithm: optimal
output: {report: false}
"""


@pytest.fixture
def poor(tmp_path):
    people(600).write_csv(tmp_path / "people.csv")
    (tmp_path / "plan.yaml").write_text(PLAN)
    return tmp_path


def test_every_improvement_is_what_a_run_with_it_has(poor):
    plan = Plan.load(poor / "plan.yaml")
    found = {one.what: one.score for one in improvements(plan.run(), plan.bind(plan.read_data()), seconds=60)}
    assert found
    changed = {
        "the algorithm mondrian": {"algorithm": "mondrian"},
        "k = 4": {"promises": ("k-anonymity:k=4",)},
        "suppressing one more percent": {"suppression": "1%"},
    }
    without = {f"leaving out {name!r} (in the other columns)": name for name in plan.columns}
    for what, score in found.items():
        if what in changed:
            other = plan.model_copy(update=changed[what])
        else:
            columns = {name: one for name, one in plan.columns.items() if name != without[what]}
            other = plan.model_copy(update={"columns": columns})
        assert other.run().score == pytest.approx(score), what


def test_a_good_result_needs_no_help(poor):
    pl.concat([people(20)] * 30).write_csv(poor / "people.csv")
    plan = Plan.load(poor / "plan.yaml")
    assert not improvements(plan.run(), plan.bind(plan.read_data()))


def test_without_time_nothing_is_computed(poor):
    plan = Plan.load(poor / "plan.yaml")
    assert not improvements(plan.run(), plan.bind(plan.read_data()), seconds=-1)


def test_the_command_that_would_help_is_shown_and_does_what_it_says(poor):
    poorly = CliRunner().invoke(app, ["run", str(poor / "plan.yaml"), "--quiet"])
    (line,) = (line for line in poorly.stdout.splitlines() if "--algorithm mondrian" in line)
    command = shlex.split("krypsis " + line.partition(": krypsis ")[2])
    better = CliRunner().invoke(app, [*command[1:], "--quiet"])
    assert better.exit_code == 0
    assert "What would help" not in better.stdout


@pytest.mark.parametrize("language", ["en", "el"])
def test_the_pages_have_every_improvement_in_both_languages(language):
    values = {"name": "age", "k": "4", "share": "2.0%", "score": "0.3"}
    for key in TEXTS:
        text = catalogue(language)[f"run.help-{key}"]
        assert "0.3" in text.format(**values)
        assert any("α" <= letter <= "ω" for letter in text) == (language == "el")


def test_a_run_keeps_what_the_pages_need_to_say_an_improvement(poor):
    result = publish(Plan.load(poor / "plan.yaml"), poor / "release").as_dict()
    assert result["improvements"]
    for said, parts in zip(result["improvements"], result["improvement_parts"], strict=True):
        assert f"would lower the loss to {parts['score']}" in said
        assert parts["score"] in catalogue("el")[f"run.help-{parts['what']}"].format(**parts)
    for file in (poor / "release").iterdir():
        assert b"would lower" not in file.read_bytes()
        assert b"improvement" not in file.read_bytes()
