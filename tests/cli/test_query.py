"""``krypsis query``."""

import json

import polars as pl
import pytest
from typer.testing import CliRunner

import krypsis
from krypsis.cli.main import app
from krypsis.data.graphs import Graph

pytestmark = pytest.mark.exposed
PEOPLE = pl.DataFrame({"age": [31, 34, 38, 38], "disease": ["flu", "gout", "flu", "flu"]})
PLAN = """\
data: people.csv
columns:
  age: {role: quasi-identifier, hierarchy: {kind: intervals, width: 10}}
  disease: sensitive
promises: ["k-anonymity:k=4"]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table, its plan and its release, in which everybody is from 30 to 39."""
    folder = tmp_path_factory.mktemp("query")
    PEOPLE.write_csv(folder / "people.csv")
    (folder / "plan.yaml").write_text(PLAN, "utf-8")
    krypsis.Plan.load(folder / "plan.yaml").run().save(folder / "release")
    return folder


def call(*words):
    return CliRunner().invoke(app, ["query", *map(str, words)])


def test_a_question_is_answered_with_its_bounds(folder):
    result = call(folder / "release", "--where", "age=38", "--where", "disease=flu", "--domain", "age=30..39")
    assert result.exit_code == 0
    assert "about 0.3, from 0 to 3" in result.stdout
    assert "truly" not in result.stdout


def test_with_the_plan_the_true_count_and_the_error_are_shown(folder):
    (folder / "asked.yaml").write_text("queries: [{age: 38}, {age: 30..39, disease: gout}, {age: 90..}]", "utf-8")
    result = call(folder / "release", "--queries", folder / "asked.yaml", "--plan", folder / "plan.yaml", "--json")
    first, second, third = json.loads(result.stdout)
    assert (first["low"], first["high"], first["true"]) == (0, 4, 2)
    assert first["relative_error"] == pytest.approx(abs(4 / 3 - 2) / 2)  # of the values 31, 34 and 38
    assert (second["estimate"], second["low"], second["high"], second["true"]) == (1, 1, 1, 1)
    assert third["relative_error"] is None
    text = call(folder / "release", "--queries", folder / "asked.yaml", "--plan", folder / "plan.yaml").stdout
    assert "Mean relative error: 16.7%, over 2 of 3 questions" in text


def test_pieces_are_asked_for_items(tmp_path):
    baskets = krypsis.Transactions.of_sets([["bread", "milk"]] * 3 + [["bread"]] * 2)
    release = krypsis.anonymize(baskets, models="km-anonymity:k=2,m=2", algorithm="disassociation")
    result = call(release.save(tmp_path / "release").folder, "--where", "items=bread|milk")
    assert "about 3, from 3 to 3" in result.stdout


def test_super_vertices_are_asked_for_edges(tmp_path):
    people = pl.DataFrame({"job": ["cook"] * 6})
    graph = Graph.of_codes([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]], 6, attributes=people)
    models, method = "supervertex-anonymity:k=2", "vertex-clustering"
    release = krypsis.anonymize(graph, {"job": "insensitive"}, models=models, algorithm=method)
    folder = release.save(tmp_path / "release").folder
    assert "about 6, from 6 to 6" in call(folder, "--where", "job=cook").stdout
    assert "about 5, from 5 to 5" in call(folder, "--where", "source.job=cook", "--where", "target.job=cook").stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "ask one question by --where age=30..40, or many by --queries FILE"),
        (("--where", "age"), "expected a name and a condition"),
        (("--where", "age=1", "--where", "age=2"), "age is named twice"),
        (("--where", "age=.."), "a range has at least one end"),
        (("--where", "agee=31"), "Did you mean 'age'"),
        (("--where", "age=31"), "--domain age=0..99, or --plan plan.yaml"),
        (("--where", "age=31", "--domain", "age=9..1"), "a range of possible values ascends"),
        (("--where", "age=31", "--domain", "age=a..b"), "possible values are whole numbers"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_what_can(folder, words, message):
    result = call(folder / "release", *words)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("queries: {age: 31}", "expected a list of queries"),
        ("queries: [31]", "query 1 is no mapping of conditions"),
        ("queries: [{age: {from: 3}}]", "a condition is a value, a range 30..40"),
        ("quaries: [{age: 3}]", "unknown key 'quaries'"),
        ("[", "not valid YAML"),
    ],
)
def test_a_file_that_holds_no_questions_is_refused(folder, tmp_path, text, message):
    (tmp_path / "asked.yaml").write_text(text, "utf-8")
    result = call(folder / "release", "--queries", tmp_path / "asked.yaml")
    assert result.exit_code == 2
    assert message in result.stderr


def test_an_ontology_is_not_counted(tmp_path):
    a, b = (f"ClassAssertion(<http://e.org/{name}> <http://e.org/x>)" for name in "AB")
    text = f"Ontology(\n{a}\n{b}\n)\n"
    (tmp_path / "facts.ofn").write_text(text, "utf-8")
    plan = "kind: ontology\ndata: facts.ofn\nsecrets: ['ClassAssertion(<http://e.org/B> ?)']\n"
    (tmp_path / "plan.yaml").write_text(plan + "promises: [inference-safety]\n", "utf-8")
    krypsis.Plan.load(tmp_path / "plan.yaml").run().save(tmp_path / "release")
    result = call(tmp_path / "release", "--where", "a=b")
    assert result.exit_code == 2
    assert "over tables, sets of items and graphs they are" in result.stderr
