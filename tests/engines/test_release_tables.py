"""A release as a table of a database: created, compared with the files, and renamed; or nothing has changed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import psycopg
import pytest
from typer.testing import CliRunner

from engines import places
from engines.nasty_values import NASTY
from engines.places import address, address_of, known_to, postgresql, role, run_sql
from engines.test_journeys import patients_table, plan_text
from krypsis.cli.main import app
from krypsis.errors import OutputError, PlanError, UsageError
from krypsis.format.claims import publishable
from krypsis.io.engines import find_engine
from krypsis.io.sql import postgresql_target, publishing
from krypsis.io.sql.postgresql_address import PostgreSQLAddress
from krypsis.io.sql.postgresql_target import PostgreSQLTarget
from krypsis.io.sql.spark_target import SparkTarget
from krypsis.plan import Plan
from krypsis.release.release import Release

TABLE = patients_table()
SMALL = pl.DataFrame({"age": [3, 1, 2], "zip": ["b", None, "a"]})


def asked(statement):
    with psycopg.connect(postgresql()) as connection:
        return connection.execute(statement).fetchall()


def leftovers():
    return asked("select relname from pg_class where relname like 'krypsis%'")


def target(table, user="postgres"):
    return PostgreSQLTarget(PostgreSQLAddress.of(address(f"table={table}", user=user)))


def put(place, frames, *, force=False, release="r1"):
    place.put(dict(frames[0].schema), lambda: iter(frames), release, force=force)


@pytest.fixture(scope="module")
def visits():
    return address_of(TABLE)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_sql("drop table if exists released cascade")
    return tmp_path


def run(data, table, *options):
    text = plan_text(data).replace("report: false}", f'report: false, table: "{table}"}}')
    Path("plan.yaml").write_text(text, encoding="utf-8")
    return CliRunner().invoke(app, ["run", "plan.yaml", *options])


@pytest.mark.usefixtures("folder")
def test_the_table_has_the_published_rows_in_published_order(visits, monkeypatch):
    monkeypatch.setattr(publishing, "PART_ROWS", (400, 400))
    done = run(visits, "public.released")
    assert done.exit_code == 0, done.output
    assert "table" in done.stdout
    assert "public.released in postgresql://" in done.stdout
    assert len(list(Path("release").glob("data-*.parquet"))) > 3
    release = Release.load("release")
    assert asked("select * from released order by ctid") == release.table.rows()
    comment = asked("select obj_description('released'::regclass)")[0][0]
    assert comment == f"published by krypsis: release {release.release_id}"
    assert leftovers() == []


@pytest.mark.usefixtures("folder")
def test_a_table_is_replaced_only_by_force_and_only_if_it_holds_a_release(visits):
    assert run(visits, "released").exit_code == 0
    before = asked("select * from released order by ctid")
    again = run(visits, "released", "--output", "other")
    assert again.exit_code == 2
    assert "the table released in postgresql://" in again.stderr
    assert "--force" in again.stderr
    assert not Path("other").exists()  # said before the search
    assert run(visits, "released", "--output", "other", "--force").exit_code == 0
    after = asked("select * from released order by ctid")
    assert sorted(map(repr, after)) == sorted(map(repr, before))
    assert after != before  # another release has another order
    run_sql("comment on table released is 'mine'")
    refused = run(visits, "released", "--output", "third", "--force")
    assert refused.exit_code == 2
    assert "holds no release" in refused.stderr
    assert asked("select * from released order by ctid") == after


@pytest.mark.usefixtures("folder")
def test_a_file_may_become_a_table_by_its_address():
    TABLE.write_csv("patients.csv")
    assert run("patients.csv", address("table=released")).exit_code == 0
    types = dict(asked("select column_name, data_type from information_schema.columns where table_name = 'released'"))
    assert types["zip"] == "text"
    assert len(asked("select * from released")) == Release.load("release").records
    refused = run("patients.csv", "public.released", "--output", "other")
    assert refused.exit_code == 2
    assert "the data lies in files" in refused.stderr


@pytest.mark.usefixtures("folder")
def test_several_tables_do_not_go_into_one(visits):
    text = plan_text(visits, "anatomize", "['frequency-l-diversity:l=2']").replace("suppression: 2%\n", "")
    text = text.replace("report: false}", "report: false, table: released}")
    plan = Plan.parse(text, Path.cwd())
    from krypsis.kinds.publishing import publish  # noqa: PLC0415

    with pytest.raises(UsageError, match="has 2 tables"):
        publish(plan, Path("release"))
    assert not Path("release").exists()


@pytest.mark.usefixtures("folder")
def test_who_may_not_create_tables_is_told_before_the_search(visits):
    name = visits.rpartition("=")[2]
    role("looker")
    run_sql(f"grant select on {name} to looker", "revoke create on schema public from public")
    done = run(address(f"table={name}", user="looker"), "released")
    assert done.exit_code == 2
    assert "may not create tables in the schema 'public'" in done.stderr
    assert 'grant create on schema "public"' in done.stderr
    assert not Path("release").exists()
    with pytest.raises(OutputError, match="no schema 'nowhere'"):
        target("nowhere.released").check_free(force=False)
    run_sql("create schema if not exists shared", "drop table if exists shared.released")
    put(target("shared.released"), [SMALL])
    run_sql("grant create, usage on schema shared to looker")
    with pytest.raises(OutputError, match="belongs to somebody else"):
        target("shared.released", user="looker").check_free(force=True)


@pytest.mark.usefixtures("folder")
def test_values_of_every_published_type_arrive_unchanged():
    table = publishable(NASTY).drop("nanoseconds")  # of which there are too few in a second for PostgreSQL
    put(target("released"), [table[:4], table[4:]])
    assert len(asked("select * from released")) == table.height
    names = [
        row[0] for row in asked("select attname from pg_attribute where attrelid = 'released'::regclass and attnum > 0")
    ]
    assert names == table.columns


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("table", "message"),
    [
        (publishable(NASTY).select("nanoseconds"), "rows differ from the files"),
        (pl.DataFrame({"text": ["a\x00b"]}), "cannot be written"),
        (pl.DataFrame({"x" * 64: [1]}), "longer than 63 bytes"),
        (pl.DataFrame({"ctid": [1]}), "cannot be written: column name"),
    ],
)
def test_what_the_server_cannot_hold_leaves_nothing_behind(table, message):
    with pytest.raises(OutputError, match=message) as caught:
        put(target("released"), [table])
    assert "\n" not in str(caught.value)
    assert asked("select to_regclass('released')") == [(None,)]
    assert leftovers() == []


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "change", ["delete from {} where age = 1", "update {} set zip = 'z'", "insert into {} values (9)"]
)
def test_rows_that_are_not_those_of_the_files_are_noticed(monkeypatch, change):
    put(target("released"), [SMALL])
    compare = PostgreSQLTarget._compare

    def changed_first(self, connection, place, *rest):
        postgresql_target._run(connection, change.format(place))
        compare(self, connection, place, *rest)

    monkeypatch.setattr(PostgreSQLTarget, "_compare", changed_first)
    with pytest.raises(OutputError, match="rows differ from the files"):
        put(target("released"), [SMALL.reverse()], force=True)
    assert asked("select * from released order by ctid") == SMALL.rows()
    assert leftovers() == []


KILLED = """
import sys, time
import polars as pl
from krypsis.io.sql import postgresql_target
from krypsis.io.sql.postgresql_address import PostgreSQLAddress

