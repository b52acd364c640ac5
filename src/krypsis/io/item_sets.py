"""Records that are sets of items: read from lists, columns and pairs, and as published tables."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.data.transactions import Disassociated, GroupedSets, PublishedSets, Transactions
from krypsis.errors import DataError, UsageError, column_not_found
from krypsis.io.frames import frame_of
from krypsis.io.paths import usable_path
from krypsis.io.read import check_memory, file_kind, needed_memory, read_table
from krypsis.io.set_lines import JSON, read_set_lines
from krypsis.io.texts import PLAIN, text_of

RECORD, GROUP, ITEM, COUNT = "record", "group", "item", "count"
BYTES_PER_TEXT_BYTE = 70
"""What publishing sets takes of memory for each byte of a text file, about: 2.4 million items in 5.3 MB took 375 MB."""


def table_of(published: PublishedSets) -> pl.DataFrame:
    """Return what is published as a table: one row per item of each record; a record without items has one without.

    Of pieces in clusters it is a view for people: the file that is published says how clusters are joined.

    Examples
    --------
    >>> table_of(Transactions.of_sets([["milk", "bread"], []])).rows()
    [(1, 'bread'), (1, 'milk'), (2, None)]
    """
    if isinstance(published, Disassociated):
        return _pieces(published)
    if isinstance(published, GroupedSets):
        table = _rows(published.records)
        groups = pl.Series(GROUP, published.groups[table.get_column(RECORD).to_numpy() - 1] + 1)
        return table.insert_column(1, groups)
    return _rows(published)


def sensitive_table_of_groups(published: PublishedSets) -> pl.DataFrame | None:
    """Return the table of the sensitive items of groups, where they are published separately."""
    if not isinstance(published, GroupedSets):
        return None
    group, code, count = (published.counts[:, place] for place in range(3))
    names = pl.Series(ITEM, published.sensitive, dtype=pl.String)
    return pl.DataFrame([pl.Series(GROUP, group + 1), names.gather(code), pl.Series(COUNT, count)])


def sets_of(table: pl.DataFrame, sensitive_table: pl.DataFrame | None = None) -> Transactions | GroupedSets:
    """Return the sets that a published table holds, the inverse of :func:`table_of` but for the order of the records.

    Raises
    ------
    DataError
        if a record is in two groups, or a row belongs to no record.

    Examples
    --------
    >>> found = sets_of(pl.DataFrame({"record": [2, 2, 1], "item": ["milk", "bread", None]}))
    >>> [sorted(one) for one in found.sets()]
    [[], ['bread', 'milk']]
    """
    keys = table.get_column(RECORD)
    if keys.null_count():
        raise DataError(f"{keys.null_count()} row(s) belong to no record; every row must name one")
    numbers = keys.rank("dense").cast(pl.Int64).to_numpy() - 1
    found = coded_sets(numbers, text_of(table.get_column(ITEM)), int(numbers.max(initial=-1)) + 1)
    return found if sensitive_table is None else _grouped(found, table, numbers, sensitive_table)


def coded_sets(numbers: IntArray, items: pl.Series, count: int) -> Transactions:
    """Return ``count`` records, given by the number of a record and the text of an item in it; a missing text is none.

    Examples
    --------
    >>> coded_sets(np.array([0, 2, 2]), pl.Series(["milk", "bread", None]), 3).sets()
    [frozenset({'milk'}), frozenset(), frozenset({'bread'})]
    """
    labels = tuple(items.drop_nulls().unique().sort().to_list())
    codes = items.cast(pl.Enum(labels)).to_physical().cast(pl.Int64)
    present = items.is_not_null().to_numpy()
    return Transactions.of_pairs(numbers[present], codes.drop_nulls().to_numpy(), labels, count)


def _rows(transactions: Transactions) -> pl.DataFrame:
    sizes = np.maximum(transactions.sizes, 1)
    record = np.repeat(np.arange(1, len(transactions) + 1, dtype=np.int64), sizes)
    codes = np.full(len(record), -1, dtype=np.int64)
    codes[np.repeat(transactions.sizes > 0, sizes)] = transactions.codes
    labels = pl.Series(ITEM, transactions.items, dtype=pl.String)
    place = pl.Series(codes).replace(-1, None)
    items = labels.gather(place) if len(labels) else pl.Series(ITEM, [None] * len(codes), dtype=pl.String)
    return pl.DataFrame([pl.Series(RECORD, record), items.rename(ITEM)])


def _pieces(published: Disassociated) -> pl.DataFrame:
    """Return one row per item of a piece or of a term chunk; those of term chunks have no chunk and no piece."""
    pieces, terms = published.pieces, published.terms
    chunk = published.chunk_of_piece[pieces.records]
    labels = pl.Series(ITEM, published.items, dtype=pl.String)
    of_pieces = [
        pl.Series("cluster", published.chunk_nodes[chunk] + 1),
        pl.Series("chunk", chunk + 1),
        pl.Series("piece", pieces.records + 1),
        labels.gather(pieces.codes),
    ]
    of_terms = pl.DataFrame([pl.Series("cluster", terms.records + 1), labels.gather(terms.codes)])
    return pl.concat([pl.DataFrame(of_pieces), of_terms], how="diagonal")


def _grouped(found: Transactions, table: pl.DataFrame, numbers: IntArray, sensitive_table: pl.DataFrame) -> GroupedSets:
    members = pl.DataFrame([pl.Series(RECORD, numbers), text_of(table.get_column(GROUP)).rename(GROUP)]).unique()
    if members.height != len(found) or members.get_column(GROUP).null_count():
        raise DataError("a record is in two groups, or in none; every record is in one")
    names = sorted(set(members.get_column(GROUP).to_list()))
    number = {name: place for place, name in enumerate(names)}
    by_record = members.sort(RECORD).get_column(GROUP).to_list()
    groups = np.array([number[name] for name in by_record], dtype=np.int64)
    return GroupedSets(found, groups, *_counted(sensitive_table, number), tuple(names))


def _counted(sensitive_table: pl.DataFrame, number: dict[str, int]) -> tuple[tuple[str, ...], IntArray]:
    group, item, count = (text_of(column) for column in sensitive_table)
    if any(column.null_count() for column in (group, item, count)):
        raise DataError("a sensitive item is given without its group, its name or its count")
    if strangers := [name for name in group.unique().to_list() if name not in number]:
        raise DataError(f"sensitive items are given for the group {strangers[0]!r}, which has no records")
    sensitive = tuple(sorted(item.unique().to_list()))
    place = {name: code for code, name in enumerate(sensitive)}
    if not count.str.contains(r"^[0-9]{1,15}$").all():
        raise DataError("the number of records that hold a sensitive item must be a whole number")
    figures = [int(one) for one in count.to_list()]
    rows = [
        (number[one], place[name], figure)
        for one, name, figure in zip(group.to_list(), item.to_list(), figures, strict=True)
    ]
    if len({row[:2] for row in rows}) < len(rows):
        raise DataError("a sensitive item is given twice for a group; every one is counted once")
    return sensitive, np.array(rows, dtype=np.int64).reshape(-1, 3)


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
        _check_memory(path)
        if key is None and item is None and (path.suffix.lower() in JSON or file_kind(path) == "csv"):
            return _of_lists(read_set_lines(path, reading["delimiter"], reading["encoding"]))
        return _of_table(read_table(path, **reading), key, item)
    if isinstance(data, Iterable) and not hasattr(data, "columns"):
        return Transactions.of_sets(data)
    return _of_table(frame_of(data), key, item)


def _check_memory(path: Path) -> None:
    """Raise if the sets of a file do not fit into memory, where all methods for them work."""
    if not path.is_file():
        return
    kind = "csv" if path.suffix.lower() in JSON else file_kind(path)
    need = path.stat().st_size * BYTES_PER_TEXT_BYTE if kind == "csv" else needed_memory(path, kind)
    check_memory(path, kind, need, "Methods for sets need all of them in memory: leave out records")


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
