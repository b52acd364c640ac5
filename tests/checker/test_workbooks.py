"""Workbooks that other tools published."""

import warnings

import pytest
import xlsxwriter
from typer.testing import CliRunner

from krypsis import registry
from krypsis.checker import Given, check
from krypsis.cli.main import app
from krypsis.errors import DataWarning
from krypsis.models.k_anonymity import KAnonymity

KEPT, BROKEN, UNDECIDED = 0, 1, 3


def published(path, change=None):
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("Data")
        for row, cells in enumerate([["age", "disease"], [34, "flu"], [34, "cold"]]):
            sheet.write_row(row, 0, cells)
        if change is not None:
            change(book, sheet)
    return path


CHANGES = {
    "further sheet named 'Names'": lambda book, _: book.add_worksheet("Names").write(0, 0, "Ann"),
    "comments": lambda _, sheet: sheet.write_comment("B2", "Ann"),
    "formulas": lambda _, sheet: sheet.write_formula(1, 0, "=30+4", None, 34),
    "column without a name": lambda _, sheet: sheet.write(1, 2, "Ann"),
}


@pytest.mark.parametrize("words", CHANGES)
def test_a_workbook_that_publishes_more_than_the_judged_table_is_undecided(words, tmp_path):
    path = published(tmp_path / "t.xlsx", CHANGES[words])
    with pytest.warns(DataWarning):
        (kept,) = check(path, [KAnonymity(k=2)], Given(["age"]))
    with pytest.warns(DataWarning):
        (broken,) = check(path, [KAnonymity(k=3)], Given(["age"]))
    assert (kept.holds, broken.holds) == (None, False)
    assert words in kept.sentence
    assert words in broken.sentence


def test_a_workbook_of_one_plain_table_is_decided(tmp_path):
    (verdict,) = check(published(tmp_path / "t.xlsx"), [KAnonymity(k=2)], Given(["age"]))
    assert verdict.holds is True


def test_a_workbook_of_sensitive_values_published_apart_counts_as_well(tmp_path):
    with xlsxwriter.Workbook(tmp_path / "values.xlsx") as book:
        sheet = book.add_worksheet()
        for row, cells in enumerate([["group", "disease", "count"], ["1", "flu", 1], ["1", "cold", 1]]):
            sheet.write_row(row, 0, cells)
        sheet.write_comment("A1", "Ann")
    (tmp_path / "t.csv").write_text("age,group\n34,1\n35,1\n")
    with pytest.warns(DataWarning):
        (verdict,) = check(
            tmp_path / "t.csv",
            [registry.create("model", "distinct-l-diversity:l=2")],
            Given(sensitive="disease", group="group", sensitive_table=tmp_path / "values.xlsx"),
        )
    assert verdict.holds is None


@pytest.mark.parametrize(("change", "code"), [(None, KEPT), (CHANGES["comments"], UNDECIDED)])
def test_the_command_exits_with_undecided_and_warns_once(change, code, tmp_path):
    path = published(tmp_path / "t.xlsx", change)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        found = CliRunner().invoke(app, ["check", str(path), "--promise", "k-anonymity:k=2", "--qi", "age"])
    assert found.exit_code == code, found.output
    assert found.output.count("cell comments, which") == (code == UNDECIDED)
