"""A dataset: a handle to one table, with its name and the engine that works where the table lies."""

import os
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from krypsis.arrays import IntArray
from krypsis.data.random_order import random_rows
from krypsis.errors import DataError, UsageError, column_not_found
from krypsis.io.addresses import is_address
from krypsis.io.engines import engine_for, find_engine, is_pattern
from krypsis.io.engines.base import Engine
from krypsis.io.frames import Collectable, native
from krypsis.io.read import TEXT
from krypsis.io.texts import PLAIN, text_of

SEED_BYTES = 32
BY_COUNTS = "choose a method that works on counts"


class Dataset(Collectable):
    """A table with at least one record and columns of different names.

    Asking for its columns, types and number of records brings no rows into memory; only methods whose names begin with
    ``collect`` do. Everything else is asked of its ``engine``.

    Examples
    --------
    >>> dataset = Dataset.of(pl.DataFrame({"age": [34, None]}))
    >>> dataset
    Dataset('table', engine='memory')
    >>> dataset.columns, dataset.rows, dataset.engine.distinct("age")
    (['age'], 2, ['34', None])
    """

    def __init__(
        self,
        source: Any,
        name: str,
        path: Path | None = None,
        engine: str | type[Engine] = "memory",
        memory: int | None = None,
    ) -> None:
        """Make a handle of what an engine works on: for the memory engine, a polars frame."""
        self._engine = _class_of(engine)(source, memory)
        self._name = name
        self._path = path
        self.sample_seed = secrets.token_hex(SEED_BYTES)
        """What samples follow from; nobody else may know it."""
        self._sample: tuple[tuple[str, int, list[str]], Dataset] | None = None
        """The sample that was taken last, as several ask for the same one."""

    @classmethod
    def of(
        cls,
        data: object,
        what: str = "the table",
        engine: str | type[Engine] | None = None,
        memory: int | None = None,
        reading: Mapping[str, str | None] | None = None,
    ) -> "Dataset":
        """Return the dataset of a frame, file or table of a database; the object given is never changed.

        Parameters
        ----------
        data
            a dataset; a polars, pandas or pyarrow table; a duckdb relation; a data frame of Spark; a frame of narwhals
            with one of these inside; the path of a CSV,
            Parquet or Excel file, or of many Parquet files (``visits/*.parquet``); the address of a table in
            PostgreSQL. The index of a pandas table is not part of the data.
        what
            how messages call it.
        engine
            the engine that works on it, by name, or its class; unless given, the one that :func:`engine_for` chooses.
            A dataset keeps the one it has.
        memory
            how many bytes the engine may take; half of what there is unless given.
        reading
            how to read a file where the usual guess fails: ``delimiter``, ``encoding``, ``sheet``.

        Raises
        ------
        UsageError
            if it is something else.
        DataError
            if it has no records, or columns without a name of their own.
        """
        if isinstance(data, Dataset):
            return data
        data = native(data)
        chosen = engine_for(data, memory) if engine is None else _class_of(engine)
        source = chosen.source_of(data, what, **(reading or {}))
        if not isinstance(data, str | os.PathLike):
            return cls(source, "table", None, chosen, memory)
        path = Path(data)
        if is_address(data) or not (path.exists() or is_pattern(path)):  # a table that a database or Spark knows
            return cls(source, source.name, None, chosen, memory)
        return cls(source, path.name, path, chosen, memory)

    @property
    def name(self) -> str:
        """The name of the file or of the table in its database, else ``table``."""
        return self._name

    @property
    def path(self) -> Path | None:
        """Where it was read from, if from a file."""
        return self._path

    @property
    def engine(self) -> Engine:
        """What counts, groups and rewrites the table where it lies."""
        return self._engine

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in their order."""
        return self._engine.columns

    @property
    def types(self) -> dict[str, pl.DataType]:
        """The type of each column."""
        return self._engine.types

    @property
    def rows(self) -> int:
        """The number of records."""
        return self._engine.rows

    @property
    def is_text(self) -> bool:
        """Whether it was read from a file that has no types, such as CSV."""
        return Path(self._name).suffix.lower() in TEXT

    def collect(self, columns: Iterable[str] | None = None) -> pl.DataFrame:
        """Bring the rows into memory, all columns or some; names are taken exactly, never as patterns."""
        return self._engine.collect(columns)

    def collect_column(self, column: str) -> pl.Series:
        """Bring one column into memory."""
        return self.collect([column]).get_column(column)

    def collect_texts(self, column: str) -> pl.Series:
        """Bring a column into memory as text; see :func:`krypsis.io.texts.text_of`.

        Raises
        ------
        ColumnError
            if there is no such column.
        DataError
            if the column holds lists, structs or bytes, which have no text.
        """
        if column not in self.columns:
            raise column_not_found(column, self.columns)
        return text_of(self.collect_column(column)).rename(PLAIN)

    def in_memory(self, why: str, columns: Iterable[str] | None = None, otherwise: str = BY_COUNTS) -> "Dataset":
        """Return the dataset with its rows in memory, all columns or some, for what cannot be done where they lie.

        ``otherwise`` is what can be done where they do not fit and there is no more memory.

        Raises
        ------
        UsageError
            if they do not fit there, with the reason why they are needed.
        """
        if not self._engine.keeps_rows:
            return self
        try:
            return self.with_rows(self.collect(columns))
        except UsageError as error:
            raise UsageError(f"{why} needs the rows in memory: {error}, or {otherwise}") from error

    def sampled(self, most: int, columns: Iterable[str] | None = None, seed: str | None = None) -> "Dataset":
        """Return at most so many records in memory, a random sample; all of a table whose rows are there.

        Of a table whose rows are elsewhere only the ``columns`` are brought here, all of them unless given. The sample
        follows from the ``seed``, :attr:`sample_seed` unless given, and is the same wherever the table lies.
        """
        if not self._engine.keeps_rows:
            return self
        wanted = seed or self.sample_seed, most, self.columns if columns is None else list(columns)
        if self._sample is None or self._sample[0] != wanted:
            rows = random_rows(wanted[0], self.rows, most)
            self._sample = wanted, self.with_rows(self._engine.collect_sample(rows, wanted[2]))
        return self._sample[1]

    def with_rows(self, rows: pl.DataFrame) -> "Dataset":
        """Return other rows, which are in memory, under the name of this dataset."""
        return Dataset(rows, self._name, self._path)

    def __repr__(self) -> str:
        # Rows and figures of data that is not published must not show by accident.
        return f"Dataset({self._name!r}, engine={self._engine.name!r})"


def _class_of(engine: str | type[Engine]) -> type[Engine]:
    return find_engine(engine) if isinstance(engine, str) else engine


def persons_in(dataset: Dataset, column: str) -> IntArray:
    """Return whom each record belongs to, by number.

    Raises
    ------
    DataError
        if the column does not say it of every record.

    Examples
    --------
    >>> persons_in(Dataset.of(pl.DataFrame({"who": ["b", "a", "b"]})), "who")
    array([2, 1, 2])
    """
    texts = dataset.collect_texts(column)
    if missing := texts.null_count():
        raise DataError(
            f"column {column!r} does not say of {missing} record(s) whom they belong to; leave these records out, or "
            "complete the column"
        )
    return texts.rank("dense").cast(pl.Int64).to_numpy()
