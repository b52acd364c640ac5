"""``krypsis advise`` for records that are sets of items."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from krypsis.cli.main import app
from krypsis.plan import Plan

SALES = "1 2\n1 2 3\n1 2 3\n1 2\n1 3 9\n2 3 9\n" * 10
K_ANONYMITY = "n,n,n,n,y,n,n,n,y,n,n,y"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("sales.dat").write_text(SALES, encoding="utf-8")
    assert krypsis("init", "sales.dat", "--kind", "transactions").exit_code == 0
    return tmp_path


def krypsis(*arguments, typed=""):
    return CliRunner().invoke(app, list(arguments), input=typed)


def name_sensitive_items():
    plan = Path("plan.yaml")
    plan.write_text(plan.read_text("utf-8").replace("sensitive: []", "sensitive: ['9']"), encoding="utf-8")


def test_the_data_says_that_records_are_sets_of_items():
    page = krypsis("advise", "plan.yaml", "--answers", ",,n,n").stdout
    assert "The model that fits: k^m-anonymity" in page
    assert "disassociation" in page
    suggestion = krypsis("advise", "plan.yaml", typed="\n\nn\nn\n\n\nn\n").stderr
    assert "60 records, each of them a set of some of 4 items" in suggestion


def test_the_advice_is_written_into_the_plan_and_the_plan_runs():
    name_sensitive_items()
    result = krypsis("advise", "plan.yaml", "--answers", ",,,n", "--set", "k=3", "--write")
    assert result.exit_code == 0, result.stderr
    assert Plan.load("plan.yaml").promises == ("km-anonymity:k=3,m=2", "set-diversity:l=5")
    run = krypsis("run", "plan.yaml")
    assert run.exit_code == 0, run.stderr
    assert run.stdout.count(": Kept: ") == 2


def test_what_was_promised_before_keeps_its_parameters():
    plan = Path("plan.yaml")
    plan.write_text(plan.read_text("utf-8").replace("k=5,m=2", "k=4,m=3"), encoding="utf-8")
    advice = json.loads(krypsis("advise", "plan.yaml", "--answers", ",,n,n", "--json").stdout)
    assert (advice["spec"], advice["available"]) == ("km-anonymity:k=4,m=3", True)


def test_a_promise_about_tables_is_not_written_into_a_plan_for_sets():
    before = Path("plan.yaml").read_text("utf-8")
    result = krypsis("advise", "plan.yaml", "--answers", K_ANONYMITY)
    assert "k-anonymity is not a promise about sets of items" in " ".join(result.stdout.split())
    assert "The next best that runs on this data: k^m-anonymity" in " ".join(result.stdout.split())
    assert "differs from what the data suggests" in result.stdout
    assert Path("plan.yaml").read_text("utf-8") == before
    assert krypsis("advise", "plan.yaml", "--answers", K_ANONYMITY, "--write").exit_code == 2


@pytest.mark.parametrize("language", ["en", "el"])
def test_without_a_plan_the_page_says_how_to_get_one_for_sets(language):
    page = krypsis("advise", "sales.dat", "--answers", ",,y,n", "--lang", language).stdout
    assert "--kind transactions" in page
    assert "- km-anonymity:k=5,m=2\n      - set-diversity:l=5\n    algorithm: auto" in page


def test_a_value_that_the_model_refuses_is_asked_for_again():
    result = krypsis("advise", "plan.yaml", "--no-write", typed="\n\nn\nn\n0\n2\n7\n2\n")
    assert "k of km-anonymity must be at least 1, got 0" in result.stderr
    assert "- km-anonymity:k=7,m=2" in result.stdout


def test_the_original_questions_lead_to_the_same_promise():
    result = krypsis("advise", "plan.yaml", "--tree", "seed", "--answers", "y,y,y,n,n,n,")
    assert (result.exit_code, "plan.yaml says this already" in result.stdout) == (0, True)


def test_a_promise_about_sets_is_not_written_into_a_plan_for_a_table():
    Path("t.csv").write_text("age,sex,job\n" + "40,f,a\n50,m,b\n" * 5, encoding="utf-8")
    Path("t.yaml").write_text(
        "data: t.csv\ncolumns: {age: QI, sex: QI, job: QI}\npromises:\n  - k-anonymity:k=2\n", encoding="utf-8"
    )
    page = krypsis("advise", "t.yaml", "--tree", "seed", "--answers", "y,y,y,n,n,n,y").stdout
    assert "k^m-anonymity is not a promise about tables, and this is a table" in " ".join(page.split())
    assert "lkc-privacy:l=2,k=5" in page
