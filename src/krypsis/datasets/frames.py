"""Tables of other libraries as polars frames."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import polars as pl

from krypsis.errors import DataError, UsageError
from krypsis.io.names import check_names

ACCEPTED = (
    "a polars, pandas or pyarrow table, a duckdb relation, a Dataset, or the path of a CSV, Parquet or Excel file"
)


def to_polars(data: Any) -> pl.DataFrame:
    """Return a table as a polars frame, without the index of pandas.

    Raises
    ------
    UsageError
        if it is not a table.
    DataError
        if its columns cannot be told apart or their values not be converted.
    """
    if isinstance(data, pl.DataFrame):
        return data
    table = _recognize(data)
    check_names([str(name) for name in table.collect_schema().names()], "the table")
    try:
        eager = table.collect("polars") if isinstance(table, nw.LazyFrame) else table
        return eager.to_polars()
    except ModuleNotFoundError as error:
        raise UsageError(f"reading a {_kind(data)} needs {error.name}; install it: pip install {error.name}") from error
    except Exception as error:  # every library has its own errors for values that do not fit together
        raise DataError(_explanation(data, error)) from error


def _recognize(data: Any) -> nw.DataFrame[Any] | nw.LazyFrame[Any]:
    try:
        table: nw.DataFrame[Any] | nw.LazyFrame[Any] = nw.from_native(data)
    except nw.exceptions.DuplicateError as error:
        raise DataError(f"the table has columns with the same name: {_one_line(error)}; give each its own") from error
    except TypeError:
        raise UsageError(f"expected {ACCEPTED}; got {_kind(data)}") from None
    return table


def _explanation(data: Any, error: Exception) -> str:
    """Name the column that cannot be converted, where that can be found out."""
    for name in getattr(data, "columns", ()):
        try:
            nw.from_native(data[[name]]).to_polars()
        except Exception as reason:  # noqa: BLE001
            return f"column {name!r} cannot be read: {_one_line(reason)}; make all its values texts or all numbers"
    return f"the {_kind(data)} cannot be read: {_one_line(error)}"


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _kind(data: object) -> str:
    return f"{type(data).__module__}.{type(data).__qualname__}".removeprefix("builtins.")
