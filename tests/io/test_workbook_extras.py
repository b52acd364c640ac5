"""What a workbook holds besides the table that is read from it."""

import io
import re
import warnings
import zipfile

import pytest
import xlsxwriter

from krypsis.errors import DataWarning
from krypsis.io.read import read_table


def workbook(path, *changes):
    """Write a table of two columns and two records, changed by each function."""
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("Data")
        for row, cells in enumerate([["age", "disease"], [34, "flu"], [34, "cold"]]):
            sheet.write_row(row, 0, cells)
        for change in changes:
            change(book, sheet)
    return path


def further_sheets(book, _):
    book.add_worksheet("Names & addresses").write(0, 0, "Ann")
    book.add_worksheet("Old").very_hidden()


def comment(_, sheet):
    sheet.write_comment("B2", "this is Ann")


def hidden(_, sheet):
    sheet.set_row(2, None, None, {"hidden": True})
    sheet.set_column(0, 0, None, None, {"hidden": True})


def formula(_, sheet):
    sheet.write_formula(1, 0, "=30+4", None, 33)


def formula_without_value(_, sheet):
    sheet.write_formula(2, 0, "=30+4", None, "")


def stray(_, sheet):
    sheet.write(2, 3, "Ann")


def chart(book, sheet):
    drawn = book.add_chart({"type": "line"})
    drawn.add_series({"values": "=Data!$A$2:$A$3"})
    sheet.insert_chart("F1", drawn)


def warned(path, **options):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        read_table(path, **options)
    assert all(one.category is DataWarning for one in heard)
    return [str(one.message) for one in heard]


def test_a_workbook_of_one_plain_table_gives_no_warning(tmp_path):
    assert warned(workbook(tmp_path / "t.xlsx")) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (further_sheets, ["2 further sheets", "'Names & addresses'", "'Old' (hidden)", "neither reads nor publishes"]),
        (comment, ["comments", "neither reads nor publishes"]),
        (hidden, ["1 hidden row and hidden columns", "read like all others"]),
        (formula, ["1 formula", "stored values"]),
        (stray, ["1 column without a name", "neither reads nor publishes"]),
        (chart, ["charts", "neither reads nor publishes"]),
    ],
)
def test_reading_a_workbook_warns_in_one_sentence_of_what_else_it_holds(change, words, tmp_path):
    (sentence,) = warned(workbook(tmp_path / "t.xlsx", change))
    assert all(word in sentence for word in ["t.xlsx", *words])


def test_formulas_without_a_stored_value_are_named_as_missing_values(tmp_path):
    path = workbook(tmp_path / "t.xlsx", formula_without_value)
    with pytest.warns(DataWarning):
        assert read_table(path)["age"].to_list() == [34, None]
    assert any("1 formula without a stored value, read as missing" in one for one in warned(path))


def test_all_findings_are_warned_of_at_once(tmp_path):
    changes = further_sheets, comment, hidden, formula, formula_without_value, stray, chart
    assert len(warned(workbook(tmp_path / "t.xlsx", *changes))) == 7


def test_hidden_rows_and_formulas_of_other_sheets_are_no_matter_of_the_one_that_is_read(tmp_path):
    path = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(path) as book:
        plain = book.add_worksheet("Plain")
        plain.write_column(0, 0, ["a", 1])
        other = book.add_worksheet("Other")
        hidden(book, other)
        formula(book, other)
    (sentence,) = warned(path)
    assert "1 further sheet named 'Other'" in sentence
    assert any("1 formula" in one for one in warned(path, sheet="Other"))


def test_a_hidden_sheet_that_is_read_is_named(tmp_path):
    with xlsxwriter.Workbook(tmp_path / "t.xlsx") as book:
        book.add_worksheet("Shown")
        sheet = book.add_worksheet("Secret")
        sheet.write_column(0, 0, ["a", 1])
        sheet.hide()
    assert any("hidden" in one and "is read" in one for one in warned(tmp_path / "t.xlsx", sheet="Secret"))


def with_prefixes(path):
    """Write the sheet as programs do that name the namespace of every tag and quote attributes singly."""
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    content = parts["xl/worksheets/sheet1.xml"]
    content = re.sub(rb"<(/?)(\w)", rb"<\1x:\2", content).replace(b"xmlns=", b"xmlns:x=")
    parts["xl/worksheets/sheet1.xml"] = content
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as book:
        for name, part in parts.items():
            book.writestr(name, part)
    path.write_bytes(target.getvalue())
    return path


def test_formulas_and_hidden_rows_are_found_in_prefixed_tags(tmp_path):
    path = with_prefixes(workbook(tmp_path / "t.xlsx", formula, hidden))
    said = " ".join(warned(path))
    assert "1 formula" in said
    assert "1 hidden row and hidden columns" in said
