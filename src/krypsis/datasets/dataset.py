"""A dataset: one table in memory, with its name."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
import polars as pl

from krypsis.datasets.texts import PLAIN, text_of
from krypsis.errors import DataError, HierarchyError, UsageError, column_not_found
from krypsis.hierarchies.base import Hierarchy, Label
from krypsis.io.names import check_names
from krypsis.io.read import TEXT, read_table

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


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table with at least one record and columns of different names.

    Examples
    --------
    >>> dataset = Dataset.of(pl.DataFrame({"age": [34, None]}))
    >>> dataset.name, dataset.texts("age").to_list()
    ('table', ['34', None])
    """

    frame: pl.DataFrame
    name: str
    path: Path | None = None

    @classmethod
    def of(cls, data: object, what: str = "the table") -> Dataset:
        """Return the dataset of a frame or file; the object given is never changed.

        Parameters
        ----------
        data
            a dataset; a polars, pandas or pyarrow table; a duckdb relation; or the path of a CSV, Parquet or Excel
            file. The index of a pandas table is not part of the data.
        what
            how messages call it.

        Raises
        ------
        UsageError
            if it is something else.
        DataError
            if it has no records, or columns without a name of their own.
        """
        if isinstance(data, Dataset):
            return data
        if isinstance(data, str | os.PathLike):
            path = Path(data)
            return cls(read_table(path), path.name, path)
        from krypsis.datasets.dataset import to_polars  # noqa: PLC0415  files do not need the library it is made of

        frame = to_polars(data)
        check_names(frame.columns, what)
        if not frame.height:
            raise DataError(f"{what} has no rows; expected at least one record")
        return cls(frame, "table", None)

    @property
    def is_text(self) -> bool:
        """Whether it was read from a file that has no types, such as CSV."""
        return Path(self.name).suffix.lower() in TEXT

    def texts(self, column: str) -> pl.Series:
        """Return a column as text, the form in which hierarchies know its values.

        Numbers, dates and truth values are written as people write them (a floating point 31.0 as ``31``), labels of
        categories as they are; a missing value and a floating point "not a number" are missing.

        Raises
        ------
        ColumnError
            if there is no such column.
        DataError
            if the column holds lists, structs or bytes, which have no such form.
        """
        if column not in self.frame.columns:
            raise column_not_found(column, self.frame.columns)
        return text_of(self.frame.get_column(column)).rename(PLAIN)

    def columns(self, names: Iterable[str]) -> pl.DataFrame:
        """Return some of the columns, whatever they are called: polars takes names such as ``^a$`` for patterns."""
        return pl.DataFrame([self.frame.get_column(name) for name in names])


def encode(texts: pl.Series, hierarchy: Hierarchy, name: str) -> npt.NDArray[np.int32]:
    """Return the code of each text at level 0 of the hierarchy.

    Raises
    ------
    HierarchyError
        if the hierarchy of the column ``name`` lacks a text; it lists them.

    Examples
    --------
    >>> sex = Hierarchy.from_rows([["male", "*"], ["female", "*"]])
    >>> encode(pl.Series(["female", "male", "female"]), sex, "sex")
    array([1, 0, 1], dtype=int32)
    """
    present = [value for value in hierarchy.values if value is not None]
    try:
        places = texts.cast(pl.Enum(present)).to_physical().cast(pl.Int32)
    except pl.exceptions.PolarsError:
        hierarchy.covering(distinct(texts), name)
        raise
    return _with_missing(places, hierarchy, name)


def _with_missing(places: pl.Series, hierarchy: Hierarchy, name: str) -> npt.NDArray[np.int32]:
    """Turn places among the values that are not missing into places among all values."""
    missing = hierarchy.code_of.get(None)
    if missing is None:
        if places.null_count():
            raise HierarchyError(
                f"hierarchy of {name!r} has no row for the missing value and {places.null_count()} value(s) are "
                "missing; take the hierarchy that 'covering' returns"
            )
        return places.to_numpy()
    shifted = places if missing == len(hierarchy.values) - 1 else places + (places >= missing).cast(pl.Int32)
    return shifted.fill_null(missing).to_numpy()


def distinct(texts: pl.Series) -> list[Label]:
    """Return the different texts in order: numbers by size if all are numbers; missing comes last.

    Examples
    --------
    >>> distinct(pl.Series(["10", "9", None, "9"]))
    ['9', '10', None]
    """
    values = texts.rename("text").unique()
    numbers = values.cast(pl.Float64, strict=False).fill_nan(None).rename("number")
    keys = ["number", "text"] if numbers.null_count() == values.null_count() else ["text"]
    return pl.DataFrame([values, numbers]).sort(keys, nulls_last=True)["text"].to_list()
