"""The journey of an ontology on the command line: plan, release, check, attack, advice, and what is refused."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from krypsis.advisor.texts import load_texts
from krypsis.cli.main import app
from krypsis.kinds.base import kinds
from krypsis.plan import Plan

START = "Prefix(:=<http://example.org/h#>)\nOntology(\n{}\n)\n"
FACTS = (
    "ClassAssertion(:Patient :ann)",
    "ClassAssertion(:Patient :bob)",
    "ClassAssertion(ObjectSomeValuesFrom(:takes :Insulin) :ann)",
    "ClassAssertion(ObjectSomeValuesFrom(:takes :Aspirin) :bob)",
)
RULES = ("SubClassOf(ObjectSomeValuesFrom(:takes :Insulin) :Diabetic)", "SubClassOf(:Insulin :Drug)")
SECRET = "ClassAssertion(:Diabetic ?)"
PLAN = """\
kind: ontology
data: facts.ofn
public: rules.ofn
secrets: ['{}']
promises:
  - inference-safety
algorithm: auto
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("facts.ofn", *FACTS)
    write("rules.ofn", *RULES)
    Path("plan.yaml").write_text(PLAN.format(SECRET), encoding="utf-8")


def write(name, *axioms):
    Path(name).write_text(START.format("\n".join(axioms)), encoding="utf-8")


def krypsis(*arguments):
    return CliRunner().invoke(app, [*arguments])


def published():
    """Return the axioms of the release, with the prefix of the data in place of that which the release gives."""
    lines = Path("release/data.ofn").read_text("utf-8").replace("h:", ":").splitlines()
    return sorted(line for line in lines if line.startswith("ClassAssertion"))


def test_from_the_proposed_plan_to_a_release_that_anybody_can_check():
    proposed = krypsis("init", "facts.ofn", "--public", "rules.ofn", "-o", "own.yaml")
    assert proposed.exit_code == 0, proposed.stderr
    assert "it cannot be run yet" in proposed.stdout
    refused = krypsis("run", "own.yaml")
    assert refused.exit_code == 2
    assert "no secret is named" in refused.stderr
    text = Path("own.yaml").read_text("utf-8")
    assert "# - ClassAssertion(:Diabetic ?)   # 1 follow without being stated" in text
    Path("own.yaml").write_text(text.replace("# - ClassAssertion(:Diabetic", "- ClassAssertion(:Diabetic"), "utf-8")
    assert krypsis("run", "own.yaml").exit_code == 0
    assert published() == sorted(one for one in FACTS if "Insulin" not in one)
    assert krypsis("check", "release").exit_code == 0
    assert krypsis("check", "release", "--plan", "own.yaml").exit_code == 0
    attacked = krypsis("attack", "release", "--plan", "own.yaml")
    assert "derivation: succeeds for 0 % of 1 targets" in attacked.stdout
    assert "on the data as it was: succeeds for 100 %" in attacked.stdout
    page = Path("release.report.html").read_text("utf-8")
    assert "ann : Diabetic, because ann : ∃takes.Insulin" in page


def test_what_is_public_is_found_from_where_the_plan_lies():
    Path("plans").mkdir()
    assert krypsis("init", "facts.ofn", "--public", "rules.ofn", "-o", "plans/own.yaml").exit_code == 0
    plan = Plan.load("plans/own.yaml")
    assert (plan.data, plan.public) == ("../facts.ofn", "../rules.ofn")


@pytest.mark.filterwarnings("default::krypsis.errors.DataWarning")
def test_axioms_of_another_tool_are_judged_together_with_what_is_public():
    asked = ("--promise", "inference-safety", "--sensitive", SECRET)
    alone = krypsis("check", "facts.ofn", *asked)
    assert alone.exit_code == 0  # nothing follows without the rules
    assert "Diabetic: named by a secret, and neither published nor public" in alone.stderr
    assert "the published axioms alone, for none were given as public" in alone.stdout
    leaking = krypsis("check", "facts.ofn", *asked, "--public", "rules.ofn")
    assert leaking.exit_code == 1
    assert "1 of 2 secrets follow" in leaking.stdout
    assert "Diabetic <http://example.org/h#ann>)" in leaking.stdout
    assert krypsis("check", "facts.ofn", "--plan", "plan.yaml").exit_code == 1
    write("safe.ofn", *(one for one in FACTS if "Insulin" not in one))
    assert krypsis("check", "safe.ofn", "--plan", "plan.yaml").exit_code == 0


def test_rules_that_are_part_of_the_data_count_as_public_by_the_plan():
    write("facts.ofn", *FACTS, *RULES)
    Path("plan.yaml").write_text(PLAN.format(SECRET).replace("public: rules.ofn", "public_schema: true"), "utf-8")
    write("other.ofn", *FACTS)
    assert krypsis("check", "other.ofn", "--plan", "plan.yaml").exit_code == 1


