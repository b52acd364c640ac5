"""Read published sets of items of any tool: plain, in groups, or in pieces."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import polars as pl

from krypsis.datasets.baskets import transactions_of
from krypsis.datasets.frames import frame_of
from krypsis.datasets.set_tables import GROUP, ITEM, RECORD, sets_of
from krypsis.errors import DataError, UsageError, column_not_found
from krypsis.format.chunks_file import HEAD, read_chunks
from krypsis.io.read import read_table
from krypsis.transactions import PublishedSets


def published_sets(
    data: Any,
    *,
    key: str | None = None,
    item: str | None = None,
    group: str | None = None,
    sensitive_table: Any = None,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> PublishedSets:
    """Return published sets in the form in which they are published.

    Parameters
    ----------
    data, key, item, delimiter, encoding
        the sets, in any form that :func:`krypsis.datasets.baskets.transactions_of` reads; or the JSON file of a
        disassociated release.
    group, sensitive_table
        of sets in groups: the column that says which group a record is in, and the table of sensitive items with the
        columns group, item and number of records.

    Examples
    --------
    >>> len(published_sets([["bread", "milk"], ["bread"]]))
    2
    """
    if _is_chunks(data):
        return read_chunks(Path(data))
    if group is None and sensitive_table is None:
        return transactions_of(data, key=key, item=item, delimiter=delimiter, encoding=encoding)
    if group is None or sensitive_table is None or key is None or item is None:
        raise UsageError(
            "sets in groups need four names: the columns of records (key), items (item) and groups (group), and the "
            "table of sensitive items (sensitive_table)"
        )
    table = _selected(_frame(data, delimiter, encoding), {RECORD: key, GROUP: group, ITEM: item})
    sensitive_table = _frame(sensitive_table, delimiter, encoding)
    if sensitive_table.width != 3:
        found = ", ".join(sensitive_table.columns)
        raise DataError(f"the table of sensitive items must have the columns group, item and count; got: {found}")
    return sets_of(table, sensitive_table)


def columns_of(data: Any, delimiter: str | None = None, encoding: str | None = None) -> tuple[str, ...]:
    """Return the columns of a table of items, also those that are not read from it; none for other forms of sets."""
    return () if _is_chunks(data) else tuple(_frame(data, delimiter, encoding).columns)


def _is_chunks(data: Any) -> bool:
    """Whether data is the file of a disassociated release."""
    if not isinstance(data, str | os.PathLike) or Path(data).suffix.lower() != ".json" or not Path(data).is_file():
        return False
    with Path(data).open("rb") as file:
        return file.read(len(HEAD)) == HEAD.encode()


def _frame(data: Any, delimiter: str | None, encoding: str | None) -> pl.DataFrame:
    if isinstance(data, str | os.PathLike):
        return read_table(Path(data), delimiter=delimiter, encoding=encoding)
    return frame_of(data)


def _selected(frame: pl.DataFrame, names: dict[str, str]) -> pl.DataFrame:
    for name in names.values():
        if name not in frame.columns:
            raise column_not_found(name, frame.columns)
    return frame.select(frame.get_column(name).alias(new) for new, name in names.items())
