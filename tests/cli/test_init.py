import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
import typer
import yaml
from typer.testing import CliRunner

from krypsis.cli.init import init
from krypsis.cli.main import app as whole_app
from krypsis.errors import DataError, KrypsisError, OutputError, UsageError
from krypsis.plan import Plan

TABLE = "name;age;zip;disease\n" + "".join(
    f"person {row};{20 + row % 9};{10115 + row % 7};{'flu' if row % 2 else 'cold'}\n" for row in range(60)
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)  # the test run may have a width of its own
    (tmp_path / "patients.csv").write_text(TABLE)
    return tmp_path


def run(*arguments):
    app = typer.Typer()
    app.command()(init)
    return CliRunner().invoke(app, list(arguments))


def failed(*arguments) -> KrypsisError:
    error = run(*arguments).exception
    assert isinstance(error, KrypsisError)
    return error


def plan(path="plan.yaml"):
    return yaml.load(Path(path).read_text("utf-8"), Loader=yaml.BaseLoader)


def test_a_plan_is_written_and_named(folder):
    result = run("patients.csv")
    assert result.exit_code == 0
    assert "plan.yaml written" in result.stdout
    assert "krypsis run plan.yaml" in result.stdout
    found = Plan.load(folder / "plan.yaml")
    assert found.data == "patients.csv"
    assert found.read.delimiter == ";"
    assert [column.role.value for column in found.columns.values()] == [
        "identifier",
        "quasi-identifier",
        "quasi-identifier",
        "sensitive",
    ]


def test_the_profile_is_shown_beside_the_result():
    result = run("patients.csv")
    for shown in ("60 records", "quasi-identifier", "the name suggests health", "age, zip", "records alone"):
        assert shown in result.stderr
        assert shown not in result.stdout


def test_the_plan_can_be_run():
    assert CliRunner().invoke(whole_app, ["init", "patients.csv"]).exit_code == 0
    result = CliRunner().invoke(whole_app, ["run", "plan.yaml"])
    assert result.exit_code == 0, result.output
    (published,) = Path("release").glob("*.csv")
    assert pl.read_csv(published).columns == ["age", "zip", "disease"]


def test_an_existing_plan_is_kept_unless_forced(folder):
    (folder / "plan.yaml").write_text("mine")
    error = failed("patients.csv")
    assert isinstance(error, UsageError)
    assert "--force" in str(error)
    assert (folder / "plan.yaml").read_text() == "mine"
    assert run("patients.csv", "--force").exit_code == 0
    assert plan()["data"] == "patients.csv"


def test_the_data_is_named_as_seen_from_the_plan(folder):
    (folder / "plans").mkdir()
    assert run("patients.csv", "--output", "plans/first.yaml").exit_code == 0
    assert plan("plans/first.yaml")["data"] == "../patients.csv"
    assert run(str(folder / "patients.csv"), "-o", "second.yaml").exit_code == 0
    assert plan("second.yaml")["data"] == "patients.csv"


def test_the_encoding_is_written_where_it_is_not_utf8(folder):
    (folder / "greek.csv").write_bytes("ηλικία,πόλη\n30,Αθήνα\n40,Πάτρα\n".encode("iso-8859-7"))
    assert run("greek.csv", "--encoding", "iso-8859-7").exit_code == 0
    assert plan()["read"] == {"encoding": "iso8859-7"}
    assert list(plan()["columns"]) == ["ηλικία", "πόλη"]
    assert Plan.load("plan.yaml").columns["ηλικία"].role.value == "quasi-identifier"


def test_a_given_delimiter_is_written(folder):
    (folder / "odd.csv").write_text("age x\n30 1\n40 2\n")
    assert run("odd.csv", "--delimiter", "space").exit_code == 0
    assert plan()["read"] == {"delimiter": " "}
    assert list(plan()["columns"]) == ["age", "x"]


def test_an_ordinary_file_needs_no_words_about_reading(folder):
    (folder / "plain.csv").write_text("age,x\n30,1\n40,2\n")
    assert run("plain.csv").exit_code == 0
    assert "read" not in plan()


