"""Cells that a spreadsheet would carry out."""

import polars as pl
import pytest

from krypsis.release.zip_archive import without_formulas


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", " =1", "＝1+1", "+30 210 1234", "-", "\n=1"],
)
def test_a_text_that_a_spreadsheet_carries_out_gets_an_apostrophe(text):
    assert without_formulas(pl.DataFrame({"a": [text]})).item() == "'" + text


@pytest.mark.parametrize("text", ["-5", "+5", "-5.25", "-1e-3", "a=b", "[-5-0)", "'=1", "", None, "δ-x", "1-2"])
def test_numbers_and_plain_texts_stay(text):
    assert without_formulas(pl.DataFrame({"a": [text]}, schema={"a": pl.String})).item() == text


def test_columns_of_numbers_stay_as_they_are():
    table = pl.DataFrame({"a": [-1, 2], "b": [-1.5, None]})
    assert without_formulas(table).equals(table)


def test_names_of_columns_are_neutralized_and_stay_different():
    table = pl.DataFrame({"=a": [1], "'=a": [2], "b": [3]})
    assert without_formulas(table).rows(named=True) == [{"'=a": 1, "''=a": 2, "b": 3}]


def test_a_table_without_columns_stays():
    assert without_formulas(pl.DataFrame()).equals(pl.DataFrame())
