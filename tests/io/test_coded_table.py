"""Tables whose texts are kept as numbers give back what they were made of."""

from datetime import UTC, date, datetime

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import HierarchyError, MemoryShort
from krypsis.format import files
from krypsis.io import coded_table, engines, read, write
from krypsis.io.coded_table import CodedTable
from krypsis.io.dataset import Dataset
from krypsis.io.engines import engine_for
from krypsis.io.read import read_coded, read_table
from krypsis.io.texts import distinct_texts, encode, encode_column, numbered_values, text_of

TABLE = pl.DataFrame(
    {
        "^zip$": ["01234", None, "", "01234", "55555", "01234"],
        "age": pl.Series([31, 40, None, 31, 255, -7], dtype=pl.Int64),
        "born": [date(1990, 1, 2), None, date(1880, 5, 5), date(1990, 1, 2), date(2024, 2, 29), date(1990, 1, 2)],
        "seen": [datetime(2024, 1, 1, 12, 5, tzinfo=UTC), None, *[datetime(2024, 1, 1, tzinfo=UTC)] * 4],
        "weight": [1.5, float("nan"), None, -0.0, 0.0, 1e300],
        "ill": pl.Series(["a", "b", "a", None, "b", "a"], dtype=pl.Enum(["unused", "b", "a"])),
        "sick": [True, None, False, True, True, False],
    }
)


@pytest.fixture
def many(monkeypatch):
    """Take every table for one of many rows."""
    monkeypatch.setattr(coded_table, "MANY_ROWS", 1)


def test_a_coded_table_has_the_rows_and_types_it_was_made_of():
    coded = CodedTable.of(TABLE)
    assert coded.texts == {"^zip$"}
    assert coded.rows().equals(TABLE, null_equal=True)
    assert coded.types == dict(TABLE.schema)
    assert coded.rows(["age", "^zip$"]).equals(TABLE.select("age", pl.nth(0)))
    assert coded.at(np.arange(0, TABLE.height, 2)).equals(TABLE.gather_every(2))


def test_columns_of_too_many_different_texts_stay_as_they_are(monkeypatch):
    monkeypatch.setattr(coded_table, "MOST_DIFFERENT", 2)
    assert CodedTable.of(TABLE).texts == frozenset()


@pytest.mark.parametrize("name", TABLE.columns)
def test_columns_are_encoded_as_their_texts_are(name):
    for column in (TABLE.get_column(name), CodedTable.of(TABLE).frame.get_column(name)):
        hierarchy = Hierarchy.from_rows([[value, "*"] for value in distinct_texts(column)])
        assert (encode_column(column, hierarchy, name) == encode(text_of(column), hierarchy, name)).all()


def test_a_value_that_the_hierarchy_lacks_is_named():
    ages = Hierarchy.from_rows([["31", "*"]])
    with pytest.raises(HierarchyError, match="40"):
        encode_column(pl.Series("age", [31, 40]), ages, "age")


@given(st.lists(st.none() | st.integers(-300, 300), min_size=1), st.sampled_from([pl.Int16, pl.Int64, pl.Date]))
def test_numbered_values_stand_for_the_rows(numbers, dtype):
    column = pl.Series("one", numbers, dtype=pl.Int32).cast(dtype)
    found = numbered_values(column)
    known = [number for number in numbers if number is not None]
    if not known or max(known) - min(known) >= 4 * len(numbers):
        assert found is None
        return
    values, places = found
    assert values.gather(places).equals(column)
    assert values.n_unique() == len(values)


def test_numbers_far_apart_and_of_64_bits_are_not_numbered():
    assert numbered_values(pl.Series([0, 10**12])) is None
    assert numbered_values(pl.Series([2**64 - 1], dtype=pl.UInt64)) is None
    assert numbered_values(pl.Series([None, None], dtype=pl.Int64)) is None


@pytest.mark.usefixtures("many")
def test_a_file_of_many_rows_is_read_with_its_texts_as_numbers(tmp_path):
    TABLE.write_parquet(tmp_path / "table.parquet")
    found = read_coded(tmp_path / "table.parquet")
    assert isinstance(found, CodedTable)
    assert found.rows().equals(read_table(tmp_path / "table.parquet"))
    (tmp_path / "table.csv").write_text("zip,age\n01234,31\n,40\n", encoding="utf-8")
    assert read_coded(tmp_path / "table.csv", delimiter=",").rows().rows() == [("01234", "31"), (None, "40")]
    dataset = Dataset.of(tmp_path / "table.parquet")
    assert dataset.types == dict(TABLE.schema)
    assert dataset.collect().equals(TABLE)
    assert dataset.engine.distinct("^zip$") == distinct_texts(TABLE.get_column("^zip$"))


