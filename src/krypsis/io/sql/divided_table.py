"""A table whose distinct tuples do not fit into memory: counted, and published, in the parts that cuts make of it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np
import polars as pl

from krypsis.arrays import CodeArray, IntArray
from krypsis.data.cuts import PartCut
from krypsis.data.groups import Domain, Histogram
from krypsis.data.random_order import random_order
from krypsis.data.recoding import FrequencySet
from krypsis.data.schema import Schema
from krypsis.io.engines.base import DividedTable, PartGroups
from krypsis.io.parts import TableParts
from krypsis.io.published_columns import one_form_per_value, published_names
from krypsis.io.scratch import ScratchFolder
from krypsis.io.sql.column_values import ColumnValues
from krypsis.io.sql.database import PART, SqlDatabase, changed
from krypsis.io.sql.encoded_table import EncodedColumn, encoded
from krypsis.io.sql.keys import KeyLayout
from krypsis.io.sql.publishing import CELL_BYTES, GROUP, PART_ROWS, in_published_order
from krypsis.io.sql.tuple_counts import COUNT, ContentCounts, check_counts, histogram

TUPLE_BYTES, ATTRIBUTE_BYTES, SENSITIVE_BYTES = 160, 40, 120
"""What a distinct tuple takes while it is searched, published and checked, and in addition for each attribute and each
sensitive column, about: 1.3 million tuples of 6 attributes and a sensitive column were measured to take 0.7 GB."""
DRIVER_SHARE = 2
"""The tuples take this part of the memory at most; the rest is for the database and for what is published."""
MEMORY_SHARE = 4
"""The records of a part, with their tuples, take at most this part of the memory that the engine may take."""


@dataclass(frozen=True, eq=False)
class DividedInDatabase(DividedTable):
    """A table in a database that is cut there: parts are given by conditions on the ranks of values."""

    schema: Schema
    database: SqlDatabase
    keyed: Sequence[EncodedColumn]
    """The quasi-identifiers and their codes."""
    layout: KeyLayout
    values: Mapping[str, ColumnValues]
    """The values of the columns that are counted within tuples."""
    domains: Mapping[str, tuple[Domain, IntArray]]
    """What promises count of these columns, and the code of each value."""
    empty: FrequencySet
    """The frequency set of the table without its tuples."""
    rows: int
    memory: int
    owner: object
    """What closes the connection once nobody needs it."""
    ranks: Sequence[CodeArray] | None = None
    """The rank of each code, by attribute; the codes themselves unless given."""

    @property
    def most_rows(self) -> int:
        width = len(self.empty.attributes) + len(self.values) + len(self.database.types)
        return max(self.memory // (MEMORY_SHARE * CELL_BYTES * width), PART_ROWS[0])

    @property
    def fits(self) -> bool:
        possible = min(self.rows, prod(len(hierarchy.values) for hierarchy in self.empty.hierarchies))
        # They are counted only where they might be too many, which takes as long as any other question.
        return possible <= self.most_tuples or self.distinct <= self.most_tuples

    @property
    def most_tuples(self) -> int:
        attributes, sensitive = len(self.empty.attributes), len(self.values)
        size = TUPLE_BYTES + attributes * ATTRIBUTE_BYTES + sensitive * SENSITIVE_BYTES
        return self.memory // DRIVER_SHARE // size

    @cached_property
    def distinct(self) -> int:
        return self._count_distinct()

    @cached_property
    def contents(self) -> Mapping[str, Histogram]:
        return self.of_contents([])

    def ranked(self, ranks: Sequence[CodeArray]) -> "DividedInDatabase":
        return replace(self, ranks=ranks)

    def parts_of(self, cuts: Sequence[PartCut], codes: CodeArray) -> IntArray:
        ranks, parts = self._ranks(codes), np.zeros(len(codes), dtype=np.int64)
        for number, cut in enumerate(cuts, 1):
            axis = ranks[:, cut.axis]
            parts[(parts == cut.part) & ((axis < cut.lowest) | (axis > cut.highest))] = number
        return parts

    def _count_distinct(self) -> int:
        with self._parts_of_rows([]) as (source, _):
            keys = ", ".join(self.layout.names)
            found = self.database.query(
                f"select cast(count(*) as bigint) as {COUNT} from (select {keys} from {source} group by {keys}) d"  # noqa: S608
            )
        return int(found[COUNT].item())

    def of_values(self, cuts: Sequence[PartCut], parts: Sequence[int]) -> list[IntArray]:
        place_of = {part: place for place, part in enumerate(parts)}
        lengths = [len(hierarchy.values) for hierarchy in self.empty.hierarchies]
        counts = [np.zeros((len(parts), length), dtype=np.int64) for length in lengths]
        # One scan counts the values of all attributes; "grouping" says which attribute a row of the answer is about.
        with self._parts_of_rows(cuts) as (source, ranks):
            sets = ", ".join(f"({PART}, {rank})" for rank in ranks)
            marks = ", ".join(f"cast(grouping({rank}) as int) as g{rank}" for rank in ranks)
            some = "" if len(parts) == len(cuts) + 1 else f" where {PART} in ({', '.join(map(str, parts))})"
            found = self.database.query(
                f"select {PART}, {', '.join(ranks)}, {marks}, cast(count(*) as bigint) as {COUNT} "  # noqa: S608
                f"from {source}{some} group by grouping sets ({sets})"
            )
        for rank, table in zip(ranks, counts, strict=True):
            own = found.filter(pl.col(f"g{rank}") == 0)
            if own[rank].null_count():
                raise changed("it has values that it did not have before")
            places = own[PART].cast(pl.Int64).replace_strict(place_of, return_dtype=pl.Int64).to_numpy()
            table[places, own[rank].cast(pl.Int64).to_numpy()] = own[COUNT].cast(pl.Int64).to_numpy()
        if len(parts) == len(cuts) + 1 and (counted := int(counts[0].sum())) != self.rows:
            raise changed(f"it had {self.rows} rows and has {counted}")
        return counts

    def of_contents(self, cuts: Sequence[PartCut]) -> Mapping[str, Histogram]:
        places = self._called
        with self._parts_of_rows(cuts) as (source, _):
            grouped = ", ".join([PART, *places.values()])
            found = self.database.query(
                f"select {grouped}, cast(count(*) as bigint) as {COUNT} from {source} group by {grouped}"  # noqa: S608
            )
        check_counts(found, self.rows)
        return self._histograms(found, found[PART].cast(pl.Int64).to_numpy())

    def tuples(self, cuts: Sequence[PartCut]) -> Iterator[FrequencySet]:
        keys, found = self.layout.names, 0
        grouped = ", ".join([PART, *keys, *self._called.values()])
        with self._parts_of_rows(cuts) as (source, _):
            statement = f"select {grouped}, cast(count(*) as bigint) as {COUNT} from {source} group by {grouped}"  # noqa: S608
            for frame in self.database.parts(statement, len(cuts) + 1):
                check_counts(frame, None)
                found += int(frame[COUNT].sum())
                entries = [frame[key].cast(pl.Int64).to_numpy() for key in keys]
                numbers, first = self.layout.numbered(entries)
                counts = np.bincount(numbers, frame[COUNT].to_numpy(), minlength=len(first)).astype(np.int64)
                # Promises compare with the whole table, not with the part.
                sensitive = {
                    name: replace(one, whole=self.contents[name].whole)
                    for name, one in self._histograms(frame, numbers).items()
                }
                yield replace(
                    self.empty,
                    codes=self._codes(self.layout.decode([key[first] for key in entries])),
                    counts=counts,
                    sensitive=sensitive,
                )
        if found != self.rows:
            raise changed(f"it had {self.rows} rows and has {found}")

    def publish(
        self, cuts: Sequence[PartCut], groups_of: Callable[[int], PartGroups], unchanged: frozenset[str], seed: str
    ) -> TableParts:
        return TableParts.of(self._published(cuts, groups_of, unchanged, seed), ScratchFolder())

    def _published(
        self, cuts: Sequence[PartCut], groups_of: Callable[[int], PartGroups], unchanged: frozenset[str], seed: str
    ) -> Iterator[pl.DataFrame]:
        """Yield the published rows: parts in random order, their groups too, the records of a group by content."""
        types = self.database.types
        names = published_names(types, self.schema)
        untouched = [name for name in names if name not in self.empty.attributes]
        order = random_order(seed, len(cuts) + 1)
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        with self._parts_of_rows(cuts, place, untouched) as (source, _):
            others = [f"u{number}" for number in range(len(untouched))]
            shown = ", ".join([PART, *self.layout.names, *others])
            frames = self.database.parts(f"select {shown} from {source}", len(order))  # noqa: S608
            for part, frame in zip(order.tolist(), frames, strict=True):
                yield from self._labelled(frame, groups_of(part), untouched, unchanged, f"{seed}{part}")
        self.database.check_unchanged()

    def _labelled(
        self, frame: pl.DataFrame, groups: PartGroups, untouched: Sequence[str], unchanged: frozenset[str], seed: str
    ) -> Iterator[pl.DataFrame]:
        number = groups.labels.height
        rank = np.empty(number, dtype=np.int64)
        order = random_order(seed, number)
        rank[order] = np.arange(number)
        known = dict(zip(self.layout.names, self.layout.encode(self._ranks(groups.codes)), strict=True))
        found = frame.join(pl.DataFrame({**known, GROUP: rank[groups.group_of]}), on=self.layout.names, how="left")
        if found[GROUP].null_count():
            raise changed("it has records that it did not have before")
        sizes = np.bincount(found[GROUP].to_numpy(), minlength=number)
        if (sizes != groups.sizes[order]).any():
            raise changed("some of its records are not those that were counted")
        content = in_published_order(found, untouched, self.database.types)
        labels = {
            name: self._typed(groups.labels[name], is_unchanged=name in unchanged) for name in self.empty.attributes
        }
        names = published_names(self.database.types, self.schema)
        for start in range(0, content.height, PART_ROWS[1]):
            piece = content.slice(start, PART_ROWS[1])
            group = order[piece[GROUP].to_numpy()]
            columns = {name: label.gather(group) for name, label in labels.items()}
            columns |= {name: piece[f"u{place}"].rename(name) for place, name in enumerate(untouched)}
            yield pl.DataFrame([columns[name] for name in names])

    def _typed(self, labels: pl.Series, *, is_unchanged: bool) -> pl.Series:
        """Return labels in the type of their column, where all of them are values of it."""
        column = next(one for one in self.keyed if one.values.name == labels.name)
        if not is_unchanged or column.values.typed.dtype == pl.String:
            return labels
        # Several values may have the same text, such as two spellings of a number: any of them will do.
        known = pl.DataFrame({"text": column.values.texts, "typed": one_form_per_value(column.values.typed)})
        known = known.unique("text", keep="last", maintain_order=True)
        asked = pl.DataFrame({"text": labels})
        return asked.join(known, on="text", how="left", nulls_equal=True, maintain_order="left")["typed"].rename(
            labels.name
        )

    @contextmanager
    def _parts_of_rows(
        self, cuts: Sequence[PartCut], place_of_part: IntArray | None = None, others: Sequence[str] = ()
    ) -> Iterator[tuple[str, list[str]]]:
        """Give what stands after ``from``: all rows with their part, ranks, keys and places of counted values."""
        ranked = [
            EncodedColumn(column.values, self._ranks_of(axis, column.codes)) for axis, column in enumerate(self.keyed)
        ]
        counted = [] if others else self.values.values()
        places = [EncodedColumn(values, np.arange(len(values.sent))) for values in counted]
        names = [f"r{number}" for number in range(len(ranked))]
        with encoded(self.database, [*ranked, *places]) as table:
            called = [*names, *(self._called.values() if places else ())]
            codes = [f"{code} as {name}" for code, name in zip(table.codes, called, strict=True)]
            shown = [f"{self.database.column(name)} as u{number}" for number, name in enumerate(others)]
            keys = [
                f"{key} as {name}" for key, name in zip(self.layout.expressions(names), self.layout.names, strict=True)
            ]
            part = _part_expression(cuts, names, np.arange(len(cuts) + 1) if place_of_part is None else place_of_part)
            inner = f"(select {', '.join([*codes, *shown])} from {table.source}) i"  # noqa: S608
            yield f"(select i.*, {', '.join(keys)}, {part} as {PART} from {inner}) e", names  # noqa: S608

    @property
    def _called(self) -> dict[str, str]:
        """What the places of the values of each counted column are called in statements."""
        return {name: f"p{number}" for number, name in enumerate(self.values)}

    def _histograms(self, frame: pl.DataFrame, groups: IntArray | CodeArray) -> dict[str, Histogram]:
        places = {name: frame[called].cast(pl.Int64).to_numpy() for name, called in self._called.items()}
        content = ContentCounts(groups.astype(np.int32), places, frame[COUNT].cast(pl.Int64).to_numpy())
        return {name: histogram(content, name, *self.domains[name]) for name in self.schema.sensitive}

    def _ranks_of(self, axis: int, codes: CodeArray | IntArray) -> CodeArray | IntArray:
        return codes if self.ranks is None else self.ranks[axis][codes]

    def _ranks(self, codes: CodeArray) -> CodeArray:
        return np.stack([self._ranks_of(axis, codes[:, axis]) for axis in range(codes.shape[1])], axis=1)

    def _codes(self, ranks: CodeArray) -> CodeArray:
        if self.ranks is None:
            return ranks
        codes = [np.argsort(own)[ranks[:, axis]] for axis, own in enumerate(self.ranks)]
        return np.stack(codes, axis=1).astype(np.int32)


def _part_expression(cuts: Sequence[PartCut], ranks: Sequence[str], place_of_part: IntArray) -> str:
    """Return the number of the part of a row as an expression of its ranks.

    Examples
    --------
    >>> _part_expression([PartCut(0, 1, 0, 7), PartCut(1, 0, 3, 4)], ["r0", "r1"], np.arange(3))
    'case when r1 between 0 and 7 then 0 else case when r0 between 3 and 4 then 1 else 2 end end'
    """
    later: dict[int, list[tuple[int, PartCut]]] = {}
    for number, cut in enumerate(cuts, 1):
        later.setdefault(cut.part, []).append((number, cut))

    def expression(part: int, since: int) -> str:
        following = next(((number, cut) for number, cut in later.get(part, ()) if number > since), None)
        if following is None:
            return str(int(place_of_part[part]))
        number, cut = following
        inside = f"{ranks[cut.axis]} between {cut.lowest} and {cut.highest}"
        return f"case when {inside} then {expression(part, number)} else {expression(number, number)} end"

    return expression(0, 0)
