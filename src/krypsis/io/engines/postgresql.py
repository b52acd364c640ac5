"""The PostgreSQL engine: a table of a server, or a query there; only counts and published columns leave it."""

from dataclasses import replace
from typing import ClassVar

from krypsis.errors import UsageError
from krypsis.io.sql.engine import SqlEngine
from krypsis.io.sql.postgresql_address import EXPECTED, PostgreSQLAddress, is_postgresql
from krypsis.io.sql.postgresql_table import PostgreSQLTable
from krypsis.io.sql.postgresql_target import PostgreSQLTarget
from krypsis.io.targets import TableTarget


class PostgreSQLEngine(SqlEngine):
    """Works on the server, in one transaction that sees the table as it is when the engine is made."""

    name: ClassVar[str] = "postgresql"

    @classmethod
    def source_of(cls, data: object, what: str, **reading: str | None) -> PostgreSQLAddress:
        cls.check_no_file(reading)
        if isinstance(data, PostgreSQLAddress):
            return data
        if not isinstance(data, str) or not is_postgresql(data):
            raise UsageError(f"the engine postgresql works on tables of a server and not on {what}; {EXPECTED}")
        return PostgreSQLAddress.of(data)

    @classmethod
    def takes(cls, data: object) -> bool:
        return is_postgresql(data)

    @classmethod
    def target(cls, table: str, source: object) -> TableTarget:
        if is_postgresql(table):
            return PostgreSQLTarget(PostgreSQLAddress.of(table))
        return PostgreSQLTarget(replace(cls.source_of(source, "the data"), table=table, query=None))

    @classmethod
    def connect(cls, source: PostgreSQLAddress, memory: int) -> PostgreSQLTable:  # noqa: ARG003  the server has its own
        return PostgreSQLTable(source)
