"""The canonical text of values of any type."""

from __future__ import annotations

from datetime import time

import polars as pl

from krypsis.errors import DataError

MIDNIGHT = time(0)
PLAIN = "values"
"""polars takes names like ``^a$`` for patterns, also the name of a series: values are worked on under this name."""


def text_of(column: pl.Series) -> pl.Series:
    """Return the values as text; see :meth:`krypsis.datasets.dataset.Dataset.texts`.

    Examples
    --------
    >>> text_of(pl.Series([5.0, 0.25, float("nan")])).to_list()
    ['5', '0.25', None]
    """
    if column.dtype == pl.String:
        return column
    if column.dtype.is_nested() or column.dtype in (pl.Binary, pl.Object):
        raise _without_text(column)
    try:
        return _text(column.rename(PLAIN)).rename(column.name)
    except pl.exceptions.PolarsError:  # periods and intervals of pandas, and what other libraries may add
        raise _without_text(column) from None


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
