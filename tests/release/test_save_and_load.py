"""What is written, what comes back, and what stays private."""

import datetime as dt
import json
import re
import stat
import uuid

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import krypsis
from effort import examples
from krypsis.checker import check_folder
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.random_order import random_order
from krypsis.data.schema import Schema
from krypsis.errors import PromiseBroken, UsageError
from krypsis.kinds.table.make import release_of, release_of_publication
from krypsis.kinds.table.publication import GeneralizedTable
from krypsis.models.base import Verdict
from krypsis.release.release import Release
from release.sample import SCHEMA, TABLE, changed, make_release, same_records

FORMATS = [("csv",), ("parquet",), ("csv", "parquet")]


@pytest.mark.parametrize("formats", FORMATS)
def test_a_release_survives_save_and_load(release, tmp_path, formats):
    saved = release.save(tmp_path / "release", formats)
    loaded = Release.load(saved.folder)
    assert same_records(loaded.table, release.table)
    assert loaded.table.schema == release.table.schema
    assert {path.name for path in saved.folder.iterdir()} == {f"data.{name}" for name in formats} | {"manifest.json"}
    recipe = ("algorithm", "scheme", "metric", "levels", "heights")
    for name in (*recipe, "promises", "suppressed", "suppression", "rows_before"):
        assert getattr(loaded, name) == getattr(release, name), name
    assert loaded.score == pytest.approx(release.score, rel=1e-3)
    assert loaded.metrics == pytest.approx(release.metrics, rel=1e-3)
    assert loaded.schema.quasi_identifiers == ("age", "zip")
    assert loaded.schema.weights == {"age": 2}
    assert [(verdict.promise, verdict.holds, verdict.achieved) for verdict in loaded.verdicts] == [
        ("k-anonymity:k=2", True, 2)
    ]
    judged = tuple(verdict.model_copy(update={"basis": None}) for verdict in check_folder(saved.folder))
    assert loaded.verdicts == judged == saved.release.verdicts
    assert loaded.release_id == saved.release.release_id


def test_quasi_identifier_sets_survive(tmp_path):
    roles = {"age": "QI", "zip": "QI", "disease": "sensitive", "visits": "insensitive"}
    schema = Schema.of(roles, quasi_identifier_sets=[["age"], ["zip"]])
    assert Release.load(make_release(schema=schema).save(tmp_path / "r").folder).schema == schema


CELLS = st.one_of(st.none(), st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=4))
NAMES = st.text(alphabet=st.sampled_from('ab ",;\n\r\t#é😀'), min_size=1, max_size=4)


@given(st.lists(CELLS, min_size=1, max_size=6), NAMES, st.sampled_from(FORMATS))
@settings(max_examples=examples(60))
def test_every_text_and_column_name_survives(tmp_path_factory, cells, name, formats):
    table = pl.DataFrame({name: cells}, schema={name: pl.String})
    release = release_of(table, Schema.of({name: "QI"}), ("k-anonymity:k=1",))
    saved = release.save(tmp_path_factory.mktemp("any") / "release", formats)
    assert same_records(Release.load(saved.folder).table, table)


TYPED = {
    "int": pl.Series([1, None], dtype=pl.Int32),
    "large": pl.Series([2**64 - 1, 0], dtype=pl.UInt64),
    "float": [1e300, -0.0],
    "odd": [float("-inf"), float("inf")],
    "flag": [True, None],
    "day": [dt.date(2020, 2, 29), None],
    "moment": [dt.datetime(2020, 2, 29, 1, 2, 3, 4), None],  # noqa: DTZ001
    "time": [dt.time(1, 2, 3), None],
    "nothing": [None, None],
}


@pytest.mark.parametrize("formats", FORMATS)
@pytest.mark.parametrize("role", ["insensitive", "sensitive", "QI"])
def test_types_survive(tmp_path, formats, role):
    table = pl.DataFrame({"q": ["a", "a"], **TYPED})
    schema = Schema.of({"q": "QI", **dict.fromkeys(TYPED, role)})
    promises = ("k-anonymity:k=1", *(["distinct-l-diversity:l=1"] if role == "sensitive" else []))
    loaded = Release.load(release_of(table, schema, promises).save(tmp_path / "r", formats).folder)
    assert same_records(loaded.table, table.with_columns(nothing=pl.lit(None, pl.String)))


