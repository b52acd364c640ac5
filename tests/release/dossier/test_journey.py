"""``krypsis dossier``, and a run with a dossier."""

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from krypsis.cli.main import app
from krypsis.kinds.table.demo import hospital, hospital_plan
from krypsis.release.dossier import read_dossier
from krypsis.version import __version__
from release.dossier.examples import EUROPEAN, GREEK, changed

pytestmark = pytest.mark.exposed

EXAMPLES = Path(__file__).parents[3] / "examples"
PEOPLE = "name,age,sex,disease\nAnn,31,F,flu\nBob,34,F,flu\nCat,47,M,cancer\nDan,48,M,flu\n"
PLAN = {
    "data": "people.csv",
    "columns": {
        "name": "identifier",
        "age": {"role": "quasi-identifier", "hierarchy": {"kind": "intervals", "width": 10}},
        "sex": "quasi-identifier",
        "disease": "sensitive",
    },
    "promises": ["k-anonymity:k=2"],
}
RESEARCH = changed(
    GREEK,
    {
        "legal_basis": "research_anonymous",
        "sensitive_categories": ["health_and_welfare"],
        "exemptions": ["research_anonymous"],
        "recipient_countries": ["GR", "CH"],
    },
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PEOPLE)
    return tmp_path


def krypsis(*arguments):
    return CliRunner().invoke(app, arguments)


def run(plan, *arguments):
    Path("plan.yaml").write_text(yaml.safe_dump(plan, allow_unicode=True), encoding="utf-8")
    return krypsis("run", "plan.yaml", "--json", *arguments)


def written(result, name):
    assert result.exit_code == 0, result.stderr
    return Path(json.loads(result.stdout)["paths"][name])


def write(content, name="dossier.yaml"):
    Path(name).write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")


def test_a_dossier_is_written_to_fill_in_and_never_over_another():
    result = krypsis("dossier", "init")
    assert result.exit_code == 0
    assert "no legal advice" in result.stdout
    assert read_dossier("dossier.yaml").profile == "eu-gdpr"
    Path("dossier.yaml").write_text("mine")
    again = krypsis("dossier", "init")
    assert again.exit_code == 2
    assert "dossier.yaml exists; add --force" in again.stderr
    assert Path("dossier.yaml").read_text() == "mine"
    assert krypsis("dossier", "init", "--force", "--profile", "gr-2472-1997").exit_code == 0
    assert read_dossier("dossier.yaml").profile == "gr-2472-1997"


def test_a_dossier_is_written_where_it_is_wanted():
    assert krypsis("dossier", "init", "φάκελος.yaml").exit_code == 0
    assert read_dossier("φάκελος.yaml").profile == "eu-gdpr"
    assert "such as sub/dossier.yaml" in _refused("dossier", "init", str(_made("sub")))
    assert "does not exist" in _refused("dossier", "init", "nowhere/dossier.yaml")
    assert "Did you mean 'eu-gdpr'?" in _refused("dossier", "init", "new.yaml", "--profile", "eu-gdp")
    assert not Path("new.yaml").exists()


def _made(name):
    Path(name).mkdir()
    return Path(name)


def _refused(*arguments):
    result = krypsis(*arguments)
    assert result.exit_code == 2
    return result.stderr


def test_a_sound_dossier_is_told_so_with_what_to_think_of():
    write(changed(EUROPEAN, {"recipient_countries": ["US"]}))
    result = krypsis("dossier", "check")
    assert result.exit_code == 0
    assert "keeps every rule of the profile eu-gdpr" in result.stdout
    assert "Data Privacy Framework" in result.stdout


def test_a_dossier_that_breaks_rules_is_told_all_of_them_and_exit_code_1():
    write(changed(EUROPEAN, {"purpose": "", "recipient_countries": ["CN"]}))
    result = krypsis("dossier", "check", "dossier.yaml")
    assert result.exit_code == 1
    assert "breaks 2 rules" in result.stderr
    assert all(f"  - {field}: " in result.stderr for field in ("purpose", "recipient_countries"))


def test_a_dossier_that_cannot_be_understood_is_exit_code_2():
    write(changed(EUROPEAN, {"purpos": "x"}))
    result = krypsis("dossier", "check", "dossier.yaml")
    assert result.exit_code == 2
    assert "Did you mean 'purpose'?" in result.stderr


