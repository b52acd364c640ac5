"""Which sources the DuckDB engine takes, and what it says when it cannot work on them."""

import gzip
from concurrent.futures import ThreadPoolExecutor

import duckdb
import numpy as np
import polars as pl
import pytest

from engines.nasty_values import NASTY, counted, published, rows_of, some_recoding
from krypsis.data.recoding import FullDomain
from krypsis.errors import DataError, OutputError, UsageError
from krypsis.io.dataset import Dataset
from krypsis.io.engines import find_engine
from krypsis.io.read import read_table

ENGINE = find_engine("duckdb")
TABLE = pl.DataFrame({"age": [31, 31, 40, None], "disease": ["flu", None, "", "hiv"], "note": ["a", "b", "c", "d"]})
ROLES = {"age": "quasi-identifier", "disease": "sensitive"}
MEGABYTE = 1024**2
CSV = {
    "empty field and empty text": b'a,b\n1,""\n,x\n',
    "quotes, delimiters and line ends in fields": b'a,b\n"x, ""y""","1\n2"\nz,\xc3\xa9\n',
    "semicolons": b"a;b\n1,5;2\n",
    "tabs": b"a\tb\n1\t2\n",
    "blank lines at the end": b"a,b\n1,2\n\n\n",
    "one column with empty fields": b"a\n1\n\n2\n",
    "a byte order mark": b"\xef\xbb\xbfa,b\n1,2\n",
    "Windows line ends": b"a,b\r\n1,2\r\n",
    "old Mac line ends": b"a,b\r1,2\r",
    "UTF-16": "a,b\nä,2\n".encode("utf-16"),
    "Western text": "a,b\nMünchen,2\nKöln,3\n".encode("cp1252"),
    "packed": gzip.compress(b"a,b\n01,2\n"),
    "blanks stay": b"a,b\n x ,2\n",
    "a quote inside a field": b'a,b\n5" disk,2\n',
    "names like patterns": b'"^a$",A,a\n1,2,3\n',
    "names with a delimiter": b'"x, y",b\n"p,q",2\n',
}
WRONG = {
    "a short record": b"a,b\n1,2\n3\n",
    "a long record": b"a,b\n1,2\n3,4,5\n",
    "an open quote": b'a,b\n1,"2\n',
    "no records": b"a,b\n",
    "a NUL byte": b"a,b\n1,\x002\n",
    "names twice": b"a,a\n1,2\n",
}


def engine_of(data, memory=None):
    return ENGINE(ENGINE.source_of(data, "the table"), memory)


@pytest.mark.parametrize("kind", CSV)
def test_a_csv_file_has_the_values_that_our_reader_finds(tmp_path, kind):
    path = tmp_path / "table.csv"
    path.write_bytes(CSV[kind])
    found, expected = engine_of(path), read_table(path)
    assert found.collect().equals(expected)
    assert found.types == dict(expected.schema)
    assert [found.distinct(name) for name in found.columns] == [
        Dataset.of(expected).engine.distinct(name) for name in expected.columns
    ]


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_csv_file_is_refused_as_our_reader_refuses_it(tmp_path, kind):
    path = tmp_path / "table.csv"
    path.write_bytes(WRONG[kind])
    with pytest.raises(DataError) as expected:
        read_table(path)
    with pytest.raises(DataError) as found:
        engine_of(path)
    assert str(found.value) == str(expected.value)


def test_files_of_one_table_are_a_pattern_or_a_folder(tmp_path):
    for place in range(4):
        TABLE[place : place + 1].write_parquet(tmp_path / f"{place}'s.parquet")
    (tmp_path / "_SUCCESS").touch()
    for source in (tmp_path, f"{tmp_path}/*.parquet"):
        engine = engine_of(source)
        assert engine.rows == 4
        assert engine.collect().equals(TABLE)
        assert engine.collect_sample(np.array([0, 3])).equals(TABLE.gather_every(3))


def test_how_a_table_is_cut_into_files_does_not_show(tmp_path):
    whole, cut = tmp_path / "whole.parquet", tmp_path / "cut"
    cut.mkdir()
    TABLE.write_parquet(whole)
    for place, row in enumerate((3, 1, 0, 2)):
        TABLE[row : row + 1].write_parquet(cut / f"{place}.parquet")
    roles = ROLES | {"note": "insensitive"}
    first, second = (counted(engine_of(source), roles) for source in (whole, cut))
    recoding = FullDomain((0,), np.zeros(3, dtype=np.bool_))
    parts = [table.publish(recoding, "remove", "5ad3") for table in (first, second)]
    assert parts[0].paths[0].read_bytes() == parts[1].paths[0].read_bytes()


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (TABLE.drop("note"), "no column 'note'"),
        (TABLE.with_columns(pl.col("age").cast(pl.Int32)), "'age' holds Int32 and not Int64"),
        (TABLE.with_columns(more=1), "further column 'more'"),
        (TABLE.select("disease", "age", "note"), "another order"),
    ],
)
def test_files_with_other_columns_are_refused(tmp_path, other, message):
    TABLE.write_parquet(tmp_path / "0.parquet")
    other.write_parquet(tmp_path / "1.parquet")
    with pytest.raises(DataError, match=message):
        engine_of(tmp_path)


@pytest.mark.parametrize("name", ["none.parquet", "none/*.parquet", "."])
def test_no_file_is_refused(tmp_path, name, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=r"not found|names no Parquet file"):
        engine_of(name)