def test_a_table_for_which_there_is_no_memory_is_refused_before_it_is_read(many, tmp_path, monkeypatch):  # noqa: ARG001
    TABLE.write_parquet(tmp_path / "table.parquet")
    monkeypatch.setattr(read, "available_memory", lambda: 1000)
    size = "has 6 records of 7 columns"
    with pytest.raises(MemoryShort, match=size + "; .* takes about 1.3 KB, and 1000 bytes .*duckdb"):
        Dataset.of(tmp_path / "table.parquet", engine="memory")
    (tmp_path / "table.csv").write_text("zip,age\n" + "01234,31\n" * 100, encoding="utf-8")
    with pytest.raises(MemoryShort, match=r"table.csv has 908 bytes of text; .* 4.4 KB"):
        Dataset.of(tmp_path / "table.csv", engine="memory")


def test_what_one_engine_refuses_another_is_chosen_for(tmp_path, monkeypatch):
    TABLE.write_parquet(tmp_path / "table.parquet")
    for module in (read, engines):
        monkeypatch.setattr(module, "available_memory", lambda: 1000)
    assert engine_for(tmp_path / "table.parquet").name == "duckdb"


ROLES = {"age": "quasi-identifier", "zip": "quasi-identifier", "day": "quasi-identifier", "ill": "sensitive"}


def people() -> pl.DataFrame:
    draw = np.random.default_rng(3)
    return pl.DataFrame(
        {
            "age": draw.integers(20, 24, 300),
            "zip": [f"{number:05}" for number in draw.integers(99, 102, 300)],
            "name": [f"name {number}" for number in range(300)],
            "day": [None if number == 3 else date(2024, 1, 1 + number) for number in draw.integers(0, 4, 300)],
            "note": draw.choice(["12.50", "12"], 300),
            "ill": draw.choice(["flu", "hiv", "cold", "angina"], 300),
        }
    )


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("suppressed", ["remove", "keep"])
@pytest.mark.parametrize("levels", ["age=0,zip=0,day=0", "age=1,zip=2,day=1"])
def test_coded_tables_are_published_to_the_same_files(tmp_path, monkeypatch, ending, suppressed, levels):
    source = tmp_path / f"people.{ending}"
    getattr(people(), f"write_{ending}")(source)
    roles = {**ROLES, "note": "insensitive"}

    def published(folder: str, formats: list[str]) -> dict[str, bytes]:
        monkeypatch.setattr("krypsis.release.order.new_seed", lambda: "5ad3")
        release = krypsis.anonymize(
            source,
            roles,
            models="k-anonymity:k=5",
            hierarchies={"zip": {"kind": "masking"}},
            algorithm={"name": "fixed", "levels": levels},
            suppression=1.0,
            suppressed=suppressed,
        )
        place = release.save(tmp_path / folder, formats=formats).folder
        assert all(dtype != pl.Enum for dtype in release.table.dtypes)
        assert release.before.table.equals(Dataset.of(source).collect(release.table.columns))
        return {file.name: file.read_bytes() for file in place.iterdir() if file.name != "manifest.json"}

    for formats in (["csv"], ["csv", "parquet"]):
        monkeypatch.setattr(coded_table, "MANY_ROWS", 10**9)
        plain = published("plain" + "-".join(formats), formats)
        monkeypatch.setattr(coded_table, "MANY_ROWS", 1)
        assert published("coded" + "-".join(formats), formats) == plain


@pytest.mark.usefixtures("many")
def test_a_pickled_release_of_many_rows_lists_no_values_of_suppressed_records():
    import pickle  # noqa: PLC0415

    table = pl.DataFrame({"age": ["31"] * 5 + ["47"], "ill": ["flu"] * 5 + ["plague"]})
    release = krypsis.anonymize(
        table,
        {"age": "quasi-identifier", "ill": "sensitive"},
        models="k-anonymity:k=5",
        algorithm="fixed:levels=0",
        suppression=1,
    )
    assert "plague" in str(release.publication.coded_table.dtypes)
    written = pickle.dumps(release)
    assert b"plague" not in written
    assert pickle.loads(written).table.equals(release.table)


def test_releases_of_many_rows_in_the_row_groups_of_earlier_versions_are_checked(tmp_path, monkeypatch):
    people().write_parquet(tmp_path / "people.parquet")
    release = krypsis.anonymize(
        tmp_path / "people.parquet",
        ROLES,
        models="k-anonymity:k=5",
        algorithm={"name": "fixed", "levels": "age=1,zip=1,day=1"},
        suppression=1,
    )
    monkeypatch.setattr(write, "ROW_GROUP", 50)
    earlier = release.save(tmp_path / "earlier", formats=["parquet"]).folder
    monkeypatch.setattr(coded_table, "MANY_ROWS", 1)
    now = release.save(tmp_path / "now", formats=["parquet"]).folder
    assert (earlier / "data.parquet").read_bytes() != (now / "data.parquet").read_bytes()
    monkeypatch.setattr(files, "_proven", set())
    assert all(verdict.holds for folder in (earlier, now) for verdict in krypsis.check(folder))
