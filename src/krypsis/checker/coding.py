"""Columns as whole numbers: grouping numbers takes a tenth of the time that grouping texts takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.datasets.texts import PLAIN

MOST_KEYS = 2**62
"""Up to this many combinations of codes, each has a number of its own in 64 bits."""


@dataclass(frozen=True, eq=False)
class Coded:
    """A column as places in its distinct values, which stand in ascending order, a missing value last.

    Examples
    --------
    >>> sex = Coded.of(pl.Series(["m", None, "f", "m"]))
    >>> sex.codes, sex.values.to_list()
    (array([1, 2, 0, 1]), ['f', 'm', None])
    """

    codes: IntArray
    values: pl.Series

    @classmethod
    def of(cls, column: pl.Series) -> Coded:
        """Return the places of the values of a column."""
        column = column.rename(PLAIN)
        values = column.unique().sort(nulls_last=True)
        places = pl.DataFrame({"value": values, "place": np.arange(len(values))})
        found = pl.DataFrame({"value": column}).join(
            places, on="value", how="left", nulls_equal=True, maintain_order="left"
        )
        return cls(found["place"].to_numpy(), values)

    def __len__(self) -> int:
        """Return the number of distinct values."""
        return len(self.values)

    def at(self, rows: IntArray) -> Coded:
        """Return the same column at some rows only."""
        return replace(self, codes=self.codes[rows])

    def shown(self) -> pl.Series:
        """Return the values themselves."""
        return self.values.gather(self.codes)


def packed(columns: Sequence[Coded], rows: int) -> IntArray:
    """Return one number for each row, such that they are in the order of the values of the columns, the first first.

    Examples
    --------
    >>> packed([Coded.of(pl.Series(["b", "a", "b"])), Coded.of(pl.Series([7, 7, 5]))], 3)
    array([3, 1, 2])
    """
    keys, width = np.zeros(rows, dtype=np.int64), 1
    for column in columns:
        if width * len(column) > MOST_KEYS:  # only those that occur are numbered on
            distinct, keys = np.unique(keys, return_inverse=True)
            width = len(distinct)
        keys = keys * len(column) + column.codes
        width *= len(column)
    return keys


def totals(keys: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """Return the distinct keys in ascending order, and the sum of the counts of each.

    Examples
    --------
    >>> totals(np.array([7, 3, 7]), np.array([1, 5, 2]))
    (array([3, 7]), array([5, 3]))
    """
    distinct, numbers = np.unique(keys, return_inverse=True)
    return distinct, np.bincount(numbers, counts, minlength=len(distinct)).astype(np.int64)
