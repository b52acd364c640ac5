"""``krypsis check`` on releases and on tables of other tools."""

import json

import polars as pl
import pytest
from typer.testing import CliRunner

import krypsis
from krypsis.cli.main import app
from krypsis.errors import PrivacyWarning
from krypsis.format import files
from release.sample import make_release

TABLE = pl.DataFrame(
    {
        "job": ["Professional"] * 3 + ["Artist"] * 4,
        "age": ["[35-40)"] * 3 + ["[30-35)"] * 4,
        "disease": ["Dehydration", "Dehydration", "Fever", "Flu", "Fever", "Fever", "Fever"],
    }
)


@pytest.fixture
def table(tmp_path):
    TABLE.write_csv(tmp_path / "table.csv")
    return tmp_path / "table.csv"


@pytest.fixture
def folder(tmp_path):
    return make_release().save(tmp_path / "release").folder


def run(*arguments):
    return CliRunner().invoke(app, ["check", *map(str, arguments)])


def test_a_release_folder_is_checked_without_any_option(folder):
    result = run(folder)
    assert result.exit_code == 0
    assert "k-anonymity:k=2: Kept: every record looks like at least 1 other" in result.stdout


def test_a_table_of_another_tool_is_checked_with_promises_and_quasi_identifiers(table):
    result = run(table, "--promise", "k-anonymity:k=3", "--qi", "job,age")
    assert result.exit_code == 0, result.output
    assert "achieved 3" in result.stdout


def test_a_broken_promise_exits_with_1_and_shows_the_groups(table):
    result = run(table, "--promise", "k-anonymity:k=4", "--qi", "job, age")
    assert result.exit_code == 1
    assert "Not kept: 1 of 2 groups" in result.stdout
    assert "3 record(s): job=Professional, age=[35-40)" in result.stdout


def test_several_promises_sets_and_sensitive_attributes(table):
    result = run(
        *(table, "--promise", "k-anonymity:k=3", "--promise", "distinct-l-diversity:l=3"),
        *("--qi", "job", "--qi", "age", "--sensitive", "disease"),
    )
    assert result.exit_code == 1
    first, second, *basis = (line for line in result.stdout.splitlines() if not line.startswith(" "))
    assert basis == ["Judged on: an attacker knows job; or age; sensitive: disease."]
    assert first.startswith("k-anonymity:k=3: Kept")
    assert second.startswith("distinct-l-diversity:l=3: Not kept")


def test_json_is_one_document(table):
    result = run(table, "--promise", "k-anonymity:k=4", "--qi", "job,age", "--json")
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert document["holds"] is False
    (verdict,) = document["verdicts"]
    assert (verdict["promise"], verdict["required"], verdict["achieved"]) == ("k-anonymity:k=4", 4, 3)
    assert verdict["offending"] == [{"values": {"job": "Professional", "age": "[35-40)"}, "size": 3}]


def test_json_has_no_number_that_json_does_not_know(tmp_path):
    pl.DataFrame({"q": ["a", "a"], "s": ["x", "x"]}).write_csv(tmp_path / "t.csv")
    promise = ("--promise", "recursive-l-diversity:c=2,l=2")
    result = run(tmp_path / "t.csv", *promise, "--qi", "q", "--sensitive", "s", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout, parse_constant=pytest.fail)["verdicts"][0]["achieved"] is None


def test_missing_cells_can_be_wildcards(tmp_path):
    pl.DataFrame({"q": ["a", None, None], "r": ["b"] * 3}).write_csv(tmp_path / "t.csv")
    arguments = (tmp_path / "t.csv", "--promise", "k-anonymity:k=2", "--qi", "q,r")
    assert run(*arguments).exit_code == 1
    assert "q=(missing)" not in run(*arguments).stdout
    assert run(*arguments, "--missing", "wildcard").exit_code == 0


def test_a_missing_cell_is_shown_as_such(tmp_path):
    pl.DataFrame({"q": ["a", "a", None], "r": ["b"] * 3}).write_csv(tmp_path / "t.csv")
    assert (
        "1 record(s): q=(missing), r=b" in run(tmp_path / "t.csv", "--promise", "k-anonymity:k=2", "--qi", "q,r").stdout
    )


def test_names_with_commas_stand_in_quotes(tmp_path):
    pl.DataFrame({"pay, yearly": ["a", "a"]}).write_csv(tmp_path / "t.csv")
    assert run(tmp_path / "t.csv", "--promise", "k-anonymity:k=2", "--qi", '"pay, yearly"').exit_code == 0


def test_spaces_around_names_mean_nothing_and_inside_quotes_everything(tmp_path):
    pl.DataFrame({" age ": ["a", "a"], "sex": ["f", "f"]}).write_csv(tmp_path / "t.csv")
    promise = ("--promise", "k-anonymity:k=2")
    assert run(tmp_path / "t.csv", *promise, "--qi", '" age " , sex ').exit_code == 0
    assert run(tmp_path / "t.csv", *promise, "--qi", " age , sex").exit_code == 2