def test_secrets_about_somebody_stay_with_the_publisher_and_leave_the_files_undecided():
    Path("plan.yaml").write_text(PLAN.format("ClassAssertion(:Diabetic :ann)"), encoding="utf-8")
    assert krypsis("run", "plan.yaml").exit_code == 0
    public = "".join(path.read_text("utf-8") for path in Path("release").iterdir())
    assert "Diabetic :ann" not in public
    undecided = krypsis("check", "release")
    assert undecided.exit_code == 3
    assert "what is secret is not said" in undecided.stdout
    assert krypsis("check", "release", "--plan", "plan.yaml").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("check", "facts.ofn", "--promise", "inference-safety"), "none is named; name at least one as sensitive"),
        (("check", "facts.ofn", "--plan", "plan.yaml", "--table", "rules.ofn"), "given as public"),
        (("check", "facts.ofn", "--plan", "plan.yaml", "--public", "none.ofn"), "none.ofn does not exist"),
        (("check", "t.csv", "--promise", "k-anonymity:k=2", "--qi", "a", "--public", "x"), "public is for ontologies"),
        (("explore", "plan.yaml"), "the plan is about an ontology"),
        (("init", "facts.ofn", "--kind", "table"), "looks like an ontology"),
        (("init", "facts.ofn", "--key", "a"), "--key is for sets of items"),
    ],
)
def test_what_does_not_fit_an_ontology_is_refused(arguments, said):
    Path("t.csv").write_text("a\n1\n1\n", encoding="utf-8")
    result = krypsis(*arguments)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("secret", "said"),
    [
        ("ClassAssertion(:Diabetik ?)", "Did you mean 'http://example.org/h#Diabetic'?"),
        ("ClassAssertion(:Diabetic :zoe)", "the individual 'http://example.org/h#zoe' occurs neither in the data"),
        ("ClassAssertion(ex:Diabetic ?)", "the prefix of 'ex:Diabetic' is not declared"),
        ("ClassAssertion(:Diabetic", "is not closed"),
        ("SubObjectPropertyOf(:takes :takes)", "a secret is a ClassAssertion"),
        ("SubClassOf(:Insulin :Drug)", "follow from what is public"),
    ],
)
def test_secrets_that_cannot_be_protected_are_refused(secret, said):
    Path("plan.yaml").write_text(PLAN.format(secret), encoding="utf-8")
    result = krypsis("run", "plan.yaml")
    assert result.exit_code in (1, 2)
    assert said in " ".join(result.stderr.split())
    assert not Path("release").exists()


def test_a_secret_that_does_not_follow_removes_nothing():
    Path("plan.yaml").write_text(PLAN.format("ClassAssertion(:Diabetic :bob)"), encoding="utf-8")
    result = krypsis("run", "plan.yaml")
    assert result.exit_code == 0
    assert "Nothing was removed of 4 axioms" in result.stdout
    (line,) = [line for line in result.stdout.splitlines() if "1 secret(s) did not follow anyway" in line]
    assert "Diabetic" in line
    assert "bob" in line
    assert len(published()) == 4


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"),
        (START.format(""), "there is nothing to publish"),
        (START.format("ClassAssertion(:Patient)"), "facts.ofn, line 3"),
        (
            START.format(
                "ClassAssertion(:A :x)\nClassAssertion(:B :x)\nDisjointClasses(:A :B)\nSubClassOf(:A :Diabetic)"
            ),
            "contradict",
        ),
    ],
)
def test_data_that_cannot_be_used_is_refused_with_the_reason(content, said):
    Path("facts.ofn").write_text(content, encoding="utf-8")
    result = krypsis("run", "plan.yaml")
    assert result.exit_code in (1, 2)
    assert said in " ".join(result.stderr.split())


def test_the_advice_asks_for_secrets_and_writes_a_plan_that_runs():
    assert krypsis("init", "facts.ofn", "--public", "rules.ofn", "-o", "own.yaml").exit_code == 0
    before = Path("own.yaml").read_text("utf-8")
    lacking = krypsis("advise", "own.yaml", "--answers", ",,,", "--json")
    assert lacking.exit_code == 2
    assert json.loads(lacking.stdout)["lacks"] == ["secrets"]
    assert Path("own.yaml").read_text("utf-8") == before
    given = f"secrets={SECRET}, ClassAssertion(:Drug ?)"
    advised = krypsis("advise", "own.yaml", "--answers", ",,,", "--set", given)
    assert advised.exit_code == 0, advised.stderr
    plan = Plan.load("own.yaml")
    assert plan.secrets == (SECRET, "ClassAssertion(:Drug ?)")
    assert "# - ClassAssertion(:Diabetic ?)" in Path("own.yaml").read_text("utf-8")
    assert krypsis("run", "own.yaml").exit_code == 0


@pytest.mark.parametrize("language", ["en", "el"])
@pytest.mark.parametrize("kind", ["graph", "ontology"])
def test_without_a_plan_the_page_says_how_to_get_one(kind, language):
    answers = {"graph": "y,y", "ontology": "n,n,y,n"}[kind]
    page = krypsis("advise", "--answers", answers, "--lang", language)
    assert page.exit_code == 0, page.stderr
    assert f"--kind {kind}" in page.stdout


def test_promises_about_other_data_are_not_advised_about_an_ontology():
    page = krypsis("advise", "plan.yaml", "--answers", "y,y", "--no-write").stdout
    assert "is not a promise about facts with rules" in " ".join(page.split())
    assert "The next best that runs on this data: inference safety" in " ".join(page.split())


def test_an_inclusion_is_found_and_explained():
    found = krypsis("classify", "rules.ofn")
    assert "SubClassOf(" in found.stdout
    why = krypsis("explain-axiom", "facts.ofn", "ClassAssertion(:Diabetic :ann)", "--public", "rules.ofn")
    assert why.exit_code == 0
    assert re.search("∃takes.Insulin ⊑ Diabetic", why.stdout)


def test_every_kind_with_a_plan_says_which_promises_are_not_about_it():
    planned = [name for name, kind in kinds().items() if not kind.planned_as]
    for language in ("en", "el"):
        assert {f"not-about-{name}" for name in planned} <= load_texts(language).reasons.keys()
        asked = {name for name, kind in kinds().items() if kind.question}
        assert {f"put-there-{name}" for name in asked} <= load_texts(language).words.keys()
