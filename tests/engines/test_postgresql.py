"""The PostgreSQL engine: one snapshot, nothing left behind, and no password in any message."""

import datetime as dt
import os
import signal
import subprocess
import sys
from urllib.parse import quote

import polars as pl
import psycopg
import pytest

from engines.nasty_values import counted, published, rows_of, some_recoding
from engines.places import address, address_of, lies_in, postgresql, role, run_sql
from krypsis.errors import DataError, UsageError
from krypsis.io.dataset import Dataset
from krypsis.io.engines import find_engine
from krypsis.io.sql.postgresql_address import PostgreSQLAddress
from patience import wait_until

MEMORY = find_engine("memory")
TABLE = pl.DataFrame({"age": [1, 1, 2, 2], "zip": ["a", "b", "b", None], "note": ["x", "y", "z", None]})
ROLES = {"age": "quasi-identifier", "zip": "quasi-identifier", "note": "insensitive"}


def scratch():
    with psycopg.connect(postgresql()) as connection:
        rows = connection.execute(
            "select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace "
            "where n.nspname like 'krypsis%' or (n.nspname like 'pg_temp%' and c.relname ~ '^m[0-9]+$')"
        ).fetchone()
    return rows[0]


def test_a_dataset_is_called_like_its_table_and_has_no_path():
    where = address_of(TABLE)
    dataset = Dataset.of(where)
    assert (dataset.engine.name, dataset.path) == ("postgresql", None)
    assert dataset.name == where.rpartition("=")[2]


def test_a_query_is_a_table():
    run_sql("drop table if exists visits", "create table visits (age int, zip text)")
    run_sql("insert into visits values (30, '1'), (40, '2')")
    dataset = Dataset.of(address("query=" + quote("select zip, age + 1 as age from visits where age > 30;")))
    assert dataset.collect().rows() == [("2", 41)]
    assert dataset.name == "query"


def test_rows_that_others_write_meanwhile_are_not_seen():
    where = address_of(TABLE)
    engine = Dataset.of(where).engine
    found = counted(engine, ROLES)
    run_sql(f"insert into {where.rpartition('=')[2]} select 9, 'new', 'new' from generate_series(1, 100)")
    recoding = some_recoding(found.frequency, (0, 0))
    assert engine.collect().height == TABLE.height
    assert rows_of(published(found, recoding)) == rows_of(published(counted(MEMORY(TABLE), ROLES), recoding))
    assert Dataset.of(where).rows == TABLE.height + 100


def test_nothing_stays_on_the_server():
    engine = lies_in(TABLE, "postgresql").engine
    counted(engine, ROLES)
    assert scratch() == 0  # nobody else sees what the transaction has made
    engine.close()
    assert scratch() == 0
    with pytest.raises(DataError, match="has ended"):
        engine.distinct("note")


KILLED = """
import sys, time
from krypsis.io.dataset import Dataset
engine = Dataset.of(sys.argv[1]).engine
with engine._database.uploaded(engine.collect().select(c="age")):
    print("uploaded", flush=True)
    time.sleep(1000)
"""


