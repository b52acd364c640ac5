"""The table before: what a report compares a release with. It stays in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import polars as pl

from krypsis.arrays import BoolArray, IntArray
from krypsis.hierarchies.base import Hierarchy
from krypsis.recoding import Codebook


@dataclass(frozen=True, eq=False)
class Before:
    """The columns that are published, as they were.

    Examples
    --------
    >>> Before(pl.DataFrame({"age": [31, 40]})).table.height
    2
    """

    table: pl.DataFrame
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    """Of columns that are published more generally, where there is no other evidence of it."""
    books: Mapping[str, Codebook] = field(default_factory=dict)
    """Of those of them whose labels are no nodes of the hierarchy: which values each label stands for."""
    tables: Mapping[str, Before] = field(default_factory=dict)
    """The further tables of a release of several, by name."""
    subjects: tuple[IntArray, IntArray] | None = None
    """Of several tables: the sizes of the groups of subjects who look alike in all of them, before and after."""
    matches_rows: bool = False
    """Whether row by row the table is the one that the release was made of, as where values were changed."""

    nobody: BoolArray | None = None
    """Which rows of the release are nobody's record, where there are counterfeits."""

    def in_order(self, order: IntArray) -> Before:
        """Return the same for a release whose rows were put in another order."""
        table = self.table[order] if self.matches_rows else self.table
        return replace(self, table=table, nobody=None if self.nobody is None else self.nobody[order])
