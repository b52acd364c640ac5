"""Columns of a table as arrays, and arrays as columns of the same type: decimals and missing values are kept."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from krypsis.arrays import FloatArray
from krypsis.data.columns import AnyColumn, CategoryColumn, NumericColumn
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import DataError, shorten
from krypsis.io.texts import PLAIN, distinct, encode, text_of

NUMBER = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?$"
PADDED = r"^[+-]?0[0-9]"
ISO_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
EXACT = 2.0**53
"""Whole numbers beyond this have no floating point number of their own."""

LARGEST = 1e100
"""So that sums of squares stay numbers."""

MOST_DECIMALS = 15
ALL_DECIMALS = 17
"""For numbers that no rounding leaves as they are."""

REMEDY = "change only columns of numbers (columns=…), or choose a method for categories such as 'pram'"


def read_column(series: pl.Series, works_on: str) -> AnyColumn:
    """Return a column as numbers or as categories, as a method that works on ``works_on`` needs it.

    Raises
    ------
    DataError
        if the method needs numbers and the column has other values.

    Examples
    --------
    >>> read_column(pl.Series("age", [31, None, 40]), "numbers").values
    array([31., nan, 40.])
    >>> read_column(pl.Series("sex", ["f", "m", None, "f"]), "both").codes
    array([0, 1, 2, 0], dtype=int32)
    """
    if works_on == "numbers" or (works_on == "both" and is_numeric(series)):
        return numeric_column(series)
    return category_column(series)


def read_again(column: AnyColumn, series: pl.Series) -> AnyColumn:
    """Return a column in the form in which it was read before it was changed."""
    return numbers_in(series) if isinstance(column, NumericColumn) else category_column(series)


def category_column(series: pl.Series) -> CategoryColumn:
    """Return a column of any type as codes of its values; missing is the last label."""
    texts = text_of(series).rename(PLAIN)
    labels = distinct(texts)
    hierarchy = Hierarchy.from_rows([[label, "*"] for label in labels])
    return CategoryColumn(series.name, encode(texts, hierarchy, series.name), tuple(labels))


def write_column(column: AnyColumn, original: pl.Series) -> pl.Series:
    """Return an array as a column of the type of the one it was read from.

    Examples
    --------
    >>> sex = pl.Series("sex", ["f", "m", None])
    >>> shuffled = CategoryColumn("sex", np.array([1, 0, 2], dtype=np.int32), category_column(sex).labels)
    >>> write_column(shuffled, sex).to_list()
    ['m', 'f', None]
    """
    if isinstance(column, NumericColumn):
        return written_as(column, original)
    before = category_column(original).codes
    example = np.zeros(len(column.labels), dtype=np.int64)
    example[before[::-1]] = np.arange(len(before))[::-1]
    return original.rename(PLAIN).gather(example[column.codes]).rename(column.name)


@dataclass(frozen=True)
class NumberForm:
    """How a column writes its numbers."""

    dtype: pl.DataType
    text: bool
    """Whether the numbers, or the dates, are written as text."""
    padded: bool = False
    """Whether all texts have the same number of decimals."""
    decimals: int | None = None
    """How many digits after the point are written; unless known, as many as the numbers need."""


def numeric_column(series: pl.Series) -> NumericColumn:
    """Return a column as numbers; days or microseconds since 1970 for dates.

    Raises
    ------
    DataError
        if it has a value that is no number, or none at all.

    Examples
    --------
    >>> numeric_column(pl.Series("pay", ["10.50", None]))
    NumericColumn(name='pay', values=array([10.5,  nan]), decimals=2)
    """
    column = numbers_in(series)
    if np.isnan(column.values).all():
        raise DataError(f"column {series.name!r} has no values, so there is nothing to change; leave it out")
    return column


def numbers_in(series: pl.Series) -> NumericColumn:
    """Return a column as numbers, also if it has none."""
    numbers, form = _read(series)
    values = numbers.cast(pl.Float64).to_numpy().copy()
    if (np.abs(values[~np.isnan(values)]) > LARGEST).any():
        raise DataError(
            f"column {series.name!r} holds an infinite number, or one beyond {LARGEST:g}, which cannot be computed "
            "with; correct it, or leave the cell empty"
        )
    return NumericColumn(series.name, values, _decimals(values) if form.decimals is None else form.decimals)


def is_numeric(series: pl.Series) -> bool:
    """Say whether a column can be read as numbers."""
    try:
        numeric_column(series)
    except DataError:
        return False
    return True


def are_dates(series: pl.Series) -> bool:
    """Say whether the numbers of a column are days or moments.

    Examples
    --------
    >>> are_dates(pl.Series(["2024-02-29", None])), are_dates(pl.Series([19782]))
    (True, False)
    """
    return _read(series)[1].dtype.is_temporal()


def written_as(column: NumericColumn, original: pl.Series) -> pl.Series:
    """Return numbers in the form of the original column, rounded to its decimals.

    A whole number that does not fit the original type, such as a negative one in an unsigned column, makes the column
    one of 64 bit.

    Examples
    --------
    >>> column = NumericColumn("pay", np.array([9.999, np.nan]), decimals=2)
    >>> written_as(column, pl.Series("pay", ["10.50", "7.25"])).to_list()
    ['10.00', None]
    """
    form = _read(original)[1]
    values = _rounded(column)
    series = pl.Series(PLAIN, values, nan_to_null=True)
    return _in_form(series, form, column.decimals).rename(column.name)


def _read(series: pl.Series) -> tuple[pl.Series, NumberForm]:
    """Return the numbers of a column, missing where there are none, and how they are written."""
    column, dtype = series.rename(PLAIN), series.dtype
    if dtype.is_integer():
        if len(column) and (column.cast(pl.Float64).abs() > EXACT).any():
            raise DataError(
                f"column {series.name!r} holds whole numbers beyond {EXACT:.0f}, which cannot be changed exactly; "
                "if they are codes, turn them into text"
            )
        return column.cast(pl.Float64), NumberForm(dtype, text=False)
    if dtype.is_float() or dtype.is_decimal():
        return column.cast(pl.Float64).fill_nan(None), NumberForm(dtype, text=False)
    if dtype == pl.Date:
        return column.cast(pl.Int32).cast(pl.Float64), NumberForm(dtype, text=False)
    if isinstance(dtype, pl.Datetime):
        return column.dt.epoch("us").cast(pl.Float64), NumberForm(dtype, text=False)
    if isinstance(dtype, pl.String | pl.Categorical | pl.Enum):
        return _read_text(column.cast(pl.String), series.name)
    raise DataError(f"column {series.name!r} holds {dtype}, which is no number; {REMEDY}")


def _read_text(texts: pl.Series, name: str) -> tuple[pl.Series, NumberForm]:
    trimmed = texts.str.strip_chars()
    given = trimmed.drop_nulls().unique()
    if len(given) and given.str.contains(ISO_DATE).all():
        days = trimmed.str.to_date("%Y-%m-%d", strict=False)
        if days.null_count() == texts.null_count():
            return days.cast(pl.Int32).cast(pl.Float64), NumberForm(pl.Date(), text=True)
    if strangers := given.filter(~given.str.contains(NUMBER)).sort().to_list():
        raise DataError(
            f"column {name!r} has {len(strangers)} different value(s) that are no numbers: "
            f"{shorten(map(repr, strangers), 5)}; write numbers like 12 or -3.5, leave the cell empty where unknown, "
            f"or {REMEDY}"
        )
    if padded := given.filter(given.str.contains(PADDED)).sort().to_list():
        raise DataError(
            f"column {name!r} holds numbers with zeros in front, such as {padded[0]!r}: they look like codes, not "
            f"quantities. If they are quantities, remove the zeros; else {REMEDY}"
        )
    return trimmed.cast(pl.Float64), _text_form(given)


def _text_form(given: pl.Series) -> NumberForm:
    if not len(given) or given.str.contains("[eE]").any():
        return NumberForm(pl.Float64(), text=True)
    lengths = given.str.extract(r"\.([0-9]*)$").str.len_chars().fill_null(0).unique().to_list()
    decimals = max(lengths) if max(lengths) <= MOST_DECIMALS else ALL_DECIMALS
    return NumberForm(pl.Float64(), text=True, padded=len(lengths) == 1, decimals=decimals)


def _decimals(values: FloatArray) -> int:
    """Return how many decimals the numbers have."""
    known = values[~np.isnan(values)]
    for decimals in range(MOST_DECIMALS + 1):
        with np.errstate(over="ignore", invalid="ignore"):
            if np.array_equal(np.round(known, decimals), known):
                return decimals
    return ALL_DECIMALS


def _rounded(column: NumericColumn) -> FloatArray:
    if column.decimals > MOST_DECIMALS:
        return column.values
    rounded: FloatArray = np.round(column.values, column.decimals) + 0.0  # never -0.0
    return rounded


def _in_form(series: pl.Series, form: NumberForm, decimals: int) -> pl.Series:
    dtype = form.dtype
    if dtype == pl.Date:
        days = series.round().cast(pl.Int32).cast(pl.Date)
        return days.cast(pl.String) if form.text else days
    if isinstance(dtype, pl.Datetime):
        return series.round().cast(pl.Int64).cast(pl.Datetime("us", dtype.time_zone)).cast(dtype)
    if form.text:
        return _as_text(series, decimals, padded=form.padded)
    if not dtype.is_integer():
        return series.cast(dtype)
    whole = series.round().cast(pl.Int64)
    fitting = whole.cast(dtype, strict=False)
    return fitting if fitting.null_count() == whole.null_count() else whole


def _as_text(series: pl.Series, decimals: int, *, padded: bool) -> pl.Series:
    """Return numbers as people write them; with zeros at the end only if all texts had as many decimals."""
    if decimals > MOST_DECIMALS:
        return series.cast(pl.String).str.strip_suffix(".0")
    texts = [None if value is None else f"{value:.{decimals}f}" for value in series.to_list()]
    written = pl.Series(PLAIN, texts, dtype=pl.String)
    return written if padded or not decimals else written.str.strip_chars_end("0").str.strip_suffix(".")
