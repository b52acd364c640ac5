"""The canonical text of values of any type, and texts as codes and numbers."""

from collections.abc import Sequence
from datetime import time

import numpy as np
import polars as pl

from krypsis.arrays import CodeArray, ColumnArray, IntArray
from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.errors import DataError, HierarchyError

MIDNIGHT = time(0)
PLAIN = "values"
"""polars takes names like ``^a$`` for patterns, also the name of a series: values are worked on under this name."""
SPARSE = 4
"""Numbers per text up to which whole numbers stand for themselves."""


def text_of(column: pl.Series) -> pl.Series:
    """Return the values as text, the form in which hierarchies know them.

    Numbers, dates and truth values are written as people write them (a floating point 31.0 as ``31``), labels of
    categories as they are; a missing value and a floating point "not a number" are missing.

    Raises
    ------
    DataError
        if the column holds lists, structs or bytes, which have no such form.

    Examples
    --------
    >>> text_of(pl.Series([5.0, 0.25, float("nan")])).to_list()
    ['5', '0.25', None]
    """
    if column.dtype == pl.String:
        return column
    _check_type(column)
    try:
        return _text(column.rename(PLAIN)).rename(column.name)
    except pl.exceptions.PolarsError:  # periods and intervals of pandas, and what other libraries may add
        raise _without_text(column) from None


def _check_type(column: pl.Series) -> None:
    if column.dtype.is_nested() or column.dtype in (pl.Binary, pl.Object):
        raise _without_text(column)


def _without_text(column: pl.Series) -> DataError:
    return DataError(
        f"column {column.name!r} holds {column.dtype}, which has no text of its own; "
        "turn it into columns of numbers or texts (in pandas with .astype(str)), or remove it"
    )


def _text(column: pl.Series) -> pl.Series:
    kind = column.dtype
    if kind.is_float():
        # Whole numbers are floating point where a column has missing values (pandas) or always (Excel): 31, not 31.0.
        return column.fill_nan(None).cast(pl.String).replace("-0.0", "0").str.strip_suffix(".0")
    if isinstance(kind, pl.Datetime):
        return _moments(column, kind)
    if kind == pl.Time:
        return column.dt.to_string("%H:%M:%S%.f")
    if kind == pl.Duration:
        return column.dt.to_string("iso")
    return column.cast(pl.String)


def _moments(column: pl.Series, kind: pl.Datetime) -> pl.Series:
    """Return ISO dates where no value has a time of day, else ISO dates with the time."""
    if kind.time_zone is None and (column.dt.time().drop_nulls() == MIDNIGHT).all():
        return column.dt.date().cast(pl.String)
    zone = "" if kind.time_zone is None else "%:z"
    return column.dt.to_string(f"%Y-%m-%dT%H:%M:%S%.f{zone}")


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


def distinct_texts(column: pl.Series) -> list[Label]:
    """Return the different values of a column of any type as text, in the order of :func:`distinct`.

    Examples
    --------
    >>> distinct_texts(pl.Series([10.0, 9.5, float("nan"), 9.5]))
    ['9.5', '10', None]
    """
    if column.dtype != pl.String:
        _check_type(column)
        column = column.rename(PLAIN).unique().rename(column.name)  # so that few texts are made
    return distinct(text_of(column))


def encode(texts: pl.Series, hierarchy: Hierarchy, name: str) -> CodeArray:
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
        places = texts.rename(PLAIN).cast(pl.Enum(present)).to_physical().cast(pl.Int32)
    except pl.exceptions.PolarsError:
        hierarchy.covering(distinct(texts), name)
        raise
    return _with_missing(places, hierarchy, name)


def encode_column(column: pl.Series, hierarchy: Hierarchy, name: str) -> CodeArray:
    """Return the code of each value of a column of any type, as :func:`encode` does of texts.

    Texts are made of the distinct values only, where they can be numbered.

    Examples
    --------
    >>> ages = Hierarchy.from_rows([["31", "*"], ["40", "*"]])
    >>> encode_column(pl.Series([40, 31, 40]), ages, "age")
    array([1, 0, 1], dtype=int32)
    """
    found = numbered_values(column)
    if found is None:
        return encode(text_of(column), hierarchy, name)
    values, places = found
    return encode(text_of(values), hierarchy, name)[places]