@pytest.mark.parametrize("formats", FORMATS)
def test_what_is_no_number_is_published_as_missing(tmp_path, formats):
    table = pl.DataFrame({"q": ["a"] * 3, "pay": [float("nan"), None, 2.5]})
    release = release_of(table, Schema.of({"q": "QI", "pay": "sensitive"}), ("k-anonymity:k=3",))
    loaded = Release.load(release.save(tmp_path / "r", formats).folder)
    assert sorted(loaded.table["pay"].to_list(), key=str) == [2.5, None, None]


@pytest.mark.parametrize("dtype", [pl.Enum(["secret", "*"]), pl.Categorical])
def test_categories_without_a_published_record_do_not_leak(tmp_path, dtype):
    column = pl.Series("q", ["secret", "*", "*"], dtype=dtype).slice(1)
    saved = release_of(column.to_frame(), Schema.of({"q": "QI"}), ("k-anonymity:k=2",)).save(
        tmp_path / "r", ["parquet"]
    )
    assert b"secret" not in (saved.folder / "data.parquet").read_bytes()


def test_the_public_folder_tells_nothing_private(release, tmp_path):
    release = changed(
        release, algorithm='datafly:seed=31415926535,fast=True,levels="age=1,seed=2"', rounded=frozenset({"loss"})
    )
    saved = release.save(tmp_path / "release", ["csv", "parquet"])
    text = "".join(path.read_bytes().decode("latin-1") for path in saved.folder.iterdir())
    for secret in (
        "checksum-of",
        "suppressed_rows",
        "order_seed",
        "31415926535",
        "mary",
        'name": "identifier',
        "0.123456789",
    ):
        assert secret not in text, secret
    manifest = json.loads((saved.folder / "manifest.json").read_text())
    assert manifest["algorithm"] == 'datafly:fast=True,levels="age=1,seed=2"'
    assert manifest["hierarchies"] == {"age": "csv age.csv", "zip": "masking"}
    assert [column["name"] for column in manifest["columns"]] == TABLE.columns
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", manifest["created"])
    assert uuid.UUID(manifest["release_id"]).version == 4


def test_the_manifest_says_what_it_promises(release, tmp_path):
    manifest = json.loads((release.save(tmp_path / "r").folder / "manifest.json").read_text())
    assert manifest["format"] == 1
    assert manifest["rows"] == 5
    assert manifest["suppressed"] == {"records": 1, "mode": "remove"}
    (promise,) = manifest["promises"]
    assert (promise["promise"], promise["required"], promise["achieved"]) == ("k-anonymity:k=2", 2, 2)
    assert manifest["levels"] == {"age": 1, "zip": 1}
    assert manifest["heights"] == {"age": 3, "zip": 5}
    assert manifest["quasi_identifier_sets"] == [["age", "zip"]]


def test_the_private_record_lies_beside_the_folder_for_its_owner_only(release, tmp_path):
    saved = release.save(tmp_path / "release")
    assert saved.private.parent == saved.folder.parent
    assert saved.private.name == f"release.{saved.release.release_id[:8]}.private.json"
    assert stat.S_IMODE(saved.private.stat().st_mode) == 0o600
    record = json.loads(saved.private.read_text())
    assert record["release_id"] == saved.release.release_id
    assert (record["seed"], record["suppressed_rows"]) == (31415926535, [3])
    assert record["figures"]["score"] == release.score
    assert record["schema"]["roles"]["name"] == "identifier"


def test_the_private_record_takes_arrays_paths_and_sets(tmp_path):
    private = {"rows": np.array([1, 2]), "one": np.int64(3), "path": tmp_path, "set": {2, 1}}
    record = json.loads(make_release(private=private).save(tmp_path / "r").private.read_text())
    assert (record["rows"], record["one"], record["path"], record["set"]) == ([1, 2], 3, str(tmp_path), [1, 2])


def test_the_published_folder_can_be_read_by_others(release, tmp_path):
    folder = release.save(tmp_path / "release").folder
    assert stat.S_IMODE(folder.stat().st_mode) & 0o055 == 0o055
    assert all(stat.S_IMODE(path.stat().st_mode) & 0o044 == 0o044 for path in folder.iterdir())


def test_two_releases_of_the_same_table_have_different_ids(release, tmp_path):
    first, second = (release.save(tmp_path / name).release.release_id for name in "ab")
    assert first != second