def test_parquet_and_excel_files_are_understood(folder):
    frame = pl.DataFrame({"age": [30, 40], "city": ["Athens", "Patras"]})
    frame.write_parquet(folder / "t.parquet")
    frame.write_excel(folder / "t.xlsx", worksheet="Data")
    assert run("t.parquet").exit_code == 0
    assert run("t.xlsx", "--sheet", "Data", "--force").exit_code == 0
    assert plan()["read"] == {"sheet": "Data"}
    assert list(plan()["columns"]) == ["age", "city"]


def test_a_table_without_quasi_identifiers_is_mentioned(folder):
    (folder / "x.csv").write_text("disease,name\nflu,Ann\nflu,Bob\ncold,Eva\n")
    result = run("x.csv")
    assert "No quasi-identifier was found" in result.stderr
    assert "No quasi-identifier was found" in Path("plan.yaml").read_text()


def test_hostile_names_and_values_are_shown_harmlessly(folder):
    (folder / "x.csv").write_text('"[red]age[/red]","\x1b[31mzip","two\nlines"\n[bold]1,\x1b]0;title\x07,x\n2,y,z\n')
    result = run("x.csv")
    assert result.exit_code == 0
    assert "[red]age[/red]" in result.stderr
    assert "\x1b" not in result.stderr
    assert "\x07" not in result.stderr
    assert list(plan()["columns"]) == ["[red]age[/red]", "\x1b[31mzip", "two\nlines"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"a,b\n", "no rows"),
        (b"a,a\n1,2\n", "same name"),
        (b"a,b\n1\n", "line 2: expected 2 fields"),
        (b"a,b\n1,\0\n", "NUL byte"),
    ],
)
def test_a_bad_file_leaves_no_plan(folder, content, message):
    (folder / "bad.csv").write_bytes(content)
    error = failed("bad.csv")
    assert isinstance(error, DataError)
    assert message in str(error)
    assert not (folder / "plan.yaml").exists()


def test_the_whole_command_ends_with_the_code_for_wrong_usage():
    result = CliRunner().invoke(whole_app, ["init", "nowhere.csv"])
    assert result.exit_code == 2
    assert "nowhere.csv not found" in result.stderr


def test_a_missing_folder_is_told_before_anything_is_read():
    assert "does not exist" in str(failed("patients.csv", "-o", "no/such/plan.yaml"))
    assert isinstance(failed("patients.csv", "-o", "."), UsageError)


def test_a_failed_write_leaves_the_old_plan_and_nothing_else(folder, monkeypatch):
    (folder / "plan.yaml").write_text("mine")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    error = failed("patients.csv", "--force")
    assert isinstance(error, OutputError)
    assert "No space left" in str(error)
    assert (folder / "plan.yaml").read_text() == "mine"
    assert sorted(entry.name for entry in folder.iterdir()) == ["patients.csv", "plan.yaml"]


def test_a_table_of_one_row_and_one_column_has_a_plan(folder):
    (folder / "x.csv").write_text("age\n5\n")
    assert run("x.csv").exit_code == 0
    assert list(plan()["columns"]) == ["age"]


def test_a_linked_file_is_named_where_it_lies(folder):
    (folder / "sub").mkdir()
    (folder / "sub" / "link.csv").symlink_to(folder / "patients.csv")
    assert run("sub/link.csv").exit_code == 0
    assert (folder / plan()["data"]).resolve() == (folder / "patients.csv").resolve()


def test_the_profile_fits_into_the_width_that_is_asked_for(monkeypatch):
    monkeypatch.setenv("COLUMNS", "90")
    lines = run("patients.csv").stderr.splitlines()
    assert max(map(len, lines)) <= 90
    assert any("quasi-identifier" in line for line in lines)


def test_a_reason_is_told_once_for_columns_that_share_it(folder):
    header = ",".join(f"c{number}" for number in range(50))
    rows = "\n".join(",".join(str((row + number) % 6) for number in range(50)) for row in range(60))
    (folder / "wide.csv").write_text(f"{header}\n{rows}\n")
    shown = run("wide.csv").stderr
    assert shown.count("nothing in the name or the values") <= 2
    assert shown.count("as above") >= 45


