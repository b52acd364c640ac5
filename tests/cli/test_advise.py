"""``krypsis advise`` in the terminal and in scripts."""

import json
import stat
import sys
from pathlib import Path

import polars as pl
import pytest
import yaml
from typer.testing import CliRunner

from krypsis import registry
from krypsis.advisor import Wizard
from krypsis.advisor.files import read_data
from krypsis.advisor.results import results
from krypsis.cli.advise import advise, ask_questions
from krypsis.cli.main import app
from krypsis.errors import UsageError
from krypsis.kinds.table.demo import hospital, hospital_plan
from krypsis.plan import Plan

EXAMPLE = Path(__file__).parents[2] / "examples" / "advise.sh"

# What the hospital's plan cannot tell, in the order of the extended tree; the rest is left to the data.
T_CLOSENESS = "n,,,,,n,,n,y,n,,,,n,n,n,"
L_DIVERSITY = "n,,,,,n,,n,y,n,,,,n,n,n,n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hospital(300).write_csv("patients.csv")
    Path("plan.yaml").write_text(hospital_plan(), encoding="utf-8")
    return tmp_path


def krypsis(*arguments, typed=""):
    return CliRunner().invoke(app, ["advise", *arguments], input=typed)


def typed(letters):
    return "\n".join(letters) + "\n"


def test_questions_are_asked_one_by_one_and_the_result_goes_to_stdout():
    result = krypsis("--tree", "seed", typed=typed("ny"))
    assert result.exit_code == 0
    assert "Question 1: Does the attacker know" in result.stderr
    assert "Question 2: Is the database statistical" in result.stderr
    assert "The model that fits: ε-differential privacy" in result.stdout
    assert "Question" not in result.stdout


def test_the_result_page_says_promise_threats_parameters_limits_algorithm_and_reference():
    page = krypsis("--tree", "seed", "--answers", "y,n,n,n,n,n,y").stdout
    for expected in (
        "spread as in the whole table, up to a distance of t",
        "Protects from\n  concluding a person's sensitive value",
        "Does not protect from\n  finding the record of a person\n  learning that a person is in the table",
        "t = 0.2: the largest distance",
        "Limits\n  A small t destroys",
        "Suggested algorithm: mondrian",
        "Li, Li, Venkatasubramanian, t-closeness",
        "promises:\n      - t-closeness:t=0.2\n    algorithm: mondrian",
    ):
        assert expected in page


def test_the_last_page_lists_all_18_models_with_their_works():
    page = krypsis("--tree", "seed", "--answers", "n,y").stdout.partition("All models")[2]
    seed = read_data("trees", "seed.yaml")["results"]
    listed = " ".join(page.split())
    assert all(f"({results()[name].model}):" in listed for name in seed.values())
    assert listed.count("SIGMOD 200") == 4
    assert len(seed) == 18


def test_back_restart_why_and_help_work_and_nonsense_is_asked_again():
    result = krypsis(
        "--tree", "seed", typed=typed(["b", "y", "b", "n", "?", "w", "perhaps", "", "u", "r", "n", "Yes", ""])
    )
    assert result.exit_code == 0
    assert "This is the first question" in result.stderr
    assert result.stderr.count("Question 1:") == 3  # at the beginning, after going back, and after starting again
    assert "Example: A health authority" in result.stderr
    assert "Answered before:" in result.stderr
    assert result.stderr.count("is not an answer. Write one of") == 3
    assert "The model that fits: ε-differential privacy" in result.stdout


def test_quitting_ends_with_130_and_writes_nothing(folder):
    result = krypsis("plan.yaml", typed=typed("nq"))
    assert result.exit_code == 130
    assert "nothing was written" in result.stderr
    assert (folder / "plan.yaml").read_text("utf-8") == hospital_plan()


@pytest.mark.parametrize(("given", "number"), [("", 1), ("y\n", 2), ("y\ny", 3)])
def test_input_that_ends_early_is_told_with_the_question_and_the_way_out(given, number):
    result = krypsis("--tree", "seed", typed=given)
    assert result.exit_code == 2
    assert f"the input ended at question {number}" in result.stderr
    assert "--answers" in result.stderr


