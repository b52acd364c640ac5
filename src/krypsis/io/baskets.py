"""Read records that are sets of items: from lists, from a column of lists, from pairs, or from a file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from krypsis.data.transactions import Transactions
from krypsis.errors import DataError, UsageError, column_not_found
from krypsis.io.frames import frame_of
from krypsis.io.paths import usable_path
from krypsis.io.read import file_kind, read_table
from krypsis.io.set_lines import JSON, read_set_lines
from krypsis.io.set_tables import coded_sets
from krypsis.io.texts import PLAIN, text_of


def transactions_of(
    data: object,
    *,
    key: str | None = None,
    item: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> Transactions:
    """Return the sets of items in data of any form.

    Parameters
    ----------
    data
        sets as lists of items; a polars column of lists; a table, or a file with one; or a text file with one set per
        line (see :func:`krypsis.io.set_lines.read_set_lines`). A missing item is no item, an empty line a record
        without items.
    key, item
        of a table in which every row is one item of one record: the column that says which record, and the column of
        items. ``item`` alone names a column of lists. Without both, a file has one set per line.
    delimiter, encoding
        of a text file; found out unless given.
    sheet
        of an Excel file, by name or number from 1; the first unless given.

    Raises
    ------
    DataError
        if it holds no records, or a row that belongs to none.

    Examples
    --------
    >>> bought = pl.DataFrame({"customer": [7, 7, 8], "item": ["milk", "bread", "milk"]})
    >>> [sorted(one) for one in transactions_of(bought, key="customer", item="item").sets()]
    [['bread', 'milk'], ['milk']]
    """
    found = _read(data, key, item, {"delimiter": delimiter, "encoding": encoding, "sheet": sheet})
    if not len(found):
        raise DataError("there are no records; expected at least one set of items")
    return found


def _read(data: object, key: str | None, item: str | None, reading: dict[str, str | None]) -> Transactions:
    if isinstance(data, Transactions):
        return data
    if isinstance(data, pl.Series):
        return _of_lists(data)
    if isinstance(data, str | os.PathLike):
        path = usable_path(Path(data))
        if key is None and item is None and (path.suffix.lower() in JSON or file_kind(path) == "csv"):
            return _of_lists(read_set_lines(path, reading["delimiter"], reading["encoding"]))
        return _of_table(read_table(path, **reading), key, item)
    if isinstance(data, Iterable) and not hasattr(data, "columns"):
        return Transactions.of_sets(data)
    return _of_table(frame_of(data), key, item)


def _of_table(frame: pl.DataFrame, key: str | None, item: str | None) -> Transactions:
    for name in (key, item):
        if name is not None and name not in frame.columns:
            raise column_not_found(name, frame.columns)
    lists = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.List)]
    if key is None and (item in lists or (item is None and len(lists) == 1)):
        return _of_lists(frame.get_column(item or lists[0]))
    if key is None or item is None:
        raise UsageError(
            "a table of sets has one row per item: name the column that says which record it belongs to (key) and the "
            f"column of items (item); or it has a column of lists. Columns: {', '.join(frame.columns)}"
        )
    return _of_pairs(text_of(frame.get_column(key)).rename(PLAIN), text_of(frame.get_column(item)).rename(PLAIN), key)


def _of_pairs(keys: pl.Series, items: pl.Series, name: str) -> Transactions:
    if missing := keys.null_count():
        raise DataError(f"column {name!r} is empty in {missing} row(s); every item must belong to a record")
    numbers = keys.rank("dense").cast(pl.Int64).to_numpy() - 1
    return coded_sets(numbers, items, int(numbers.max(initial=-1)) + 1)


def _of_lists(column: pl.Series) -> Transactions:
    if not isinstance(column.dtype, pl.List | pl.Array):
        raise DataError(f"column {column.name!r} holds {column.dtype}; expected lists of items")
    if column.dtype.inner.is_nested():
        raise DataError(
            f"column {column.name!r} holds lists of {column.dtype.inner}; expected lists of texts or numbers"
        )
    sizes = column.list.len().fill_null(0).cast(pl.Int64)
    whole = column.filter(sizes > 0)
    items = text_of(whole.explode()) if len(whole) else pl.Series([], dtype=pl.String)
    return coded_sets(np.repeat(np.arange(len(column)), sizes.to_numpy()), items.rename(PLAIN), len(column))


HEADERS = (["codes"], ["items"])
"""A first line that is a heading and no set."""


def read_item_sets(path: Path) -> tuple[tuple[str, ...], ...]:
    """Return the sets in a file: JSON with a list of lists, or lists by name; or text with one set per line.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "together.json")
    ...     _ = file.write_text('{"mental": ["294.10", "295.04"], "skin": ["692.71"]}', encoding="utf-8")
    ...     read_item_sets(file)
    (('294.10', '295.04'), ('692.71',))
    """
    path = usable_path(path)
    if not path.is_file():
        raise DataError(f"file {path} not found; expected sets of items that analyses need together")
    if path.suffix.lower() == ".json":
        return _of_json(path)
    rows = [row for row in read_set_lines(path).to_list() if row]
    if rows and rows[0] in HEADERS:
        rows = [cell.split(",") for row in rows[1:] for cell in row]
    return tuple(tuple(dict.fromkeys(item.strip() for item in row)) for row in rows)


def _of_json(path: Path) -> tuple[tuple[str, ...], ...]:
    try:
        content: Any = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path.name} is not JSON: {error}") from None
    sets = list(content.values()) if isinstance(content, dict) else content
    if not isinstance(sets, list) or not all(
        isinstance(one, list) and all(isinstance(item, str) for item in one) for one in sets
    ):
        raise DataError(f"{path.name} must hold lists of items, in a list or by name; items are texts")
    return tuple(tuple(dict.fromkeys(one)) for one in sets if one)
