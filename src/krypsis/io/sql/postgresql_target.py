"""A release as a table of PostgreSQL: created, filled, compared and renamed in one transaction."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import polars as pl

from krypsis.errors import KrypsisError, OutputError, UsageError
from krypsis.io.sql.postgresql_address import PostgreSQLAddress, quoted
from krypsis.io.sql.postgresql_connection import DISK_FULL, NO_RIGHT, READ_ONLY, connected, ingestible, reason_of
from krypsis.io.targets import MARK, Frames, TableTarget, differs, not_ours, taken

if TYPE_CHECKING:
    from adbc_driver_manager.dbapi import Connection

TYPES: dict[pl.DataType, str] = {
    pl.Boolean(): "bool",
    pl.Int8(): "int2",
    pl.Int16(): "int2",
    pl.Int32(): "int4",
    pl.Int64(): "int8",
    pl.UInt8(): "int2",
    pl.UInt16(): "int4",
    pl.UInt32(): "int8",
    pl.UInt64(): "numeric(20)",
    pl.Float32(): "float4",
    pl.Float64(): "float8",
    pl.String(): "text",
    pl.Date(): "date",
    pl.Time(): "time",
    pl.Datetime("ms"): "timestamp",
    pl.Datetime("us"): "timestamp",
    pl.Datetime("ns"): "timestamp",
}
"""What PostgreSQL calls the types of published columns."""
LONGEST_NAME = 63
"""Bytes of a name; PostgreSQL would cut a longer one."""
SETTINGS = {
    "idle_in_transaction_session_timeout": "0",
    "lock_timeout": "'60s'",  # a reader of the table that is replaced may take longer
    "max_parallel_workers_per_gather": "0",  # rows come back in their order
    "synchronize_seqscans": "off",
}
EXISTS, IN_USE, DEPENDED_ON, NOT_THERE = "42P07", "55P03", "2BP01", "3F000"


class PostgreSQLTarget(TableTarget):
    """A table of a server.

    Everything happens in one transaction. A crash of either side ends it, so that the table is what it was before, or
    the new one, and nothing else is left behind.
    """

    def __init__(self, address: PostgreSQLAddress) -> None:
        if address.table is None:
            raise UsageError("a release is written to a table and not to a query; name the table: ?table=public.visits")
        self._address = address
        *schema, self._table = address.segments
        self._schema = ".".join(schema) or None
        self.name = f"{address.table} in {address.server}"
        if _too_long(self._table):
            raise UsageError(f"the name {self._table!r} is longer than {LONGEST_NAME} bytes; choose a shorter one")

    def check_free(self, *, force: bool) -> None:
        with self._transaction() as connection:
            self._refuse_taken(connection, self._checked_schema(connection), force=force)

    def put(self, types: Mapping[str, pl.DataType], frames: Frames, release_id: str, *, force: bool) -> None:
        if cut := [name for name in types if _too_long(name)]:
            raise OutputError(
                f"the name of the column {cut[0]!r:.80} is longer than {LONGEST_NAME} bytes, and PostgreSQL would cut "
                "it; choose a shorter one"
            )
        columns = ", ".join(f"{quoted(name)} {TYPES[dtype]}" for name, dtype in types.items())
        scratch = f"krypsis_{uuid4().hex}"
        with self._transaction() as connection:
            schema = self._checked_schema(connection)
            place, target = f"{quoted(schema)}.{scratch}", f"{quoted(schema)}.{quoted(self._table)}"
            self._refuse_taken(connection, schema, force=force)
            _run(connection, f"create table {place} ({columns})")
            with connection.cursor() as cursor:
                for frame in frames():
                    if frame.height:
                        cursor.adbc_ingest(scratch, ingestible(frame), mode="append", db_schema_name=schema)
            self._compare(connection, place, types, frames)
            _run(connection, f"comment on table {place} is '{MARK}{release_id}'")
            if self._refuse_taken(connection, schema, force=force):
                _run(connection, f"drop table {target}")
            _run(connection, f"alter table {place} rename to {quoted(self._table)}")
            connection.commit()

    def _checked_schema(self, connection: "Connection") -> str:
        """Return the schema of the table, in which the user may create one."""
        asked = "current_schema()" if self._schema is None else _text(self._schema)
        found = _query(connection, f"select nspname::text as name from pg_namespace where nspname = {asked}")  # noqa: S608
        if not found.height:
            where = "one to write to" if self._schema is None else repr(self._schema)
            raise OutputError(f"there is no schema {where} in {self._address.server}; create it, or name another")
        schema = str(found.item())
        if not _query(connection, f"select has_schema_privilege({_text(schema)}, 'create') as may").item():
            raise OutputError(
                f"the user may not create tables in the schema {schema!r} of {self._address.server}; grant the right "
                f"with: grant create on schema {quoted(schema)} to …"
            )
        return schema

    def _refuse_taken(self, connection: "Connection", schema: str, *, force: bool) -> bool:
        """Raise if something has the name of the table and may not be replaced; return whether there is a table."""
        found = _query(
            connection,
            "select c.relkind in ('r', 'p') as is_table, coalesce(obj_description(c.oid, 'pg_class'), '') as comment, "  # noqa: S608
            "pg_has_role(c.relowner, 'usage') as is_own from pg_class c join pg_namespace n on n.oid = c.relnamespace "
            f"where n.nspname = {_text(schema)} and c.relname = {_text(self._table)}",
        )
        if not found.height:
            return False
        is_table, comment, is_own = found.row(0)
        if not is_table or not comment.startswith(MARK):
            raise not_ours(self.name)
        if not force:
            raise taken(self.name)
        if not is_own:
            raise OutputError(f"the table {self.name} belongs to somebody else, who alone may replace it")
        return True

    def _compare(self, connection: "Connection", place: str, types: Mapping[str, pl.DataType], frames: Frames) -> None:
        """Raise unless the table holds the published rows, in their order."""
        shown = ", ".join(
            # Numbers beyond 64 bits with a sign come as text.
            f"{quoted(name)}{'::text' if dtype == pl.UInt64 else ''} as c{number}"
            for number, (name, dtype) in enumerate(types.items())
        )
        with connection.cursor() as cursor:
            cursor.execute(f"select {shown} from {place}")  # noqa: S608
            batches = (pl.DataFrame(batch) for batch in cursor.fetch_record_batch())
            waiting = pl.DataFrame()
            for frame in frames():
                while waiting.height < frame.height and (batch := next(batches, None)) is not None:
                    waiting = pl.concat([waiting, batch]) if waiting.height else batch
                there, waiting = waiting[: frame.height], waiting[frame.height :]
                if frame.height and not _typed(there, types).equals(frame):
                    raise differs(self.name)
            if waiting.height or next((one for one in batches if one.height), None) is not None:
                raise differs(self.name)

    @contextmanager
    def _transaction(self) -> Iterator["Connection"]:
        """Open a transaction, which is rolled back unless it is committed; errors of the driver become ours."""
        import adbc_driver_manager  # noqa: PLC0415  an extra
        import pyarrow as pa  # noqa: PLC0415

        connection = connected(self._address)
        try:
            for name, value in SETTINGS.items():
                _run(connection, f"set local {name} = {value}")
            yield connection
        except (adbc_driver_manager.Error, pl.exceptions.PolarsError, pa.ArrowException) as error:
            raise self._explained(error) from None
        finally:
            connection.close()

    def _explained(self, error: Exception) -> KrypsisError:
        state = str(getattr(error, "sqlstate", None) or "")
        where = self._address.server
        known = {
            EXISTS: str(taken(self.name)),
            IN_USE: f"the table {self.name} is in use, so that it cannot be replaced; try again later",
            DEPENDED_ON: f"the table {self.name} cannot be replaced: views or other objects depend on it; drop them, "
            "or choose another name",
            DISK_FULL: f"there is no room left on the disk of the server {where}: make room there",
            READ_ONLY: f"{where} is read-only; name the primary server rather than its copy",
            NO_RIGHT: f"the user has no right to write the table {self.name}: {reason_of(error)}",
        }
        return OutputError(known.get(state, f"the table {self.name} cannot be written: {reason_of(error)}"))


def _typed(there: pl.DataFrame, types: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Return rows as they came back in the types of the published columns."""
    if not there.width:
        return there
    return pl.DataFrame([column.cast(types[name]).rename(name) for column, name in zip(there, types, strict=True)])


def _too_long(name: str) -> bool:
    return len(name.encode()) > LONGEST_NAME


def _text(value: str) -> str:
    """Return a text as SQL quotes it."""
    escaped = value.replace("'", "''")
    return f"'{escaped}'"


def _run(connection: "Connection", statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def _query(connection: "Connection", statement: str) -> pl.DataFrame:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        found: Any = cursor.fetch_polars()
    return pl.DataFrame(found)
