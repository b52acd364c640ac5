"""A release as a table that Spark knows: written under another name, compared, and renamed."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import polars as pl

from krypsis.errors import DataError, OutputError
from krypsis.io.private import short_hash
from krypsis.io.sql.spark_table import sent_to, spark_errors, spark_session
from krypsis.io.targets import MARK, Frames, TableTarget, differs, not_ours, taken

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

STORED_AS: dict[pl.DataType, pl.DataType] = {
    pl.UInt8(): pl.Int16(),
    pl.UInt16(): pl.Int32(),
    pl.UInt32(): pl.Int64(),
    pl.UInt64(): pl.Decimal(20, 0),
    pl.Datetime("ms"): pl.Datetime("us"),
    pl.Datetime("ns"): pl.Datetime("us"),
}
"""What published columns become whose types Spark does not have."""


class SparkTarget(TableTarget):
    """A table of a session's catalog, in Parquet files with one file for each part of the release.

    Catalogs cannot let two tables change places: while a release replaces another, the old one has a name of its own
    for a moment. Whoever writes to the same table after a crash brings it back first.
    """

    def __init__(self, table: str) -> None:
        self.name = table
        *database, last = [part.strip("`") for part in table.split(".")]
        mark = short_hash(last)
        self._table, self._new, self._old = (
            ".".join(_quoted(part) for part in (*database, name))
            for name in (last, f"krypsis_new_{mark}", f"krypsis_old_{mark}")
        )

    def check_free(self, *, force: bool) -> None:
        with self._errors():
            session = spark_session()
            self._settle(session)
            self._refuse_taken(session, force=force)

    def put(self, types: Mapping[str, pl.DataType], frames: Frames, release_id: str, *, force: bool) -> None:
        with self._errors():
            session = spark_session()
            self._settle(session)
            self._refuse_taken(session, force=force)
            expected = self._write(session, types, frames)
            if _checksum(session.table(self._new)) != expected:
                raise differs(self.name)
            session.sql(f"comment on table {self._new} is '{MARK}{release_id}'")
            replaces = self._refuse_taken(session, force=force)
            if replaces:
                session.sql(f"alter table {self._table} rename to {self._old}")
            session.sql(f"alter table {self._new} rename to {self._table}")
            if replaces:
                session.sql(f"drop table {self._old}")

    def _write(self, session: "SparkSession", types: Mapping[str, pl.DataType], frames: Frames) -> tuple[int, int]:
        """Write the parts one after the other; return the number of rows and the sum of their hashes."""
        rows, total = 0, 0
        for frame in frames():
            stored = pl.DataFrame(
                [column.cast(STORED_AS.get(types[column.name], types[column.name])) for column in frame]
            )
            # One file, so that its rows stay in their order.
            part = sent_to(session, stored).coalesce(1)
            part.write.mode("append").format("parquet").saveAsTable(self._new)
            count, hashes = _checksum(part)
            rows, total = rows + count, total + hashes
        return rows, total

    def _settle(self, session: "SparkSession") -> None:
        """Clear away what a crash has left: rows that were not all written, and a table that had to make room."""
        session.sql(f"drop table if exists {self._new}")
        if not session.catalog.tableExists(self._old):
            return
        if session.catalog.tableExists(self._table):
            session.sql(f"drop table {self._old}")
        else:
            session.sql(f"alter table {self._old} rename to {self._table}")

    def _refuse_taken(self, session: "SparkSession", *, force: bool) -> bool:
        """Raise if the table exists and may not be replaced; return whether it exists."""
        if not session.catalog.tableExists(self._table):
            return False
        if not (session.catalog.getTable(self._table).description or "").startswith(MARK):
            raise not_ours(self.name)
        if not force:
            raise taken(self.name)
        return True

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            with spark_errors(f"the table {self.name} cannot be written"):
                yield
        except DataError as error:
            raise OutputError(str(error)) from error


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


def _checksum(frame: "DataFrame") -> tuple[int, int]:
    """Return the number of rows and the sum of their hashes, which no order changes."""
    columns = ", ".join(_quoted(name) for name in frame.columns)
    found = frame.selectExpr(f"cast(xxhash64({columns}) as decimal(20, 0)) as h").selectExpr(
        "count(*) as n", "cast(coalesce(sum(h), 0) as string) as s"
    )
    rows, total = found.first() or (0, "0")
    return int(rows), int(total)
