"""The audit log: every run is in it, nothing is changed in it, and nobody else reads it."""

import csv
import hashlib
import json
import stat

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from krypsis.errors import DataError, Infeasible, OutputError, PrivacyRefused, UsageError
from krypsis.kinds.publishing import publish
from krypsis.plan import Plan
from krypsis.progress import Interrupted
from krypsis.release.audit_log import AuditLog

ROWS = pl.DataFrame({"age": ["31", "31", "40", "40"], "disease": ["flu", "gout", "flu", "gout"]})
PLAN = """\
data: people.csv
columns:
  age: {role: quasi-identifier, hierarchy: {kind: flat}}
  disease: sensitive
promises: ["k-anonymity:k=2"]
output: {report: false}
"""
DOSSIER = """\
dossier:
  profile: gr-2472-1997
  controller: {name: Clinic}
  purpose: research
  legal_basis: contract
  recipients: [university]
  retention: a year
  security_measures: [locked room]
  data_origin: patients
  authority_notification: "12, 2016-03-01"
  processing_methods: [generalization]
  access_right_procedure: by letter
"""


@pytest.fixture
def plan(tmp_path):
    ROWS.write_csv(tmp_path / "people.csv")
    return Plan.parse(PLAN, tmp_path)


def test_a_run_is_noted_with_who_when_plan_checksum_and_verdicts(plan, tmp_path):
    published = publish(plan, tmp_path / "release")
    (run,) = AuditLog.of(tmp_path).runs()
    assert published.paths["audit log"] == tmp_path / "audit.jsonl"
    assert run.outcome == "published"
    assert run.begin.who
    assert run.begin.time <= run.end.time
    assert json.loads(run.begin.plan)["promises"] == ["k-anonymity:k=2"]
    assert run.begin.plan_sha256 == hashlib.sha256(run.begin.plan.encode()).hexdigest()
    assert (run.begin.data, run.end.data_sha256) == (
        "people.csv",
        hashlib.sha256((tmp_path / "people.csv").read_bytes()).hexdigest(),
    )
    assert run.end.release_id == published.release.release_id
    assert [(one.promise, one.holds, one.achieved) for one in run.end.verdicts] == [("k-anonymity:k=2", True, 2)]


def test_only_the_owner_can_read_it_and_no_sensitive_value_is_in_it(plan, tmp_path):
    publish(plan, tmp_path / "release")
    path = tmp_path / "audit.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "gout" not in path.read_text("utf-8")


def test_a_run_that_is_infeasible_or_refused_is_noted_with_the_checksum_of_its_data(plan, tmp_path):
    with pytest.raises(Infeasible):
        publish(plan.model_copy(update={"promises": ("k-anonymity:k=9",)}), tmp_path / "release")
    publish(plan, tmp_path / "release")
    with pytest.raises(OutputError):  # a release lies there
        publish(plan, tmp_path / "release")
    found = AuditLog.of(tmp_path).runs()
    assert [run.outcome for run in found] == ["infeasible", "published", "failed"]
    assert found[0].end.data_sha256 == found[1].end.data_sha256
    assert found[2].end.reason == "OutputError"


@pytest.mark.parametrize(
    ("error", "outcome"),
    [(PrivacyRefused("gout"), "refused"), (Interrupted("gout"), "interrupted"), (ZeroDivisionError("gout"), "failed")],
)
def test_how_a_run_ended_is_noted_without_the_message_which_may_hold_values(tmp_path, error, outcome):
    log = AuditLog.of(tmp_path)
    with pytest.raises(type(error)), log.running("run", {}, "people.csv"):
        raise error
    assert [run.outcome for run in log.runs()] == [outcome]
    assert "gout" not in log.path.read_text("utf-8")


def test_a_run_that_was_killed_has_no_end(tmp_path):
    log = AuditLog.of(tmp_path)
    entered = log.running("run", {}, "people.csv")
    entered.__enter__()
    assert [run.outcome for run in log.runs()] == ["not ended"]


def test_no_run_goes_without_its_line(plan, tmp_path):
    (tmp_path / "audit.jsonl").mkdir()
    with pytest.raises(OutputError, match=r"the audit log .* cannot be written"):
        publish(plan, tmp_path / "release")
    assert not (tmp_path / "release").exists()