run = postgresql_target._run
def slow(connection, statement):
    run(connection, statement)
    if statement.startswith(sys.argv[2]):
        print("here", flush=True)
        time.sleep(60)

postgresql_target._run = slow
table = pl.DataFrame({"age": [9]})
target = postgresql_target.PostgreSQLTarget(PostgreSQLAddress.of(sys.argv[1]))
target.put(dict(table.schema), lambda: iter([table]), "r2", force=True)
"""


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("step", ["comment on table", "drop table", "alter table"])
def test_a_kill_leaves_the_table_that_was_there(step):
    put(target("released"), [SMALL])
    command = [sys.executable, "-c", KILLED, address("table=released"), step]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "here\n"
        os.kill(process.pid, signal.SIGKILL)
    until = time.monotonic() + 30
    while asked("select 1 from pg_stat_activity where application_name = 'krypsis' and state <> 'idle'"):
        assert time.monotonic() < until
        time.sleep(0.05)
    assert asked("select * from released order by ctid") == SMALL.rows()
    assert leftovers() == []


@pytest.mark.usefixtures("folder")
def test_a_table_that_others_use_is_not_waited_for_without_end(monkeypatch):
    put(target("released"), [SMALL])
    run_sql("create view looks_at_it as select * from released")
    with pytest.raises(OutputError, match="depend on it"):
        put(target("released"), [SMALL], force=True)
    run_sql("drop view looks_at_it")
    monkeypatch.setitem(postgresql_target.SETTINGS, "lock_timeout", "'100ms'")
    with psycopg.connect(postgresql()) as reader:
        reader.execute("select * from released")
        with pytest.raises(OutputError, match="is in use"):
            put(target("released"), [SMALL], force=True)
    assert asked("select * from released order by ctid") == SMALL.rows()


def test_a_password_of_a_table_to_write_is_refused(tmp_path):
    text = plan_text("p.csv").replace("report: false}", "table: 'postgresql://a:s3cret@h/d?table=t'}")
    with pytest.raises(PlanError, match=r"output.table: the address has a password") as refusal:
        Plan.parse(text, tmp_path)
    assert "s3cret" not in str(refusal.value)
    with pytest.raises(UsageError, match="to a table and not to a query"):
        find_engine("postgresql").target("postgresql://h/d?query=select+1", None)


@pytest.mark.xdist_group("spark")
def test_spark_writes_a_table_and_replaces_it_only_by_force():
    session = places.spark()
    session.sql("create database if not exists clinic")
    place = SparkTarget("clinic.released")
    put(place, [SMALL, SMALL.head(1)])
    assert sorted(map(tuple, session.table("clinic.released").collect()), key=repr) == sorted(
        [*SMALL.rows(), SMALL.row(0)], key=repr
    )
    with pytest.raises(OutputError, match="--force"):
        place.check_free(force=False)
    put(place, [SMALL.tail(1)], force=True, release="r2")
    assert [tuple(row) for row in session.table("clinic.released").collect()] == [SMALL.row(2)]
    assert [table.name for table in session.catalog.listTables("clinic")] == ["released"]
    session.sql("comment on table clinic.released is 'mine'")
    with pytest.raises(OutputError, match="holds no release"):
        place.check_free(force=True)
    with pytest.raises(OutputError, match="nowhere"):
        put(SparkTarget("nowhere.released"), [SMALL])
    session.sql("drop database clinic cascade")


@pytest.mark.xdist_group("spark")
def test_a_crash_of_spark_between_two_names_is_settled():
    session = places.spark()
    session.sql("create database if not exists ward")
    place = SparkTarget("ward.released")
    put(place, [SMALL])
    session.sql(f"alter table {place._table} rename to {place._old}")
    session.sql(f"create table {place._new} (age int)")
    with pytest.raises(OutputError, match="--force"):
        place.check_free(force=False)
    assert session.table("ward.released").count() == SMALL.height
    assert [table.name for table in session.catalog.listTables("ward")] == ["released"]
    session.sql("drop database ward cascade")


@pytest.mark.xdist_group("spark")
def test_spark_has_a_type_for_every_published_one():
    session = places.spark()
    table = publishable(known_to("spark", NASTY)).select("int8", "float32", "text", "date", "moment", "truth")
    table = table.with_columns(pl.Series("uint64", [2**64 - 1, 0, None, 1, 2, 3], dtype=pl.UInt64))
    put(SparkTarget("typed"), [table])
    assert session.table("typed").count() == table.height
    session.sql("drop table typed")
