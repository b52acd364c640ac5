"""Publishing a table that stays where it lies: groups in random order, written in parts of bounded size.

The published files follow from what is published and from the seed, and from nothing else: groups are permuted with
the seed, and the records of a group are in the order of their other columns. Records that are alike in all columns
cannot be distinguished, so that the order of the input leaves no trace, not even for somebody who knows the seed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from krypsis.arrays import CodeArray, IntArray
from krypsis.data.random_order import random_order
from krypsis.data.recoding import FrequencySet, Recoding, as_cells
from krypsis.data.schema import Schema
from krypsis.io.engines.base import CountedElsewhere, Suppressed
from krypsis.io.parts import TableParts
from krypsis.io.published_columns import PublishedAttribute, one_form_per_value, published_names
from krypsis.io.scratch import ScratchFolder
from krypsis.io.sql.column_values import ColumnValues, as_type
from krypsis.io.sql.database import PART, SqlDatabase, changed
from krypsis.io.sql.encoded_table import EncodedColumn, encoded
from krypsis.io.sql.keys import KeyLayout
from krypsis.io.sql.tuple_counts import COUNT, ContentCounts
from krypsis.kernels.rows import number_rows, sum_by_number

GROUP = "g"
REMOVED = -1
"""The group of records that are not published."""
CELL_BYTES = 40
"""What a published cell takes while a part is made, about."""
MEMORY_SHARE = 8
"""A part takes at most this part of the memory that the engine may take."""
PART_ROWS = (10_000, 1_000_000)
"""The fewest and the most rows of a part."""


@dataclass(frozen=True, eq=False)
class CountedInDatabase(CountedElsewhere):
    """A counted table in a database."""

    frequency: FrequencySet
    schema: Schema
    database: SqlDatabase
    keyed: Sequence[EncodedColumn]
    """The quasi-identifiers and their codes."""
    layout: KeyLayout
    values: Mapping[str, ColumnValues]
    """The values of the columns that were counted."""
    contents: Sequence[ContentCounts]
    memory: int
    owner: object
    """What closes the connection once nobody needs it."""

    def publish(self, recoding: Recoding, suppressed: Suppressed, seed: str) -> TableParts:
        names = published_names(self.database.types, self.schema)
        untouched = [name for name in names if name not in self.frequency.attributes]
        groups = _Groups.of(self, [name for name in names if name not in untouched], recoding, suppressed, seed)
        most = self._part_rows(len(names))
        content = next((one for one in self.contents if set(one.places) == set(untouched)), None)
        if content is not None:
            frames = _from_counts(content, groups, untouched, self.values, most)
        else:
            frames = _from_rows(self, groups, untouched, most)
        published = (pl.DataFrame([columns[name] for name in names]) for columns in frames)
        return TableParts.of(_filled(published), ScratchFolder())

    def _part_rows(self, width: int) -> int:
        fewest, most = PART_ROWS
        return min(max(self.memory // (MEMORY_SHARE * CELL_BYTES * max(width, 1)), fewest), most)


def _filled(frames: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Leave out frames without rows; if none has any, one of them stays."""
    empty, has_rows = pl.DataFrame(), False
    for frame in frames:
        if frame.height:
            has_rows = True
            yield frame
        else:
            empty = frame
    if not has_rows:
        yield empty


@dataclass(frozen=True, eq=False)
class _Groups:
    """The published groups in published order, each by its number there."""

    of_tuple: IntArray
    """The group of each tuple of the frequency set, or :data:`REMOVED`."""
    sizes: IntArray
    labels: Mapping[str, tuple[pl.Series, CodeArray]]
    """Attribute → what it is published with, and which of it each group has."""

    @classmethod
    def of(
        cls, table: CountedInDatabase, names: Sequence[str], recoding: Recoding, suppressed: Suppressed, seed: str
    ) -> "_Groups":
        frequency = table.frequency
        cells = as_cells(recoding, frequency)
        shown = {
            name: PublishedAttribute.of(name, cells, frequency, show_hidden=suppressed == "keep") for name in names
        }
        is_published = frequency.counts > 0
        if suppressed == "remove":
            is_published &= ~cells.suppressed
        kept = np.flatnonzero(is_published)
        released = [attribute.released[kept] for attribute in shown.values()]
        radices = [len(attribute.labels) for attribute in shown.values()]
        numbers, first = number_rows(released, radices, len(kept))
        rank = np.empty(len(first), dtype=np.int64)
        order = random_order(seed, len(first))
        rank[order] = np.arange(len(first))
        of_tuple = np.full(len(frequency.counts), REMOVED, dtype=np.int64)
        of_tuple[kept] = rank[numbers]
        sizes = np.zeros(len(first), dtype=np.int64)
        sum_by_number(of_tuple[kept].astype(np.int32), frequency.counts[kept], sizes)
        representative = kept[first[order]]
        labels = {name: _labels(table, name, one, representative) for name, one in shown.items()}
        return cls(of_tuple, sizes, labels)

    def columns(self, group_of_row: IntArray) -> dict[str, pl.Series]:
        """Return the quasi-identifiers of records."""
        return {name: labels.gather(code[group_of_row]).rename(name) for name, (labels, code) in self.labels.items()}


def _labels(
    table: CountedInDatabase, name: str, shown: PublishedAttribute, representative: IntArray
) -> tuple[pl.Series, CodeArray]:
    """Return what an attribute is published with, and which of it the group of each tuple given has."""
    column = table.keyed[table.frequency.attributes.index(name)]
    if column.values.typed.dtype == pl.String or not shown.is_unchanged:
        return pl.Series(shown.labels, dtype=pl.String), shown.released[representative]
    place_of_code = np.zeros(len(shown.hierarchy.values), dtype=np.int32)
    place_of_code[column.codes] = np.arange(len(column.codes), dtype=np.int32)
    return one_form_per_value(column.values.typed), place_of_code[shown.codes[representative]]


