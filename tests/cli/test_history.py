"""``krypsis history``, from the first table to the last check."""

import json
import shlex
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from history.people import FIRST, SECOND
from krypsis.cli.main import app
from krypsis.kinds.history.history import History

PLAN = """
data: patients.csv
columns:
  name: identifier
  age: quasi-identifier
  zipcode: quasi-identifier
  disease: sensitive
promises: ["m-invariance:m=2"]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FIRST.write_csv(tmp_path / "patients.csv")
    SECOND.write_csv(tmp_path / "patients-2.csv")
    (tmp_path / "plan.yaml").write_text(PLAN, "utf-8")
    return tmp_path


def history(*arguments):
    return CliRunner().invoke(app, ["history", *map(str, arguments)])


def begun():
    result = history("init", "patients.csv", "--id", "name", "--plan", "plan.yaml", "--quiet")
    assert result.exit_code == 0, result.stderr
    return result


def test_a_history_begins_with_a_plan_and_goes_on_with_every_table(folder):
    assert "Version 1: 11 records, 11 new" in begun().stdout
    result = history("publish", "patients-2.csv")
    assert result.exit_code == 0, result.stderr
    assert "Version 2: 11 records, 5 new, 5 gone, 0 changed, 0 back again" in result.stdout
    assert "Kept in this release and all before" in result.stdout
    assert "comparing with the versions before" in result.stderr
    assert (folder / "history" / "releases" / "2" / "manifest.json").is_file()
    log = history("log").stdout.splitlines()
    assert [line.partition(":")[0] for line in log] == ["Version 1", "Version 2"]
    check = history("check")
    assert (check.exit_code, check.stdout.startswith("Kept over 2 release(s)")) == (0, True)
    attack = history("attack")
    assert attack.exit_code == 0
    assert attack.stdout.startswith("Highest risk: identification, 100 %: up to 11 of 11 people have published")
    assert "16 people in 2 release(s); promised: a chance of at most 1/2 to learn a sensitive value." in attack.stdout
    assert "intersection: the best guess about 16 people is right with a chance of 1/2 at most" in attack.stdout
    assert "critical absence: nothing is learned." in attack.stdout
    assert CliRunner().invoke(app, ["check", "history/releases/2"]).exit_code == 3


@pytest.mark.usefixtures("folder")
def test_checking_the_folder_of_a_history_gives_the_command_that_checks_it():
    begun()
    refused = CliRunner().invoke(app, ["check", "history"])
    assert refused.exit_code == 2
    command = refused.stderr.partition("all its releases together: krypsis ")[2]
    assert CliRunner().invoke(app, shlex.split(command)).exit_code == 0


def test_results_as_one_document(folder):
    begun()
    simulated = json.loads(history("simulate", "patients-2.csv", "--json").stdout)
    assert (simulated["version"], simulated["deleted"], simulated["release"]) == (2, 5, None)
    published = json.loads(history("publish", "patients-2.csv", "--version", 2, "--json").stdout)
    assert published["release"] == str(folder.joinpath("history/releases/2").relative_to(folder))
    assert [entry["version"] for entry in json.loads(history("log", "--json").stdout)] == [1, 2]
    assert json.loads(history("check", "--json").stdout)["holds"] is True
    attack = json.loads(history("attack", "--json").stdout)
    assert (attack["people"], attack["limit"], attack["worst"], attack["holds"]) == (16, "1/2", "1/2", True)
    assert [entry["breached"] for entry in attack["attacks"]] == [0, 0]


def test_a_simulation_writes_nothing(folder):
    begun()
    result = history("simulate", "patients-2.csv", "--quiet")
    assert "nothing was written" in result.stdout
    assert [path.name for path in (folder / "history" / "releases").iterdir()] == ["1"]


def test_the_private_state_is_exported_to_a_new_folder(folder):
    begun()
    assert history("export", "state").exit_code == 0
    assert (folder / "state" / "people.parquet").is_file()
    assert history("export", "state").exit_code == 2


def test_a_first_version_that_cannot_be_published_leaves_no_history_behind(folder):
    FIRST.head(1).write_csv(folder / "patients.csv")
    result = history("init", "patients.csv", "--id", "name", "--plan", "plan.yaml")
    assert result.exit_code == 1
    assert "groups of 2 different values are wanted, and 'disease' has only 1" in result.stderr
    assert not (folder / "history").exists()


def test_mistakes_are_told_with_exit_code_2(folder):
    assert history("publish", "patients-2.csv").exit_code == 2
    assert "'krypsis history init' begins one" in history("log").stderr
    begun()
    assert "is there already" in history("init", "patients.csv", "--id", "name", "--plan", "plan.yaml").stderr
    late = history("publish", "patients-2.csv", "--version", 7)
    assert (late.exit_code, "the next one is 2" in late.stderr) == (2, True)
    assert "krypsis history" in CliRunner().invoke(app, ["run", "plan.yaml", "--quiet"]).stderr
    assert (folder / "history").is_dir()


def test_a_second_publisher_is_told_to_wait(folder):
    begun()
    program = (
        "import sys, time; from pathlib import Path; from krypsis.kinds.history.storage import only_one\n"
        "with only_one(Path('history/private/lock')):\n    print('held', flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
    assert other.stdout.readline() == b"held\n"
    result = history("publish", "patients-2.csv", "--quiet")
    other.communicate()
    assert result.exit_code == 2
    assert f"somebody else is working on this history (process {other.pid})" in result.stderr
    assert history("publish", "patients-2.csv", "--quiet").exit_code == 0


def test_nothing_but_the_answer_is_printed_at_the_end_of_the_process(folder):
    """DuckDB's binding reports what is left at the end of a process as lost, on stderr."""
    begun()
    command = [sys.executable, "-m", "krypsis.cli.main", "history", "publish", "patients-2.csv", "--quiet"]
    result = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    assert result.stderr == ""
    assert "Version 2" in result.stdout


