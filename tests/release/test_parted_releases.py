"""Releases of tables in parts: what becomes of them, and how forged ones are refused."""

import json
import pickle
import shutil

import polars as pl
import pytest

import krypsis
from checker.forging import forge, rewrite
from krypsis.checker import parted_rows
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.schema import Schema
from krypsis.errors import DataError, OutputError, PromiseBroken, UsageError
from krypsis.format.files import fingerprint
from krypsis.io.parts import TableParts
from krypsis.io.scratch import ScratchFolder
from krypsis.io.write import write_parquet
from krypsis.kinds.table.make import release_of, release_of_publication
from krypsis.kinds.table.parted_publication import PartedTable
from krypsis.kinds.table.profile.published_risks import risks_of_release
from krypsis.release.order import in_input_order
from krypsis.release.release import Release

ROLES = {"age": "quasi-identifier", "zip": "quasi-identifier", "disease": "sensitive", "visits": "insensitive"}
SCHEMA = Schema.of(ROLES)
TABLE = pl.DataFrame(
    {
        "age": ["[30-40)"] * 4 + ["[40-50)"] * 5,
        "zip": ["12*"] * 4 + [None] * 5,
        "disease": ["flu", "gout", "flu", "cold", "flu", "flu", "cold", "gout", None],
        "visits": [1, 2, 3, 1, 5, 1, 2, 2, 9],
    }
)
PROMISES = ("k-anonymity:k=4", "distinct-l-diversity:l=3", "t-closeness:t=0.5")


def parts_of(table=TABLE, sizes=(2, 3, 4)):
    starts = [sum(sizes[:place]) for place in range(len(sizes))]
    return TableParts.of([table.slice(start, size) for start, size in zip(starts, sizes, strict=True)], ScratchFolder())


def parted(promises=PROMISES, **options):
    return release_of_publication(PartedTable(parts_of(), SCHEMA, **options), promises)


@pytest.fixture
def folder(tmp_path):
    return parted().save(tmp_path / "release", ["parquet"]).folder


@pytest.fixture
def no_collecting(monkeypatch):
    """Fail where all rows are brought into memory."""
    monkeypatch.setattr(PartedTable, "table", property(lambda _: pytest.fail("all rows were brought into memory")))
    monkeypatch.setattr(parted_rows.PartedRows, "collected", lambda _: pytest.fail("all rows were collected"))


def manifest(folder):
    return json.loads((folder / "manifest.json").read_text("utf-8"))


@pytest.mark.parametrize("formats", [["csv"], ["parquet"], ["csv", "parquet"]])
def test_a_release_in_parts_says_what_one_file_says(tmp_path, formats):
    whole = release_of(TABLE, SCHEMA, PROMISES).save(tmp_path / "whole", formats)
    cut = parted().save(tmp_path / "cut", formats)
    assert cut.release.verdicts == whole.release.verdicts
    assert krypsis.check(cut.folder) == krypsis.check(whole.folder)
    endings = sorted(formats)
    assert sorted(path.name for path in cut.folder.iterdir()) == [
        *(f"data-0000{number}.{ending}" for number in range(3) for ending in endings),
        "manifest.json",
    ]
    other, one = manifest(cut.folder), manifest(whole.folder)
    assert (one["format"], other["format"]) == (1, 2)
    differing = {"format", "files", "release_id"}
    assert {name for name in one if one[name] != other[name]} == differing
    loaded = Release.load(cut.folder)
    assert loaded.to_polars().equals(TABLE)
    assert loaded.verdicts == cut.release.verdicts


@pytest.mark.usefixtures("no_collecting")
def test_nothing_on_the_way_brings_all_rows_into_memory(tmp_path):
    release = parted(("k-anonymity:k=4",)).checked()
    assert repr(release) == "Release(9 records; age, zip, disease, visits; k-anonymity:k=4; 0 suppressed)"
    assert "9 published rows" in release._repr_html_()
    assert "9 records are published" in release.summary()
    assert release.disclosures == ()
    saved = release.save(tmp_path / "release", ["parquet"])
    assert [one.holds for one in krypsis.check(saved.folder)] == [True]
    loaded = Release.load(saved.folder)
    assert "9 records are published" in loaded.summary()
    assert "9 published rows" in loaded._repr_html_()
    assert risks_of_release(loaded) == ()
    assert [one.holds for one in krypsis.check(loaded)] == [True]
    assert in_input_order(release) is None
    again = loaded.save(tmp_path / "again", ["csv", "parquet"])
    assert [one.holds for one in krypsis.check(again.folder)] == [True]


