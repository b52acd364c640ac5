"""``krypsis history`` and the report of each version: where it lies, and what happens if it cannot be written."""

import json
import stat
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.test_history import begun, folder, history  # noqa: F401  a fixture
from history.people import FIRST
from krypsis.cli.main import app
from krypsis.kinds.history import version_tables
from krypsis.kinds.history.history import History
from krypsis.report import files, html

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def private(folder):  # noqa: F811
    return folder / "history" / "private"


def reports(private):
    return sorted(path.name for path in private.glob("*.report.*") if path.is_file())


def test_every_version_gets_a_report_that_only_its_owner_can_read(private):
    assert "1.report.html" in begun().stdout
    published = history("publish", "patients-2.csv")
    assert str(private / "2.report.html") in published.stdout
    assert "writing the report" in published.stderr
    assert reports(private) == [f"{version}.report.{form}" for version in (1, 2) for form in ("html", "json")]
    assert {stat.S_IMODE((private / name).stat().st_mode) for name in reports(private)} == {0o600}
    assert "Version 2 of a table that changes" in (private / "2.report.html").read_text("utf-8")
    assert history("check").exit_code == 0  # the reports disturb nothing
    # All of this may be given away, so nothing else lies there.
    assert sorted(path.name for path in (private.parent / "releases").iterdir()) == ["1", "2"]


def test_the_document_names_the_report(private):
    begun()
    assert json.loads(history("simulate", "patients-2.csv", "--json").stdout)["report"] is None
    told = json.loads(history("publish", "patients-2.csv", "--json").stdout)
    assert told["report"] == str(private / "2.report.html")


def test_no_report_is_written_if_none_is_wanted(private):
    assert history("init", "patients.csv", "--no-report", "--quiet").exit_code == 0
    (private / "2.report.html").write_text("of a version that was taken back")
    published = history("publish", "patients-2.csv", "--no-report", "--quiet")
    assert published.exit_code == 0
    assert "report" not in published.stdout
    assert reports(private) == []


def test_a_report_is_written_in_other_forms_later(private):
    begun()
    made = CliRunner().invoke(app, ["report", "history/releases/1", "--pdf"])
    assert made.exit_code == 0, made.stderr
    assert made.stdout.strip() == str(private / "1.report.pdf")
    assert (private / "1.report.pdf").read_bytes().startswith(b"%PDF")


def test_a_version_stays_published_if_its_report_cannot_be_written(private):
    begun()
    (private / "2.report.json").mkdir()
    failed = history("publish", "patients-2.csv", "--quiet")
    assert failed.exit_code == 2
    assert "version 2 is published in history/releases/2, do not publish it again" in failed.stderr
    assert "only its report could not be written" in failed.stderr
    assert [line.partition(":")[0] for line in history("log").stdout.splitlines()] == ["Version 1", "Version 2"]
    assert reports(private) == ["1.report.html", "1.report.json"]
    assert CliRunner().invoke(app, ["check", "history/releases/2"]).exit_code == 3


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt(), 130), (OSError(28, "No space left on device"), 74)])
def test_whatever_stops_a_report_the_first_version_stays(private, monkeypatch, error, code):
    def stop(*_):
        raise error

    monkeypatch.setattr(files, "write_private_files", stop)
    failed = history("init", "patients.csv", "--quiet")
    assert failed.exit_code == code
    assert "version 1 is published in history/releases/1, do not publish it again" in failed.stderr
    assert len(History.open("history").log()) == 1
    assert reports(private) == []


def test_without_what_a_report_needs_nothing_is_published(folder, monkeypatch):  # noqa: F811
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    html.environment.cache_clear()
    failed = history("init", "patients.csv", "--quiet")
    assert failed.exit_code == 2
    assert "krypsis[report]" in failed.stderr
    assert not (folder / "history").exists()
    assert history("init", "patients.csv", "--quiet", "--no-report").exit_code == 0


def test_of_very_many_records_there_is_no_report_and_the_reason_is_told(private, monkeypatch):
    monkeypatch.setattr(version_tables, "MOST_COMPARED", FIRST.height - 1)
    assert "report   none: with this many records" in begun().stdout
    assert reports(private) == []


def test_penalties_with_the_weights_of_the_plan_are_in_the_report_and_in_nothing_that_is_published(tmp_path):
    rows = "".join(f"p{number},{20 + number},{('flu', 'gout')[number % 2]}\n" for number in range(6))
    (tmp_path / "people.csv").write_text("id,age,illness\n" + rows)
    columns = "{id: identifier, age: {role: quasi-identifier, weight: 3}, illness: sensitive}"
    method = "m-invariant:c=1/4,sensitive_weight=1"
    plan = f'data: people.csv\ncolumns: {columns}\npromises: ["m-invariance:m=2"]\nalgorithm: "{method}"\n'
    (tmp_path / "plan.yaml").write_text(plan)
    words = ["history", "init", str(tmp_path / "people.csv"), "--plan", str(tmp_path / "plan.yaml")]
    result = CliRunner().invoke(app, [*words, "--folder", str(tmp_path / "history"), "--quiet", "--json"])
    assert result.exit_code == 0, result.stderr
    document = json.loads(result.stdout)
    # Three groups of two neighbors, of which the flat hierarchy relates flu to itself by 1/2 and to gout by 1.
    perimeter, published = document["penalties"]["perimeter"], document["penalties"]["published"]
    assert perimeter["ncp_s"] == pytest.approx((1 / 2 + 1) / 2)
    assert perimeter["ncp_tau"] == pytest.approx(0.25 * 0.75 + 0.75 * (1 / 5))
    assert published["ncp_tau"] == pytest.approx(0.25 * 0.75)
    assert perimeter["ncp_c"] is None
    measured = CliRunner().invoke(app, ["history", "measure", "--folder", str(tmp_path / "history"), "--json"])
    assert json.loads(measured.stdout) == {"1": document["penalties"]}
    said = CliRunner().invoke(app, ["history", "measure", "--folder", str(tmp_path / "history")]).stdout
    assert "version 1, perimeter: ncp_s 0.75, ncp_tau 0.3375, ncp_c –, total 2.025\n" in said
    release = str(tmp_path / "history" / "releases" / "1")
    refused = CliRunner().invoke(app, ["measure", release, "--plan", str(tmp_path / "plan.yaml")])
    assert refused.exit_code == 2
    assert "krypsis history measure" in refused.stderr
    report = json.loads(Path(document["report"]).with_suffix(".json").read_text())
    assert "NCP_τ" in json.dumps(report, ensure_ascii=False)
    for file in Path(document["release"]).iterdir():
        assert "ncp" not in file.read_text(), file
        assert "sensitive_weight" not in file.read_text(), file
