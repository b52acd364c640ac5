"""Connecting to PostgreSQL, and what its driver says, without statements, passwords and values."""

import re
from typing import TYPE_CHECKING, Any

import polars as pl

from krypsis.errors import DataError, UsageError
from krypsis.io.sql.postgresql_address import PostgreSQLAddress

if TYPE_CHECKING:
    from adbc_driver_manager.dbapi import Connection

REASON = re.compile(r"(?:ERROR|FATAL):\s+(.*?)\s*(?:\n|\. SQLSTATE|$)", re.DOTALL)
QUOTES = re.compile(r'"[^"]*"')
VALUE_SHOWN = re.compile(r"invalid|out of range|overflow|too long|duplicate")
"""What is said where a value does not fit; names of tables and columns stay visible in other messages."""
LONGEST = 300
NO_RIGHT, READ_ONLY, DISK_FULL = "42501", "25006", "53100"


def connected(address: PostgreSQLAddress) -> "Connection":
    """Connect to a server.

    Raises
    ------
    UsageError
        if the driver is not installed.
    DataError
        if the server does not answer, or does not let us in; the message shows no password.
    """
    try:
        import adbc_driver_manager  # noqa: PLC0415  an extra
        import pyarrow  # noqa: ICN001, F401, PLC0415  the driver needs it to hand over rows bit by bit
        from adbc_driver_postgresql import dbapi  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise UsageError(
            f"working inside PostgreSQL needs the package {error.name}, of an extra; install it: "
            "pip install 'krypsis[postgresql]', or pip install -e '.[postgresql]' in a clone"
        ) from error
    try:
        connection: Connection = dbapi.connect(address.connection)
    except adbc_driver_manager.Error as error:
        raise DataError(
            f"{address.server} does not let us in: {reason_of(error)}; user and password come from the variables "
            "PGUSER and PGPASSWORD or from the file ~/.pgpass"
        ) from None
    return connection


def reason_of(error: Exception) -> str:
    """Return what the server said, without the statement, and without a value that it may quote."""
    text = str(error)
    found = REASON.search(text)
    reason = found[1] if found else text.removeprefix("IO: [libpq] Failed to connect: ")
    if VALUE_SHOWN.search(reason):
        reason = QUOTES.sub('"…"', reason)
    return " ".join(reason.split())[:LONGEST]


def ingestible(frame: pl.DataFrame) -> Any:
    """Return rows in the form that the driver reads; it knows times of day in microseconds only."""
    import pyarrow as pa  # noqa: PLC0415  an extra

    table = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
    if not any(dtype == pl.Time for dtype in frame.dtypes):
        return table
    fields = [one.with_type(pa.time64("us")) if pa.types.is_time64(one.type) else one for one in table.schema]
    return table.cast(pa.schema(fields))
