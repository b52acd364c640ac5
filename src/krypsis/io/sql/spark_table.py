"""A table of Spark: what a session answers for, in this process or on a cluster."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.errors import DataError, UsageError
from krypsis.io.frames import picked
from krypsis.io.paths import check_names
from krypsis.io.read import PARQUET
from krypsis.io.sql.database import PART, SqlDatabase
from krypsis.io.sql.spark_types import expression, polars_type, spark_schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SENT_TO_ALL = 64 * 1024**2
"""Tables of up to so many bytes are sent to all processes of Spark; larger ones are joined by sorting."""
ROW_BITS = 33
"""What Spark calls the place of a row in its partition takes so many bits, with the partition above them."""
LONGEST = 300
OTHER_FILES = (".csv", ".tsv", ".txt", ".xlsx")
"""Endings of files that others read: no rules of Spark would keep 01234 apart from 1234."""


@dataclass(frozen=True, eq=False)
class SparkSource:
    """A data frame of Spark, and how messages call it."""

    frame: "DataFrame"
    name: str

    @property
    def session(self) -> "SparkSession":
        """The session of the data frame."""
        return self.frame.sparkSession


class SparkTable(SqlDatabase):
    """Views of a session, which go when the connection ends. Only SQL is sent: workers need nothing of ours.

    No statement draws random numbers: a task that is repeated on another worker would draw others.
    """

    def __init__(self, source: SparkSource) -> None:
        self._session = source.session
        self._name = source.name
        self._views: set[str] = set()
        self._numbers = count()
        self._prefix = f"krypsis_{uuid4().hex}"
        fields = source.frame.schema.fields
        check_names([field.name for field in fields], source.name)
        self._places = {field.name: place for place, field in enumerate(fields)}
        self._kinds = {field.name: field.dataType for field in fields}
        # Spark does not distinguish "A" from "a": columns are called by their places.
        self._table = self._view(source.frame.toDF(*(f"c{place}" for place in self._places.values())))
        if not self.query(f"select 1 as one from {self._table} limit 1").height:  # noqa: S608
            self.close()
            raise DataError(f"{source.name} has columns and no rows; expected at least one record")

    @property
    def types(self) -> dict[str, pl.DataType]:
        return {name: polars_type(kind) for name, kind in self._kinds.items()}

    @property
    def table(self) -> str:
        return self._table

    def column(self, name: str) -> str:
        return expression(self._kinds[name], f"t.c{self._places[name]}")

    def is_nan(self, expression: str) -> str:
        return f"isnan({expression})"

    def zero(self, name: str) -> str:
        return f"cast(0 as {self._kinds[name].simpleString()})"

    def hash_of(self, expressions: Sequence[str]) -> str:
        return f"(xxhash64({', '.join(expressions)}) & 4611686018427387903)"

    def query(self, statement: str) -> pl.DataFrame:
        with self._errors_explained():
            return _to_polars(self._session.sql(statement))

    def rows_of(self, columns: Iterable[str]) -> pl.DataFrame:
        names = list(columns)
        different = list(dict.fromkeys(names))
        found = self.query(f"select {self._called(different)} from {self._table} t")  # noqa: S608
        return picked(self._typed(found, different), names)

    def sample_of(self, rows: IntArray, columns: Sequence[str]) -> pl.DataFrame:
        # A row number over the whole table would bring all rows to one process: partitions are counted first.
        place = "monotonically_increasing_id()"
        sizes = self.query(
            f"select p, count(*) as n from (select shiftright({place}, {ROW_BITS}) as p from {self._table}) group by p"  # noqa: S608
        ).sort("p")
        starts = sizes.select("p", start=pl.col("n").cum_sum() - pl.col("n"))
        names = list(columns)
        shown = ", ".join(f"c{number}" for number in range(len(names)))
        # The numbers are looked up here, so that the rows are found by comparing two whole numbers.
        ends = starts["start"].search_sorted(pl.Series(rows), side="right").to_numpy().astype(np.int64) - 1
        first, partition = starts["start"].to_numpy()[ends], starts["p"].cast(pl.Int64).to_numpy()[ends]
        with self.uploaded(pl.DataFrame({"i": (partition << ROW_BITS) + rows - first})) as wanted:
            found = self.query(
                f"select {shown}, e.i from (select {self._called(names)}, {place} as i from {self._table} t) e "  # noqa: S608
                f"join {wanted} w on e.i = w.i"
            ).sort("i")
        return self._typed(found, names)

    @contextmanager
    def uploaded(self, frame: pl.DataFrame, compared_with: str | None = None) -> Iterator[str]:  # noqa: ARG002
        from pyspark.sql.functions import broadcast  # noqa: PLC0415  an extra

        with self._errors_explained():
            table = sent_to(self._session, frame)
            view = self._view(broadcast(table) if frame.estimated_size() <= SENT_TO_ALL else table)
        try:
            yield view
        finally:
            self._drop(view)

    def parts(self, statement: str, count: int) -> Iterator[pl.DataFrame]:
        with self._errors_explained():
            rows = self._session.sql(statement)
            if count > 1:
                # Kept by the processes of Spark, on their disks where memory is short; parts that are lost with one of
                # them are made again from the table.
                rows = rows.repartition(count, PART).persist()
        try:
            for number in range(count):
                with self._errors_explained():
                    part = _to_polars(rows.where(f"{PART} = {number}") if count > 1 else rows)
                yield part
        finally:
            if count > 1:
                rows.unpersist()

    def check_unchanged(self) -> None:
        """Do nothing: Spark keeps no state of a table; whoever asks compares the numbers of rows."""

    def close(self) -> None:
        for view in list(self._views):
            self._drop(view)

    def _view(self, frame: "DataFrame") -> str:
        name = f"{self._prefix}_{next(self._numbers)}"
        frame.createOrReplaceTempView(name)
        self._views.add(name)
        return name

    def _drop(self, view: str) -> None:
        self._views.discard(view)
        if not _has_ended(self._session):
            self._session.catalog.dropTempView(view)

    def _called(self, names: Sequence[str]) -> str:
        return ", ".join(f"{self.column(name)} as c{place}" for place, name in enumerate(names))

    def _typed(self, found: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
        types = self.types
        return pl.DataFrame([found[f"c{place}"].cast(types[name]).rename(name) for place, name in enumerate(names)])

    @contextmanager
    def _errors_explained(self) -> Iterator[None]:
        """Turn errors of Spark into ours, without the traces of its processes."""
        with spark_errors(f"{self._name} cannot be worked on"):
            yield


@contextmanager
def spark_errors(what: str) -> Iterator[None]:
    """Turn errors of Spark into ours.

    Raises
    ------
    DataError
        saying ``what`` and the first line of the reason, which holds neither statements nor traces.
    """
    from py4j.protocol import Py4JError, Py4JNetworkError  # noqa: PLC0415  an extra
    from pyspark.errors import PySparkException  # noqa: PLC0415

    try:
        yield
    except Py4JNetworkError as error:
        raise DataError(f"{what}: the connection to Spark has ended; start again") from error
    except (Py4JError, PySparkException) as error:
        raise DataError(f"{what}: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    cause = getattr(error, "java_exception", None)
    text = str(cause.getMessage() if cause is not None else error).strip()
    return text.splitlines()[0][:LONGEST] if text else type(error).__name__


def _has_ended(session: "SparkSession") -> bool:
    context = getattr(session, "_jsc", None)
    return context is not None and bool(context.sc().isStopped())


def _to_polars(frame: "DataFrame") -> pl.DataFrame:
    found = pl.from_arrow(frame.toArrow())
    if not isinstance(found, pl.DataFrame):
        raise TypeError
    return found


def sent_to(session: "SparkSession", frame: pl.DataFrame) -> "DataFrame":
    """Send rows to Spark, which knows times of day in microseconds only."""
    import pyarrow as pa  # noqa: PLC0415  an extra

    table = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
    fields = [one.with_type(pa.time64("us")) if pa.types.is_time64(one.type) else one for one in table.schema]
    return session.createDataFrame(table.cast(pa.schema(fields)), spark_schema(frame))


def spark_source(data: Any, what: str) -> SparkSource:
    """Return a table in any form that is understood as a data frame of Spark.

    Parameters
    ----------
    data
        a data frame of Spark; the name of a table that the session knows; a path that its processes can read; or a
        table of another library, which is sent to Spark.
    what
        how messages call it.

    Raises
    ------
    UsageError
        if Spark is not installed.
    DataError
        if there is no such table, or Spark cannot read it.
    """
    if is_spark_frame(data):
        return SparkSource(data, what)
    if isinstance(data, str) and data.lower().endswith(OTHER_FILES):
        raise UsageError(
            f"the engine spark reads Parquet files and tables, and {Path(data).name} is neither; turn it into Parquet, "
            "or choose the engine duckdb"
        )
    session = spark_session()
    if isinstance(data, str):
        with spark_errors(f"{data} cannot be read"):
            frame = session.read.parquet(_absolute(data)) if is_path(data) else session.table(data)
            _ = frame.schema  # Spark Connect looks for the table now
        return SparkSource(frame, data.rstrip("/").rsplit("/", 1)[-1])
    from krypsis.io.frames import frame_of  # noqa: PLC0415

    with spark_errors(f"{what} cannot be sent to Spark"):
        return SparkSource(sent_to(session, frame_of(data, what)), what)


def _absolute(path: str) -> str:
    """Return a path as Spark finds it, which starts at the folder where its own process was started."""
    here = Path(path)
    is_ours = here.exists() or (any(sign in path for sign in "*?") and here.parent.exists())
    return str(here.absolute()) if is_ours else path


def is_spark_frame(data: object) -> bool:
    """Say whether data is a data frame of Spark, without importing Spark.

    Examples
    --------
    >>> is_spark_frame(pl.DataFrame({"age": [31]}))
    False
    """
    kinds = [(kind.__module__, kind.__name__) for kind in type(data).__mro__]
    return any(module.startswith("pyspark.sql.") and name == "DataFrame" for module, name in kinds)


def spark_session() -> "SparkSession":
    """Return the active session, else the one that Spark makes from its own configuration.

    That is where the address of a cluster or of a Spark Connect server stands: in ``SPARK_REMOTE``, in
    ``spark-defaults.conf`` or in ``PYSPARK_SUBMIT_ARGS``. Without any, Spark works in this machine.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        try:
            from pyspark.sql import SparkSession  # noqa: PLC0415  an extra
        except ModuleNotFoundError as error:
            raise UsageError(
                f"working with Spark needs the package {error.name}, of an extra; install it: "
                "pip install 'krypsis[spark]', or pip install -e '.[spark]' in a clone; and Java 17 or newer"
            ) from error
        active = SparkSession.getActiveSession()
        if active is not None:
            return active
        with spark_errors("Spark cannot be reached or started, by its own settings such as SPARK_REMOTE"):
            return SparkSession.builder.appName("krypsis").getOrCreate()


def is_path(text: str) -> bool:
    """Say whether a text is the path of files, and not the name of a table.

    Examples
    --------
    >>> is_path("s3a://clinic/visits"), is_path("visits.parquet"), is_path("clinic.visits")
    (True, True, False)
    """
    return "/" in text or Path(text).suffix.lower() in (*PARQUET, *OTHER_FILES)
