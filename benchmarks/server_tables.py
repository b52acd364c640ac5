"""Tables of PostgreSQL and of Spark: their own statements that count, recode and write, against a whole run of ours."""

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.large_tables import SIZES, make, whole_run
from benchmarks.processes import cpu_seconds, parent_of
from benchmarks.results import Results
from krypsis.arrays import FloatArray

ROWS = 10_000_000
NAMES = ", ".join(SIZES)
LABELS = ", ".join(f"l_{name}.label as {name}" for name in SIZES)
JOINS = " ".join(f"join l_{name} on t.{name} = l_{name}.v" for name in SIZES)
SPARK = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.memory": "4g",
    "spark.driver.host": "127.0.0.1",
    "spark.log.level": "ERROR",
    "spark.sql.shuffle.partitions": "8",
}


def measure(results: Results) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "data")
        folder.mkdir()
        make(folder, ROWS)
        for name, target, place in (("postgresql", "1.5", _postgresql), ("spark", "2.2", _spark)):
            with place(folder) as found:
                _compare(results, name, target, found, Path(scratch))


@dataclass(frozen=True)
class Place:
    """Where a table lies, the bare statements about it, and the processes that work for both."""

    data: object
    bare: Callable[[], None]
    processes: tuple[int, ...]


def _compare(results: Results, name: str, target: str, place: Place, scratch: Path) -> None:
    """Measure our run between two runs of the bare statements, in CPU seconds of all processes and by the clock."""
    before = _cost(place.bare, place.processes)
    ours = _cost(lambda: whole_run(place.data, scratch / f"release of {name}"), place.processes)
    base = (before + _cost(place.bare, place.processes)) / 2
    results.add(f"{name} alone: count, recode, write", base[0], note=f"{base[1]:.1f} s by the clock")
    ratios = ours / base
    note = f"{ratios[0]:.2f} ×; by the clock {ours[1]:.1f} s, {ratios[1]:.2f} ×"
    results.add(f"{name}: whole run with search, order, files and checks", ours[0], f"{target} ×", note=note)


def _cost(work: Callable[[], None], processes: tuple[int, ...]) -> FloatArray:
    """Return the CPU seconds that work takes and those of the clock."""
    began = np.array([cpu_seconds(processes), time.perf_counter()])
    work()
    return np.array([cpu_seconds(processes), time.perf_counter()]) - began


@contextmanager
def _postgresql(folder: Path) -> Iterator[Place]:
    import adbc_driver_postgresql.dbapi as driver  # noqa: PLC0415
    import psycopg  # noqa: PLC0415

    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    from engines import places  # noqa: PLC0415  the server of the tests

    uri = places.postgresql()
    with driver.connect(uri.replace("postgres:@", "postgres@")) as connection, connection.cursor() as cursor:
        for file in sorted(folder.glob("*.parquet")):
            rows = pl.read_parquet(file).to_arrow(compat_level=pl.CompatLevel.oldest())
            cursor.adbc_ingest("visits", rows, mode="create_append")
        connection.commit()
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute("vacuum analyze visits")
        server = parent_of(connection.info.backend_pid)

    def bare() -> None:
        with psycopg.connect(uri) as connection:
            connection.execute("set work_mem = '64MB'")
            grouped = f"select {NAMES}, disease, count(*) from visits group by {NAMES}, disease"
            connection.execute(f"create unlogged table counts as {grouped}")
            for name in SIZES:
                distinct = f"select distinct {name} v, left({name}::text, -1) || '*' as label from visits"
                connection.execute(f"create unlogged table l_{name} as {distinct}")
                connection.execute(f"analyze l_{name}")
            connection.execute(f"create unlogged table release as select {LABELS}, disease from visits t {JOINS}")
            connection.rollback()

    yield Place(places.address("table=visits"), bare, (os.getpid(), server))


@contextmanager
def _spark(folder: Path) -> Iterator[Place]:
    from pyspark.sql import SparkSession  # noqa: PLC0415
    from pyspark.sql.functions import broadcast  # noqa: PLC0415

    building = SparkSession.builder.master("local[2]")
    for setting, value in SPARK.items():
        building = building.config(setting, value)
    session = building.getOrCreate()

    def bare() -> None:
        with tempfile.TemporaryDirectory() as out:
            session.read.parquet(str(folder)).createOrReplaceTempView("visits")
            grouped = f"select {NAMES}, disease, count(*) n from visits group by {NAMES}, disease"
            session.sql(grouped).write.parquet(f"{out}/counts")
            for name in SIZES:
                values = session.createDataFrame(session.sql(f"select distinct {name} v from visits").toArrow())
                text = "cast(v as string)"
                labels = values.selectExpr("v", f"concat(left({text}, length({text}) - 1), '*') label")
                broadcast(labels).createOrReplaceTempView(f"l_{name}")
            session.sql(f"select {LABELS}, disease from visits t {JOINS}").write.parquet(f"{out}/release")

    bare()  # the first job of a session is slow
    yield Place(session.read.parquet(str(folder)), bare, (os.getpid(),))
    session.stop()
