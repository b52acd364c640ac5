"""What differs between databases: how they are asked, what they call a value, how small tables get there."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager

import polars as pl

from krypsis.arrays import IntArray
from krypsis.errors import DataError

VALUE = "v"
"""What a column of values is called in a small table that is uploaded."""
PART = "part"
"""What the number of a part is called in rows that come in parts."""


class SqlDatabase(ABC):
    """A connection to the place where one table lies.

    Statements call the table ``t`` and its columns as :meth:`column` says, so that names never meet the rules of a
    dialect. Errors of the driver become errors of the toolkit, without addresses, passwords or values in them.
    """

    @property
    @abstractmethod
    def types(self) -> dict[str, pl.DataType]:
        """The columns of the table in their order, with their types as polars calls them."""

    @property
    @abstractmethod
    def table(self) -> str:
        """What stands after ``from`` to read the table, such as a quoted name or a query in parentheses."""

    @abstractmethod
    def column(self, name: str) -> str:
        """Return how statements call a column of ``t``."""

    def value(self, name: str) -> str:
        """Return the expression of a column in which values that count as equal are equal, and missing ones null.

        NaN is null and −0.0 is 0; the width stays. A dialect adds what it needs to compare texts byte by byte.
        """
        column = self.column(name)
        if not self.types[name].is_float():
            return column
        return f"case when {self.is_nan(column)} then null when {column} = 0 then {self.zero(name)} else {column} end"

    @abstractmethod
    def is_nan(self, expression: str) -> str:
        """Return the condition that a floating point number is none."""

    @abstractmethod
    def zero(self, name: str) -> str:
        """Return 0 in the type of a column, so that comparing with it does not make numbers wider."""

    @abstractmethod
    def hash_of(self, expressions: Sequence[str]) -> str:
        """Return a whole number from 0 on that follows from values, equal for equal values; at least 32 bits."""

    @abstractmethod
    def query(self, statement: str) -> pl.DataFrame:
        """Return what a statement selects, as the database has it; small enough for memory."""

    @abstractmethod
    def rows_of(self, columns: Iterable[str]) -> pl.DataFrame:
        """Return all rows of some columns, in the types of :attr:`types`, and in their order where they have one."""

    @abstractmethod
    def sample_of(self, rows: IntArray, columns: Sequence[str]) -> pl.DataFrame:
        """Return some rows, by their numbers in ascending order, of some columns, in the types of :attr:`types`."""

    @abstractmethod
    def uploaded(self, frame: pl.DataFrame, compared_with: str | None = None) -> AbstractContextManager[str]:
        """Make a small table known for as long as the context lasts; the context is what stands after ``from``.

        The values in the column ``v``, where there is one, came from :meth:`query` for :meth:`value` of the column
        ``compared_with`` and are compared with it.
        """

    @abstractmethod
    def parts(self, statement: str, count: int) -> Iterator[pl.DataFrame]:
        """Yield the rows that a statement selects, those with 0 in the column ``part`` first, up to ``count - 1``.

        One frame for each part, in any order of rows, also where it has none; the column ``part`` may be left out.
        No row may be lost or doubled; whatever the database has to hold meanwhile, it holds on its own disk.
        """

    @abstractmethod
    def check_unchanged(self) -> None:
        """Raise if the table is known to have changed since the connection was made.

        Raises
        ------
        DataError
            see :func:`changed`.
        """

    @abstractmethod
    def close(self) -> None:
        """Drop everything that was uploaded and end the connection; a second time does nothing."""


def changed(what: str) -> DataError:
    """Return the error for a table that is no longer what it was; ``what`` says how that showed."""
    return DataError(
        f"the table has changed while it was worked on: {what}; start again once nobody writes to it, or work on a copy"
    )
