"""The Spark engine: a data frame, a table or Parquet files that Spark works on, in this machine or on a cluster."""

from os import PathLike, fspath
from typing import ClassVar

from krypsis.io.sql.engine import SqlEngine
from krypsis.io.sql.spark_table import SparkSource, SparkTable, is_path, is_spark_frame, spark_source
from krypsis.io.sql.spark_target import SparkTarget
from krypsis.io.targets import TableTarget


class SparkEngine(SqlEngine):
    """Sends SQL to a session of Spark; its workers need nothing of ours."""

    name: ClassVar[str] = "spark"

    @classmethod
    def source_of(cls, data: object, what: str, **reading: str | None) -> SparkSource:
        cls.check_no_file(reading)
        return spark_source(fspath(data) if isinstance(data, PathLike) else data, what)

    @classmethod
    def takes(cls, data: object) -> bool:
        return is_spark_frame(data)

    @classmethod
    def knows_by_name(cls, text: str) -> bool:
        return not is_path(text)

    @classmethod
    def target(cls, table: str, source: object) -> TableTarget:  # noqa: ARG003  the session knows its tables
        return SparkTarget(table)

    @classmethod
    def connect(cls, source: SparkSource, memory: int) -> SparkTable:  # noqa: ARG003  Spark has its own
        return SparkTable(source)
