"""Counting distinct tuples where the table lies: one scan, and only codes and counts come back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from krypsis.arrays import CodeArray, IntArray
from krypsis.data.groups import Domain, Histogram, JointDomain
from krypsis.io.sql.column_values import ColumnValues
from krypsis.io.sql.database import SqlDatabase, changed
from krypsis.io.sql.encoded_table import EncodedColumn, encoded
from krypsis.io.sql.keys import KeyLayout
from krypsis.kernels.rows import number, number_rows, sum_by_number

COUNT = "n"
Names = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ContentCounts:
    """How often tuples occur together with the values of some columns; no pair of both stands twice.

    ``places[column]`` is the place of each entry's value among the distinct values of the column.
    """

    tuples: CodeArray
    places: Mapping[str, IntArray]
    counts: IntArray


@dataclass(frozen=True, eq=False)
class CountedTuples:
    """The distinct tuples in ascending order of their codes, and what they occur with."""

    codes: CodeArray
    counts: IntArray
    contents: Mapping[Names, ContentCounts]


def count_tuples(
    database: SqlDatabase,
    rows: int,
    keyed: Sequence[EncodedColumn],
    layout: KeyLayout,
    counted: Mapping[str, ColumnValues],
    together: Sequence[Names],
) -> CountedTuples:
    """Count the tuples of some columns, together with the values of others.

    Parameters
    ----------
    database, rows
        where the table lies, and how many rows it had.
    keyed, layout
        the columns of the tuples, and the keys that their codes make up.
    counted
        the values of further columns.
    together
        which of these are counted together; ``()`` are the tuples alone.

    Raises
    ------
    DataError
        if the table has changed.
    """
    sets = list(dict.fromkeys(together)) or [()]
    found = _ask(database, keyed, layout, counted, sets)
    contents: dict[Names, ContentCounts] = {}
    codes, counts = np.zeros((0, 0), dtype=np.int32), np.zeros(0, dtype=np.int64)
    for names, frame in zip(sets, found, strict=True):
        check_counts(frame, rows)
        keys = [frame[key].cast(pl.Int64).to_numpy() for key in layout.names]
        numbers, first = layout.numbered(keys)
        entries = frame[COUNT].cast(pl.Int64).to_numpy()
        if not contents:
            codes = layout.decode([key[first] for key in keys])
            counts = np.zeros(len(first), dtype=np.int64)
            sum_by_number(numbers, entries, counts)
        contents[names] = ContentCounts(
            numbers, {name: frame[_place(counted, name)].cast(pl.Int64).to_numpy() for name in names}, entries
        )
    return CountedTuples(codes, counts, contents)


def _place(counted: Mapping[str, ColumnValues], name: str) -> str:
    """Return what the place of a column's value is called in statements."""
    return f"p{list(counted).index(name)}"


def _ask(
    database: SqlDatabase,
    keyed: Sequence[EncodedColumn],
    layout: KeyLayout,
    counted: Mapping[str, ColumnValues],
    sets: Sequence[Names],
) -> list[pl.DataFrame]:
    """Return one frame per set of columns: keys, places and counts."""
    places = [EncodedColumn(values, np.arange(len(values.sent))) for values in counted.values()]
    called = {name: _place(counted, name) for name in counted}
    with encoded(database, [*keyed, *places]) as table:
        keys, rest = layout.expressions(table.codes[: len(keyed)]), table.codes[len(keyed) :]
        inner = [
            f"{code} as {name}" for code, name in zip([*keys, *rest], [*layout.names, *called.values()], strict=True)
        ]
        grouped = ["(" + ", ".join([*layout.names, *(called[name] for name in names)]) + ")" for names in sets]
        # Where there are several sets, a column that is not in the set of a row is null: "grouping" tells it from a
        # value that was not known before.
        marks = [f"cast(grouping({name}) as int) as g{name}" for name in called.values()] if len(sets) > 1 else []
        shown = [*layout.names, *called.values(), *marks, f"cast(count(*) as bigint) as {COUNT}"]
        how = f"grouping sets ({', '.join(grouped)})" if len(sets) > 1 else grouped[0].strip("()")
        answer = database.query(
            f"select {', '.join(shown)} from (select {', '.join(inner)} from {table.source}) e group by {how}"  # noqa: S608
        )
    if len(sets) == 1:
        return [answer]
    return [_of_set(answer, names, called) for names in sets]


def _of_set(answer: pl.DataFrame, names: Names, called: Mapping[str, str]) -> pl.DataFrame:
    wanted = [pl.col(f"g{mark}") == int(name not in names) for name, mark in called.items()]
    left_out = [
        column
        for name, mark in called.items()
        for column in (f"g{mark}", mark)
        if column[0] == "g" or name not in names
    ]
    return answer.filter(wanted).drop(left_out)


def check_counts(frame: pl.DataFrame, rows: int | None) -> None:
    """Raise if rows were counted whose values were not known before, or not as many as there were."""
    if sum(frame.null_count().row(0)):
        raise changed("it has values that it did not have before")
    if (counted := int(frame[COUNT].sum())) != rows and rows is not None:
        raise changed(f"it had {rows} rows and has {counted}")


def histogram(content: ContentCounts, name: str, domain: Domain, codes: IntArray) -> Histogram:
    """Return how often each value of a column occurs in each tuple; ``codes`` has the code of each place."""
    return _histogram(content, codes[content.places[name]], domain)


def combination(content: ContentCounts, columns: Mapping[str, tuple[Domain, IntArray]]) -> Histogram:
    """Return how often each combination of values occurs in each tuple; a column comes with the code of each place."""
    domains = tuple(domain for domain, _ in columns.values())
    coded = [codes[content.places[name]].astype(np.int32) for name, (_, codes) in columns.items()]
    numbers, first = number_rows(coded, [max(len(domain), 1) for domain in domains], len(content.counts))
    codes = np.stack([column[first] for column in coded], axis=1).astype(np.int64)
    return _histogram(content, numbers, JointDomain((), None, ", ".join(columns), columns=domains, codes=codes))


def _histogram(content: ContentCounts, codes: CodeArray | IntArray, domain: Domain) -> Histogram:
    keys = content.tuples * np.int64(len(domain)) + codes
    numbers, first = number(keys)
    counts = np.zeros(len(first), dtype=np.int64)
    sum_by_number(numbers, content.counts, counts)
    order = np.argsort(keys[first])
    entries = keys[first[order]]
    whole = np.zeros(len(domain), dtype=np.int64)
    sum_by_number(codes.astype(np.int32), content.counts, whole)
    return Histogram(entries // len(domain), entries % len(domain), counts[order], whole, domain)
