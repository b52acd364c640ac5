"""Parquet files that DuckDB answers for."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from shutil import rmtree
from threading import Lock
from typing import TYPE_CHECKING, Any

import polars as pl

from krypsis.arrays import IntArray
from krypsis.errors import DataError, KrypsisError, OutputError, UsageError
from krypsis.io.memory import shown_bytes
from krypsis.io.scratch import ScratchFolder
from krypsis.io.sql.database import PART, SqlDatabase
from krypsis.io.sql.parquet_source import ParquetFiles
from krypsis.io.write import write_parquet

if TYPE_CHECKING:
    import duckdb

LEAST_MEMORY = 64 * 1024**2
"""DuckDB cannot work with less."""
DRIVER_SHARE = 2
"""DuckDB gets this part of the memory, the rest is for what comes back from it."""
QUOTED = str.maketrans({"'": "''"})


class DuckDBFiles(SqlDatabase):
    """A database in memory that holds nothing but a view of the files."""

    def __init__(self, source: ParquetFiles, memory: int) -> None:
        self._source = source
        self._scratch = ScratchFolder()
        self._numbers = count()
        self._lock = Lock()
        self._places = {name: place for place, name in enumerate(source.types)}
        self._memory = memory
        self._connection = _connected(self._scratch.path, max(memory // DRIVER_SHARE, LEAST_MEMORY))
        columns = ", ".join(f"c{place}" for place in self._places.values())
        # DuckDB does not distinguish "A" from "a": columns are called by their places.
        self._run(
            f"create view source({columns}) as select * from read_parquet([{', '.join(map(_text, source.paths))}], "  # noqa: S608
            "union_by_name = false, hive_partitioning = false, filename = false)"
        )

    @property
    def types(self) -> dict[str, pl.DataType]:
        return dict(self._source.types)

    @property
    def table(self) -> str:
        return "source"

    def column(self, name: str) -> str:
        return f"t.c{self._places[name]}"

    def is_nan(self, expression: str) -> str:
        return f"isnan({expression})"

    def zero(self, name: str) -> str:
        return f"cast(0 as {'float' if self.types[name] == pl.Float32 else 'double'})"

    def hash_of(self, expressions: Sequence[str]) -> str:
        return f"cast(hash({', '.join(expressions)}) >> 2 as bigint)"

    def query(self, statement: str) -> pl.DataFrame:
        # By way of a file: without another library DuckDB hands over rows one by one.
        path = self._new_path()
        try:
            self._run(f"copy ({statement}) to {_text(path)} (format parquet, compression uncompressed)")
            return pl.read_parquet(path, glob=False, memory_map=False)
        finally:
            path.unlink(missing_ok=True)

    def rows_of(self, columns: Iterable[str]) -> pl.DataFrame:
        return self._source.rows_of(list(columns))

    def sample_of(self, rows: IntArray, columns: Sequence[str]) -> pl.DataFrame:
        return self._source.sample_of(rows, columns)

    @contextmanager
    def uploaded(self, frame: pl.DataFrame, compared_with: str | None = None) -> Iterator[str]:  # noqa: ARG002  files keep types
        path = self._new_path()
        try:
            write_parquet(frame, path)
            yield f"read_parquet({_text(path)})"
        finally:
            path.unlink(missing_ok=True)

    def parts(self, statement: str, count: int) -> Iterator[pl.DataFrame]:
        folder = self._new_path()
        try:
            self._run(
                f"copy ({statement}) to {_text(folder)} "
                f"(format parquet, compression lz4, partition_by ({PART}), write_empty_file true)"
            )
            empty = self.query(f"select * exclude ({PART}) from ({statement}) limit 0")  # noqa: S608
            for number in range(count):
                files = sorted((folder / f"{PART}={number}").glob("*.parquet"))
                yield pl.concat([pl.read_parquet(path, glob=False) for path in files]) if files else empty
                for path in files:
                    path.unlink()
        finally:
            rmtree(folder, ignore_errors=True)

    def check_unchanged(self) -> None:
        self._source.check_unchanged()

    def close(self) -> None:
        self._connection.close()

    def _new_path(self) -> Path:
        with self._lock:
            return self._scratch.path / f"{next(self._numbers)}.parquet"

    def _run(self, statement: str) -> None:
        """Run a statement; each on a cursor of its own, so that several threads may ask."""
        import duckdb  # noqa: PLC0415  it is large

        try:
            with self._connection.cursor() as cursor:
                cursor.execute(statement)
        except duckdb.Error as error:
            self._source.check_unchanged()
            raise self._explained(error) from None

    def _explained(self, error: Exception) -> KrypsisError:
        """Return an error without the statement, whose paths and expressions say nothing to people."""
        import duckdb  # noqa: PLC0415

        reason = str(error).splitlines()[0]
        if _is_full(reason):
            return OutputError(
                f"there is no room left in {self._scratch.path.parent}, where larger tables are worked on: make room, "
                "or name another folder in the environment variable TMPDIR"
            )
        if isinstance(error, duckdb.OutOfMemoryException):
            return UsageError(
                f"{shown_bytes(self._memory)} of memory are too little for this table; allow more, or publish fewer "
                "columns"
            )
        return DataError(f"{self._source.name} cannot be worked on: {reason}")


def _is_full(reason: str) -> bool:
    """Whether what DuckDB says is about the disk, also where it calls that a lack of memory."""
    return any(sign in reason.lower() for sign in ("no space left", "offload", "max_temp_directory_size"))


def _connected(scratch: Path, memory: int) -> "duckdb.DuckDBPyConnection":
    import duckdb  # noqa: PLC0415  it is large

    settings: dict[str, Any] = {
        "memory_limit": f"{memory // 1024}KiB",
        "temp_directory": str(scratch),
        "threads": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        "preserve_insertion_order": False,  # the order of the input must not matter anyway
        # Nothing may be fetched from elsewhere, neither programs nor data.
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    return duckdb.connect(":memory:", config=settings)


def _text(path: Path) -> str:
    """Return a path as a text of SQL."""
    return f"'{str(path).translate(QUOTED)}'"