def test_what_the_run_fills_in_is_asked_for_unless_the_run_is_to_come():
    write(RESEARCH)
    assert krypsis("dossier", "check").exit_code == 1
    assert krypsis("dossier", "check", "--before-run").exit_code == 0


def test_a_run_fills_the_dossier_in_and_writes_it_for_its_owner_alone():
    write(RESEARCH)
    result = run({**PLAN, "dossier": "dossier.yaml"})
    path = written(result, "dossier")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.parent == written(result, "release").parent
    done = json.loads(path.read_text("utf-8"))["anonymisation"]
    assert done["model"] == "k-anonymity"
    assert done["parameters"] == {"k-anonymity:k=2": {"k": 2}}
    assert done["achieved"] == {"k-anonymity:k=2": 2}
    assert done["attribute_roles"]["name"] == "identifier"
    # Four people who all differ before; two groups of two after.
    assert (done["risk_before"]["records-alone"], done["risk_after"]["records-alone"]) == (4, 0)
    assert (done["risk_before"]["highest-prosecutor-risk"], done["risk_after"]["highest-prosecutor-risk"]) == (1, 0.5)
    assert done["information_loss"]["suppressed-share"] == 0
    assert done["tool_version"] == __version__
    assert done["release_id"][:8] in path.name
    assert krypsis("dossier", "check", str(path)).exit_code == 0


def test_the_release_folder_holds_nothing_of_the_dossier():
    write(RESEARCH)
    folder = written(run({**PLAN, "dossier": "dossier.yaml"}), "release")
    assert sorted(path.name for path in folder.iterdir()) == ["data.csv", "manifest.json"]
    assert not any("Ευαγγελισμός" in path.read_text("utf-8") for path in folder.iterdir())


def test_the_statement_tells_what_a_subject_may_know_and_not_what_an_attacker_wants():
    write(changed(RESEARCH, {"security_measures": ["guard dog Argos"], "impact_assessment": "safe 7"}))
    text = written(run({**PLAN, "dossier": "dossier.yaml"}), "statement").read_text("utf-8")
    for told in ("Νοσοκομείο Ευαγγελισμός", "έρευνα για το άσθμα", "Greece (GR)", "5 years", "at least 1 other"):
        assert told in text
    for kept in ("Argos", "safe 7", "ΓΝ/ΕΞ/123", "records-alone", "prosecutor"):
        assert kept not in text


def test_a_text_cannot_forge_a_line_of_the_statement():
    write(changed(GREEK, {"purpose": "research\n\nPromised about what is published\n  everything\x00\u202e"}))
    text = written(run({**PLAN, "dossier": "dossier.yaml"}), "statement").read_text("utf-8")
    assert text.splitlines().count("Promised about what is published") == 1
    assert not {"\x00", "\u202e"} & set(text)


def test_a_dossier_may_stand_in_the_plan():
    result = run({**PLAN, "dossier": GREEK})
    assert json.loads(written(result, "dossier").read_text("utf-8"))["purpose"] == GREEK["purpose"]


def test_a_broken_dossier_stops_the_run_before_the_data_is_read():
    Path("people.csv").unlink()
    result = run({**PLAN, "dossier": changed(GREEK, {"purpose": "", "recipient_countries": ["CN"]})})
    assert result.exit_code == 1
    assert "dossier breaks 2 rules" in result.stderr


@pytest.mark.parametrize(
    ("dossier", "words"),
    [
        ("nowhere.yaml", "nowhere.yaml not found"),
        (changed(GREEK, {"purpos": "x"}), "Did you mean 'purpose'?"),
        (["a"], "dossier: expected"),
        ({}, "'profile' is missing"),
    ],
)
def test_a_dossier_that_cannot_be_read_stops_the_run(dossier, words):
    result = run({**PLAN, "dossier": dossier})
    assert result.exit_code == 2
    assert words in result.stderr
    assert not Path("release").exists()


def test_a_misspelled_key_of_the_plan_is_told():
    result = run({**PLAN, "dosier": "dossier.yaml"})
    assert result.exit_code == 2
    assert "Did you mean 'dossier'?" in result.stderr