def test_a_history_whose_first_release_is_out_stays_even_if_the_end_went_wrong(folder, monkeypatch):
    def published_and_then_broken(self, frame, progress):
        publish(self, frame, progress=progress)
        raise OSError("no space left on the disk")

    publish = History.publish
    monkeypatch.setattr(History, "publish", published_and_then_broken)
    assert history("init", "patients.csv", "--id", "name", "--plan", "plan.yaml").exit_code != 0
    assert (folder / "history" / "releases" / "1" / "manifest.json").is_file()


def test_a_plan_for_one_table_begins_a_history_if_its_promise_is_about_several(folder):
    """What 'krypsis init' writes besides, a metric and a limit for suppressed records, is in nobody's way."""
    (folder / "plan.yaml").write_text(PLAN + "metric: loss\nsuppression: 2%\n", "utf-8")
    begun()


def test_a_limit_for_suppressed_records_is_refused_where_records_may_wait(folder):
    text = PLAN + "suppression: 2%\nalgorithm: m-invariant:on_ineligible=defer\n"
    (folder / "plan.yaml").write_text(text, "utf-8")
    result = history("init", "patients.csv", "--id", "name")
    assert result.exit_code == 2
    assert "'suppression': records that wait or are withheld are not limited" in result.stderr


def test_a_plan_of_the_wrong_kind_is_told_with_the_way_to_the_right_one(folder):
    (folder / "plan.yaml").write_text(PLAN.replace("m-invariance:m=2", "k-anonymity:k=5"), "utf-8")
    result = history("init", "patients.csv")
    assert result.exit_code == 2
    assert "'krypsis init FILE --kind history' writes a plan that fits" in result.stderr


def test_the_only_identifier_says_whose_record_it_is(folder):
    assert history("init", "patients.csv", "--quiet").exit_code == 0
    two = PLAN.replace("age: quasi-identifier", "age: identifier")
    (folder / "plan.yaml").write_text(two, "utf-8")
    result = history("init", "patients.csv", "--folder", "other")
    assert (result.exit_code, "(name, age)" in result.stderr) == (2, True)


def test_what_is_in_the_way_of_one_version_can_be_decided_for_it(folder):
    begun()
    flu = FIRST.with_columns(disease=FIRST["disease"].replace("bronchitis", "measles"))
    flu.write_csv(folder / "changed.csv")
    assert history("publish", "changed.csv", "--quiet").exit_code == 2
    simulated = history(
        "simulate", "changed.csv", "--quiet", "--on-changed", "renew", "--on-ineligible", "counterfeits"
    )
    assert "nothing was written" in simulated.stdout
    done = history("publish", "changed.csv", "--quiet", "--on-changed", "renew", "--on-ineligible", "counterfeits")
    assert done.exit_code == 0, done.stderr
    assert history("check").exit_code == 0
    again = FIRST.with_columns(disease=FIRST["disease"].replace("flu", "gout"))
    again.write_csv(folder / "again.csv")
    assert history("publish", "again.csv", "--quiet").exit_code == 2, "the plan still says that this is an error"
