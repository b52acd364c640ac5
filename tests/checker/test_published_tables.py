"""Releases in groups that were tampered with, and tables in groups that other tools have made."""

import json

import polars as pl
import pytest

import krypsis
from checker.forging import forge, rewrite
from krypsis.checker.published_tables import joined
from krypsis.errors import ColumnError, DataError, PromiseBroken, UsageError
from release.groups import PATIENTS, permuted_values, two_tables

# Figure 2.16 of the thesis on dynamic data: two groups of four, made by hand.
PEOPLE = pl.DataFrame({"age": [23, 27, 35, 59, 61, 65, 65, 70], "sex": list("MMMMFFFF"), "group": [1] * 4 + [2] * 4})
VALUES = pl.DataFrame(
    {
        "group": [1, 1, 2, 2, 2],
        "disease": ["dyspepsia", "pneumonia", "bronchitis", "flu", "gastritis"],
        "count": [2, 2, 1, 2, 1],
    }
)


@pytest.fixture
def folder(tmp_path):
    return two_tables().save(tmp_path / "release").folder


def edited(folder, name, change):
    """Change a file, its checksum and the number of its rows, so that only its meaning is wrong."""
    lines = (folder / name).read_text("utf-8").splitlines()
    new = change(lines)
    forge(folder, name, ("\n".join(new) + "\n").encode())
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    if name == "sensitive.csv":
        rewrite(folder, sensitive_table={**manifest["sensitive_table"], "rows": len(new) - 1})
    else:
        rewrite(folder, rows=len(new) - 1)


def test_a_count_that_was_changed_is_noticed(folder):
    edited(folder, "sensitive.csv", lambda lines: [*lines[:-1], lines[-1][:-1] + "2"])
    with pytest.raises(PromiseBroken, match="must count 8 records, each once"):
        krypsis.check(folder)


@pytest.mark.parametrize("count", ["0", "-1", "9", "", "1.0", "99999999999999999999", "one"])
def test_a_count_that_is_none_is_noticed(folder, count):
    edited(folder, "sensitive.csv", lambda lines: [*lines[:-1], lines[-1][:-1] + count])
    with pytest.raises(PromiseBroken):
        krypsis.check(folder)


def test_records_moved_from_one_group_to_another_are_noticed(folder):
    def move(lines):
        head, *rows = lines
        groups = [row.rsplit(",", 1)[1] for row in rows]
        other = next(group for group in groups if group != groups[0])
        return [head, rows[0].rsplit(",", 1)[0] + f",{other}", *rows[1:]]

    edited(folder, "data.csv", move)
    with pytest.raises(PromiseBroken, match="does not count as many records in every group as there are"):
        krypsis.check(folder)


def test_a_group_that_one_of_the_tables_lacks_is_noticed(folder):
    edited(folder, "sensitive.csv", lambda lines: [line for line in lines if not line.startswith("1,")])
    with pytest.raises(PromiseBroken):
        krypsis.check(folder)


def test_a_group_that_was_renamed_in_one_of_the_tables_is_noticed(folder):
    edited(folder, "sensitive.csv", lambda lines: [f"9{line}" if line.startswith("1,") else line for line in lines])
    with pytest.raises(PromiseBroken, match="does not count as many records in every group"):
        krypsis.check(folder)


def test_values_that_break_the_promise_are_noticed(folder):
    """Give every group one value only: counts and groups still fit."""

    def spoil(lines):
        return [lines[0], *(f"{line.split(',')[0]},flu,1" for line in lines[1:])]

    edited(folder, "sensitive.csv", spoil)
    with pytest.raises(PromiseBroken, match="claims 2 for frequency-l-diversity:l=2, but the published data has 1"):
        krypsis.check(folder)
    [verdict] = krypsis.check(folder, "frequency-l-diversity:l=2")
    assert not verdict


def test_swapped_files_are_noticed(folder):
    data, sensitive = ((folder / name).read_bytes() for name in ("data.csv", "sensitive.csv"))
    forge(folder, "data.csv", sensitive)
    forge(folder, "sensitive.csv", data)
    with pytest.raises(PromiseBroken, match="publishes the columns group, disease, count, but its manifest names"):
        krypsis.check(folder)


def test_a_missing_second_table_is_noticed(folder):
    (folder / "sensitive.csv").unlink()
    with pytest.raises(PromiseBroken, match=r"sensitive\.csv is missing"):
        krypsis.check(folder)


