"""A published table in parts, of which one is in memory at a time."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import polars as pl

from krypsis.checker.row_counts import DistinctRows, count_rows
from krypsis.data.random_order import random_rows
from krypsis.errors import MemoryShort, column_not_found
from krypsis.io.memory import available_memory, shown_bytes

Parts = Callable[[], Iterable[pl.DataFrame]]
"""Reads the parts again, one after the other."""


class PartedRows:
    """The rows of a published table, read one part at a time; what is judged is counted while they pass by.

    Parameters
    ----------
    columns
        the names of the columns.
    rows
        the number of records.
    parts
        reads the parts, all with these columns, in their order.

    Examples
    --------
    >>> table = PartedRows.of([pl.DataFrame({"age": [31, 40]}), pl.DataFrame({"age": [31]})])
    >>> table.columns, table.height, sorted(table.counted(("age",)).counts.tolist())
    (['age'], 3, [1, 2])
    """

    def __init__(self, columns: Sequence[str], rows: int, parts: Parts) -> None:
        self.columns = list(columns)
        self.height = rows
        self._parts = parts
        self._counted: dict[frozenset[str], DistinctRows] = {}

    @classmethod
    def of(cls, frames: Sequence[pl.DataFrame]) -> "PartedRows":
        """Return a table of parts that are in memory."""
        return cls(frames[0].columns, sum(frame.height for frame in frames), lambda: frames)

    def is_empty(self) -> bool:
        """Say whether there are no records."""
        return not self.height

    def frames(self) -> Iterator[pl.DataFrame]:
        """Yield the parts."""
        yield from self._parts()

    def counted(self, names: Sequence[str]) -> DistinctRows:
        """Return the distinct rows of some columns, or of these and others that were counted before.

        Raises
        ------
        ColumnError
            if there is no such column.
        """
        for name in names:
            if name not in self.columns:
                raise column_not_found(name, self.columns)
        wanted = frozenset(names)
        known = next((counted for columns, counted in self._counted.items() if wanted <= columns), None)
        if known is None:
            known = self._counted[wanted] = count_rows(self.frames(), sorted(wanted, key=self.columns.index))
        return known

    def sample(self, most: int) -> pl.DataFrame:
        """Return at most so many records: a random sample, the same each time."""
        rows, start, found = random_rows("records", self.height, most), 0, []
        for frame in self.frames():
            end = start + frame.height
            found.append(frame[rows[(rows >= start) & (rows < end)] - start])
            start = end
        return pl.concat(found)

    def collected(self) -> pl.DataFrame:
        """Return all records in memory.

        Raises
        ------
        MemoryShort
            if they would take more than half of what is free.
        """
        found, size, allowed = list[pl.DataFrame](), 0, available_memory() // 2
        for frame in self.frames():
            found.append(frame)
            size += int(frame.estimated_size())
            records = sum(one.height for one in found)
            needed = size * self.height // max(records, 1)
            if needed > allowed:
                raise MemoryShort(
                    f"the {self.height:,} published records do not fit into memory together: they take about "
                    f"{shown_bytes(needed)}, and {shown_bytes(allowed)} are allowed, half of what is free"
                )
        return pl.concat(found)
