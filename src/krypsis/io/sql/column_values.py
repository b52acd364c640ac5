"""The distinct values of a column, which come to us as they are: their texts and codes are made here."""

from dataclasses import dataclass
from functools import cached_property

import polars as pl

from krypsis.arrays import CodeArray, IntArray
from krypsis.data.groups import Domain
from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.io.sql.database import VALUE, SqlDatabase
from krypsis.io.texts import PLAIN, distinct, encode, text_of


@dataclass(frozen=True, eq=False)
class ColumnValues:
    """Every distinct value of a column once, in ascending order, a missing one first.

    ``sent`` has them as the database has them, ``typed`` in the type of the column.
    """

    name: str
    sent: pl.Series
    typed: pl.Series

    @classmethod
    def of(cls, database: SqlDatabase, name: str) -> "ColumnValues":
        """Ask a database for the values of a column.

        Raises
        ------
        DataError
            if the column holds lists, structs or bytes, which have no text.
        """
        kind = database.types[name]
        text_of(pl.Series(name, [], dtype=kind))  # raises before anything is read
        sent = database.query(f"select distinct {database.value(name)} as {VALUE} from {database.table} t")[VALUE]  # noqa: S608
        typed = as_type(sent, kind)
        order = typed.arg_sort(nulls_last=False)
        return cls(name, sent.gather(order), typed.gather(order))

    @cached_property
    def texts(self) -> pl.Series:
        """The text of each value."""
        return text_of(self.typed.rename(self.name)).rename(PLAIN)

    @property
    def labels(self) -> list[Label]:
        """The different texts in natural order, missing last."""
        return distinct(self.texts)

    @property
    def has_missing(self) -> bool:
        """Whether a value is missing; it stands first."""
        return self.sent.null_count() > 0

    def codes(self, hierarchy: Hierarchy) -> CodeArray:
        """Return the code of each value at level 0 of a hierarchy.

        Raises
        ------
        HierarchyError
            if the hierarchy lacks a value.
        """
        return encode(self.texts, hierarchy, self.name)

    def counted(self, hierarchy: Hierarchy | None) -> tuple[Domain, IntArray]:
        """Return the values that promises count, spellings of one value as one, and the code of each value."""
        labels = self.labels
        domain, place = Domain.counting(labels, hierarchy, self.name)
        present = [label for label in labels if label is not None]
        places = self.texts.cast(pl.Enum(present)).to_physical().cast(pl.Int64)
        return domain, place[places.fill_null(len(present)).to_numpy()]


def as_type(column: pl.Series, kind: pl.DataType) -> pl.Series:
    """Return values that came from a database in the type that the toolkit knows their column by."""
    return column if column.dtype == kind else column.cast(kind)
