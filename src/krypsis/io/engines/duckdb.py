"""The DuckDB engine: Parquet and CSV files of any size, and tables of DuckDB, worked on in little memory."""

from typing import ClassVar

from krypsis.io.addresses import refuse_address
from krypsis.io.sql.duckdb_files import DuckDBFiles
from krypsis.io.sql.engine import SqlEngine
from krypsis.io.sql.parquet_source import ParquetFiles, parquet_files


class DuckDBEngine(SqlEngine):
    """Works on Parquet files; anything else becomes one first, in a folder that disappears with the engine."""

    name: ClassVar[str] = "duckdb"

    @classmethod
    def source_of(cls, data: object, what: str, **reading: str | None) -> ParquetFiles:
        refuse_address(data, cls.name)
        return parquet_files(data, what, **reading)

    @classmethod
    def connect(cls, source: ParquetFiles, memory: int) -> DuckDBFiles:
        return DuckDBFiles(source, memory)
