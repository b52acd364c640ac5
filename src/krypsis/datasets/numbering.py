"""Numbers in place of texts, so that millions of them can be counted as arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from krypsis.arrays import IntArray

SPARSE = 4
"""Numbers per text up to which whole numbers stand for themselves."""


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
