"""Tables in several Parquet files of any tool, checked one file at a time."""

import duckdb
import polars as pl
import pytest
from typer.testing import CliRunner

import krypsis
from krypsis.checker import parted_rows
from krypsis.cli.main import app
from krypsis.errors import DataError, PrivacyWarning, UsageError
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.l_diversity import DistinctLDiversity

TABLE = pl.DataFrame(
    {"age": ["3*"] * 4 + ["4*"] * 5, "disease": ["flu", "gout"] * 4 + ["flu"], "visits": list(range(9))}
)
MODELS = [KAnonymity(k=4), DistinctLDiversity(l=2)]


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "parts"
    place.mkdir()
    for number in range(3):
        TABLE.slice(3 * number, 3).write_parquet(place / f"part-{number}.parquet")
    return place


@pytest.fixture(autouse=True)
def no_collecting(monkeypatch):
    monkeypatch.setattr(parted_rows.PartedRows, "collected", lambda _: pytest.fail("all rows were collected"))


def check(path, models=MODELS, **given):
    return krypsis.check(path, models, quasi_identifiers=["age"], sensitive="disease", **given)


def test_a_folder_and_a_pattern_are_judged_as_one_table(folder):
    expected = check(TABLE)
    assert check(folder) == expected
    assert check(str(folder / "*.parquet")) == expected
    assert check(folder / "part-[0-2].parquet") == expected


def test_files_that_duckdb_has_written_are_judged(tmp_path):
    place = tmp_path / "parts"
    place.mkdir()
    for number in range(2):
        part = TABLE.slice(5 * number, 5)
        rows = ", ".join(map(str, part.rows()))
        duckdb.sql(f"COPY (SELECT * FROM (VALUES {rows}) t(age, disease, visits)) TO '{place}/{number}.parquet'")
    assert [one.achieved for one in check(place)] == [4.0, 2.0]


def test_marks_of_spark_are_passed_over_and_nothing_else(folder):
    (folder / "_SUCCESS").touch()
    (folder / ".part-0.parquet.crc").write_bytes(b"crc")
    assert [one.holds for one in check(folder)] == [True, True]
    (folder / "names.csv").write_text("name\nAnn\n")
    with pytest.raises(DataError, match=r"holds more than Parquet files: names.csv; name the files by a pattern"):
        check(folder)
    assert [one.holds for one in check(folder / "*.parquet")] == [True, True]


def test_folders_whose_names_are_values_are_refused(folder):
    for number in range(2):
        (folder / f"year={number}").mkdir()
        (folder / f"part-{number}.parquet").rename(folder / f"year={number}" / "part-0.parquet")
    with pytest.raises(DataError, match="holds more than Parquet files: year=0, year=1"):
        check(folder)
    with pytest.raises(DataError, match="lie in several folders"):
        check(folder / "*" / "*.parquet")


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (TABLE.head(2).rename({"visits": "calls"}), "calls, visits"),
        (TABLE.head(2).with_columns(pl.col("visits").cast(pl.String)), "visits"),
        (TABLE.head(2).select("disease", "age", "visits"), "they are in another order"),
    ],
)
def test_files_with_other_columns_are_refused(folder, frame, said):
    frame.write_parquet(folder / "part-3.parquet")
    with pytest.raises(DataError, match=f"other columns or types than .*part-0.parquet: {said}"):
        check(folder)


def test_nothing_to_read_is_said(folder, tmp_path):
    with pytest.raises(DataError, match="no file matches"):
        check(str(tmp_path / "none-*.parquet"))
    for path in folder.iterdir():
        TABLE.clear().write_parquet(path)
    with pytest.raises(DataError, match="have no rows"):
        check(folder)


def test_a_damaged_file_is_named(folder):
    (folder / "part-1.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(DataError, match=r"part-1.parquet"):
        check(folder)


def test_a_group_column_needs_one_file(folder):
    with pytest.raises(UsageError, match="in a table in one file"):
        check(folder, group="visits")


def test_what_groups_disclose_is_warned_of(folder):
    pl.DataFrame({"age": ["5*"] * 4, "disease": ["hiv"] * 4, "visits": [1] * 4}).write_parquet(
        folder / "part-3.parquet"
    )
    with pytest.warns(PrivacyWarning, match="4 of 13 published records lie in 1 group"):
        check(folder, [KAnonymity(k=4)])


def test_the_command_line_takes_a_pattern_and_a_folder(folder):
    for path in (str(folder), str(folder / "*.parquet")):
        result = CliRunner().invoke(
            app, ["check", path, "--promise", "k-anonymity:k=4", "--qi", "age", "--sensitive", "disease"]
        )
        assert result.exit_code == 0, result.output
        assert "Kept" in result.output
    result = CliRunner().invoke(
        app, ["check", str(folder / "*.parquet"), "--promise", "k-anonymity:k=5", "--qi", "age"]
    )
    assert result.exit_code == 1
    assert "4 record(s): age=3*" in result.output


def test_a_column_that_singles_people_out_is_warned_of(tmp_path):
    place = tmp_path / "parts"
    place.mkdir()
    for number in range(2):
        rows = range(30 * number, 30 * number + 30)
        part = pl.DataFrame({"age": ["3*"] * 30, "code": [f"c{row}" for row in rows], "ward": ["a", "b", "c"] * 10})
        part.write_parquet(place / f"{number}.parquet")
    result = CliRunner().invoke(app, ["check", str(place), "--promise", "k-anonymity:k=4", "--qi", "age"])
    assert result.exit_code == 0
    assert "'code' (insensitive) is published as it is" in result.stderr
    assert "ward" not in result.stderr
