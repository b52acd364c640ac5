"""Published sets as tables: one row per item of a record, and the sensitive items of groups in a table of their own."""

from __future__ import annotations

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.data.transactions import Disassociated, GroupedSets, PublishedSets, Transactions
from krypsis.errors import DataError
from krypsis.io.texts import text_of

RECORD, GROUP, ITEM, COUNT = "record", "group", "item", "count"


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