def test_groups_that_disclose_a_value_are_found_part_by_part(tmp_path):
    table = pl.DataFrame({"age": ["3*"] * 4 + ["4*"] * 4, "disease": ["hiv"] * 4 + ["flu", "cold"] * 2})
    schema = Schema.of({"age": "quasi-identifier", "disease": "sensitive"})
    parts = parts_of(table, (3, 5))
    release = release_of_publication(PartedTable(parts, schema), ("k-anonymity:k=4",))
    assert release.disclosures == release_of(table, schema, ("k-anonymity:k=4",)).disclosures
    assert [one.certain for one in release.disclosures] == [4]
    assert "4 of 8 published records" in risks_of_release(Release.load(release.save(tmp_path / "r").folder))[0]


def test_a_broken_promise_is_not_written(tmp_path):
    with pytest.raises(PromiseBroken, match="1 of 2 groups break the promise"):
        parted(("k-anonymity:k=5",)).save(tmp_path / "release")
    assert [path.name for path in tmp_path.iterdir()] == []


def test_a_single_part_is_one_file_that_every_version_reads(tmp_path):
    release = release_of_publication(PartedTable(parts_of(sizes=(9,)), SCHEMA), PROMISES)
    folder = release.save(tmp_path / "release", ["parquet", "csv"]).folder
    assert sorted(path.name for path in folder.iterdir()) == ["data.csv", "data.parquet", "manifest.json"]
    assert manifest(folder)["format"] == 1
    assert Release.load(folder).table.equals(TABLE)


def test_hierarchies_of_sensitive_values_are_published_as_far_as_they_are_in_use(tmp_path):
    tree = Hierarchy.from_rows(
        [
            ["flu", "lungs", "*"],
            ["cold", "lungs", "*"],
            ["gout", "joints", "*"],
            ["mumps", "virus", "*"],
            [None, "none", "*"],
        ]
    )
    promise = "t-closeness:t=0.9,distance=hierarchical"
    whole = release_of_publication(
        krypsis.kinds.table.publication.GeneralizedTable(TABLE, SCHEMA, sensitive_hierarchies={"disease": tree}),
        (promise,),
    ).save(tmp_path / "whole")
    cut = parted((promise,), sensitive_hierarchies={"disease": tree}).save(tmp_path / "cut")
    assert manifest(cut.folder)["sensitive_hierarchies"] == manifest(whole.folder)["sensitive_hierarchies"]
    assert "mumps" not in (cut.folder / "manifest.json").read_text("utf-8")
    assert krypsis.check(cut.folder) == krypsis.check(whole.folder)


def test_types_of_texts_are_those_of_all_parts(tmp_path):
    table = pl.DataFrame(
        {
            "age": ["3*"] * 6,
            "number": ["1", "2", None, "3", "4", "5"],
            "mixed": ["1", "2", "3", "4", "5", "x"],
            "price": ["1.5", "2", "3", "4", "5", "6.25"],
            "twice": ["1.5", "2", "3", "4", "5", "1.50"],
            "day": ["2020-01-01"] * 5 + [None],
            "no day": ["2020-01-01"] * 5 + ["2020-02-30"],
            "truth": [None, None, "true", "false", "true", None],
            "nothing": pl.Series([None] * 6, dtype=pl.String),
            "code": ["01234", "2", "3", "4", "5", "6"],
        }
    )
    schema = Schema.of({name: "quasi-identifier" if name == "age" else "insensitive" for name in table.columns})
    texts = frozenset(table.columns)
    one = krypsis.kinds.table.publication.GeneralizedTable(table, schema, from_text=texts)
    whole = release_of_publication(one, ("k-anonymity:k=2",)).save(tmp_path / "whole", ["parquet", "csv"])
    form = PartedTable(parts_of(table, (2, 2, 2)), schema, from_text=texts)
    cut = release_of_publication(form, ("k-anonymity:k=2",)).save(tmp_path / "cut", ["parquet", "csv"])
    assert manifest(cut.folder)["columns"] == manifest(whole.folder)["columns"]
    in_order = [Release.load(saved.folder).table.sort("mixed") for saved in (cut, whole)]
    assert in_order[0].equals(in_order[1])
    types = {column["name"]: column["type"] for column in manifest(cut.folder)["columns"]}
    assert types == {
        "age": "String",
        "number": "Int64",
        "mixed": "String",
        "price": "Float64",
        "twice": "String",
        "day": "Date",
        "no day": "String",
        "truth": "Boolean",
        "nothing": "String",
        "code": "String",
    }


