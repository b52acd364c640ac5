"""The types of Spark: what polars calls them, and the expression in which their values reach us unchanged."""

from typing import TYPE_CHECKING

import polars as pl

from krypsis.errors import DataError

if TYPE_CHECKING:
    from pyspark.sql.types import DataType, StructType

SAME: dict[str, pl.DataType] = {
    "tinyint": pl.Int8(),
    "smallint": pl.Int16(),
    "int": pl.Int32(),
    "bigint": pl.Int64(),
    "float": pl.Float32(),
    "double": pl.Float64(),
    "boolean": pl.Boolean(),
    "string": pl.String(),
    "date": pl.Date(),
    "timestamp": pl.Datetime("us", "UTC"),
    "timestamp_ntz": pl.Datetime("us"),
    "binary": pl.Binary(),
    "void": pl.Null(),
}
"""Types without parameters that reach us as they are, by their names in SQL."""
BINARY = "UTF8_BINARY"
"""The collation that compares texts byte by byte."""


def polars_type(kind: "DataType") -> pl.DataType:
    """Return what polars calls a type; whatever polars has no type for is text."""
    from pyspark.sql import types  # noqa: PLC0415  an extra

    if isinstance(kind, types.DecimalType):
        return pl.Decimal(kind.precision, kind.scale)
    if isinstance(kind, types.DayTimeIntervalType):
        return pl.Duration("us")
    if isinstance(kind, types.ArrayType) and is_sent_as_it_is(kind.elementType):
        return pl.List(polars_type(kind.elementType))
    if type(kind).__name__ == "TimeType":  # since Spark 4.1
        return pl.Time()
    return SAME.get(kind.simpleString(), pl.String())


def is_sent_as_it_is(kind: "DataType") -> bool:
    """Say whether values of a type need no change to reach us."""
    return polars_type(kind) != pl.String() or kind.simpleString() == "string"


def expression(kind: "DataType", column: str) -> str:
    """Return the values of a column so that they reach us, and equal ones are equal."""
    if is_sent_as_it_is(kind):
        return column
    text = f"cast({column} as string)"
    return f"{text} collate {BINARY}" if kind.simpleString().startswith("string collate") else text


def spark_schema(frame: pl.DataFrame) -> "StructType":
    """Return the columns of a frame with the types that Spark has for them.

    Raises
    ------
    DataError
        if it has none for a column.
    """
    from pyspark.sql.types import StructField, StructType  # noqa: PLC0415  an extra

    return StructType([StructField(name, _spark_type(dtype, name)) for name, dtype in frame.schema.items()])


def _spark_type(dtype: pl.DataType, name: str) -> "DataType":
    from pyspark.sql import types  # noqa: PLC0415  an extra

    if isinstance(dtype, pl.Decimal):
        return types.DecimalType(dtype.precision, dtype.scale)
    if isinstance(dtype, pl.List):
        return types.ArrayType(_spark_type(dtype.inner, name))  # type: ignore[arg-type]
    if dtype == pl.Duration("us"):
        return types.DayTimeIntervalType()
    if dtype == pl.Time and hasattr(types, "TimeType"):
        return types.TimeType()
    text = next((text for text, known in SAME.items() if known == dtype), None)
    if text is None:
        raise DataError(f"column {name!r} holds {dtype}, for which Spark has no type; cast it first")
    return types.DataType.fromDDL(text)