def test_a_command_started_without_any_input_says_what_to_do(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(UsageError, match="the input ended at question 1"):
        ask_questions(Wizard())


@pytest.mark.parametrize("nonsense", [b"\xff\xfe\x00\x01", b"x" * 1_000_000, b"\x1b[2J", "ν\u0301".encode(), b"\0"])
def test_hostile_input_is_shown_in_short_and_asked_again(nonsense):
    result = krypsis("--tree", "seed", typed=nonsense + b"\nn\ny\n\n")
    assert result.exit_code == 0
    assert "is not an answer" in result.stderr
    assert "\x1b" not in result.stderr
    assert len(result.stderr) < 3000


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ("y,y", "2 answer(s) were given and page03a is still open"),
        ("n,y,n", "3 answers were given, and the first 2 of them lead to differential-privacy; leave out the last 1"),
        ("y,maybe", "answer 2 must be y, n, u (don't know) or empty, got 'maybe'"),
        ("", "answer 1 is left to the data, which says nothing about page01"),
        ("u", "the tree 'extended' has an answer for 'unknown'"),
        ("y" * 5000, "answer 1 must be"),
        ("\x1b[2J,\n", "answer 1 must be"),
    ],
)
def test_answers_that_do_not_fit_are_told_with_their_place(answers, message):
    result = krypsis("--tree", "seed", "--answers", answers)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr) < 500


def test_greek_questions_take_greek_answers():
    result = krypsis("--tree", "seed", "--lang", "el", typed=typed(["ΠΊΣΩ", "Όχι", "γιατί", "ναι", ""]))
    assert result.exit_code == 0
    assert "Ερώτηση 1: Γνωρίζει ο επιτιθέμενος" in result.stderr
    assert "Αυτή είναι η πρώτη ερώτηση" in result.stderr
    assert "Απαντήθηκαν πριν" in result.stderr
    assert "Το μοντέλο που ταιριάζει: ε-διαφορική ιδιωτικότητα" in result.stdout
    assert krypsis("--lang", "el", typed=typed(["έξοδος"])).exit_code == 130


def test_the_data_suggests_answers_that_enter_takes():
    letters = [letter or "" for letter in T_CLOSENESS.split(",")]
    result = krypsis("plan.yaml", "--write", typed=typed([*letters, ""]))
    assert result.exit_code == 0, result.stderr
    assert "The data suggests: yes. Column patient_id has 300 different values in 300 records." in " ".join(
        result.stderr.split()
    )
    assert Plan.load("plan.yaml").promises == ("t-closeness:t=0.2", "k-anonymity:k=5")


def test_a_stronger_promise_of_the_plan_does_not_become_weaker(folder):
    text = hospital_plan().replace("k-anonymity:k=5", "k-anonymity:k=12   # as agreed")
    (folder / "plan.yaml").write_text(text, encoding="utf-8")
    assert krypsis("plan.yaml", "--answers", T_CLOSENESS).exit_code == 0
    assert Plan.load("plan.yaml").promises == ("t-closeness:t=0.2", "k-anonymity:k=12")
    assert "- k-anonymity:k=12   # as agreed" in (folder / "plan.yaml").read_text("utf-8")
    assert krypsis("plan.yaml", "--answers", T_CLOSENESS, "--set", "k=20").exit_code == 0
    assert "k-anonymity:k=20" in Plan.load("plan.yaml").promises


def test_a_script_writes_the_advice_into_the_plan_and_keeps_its_text(folder):
    result = krypsis("plan.yaml", "--answers", T_CLOSENESS)
    assert result.exit_code == 0, result.stderr
    assert "+  - t-closeness:t=0.2" in result.stdout
    assert "plan.yaml written" in result.stdout
    before, after = hospital_plan().splitlines(), (folder / "plan.yaml").read_text("utf-8").splitlines()
    changed = {line for line in before if line not in after}
    (algorithm,) = [line for line in before if line.startswith("algorithm:")]
    assert changed == {"  - distinct-l-diversity:l=2", algorithm}
    assert "  # - distinct-l-diversity:l=2" in after
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]
    again = krypsis("plan.yaml", "--answers", T_CLOSENESS)
    assert "plan.yaml says this already" in again.stdout


def test_the_plan_that_was_advised_runs():
    assert krypsis("plan.yaml", "--answers", L_DIVERSITY, "--set", "l=2").exit_code == 0
    promises = Plan.load("plan.yaml").promises
    assert promises == ("entropy-l-diversity:l=2", "k-anonymity:k=5")
    result = CliRunner().invoke(app, ["run", "plan.yaml", "--quiet", "--no-report"])
    assert result.exit_code == 0, result.stderr
    assert result.stdout.count("Kept:") == 2