def test_types_that_no_release_has_are_published_as_text(tmp_path):
    table = TABLE.with_columns(
        pl.col("disease").cast(pl.Categorical), weight=pl.Series([1.0, float("nan")] * 4 + [2.0])
    )
    schema = Schema.of({**ROLES, "weight": "insensitive"})
    release = release_of_publication(PartedTable(parts_of(table), schema), ("k-anonymity:k=4",))
    folder = release.save(tmp_path / "release", ["parquet"]).folder
    assert Release.load(folder).table.equals(release_of(table, schema).table)
    assert Release.load(folder).table["weight"].null_count() == 4


def test_asking_for_a_table_that_does_not_fit_into_memory_is_refused_with_its_size(monkeypatch):
    monkeypatch.setattr(parted_rows, "available_memory", lambda: 100)
    with pytest.raises(
        UsageError, match=r"the 9 published records do not fit into memory together: they take about \d+"
    ):
        _ = parted().table


def test_a_release_that_is_not_saved_is_not_pickled_and_a_loaded_one_is(folder):
    with pytest.raises(UsageError, match="cannot be pickled"):
        pickle.dumps(parted())
    assert pickle.loads(pickle.dumps(Release.load(folder))).table.equals(TABLE)


def test_a_part_that_changes_after_loading_is_not_read(folder):
    release = Release.load(folder)
    path = folder / "data-00001.parquet"
    write_parquet(pl.read_parquet(path).with_columns(visits=pl.lit(7, pl.Int64)), path)
    with pytest.raises(PromiseBroken, match="was changed after the release was made"):
        _ = release.table


def test_saving_leaves_the_parts_of_the_release_that_was_loaded_alone(folder, tmp_path):
    saved = Release.load(folder).save(tmp_path / "copy", ["parquet"])
    assert (saved.folder / "data-00000.parquet").stat().st_ino != (folder / "data-00000.parquet").stat().st_ino


def test_a_release_in_parts_replaces_another_and_is_replaced(folder):
    with pytest.raises(OutputError, match="exists"):
        parted().save(folder)
    release_of(TABLE, SCHEMA, PROMISES).save(folder, force=True)
    assert sorted(path.name for path in folder.iterdir()) == ["data.csv", "manifest.json"]
    parted().save(folder, force=True)
    assert len(list(folder.iterdir())) == 4


# Forged releases


def listed(folder, change):
    """Change the list of files in the manifest."""
    rewrite(folder, files=change(manifest(folder)["files"]))


def renamed(folder, old, new):
    (folder / old).rename(folder / new)
    listed(folder, lambda files: [{**file, "name": new if file["name"] == old else file["name"]} for file in files])


def refused(folder, reason):
    with pytest.raises(PromiseBroken, match=reason):
        krypsis.check(folder)
    with pytest.raises(PromiseBroken, match=reason):
        _ = Release.load(folder).table


def test_a_gap_between_parts_is_refused(folder):
    renamed(folder, "data-00001.parquet", "data-00003.parquet")
    refused(folder, "does not name its parts one after the other.*data-00001.parquet, data-00003.parquet")


def test_parts_that_begin_with_another_number_are_refused(folder):
    for number in (2, 1, 0):
        renamed(folder, f"data-0000{number}.parquet", f"data-0000{number + 1}.parquet")
    refused(folder, "does not name its parts one after the other")


def test_a_part_that_is_named_twice_is_refused(folder):
    listed(folder, lambda files: [*files, files[0]])
    refused(folder, "twice")


def test_a_part_that_was_left_out_is_refused(folder):
    (folder / "data-00002.parquet").unlink()
    listed(folder, lambda files: files[:2])
    refused(folder, "publishes 5 records in 2 parts, but its manifest says 9")


def test_more_parts_than_there_were_are_refused(folder):
    shutil.copy(folder / "data-00000.parquet", folder / "data-00003.parquet")
    more = fingerprint(folder / "data-00003.parquet").model_dump()
    listed(folder, lambda files: [*files, more])
    refused(folder, "publishes 11 records or more, in 4 parts, but its manifest says 9")