def test_nothing_stays_on_the_server_after_a_kill():
    where, before = address_of(TABLE), connections()
    with subprocess.Popen([sys.executable, "-c", KILLED, where], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "uploaded\n"
        assert connections() == before + 1
        os.kill(process.pid, signal.SIGKILL)
    wait_until(lambda: connections() <= before)
    assert scratch() == 0


def connections():
    with psycopg.connect(postgresql()) as connection:
        asked = "select count(*) from pg_stat_activity where application_name = 'krypsis'"
        return connection.execute(asked).fetchone()[0]


def test_who_may_create_nothing_works_with_temporary_tables(caplog):
    where = address_of(TABLE)
    name = where.rpartition("=")[2]
    role("reader")
    run_sql(f"grant select on {name} to reader")
    engine = Dataset.of(address(f"table={name}", user="reader")).engine
    assert "may not create a schema" in caplog.text
    found, expected = counted(engine, ROLES), counted(MEMORY(TABLE), ROLES)
    recoding = some_recoding(expected.frequency)
    assert rows_of(published(found, recoding)) == rows_of(published(expected, recoding))


def test_what_polars_has_no_type_for_is_text():
    run_sql(
        "drop table if exists special cascade; drop type if exists mood; drop domain if exists zip",
        "create type mood as enum ('sad', 'ok'); create domain zip as varchar(5)",
        "create table special (c char(4), n numeric, m mood, u uuid, z zip, a int[], i interval, d numeric(50, 2))",
        "insert into special values "
        "('x', 1.50, 'sad', '4b8c8c1e-4b8c-4b8c-8b8c-4b8c8c1e4b8c', '01', '{1,2}', '1 day', 1), "
        "('x ', 1.5, 'ok', null, '1', null, '24 hours', 1.00), ('yy', 'NaN', null, null, null, null, null, 'NaN')",
    )
    engine = Dataset.of(address("table=special")).engine
    assert {name: engine.distinct(name) for name in engine.columns} == {
        "c": ["x   ", "yy  "],
        "n": ["1.50", None],
        "m": ["ok", "sad", None],
        "u": ["4b8c8c1e-4b8c-4b8c-8b8c-4b8c8c1e4b8c", None],
        "z": ["01", "1", None],
        "a": ["{1,2}", None],
        "i": ["1 day", "24:00:00", None],
        "d": ["1", None],
    }


def test_types_that_the_server_cannot_compare_are_texts():
    run_sql(
        "drop table if exists odd",
        "create table odd (j json, p point, x tsvector)",
        "insert into odd values ('{\"a\": 1}', '(1,2)', 'a b'), ('{\"a\": 1}', '(1,2)', 'a b'), (null, null, null)",
    )
    engine = Dataset.of(address("table=odd")).engine
    roles = dict.fromkeys(engine.columns, "quasi-identifier")
    found = counted(engine, roles).frequency
    assert {name: engine.distinct(name) for name in engine.columns} == {
        "j": ['{"a": 1}', None],
        "p": ["(1,2)", None],
        "x": ["'a' 'b'", None],
    }
    assert sorted(found.counts.tolist()) == [1, 2]


def test_moments_are_in_utc_whatever_the_time_zone_of_the_server(monkeypatch):
    monkeypatch.setenv("PGTZ", "America/New_York")
    run_sql(
        "drop table if exists moments",
        "create table moments (m timestamptz)",
        "insert into moments values ('2024-03-10 01:30:00-05'), ('2024-03-10 06:30:00+00')",
    )
    expected = MEMORY(pl.DataFrame({"m": [dt.datetime(2024, 3, 10, 6, 30, tzinfo=dt.UTC)]})).distinct("m")
    assert Dataset.of(address("table=moments")).engine.distinct("m") == expected


@pytest.mark.parametrize("where", ["127.0.0.1:9", "no-such-host.invalid"])
def test_a_server_that_cannot_be_reached_is_named_without_the_password(where):
    with pytest.raises(DataError, match=rf"^postgresql://{where}/clinic does not let us in: ") as said:
        Dataset.of(f"postgresql://ann:s3cret@{where}/clinic?table=visits")
    assert "s3cret" not in str(said.value)
    assert "\n" not in str(said.value)


@pytest.mark.parametrize(
    ("kind", "value"), [("date", "infinity"), ("timestamp", "-infinity"), ("timestamptz", "infinity")]
)
def test_infinite_dates_are_refused(kind, value):
    run_sql(
        "drop table if exists endless", f"create table endless (d {kind})", f"insert into endless values ('{value}')"
    )
    engine = Dataset.of(address("table=endless")).engine
    for ask in (engine.collect, lambda: engine.distinct("d")):
        with pytest.raises(DataError, match="holds 'infinity'"):
            ask()


@pytest.mark.parametrize(
    ("what", "error", "message"),
    [
        ("table=visist", UsageError, "no table 'visist' in postgresql://.*Did you mean 'visits'"),
        ("table=nowhere.visits", UsageError, "no table 'nowhere.visits'.*Did you mean 'visits'"),
        ("table=nothing", DataError, "nothing has columns and no rows"),
        ("query=select+1+as+a,+2+as+a", DataError, "specified more than once"),
        ("query=select+1+as+a;+drop+table+visits", DataError, "syntax error"),
        ("query=delete+from+visits+returning+age", DataError, "syntax error"),
        ("query=select+zip::int+as+a+from+words", DataError, 'invalid input syntax for type integer: "…"'),
        ("table=visits&query=select+1", UsageError, "a table or a query, and one of them"),
        ("", UsageError, "not the address of a table in PostgreSQL"),
        ("table=visits&port=1", DataError, "does not let us in"),
        ("table=visits&tabel=x", UsageError, "'tabel'"),
    ],
)
def test_what_cannot_be_read_is_explained(what, error, message):
    run_sql(
        "create table if not exists visits (age int, zip text)",
        "create table if not exists nothing (age int)",
        "create table if not exists words (zip text)",
        "insert into words values ('secret value')",
    )
    with pytest.raises(error, match=message) as caught:
        Dataset.of(address(what)).collect()
    assert "secret" not in str(caught.value)


def test_a_wrong_password_and_missing_rights_are_not_echoed(monkeypatch):
    role("guarded", "right")
    run_sql("create table if not exists hidden (age int)", "revoke all on hidden from public")
    given = address("table=hidden", user="guarded")
    with pytest.raises(DataError, match="password authentication failed") as caught:
        Dataset.of(f"{given}&password=s3cret")
    assert "s3cret" not in str(caught.value)
    monkeypatch.setenv("PGPASSWORD", "right")
    with pytest.raises(DataError, match="permission denied for table hidden"):
        Dataset.of(given)


def test_a_password_never_shows():
    text = "postgresql://ann:s3cret@db.example:5433/clinic?table=public.visits&sslmode=require"
    found = PostgreSQLAddress.of(text)
    assert "s3cret" not in f"{found!r} {found} {found.server} {found.name} {found.relation}"
    assert "s3cret" in found.connection
    assert found.has_password
    assert not PostgreSQLAddress.of(text.replace(":s3cret", "")).has_password


@pytest.mark.parametrize(
    ("table", "relation"),
    [
        ("visits", '"visits"'),
        ("ward.visits", '"ward"."visits"'),
        ('"a.b"."c ""d"""', '"a.b"."c ""d"""'),
        ("Straße.x; drop table t", '"Straße"."x; drop table t"'),
    ],
)
def test_names_are_quoted(table, relation):
    assert PostgreSQLAddress.of(f"postgresql://h/d?table={quote(table)}").relation == relation


def test_the_server_works_on_small_tables_in_parallel():
    run_sql(
        "drop table if exists many",
        "create table many as select g % 50 as age, 'x' || g % 7 as zip from generate_series(1, 300000) g",
        "analyze many",
    )
    engine = Dataset.of(address("table=many")).engine
    database = engine._database
    with (
        database.uploaded(
            pl.DataFrame({"v": range(50), "c": range(50)}, schema={"v": pl.Int32, "c": pl.Int32})
        ) as codes,
        database._cursor() as cursor,
    ):
        cursor.adbc_statement.set_options(**{"adbc.postgresql.use_copy": "false"})
        cursor.execute(
            f"explain select q.c, count(*) from {database.table} t left join {codes} q on t.age = q.v group by q.c"
        )
        plan = "\n".join(cursor.fetch_polars().to_series())
    assert "Parallel Seq Scan on many" in plan
