import datetime as dt

import polars as pl
import pytest
import xlsxwriter

import krypsis
from krypsis.io.read import read_table

FRAME = pl.DataFrame(
    {
        "age": [34, None],
        "weight": [70.5, 80.0],
        "born": [dt.date(1990, 1, 2), dt.date(1980, 12, 31)],
        "zip": ["01234", ""],
    }
)


def test_parquet_keeps_its_types(tmp_path):
    FRAME.write_parquet(tmp_path / "t.parquet")
    FRAME.write_parquet(tmp_path / "t")
    assert read_table(tmp_path / "t.parquet").equals(FRAME)
    assert read_table(tmp_path / "t").equals(FRAME)


def test_excel_keeps_numbers_and_texts_apart(tmp_path):
    FRAME.write_excel(tmp_path / "t.xlsx", worksheet="Data")
    frame = read_table(tmp_path / "t.xlsx", sheet="Data")
    assert frame.columns == FRAME.columns
    assert frame["age"].to_list() == [34, None]
    assert frame["weight"].to_list() == [70.5, 80.0]
    assert frame["zip"].to_list()[0] == "01234"
    assert [str(value)[:10] for value in frame["born"]] == ["1990-01-02", "1980-12-31"]


def test_whole_numbers_of_excel_are_integers_and_other_numbers_stay(tmp_path):
    with xlsxwriter.Workbook(tmp_path / "t.xlsx") as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["zip", "weight", "huge", "gaps"])
        sheet.write_row(1, 0, [10002, 70, 2.0**60, 5])
        sheet.write_row(2, 0, [10003, 70.5, 1])
    frame = read_table(tmp_path / "t.xlsx")
    assert frame.dtypes == [pl.Int64, pl.Float64, pl.Float64, pl.Int64]
    assert frame.rows() == [(10002, 70.0, 2.0**60, 5), (10003, 70.5, 1.0, None)]


def test_an_excel_table_is_published_with_its_whole_numbers(tmp_path):
    rows = [(10002, 1234), (10003, 1234), (10002, 1235), (10003, 1235)]
    pl.DataFrame(rows, schema=["zip", "visits"], orient="row").write_excel(tmp_path / "t.xlsx")
    roles = {"zip": "quasi-identifier", "visits": "insensitive"}
    options = {"hierarchies": {"zip": "masking"}, "min_levels": {"zip": 1}}
    release = krypsis.anonymize(tmp_path / "t.xlsx", roles, models="k-anonymity:k=2", **options)
    release.save(tmp_path / "release")
    header, *lines = (tmp_path / "release" / "data.csv").read_text().splitlines()
    assert header == "zip,visits"
    assert sorted(lines) == ["1000*,1234", "1000*,1234", "1000*,1235", "1000*,1235"]


def test_an_empty_row_inside_a_sheet_stays_and_those_at_the_end_go(tmp_path):
    with xlsxwriter.Workbook(tmp_path / "t.xlsx") as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["a", "b"])
        sheet.write_row(1, 0, [1, "x"])
        sheet.write_row(3, 0, [2, "y"])
        sheet.write_blank(6, 0, None, book.add_format({"bold": True}))
        sheet.write_blank(6, 5, None, book.add_format({"bold": True}))
    assert read_table(tmp_path / "t.xlsx").rows() == [(1, "x"), (None, None), (2, "y")]


@pytest.mark.filterwarnings("ignore:.*further sheet")
def test_a_sheet_can_be_chosen_by_its_number(tmp_path):
    with xlsxwriter.Workbook(tmp_path / "t.xlsx") as book:
        book.add_worksheet("one").write_column(0, 0, ["a", "1"])
        book.add_worksheet("two").write_column(0, 0, ["b", "2"])
    assert read_table(tmp_path / "t.xlsx").columns == ["a"]
    assert read_table(tmp_path / "t.xlsx", sheet=2).columns == ["b"]