def test_a_plan_of_init_takes_the_advice():
    assert CliRunner().invoke(app, ["init", "patients.csv", "--force"]).exit_code == 0
    before = Path("plan.yaml").read_text("utf-8")
    assert krypsis("plan.yaml", "--answers", "n,n,n,n,y,n,n,n,y,n,y,n,n,n,n,n,y").exit_code == 0
    after = Path("plan.yaml").read_text("utf-8")
    comments = [line.partition("#")[2] for line in before.splitlines() if "#" in line]
    assert all(comment in after for comment in comments)
    Plan.load("plan.yaml").check()


@pytest.mark.parametrize("end", [typed(["n"]), ""])
def test_without_a_yes_the_plan_stays(end):
    letters = T_CLOSENESS.split(",")
    result = krypsis("plan.yaml", typed=typed([*letters, ""]) + end)
    assert result.exit_code == 0
    assert "plan.yaml was left as it is" in result.stdout
    assert Path("plan.yaml").read_text("utf-8") == hospital_plan()


def test_no_write_shows_the_change_only():
    result = krypsis("plan.yaml", "--answers", T_CLOSENESS, "--no-write")
    assert "+algorithm: mondrian" in result.stdout
    assert Path("plan.yaml").read_text("utf-8") == hospital_plan()


def test_the_mode_of_the_plan_and_the_link_to_it_stay():
    Path("plan.yaml").chmod(0o600)
    Path("link.yaml").symlink_to("plan.yaml")
    assert krypsis("link.yaml", "--answers", T_CLOSENESS).exit_code == 0
    assert Path("link.yaml").is_symlink()
    assert stat.S_IMODE(Path("plan.yaml").stat().st_mode) == 0o600
    assert "t-closeness:t=0.2" in Plan.load("plan.yaml").promises


def test_parameters_are_asked_for_until_the_model_takes_them():
    letters = T_CLOSENESS.split(",")
    result = krypsis("plan.yaml", typed=typed([*letters, "7", "0.3", "y"]))
    assert result.exit_code == 0, result.stderr
    assert "t of t-closeness must be at most 1, got 7" in result.stderr
    assert Plan.load("plan.yaml").promises[0] == "t-closeness:t=0.3"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("t=7", "t of t-closeness must be at most 1, got 7"),
        ("k=7", "t-closeness has no parameter 'k'; parameters: t, distance"),
        ("t", "--set is a parameter and its value, such as k=10; got 't'"),
        ("=7", "--set is a parameter and its value"),
    ],
)
def test_a_parameter_that_does_not_fit_is_told(given, message):
    result = krypsis("--tree", "seed", "--answers", "y,n,n,n,n,n,y", "--set", given)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_model_that_is_not_there_yet_is_advised_with_what_comes_near(monkeypatch):
    without = {name: cls for name, cls in registry.classes("model").items() if name != "lkc-privacy"}
    known = {"model": without, "algorithm": registry.classes("algorithm"), "metric": registry.classes("metric")}
    monkeypatch.setattr(registry, "classes", known.__getitem__)
    result = krypsis("plan.yaml", "--tree", "seed", "--answers", "y,n,y")
    assert result.exit_code == 2  # a script must not go on with the promises that were there before
    assert "plan.yaml was left as it is" in result.stderr
    assert "This version has no method that keeps LKC-privacy" in result.stdout
    assert "alpha-k-anonymity:alpha=0.5,k=5" in result.stdout
    assert Path("plan.yaml").read_text("utf-8") == hospital_plan()
    assert krypsis("plan.yaml", "--tree", "seed", "--answers", "y,n,y", "--next-best").exit_code == 0
    assert Plan.load("plan.yaml").promises == ("alpha-k-anonymity:alpha=0.5,k=5",)


def test_write_needs_a_plan():
    result = krypsis("patients.csv", "--write", "--answers", "y")
    assert result.exit_code == 2
    assert "--write needs a plan" in result.stderr


def test_json_is_one_document_with_everything():
    result = krypsis("plan.yaml", "--answers", T_CLOSENESS, "--json")
    document = json.loads(result.stdout)
    assert {"path", "model", "threats", "parameters", "references", "warnings", "assumptions"} <= document.keys()
    assert document["spec"] == "t-closeness:t=0.2"
    assert document["available"] is True
    assert document["proposal"] == {"promises": ["t-closeness:t=0.2", "k-anonymity:k=5"], "algorithm": "mondrian"}
    assert document["written"] is True


