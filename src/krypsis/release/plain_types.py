"""Types of columns that were read from a text file: a Parquet file has numbers where the text file had numbers."""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from krypsis.io.texts import PLAIN, text_of

FORMS: tuple[tuple[str, pl.DataType], ...] = (
    (r"^(0|-?[1-9][0-9]{0,17})$", pl.Int64()),
    (r"^-?(0|[1-9][0-9]{0,8})(\.[0-9]{1,6})?$", pl.Float64()),
    (r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", pl.Date()),
    (r"^(true|false)$", pl.Boolean()),
)
"""How a value of each type is written. A code such as ``01234`` is none; a Float64 holds 15 digits exactly."""


def with_types_of_texts(table: pl.DataFrame, wanted: Collection[str]) -> pl.DataFrame:
    """Return a table whose wanted columns of texts have the types that these texts have, as a Parquet file holds them.

    A CSV copy of the same release then has the one spelling that a number has, ``12.5`` for ``12.50``. What is
    published decides, and not what was suppressed.
    """
    if not wanted:
        return table
    return pl.DataFrame([typed(column) if column.name in wanted else column for column in table])


def typed(column: pl.Series) -> pl.Series:
    """Return a column of texts with the type that all of them have; as it is where there is none.

    Examples
    --------
    >>> [typed(pl.Series(texts)).dtype for texts in (["31", None], ["1.5", "2"], ["01234", "5"], ["2024-02-30"])]
    [Int64, Float64, String, String]
    """
    if column.dtype != pl.String or column.null_count() == len(column):
        return column
    texts = column.rename(PLAIN)
    for form, dtype in FORMS:
        if texts.str.contains(form).all() and (values := _values(texts, dtype)) is not None:
            return values.rename(column.name)
    return column


def keeps_spelling(column: pl.Series) -> bool:
    """Say whether the values of a column of texts, as its type has them, are written as the texts were.

    Examples
    --------
    >>> [keeps_spelling(pl.Series(texts)) for texts in (["31", None], ["1.5", "2"], ["12.50"], ["012"], ["2.0"])]
    [True, True, False, True, False]
    """
    return text_of(typed(column)).equals(column)


def _values(texts: pl.Series, dtype: pl.DataType) -> pl.Series | None:
    """Return the values of texts, unless a text is none or two texts are the same value."""
    if dtype == pl.Boolean:
        return texts == "true"
    values = texts.str.to_date(strict=False) if dtype == pl.Date() else texts.cast(dtype, strict=False)
    is_exact = values.null_count() == texts.null_count() and values.n_unique() == texts.n_unique()
    return values if is_exact else None
