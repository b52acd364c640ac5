"""Small files that hold more than a machine can are refused before they are unpacked."""

import io
import lzma
import zipfile

import polars as pl
import pytest
import xlsxwriter

from krypsis.errors import DataError, TooLarge, UsageError
from krypsis.io.read import read_table
from krypsis.io.source import VARIABLE

MB = 1024**2


@pytest.fixture(autouse=True)
def limit(monkeypatch):
    monkeypatch.setenv(VARIABLE, "4")


def workbook(rows, change=lambda _, content: content):
    """A workbook whose parts are changed afterwards."""
    before, after = io.BytesIO(), io.BytesIO()
    with xlsxwriter.Workbook(before, {"in_memory": True}) as book:
        sheet = book.add_worksheet()
        for place, row in enumerate(rows):
            sheet.write_row(place, 0, row)
    with zipfile.ZipFile(before) as source, zipfile.ZipFile(after, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            target.writestr(name, change(name, source.read(name)))
    return after.getvalue()


def far_corner(name, content):
    far = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    return content.replace(b"</sheetData>", far) if name == "xl/worksheets/sheet1.xml" else content


def padded(name, content):
    return content + b" " * 8 * MB if name == "xl/worksheets/sheet1.xml" else content


def lying(content):
    """The same workbook, whose directory says that every part is small."""
    place = 0
    changed = bytearray(content)
    while (place := content.find(b"PK\x01\x02", place)) >= 0:
        changed[place + 24 : place + 28] = (10).to_bytes(4, "little")
        place += 4
    return bytes(changed)


BOMBS = {
    "b.xz": lambda: lzma.compress(b"a,b\n" + b"1,2\n" * 2 * MB),
    "corner.xlsx": lambda: workbook([["a"], [1]], far_corner),
    "padded.xlsx": lambda: workbook([["a"], [1]], padded),
    "texts.xlsx": lambda: workbook([["a"], *[["long" * 1000]] * 2000]),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_with_the_name_of_the_limit(tmp_path, name):
    (tmp_path / name).write_bytes(BOMBS[name]())
    assert (tmp_path / name).stat().st_size < 100_000
    with pytest.raises(TooLarge, match=f"{name} unpacks to more than 4 MB.*{VARIABLE}"):
        read_table(tmp_path / name)


def test_a_workbook_that_lies_about_its_size_is_not_believed(tmp_path, monkeypatch):
    (tmp_path / "liar.xlsx").write_bytes(lying(workbook([["a"], [1]], padded)))
    monkeypatch.setenv(VARIABLE, "1")
    with pytest.raises(DataError, match=r"liar\.xlsx"):
        read_table(tmp_path / "liar.xlsx")


def test_a_parquet_file_of_equal_values_is_refused_by_its_number_of_rows(tmp_path):
    pl.DataFrame({"a": [1] * MB}).write_parquet(tmp_path / "b.parquet")
    with pytest.raises(TooLarge, match="4 MB"):
        read_table(tmp_path / "b.parquet")


def test_what_fits_into_the_limit_is_read(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, "64")
    (tmp_path / "texts.xlsx").write_bytes(BOMBS["texts.xlsx"]())
    assert read_table(tmp_path / "texts.xlsx").height == 2000
    pl.DataFrame({"a": [1] * MB}).write_parquet(tmp_path / "b.parquet")
    assert read_table(tmp_path / "b.parquet").height == MB


@pytest.mark.parametrize("written", ["0", "-1", "many", "1.5"])
def test_a_limit_that_is_no_number_is_refused(tmp_path, monkeypatch, written):
    monkeypatch.setenv(VARIABLE, written)
    (tmp_path / "b.xz").write_bytes(BOMBS["b.xz"]())
    with pytest.raises(UsageError, match=f"{VARIABLE} must be a whole number"):
        read_table(tmp_path / "b.xz")
