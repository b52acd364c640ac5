"""The original table and the published one, side by side."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from krypsis.arrays import BoolArray
from krypsis.data.hierarchies.base import Label
from krypsis.errors import UsageError, column_not_found
from krypsis.io.dataset import Dataset
from krypsis.release.order import in_input_order, private_record_of
from krypsis.release.release import Release
from krypsis.release.row_numbers import rows_in


@dataclass(frozen=True, eq=False)
class Tables:
    """A table before and after, with the rows that were left out where that is known."""

    before: Dataset
    after: Dataset
    left_out: tuple[int, ...] | None = None
    is_in_order: bool = True
    """Whether the published records are in the order of the original ones."""
    is_parted: bool = False
    """Whether they were published in parts: then nothing says which record became which."""

    @classmethod
    def of(cls, original: Any, published: Any, suppressed_rows: Iterable[int] | None = None) -> "Tables":
        """Return both tables; ``published`` is a release, its folder, or any table."""
        private: Mapping[str, Any] = {}
        if isinstance(published, str | os.PathLike) and Path(published).is_dir():
            private, published = private_record_of(Path(published)), Release.load(Path(published))
        left_out = None if suppressed_rows is None else tuple(sorted(suppressed_rows))
        is_in_order, is_parted = True, False
        if isinstance(published, Release):
            private = private or published.private
            if left_out is None and published.suppression == "remove" and "suppressed_rows" in private:
                left_out = tuple(rows_in(private["suppressed_rows"]).tolist())
            ordered = in_input_order(published, private)
            is_in_order, is_parted = ordered is not None, not published.publication.is_in_memory
            published = published.table if ordered is None else ordered
        tables = cls(Dataset.of(original), Dataset.of(published), left_out, is_in_order, is_parted)
        if tables.after.rows > tables.before.rows:
            raise UsageError(
                f"the published table has {tables.after.rows} records and the original only "
                f"{tables.before.rows}; give the original first and a release of it second"
            )
        return tables

    @property
    def rows(self) -> int:
        """The number of original records."""
        return self.before.rows

    def columns(self, wanted: Sequence[str] | None, without: str | None = None) -> list[str]:
        """Return the columns to look at: the given ones, or all that both tables have."""
        shared = [name for name in self.before.columns if name in self.after.columns]
        for name in wanted or ():
            if name not in shared:
                raise column_not_found(name, shared)
        columns = [name for name in (wanted or shared) if name != without]
        if not columns:
            raise UsageError(
                "there is no column to look at; the original has: " + ", ".join(self.before.columns) + "; "
                "the published table: " + ", ".join(self.after.columns)
            )
        return columns

    def published_rows(self) -> BoolArray:
        """Say for each original record whether it was published; the published ones are in the original order.

        Raises
        ------
        UsageError
            if the order of the published records is not known, or records are missing and nothing says which.
        """
        if self.is_parted:
            raise UsageError(
                "this compares records one by one, and nothing says which record of a release in parts became which; "
                f"publish the table with the engine 'memory', which takes {self.rows:,} rows in memory, or a part of it"
            )
        if not self.is_in_order:
            raise UsageError(
                "the records of a release are in random order, and what leads back to the original ones is not here; "
                "pass the release that was just made, or its folder with the private record next to it"
            )
        published = np.ones(self.rows, dtype=np.bool_)
        missing = self.rows - self.after.rows
        rows = self.left_out if self.left_out is not None else ()
        if len(set(rows)) != missing or not all(0 <= row < self.rows for row in rows):
            raise UsageError(
                f"the published table lacks {missing} of {self.rows} records and "
                + (f"suppressed_rows names {len(set(rows))} of them" if rows else "nothing says which")
                + "; pass the release itself, or suppressed_rows with the numbers of these rows, counted from 0"
            )
        published[list(rows)] = False
        return published


def labels(dataset: Dataset, column: str) -> list[Label]:
    """Return a column as the labels that a reader sees."""
    found: list[Label] = dataset.collect_texts(column).to_list()
    return found
