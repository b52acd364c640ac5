"""``--server``: a server does the work, and the command line shows the same."""

import json

import polars as pl
import pytest
from typer.testing import CliRunner

from krypsis import Release, checker
from krypsis.cli.main import app
from web.calling import PATIENTS, calling

PLAN = """\
data: ../tables/patients.csv
columns:
  age: {role: QI, hierarchy: ../hierarchies/age.csv}
  sex: {role: QI, hierarchy: {kind: flat}}
  disease: insensitive
promises: [k-anonymity:k=6]
output: {folder: published, formats: [csv, parquet]}
"""


def krypsis(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def plan(tmp_path):
    for name in ("tables", "hierarchies", "plans"):
        (tmp_path / name).mkdir()
    (tmp_path / "tables" / "patients.csv").write_text(PATIENTS)
    decades = "".join(f"{age},{age // 10 * 10}s,*\n" for age in range(20, 60))
    (tmp_path / "hierarchies" / "age.csv").write_text(decades)
    (tmp_path / "plans" / "plan.yaml").write_text(PLAN)
    return tmp_path / "plans" / "plan.yaml"


@pytest.fixture(scope="module")
def folder_there(tmp_path_factory):
    return tmp_path_factory.mktemp("server")


@pytest.fixture(scope="module")
def server(folder_there):
    with calling(folder_there) as client:
        yield str(client.base_url)


def test_a_server_makes_the_release_that_a_run_here_makes_and_keeps_nothing(plan, server, tmp_path, folder_there):
    there = krypsis("run", plan, "--server", server, "--quiet")
    assert there.exit_code == 0, there.output
    assert "k-anonymity" in there.output
    folder = plan.parent / "published"
    here = krypsis("run", plan, "--output", tmp_path / "here", "--quiet")
    assert here.exit_code == 0, here.output
    made, expected = (pl.read_csv(place / "data.csv") for place in (folder, tmp_path / "here"))
    assert made.sort(made.columns).equals(expected.sort(expected.columns))  # the order is by chance
    neighbors = sorted(path.suffix for path in plan.parent.iterdir() if path.name.startswith("published."))
    assert neighbors == [".html", ".json", ".json"]  # the report, twice, and the private record
    assert krypsis("check", folder).stdout == krypsis("check", folder, "--server", server).stdout
    assert [path.name for path in (folder_there / "workspace").iterdir()] == [".secret"]

    refused = krypsis("run", plan, "--server", server, "--quiet")
    assert (refused.exit_code, "--force" in refused.stderr) == (2, True)
    assert krypsis("run", plan, "--server", server, "--quiet", "--force").exit_code == 0
    assert all(checker.check(folder))


def test_json_and_levels_go_both_ways(plan, server):
    result = krypsis("run", plan, "--server", server, "--json", "--levels", "age=1,sex=0", "--no-report")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert (told["levels"], told["holds"]) == ({"age": 1, "sex": 0}, True)
    assert set(told["paths"]) == {"release", "private_record"}


def test_what_goes_wrong_there_is_told_here(plan, server):
    plan.write_text(PLAN.replace("disease: insensitive", "shoe: sensitive"))
    result = krypsis("run", plan, "--server", server, "--quiet")
    assert result.exit_code == 2
    assert "column 'shoe' not found" in result.stderr
    assert not (plan.parent / "published").exists()


def test_a_file_that_is_missing_is_told_before_anything_is_run(plan, server, tmp_path):
    (tmp_path / "hierarchies" / "age.csv").unlink()
    result = krypsis("run", plan, "--server", server, "--quiet")
    assert result.exit_code == 2
    assert "age.csv" in result.stderr


def test_a_table_is_checked_there_and_the_verdict_is_the_exit_code(server, tmp_path):
    (tmp_path / "t.csv").write_text("age,disease\n[30-40),flu\n[30-40),asthma\n[40-50),flu\n")
    asked = ("check", tmp_path / "t.csv", "--promise", "k-anonymity:k=2", "--qi", "age", "--server", server)
    there, here = krypsis(*asked), krypsis(*asked[:-2])
    assert (there.exit_code, there.stdout) == (1, here.stdout)
    assert krypsis(*asked, "--json").exit_code == 1


def test_options_that_are_not_sent_are_refused(server, tmp_path):
    (tmp_path / "t.csv").write_text("age\n1\n")
    result = krypsis("check", tmp_path / "t.csv", "--server", server, "--sensitive-table", tmp_path / "t.csv")
    assert result.exit_code == 2
    assert "--sensitive-table is not sent to a server" in result.stderr


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ftp://x", "http://", "nonsense"])
def test_what_is_no_address_is_told(plan, address):
    result = krypsis("run", plan, "--server", address, "--quiet")
    assert result.exit_code == 2
    assert "a server is an address such as" in result.stderr


def test_a_server_that_does_not_answer_is_told(plan):
    result = krypsis("run", plan, "--server", "http://127.0.0.1:9", "--quiet")
    assert result.exit_code == 2
    assert "is 'krypsis serve' running?" in result.stderr


def test_the_token_is_asked_for_and_sent(plan, tmp_path, monkeypatch):
    monkeypatch.delenv("KRYPSIS_TOKEN", raising=False)
    with calling(tmp_path, token="correct horse battery") as client:
        refused = krypsis("run", plan, "--server", client.base_url, "--quiet")
        assert (refused.exit_code, "401" in refused.stderr) == (2, True)
        monkeypatch.setenv("KRYPSIS_TOKEN", "correct horse battery")
        assert krypsis("run", plan, "--server", client.base_url, "--quiet").exit_code == 0
        monkeypatch.delenv("KRYPSIS_TOKEN")
        printed = f"{client.base_url}/?token=correct%20horse%20battery"
        assert krypsis("run", plan, "--server", printed, "--quiet", "--force").exit_code == 0


def test_what_everybody_knows_is_sent_along(server, tmp_path):
    start = "Prefix(:=<http://e#>) Ontology("
    (tmp_path / "facts.ofn").write_text(f"{start} ClassAssertion(:Insulin :a) ObjectPropertyAssertion(:takes :ann :a))")
    (tmp_path / "rules.ofn").write_text(f"{start} SubClassOf(ObjectSomeValuesFrom(:takes :Insulin) :Diabetic))")
    (tmp_path / "plan.yaml").write_text(
        "kind: ontology\ndata: facts.ofn\npublic: [rules.ofn]\nsecrets: ['ClassAssertion(:Diabetic ?)']\n"
        "promises: [inference-safety]\noutput: {folder: made, report: false}\n"
    )
    made = krypsis("run", tmp_path / "plan.yaml", "--server", server, "--quiet")
    assert made.exit_code == 0, made.output
    assert (tmp_path / "made" / "public.ofn").is_file()
    secret = ("--promise", "inference-safety", "--sensitive", "ClassAssertion(<http://e#Diabetic> ?)")
    asked = ("check", tmp_path / "facts.ofn", *secret, "--public", tmp_path / "rules.ofn", "--server", server)
    found = krypsis(*asked)
    assert (found.exit_code, found.stdout) == (1, krypsis(*asked[:-2]).stdout)


def test_a_public_mapping_of_a_rule_is_sent_along(server, tmp_path):
    (tmp_path / "p.csv").write_text("zip,city\n1,Athens\n2,Rome\n")
    (tmp_path / "cities.csv").write_text("zip,city\n1,Athens\n2,Rome\n")
    (tmp_path / "plan.yaml").write_text(
        "kind: dependencies\ndata: p.csv\ncolumns: {zip: insensitive, city: sensitive}\nsecrets: [city]\n"
        "dependencies: [{rule: zip -> city, public: cities.csv}]\noutput: {folder: made, report: false}\n"
    )
    made = krypsis("run", tmp_path / "plan.yaml", "--server", server, "--quiet")
    assert made.exit_code == 0, made.output
    made = checker.check(tmp_path / "made", None, checker.Given(secret_cells=["city"]))
    assert [verdict.holds for verdict in made] == [True]
    assert Release.load(tmp_path / "made").table["zip"].null_count() == 2