def test_a_run_without_a_dossier_writes_what_it_always_wrote():
    assert run(PLAN).exit_code == 0
    kinds = sorted(".".join(path.name.split(".")[-2:]) for path in Path().iterdir())
    assert kinds == ["audit.jsonl", "people.csv", "plan.yaml", "private.json", "release", "report.html", "report.json"]
    sections = json.loads(Path("release.report.json").read_text("utf-8"))["sections"]
    assert "dossier" not in [section["key"] for section in sections]
    assert 'id="dossier"' not in Path("release.report.html").read_text("utf-8")


def test_the_report_shows_the_dossier_on_the_page_as_in_the_json():
    write(RESEARCH)
    assert run({**PLAN, "dossier": "dossier.yaml"}).exit_code == 0
    page = Path("release.report.html").read_text("utf-8")
    sections = json.loads(Path("release.report.json").read_text("utf-8"))["sections"]
    (section,) = [section for section in sections if section["key"] == "dossier"]
    about, listed = section["blocks"][:2]
    facts = {fact["title"][0]: [line[0]["text"] for line in fact["lines"]] for fact in listed["blocks"][0]["facts"]}
    assert facts["Controller"] == ["Νοσοκομείο Ευαγγελισμός"]
    assert facts["Countries of recipients"] == ["Greece (GR)", "Switzerland (CH)"]
    assert all(entry in page for entries in facts.values() for entry in entries)
    assert "no legal advice" in about["words"][0]
    assert "Compatible purposes" not in facts


def test_a_dossier_is_written_without_a_report_too():
    result = run({**PLAN, "dossier": GREEK, "output": {"report": False}})
    assert written(result, "dossier").is_file()
    assert not Path("release.report.html").exists()


def test_the_dossier_of_a_release_that_is_replaced_stays():
    first = written(run({**PLAN, "dossier": GREEK}), "dossier")
    second = written(run({**PLAN, "dossier": GREEK}, "--force"), "dossier")
    assert first != second
    assert first.is_file()


def test_research_that_rests_on_anonymity_needs_a_promise():
    noise = {key: value for key, value in PLAN.items() if key != "promises"}
    noise |= {"algorithm": "pram:keep=0.7,seed=7", "dossier": RESEARCH}
    result = run(noise)
    assert result.exit_code == 1
    assert "anonymisation: the legal basis 'research_anonymous' needs it" in result.stderr
    assert not Path("release").exists()


def test_a_release_made_by_chance_says_that_its_risk_was_not_measured():
    columns = {**PLAN["columns"], "sex": {"role": "quasi-identifier", "hierarchy": {"*": ["F", "M"]}}}
    columns["age"] = {"role": "quasi-identifier", "hierarchy": {"kind": "intervals", "cuts": [30, 40]}}
    columns["disease"] = "insensitive"
    counted = {"promises": ["differential-privacy:epsilon=1"], "algorithm": "dp-histogram"}
    result = run({**PLAN, "columns": columns, **counted, "dossier": GREEK})
    done = json.loads(written(result, "dossier").read_text("utf-8"))["anonymisation"]
    assert done["risk_before"] == {}
    assert any("risk was not measured" in remark for remark in done["remarks"])


def test_the_risk_before_is_told_for_releases_without_groups_too():
    noise = {key: value for key, value in PLAN.items() if key != "promises"}
    result = run({**noise, "algorithm": "pram:keep=0.7,seed=7", "dossier": GREEK})
    done = json.loads(written(result, "dossier").read_text("utf-8"))["anonymisation"]
    assert done["risk_before"]["records-alone"] == 4  # no two of the four are alike
    assert done["algorithm"].startswith("pram")
    assert "seed" not in done["algorithm"]


def test_the_commands_of_the_guide_lead_to_a_dossier_that_is_complete(folder):
    shutil.copytree(EXAMPLES, "examples")
    Path("demo").mkdir()
    hospital(1000).write_csv("demo/patients.csv")
    Path("demo/plan.yaml").write_text(hospital_plan(), encoding="utf-8")
    environment = {**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
    command = ["bash", "-e", EXAMPLES / "dossier.sh"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("keeps every rule of the profile eu-gdpr") == 2
    assert "Παράδειγμα" in next(Path("demo").glob("*.statement.txt")).read_text("utf-8")