def test_a_hierarchy_that_a_promise_measures_in_is_published_as_far_as_it_is_used(tmp_path):
    table = pl.DataFrame({"q": ["a", "b"], "s": ["flu", "cold"]})
    schema = Schema.of({"q": "QI", "s": "sensitive"})
    tree = Hierarchy.from_rows([["flu", "lung", "*"], ["cold", "lung", "*"], ["hiv", "blood", "*"]])
    promise = ("t-closeness:t=0.5,distance=hierarchical",)
    publication = GeneralizedTable(table, schema, sensitive_hierarchies={"s": tree})
    saved = release_of_publication(publication, promise).save(tmp_path / "r")
    assert "hiv" not in (saved.folder / "manifest.json").read_text()
    assert check_folder(saved.folder)[0].achieved == pytest.approx(0.25)
    loaded = Release.load(saved.folder)
    assert loaded.publication.sensitive_hierarchies["s"].label("flu", 1) == "lung"


def test_a_promise_that_does_not_hold_is_never_written(release, tmp_path):
    (tmp_path / "place").mkdir()
    with pytest.raises(PromiseBroken, match=r"refuses the release.*1 of 2 groups"):
        changed(release, promises=("k-anonymity:k=3",)).save(tmp_path / "place" / "release")
    assert not list((tmp_path / "place").iterdir())


def test_what_the_run_itself_found_is_not_believed(release, tmp_path):
    bold = Verdict(promise="k-anonymity:k=2", holds=True, required=2, achieved=7, sentence="Kept.")
    saved = changed(release, verdicts=(bold,)).save(tmp_path / "release")
    assert [verdict.achieved for verdict in Release.load(saved.folder).verdicts] == [2]
    with pytest.raises(PromiseBroken, match="refuses"):
        changed(release, promises=("k-anonymity:k=3",), verdicts=(bold,)).save(tmp_path / "other")


def test_verdicts_about_another_promise_do_not_count(release, tmp_path):
    other = Verdict(promise="k-anonymity:k=1", holds=True, required=1, achieved=2, sentence="Kept.")
    saved = changed(release, verdicts=(other,)).save(tmp_path / "release")
    assert [verdict.promise for verdict in saved.release.verdicts] == ["k-anonymity:k=2"]


def test_an_unlimited_level_is_refused_like_any_other(tmp_path):
    table = pl.DataFrame({"q": ["a"] * 2, "s": ["x"] * 2})
    schema = Schema.of({"q": "QI", "s": "sensitive"})
    with pytest.raises(PromiseBroken, match="refuses"):
        release_of(table, schema, ("recursive-l-diversity:c=2,l=2",)).save(tmp_path / "r")


def test_checked_gives_the_verdicts_or_refuses(release):
    assert [verdict.achieved for verdict in release.checked().verdicts] == [2]
    with pytest.raises(PromiseBroken):
        changed(release, promises=("k-anonymity:k=3",)).checked()


def test_with_private_adds_to_the_private_record(release):
    assert release.with_private({"more": 1}).private == {**release.private, "more": 1}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"table": TABLE.with_columns(name=pl.lit("Ann"))}, "'name' is an identifier and must not be published"),
        ({"table": TABLE.with_columns(other=pl.lit("x"))}, "'other' has no role"),
        ({"table": TABLE.drop("zip")}, "column 'zip' not found"),
        ({"table": TABLE.with_columns(visits=pl.lit([1]))}, "'visits' holds List"),
        ({"promises": ()}, "no promise is given"),
        ({"promises": ("k-anonimity:k=2",)}, "Did you mean 'k-anonymity'"),
        ({"promises": ("k-anonymity:k=0",)}, "not understood"),
        ({"promises": ("k-anonymity:j=2",)}, "not understood"),
        (
            {"promises": ("distinct-l-diversity:l=2",), "schema": Schema.of(dict.fromkeys(TABLE.columns, "QI"))},
            "sensitive",
        ),
    ],
)
def test_a_release_that_makes_no_sense_is_refused_with_a_reason(release, tmp_path, changes, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        changed(release, **changes).save(tmp_path / "release")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("formats", "message"), [(["cvs"], "Did you mean 'csv'"), ([], "no format is given")])
def test_unknown_formats_are_refused(release, tmp_path, formats, message):
    with pytest.raises(UsageError, match=message):
        release.save(tmp_path / "release", formats)


def test_to_pandas_without_pyarrow_says_what_to_install(release, monkeypatch):
    def missing(_):
        raise ModuleNotFoundError("No module named 'pyarrow'", name="pyarrow")

    monkeypatch.setattr(pl.DataFrame, "to_pandas", missing)
    with pytest.raises(UsageError, match="pyarrow is not installed; install both: pip install pandas pyarrow"):
        release.to_pandas()


def test_to_pandas_has_a_fresh_index(release):
    frame = release.to_pandas()
    assert list(frame.index) == [0, 1, 2, 3, 4]
    assert list(frame["age"]) == list(TABLE["age"])


