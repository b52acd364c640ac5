"""Columns of a table as arrays, and arrays as columns of the same type."""

from __future__ import annotations

import numpy as np
import polars as pl

from krypsis.columns import AnyColumn, CategoryColumn, NumericColumn
from krypsis.datasets.dataset import distinct, encode
from krypsis.datasets.numbers import is_numeric, numbers_in, numeric_column, written_as
from krypsis.datasets.texts import PLAIN, text_of
from krypsis.hierarchies.base import Hierarchy


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
