"""A table of PostgreSQL, or a query there."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from threading import RLock
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import polars as pl

from krypsis.arrays import IntArray
from krypsis.errors import DataError, KrypsisError, OutputError, UsageError, did_you_mean
from krypsis.io.frames import picked
from krypsis.io.paths import check_names
from krypsis.io.sql.database import PART, VALUE, SqlDatabase
from krypsis.io.sql.postgresql_address import PostgreSQLAddress, quoted
from krypsis.io.sql.postgresql_connection import DISK_FULL, READ_ONLY, connected, ingestible, reason_of
from krypsis.io.sql.postgresql_types import ColumnType

if TYPE_CHECKING:
    from adbc_driver_manager.dbapi import Connection, Cursor

UPLOADED = {pl.Int16: "int2", pl.Int32: "int4", pl.Int64: "int8", pl.String: 'text collate "C"'}
"""The types of columns that are uploaded and not compared with a column of the table."""
NUMBER = "i"
"""What the number of a row is called."""
ENDLESS = {pl.Date: 2_100_000_000, pl.Datetime: 9_000_000_000_000_000_000}
"""Days and microseconds that no date is away from 1970: beyond them lie 'infinity' and '-infinity'."""
NO_TABLE, CANCELED = "42P01", "57014"
SETTINGS = {
    "idle_in_transaction_session_timeout": "0",  # a search takes its time
    "synchronize_seqscans": "off",  # rows that are collected keep their order
    "timezone": "'UTC'",
    "work_mem": "'64MB'",  # the usual 4 MB would send every join to the disk
}

log = logging.getLogger(__name__)


class PostgreSQLTable(SqlDatabase):
    """One connection with one transaction, which sees the table as it was when it began and is always rolled back.

    Small tables are created in a schema of that transaction: nobody else ever sees them, and none of them stays,
    however the process ends. Temporary tables would forbid parallel plans; they are used where the user may not create
    a schema.
    """

    def __init__(self, address: PostgreSQLAddress) -> None:
        self._address = address
        self._lock = RLock()
        self._numbers = count()
        self._connection: Connection | None = connected(address)
        try:
            self._schema = self._begin()
            self._columns = self._described()
            self._check_rows()
        except BaseException:
            self.close()
            raise

    @property
    def types(self) -> dict[str, pl.DataType]:
        return {name: kind.polars for name, kind in self._columns.items()}

    @property
    def table(self) -> str:
        return self._scratch("source")

    def column(self, name: str) -> str:
        return self._columns[name].expression(f"t.{quoted(name)}")

    def is_nan(self, expression: str) -> str:
        return f"{expression} = 'NaN'"

    def zero(self, name: str) -> str:
        return f"cast(0 as {self._columns[name].name})"

    def hash_of(self, expressions: Sequence[str]) -> str:
        return f"(hashtextextended(row({', '.join(expressions)})::text, 0) & 4611686018427387903)"

    def query(self, statement: str) -> pl.DataFrame:
        with self._cursor() as cursor:
            cursor.execute(statement)
            return _finite(cursor.fetch_polars())

    def rows_of(self, columns: Iterable[str]) -> pl.DataFrame:
        names = list(columns)
        different = list(dict.fromkeys(names))
        shown = ", ".join(f"{self.column(name)} as c{place}" for place, name in enumerate(different))
        found = self.query(f"select {shown} from {self.table} t")  # noqa: S608
        return picked(self._typed(found, different), names)

    def sample_of(self, rows: IntArray, columns: Sequence[str]) -> pl.DataFrame:
        names = list(columns)
        places = ", ".join(f"s.c{place}" for place in range(len(names)))
        shown = ", ".join(f"{self.column(name)} as c{place}" for place, name in enumerate(names))
        self._run("set local max_parallel_workers_per_gather = 0")  # so that rows have the same numbers each time
        try:
            with self.uploaded(pl.DataFrame({NUMBER: rows})) as wanted:
                found = self.query(
                    f"select {places}, s.{NUMBER} from (select {shown}, row_number() over () - 1 as {NUMBER} "  # noqa: S608
                    f"from {self.table} t) s join {wanted} w on s.{NUMBER} = w.{NUMBER}"
                )
        finally:
            self._run("set local max_parallel_workers_per_gather to default")
        return self._typed(found.sort(NUMBER), names)

    @contextmanager
    def uploaded(self, frame: pl.DataFrame, compared_with: str | None = None) -> Iterator[str]:
        with self._lock:
            name = f"m{next(self._numbers)}"
        table = self._scratch(name)
        kinds = [self._kind(column, compared_with) for column in frame]
        columns = ", ".join(f"{quoted(one)} {kind}" for one, kind in zip(frame.columns, kinds, strict=True))
        with self._cursor() as cursor:
            cursor.execute(f"create {'unlogged' if self._schema else 'temporary'} table {table} ({columns})")
            if frame.height:
                cursor.adbc_ingest(name, ingestible(frame), mode="append", **self._target())
            cursor.execute(f"analyze {table}")
        yield table
        # Not after an error: the transaction has ended then, and the table with it.
        with self._cursor() as cursor:
            cursor.execute(f"drop table {table}")

    def parts(self, statement: str, count: int) -> Iterator[pl.DataFrame]:
        order = f" order by {PART}" if count > 1 else ""
        with self._cursor() as cursor:
            cursor.execute(f"select * from ({statement}) s{order}")  # noqa: S608
            reader = cursor.fetch_record_batch()
            empty = pl.DataFrame(reader.schema.empty_table())
            frames = (_finite(pl.DataFrame(batch)) for batch in reader)
            yield from _by_part(frames, empty, count)

    def check_unchanged(self) -> None:
        """Do nothing: the transaction sees the table as it was when it began."""

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()  # which rolls back
                self._connection = None

    def _begin(self) -> str | None:
        """Begin the transaction; return the schema for small tables, or none where only temporary ones may be made."""
        self._run("set transaction isolation level repeatable read")
        for name, value in SETTINGS.items():
            self._run(f"set local {name} = {value}")
        may = "select has_database_privilege(current_database(), 'create') as may"
        if self.query(may).item():
            schema = f"krypsis_{uuid4().hex}"
            self._run(f"create schema {schema}")
            return schema
        log.warning(
            "the user may not create a schema in %s: temporary tables are used instead, and the server works with one "
            "process; grant the right with: grant create on database",
            self._address.server,
        )
        return None

    def _described(self) -> dict[str, ColumnType]:
        kind = "" if self._schema else "temporary "
        try:
            self._run(f"create {kind}view {self.table} as select * from {self._address.relation}")  # noqa: S608
        except _RefusedError as refused:
            if refused.state == NO_TABLE and self._address.table:
                raise self._no_table() from None
            raise
        found = self.query(
            "select a.attname::text as name, b.typname::text as kind, "  # noqa: S608
            "case when y.typtype = 'd' then y.typtypmod else a.atttypmod end as modifier from pg_attribute a "
            "join pg_type y on y.oid = a.atttypid join pg_type b on b.oid = "
            "case when y.typtype = 'd' then y.typbasetype else y.oid end "
            f"where a.attrelid = '{self.table}'::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum"
        )
        columns = {name: ColumnType(kind, modifier) for name, kind, modifier in found.rows()}
        check_names(list(columns), self._address.name)
        unscaled = [name for name, kind in columns.items() if kind.needs_scale]
        if unscaled:
            scales = ", ".join(f"max(scale({quoted(name)})) as s{place}" for place, name in enumerate(unscaled))
            places = self.query(f"select {scales} from {self.table}").row(0)  # noqa: S608
            columns |= {
                name: ColumnType(columns[name].name, scale=place) for name, place in zip(unscaled, places, strict=True)
            }
        return columns

    def _check_rows(self) -> None:
        if not self.query(f"select 1 as one from {self.table} t limit 1").height:  # noqa: S608
            raise DataError(f"{self._address.name} has columns and no rows; expected at least one record")

    def _no_table(self) -> UsageError:
        if self._connection is not None:
            self._connection.rollback()
        known = self.query(
            "select n.nspname || '.' || c.relname as name from pg_class c "
            "join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'v', 'm', 'p', 'f') "
            "and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'"
        )["name"].to_list()
        names = [*known, *(name.removeprefix("public.") for name in known if name.startswith("public."))]
        table = str(self._address.table)
        return UsageError(f"there is no table {table!r} in {self._address.server}.{did_you_mean(table, names)}")

    def _scratch(self, name: str) -> str:
        return f"{self._schema or 'pg_temp'}.{name}"

    def _target(self) -> dict[str, Any]:
        return {"db_schema_name": self._schema} if self._schema else {"temporary": True}

    def _kind(self, column: pl.Series, compared_with: str | None) -> str:
        if column.name == VALUE and compared_with is not None:
            return self._columns[compared_with].sent_as
        return UPLOADED[type(column.dtype)]

    def _typed(self, found: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
        return pl.DataFrame(
            [found[f"c{place}"].cast(self.types[name]).rename(name) for place, name in enumerate(names)]
        )

    def _run(self, statement: str) -> None:
        with self._cursor() as cursor:
            cursor.execute(statement)

    @contextmanager
    def _cursor(self) -> Iterator["Cursor"]:
        """Open a cursor for as long as the context lasts; errors of the driver become ours."""
        import adbc_driver_manager  # noqa: PLC0415  an extra
        import pyarrow as pa  # noqa: PLC0415

        with self._lock:
            if self._connection is None:
                raise DataError(f"the connection to {self._address.server} has ended; start again")
            try:
                with self._connection.cursor() as cursor:
                    yield cursor
            except (adbc_driver_manager.Error, pl.exceptions.PolarsError, pa.ArrowException, OSError) as error:
                raise self._explained(error) from None

    def _explained(self, error: Exception) -> KrypsisError:
        state, reason = str(getattr(error, "sqlstate", None) or ""), reason_of(error)
        where = self._address.server
        if state == DISK_FULL:
            return OutputError(f"there is no room left on the disk of the server {where}: make room there")
        if state == READ_ONLY:
            return UsageError(
                f"{where} is read-only, so that no small tables can be made there for the time of the run; name the "
                "primary server rather than its copy"
            )
        if state == CANCELED:
            return DataError(f"{where} has canceled a statement: {reason}")
        return _RefusedError(f"{self._address.name} in {where} cannot be worked on: {reason}", state)


class _RefusedError(DataError):
    """What the server said, with the code of SQL for it."""

    def __init__(self, message: str, state: str) -> None:
        super().__init__(message)
        self.state = state


def _finite(frame: pl.DataFrame) -> pl.DataFrame:
    """Return rows after making sure that none has a date that no other system knows."""
    for column in frame:
        limit = ENDLESS.get(type(column.dtype))
        if limit is None or not column.len():
            continue
        numbers = column.to_physical().cast(pl.Int64)
        low, high = numbers.min(), numbers.max()
        if low is not None and (low < -limit or high > limit):  # type: ignore[operator]
            raise DataError(
                "a column of dates or times holds 'infinity', which has no place in a table that is published; select "
                "null or a date in its place, with query= in the address"
            )
    return frame


def _by_part(frames: Iterable[pl.DataFrame], empty: pl.DataFrame, count: int) -> Iterator[pl.DataFrame]:
    """Yield one frame per part from rows that come in the order of their parts."""
    waiting: list[pl.DataFrame] = [empty]
    current = 0
    for frame in frames:
        rest = frame
        while rest.height:
            number = int(rest[PART][0])
            while current < number:
                yield pl.concat(waiting)
                waiting, current = [empty], current + 1
            size = rest.height if rest[PART][-1] == number else int(rest[PART].search_sorted(number, side="right"))
            waiting.append(rest[:size])
            rest = rest[size:]
    for _ in range(current, count):
        yield pl.concat(waiting)
        waiting = [empty]
