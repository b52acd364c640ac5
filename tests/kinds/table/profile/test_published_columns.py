"""Columns that are published as they are and single people out."""

import random
import warnings

import polars as pl
import pytest
from typer.testing import CliRunner

import krypsis
from krypsis.cli.main import app
from krypsis.data.schema import Schema
from krypsis.errors import PrivacyWarning
from krypsis.io.dataset import Dataset
from krypsis.kinds.table.profile.published_risks import MOST_ROWS, suspects

RANDOM = random.Random(0)
ROWS = 60
SEX = ["F", "M"] * (ROWS // 2)


def digits(count: int) -> str:
    return "".join(RANDOM.choice("0123456789") for _ in range(count))


def found_in(role: str = "insensitive", **columns: list):
    roles = dict.fromkeys(columns, role)
    return suspects(Dataset.of(pl.DataFrame(columns)), Schema.of(roles))


IDENTIFYING = {
    "ssn": [f"{digits(3)}-{digits(2)}-{digits(4)}" for _ in range(ROWS)],
    "contact": [f"p{number}@example.org" for number in range(ROWS)],
    "mobile": [f"69{digits(8)}" for _ in range(ROWS)],
    "paid_from": [f"GR{digits(25)}" for _ in range(ROWS)],
    "page": [f"https://example.org/{number}" for number in range(ROWS)],
    "remarks": [f"was seen by doctor {digits(4)} on the first day" for _ in range(ROWS)],
    "reading": [f"{RANDOM.random():.9f}" for _ in range(ROWS)],
}


@pytest.mark.parametrize("role", ["insensitive", "sensitive"])
@pytest.mark.parametrize("name", IDENTIFYING)
def test_a_column_that_identifies_is_named_in_both_languages(name, role):
    (found,) = found_in(role, **{name: IDENTIFYING[name]})
    assert found.columns == (name,)
    assert name in found.said("en")
    assert name in found.said("el")


def test_a_column_with_few_values_is_not_named():
    assert not found_in(smoker=["yes", "no"] * 30, stage=["I", "II", "III"] * 20)


def test_few_records_are_not_judged_by_their_values_alone():
    assert not found_in(disease=["flu", "cold", "hiv"], stage=["I", "II", "III"])


def test_columns_that_single_people_out_only_together_are_named_together():
    values = [str(number) for number in range(10)] * 6
    other = [str(number // 10) for number in range(ROWS)]
    (found,) = found_in(door=values, floor=other, smoker=["yes", "no"] * 30)
    assert sorted(found.columns) == ["door", "floor"]


def test_in_a_long_table_all_records_decide_and_not_a_part_of_them():
    rows = 2 * MOST_ROWS
    assert not found_in(code=[f"{number // 2:x}z" for number in range(rows)])
    (found,) = found_in(code=[f"{number:x}z" for number in range(rows)])
    assert found.columns == ("code",)


def test_anonymize_warns_of_a_unique_column_that_is_published():
    table = pl.DataFrame({"sex": SEX, "ssn": IDENTIFYING["ssn"]})
    with pytest.warns(PrivacyWarning, match="'ssn'"):
        krypsis.anonymize(table, {"sex": "quasi-identifier", "ssn": "insensitive"}, models="k-anonymity:k=5")


def test_run_and_check_warn_and_refuse_if_strict(tmp_path):
    pl.DataFrame({"sex": SEX, "ssn": IDENTIFYING["ssn"]}).write_csv(tmp_path / "people.csv")
    plan = tmp_path / "plan.yaml"
    plan.write_text("data: people.csv\ncolumns: {sex: QI, ssn: insensitive}\npromises: ['k-anonymity:k=5']\n")
    strict = CliRunner().invoke(app, ["run", str(plan), "--strict", "--quiet"])
    assert (strict.exit_code, (tmp_path / "release").exists()) == (1, False)
    with warnings.catch_warnings():
        warnings.simplefilter("always", PrivacyWarning)
        done = CliRunner().invoke(app, ["run", str(plan), "--quiet"])
    assert (done.exit_code, "'ssn'" in done.stderr) == (0, True)
    checked = CliRunner().invoke(app, ["check", str(tmp_path / "release")])
    assert (checked.exit_code, "'ssn'" in checked.stderr) == (0, True)
    assert CliRunner().invoke(app, ["check", str(tmp_path / "release"), "--strict"]).exit_code == 1
