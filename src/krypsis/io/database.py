"""Reading a table from a database."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from krypsis.errors import DataError, UsageError, did_you_mean
from krypsis.io.paths import check_names

if TYPE_CHECKING:
    from sqlalchemy import Engine
    from sqlalchemy.engine import URL

DRIVERS = {"postgresql": "postgresql+psycopg", "mysql": "mysql+pymysql", "mariadb": "mariadb+pymysql"}
"""The drivers that the extra installs."""
LONGEST = 300


def read_database(url: str, table: str) -> pl.DataFrame:
    """Return a table or view of a database.

    Parameters
    ----------
    url
        of the database, such as ``postgresql://user:password@host/name``, ``mysql://…`` or
        ``sqlite:///patients.db``. Messages never show its password.
    table
        the name of a table or view, or its schema and name with a dot between them.

    Raises
    ------
    UsageError
        if the address is none, or there is no such table.
    DataError
        if the database does not answer, or the table holds no records.

    Examples
    --------
    >>> import sqlite3, tempfile
    >>> from contextlib import closing
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with closing(sqlite3.connect(f"{folder}/clinic.db")) as database:
    ...         _ = database.execute("create table patients (age int, zip text)")
    ...         _ = database.execute("insert into patients values (34, '01234')")
    ...         database.commit()
    ...     read_database(f"sqlite:///{folder}/clinic.db", "patients").rows()
    [(34, '01234')]
    """
    address = _address(url)
    engine = _engine(address)
    shown = address.render_as_string(hide_password=True)
    try:
        frame = _read(engine, table, shown)
    finally:
        engine.dispose()
    check_names(frame.columns, table)
    if not frame.height:
        raise DataError(f"{table} has columns and no rows; expected at least one record")
    return frame


def _address(url: str) -> "URL":
    try:
        from sqlalchemy import make_url  # noqa: PLC0415  an extra
        from sqlalchemy.exc import ArgumentError  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise UsageError(
            "reading a database needs an extra; install it: pip install 'krypsis[db]', or pip install -e '.[db]' in a "
            "clone"
        ) from error
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):  # the message of the library would show what was given, and so a password
        raise UsageError(
            "this is not the address of a database; expected one such as postgresql://user@host/name, "
            "mysql://user@host/name or sqlite:///file.db"
        ) from None
    return address.set(drivername=DRIVERS.get(address.drivername, address.drivername))


def _engine(address: "URL") -> "Engine":
    from sqlalchemy import create_engine  # noqa: PLC0415
    from sqlalchemy.exc import NoSuchModuleError  # noqa: PLC0415

    name = address.get_backend_name()
    if name == "sqlite" and not (address.database and Path(address.database).is_file()):
        raise UsageError(f"file {address.database or 'of the database'} not found; sqlite would make an empty one")
    try:
        return create_engine(address)
    except NoSuchModuleError:
        raise UsageError(f"{name!r} is not a database that can be read; known are postgresql, mysql, sqlite") from None
    except ModuleNotFoundError as error:
        raise UsageError(
            f"reading {name} needs the package {error.name}; install it, or pip install 'krypsis[db]'"
        ) from None


def _read(engine: "Engine", table: str, shown: str) -> pl.DataFrame:
    from sqlalchemy import MetaData, Table, inspect, select  # noqa: PLC0415
    from sqlalchemy.exc import NoSuchTableError, SQLAlchemyError  # noqa: PLC0415

    schema, _, name = table.rpartition(".")
    try:
        with engine.connect() as connection:
            try:
                source = Table(name, MetaData(), schema=schema or None, autoload_with=connection)
            except NoSuchTableError:
                found = inspect(connection)
                names = [*found.get_table_names(schema or None), *found.get_view_names(schema or None)]
                raise UsageError(f"there is no table {table!r} in {shown}.{did_you_mean(name, names)}") from None
            return pl.read_database(select(source), connection, infer_schema_length=None)
    except SQLAlchemyError as error:
        raise DataError(f"{shown} cannot be read: {_reason(error)}") from None


def _reason(error: Any) -> str:
    """Return what the database said, without the statement and its values."""
    return str(getattr(error, "orig", None) or error).strip().splitlines()[0][:LONGEST]
