"""Every result of the advisor leads from a table to a checked release, or says why not and names one that does."""

import json
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from hypothesis import settings
from typer.testing import CliRunner

from advisor.journeys import HOME, ORIGINAL_PATHS, OWN, TABLES, WORDS, extended_paths, what_is_asked
from krypsis.cli.main import app
from krypsis.plan import Plan

# Some models promise less than that no value is certain; what they leave open is warned of.
pytestmark = pytest.mark.exposed

IS_THOROUGH = settings.default.max_examples > 100


def cases():
    """Every path with one of the tables; in the thorough profile with all of them."""
    names = list(TABLES)
    usual = [("seed", [WORDS[letter] for letter in path], HOME.get(path, "patients")) for path in ORIGINAL_PATHS]
    further = extended_paths(every_combination=IS_THOROUGH)
    usual += [("extended", answers, names[number % 3]) for number, answers in enumerate(further)]
    for tree, answers, usual_name in usual:
        letters = "".join(answer[0] for answer in answers)
        for name in names if IS_THOROUGH else [usual_name]:
            yield pytest.param(name, tree, answers, id=f"{name}-{tree}-{letters}")


def krypsis(*arguments):
    return CliRunner().invoke(app, [*arguments])


def place(name):
    """Write a table with its files and the plan that 'krypsis init' drafts."""
    table = TABLES[name]
    table.rows.write_csv("t.csv")
    for file, content in table.files.items():
        content.write_csv(file)
    Path("plan.yaml").write_text(drafted(name), encoding="utf-8")


@cache
def drafted(name):  # noqa: ARG001  what was written there before
    assert krypsis("init", "t.csv", "--force").exit_code == 0
    return Path("plan.yaml").read_text("utf-8")


def advise(tree, answers, said, *more):
    given = [f"--set={key}={value}" for key, value in said.items()]
    letters = ",".join(answer[0] for answer in answers)
    return krypsis("advise", "plan.yaml", "--tree", tree, "--answers", letters, "--json", *given, *more)


def publish_and_check(name, promises):
    """Carry the plan out and let the checker judge what was published."""
    if any(spec.startswith("m-invariance") for spec in promises):
        made = krypsis("history", "init", "t.csv", "--id", OWN[name], "--no-report", "--quiet")
        checked = krypsis("history", "check")
    else:
        made = krypsis("run", "plan.yaml", "--no-report", "--json")
        checked = krypsis("check", "release", "--plan", "plan.yaml", *private_record(promises))
    assert made.exit_code == 0, made.stderr
    # Nobody can see from files with which chances something was drawn, nor that no better guess exists.
    is_of_chance = promises[0].startswith(("differential-privacy", "d-gamma-privacy", "ct-isolation"))
    assert checked.exit_code == (3 if is_of_chance else 0), checked.output


def private_record(promises):
    """Return what the checker needs besides, where a promise counts a column that is not published."""
    counts_more = any(spec.startswith(("xy-privacy", "personalized-privacy")) for spec in promises)
    return ["--private-columns", str(next(Path().glob("release*.private*")))] if counts_more else []


@pytest.mark.parametrize(("name", "tree", "answers"), list(cases()))
def test_every_path_ends_in_a_checked_release_or_in_the_reason_why_not_and_one_that_is(
    name, tree, answers, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    place(name)
    done = advise(tree, answers, what_is_asked(name, tree, answers), "--next-best")
    assert done.exit_code == 0, done.stderr
    document = json.loads(done.stdout)
    written = document if document["proposal"] else document["next_best"]
    assert document["written"] or "says this already" in done.stderr
    assert document["proposal"] or document["reason"] or document["lacks"]
    assert written["feasible"]
    assert written["does_not_protect_from"]
    publish_and_check(name, (document["proposal"] or written)["promises"])
    if tree == "seed" and HOME.get("".join(answer[0].upper() for answer in answers), "patients") == name:
        assert document["proposal"] or document["model"] == "km-anonymity", document["reason"]


LACKING = {
    "NNN": ("census", ["population"]),
    "YYYY": ("census", ["key"]),
    "YYN": ("census", ["y"]),
    "YYYNY": ("census", ["id"]),
    "YNNY": ("patients", ["guarding"]),
    "YNNNY": ("patients", ["value"]),
    "NY": ("patients", ["domains"]),
    "NNY": ("census", ["domains"]),
}


@pytest.mark.parametrize("letters", LACKING)
def test_what_is_missing_is_named_before_anything_is_written_and_a_script_notices(letters, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name, lacks = LACKING[letters]
    place(name)
    before = Path("plan.yaml").read_bytes()
    result = advise("seed", [WORDS[letter] for letter in letters], {})
    assert json.loads(result.stdout)["lacks"] == lacks
    assert result.exit_code == 2
    assert "plan.yaml was left as it is" in result.stderr
    assert Path("plan.yaml").read_bytes() == before


def test_values_of_the_data_are_declared_for_all_columns_at_once_and_only_if_somebody_confirms_them(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    place("census")
    page = krypsis("advise", "plan.yaml", "--tree", "seed", "--answers", "n,y", "--no-write").stdout
    for line in (
        "education: college, school, university (read from the data",
        "age: <10, [10-20), ",
        "common knowledge",
    ):
        assert line in " ".join(page.split())
    own = "income: ['<=50K', '>50K', '>100K']\nsex: [F, M, X]\n"
    Path("own.yaml").write_text(own, encoding="utf-8")
    assert advise("seed", ["no", "yes"], {"domains": "own.yaml"}).exit_code == 0
    columns = Plan.load("plan.yaml").columns
    assert columns["sex"].hierarchy == {"kind": "taxonomy", "tree": {"*": ["F", "M", "X"]}}
    assert "college" not in str(columns["education"].hierarchy)  # nobody confirmed it
    assert krypsis("run", "plan.yaml", "--quiet", "--no-report").exit_code == 0
    published = pl.read_csv("release/data.csv")
    assert {"F", "M", "X"} <= set(published["sex"])
    assert "education" not in published.columns


def test_persons_of_several_tables_are_protected_in_all_of_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    place("patients")
    rows = TABLES["patients"].rows
    visits = rows.select("patient_id", year=pl.int_range(150) % 3 + 2020, drug=pl.lit("aspirin"))
    visits.write_csv("our visits.csv")
    assert advise("seed", ["yes"] * 4, {"tables": "our visits.csv"}).exit_code == 0
    plan = Plan.load("plan.yaml")
    assert (plan.key, list(plan.tables)) == ("patient_id", ["our_visits"])
    publish_and_check("patients", ["multirelational-k-anonymity:k=5"])
    assert (tmp_path / "release" / "our_visits.csv").is_file()