def test_a_part_that_no_manifest_names_is_refused(folder):
    shutil.copy(folder / "data-00000.parquet", folder / "data-00003.parquet")
    refused(folder, "holds files that its manifest does not name: data-00003.parquet")


def test_a_file_of_a_release_in_one_file_among_parts_is_refused(folder):
    renamed(folder, "data-00002.parquet", "data.parquet")
    with pytest.raises(PromiseBroken, match=r"declares what no promise is judged on: the file data.parquet"):
        krypsis.check(folder)
    with pytest.raises(PromiseBroken, match="does not name its parts one after the other"):
        Release.load(folder)


def test_a_single_part_is_refused(folder):
    content = TABLE
    for number in range(3):
        (folder / f"data-0000{number}.parquet").unlink()
    write_parquet(content, folder / "data-00000.parquet")
    listed(folder, lambda _: [fingerprint(folder / "data-00000.parquet").model_dump()])
    refused(folder, "names 1 part")


def test_parts_in_the_format_of_one_file_are_refused(folder):
    rewrite(folder, format=1)
    with pytest.raises(PromiseBroken, match=r"the file data-00000.parquet"):
        krypsis.check(folder)
    with pytest.raises(PromiseBroken, match=r"names neither data.csv nor data.parquet"):
        Release.load(folder)


def test_one_file_in_the_format_of_parts_is_refused(tmp_path):
    folder = release_of(TABLE, SCHEMA, PROMISES).save(tmp_path / "release").folder
    rewrite(folder, format=2)
    refused(folder, "does not name its parts one after the other")


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (TABLE.slice(2, 3).rename({"visits": "names"}), "publishes the columns"),
        (TABLE.slice(2, 3).select("zip", "age", "disease", "visits"), "publishes the columns"),
        (TABLE.slice(2, 3).with_columns(pl.col("visits").cast(pl.Int32)), "has Int32 in column 'visits'"),
        (TABLE.clear(), "data-00001 of .* has no records"),
        (TABLE.slice(2, 3).with_columns(age=pl.lit("[31-32)")), "Not kept|claims 4 for k-anonymity"),
    ],
)
def test_a_part_that_is_not_like_the_others_is_refused(folder, frame, reason):
    path = folder / "data-00001.parquet"
    write_parquet(frame, path)
    forge(folder, path.name, path.read_bytes())
    if frame.is_empty():
        rewrite(folder, rows=6)
    with pytest.raises(PromiseBroken, match=reason):
        krypsis.check(folder)


def test_a_part_with_something_besides_its_values_is_refused(folder):
    path = folder / "data-00001.parquet"
    TABLE.slice(2, 3).write_parquet(path, metadata={"names": "Ann, Bob"})
    forge(folder, path.name, path.read_bytes())
    refused(folder, "is not written as a release writes the values of its columns")


def test_formats_that_say_different_things_in_one_part_are_refused(tmp_path):
    folder = parted().save(tmp_path / "release", ["csv", "parquet"]).folder
    path = folder / "data-00002.csv"
    forge(folder, path.name, path.read_bytes().replace(b",gout,", b",cold,"))
    refused(folder, "data-00002.csv and data-00002.parquet of .* say different things in column 'disease'")


@pytest.mark.parametrize(
    "field", [{"group_column": "zip"}, {"subject_column": "zip"}, {"reference": {"disease": [["flu", 9]]}}]
)
def test_fields_of_releases_in_one_file_are_refused(folder, field):
    rewrite(folder, **field)
    with pytest.raises(PromiseBroken, match=f"the field {next(iter(field))} with a table in parts"):
        krypsis.check(folder)


@pytest.mark.parametrize("kind", ["transactions", "graph", "history", "dependencies"])
def test_parts_of_other_kinds_are_refused(folder, kind):
    rewrite(folder, kind=kind, promises=[], guarantee="none")
    with pytest.raises((PromiseBroken, DataError)):
        krypsis.check(folder)


def test_a_format_of_the_future_is_refused_with_what_to_do(folder):
    rewrite(folder, format=3)
    with pytest.raises(DataError, match="has format 3; this version of krypsis reads formats 1 and 2"):
        krypsis.check(folder)
