"""The types a published column may have: those that survive a journey through a CSV file."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from krypsis.errors import DataError, PromiseBroken, shorten
from krypsis.format.claims import PublishedColumn
from krypsis.io.frames import replaced, worked_on
from krypsis.io.texts import PLAIN, text_of

TYPES: dict[str, pl.DataType] = {
    str(dtype): dtype
    for dtype in (
        *(pl.Int8(), pl.Int16(), pl.Int32(), pl.Int64(), pl.UInt8(), pl.UInt16(), pl.UInt32(), pl.UInt64()),
        *(pl.Float32(), pl.Float64(), pl.Boolean(), pl.String(), pl.Date(), pl.Time()),
        *(pl.Datetime("ms"), pl.Datetime("us"), pl.Datetime("ns")),
    )
}


def publishable(table: pl.DataFrame) -> pl.DataFrame:
    """Return the table with columns of other types as text, and missing values in one form.

    Categories become text because a categorical column carries its whole dictionary into a Parquet file, with values
    that no published record has any more. "Not a number" becomes missing, which it means: published next to missing
    cells it would distinguish records that promises count as alike.

    Examples
    --------
    >>> publishable(pl.DataFrame({"sex": pl.Series(["*"], dtype=pl.Enum(["male", "*"]))})).schema
    Schema([('sex', String)])
    """
    table = replaced(table, (text_of(column) for column in table if str(column.dtype) not in TYPES))
    floats = (column for column in table if column.dtype.is_float())
    return replaced(table, (worked_on(column, lambda numbers: numbers.fill_nan(None)) for column in floats))


def restore_types(table: pl.DataFrame, columns: Iterable[PublishedColumn], names: Iterable[str]) -> pl.DataFrame:
    """Return a table whose named columns, if they were read as text, have the types they were published with."""
    types = {column.name: column.type for column in columns}
    text = [name for name in names if name in table.columns and table.schema[name] == pl.String]
    if unknown := [types[name] for name in text if types[name] not in TYPES]:
        raise DataError(f"the manifest names the type {unknown[0]!r}; types: {shorten(TYPES, len(TYPES))}")
    try:
        return replaced(
            table, (_restored(table.get_column(name).rename(PLAIN), TYPES[types[name]]).rename(name) for name in text)
        )
    except pl.exceptions.PolarsError as error:
        raise PromiseBroken(f"a column does not hold values of its type: {str(error).splitlines()[0]}") from None


def _restored(column: pl.Series, dtype: pl.DataType) -> pl.Series:
    if dtype == pl.Boolean:
        return column.replace_strict({"true": True, "false": False}, return_dtype=pl.Boolean)
    if dtype.is_temporal():
        return column.str.strptime(dtype)  # type: ignore[arg-type] # a Date, Time or Datetime, as it wants
    return column.cast(dtype)