def test_a_manifest_that_keeps_silent_about_the_second_table_is_refused(folder):
    rewrite(folder, sensitive_table=None)
    with pytest.raises((PromiseBroken, UsageError)):
        krypsis.check(folder)


def test_two_formats_of_the_second_table_that_differ_are_refused(tmp_path):
    folder = two_tables().save(tmp_path / "both", ("csv", "parquet")).folder
    edited(folder, "sensitive.csv", lambda lines: [line.replace("pneumonia", "flu") for line in lines])
    with pytest.raises(PromiseBroken, match=r"sensitive\.csv and sensitive\.parquet of .* say different things"):
        krypsis.check(folder)


def test_sensitive_values_that_stand_beside_the_records_as_well_are_noticed():
    leaking = PEOPLE.with_columns(disease=pl.lit("flu"))
    with pytest.raises(PromiseBroken, match="'disease' is published next to the other attributes of each record"):
        joined(leaking, VALUES, "group")


def test_shuffled_values_are_judged_by_the_groups_that_are_published(tmp_path):
    folder = permuted_values().save(tmp_path / "release").folder
    [verdict] = krypsis.check(folder)
    assert verdict.sentence.startswith("Kept: every published group of records holds at least 3 different values of")


def test_promises_about_quasi_identifiers_are_judged_by_them_whatever_the_groups_are(folder):
    kept, broken = krypsis.check(folder, ["distinct-l-diversity:l=2", "k-anonymity:k=2"])
    assert kept
    assert not broken
    assert broken.achieved == 1
    assert broken.offending[0]["values"].keys() == {"age", "sex"}


def test_the_tables_of_another_tool_are_checked_by_group():
    options = {"sensitive": "disease", "group": "group", "sensitive_table": VALUES}
    frequency, distinct = krypsis.check(PEOPLE, ["frequency-l-diversity:l=2", "distinct-l-diversity:l=3"], **options)
    assert frequency
    assert frequency.achieved == 2
    assert not distinct
    assert distinct.offending == ({"values": {"group": 1}, "size": 4},)


def test_the_order_of_the_columns_of_another_tool_means_nothing():
    values = VALUES.select("count", "disease", "group").cast(pl.String)
    options = {"sensitive": "disease", "group": "group", "sensitive_table": values}
    assert all(krypsis.check(PEOPLE, "frequency-l-diversity:l=2", **options))


def test_one_table_with_groups_is_checked_by_group():
    table = PATIENTS.with_columns(bucket=pl.Series([1, 1, 1, 1, 2, 2, 2, 2]))
    options = {"sensitive": "pay", "group": "bucket"}
    kept, broken = krypsis.check(table, ["ke-anonymity:k=4,e=15", "ke-anonymity:k=4,e=16"], **options)
    assert kept
    assert not broken


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"sensitive_table": VALUES, "sensitive": "disease"}, UsageError, "name the group"),
        ({"group": "grup", "sensitive": "disease"}, ColumnError, "Did you mean 'group'"),
        ({"group": "group", "sensitive_table": VALUES}, UsageError, "as the sensitive attribute none"),
        ({"group": "group", "sensitive_table": PEOPLE, "sensitive": "disease"}, UsageError, "got age, sex, group"),
        ({"group": "age", "sensitive_table": VALUES, "sensitive": "disease"}, ColumnError, "column 'age' not found"),
        (
            {
                "group": "group",
                "sensitive_table": VALUES.with_columns(count=pl.lit("two")),
                "sensitive": "disease",
            },
            DataError,
            "'count' of the table of sensitive values must hold whole numbers",
        ),
    ],
)
def test_what_does_not_fit_together_is_refused(options, error, message):
    with pytest.raises(error) as caught:
        krypsis.check(PEOPLE, "distinct-l-diversity:l=2", **options)
    assert message in str(caught.value)


def test_quasi_identifiers_are_asked_for_where_a_promise_is_about_them():
    with pytest.raises(UsageError, match="name the quasi-identifiers"):
        krypsis.check(PEOPLE, "k-anonymity:k=2", group="group", sensitive_table=VALUES, sensitive="disease")


def test_a_release_brings_its_own_groups(folder):
    with pytest.raises(UsageError, match="group is for tables of other tools"):
        krypsis.check(folder, group="group")
