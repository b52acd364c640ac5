"""Metrics of sets on request: in the plan, by ``krypsis measure``, in the report, and in nothing that is published."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from algorithms.sets.test_disassociation_figures import CONSTRAINTS, PATIENTS
from krypsis import registry
from krypsis.cli.main import app
from krypsis.data.transactions import Transactions
from krypsis.errors import UsageError
from krypsis.kinds.sets.measures import all_metrics, measure_each, metrics_named
from krypsis.kinds.sets.plan import SetsPlan
from krypsis.report import build_report
from krypsis.report.blocks import Number, plain

HEALTH = {
    "kind": "transactions",
    "promises": ["km-anonymity:k=3,m=2"],
    "algorithm": {"name": "disassociation", "max_cluster_size": 6, "constraints": CONSTRAINTS},
}
# S9.19, figure 4.6: the signed errors of the five constraints.
ERRORS = {tuple(sorted(one)): error for one, error in zip(CONSTRAINTS, [0, 0, 0.5, 0.5, 0], strict=True)}


def errors_in(found):
    return {tuple(sorted(items.split(", "))): error for items, error in found["errors"].items()}


def test_a_plan_asks_for_the_signed_error_of_each_constraint_as_in_figure_4_6():
    plan = SetsPlan.of({**HEALTH, "data": "codes.txt", "measures": ["mre", "tlost", "re:first_rank=0,last_rank=3"]})
    release = plan.bind(PATIENTS).release()
    mre, tlost, pairs = release.private["measures"]
    assert errors_in(mre) == ERRORS
    assert mre["value"] == pytest.approx(0.2)
    assert tlost["metric"] == "tlost:k=3"  # the k of the promise
    assert 0 <= pairs["value"] <= 2
    assert not {"mre", "tlost", "re"} & set(release.metrics)
    assert "404.00" not in repr(release)


def test_the_report_shows_the_figures_with_the_errors_folded():
    plan = SetsPlan.of({**HEALTH, "data": "codes.txt", "measures": ["mre", "tkd-ml2"]})
    section = build_report(plan.bind(PATIENTS).release()).section("measures")
    table, errors = (panel.blocks for panel in section.blocks)
    assert [plain(row.cells[0].words) for row in table[0].rows] == ["mre", "tkd-ml2"]
    assert "needs a hierarchy" in plain(table[0].rows[1].cells[2].words)
    (folded,) = [block for block in errors if block.type == "folded"]
    shown = {plain(row.cells[0].words): row.cells[1].words[0] for row in folded.blocks[0].rows}
    assert shown["401.0, 404.00"] == Number(0.5, "fine share")
    (bars,) = [block for block in errors if block.type == "bars"]
    assert {bar.label: bar.records for bar in bars.bars if bar.records} == {"0% to 2.5%": 3, "25% and above": 2}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "codes.txt").write_text("\n".join(",".join(one) for one in PATIENTS) + "\n")
    (tmp_path / "wanted.json").write_text(json.dumps(CONSTRAINTS))
    (tmp_path / "plan.yaml").write_text(
        "data: codes.txt\nkind: transactions\npromises: ['km-anonymity:k=3,m=2']\n"
        "algorithm: disassociation:max_cluster_size=6\nitems: {constraints: wanted.json}\noutput: {report: false}\n"
        "measures: [mre]\n"
    )
    result = CliRunner().invoke(app, ["run", str(tmp_path / "plan.yaml"), "--quiet"])
    assert result.exit_code == 0, result.stderr
    return tmp_path


def test_a_release_is_measured_from_its_files_and_the_plan(folder):
    def measure(*words):
        words = ["measure", str(folder / "release"), "--plan", str(folder / "plan.yaml"), *words]
        return CliRunner().invoke(app, words)

    (mre,) = json.loads(measure("--json").stdout)
    assert errors_in(mre) == ERRORS
    text = measure("--metric", "mre", "--metric", "tkd-a:top=5").stdout
    assert "mre: 0.2\n" in text
    assert "  480.1: +50.00%\n" in text
    assert "tkd-a:top=5: " in text
    refused = measure("--metric", "loss")
    assert refused.exit_code == 2
    assert "loss does not measure sets of items; these do: are, " in refused.stderr
    for file in (folder / "release").iterdir():
        assert b"measures" not in file.read_bytes()
        assert b"mre" not in file.read_bytes()


def test_every_metric_is_measured_or_says_why_not():
    sets = Transactions.of_sets(PATIENTS)
    found = {
        one.metric.partition(":")[0]: one
        for one in measure_each(all_metrics(), sets, sets, None, np.random.default_rng(1), in_order=False)
    }
    assert set(found) == {metric.name for metric in all_metrics()}
    assert all(one.value == pytest.approx(0) for one in found.values() if one.value is not None)
    assert found["tkd"].value == found["are"].value == 0
    assert "compares records one by one" in found["set-ncp"].reason
    assert "only 13 items occur" in found["re"].reason
    assert not [one for one in found.values() if one.value is None and not one.reason]


def test_a_table_has_all_its_figures_in_the_report(tmp_path):
    (tmp_path / "ages.csv").write_text("age\n31\n31\n")
    plan = tmp_path / "plan.yaml"
    plan.write_text("data: ages.csv\ncolumns: {age: quasi-identifier}\npromises: ['k-anonymity:k=2']\n")
    assert CliRunner().invoke(app, ["run", str(plan), "--quiet", "--no-report"]).exit_code == 0
    result = CliRunner().invoke(app, ["measure", str(tmp_path / "release"), "--plan", str(plan)])
    assert result.exit_code == 2
    assert "measured when it is published" in result.stderr


def test_a_metric_of_tables_is_refused_in_a_plan_of_sets():
    with pytest.raises(UsageError, match="precision does not measure sets"):
        metrics_named(["precision"])
    assert registry.find("metric", "mre")
