"""Bad input gets a clear message and an exit code, and nothing is written."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from krypsis.cli.main import app
from krypsis.release.audit_log import AUDIT_LOG

pytestmark = pytest.mark.exposed

PEOPLE = "name,age,sex,disease\nAnn,31,F,flu\nBob,34,M,flu\nCat,47,F,cancer\nDan,48,M,flu\n"
PLAN = """
data: people.csv
columns:
  name: identifier
  age: {role: quasi-identifier, hierarchy: {kind: intervals, width: 10, origin: 0}}
  sex: quasi-identifier
  disease: sensitive
promises: ["k-anonymity:k=2"]
suppression: 0
output: {report: false}
"""


@pytest.fixture
def run(tmp_path: Path):
    """Run ``krypsis run`` on a table and a plan; return exit code and messages."""

    def run(data: str | bytes = PEOPLE, plan: str = PLAN) -> tuple[int, str]:
        (tmp_path / "people.csv").write_bytes(data if isinstance(data, bytes) else data.encode())
        (tmp_path / "plan.yaml").write_text(plan, encoding="utf-8")
        result = CliRunner().invoke(app, ["run", str(tmp_path / "plan.yaml"), "--quiet"])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        if result.exit_code:
            assert not (tmp_path / "release").exists()
            # The log of all runs says that this one failed.
            assert {path.name for path in tmp_path.iterdir()} - {AUDIT_LOG} == {"people.csv", "plan.yaml"}
        return result.exit_code, result.stderr

    return run


def test_good_input_is_released(run, tmp_path):
    assert run() == (0, "")
    assert (tmp_path / "release" / "manifest.json").is_file()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("", ["people.csv", "empty"]),
        ("name,age,sex,disease\n", ["people.csv", "no rows"]),
        ("name,age,age,disease\nAnn,31,F,flu\n", ["'age'", "2 times"]),
        (PEOPLE + "Eve,50\n", ["6", "4", "2"]),
        (PEOPLE + "Eve,50,F,flu,extra,more\n", ["6", "4"]),
        (PEOPLE.replace("Ann", "A\0nn"), ["NUL"]),
        (PEOPLE.encode() + b"\xff\xfe\xfa,9,F,flu\n\x81\x8d", ["people.csv"]),
    ],
    ids=["empty", "header only", "duplicate columns", "short row", "long row", "NUL", "encoding"],
)
def test_a_file_that_is_no_table(run, data, words):
    code, message = run(data)
    assert code == 2
    for word in words:
        assert word in message


def test_one_row_cannot_hide_among_others(run):
    code, message = run(PEOPLE.split("Bob", maxsplit=1)[0])
    assert code == 1
    assert "the best is k-anonymity 1" in message


def test_one_row_is_published_where_nothing_is_promised(run):
    assert run(PEOPLE.split("Bob", maxsplit=1)[0], PLAN.replace("k=2", "k=1"))[0] == 0


def test_a_cell_of_ten_megabytes_is_a_value_like_any_other(run):
    assert run(PEOPLE.replace("cancer", "x" * 10_000_000))[0] == 0


def test_a_column_that_is_all_missing_is_one_value(run, tmp_path):
    assert run("name,age,sex,disease\nAnn,,F,flu\nBob,,F,flu\n")[0] == 0
    assert (tmp_path / "release" / "data.csv").read_text() == "age,sex,disease\n,F,flu\n,F,flu\n"


def test_a_constant_quasi_identifier_is_no_obstacle(run):
    assert run(PEOPLE.replace("M,", "F,"))[0] == 0


def test_more_than_there_are_records_is_infeasible_and_says_what_is_possible(run):
    code, message = run(plan=PLAN.replace("k=2", "k=5"))
    assert code == 1
    assert "k-anonymity:k=5" in message
    assert "the best is k-anonymity 4" in message


def test_a_limit_that_makes_it_infeasible_comes_with_the_nearest_that_does_not(run):
    plan = PLAN.replace("origin: 0}", "origin: 0}, max_level: 1").replace(
        "sex: quasi-identifier", "sex: {role: QI, max_level: 0}"
    )
    code, message = run(plan=plan)
    assert code == 1
    assert "the best is k-anonymity 1" in message
    assert "higher levels" in message


def test_a_suppression_limit_that_is_too_low_says_how_much_would_do(run):
    data = PEOPLE + "Eve,49,F,flu\nFay,45,F,flu\n"
    plan = PLAN.replace("origin: 0}", "origin: 0}, max_level: 1").replace(
        "sex: quasi-identifier", "sex: {role: QI, max_level: 0}"
    )
    code, message = run(data, plan)
    assert code == 1
    assert "allow 3 suppressed records (50.00%)" in message
    assert run(data, plan.replace("suppression: 0", "suppression: 3"))[0] == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("  age:", "  agee:"), ["column 'agee' not found", "Did you mean 'age'?"]),
        (("suppression: 0", "suppresion: 0"), ["unknown key 'suppresion'", "Did you mean 'suppression'?"]),
        (("suppression: 0", "suppression: 120%"), ["suppression", "120%"]),
        (("suppression: 0", "suppression: a lot"), ["suppression", "a lot"]),
        (("k-anonymity:k=2", "k-anonimity:k=2"), ["k-anonimity", "Did you mean 'k-anonymity'?"]),
        (("k-anonymity:k=2", "k-anonymity:k=0"), ["k of k-anonymity must be at least 1, got 0"]),
        (("k-anonymity:k=2", "k-anonymity:k=two"), ["k of k-anonymity", "two"]),
        (("k-anonymity:k=2", "k-anonymity"), ["k-anonymity needs k"]),
        (("k-anonymity:k=2", "k-anonymity:j=2"), ["no parameter 'j'"]),
        (("sex: quasi-identifier", "sex: quasi"), ["role 'quasi' is not known", "quasi-identifier"]),
        (("kind: intervals", "kind: interval"), ["interval", "Did you mean 'intervals'?"]),
        (("hierarchy: {kind: intervals, width: 10, origin: 0}", "hierarchy: nowhere.csv"), ["nowhere.csv"]),
        (("sex: quasi-identifier", "sex: {role: QI, hierarchy: {Human: [F]}}"), ["'sex'", "lacks", "M"]),
        (('promises: ["k-anonymity:k=2"]', ""), ["'promises' is missing"]),
        (("suppression: 0", "suppression: 0\nmetric: losss"), ["metric 'losss'", "Did you mean 'loss'?"]),
        (("suppression: 0", "suppression: 0\nalgorithm: optimum"), ["algorithm 'optimum'", "optimal"]),
        (("suppression: 0", "suppression: 0\nmetric: dm\nmetric: loss"), ["'metric'", "twice"]),
        (("output: {report: false}", "output: {report: false, formats: [sas]}"), ["sas", "csv"]),
        (("width: 10, origin: 0}", "width: 10, origin: 0}, max_level: 99"), ["'age'", "99"]),
        (("width: 10, origin: 0}", "width: 10, origin: 0}, weight: -1"), ["weight"]),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else "",
)  # fmt: skip
def test_a_plan_with_a_mistake_is_told_which(run, change, words):
    code, message = run(plan=PLAN.replace(*change))
    assert code == 2
    for word in words:
        assert word in message


def test_a_plan_that_is_not_yaml(run):
    code, message = run(plan="data: [people.csv")
    assert code == 2
    assert "not valid YAML" in message


def test_no_quasi_identifier_is_told(run):
    code, message = run(
        plan=PLAN.replace("quasi-identifier", "insensitive").replace(
            ", hierarchy: {kind: intervals, width: 10, origin: 0}", ""
        )
    )
    assert code == 2
    assert "no column has the role 'quasi-identifier'" in message


def test_a_promise_about_sensitive_values_needs_one(run):
    plan = PLAN.replace("disease: sensitive", "disease: insensitive").replace("k-anonymity:k=2", "l-diversity:l=2")
    code, message = run(plan=plan)
    assert code == 2
    assert "sensitive" in message


def test_an_existing_folder_is_never_replaced_unasked(run, tmp_path):
    assert run()[0] == 0
    before = (tmp_path / "release" / "data.csv").read_bytes()
    again = CliRunner().invoke(app, ["run", str(tmp_path / "plan.yaml"), "--quiet"])
    assert again.exit_code == 2
    assert "--force" in again.stderr
    assert (tmp_path / "release" / "data.csv").read_bytes() == before
    assert CliRunner().invoke(app, ["run", str(tmp_path / "plan.yaml"), "--quiet", "--force"]).exit_code == 0


def test_a_folder_that_is_not_a_release_is_not_replaced_even_when_asked(tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "plan.yaml").write_text(PLAN)
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "thesis.txt").write_text("three years of work")
    result = CliRunner().invoke(app, ["run", str(tmp_path / "plan.yaml"), "--quiet", "--force"])
    assert result.exit_code == 2
    assert (tmp_path / "release" / "thesis.txt").read_text() == "three years of work"


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (PLAN.replace('["k-anonymity:k=2"]', "k-anonymity:k=2"), ["promises: expected a list", "'k-anonymity:k=2'"]),
        (PLAN.replace('["k-anonymity:k=2"]', "[]"), ["promises: expected at least one entry"]),
        (PLAN.replace('["k-anonymity:k=2"]', "[[a]]"), ["promises.0: expected"]),
        (PLAN.replace('["k-anonymity:k=2"]', "\n  - k-anonymity: k=2"), ["Write 'k-anonymity:k=2', without a space"]),
        (PLAN.replace("suppression: 0", "suppression: [1]"), ["suppression: expected a text or a number"]),
        (PLAN + "suppressed: kept\n", ["suppressed: expected 'remove' or 'keep'", "'kept'"]),
        (PLAN.replace("origin: 0}}", "origin: 0}, weight: heavy}"), ["columns.age.weight: expected a number", "heavy"]),
        (PLAN.replace("origin: 0}}", "origin: 0}, weight: -1}"), ["columns.age.weight: expected at least 0", "-1"]),
        (PLAN.replace("origin: 0}}", "origin: 0}, weight: 1e308}"), ["weight of 'age'", "1e+308"]),
        (PLAN.replace("origin: 0}}", "origin: 0}, min_level: x}"), ["columns.age.min_level: expected a whole number"]),
        (PLAN + "quasi_identifier_sets: [age, sex]\n", ["quasi_identifier_sets.0: expected a list", "'age'"]),
        (PLAN.replace("{report: false}", "{formats: [xlsx]}"), ["output.formats.0: expected 'csv' or 'parquet'"]),
        (PLAN.replace("{report: false}", "{formats: []}"), ["output.formats: expected at least one entry"]),
        (PLAN.replace("{report: false}", "{report: maybe}"), ["output.report: expected true or false"]),
        (PLAN.replace("{report: false}", "release2"), ["output: expected a mapping"]),
        (PLAN.replace("disease: sensitive", "disease: sensetive"), ["Did you mean 'sensitive'?"]),
    ],
    ids=range(16),
)
def test_a_plan_with_a_mistake_is_explained_once_and_in_plain_words(run, plan, words):
    code, message = run(plan=plan)
    assert code == 2
    for word in words:
        assert word in message
    for foreign in ("Input should", "Tuple", "valid string", "validation", "dictionary", "; output.formats:"):
        assert foreign not in message


@pytest.mark.parametrize(("mark", "shown"), [(";", "';'"), ("\t", r"'\t'"), ("|", "'|'")])
def test_a_table_read_with_the_wrong_delimiter_is_recognized(run, mark, shown):
    code, message = run(PEOPLE.replace(",", mark), PLAN + "read: {delimiter: ','}\n")
    assert code == 2
    assert "column 'name' not found" in message
    assert f"delimiter {shown}" in message


LONG = "x" * 300
CHECK = ["check", LONG, "--promise", "k-anonymity:k=2", "--qi", "age"]


@pytest.mark.parametrize("words", [["init", LONG], ["run", LONG], CHECK], ids=lambda words: words[0])
def test_a_path_that_no_file_can_have_is_told(words):
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2
    assert "File name too long" in result.stderr


@pytest.mark.parametrize(("folder", "reason"), [(LONG, "File name too long"), ("a\\0b", "NUL")], ids=["long", "NUL"])
def test_a_release_folder_that_cannot_be_is_told_and_leaves_nothing(run, folder, reason):
    code, message = run(plan=PLAN.replace("report: false", f'report: false, folder: "{folder}"'))
    assert code == 2
    assert reason in message


def test_a_plan_whose_key_is_a_list(run):
    code, message = run(plan=PLAN + "? [a, b]\n: x\n")
    assert code == 2
    assert "a key must be plain text" in message