def numbered_values(column: pl.Series) -> tuple[pl.Series, ColumnArray] | None:
    """Return the distinct values of a column that are numbers inside, and the place of each row among them.

    Nothing is returned of texts, of floating point numbers, and of numbers that lie far apart.

    Examples
    --------
    >>> values, places = numbered_values(pl.Series([40, None, 31, 40]))
    >>> values.to_list(), places.tolist()
    ([31, 40, None], [1, 2, 0, 1])
    """
    kind, numbers = column.dtype, column.rename(PLAIN)
    if isinstance(kind, pl.Enum):
        numbers = numbers.to_physical()
    elif kind.is_integer() or kind in (pl.Boolean, pl.Date, pl.Datetime):
        if kind in (pl.UInt64, pl.Int128, pl.UInt128):
            return None
        numbers = numbers.to_physical().cast(pl.Int64)
    else:
        return None
    if numbers.null_count() == len(numbers):
        return None
    low, high = int(numbers.min()), int(numbers.max())  # type: ignore[arg-type]
    if high - low >= SPARSE * len(numbers):
        return None
    missing = high - low + 1
    if low or numbers.has_nulls():
        numbers = (numbers.cast(pl.Int64) - low).fill_null(missing)
    shifted = numbers.to_numpy()
    occurs = np.bincount(shifted, minlength=missing + 1) > 0
    used = np.flatnonzero(occurs[:missing])
    place = np.cumsum(occurs, dtype=np.int64) - 1
    values = _restored(pl.Series(PLAIN, used + low, dtype=pl.Int64), kind)
    if occurs[missing]:
        values = values.append(pl.Series(PLAIN, [None], dtype=kind))
    return values.rename(column.name), place.astype(np.min_scalar_type(len(values)))[shifted]


def _restored(numbers: pl.Series, kind: pl.DataType) -> pl.Series:
    """Return the values that are these numbers inside."""
    if isinstance(kind, pl.Enum):
        return kind.categories.gather(numbers).cast(kind).rename(PLAIN)
    return numbers.cast(pl.Int32).cast(kind) if kind == pl.Date else numbers.cast(kind)


def _with_missing(places: pl.Series, hierarchy: Hierarchy, name: str) -> CodeArray:
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


def numbered(columns: Sequence[pl.Series]) -> tuple[list[IntArray], int]:
    """Return a number from 0 on for every text, equal for equal texts in all columns; and an upper limit to them.

    A missing text has a number of its own.

    Examples
    --------
    >>> (first, second), limit = numbered([pl.Series(["7", None, "9"]), pl.Series(["9"])])
    >>> first.tolist(), second.tolist(), limit
    ([0, 3, 2], [2], 4)
    """
    texts = pl.concat([column.rename("text") for column in columns])
    found = _whole_numbers(texts)
    if found is None:
        known = texts.drop_nulls().unique()
        places = texts.cast(pl.Enum(known)).to_physical().cast(pl.Int64)
        found = places.fill_null(len(known)).to_numpy(), len(known) + 1
    numbers, limit = found
    ends = np.cumsum([len(column) for column in columns])
    return np.split(numbers, ends[:-1]), limit


def _whole_numbers(texts: pl.Series) -> tuple[IntArray, int] | None:
    """Return the numbers that texts are, if all are whole numbers in their usual form that lie close together."""
    numbers = texts.cast(pl.Int64, strict=False)
    if numbers.null_count() > texts.null_count() or numbers.null_count() == len(numbers):
        return None
    known = numbers.drop_nulls().to_numpy()
    low, high = int(known.min()), int(known.max())
    if high - low >= SPARSE * len(numbers) or (_digits(known) != texts.drop_nulls().str.len_bytes().to_numpy()).any():
        return None
    return (numbers - low).fill_null(high - low + 1).to_numpy(), high - low + 2


def _digits(numbers: IntArray) -> IntArray:
    """Return the length of numbers as they are usually written; any other way to write one is longer."""
    powers = 10 ** np.arange(1, 19, dtype=np.int64)
    return np.searchsorted(powers, np.abs(numbers), side="right") + 1 + (numbers < 0)
