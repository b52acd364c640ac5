"""Releases in groups: what is written, what is told, and what a loaded one still knows."""

import json

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import krypsis
from krypsis.errors import PromiseBroken
from release.groups import PATIENTS, ROLES, permuted_values, two_tables
from release.sample import changed


def test_two_tables_are_two_files(tmp_path):
    folder = two_tables().save(tmp_path / "release").folder
    assert sorted(path.name for path in folder.iterdir()) == ["data.csv", "manifest.json", "sensitive.csv"]
    assert (folder / "data.csv").read_text("utf-8").splitlines()[0] == "age,sex,ward,group"
    assert (folder / "sensitive.csv").read_text("utf-8").splitlines()[0] == "group,disease,count"


def test_both_tables_are_written_in_every_format(tmp_path):
    folder = two_tables().save(tmp_path / "release", ("csv", "parquet")).folder
    assert sorted(path.name for path in folder.iterdir()) == [
        *("data.csv", "data.parquet", "manifest.json", "sensitive.csv", "sensitive.parquet")
    ]
    assert all(krypsis.check(folder))


@pytest.mark.parametrize("make", [two_tables, permuted_values])
def test_a_loaded_release_tells_the_same(make, tmp_path):
    release = make()
    loaded = krypsis.Release.load(release.save(tmp_path / "release").folder)
    assert_frame_equal(loaded.table, release.table, check_row_order=False)
    assert loaded.group_column == "group"
    assert loaded.schema.sensitive == release.schema.sensitive
    assert loaded.guarantee == release.guarantee
    assert (loaded.sensitive_table is None) == (release.sensitive_table is None)
    if loaded.sensitive_table is not None:
        assert_frame_equal(loaded.sensitive_table, release.sensitive_table)
    assert loaded.summary() == changed(release.checked(), rows_before=loaded.rows_before).summary()


@pytest.mark.parametrize("make", [two_tables, permuted_values])
def test_the_summary_says_that_presence_is_disclosed_and_what_is_hidden(make):
    text = make().summary()
    assert "the release reveals who is in the table" in text
    assert "which of the sensitive values of a group belongs to whom" in text
    assert "published group of records" in text
    assert "look alike" not in text
    assert "not measured" not in text


def test_the_summary_counts_the_groups():
    assert "4 groups of 2 records" in two_tables().summary()
    assert "age, sex, ward: as they were" in two_tables().summary()


def test_the_manifest_names_the_columns_of_both_tables_with_their_roles(tmp_path):
    manifest = json.loads((two_tables().save(tmp_path / "release").folder / "manifest.json").read_text("utf-8"))
    assert manifest["group_column"] == "group"
    columns = [(column["name"], column["role"]) for column in manifest["sensitive_table"]["columns"]]
    assert columns == [("group", "insensitive"), ("disease", "sensitive"), ("count", "insensitive")]
    assert manifest["sensitive_table"]["rows"] == 8
    assert "seed" not in json.dumps(manifest)


def test_a_column_named_group_or_count_gets_in_nobodys_way(tmp_path):
    table = PATIENTS.rename({"ward": "group", "disease": "count"})
    roles = {"age": "quasi-identifier", "sex": "quasi-identifier", "group": "insensitive", "count": "sensitive"}
    release = krypsis.anonymize(table, roles, models="frequency-l-diversity:l=2", algorithm="anatomize")
    assert release.table.columns == ["age", "sex", "group", "group 2"]
    assert release.sensitive_table.columns == ["group 2", "count", "count 2"]
    assert all(krypsis.check(release.save(tmp_path / "release").folder))


def test_the_numbers_of_groups_tell_nothing_about_the_order_in_which_they_were_made():
    orders = {tuple(two_tables(seed).sensitive_table["disease"]) for seed in range(12)}
    assert len(orders) > 3


def test_sensitive_values_of_every_type_are_counted(tmp_path):
    for values in (
        [1.5, float("nan"), None, 1.5, 2.0, -0.0, 0.0, 7.25],
        [True, False, None, True, False, None, True, False],
        pl.Series(["b", "a", "b", "a", None, "c", "c", "b"], dtype=pl.Enum(["c", "b", "a"])),
        pl.Series(range(8)).cast(pl.Date),
    ):
        table = PATIENTS.with_columns(disease=pl.Series("disease", values, strict=False))
        roles = {**ROLES, "disease": "sensitive"}
        release = krypsis.anonymize(table, roles, models="frequency-l-diversity:l=2", algorithm="anatomize")
        folder = release.save(tmp_path / "release", ("csv", "parquet"), force=True).folder
        assert all(krypsis.check(folder))
        assert krypsis.Release.load(folder).sensitive_table["count"].sum() == 8


def test_a_promise_with_a_distance_in_a_hierarchy_is_checked_in_groups(tmp_path):
    tree = krypsis.Hierarchy.from_rows(
        [["pneumonia", "lungs", "*"], ["flu", "lungs", "*"], ["dyspepsia", "belly", "*"], ["gastritis", "belly", "*"]]
    )
    models = ["distinct-l-diversity:l=2", "t-closeness:t=0.9,distance=hierarchical"]
    release = krypsis.anonymize(
        PATIENTS,
        {**ROLES, "disease": "sensitive"},
        models=models,
        hierarchies={"disease": tree},
        algorithm="anatomize",
    )
    assert all(krypsis.check(release.save(tmp_path / "release").folder))


def test_a_release_whose_tables_contradict_each_other_is_not_written(tmp_path):
    release = two_tables()
    wrong = changed(release, sensitive_table=release.sensitive_table.with_columns(pl.lit(2).alias("count")))
    with pytest.raises(PromiseBroken, match="must count 8 records"):
        wrong.save(tmp_path / "release")
    assert not list(tmp_path.iterdir())


def test_a_value_that_no_record_has_is_warned_of():
    roles = {**ROLES, "disease": "sensitive"}
    promise = "alpha-k-anonymity:alpha=0.5,k=2,value=pnuemonia"
    with pytest.warns(krypsis.errors.PrivacyWarning, match="Did you mean 'pneumonia'"):
        krypsis.anonymize(PATIENTS, roles, models=promise, algorithm="anatomize")