def test_a_table_without_a_sensitive_column_is_warned_of_in_the_terminal_and_in_the_plan(folder):
    (folder / "screening.csv").write_text(TABLE.replace("disease", "outcome"))
    said = "No column was recognized as sensitive"
    assert said in run("screening.csv").stderr
    assert said in (folder / "plan.yaml").read_text("utf-8")
    assert "sensitive" not in [column["role"] for column in plan()["columns"].values()]
    assert said not in run("patients.csv", "--force").stderr
    assert said not in (folder / "plan.yaml").read_text("utf-8")


def test_the_plan_is_written_before_anything_is_shown(folder, monkeypatch):
    def closed(_):
        assert (folder / "plan.yaml").is_file()
        raise BrokenPipeError

    monkeypatch.setattr("krypsis.cli.init.show_profile", closed)
    run("patients.csv")
    assert Plan.load("plan.yaml").data == "patients.csv"


def test_a_reader_who_stops_reading_leaves_no_traceback(folder):
    command = f"{sys.executable} -m krypsis.cli.main init patients.csv 2>&1 | head -1; exit ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (folder / "plan.yaml").is_file()
    assert "Traceback" not in result.stdout + result.stderr


def test_a_plan_for_a_table_that_changes_begins_a_history_at_once():
    """Names are unique, two diseases are equally frequent, and what is sensitive is said once."""
    result = run("patients.csv", "--kind", "history")
    assert "then: krypsis history init patients.csv --id name --plan plan.yaml" in result.stdout
    assert plan()["promises"] == ["m-invariance:m=2", "k-anonymity:k=5"]
    begun = CliRunner().invoke(whole_app, ["history", "init", "patients.csv", "--quiet"])
    assert begun.exit_code == 0, begun.stderr
    assert "Version 1: 60 records, 60 new" in begun.stdout


def test_of_several_sensitive_columns_a_history_publishes_one_of_words(folder):
    rows = "".join(f"{row};{20 + row % 9};{1000 + 7 * row};{'flu' if row % 2 else 'cold'}\n" for row in range(60))
    (folder / "pay.csv").write_text("patient_id;age;salary;diagnosis\n" + rows)
    run("pay.csv", "--kind", "history")
    roles = {name: column["role"] for name, column in plan()["columns"].items()}
    assert [name for name, role in roles.items() if role == "sensitive"] == ["diagnosis"]
    assert "insensitive" not in roles.values()


def test_a_sensitive_number_is_kept_apart_by_its_distance(folder):
    rows = "".join(f"{row};{20 + row % 9};{1000 + 7 * row}.5\n" for row in range(60))
    (folder / "pay.csv").write_text("patient_id;age;treatment_cost\n" + rows)
    run("pay.csv", "--kind", "history")
    assert plan()["promises"] == ["em-correlation:e=20,m=3,low=1000,high=1414", "k-anonymity:k=5"]
    begun = CliRunner().invoke(whole_app, ["history", "init", "pay.csv", "--quiet"])
    assert begun.exit_code == 0, begun.stderr


def test_a_table_without_an_id_or_a_sensitive_column_says_what_is_missing(folder):
    (folder / "odd.csv").write_text("age,town\n" + "".join(f"{20 + row % 3},{'ab'[row % 2]}\n" for row in range(20)))
    result = run("odd.csv", "--kind", "history")
    text = (folder / "plan.yaml").read_text("utf-8")
    for missing in ("No column identifies every record", "No sensitive attribute was found"):
        assert f"# {missing}" in text
        assert missing in result.stdout
    assert "krypsis history init" not in result.stdout, "a command that cannot work"


def test_the_command_that_follows_can_be_typed(folder):
    (folder / "my table.csv").write_text((folder / "patients.csv").read_text("utf-8"), "utf-8")
    result = run("my table.csv", "--kind", "history", "--output", "my plan.yaml")
    assert "then: krypsis history init 'my table.csv' --id name --plan 'my plan.yaml'" in result.stdout
