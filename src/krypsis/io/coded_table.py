"""A table whose texts are kept as numbers, so that many rows take little memory."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import polars as pl

from krypsis.arrays import IntArray
from krypsis.io.texts import PLAIN

MANY_ROWS = 1_000_000
"""From so many rows on, texts are kept as numbers: a text takes 16 bytes and more, its number one or two."""
MOST_DIFFERENT = 2**16
"""Columns with more different texts are kept as they are: their numbers would take as much as most texts."""


def are_many(rows: int) -> bool:
    """Say whether a table has so many rows that its texts are kept as numbers.

    Examples
    --------
    >>> are_many(30_162), are_many(10_000_000)
    (False, True)
    """
    return rows >= MANY_ROWS


@dataclass(frozen=True, eq=False)
class CodedTable:
    """The rows of a table; texts that occur often are kept once, as categories.

    Examples
    --------
    >>> table = CodedTable.of(pl.DataFrame({"sex": ["male", "female", "male"], "age": [31, 40, 35]}))
    >>> table.frame.dtypes, table.types["sex"]
    ([Enum(categories=['female', 'male']), Int64], String)
    >>> table.column("sex").to_list()
    ['male', 'female', 'male']
    """

    frame: pl.DataFrame
    texts: frozenset[str] = frozenset()
    """The columns that hold texts, and are kept as categories."""

    @classmethod
    def of(cls, columns: Iterable[pl.Series]) -> Self:
        """Take columns one by one: of those that come from an iterator, one at a time is in memory as it was."""
        kept, texts = [], set()
        for column in columns:
            short = coded(column)
            kept.append(short)
            if short.dtype != column.dtype:
                texts.add(column.name)
        return cls(pl.DataFrame(kept), frozenset(texts))

    @property
    def types(self) -> dict[str, pl.DataType]:
        """The type of each column as it was."""
        return {name: pl.String() if name in self.texts else dtype for name, dtype in self.frame.schema.items()}

    def column(self, name: str) -> pl.Series:
        """Return a column as it was."""
        found = self.frame.get_column(name)
        return found.rename(PLAIN).cast(pl.String).rename(name) if name in self.texts else found

    def rows(self, names: Iterable[str] | None = None) -> pl.DataFrame:
        """Return the rows as they were, all columns or some; names are taken exactly, never as patterns."""
        if not self.texts and names is None:
            return self.frame
        return pl.DataFrame([self.column(name) for name in (self.frame.columns if names is None else names)])

    def at(self, rows: IntArray) -> pl.DataFrame:
        """Return some rows as they were, by their numbers."""
        return CodedTable(self.frame[rows], self.texts).rows()


def coded(column: pl.Series) -> pl.Series:
    """Return a column of texts as categories in ascending order, where few are different; others as they are.

    Examples
    --------
    >>> coded(pl.Series(["b", None, "a", "b"])).to_physical().to_list()
    [1, None, 0, 1]
    """
    if column.dtype != pl.String:
        return column
    texts = column.rename(PLAIN)
    different = texts.drop_nulls().unique()
    if len(different) > MOST_DIFFERENT:
        return column
    return texts.cast(pl.Enum(different.sort())).rename(column.name)
