"""Tables of other libraries, and files, as polars frames; and the columns of a frame by their exact names."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from krypsis.errors import DataError, UsageError
from krypsis.io.paths import check_names
from krypsis.io.read import read_table
from krypsis.io.texts import PLAIN

if TYPE_CHECKING:
    import narwhals as nw

ACCEPTED = (
    "a polars, pandas or pyarrow table, a duckdb relation, a Dataset, or the path of a CSV, Parquet or Excel file"
)


class Collectable(ABC):
    """A table of ours that may lie anywhere."""

    @abstractmethod
    def collect(self) -> pl.DataFrame:
        """Bring the rows into memory."""


def frame_of(data: object, what: str = "the table") -> pl.DataFrame:
    """Return the rows of a table in any form, or of a file; the object given is never changed.

    Raises
    ------
    UsageError
        if it is something else.
    DataError
        if it has no records, or columns without a name of their own.

    Examples
    --------
    >>> frame_of(pl.LazyFrame({"age": [31]})).rows()
    [(31,)]
    """
    if isinstance(data, str | os.PathLike):
        return read_table(Path(data))
    frame = to_polars(data)
    if not isinstance(data, Collectable):
        check_names(frame.columns, what)
        if not frame.height:
            raise DataError(f"{what} has no rows; expected at least one record")
    return frame


def to_polars(data: Any) -> pl.DataFrame:
    """Return a table as a polars frame, without the index of pandas.

    Raises
    ------
    UsageError
        if it is not a table.
    DataError
        if its columns cannot be distinguished or their values not be converted.
    """
    if isinstance(data, pl.DataFrame):
        return data
    if isinstance(data, Collectable):
        return data.collect()
    import narwhals as nw  # noqa: PLC0415  files and frames do not need it

    table = _recognize(data)
    check_names([str(name) for name in table.collect_schema().names()], "the table")
    try:
        eager = table.collect("polars") if isinstance(table, nw.LazyFrame) else table
        return eager.to_polars()
    except ModuleNotFoundError as error:
        raise UsageError(f"reading a {_kind(data)} needs {error.name}; install it: pip install {error.name}") from error
    except Exception as error:  # every library has its own errors for values that do not fit together
        raise DataError(_explanation(data, error)) from error


def native(data: object) -> object:
    """Return the table of its own library that a frame of narwhals wraps, and anything else as it is.

    Examples
    --------
    >>> import narwhals as nw
    >>> type(native(nw.from_native(pl.DataFrame({"age": [31]})))).__module__
    'polars.dataframe.frame'
    """
    unwrap = getattr(data, "to_native", None)
    return unwrap() if unwrap is not None and type(data).__module__.partition(".")[0] == "narwhals" else data


def _recognize(data: Any) -> "nw.DataFrame[Any] | nw.LazyFrame[Any]":
    import narwhals as nw  # noqa: PLC0415  files and frames do not need it

    try:
        table: nw.DataFrame[Any] | nw.LazyFrame[Any] = nw.from_native(data)
    except nw.exceptions.DuplicateError as error:
        raise DataError(f"the table has columns with the same name: {_one_line(error)}; give each its own") from error
    except TypeError:
        raise UsageError(f"expected {ACCEPTED}; got {_kind(data)}") from None
    return table


def _explanation(data: Any, error: Exception) -> str:
    """Name the column that cannot be converted, where that can be found out."""
    import narwhals as nw  # noqa: PLC0415  files and frames do not need it

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


def picked(frame: pl.DataFrame, names: Iterable[str]) -> pl.DataFrame:
    """Return some columns.

    Examples
    --------
    >>> picked(pl.DataFrame({"^a$": [1], "a": [2]}), ["^a$"]).columns
    ['^a$']
    """
    return pl.DataFrame([frame.get_column(name) for name in names])


def replaced(frame: pl.DataFrame, columns: Iterable[pl.Series]) -> pl.DataFrame:
    """Return the table with columns in the place of those of the same names; new ones come last.

    Examples
    --------
    >>> replaced(pl.DataFrame({"^a$": [1], "a": [2]}), [pl.Series("^a$", [3])]).rows()
    [(3, 2)]
    """
    given = {column.name: column for column in columns}
    return pl.DataFrame({**{column.name: column for column in frame}, **given}) if given else frame


def worked_on(column: pl.Series, work: Callable[[pl.Series], pl.Series]) -> pl.Series:
    """Return what some work makes of a column, under its name: polars looks at the names of series, too."""
    return work(column.rename(PLAIN)).rename(column.name)