def test_a_log_that_is_a_link_is_not_followed(tmp_path):
    (tmp_path / "target").write_text("", "utf-8")
    (tmp_path / "audit.jsonl").symlink_to(tmp_path / "target")
    with pytest.raises(OutputError), AuditLog.of(tmp_path).running("run", {}, "people.csv"):
        pass
    assert (tmp_path / "target").read_text("utf-8") == ""


def written(folder, runs=3):
    log = AuditLog.of(folder)
    for number in range(runs):
        with pytest.raises(Infeasible), log.running("run", {"k": number}, "people.csv"):
            raise Infeasible("no")
    return log


def test_the_chain_is_that_of_the_checksums_of_the_lines(tmp_path):
    """An oracle that knows nothing of the module."""
    log = written(tmp_path)
    lines = log.path.read_bytes().splitlines()
    sums = ["", *(hashlib.sha256(line).hexdigest() for line in lines)]
    assert [json.loads(line).get("before", "") for line in lines] == sums[:-1]
    assert log.digest() == sums[-1]


@settings(max_examples=examples(300), deadline=None)
@given(st.data())
def test_whatever_is_changed_removed_or_moved_before_the_last_line_is_found(tmp_path_factory, data):
    log = written(tmp_path_factory.mktemp("log"))
    lines = log.path.read_bytes().splitlines(keepends=True)
    assert log.problems() == ()
    place = data.draw(st.integers(0, len(lines) - 2))
    match data.draw(st.sampled_from(["change", "remove", "repeat", "swap"])):
        case "change":
            lines[place] = lines[place].replace(b'"time":"2', b'"time":"1', 1)
        case "remove":
            del lines[place]
        case "repeat":
            lines.insert(place, lines[place])
        case "swap":
            lines[place], lines[place + 1] = lines[place + 1], lines[place]
    log.path.write_bytes(b"".join(lines))
    assert log.problems()


def test_a_line_that_a_full_disk_left_half_written_stays_and_the_log_goes_on(tmp_path):
    log = written(tmp_path, 1)
    log.path.write_bytes(log.path.read_bytes()[:-20])
    written(tmp_path, 1)
    assert log.problems() == ("line 2: no line of an audit log (1 problems)",)
    with pytest.raises(DataError, match=r"line 2: no line of an audit log .* 'krypsis audit check'"):
        log.runs()


def test_it_is_exported_as_csv_and_as_json_to_new_private_files(tmp_path):
    log = written(tmp_path)
    for name in ("a.csv", "a.json"):
        log.export(tmp_path / name)
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    rows = list(csv.DictReader((tmp_path / "a.csv").read_text("utf-8").splitlines()))
    assert [row["outcome"] for row in rows] == ["infeasible"] * 3
    full = json.loads((tmp_path / "a.json").read_text("utf-8"))
    assert [json.loads(run["plan"]) for run in full] == [{"k": 0}, {"k": 1}, {"k": 2}]
    with pytest.raises(OutputError, match="is there already; name a new file"):
        log.export(tmp_path / "a.csv")
    with pytest.raises(UsageError, match=r"ends in .csv or .json, got a.xlsx"):
        log.export(tmp_path / "a.xlsx")


def test_a_folder_without_a_log_is_named(tmp_path):
    with pytest.raises(DataError, match=r"there is no audit log .*'krypsis run' begins one"):
        AuditLog.of(tmp_path).runs()


def test_the_dossier_holds_all_runs_and_the_checksum_and_the_statement_nothing_of_it(tmp_path):
    ROWS.write_csv(tmp_path / "people.csv")
    plan = Plan.parse(PLAN.replace("report: false", "report: true") + DOSSIER, tmp_path)
    with pytest.raises(Infeasible):
        publish(plan.model_copy(update={"promises": ("k-anonymity:k=9",)}), tmp_path / "release")
    paths = publish(plan, tmp_path / "release").paths
    done = json.loads(paths["dossier"].read_text("utf-8"))["anonymisation"]
    assert [run["outcome"] for run in done["runs"]] == ["infeasible", "published"]
    assert done["runs"][1]["verdicts"] == ["k-anonymity:k=2 kept (2)"]
    assert done["audit_log_sha256"] == AuditLog.of(tmp_path).digest()
    page = paths["report"].read_text("utf-8")
    assert "Runs of this project" in page
    assert done["audit_log_sha256"] in page
    assert done["runs"][0]["who"] + ", run" not in paths["statement"].read_text("utf-8")
    assert done["audit_log_sha256"] not in paths["statement"].read_text("utf-8")
