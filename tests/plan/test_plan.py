"""What a plan does besides reading: the kernels are loaded and the input gets its checksum."""

from hashlib import sha256

import polars as pl
import pytest

import krypsis
from krypsis.errors import DataError, PlanError, PrivacyRefused, PrivacyWarning, UsageError
from krypsis.kinds.sets.plan import PlanItems, SetsPlan
from krypsis.kinds.table.plan import TablePlan
from krypsis.plan import Plan
from krypsis.plan import plan as plan_module

CONTENT = {"data": "people.csv", "columns": {"age": "QI"}, "promises": ["k-anonymity:k=2"]}
TABLE = b"age\n" + b"31\n" * 4


@pytest.fixture
def plan(tmp_path):
    (tmp_path / "people.csv").write_bytes(TABLE)
    return Plan.of(CONTENT, folder=tmp_path)


def test_the_private_record_names_the_input_and_its_checksum(plan):
    private = plan.run().private
    assert (private["input"], private["input_sha256"]) == ("people.csv", sha256(TABLE).hexdigest())


def test_kernels_that_cannot_be_loaded_stop_the_run(plan, monkeypatch):
    def fail() -> None:
        raise ImportError("no compiler")

    monkeypatch.setattr(plan_module, "load_kernels", fail)
    with pytest.raises(ImportError, match="no compiler"):
        plan.run()


def test_a_file_that_cannot_be_read_is_told_of_as_ever(plan):
    (plan.folder / plan.data).write_bytes(b"age\n31,32\n")
    with pytest.raises(DataError, match="line 2: expected 1 fields"):
        plan.run()


def test_a_plan_and_its_task_are_shown_without_the_tables_that_a_program_gave():
    secret = pl.DataFrame({"age": ["31", "34"], "wish": ["unmistakable", "unmistakable"]})
    letters = krypsis.Hierarchy.from_rows([["31", "unmistakable"], ["34", "unmistakable"]])
    plan = TablePlan.of_roles(
        {"age": "QI"},
        promises=["k-anonymity:k=2"],
        hierarchies={"age": letters},
        population=secret,
        private_columns=secret,
        tables={"visits": {"data": secret, "roles": {"wish": "QI"}}},
    )
    shown = [repr(plan), str(plan), plan._repr_html_(), repr(plan.bind(secret.select("age", other="age")))]
    assert not [text for text in shown if "unmistakable" in text]


def test_a_strict_plan_refuses_instead_of_warning_in_a_program_as_well():
    people = pl.DataFrame({"age": ["30"] * 4 + ["40"] * 4, "disease": ["flu"] * 4 + ["gout", "flu", "cold", "cancer"]})
    fields = {"columns": {"age": "QI", "disease": "sensitive"}, "promises": ["k-anonymity:k=4"]}
    with pytest.warns(PrivacyWarning, match="no promise protects 'disease'"):
        krypsis.anonymize(people, plan=TablePlan(**fields))
    with pytest.raises(PrivacyRefused, match="no promise protects 'disease'"):
        krypsis.anonymize(people, plan=TablePlan(**fields, strict=True))


def test_a_plan_and_keywords_do_not_go_together():
    plan = TablePlan(columns={"age": "QI"}, promises=["k-anonymity:k=2"])
    with pytest.raises(UsageError, match="the plan says what is wanted; leave out suppression"):
        krypsis.anonymize(pl.DataFrame({"age": [1, 1]}), plan=plan, suppression="2%")
    with pytest.raises(UsageError, match="leave out models"):
        krypsis.anonymize(pl.DataFrame({"age": [1, 1]}), plan=plan, models="k-anonymity:k=2")


def test_sets_of_items_and_seeds_are_not_shown_by_a_plan_or_its_task():
    items = PlanItems(sensitive=("unmistakable",))
    plan = SetsPlan(items=items, promises=["privacy-degree:p=2"], algorithm="cahd:seed=987654321")
    task = plan.bind([["bread", "unmistakable"], ["bread"], ["milk"], ["tea"]])
    shown = [repr(plan), str(plan), plan._repr_html_(), repr(task), str(task)]
    assert not [text for text in shown if "unmistakable" in text or "987654321" in text]
    assert "privacy-degree:p=2" in repr(plan)
    assert "privacy-degree:p=2" in repr(task)


@pytest.mark.parametrize(
    ("kind", "hint"),
    [
        (["table"], ""),
        ({"a": "b"}, ""),
        ("tabel", "Did you mean 'table'"),
        ("history", "leave out 'kind', and publish it by 'krypsis history init"),
    ],
)
def test_a_kind_that_no_plan_has_is_refused_with_those_that_have_one(kind, hint):
    known = "'dependencies' or 'graph' or 'ontology' or 'transactions' or 'table'"
    with pytest.raises(PlanError, match=f"kind: expected {known}, got.*{hint}"):
        Plan.of({"kind": kind, "data": "p.csv", "promises": ["k-anonymity:k=2"]})