def test_delimiter_and_encoding_can_be_given(tmp_path):
    (tmp_path / "t.csv").write_bytes("Straße;Ort,Land\nä;x\nä;y\n".encode("latin-1"))
    arguments = ("--promise", "k-anonymity:k=2", "--qi", "Straße", "--delimiter", ";", "--encoding", "latin-1")
    assert run(tmp_path / "t.csv", *arguments).exit_code == 0


def test_a_tampered_release_exits_with_1(folder):
    (folder / "data.csv").write_text("age\n")
    result = run(folder)
    assert result.exit_code == 1
    assert "was changed after the release was made" in result.stderr
    assert not result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--qi", "job"], "a table brings no promises of its own"),
        (["--promise", "k-anonymity:k=2"], "name the quasi-identifiers"),
        (["--promise", "k-anonymity:k=2", "--qi", ","], "no quasi-identifier is given"),
        (["--promise", "k-anonymity:k=2", "--qi", "jobb"], "Did you mean 'job'"),
        (["--promise", "k-anonimity:k=2", "--qi", "job"], "Did you mean 'k-anonymity'"),
        (["--promise", "k-anonymity:k=0", "--qi", "job"], "k of k-anonymity must be at least 1, got 0"),
        (["--promise", "distinct-l-diversity:l=2", "--qi", "job"], "sensitive attribute and none is given"),
        (["--promise", "k-anonymity:k=2", "--qi", "job", "--missing", "drop"], "'drop' is not one of"),
    ],
)
def test_wrong_usage_exits_with_2_and_says_what_to_do(table, arguments, message):
    result = run(table, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_path_that_does_not_exist_exits_with_2(tmp_path):
    result = run(tmp_path / "nowhere")
    assert result.exit_code == 2
    assert "no file or folder" in result.stderr


def test_a_folder_that_is_no_release_exits_with_2(tmp_path):
    result = run(tmp_path)
    assert result.exit_code == 2
    assert "is not a release" in result.stderr


def test_a_delimiter_for_a_folder_is_wrong_usage(folder):
    assert run(folder, "--delimiter", ";").exit_code == 2


def test_a_hierarchy_of_the_sensitive_attribute_gives_the_distance_in_it(table, tmp_path):
    """Fever and flu are both infections. The first group must move 8/21 of its records over the top and none within."""
    tree = tmp_path / "disease.csv"
    tree.write_text("Dehydration;other;*\nFever;infection;*\nFlu;infection;*\n")
    promise = "t-closeness:t=0.38095,distance=hierarchical"
    words = (table, "--qi", "job,age", "--sensitive", "disease", "--hierarchy", f"disease={tree}")
    assert run(*words, "--promise", promise.replace("0.38095", "0.39")).exit_code == 0
    assert run(*words, "--promise", promise.replace("0.38095", "0.37")).exit_code == 1


@pytest.mark.parametrize("given", ["disease", "=x.csv", "disease="])
def test_a_hierarchy_without_attribute_or_file_is_refused(table, given):
    result = run(table, "--promise", "k-anonymity:k=3", "--qi", "job", "--hierarchy", given)
    assert result.exit_code == 2
    assert "disease=disease.csv" in result.stderr


def test_a_release_brings_the_hierarchy_its_promise_measures_in(tmp_path):
    tree = {"any": {"infection": ["Fever", "Flu"], "other": ["Dehydration"]}}
    roles = {"job": "QI", "disease": "sensitive"}
    promise = "t-closeness:t=0.5,distance=hierarchical"
    release = krypsis.anonymize(TABLE, roles, hierarchies={"disease": tree}, models=promise)
    folder = release.save(tmp_path / "release").folder
    assert run(folder).exit_code == 0


def counted(function, read):
    def counting(stream, path):
        read.append(path.name)
        return function(stream, path)

    return counting


@pytest.mark.parametrize("formats", [["csv"], ["parquet"], ["csv", "parquet"]])
def test_every_file_of_a_release_is_read_once(tmp_path, monkeypatch, formats):
    people = pl.DataFrame({"age": ["31", "31", "47", "47"], "disease": ["flu", "hiv", "flu", "flu"]})
    roles = {"age": "quasi-identifier", "disease": "sensitive"}
    with pytest.warns(PrivacyWarning):
        folder = krypsis.anonymize(people, roles, models="k-anonymity:k=2").save(tmp_path / "r", formats).folder
    read = []
    for name in ("read_csv", "read_parquet"):
        monkeypatch.setattr(files, name, counted(getattr(files, name), read))
    result = CliRunner().invoke(app, ["check", str(folder)])
    assert result.exit_code == 0
    assert "known value of disease" in result.stderr
    assert sorted(read) == sorted(f"data.{name}" for name in formats)
