"""From a plan to a published folder with suppressed cells, and to the refusal where there is nothing to publish."""

import json
from itertools import product
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import krypsis
from krypsis.cli.main import app
from krypsis.release.audit_log import AUDIT_LOG
from krypsis.report import read_report

ROWS = [*["a,x"] * 3, "b,x", "c,x", "d,x", *["b,y"] * 2, *["c,y"] * 2, *["d,y"] * 2]
PLAN = """
data: people.csv
columns: {first: quasi-identifier, second: quasi-identifier, illness: sensitive}
promises: ["k-anonymity:k=2"]
algorithm: {name: mu-argus-improved, tolerance: 1}
"""
SIXTEEN = "a,b,c,d\n" + "\n".join(",".join(row) for row in product("01", repeat=4))
RANKED = """
data: people.csv
columns: {a: QI, b: QI, c: QI, d: QI}
promises: ["k-anonymity:k=2"]
algorithm: {name: mu-argus, ranks: {a: most, b: 2, c: identifying, d: not}}
"""


@pytest.fixture
def run(tmp_path: Path):
    def run(data: str, plan: str):
        (tmp_path / "people.csv").write_text(data, encoding="utf-8")
        (tmp_path / "plan.yaml").write_text(plan, encoding="utf-8")
        return CliRunner().invoke(app, ["run", str(tmp_path / "plan.yaml"), "--quiet", "--json"])

    return run


@pytest.fixture
def published(run, tmp_path):
    result = run("first,second,illness\n" + "\n".join(f"{row},flu{n}" for n, row in enumerate(ROWS)), PLAN)
    assert result.exit_code == 0, result.output
    return tmp_path, json.loads(result.stdout)


def test_suppressed_cells_are_published_as_stars_beside_their_own_sensitive_value(published):
    folder, _ = published
    table = pl.read_csv(folder / "release" / "data.csv", infer_schema=False)
    expected = {f"flu{n}": ("*", "*") if n in (3, 4, 5) else tuple(row.split(",")) for n, row in enumerate(ROWS)}
    assert {row["illness"]: (row["first"], row["second"]) for row in table.iter_rows(named=True)} == expected


def test_the_manifest_names_what_is_generalized_and_suppressed(published):
    folder, result = published
    manifest = json.loads((folder / "release" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["algorithm"] == "mu-argus-improved:tolerance=1.0"
    assert manifest["scheme"] == result["scheme"] == "AG_CS"
    assert manifest["levels"] == {}
    assert krypsis.Release.load(folder / "release").scheme == "AG_CS"


def test_the_checker_accepts_the_folder_and_the_report_shows_the_stars(published):
    folder, _ = published
    assert all(krypsis.check(folder / "release"))
    assert list(folder.glob("*report*.html"))
    report = read_report(folder / "release")
    gauge = report.section("lost").blocks[0].blocks[0]
    (detail,) = [part for part in gauge.parts if part.name == "detail"]
    # 3 of 12 records lost everything in both attributes.
    assert dict(detail.columns) == pytest.approx({"first": 0.75, "second": 0.75})
    after = report.section("attributes").blocks[1].blocks[0].charts[1]
    bars = {bar.label: bar.records for bar in after.bars}
    assert bars == {"a": 3, "b": 2, "c": 2, "d": 2, "*": 3}


def test_the_metrics_charge_suppressed_cells(published):
    metrics = published[1]["metrics"]
    assert metrics["discernibility"] == 3 * 3 + 3 * 3 + 3 * 2 * 2
    assert metrics["precision"] == pytest.approx(0.25)
    assert metrics["ncp"] == pytest.approx(0.25)
    assert metrics["suppressed-share"] == 0


def test_without_k_anonymity_nothing_is_written_and_the_user_is_told_loudly(run, tmp_path):
    result = run(SIXTEEN, RANKED)
    assert result.exit_code == 1
    assert "mu-argus does not reach k-anonymity here: 16 of 16 records" in result.stderr
    assert "combinations of four or more are never tested" in result.stderr
    assert "mu-argus-improved" in result.stderr
    assert {path.name for path in tmp_path.iterdir()} == {AUDIT_LOG, "people.csv", "plan.yaml"}


def test_a_wrong_rank_in_a_plan_is_refused_with_the_ranks_there_are(run):
    result = run(SIXTEEN, RANKED.replace("most", "mots"))
    assert result.exit_code == 2
    assert "1 (most), 2 (more)" in result.stderr
    result = run(SIXTEEN, RANKED.replace("{a: most", "{e: most"))
    assert result.exit_code == 2
    assert "column 'e' not found; columns: a, b, c, d" in result.stderr