def test_a_file_that_only_looks_like_parquet_is_refused(tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(DataError, match=r"x\.parquet is not a Parquet file"):
        engine_of(path)


RELATIONS = [
    "1::hugeint",
    "'550e8400-e29b-41d4-a716-446655440000'::uuid",
    "'x'::enum('x', 'y')",
    "1.5::decimal(10, 2)",
    "timestamptz '2024-01-01 00:00:00+01'",
    "'10:00:00+01'::timetz",
    "timestamp_ns '2024-01-01 00:00:00.123456789'",
    "'a '::varchar",
]


@pytest.mark.parametrize("value", RELATIONS)
def test_a_relation_has_the_values_that_the_memory_engine_finds(value):
    with duckdb.connect() as connection:
        relation = connection.sql(f'select {value} as "the ""x""", 1 as other union all select null, 2')
        ours, expected = Dataset.of(relation, engine="duckdb"), Dataset.of(relation)
        assert ours.types == expected.types
        assert ours.engine.distinct('the "x"') == expected.engine.distinct('the "x"')
        assert ours.collect().sort("other").equals(expected.collect().sort("other"))


def test_intervals_are_refused_with_the_name_of_the_column():
    with duckdb.connect() as connection, pytest.raises(DataError, match="'wait' holds INTERVAL"):
        engine_of(connection.sql("select interval 1 day as wait"))


def test_lists_may_be_published_and_not_be_asked_about():
    table = TABLE.with_columns(tags=pl.Series([["x"], [], None, ["y", "z"]]))
    engine = engine_of(table)
    with pytest.raises(DataError, match="'tags' holds List"):
        engine.distinct("tags")
    found = counted(engine, ROLES | {"tags": "insensitive"})
    recoding = FullDomain((0,), np.zeros(3, dtype=np.bool_))
    assert rows_of(published(found, recoding)) == rows_of(table.drop("note"))


def test_a_file_that_changes_between_counting_and_publishing_is_noticed(tmp_path):
    path = tmp_path / "table.parquet"
    TABLE.write_parquet(path)
    found = counted(engine_of(path), ROLES | {"note": "insensitive"})
    recoding = some_recoding(found.frequency)
    pl.concat([TABLE, TABLE]).write_parquet(path)
    with pytest.raises(DataError, match="has changed"):
        found.publish(recoding, "remove", "5ad3")


@pytest.mark.parametrize("other", [TABLE.with_columns(age=41), TABLE.head(3), TABLE.with_columns(age=31)])
def test_rows_that_change_under_the_same_fingerprint_are_noticed(tmp_path, other, monkeypatch):
    path = tmp_path / "table.parquet"
    TABLE.write_parquet(path)
    monkeypatch.setattr("krypsis.io.sql.parquet_source._fingerprint", lambda _: (0, 0, 0))
    found = counted(engine_of(path), ROLES | {"note": "insensitive"})
    recoding = FullDomain((0,), np.zeros(3, dtype=np.bool_))
    other.write_parquet(path)
    with pytest.raises(DataError, match="has changed"):
        found.publish(recoding, "remove", "5ad3")


def test_rows_are_collected_only_where_they_fit():
    engine = engine_of(pl.DataFrame({"number": range(1_000_000)}), memory=4 * MEGABYTE)
    with pytest.raises(UsageError, match=r"1,000,000 rows of 1 column\(s\) take about 7\.6 MB .* 4\.0 MB may be taken"):
        engine.collect()


def many_tuples(rows):
    random = np.random.default_rng(1)
    return pl.DataFrame({name: random.integers(0, 200, rows) for name in "abcdef"})


def test_a_table_that_needs_more_room_than_memory_is_worked_on_in_files():
    table = many_tuples(400_000)
    found = counted(engine_of(table, memory=128 * MEGABYTE), dict.fromkeys("abcdef", "quasi-identifier"))
    assert found.frequency.rows == 400_000
    recoding = FullDomain((1,) * 6, np.zeros(len(found.frequency.counts), dtype=np.bool_))
    assert found.publish(recoding, "remove", "5ad3").rows == 400_000


def test_too_little_memory_is_an_error_that_says_so():
    engine = engine_of(many_tuples(1_000_000))
    engine._database._run("set memory_limit = '3MB'")
    with pytest.raises(UsageError, match="too little for this table"):
        counted(engine, dict.fromkeys("abcdef", "quasi-identifier"))


def test_a_full_disk_is_an_error_that_says_so():
    engine = engine_of(many_tuples(2_000_000))
    engine._database._run("set memory_limit = '60MB'")
    engine._database._run("set max_temp_directory_size = '1MB'")
    with pytest.raises(OutputError, match=r"no room left in .*TMPDIR"):
        counted(engine, dict.fromkeys("abcdef", "quasi-identifier"))


def test_nothing_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    found = counted(engine_of(TABLE), ROLES | {"note": "insensitive"})
    parts = found.publish(some_recoding(found.frequency), "keep", "5ad3")
    assert any(tmp_path.iterdir())
    del found, parts
    assert not any(tmp_path.iterdir())


def test_no_program_is_fetched_from_elsewhere():
    engine = engine_of(TABLE)
    settings = engine._database.query(
        "select name, value from duckdb_settings() where name like 'auto%known_extensions'"
    )
    assert dict(settings.rows()) == {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}


def test_two_threads_may_ask_at_once():
    engine = engine_of(NASTY)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(engine.distinct, NASTY.columns * 2))
    assert answers == [find_engine("memory")(NASTY).distinct(name) for name in NASTY.columns] * 2