def test_saving_leaves_the_release_as_it_was(release, tmp_path):
    before = release.table.clone()
    release.save(tmp_path / "release")
    assert release.table.equals(before)
    assert (release.release_id, release.verdicts, release.schema) == ("", (), SCHEMA)


def test_the_order_of_the_input_is_not_published(tmp_path):
    """The i-th record of a sorted table would be the i-th in that order."""
    table = pl.DataFrame({"age": ["*"] * 200, "visit": range(200)})
    release = release_of(table, Schema.of({"age": "QI", "visit": "insensitive"}), ("k-anonymity:k=2",))
    saved = release.save(tmp_path / "release")
    published = Release.load(saved.folder).table["visit"].to_list()
    assert published != sorted(published)
    assert sorted(published) == list(range(200))
    assert random_order(json.loads(saved.private.read_text())["order_seed"], 200).tolist() == published
    assert "order_seed" not in (saved.folder / "manifest.json").read_text()


def test_a_table_in_pieces_is_published_like_one_in_one_piece(tmp_path):
    whole = pl.DataFrame({"age": ["*"] * 40, "disease": [f"disease number {row}" for row in range(40)]})
    pieces = pl.concat([whole[start : start + 7] for start in range(0, 40, 7)], rechunk=False)
    schema = Schema.of({"age": "QI", "disease": "insensitive"})
    seed = {"order_seed": "0b"}
    written = [
        release_of(table, schema, ("k-anonymity:k=2",), private=seed).save(tmp_path / name).folder / "data.csv"
        for name, table in (("whole", whole), ("pieces", pieces))
    ]
    assert pieces.n_chunks() == 6
    assert written[0].read_bytes() == written[1].read_bytes()


def test_a_release_is_shown_without_what_is_private(tmp_path):
    table = pl.DataFrame({"age": ["31"] * 3 + ["over ninety"], "disease": ["flu", "cold", "flu", "plague"]})
    roles = {"age": "quasi-identifier", "disease": "sensitive"}
    release = krypsis.anonymize(table, roles, models="k-anonymity:k=3", suppression=1)
    assert release.suppressed == 1
    for shown in (repr(release), str(release), repr(release.save(tmp_path / "release"))):
        assert len(shown) < 400
        for secret in ("ninety", "plague", "suppressed_rows", "seconds", "Hierarchy"):
            assert secret not in shown.replace(str(tmp_path), "")


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(["A", "Kim"])])
def test_the_type_of_a_column_does_not_list_suppressed_values(kind):
    table = pl.DataFrame({"name": pl.Series(["A"] * 5 + ["Kim"], dtype=kind), "x": ["y"] * 6})
    release = krypsis.anonymize(
        table, {"name": "quasi-identifier", "x": "insensitive"}, models="k-anonymity:k=3", suppression=1
    )
    assert release.suppressed == 1
    assert release.table.dtypes == [pl.String, pl.String]
    assert "Kim" not in str(release.to_pandas()["name"].dtype)


MOMENT = dt.datetime(2020, 1, 2, 3, 4, 5, 678)  # noqa: DTZ001


@pytest.mark.parametrize(
    "values",
    [
        pl.Series([MOMENT, None, dt.datetime(2020, 1, 1)]),  # noqa: DTZ001
        pl.Series([MOMENT] * 3, dtype=pl.Datetime("ms")),
        pl.Series([MOMENT] * 3, dtype=pl.Datetime("ns")),
        pl.Series([MOMENT] * 3).dt.replace_time_zone("Europe/Athens"),
        pl.Series([dt.time(1, 2), dt.time(1, 2, 3, 4), None]),
        pl.Series([dt.timedelta(days=1, seconds=5), dt.timedelta(), None]),
        pl.Series(["1.50", "2.00", None]).cast(pl.Decimal(10, 2)),
        pl.Series(["a", "b", "a"], dtype=pl.Categorical),
    ],
    ids=lambda values: str(values.dtype),
)
@pytest.mark.parametrize("formats", FORMATS)
def test_what_is_loaded_is_what_was_released_for_every_type(tmp_path, values, formats):
    table = pl.DataFrame({"age": ["31"] * 3, "x": values})
    release = krypsis.anonymize(table, {"age": "quasi-identifier", "x": "insensitive"}, models="k-anonymity:k=3")
    loaded = Release.load(release.save(tmp_path / "release", formats).folder)
    assert loaded.table.schema == release.table.schema
    assert same_records(loaded.table, release.table)