def _from_counts(
    content: ContentCounts, groups: _Groups, untouched: Sequence[str], values: Mapping[str, ColumnValues], most: int
) -> Iterator[dict[str, pl.Series]]:
    """Yield parts of at most so many rows where all that is published of a record has been counted."""
    group = groups.of_tuple[content.tuples]
    kept = np.flatnonzero(group != REMOVED)
    order = kept[np.lexsort([*(content.places[name][kept] for name in reversed(untouched)), group[kept]])]
    for places in _repeated(content.counts[order], most):
        entries = order[places]
        columns = groups.columns(group[entries])
        for name in untouched:
            columns[name] = values[name].typed.gather(content.places[name][entries]).rename(name)
        yield columns


def _repeated(counts: IntArray, most: int) -> Iterator[IntArray]:
    """Yield the places of all counts, each as often as its count says, in pieces of at most so many.

    Examples
    --------
    >>> [places.tolist() for places in _repeated(np.array([2, 3]), 4)]
    [[0, 0, 1, 1], [1]]
    """
    ends = np.cumsum(counts)
    rows = int(ends[-1]) if len(ends) else 0
    for start in range(0, max(rows, 1), most):
        end = min(start + most, rows)
        low, high = np.searchsorted(ends, [start, max(end - 1, start)], side="right")
        edges = np.concatenate([[start], np.minimum(ends[low : high + 1], end)])
        yield np.repeat(np.arange(low, min(high + 1, len(ends))), np.diff(edges))


def _from_rows(
    table: CountedInDatabase, groups: _Groups, untouched: Sequence[str], most: int
) -> Iterator[dict[str, pl.Series]]:
    """Yield parts whose other columns are read where the table lies; check that they are still those counted."""
    found = np.zeros(len(groups.sizes), dtype=np.int64)
    types = table.database.types
    for frame in _narrow(table, groups, untouched, most):
        if frame[GROUP].null_count():
            raise changed("it has records that it did not have before")
        content = in_published_order(frame, untouched, types)
        group = content[GROUP].cast(pl.Int64).to_numpy()
        counts = content[COUNT].cast(pl.Int64).to_numpy() if COUNT in content.columns else np.ones(len(group), np.int64)
        sum_by_number(group.astype(np.int32), counts, found)
        for places in _repeated(counts, most if COUNT in content.columns else max(len(counts), 1)):
            columns = groups.columns(group[places])
            for place, name in enumerate(untouched):
                columns[name] = content[f"u{place}"].gather(places).rename(name)
            yield columns
    table.database.check_unchanged()
    if (found != groups.sizes).any():
        raise changed("some of its records are not those that were counted")


def in_published_order(frame: pl.DataFrame, untouched: Sequence[str], types: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Return rows by their group, then by their other columns, in the types and the form that are published."""
    typed = {f"u{place}": as_type(frame[f"u{place}"], types[name]) for place, name in enumerate(untouched)}
    content = frame.with_columns(one_form_per_value(column).alias(key) for key, column in typed.items())
    return content.sort(GROUP, *typed)


def _narrow(table: CountedInDatabase, groups: _Groups, untouched: Sequence[str], most: int) -> Iterator[pl.DataFrame]:
    """Yield the group and the other columns of all published records, part by part.

    Where a group is larger than a part, it goes into several, by a hash of the other columns; because many records may
    have the same, each is sent once with their count.
    """
    database, layout = table.database, table.layout
    part, spread = _parts(groups.sizes, most)
    target = pl.DataFrame(
        {
            **dict(zip(layout.names, layout.encode(table.frequency.codes), strict=True)),
            GROUP: groups.of_tuple,
            PART: np.append(part, 0)[groups.of_tuple],  # what is removed has the last place, -1
            "spread": np.append(spread, 1)[groups.of_tuple],
        }
    )
    others = [f"{database.column(name)} as u{place}" for place, name in enumerate(untouched)]
    called = [f"e.u{place}" for place in range(len(untouched))]
    place, counting, grouping = f"m.{PART}", [], ""
    if (spread > 1).any():
        place = f"case when m.spread > 1 then {place} + {database.hash_of(called)} % m.spread else {place} end"
        counting = [f"cast(count(*) as bigint) as {COUNT}"]
        grouping = f" group by coalesce({place}, 0), m.{GROUP}, {', '.join(called)}"
    shown = [f"coalesce({place}, 0) as {PART}", f"m.{GROUP} as {GROUP}", *called, *counting]
    with encoded(database, table.keyed) as source, database.uploaded(target) as groups_of_keys:
        keys = [f"{code} as {key}" for code, key in zip(layout.expressions(source.codes), layout.names, strict=True)]
        same = " and ".join(f"e.{key} = m.{key}" for key in layout.names)
        yield from database.parts(
            f"select {', '.join(shown)} from (select {', '.join([*keys, *others])} from {source.source}) e "  # noqa: S608
            f"left join {groups_of_keys} m on {same} where m.{GROUP} is null or m.{GROUP} <> {REMOVED}{grouping}",
            int((part + spread).max(initial=1)),
        )


def _parts(sizes: IntArray, most: int) -> tuple[IntArray, IntArray]:
    """Return the part of each group, and over how many parts from there on it is spread.

    Examples
    --------
    >>> _parts(np.array([2, 2, 9]), 4)
    (array([0, 0, 1]), array([1, 1, 3]))
    """
    ends = np.cumsum(sizes)
    first = (ends - sizes) // most
    last = np.maximum(ends - 1, 0) // most
    return first, np.where(sizes > most, last - first + 1, 1)
