"""Guarding nodes in a file of their own: from Python, from a plan and on the command line."""

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import krypsis
from krypsis.cli.main import app
from krypsis.errors import PlanError, UsageError
from krypsis.release.order import in_input_order

PATIENTS = "patient_id,age,disease\n7,31,Bronchitis\n8,34,Angina\n9,47,Flu\n10,48,Flu\n"
WISHES = "patient_id,hides\n7,Infection\n"
TREE = "Flu;Infection;Any\nBronchitis;Infection;Any\nAngina;Heart;Any\n"
ROLES = {"patient_id": "identifier", "age": "quasi-identifier", "disease": "sensitive"}
PROMISE = "personalized-privacy:p=0.5,guarding=hides"
PLAN = f"""
data: patients.csv
private_columns: wishes.csv
columns:
  patient_id: identifier
  age: {{role: quasi-identifier, hierarchy: {{kind: intervals, width: 10}}}}
  disease: {{role: sensitive, hierarchy: disease.csv}}
promises: ["{PROMISE}"]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("patients", PATIENTS), ("wishes", WISHES), ("disease", TREE)):
        Path(f"{name}.csv").write_text(text, encoding="utf-8")
    Path("plan.yaml").write_text(PLAN, encoding="utf-8")
    return tmp_path


def made(**options):
    hierarchies = {"age": {"kind": "intervals", "width": 10}, "disease": "disease.csv"}
    return krypsis.anonymize("patients.csv", ROLES, hierarchies=hierarchies, models=PROMISE, **options)


@pytest.mark.exposed
@pytest.mark.usefixtures("folder")
def test_in_python_the_file_says_what_each_person_hides():
    """31 and 34 together: one of two has an infection. Alone, 31 would give it away."""
    release = made(private_columns="wishes.csv")
    assert in_input_order(release)["age"].to_list() == ["[30-40)", "[30-40)", "[40-50)", "[40-50)"]
    assert release.verdicts[0].achieved == 0.5
    assert "hides" not in release.table.columns
    nobody = made(
        private_columns=pl.DataFrame({"patient_id": ["7"], "hides": [None]}, schema_overrides={"hides": pl.String})
    )
    assert in_input_order(nobody)["age"].to_list() == ["31", "34", "47", "48"]


@pytest.mark.exposed
@pytest.mark.usefixtures("folder")
def test_a_plan_on_the_command_line_does_the_same_and_the_release_can_be_checked_again():
    run = CliRunner().invoke
    done = run(app, ["run", "plan.yaml"])
    assert done.exit_code == 0, done.output
    (private,) = Path().glob("release*.private.json")
    assert json.loads(private.read_text("utf-8"))["private_columns"]["hides"].count("Infection") == 1
    assert "Infection" not in Path("release/data.csv").read_text("utf-8")
    checked = run(app, ["check", "release", "--private-columns", str(private)])
    assert (checked.exit_code, "Kept" in checked.output) == (0, True)


@pytest.mark.usefixtures("folder")
def test_a_node_that_is_not_in_the_tree_is_named_with_the_nearest_one():
    Path("wishes.csv").write_text("patient_id,hides\n7,Infektion\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"guarding node 'Infektion'.*hierarchy of 'disease'.*'Infection'"):
        made(private_columns="wishes.csv")
    run = CliRunner().invoke(app, ["run", "plan.yaml"])
    assert (run.exit_code, "Infektion" in run.output) == (2, True)


@pytest.mark.usefixtures("folder")
def test_a_patient_who_is_not_in_the_data_is_no_wish_that_is_forgotten():
    Path("wishes.csv").write_text("patient_id,hides\n70,Infection\n", encoding="utf-8")
    run = CliRunner().invoke(app, ["run", "plan.yaml"])
    assert (run.exit_code, "patient_id=70" in run.output) == (2, True)


def test_sets_of_items_have_nothing_beside_them():
    with pytest.raises(UsageError, match="leave out the private_columns"):
        krypsis.anonymize(
            krypsis.Transactions.of_sets([["a"]]), models="km-anonymity:k=1,m=1", private_columns="wishes.csv"
        )
    with pytest.raises(PlanError, match="private_columns: has no meaning for kind: transactions"):
        krypsis.Plan.of(
            {"kind": "transactions", "data": "x", "private_columns": "y", "promises": ["km-anonymity:k=2,m=2"]}
        )