def test_a_table_without_a_plan_suggests_answers_with_guessed_roles():
    result = krypsis("patients.csv", typed="q\n")
    assert "The data suggests: no. The data is one table with 300 records" in result.stderr


def test_a_table_that_changed_since_its_release_is_one_that_changes():
    assert CliRunner().invoke(app, ["run", "plan.yaml", "--quiet", "--no-report"]).exit_code == 0
    same = krypsis("plan.yaml", typed=typed(["n", "", "", "", "", "q"]))
    assert "Earlier releases" not in same.stderr
    hospital(310).write_csv("patients.csv")
    changed = krypsis("plan.yaml", typed=typed(["n", "", "", "", "", "q"]))
    assert "Earlier releases of this table that were found: 1." in changed.stderr


@pytest.mark.parametrize("name", ["nowhere.yaml", "nowhere.csv"])
def test_a_file_that_is_not_there_is_told(name):
    result = krypsis(name, "--answers", "y")
    assert result.exit_code == 2
    assert name in result.stderr


def test_a_plan_that_cannot_be_edited_is_told_with_the_lines_to_write():
    content = yaml.load(hospital_plan(), Loader=yaml.BaseLoader)
    Path("plan.yaml").write_text(json.dumps(content), encoding="utf-8")
    result = krypsis("plan.yaml", "--answers", T_CLOSENESS)
    assert result.exit_code == 2
    assert "write into it yourself:\npromises:\n  - t-closeness:t=0.2" in result.stderr


def test_the_command_of_the_guide_works_beside_the_demo(folder):
    (folder / "demo").mkdir()
    for name in ("plan.yaml", "patients.csv"):
        (folder / name).rename(folder / "demo" / name)
    command, verb, *arguments = EXAMPLE.read_text("utf-8").split()
    assert (command, verb) == ("krypsis", "advise")
    assert "The model that fits: t-closeness" in krypsis(*arguments).stdout


def test_the_command_explains_its_exit_code():
    assert "130" in advise.__doc__


def test_what_is_advised_besides_and_no_plan_can_promise_with_it_is_told():
    answers = "--answers=n,n,n,n,y,n,y,n,y,n,y,y,y"
    given = ["--set=observable=sex", "--set=sensitive=ward"]
    page = krypsis("plan.yaml", answers, *given, "--no-write").stdout
    assert "The model that fits: FF-anonymity" in page
    assert "and not among these promises: k-anonymity:k=5" in page
    assert "algorithm: ff-suppression" in page


def test_what_a_model_needs_is_asked_for_in_the_terminal():
    pl.concat([hospital(300)] * 3).select("age", "sex").write_csv("people.csv")
    Path("plan.yaml").write_text(SMALL_PLAN, encoding="utf-8")
    lines = ["n", "n", "n", "", "", "people.csv", "y"]  # three answers, two parameters, the population, the consent
    result = krypsis("plan.yaml", "--tree", "seed", typed=typed(lines))
    assert result.exit_code == 0, result.stderr
    assert "the file with the table of all people" in " ".join(result.stderr.split())
    assert Plan.load("plan.yaml").population == "people.csv"
    assert Plan.load("plan.yaml").promises[0].startswith("delta-presence:")


def test_the_next_best_is_written_only_after_a_yes():
    Path("plan.yaml").write_text(SMALL_PLAN, encoding="utf-8")
    lines = ["n", "n", "n", "", "", ""]  # nobody has a table of the population
    refused = krypsis("plan.yaml", "--tree", "seed", typed=typed([*lines, "n"]))
    assert "The next best that runs on this data: k-anonymity" in refused.stdout
    assert Path("plan.yaml").read_text("utf-8") == SMALL_PLAN
    taken = krypsis("plan.yaml", "--tree", "seed", typed=typed([*lines, "y", "y"]))
    assert taken.exit_code == 0, taken.stderr
    assert any("attribute=diagnosis" in promise for promise in Plan.load("plan.yaml").promises)


SMALL_PLAN = """\
data: patients.csv
columns:
  patient_id: identifier
  age: {role: quasi-identifier, hierarchy: {kind: intervals, width: 10}}
  sex: quasi-identifier
  diagnosis: sensitive
promises:
  - k-anonymity:k=5   # usual
algorithm: auto
"""
