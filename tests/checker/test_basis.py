"""A verdict says what it was judged on, and which of that is the publisher's word."""

import json

import polars as pl
import pytest
from typer.testing import CliRunner

import krypsis
from krypsis.cli.main import app
from release.sample import in_one_group, make_release


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def test_a_release_names_its_assumptions_and_whose_they_are(tmp_path):
    folder = make_release().save(tmp_path / "release").folder
    text = run("check", folder).stdout
    assert "Judged on: an attacker knows age, zip; sensitive: disease." in text
    assert "Not judged: visits." in text
    assert "The publisher's word, which the files cannot show: which columns an attacker may know" in text
    assert "that 1 records were suppressed" in text


def test_json_says_the_same(tmp_path):
    folder = make_release().save(tmp_path / "release").folder
    (verdict,) = json.loads(run("check", folder, "--json").stdout)["verdicts"]
    assert verdict["basis"]["quasi_identifiers"] == [["age", "zip"]]
    assert verdict["basis"]["sensitive"] == ["disease"]
    assert verdict["basis"]["not_judged"] == ["visits"]
    assert len(verdict["basis"]["publishers_word"]) == 2


def test_what_the_visitor_gives_is_not_the_publishers_word(tmp_path):
    folder = make_release(suppressed=0, rows_before=5).save(tmp_path / "release").folder
    (verdict,) = krypsis.check(folder, quasi_identifiers=["age"], sensitive="disease")
    assert verdict.basis.quasi_identifiers == (("age",),)
    assert verdict.basis.publishers_word == ()
    assert "zip" in verdict.basis.not_judged


@pytest.mark.parametrize("promise", ["k-anonymity:k=2", "k-map:k=2"])
def test_a_table_of_another_tool_is_judged_on_what_was_named(promise):
    table = pl.DataFrame({"age": ["*", "*"], "town": ["x", "y"], "disease": ["flu", "fever"]})
    (verdict,) = krypsis.check(table, promise, quasi_identifiers=["age"], sensitive="disease")
    assert verdict.basis.quasi_identifiers == (("age",),)
    assert verdict.basis.not_judged == ("town",)


def test_the_hierarchy_behind_a_distance_is_the_publishers_word(tmp_path):
    tree = krypsis.Hierarchy.from_rows(
        [[one, "ill", "*"] for one in ("Flu", "Fever", 'a "quoted", one')] + [[None, None, "*"]]
    )
    release = make_release(sensitive_hierarchies={"disease": tree}, promises=("t-closeness:t=1",))
    (verdict,) = krypsis.check(release.save(tmp_path / "release").folder)
    assert "the hierarchy of disease" in verdict.basis.publishers_word


def test_groups_name_their_sensitive_values(tmp_path):
    (verdict,) = krypsis.check(in_one_group(make_release()).save(tmp_path / "release").folder)
    assert verdict.basis.sensitive == ("disease",)


def test_linked_tables_of_another_tool_are_judged_on_the_columns_that_were_named():
    people = pl.DataFrame({"person": [1, 2], "age": ["*", "*"], "town": ["x", "y"]})
    visits = pl.DataFrame({"person": [1, 2], "year": [2020, 2020], "doctor": ["a", "b"]})
    options = {"key": "person", "tables": {"visits": visits}, "quasi_identifiers": ["age", "visits.year"]}
    (verdict,) = krypsis.check(people, "multirelational-k-anonymity:k=2", **options)
    assert verdict.basis.quasi_identifiers == (("age", "visits.year"),)
    assert verdict.basis.not_judged == ("town", "visits.doctor")


def test_sets_of_another_tool_are_judged_on_their_items(tmp_path):
    table = pl.DataFrame({"record": [1, 2], "goods": ["milk", "milk"], "town": ["x", "y"]})
    (verdict,) = krypsis.check(table, "km-anonymity:k=2,m=1", key="record", item="goods")
    assert verdict.basis.quasi_identifiers == (("goods",),)
    assert verdict.basis.not_judged == ("town",)
    (tmp_path / "sets.txt").write_text("milk bread\nmilk bread\n")
    text = run("check", tmp_path / "sets.txt", "--promise", "km-anonymity:k=2,m=1").stdout
    assert "Judged on: an attacker knows item; sensitive: none." in text


def test_sets_in_groups_name_their_sensitive_items():
    table = pl.DataFrame({"record": [1, 2], "item": ["milk", "milk"], "group": [1, 1]})
    sensitive = pl.DataFrame({"group": [1], "item": ["test"], "count": [1]})
    columns = {"key": "record", "item": "item", "group": "group", "sensitive_table": sensitive}
    (verdict,) = krypsis.check(table, "privacy-degree:p=2", **columns)
    assert verdict.basis.sensitive == ("test",)
    assert verdict.basis.not_judged == ()
