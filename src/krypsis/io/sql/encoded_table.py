"""The table with codes in the place of values, as the database sees it."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import numpy as np
import polars as pl

from krypsis.arrays import CodeArray, IntArray
from krypsis.io.sql.column_values import ColumnValues
from krypsis.io.sql.database import VALUE, SqlDatabase

CODE = "c"
"""What the codes are called in a table of values and their codes."""


@dataclass(frozen=True, eq=False)
class EncodedColumn:
    """The values of a column and the code of each."""

    values: ColumnValues
    codes: CodeArray | IntArray

    def table(self) -> pl.DataFrame:
        """Return the codes of all values that are not missing."""
        frame = pl.DataFrame({VALUE: self.values.sent, CODE: self.codes.astype(np.int32)})
        return frame.filter(pl.col(VALUE).is_not_null())

    def expression(self, database: SqlDatabase, alias: str) -> str:
        """Return the code of a row; it is null where the value is none of those that were known before."""
        found = f"{alias}.{CODE}"
        if not self.values.has_missing:
            return found
        missing = f"case when {database.value(self.values.name)} is null then {int(self.codes[0])} end"
        return f"coalesce({found}, {missing})"


@dataclass(frozen=True)
class EncodedTable:
    """What stands after ``from``, and the code of each column as an expression."""

    source: str
    codes: tuple[str, ...]


@contextmanager
def encoded(database: SqlDatabase, columns: Sequence[EncodedColumn]) -> Iterator[EncodedTable]:
    """Join the codes of some columns to the table, for as long as the context lasts."""
    with ExitStack() as uploads:
        joins = [f"{database.table} t"]
        for number, column in enumerate(columns):
            name = column.values.name
            codes = uploads.enter_context(database.uploaded(column.table(), compared_with=name))
            joins.append(f"left join {codes} q{number} on {database.value(name)} = q{number}.{VALUE}")
        expressions = (column.expression(database, f"q{number}") for number, column in enumerate(columns))
        yield EncodedTable(" ".join(joins), tuple(expressions))
