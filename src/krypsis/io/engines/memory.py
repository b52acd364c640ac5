"""The memory engine: a table that is in memory."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl

from krypsis.arrays import CodeArray, ColumnArray, IntArray
from krypsis.data.groups import Domain, Histogram, JointDomain
from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.data.recoding import CellRecoding, FrequencySet, Grain, Recoding, as_cells
from krypsis.data.schema import Role, Schema
from krypsis.errors import column_not_found
from krypsis.io.addresses import refuse_address
from krypsis.io.coded_table import CodedTable, are_many, coded
from krypsis.io.engines.base import CountedRows, Engine, Suppressed
from krypsis.io.frames import frame_of, picked
from krypsis.io.population_tuples import check_contained, table_first
from krypsis.io.published_columns import PublishedAttribute, one_form_per_value, published_names
from krypsis.io.read import read_coded
from krypsis.io.texts import PLAIN, distinct, distinct_texts, encode_column, numbered_values, text_of
from krypsis.kernels.rows import number, number_rows


class MemoryEngine(Engine):
    """Works on a polars frame; files and tables of other libraries are read whole, many texts as numbers."""

    name: ClassVar[str] = "memory"
    keeps_rows: ClassVar[bool] = False

    def __init__(self, source: pl.DataFrame | CodedTable, memory: int | None = None) -> None:  # noqa: ARG002  it is there
        self._table = source if isinstance(source, CodedTable) else CodedTable(source)

    @classmethod
    def source_of(cls, data: object, what: str, **reading: str | None) -> pl.DataFrame | CodedTable:
        refuse_address(data, cls.name)
        return read_coded(Path(data), **reading) if isinstance(data, str | os.PathLike) else frame_of(data, what)

    @property
    def columns(self) -> list[str]:
        return self._table.frame.columns

    @property
    def types(self) -> dict[str, pl.DataType]:
        return self._table.types

    @property
    def rows(self) -> int:
        return self._table.frame.height

    def collect(self, columns: Iterable[str] | None = None) -> pl.DataFrame:
        return self._table.rows(columns)

    def collect_sample(self, rows: IntArray, columns: Iterable[str] | None = None) -> pl.DataFrame:
        found = self._table.at(rows)
        return found if columns is None else picked(found, columns)

    def distinct(self, column: str) -> list[Label]:
        if column not in self.columns:
            raise column_not_found(column, self.columns)
        return distinct_texts(self._table.frame.get_column(column))

    def count_tuples(
        self,
        schema: Schema,
        hierarchies: Mapping[str, Hierarchy],
        grain: Grain = "tuple",
        population: Engine | None = None,
        combinations: Sequence[tuple[str, ...]] = (),
    ) -> CountedRows:
        frame = self._table.frame
        values = _Values(frame, hierarchies)
        names = schema.quasi_identifiers
        columns = [_codes(frame.get_column(name), hierarchies[name], name) for name in names]
        people = None
        radices = [len(hierarchies[name].values) for name in names]
        if grain == "record":
            hidden = [values.counted(name)[1] for name in schema.sensitive]
            counted = [int(codes.max(initial=0)) + 1 for codes in hidden]
            tuple_of_row, first = _each_row(number_rows([*columns, *hidden], [*radices, *counted], self.rows)[0])
        elif population is not None:
            everybody = population.collect(names)
            others = [_codes(everybody.get_column(name), hierarchies[name], name) for name in names]
            columns = [np.concatenate(pair) for pair in zip(columns, others, strict=True)]
            numbers, first = table_first(*number_rows(columns, radices, self.rows + everybody.height), self.rows)
            tuple_of_row = numbers[: self.rows]
            people = np.bincount(numbers[self.rows :], minlength=len(first)).astype(np.int64)
        else:
            tuple_of_row, first = number_rows(columns, radices, self.rows)
        counts = np.bincount(tuple_of_row, minlength=len(first)).astype(np.int64)
        if people is not None:
            check_contained(counts, people)
        frequency = FrequencySet(
            attributes=names,
            hierarchies=tuple(hierarchies[name] for name in names),
            codes=np.ascontiguousarray(np.stack([column[first] for column in columns], axis=1), dtype=np.int32),
            counts=counts,
            sensitive={name: values.histogram(name, tuple_of_row) for name in schema.sensitive},
            sets=tuple(tuple(names.index(name) for name in members) for members in schema.sets),
            weights=tuple(schema.weight(name) for name in names),
            population=people,
            combined={columns: values.combination(columns, tuple_of_row) for columns in combinations},
        )
        return _CountedFrame(self._table, schema, frequency, tuple_of_row)


def _codes(column: pl.Series, hierarchy: Hierarchy, name: str) -> ColumnArray:
    """Return the code of each value in as few bytes as the hierarchy allows: all columns are in memory at once."""
    return encode_column(column, hierarchy, name).astype(np.min_scalar_type(len(hierarchy.values)), copy=False)


class _Values:
    """The values that promises count, and their codes, while a table is counted."""

    def __init__(self, frame: pl.DataFrame, hierarchies: Mapping[str, Hierarchy]) -> None:
        self._frame = frame
        self._hierarchies = hierarchies

    def counted(self, name: str) -> tuple[Domain, CodeArray]:
        """Return the values that promises count, spellings of one value as one, and the code of each row."""
        column = self._frame.get_column(name)
        found = numbered_values(column)
        texts = text_of(column if found is None else found[0]).rename(PLAIN)
        values = distinct(texts)
        domain, place = Domain.counting(values, self._hierarchies.get(name), name)
        # The code of a row is the place of its text among the distinct values, of which missing is the last.
        present = [value for value in values if value is not None]
        places = texts.cast(pl.Enum(present)).to_physical().cast(pl.Int32)
        codes = place.astype(np.int32)[places.fill_null(len(present)).to_numpy()]
        return domain, codes if found is None else codes[found[1]]

    def histogram(self, name: str, tuple_of_row: CodeArray) -> Histogram:
        domain, codes = self.counted(name)
        return _counted(tuple_of_row, codes, domain)

    def combination(self, names: tuple[str, ...], tuple_of_row: CodeArray) -> Histogram:
        domains, columns = zip(*(self.counted(name) for name in names), strict=True)
        numbers, first = number_rows(columns, [max(len(domain), 1) for domain in domains], len(tuple_of_row))
        codes = np.stack([column[first] for column in columns], axis=1).astype(np.int64)
        return _counted(tuple_of_row, numbers, JointDomain((), None, ", ".join(names), columns=domains, codes=codes))


class _CountedFrame(CountedRows):
    def __init__(self, table: CodedTable, schema: Schema, frequency: FrequencySet, tuple_of_row: CodeArray) -> None:
        self.frequency = frequency
        self._table = table
        self._schema = schema
        self._tuple_of_row = tuple_of_row

    def apply(self, recoding: Recoding, suppressed: Suppressed) -> pl.DataFrame:
        cells = as_cells(recoding, self.frequency)
        hidden = recoding.suppressed[self._tuple_of_row]
        keep = suppressed == "keep"
        shown = None if keep or not hidden.any() else pl.Series(PLAIN, ~hidden)
        tuples = self._tuple_of_row if shown is None else self._tuple_of_row[~hidden]
        return pl.DataFrame([self._column(name, cells, tuples, shown, keep=keep) for name in self._published()])

    def with_groups(self, groups: IntArray, name: str, givers: IntArray | None = None) -> pl.DataFrame:
        columns = {
            column: one_form_per_value(self._table.column(column).rename(PLAIN)).rename(column)
            for column in self._published()
        }
        if givers is not None:
            row_of_tuple = np.argsort(self._tuple_of_row)
            rows = row_of_tuple[givers[self._tuple_of_row]]
            columns |= {
                hidden: columns[hidden].rename(PLAIN).gather(rows).rename(hidden) for hidden in self._schema.sensitive
            }
        return pl.DataFrame([*columns.values(), pl.Series(name, groups[self._tuple_of_row])])

    def suppressed_rows(self, recoding: Recoding) -> list[int]:
        rows: list[int] = np.flatnonzero(recoding.suppressed[self._tuple_of_row]).tolist()
        return rows

    def _published(self) -> list[str]:
        return published_names(self._table.frame.columns, self._schema)

    def _column(
        self, name: str, cells: CellRecoding, tuples: CodeArray, shown: pl.Series | None, *, keep: bool
    ) -> pl.Series:
        """Return a published column at the rows that are shown, all unless given, which have these tuples.

        Of many rows, texts are returned as categories: these are put in another order ten times as fast.
        """
        original = self._table.frame.get_column(name)
        if self._schema.roles[name] is not Role.QUASI_IDENTIFIER:
            short = coded(original) if are_many(len(original)) else original
            return _at(shown, one_form_per_value(short.rename(PLAIN)).rename(name))
        attribute = PublishedAttribute.of(name, cells, self.frequency, show_hidden=keep)
        if self._table.types[name] != pl.String and attribute.is_unchanged:
            return _at(shown, one_form_per_value(original.rename(PLAIN)).rename(name))
        # Texts that are published as they were are made anew, too: few texts side by side are shuffled and written
        # several times as fast as those that lie all over the file that was read, and need not keep it in memory.
        labels = pl.Series(PLAIN, attribute.labels, dtype=pl.String)
        return (coded(labels) if are_many(len(original)) else labels).gather(attribute.released[tuples]).rename(name)


def _at(shown: pl.Series | None, column: pl.Series) -> pl.Series:
    return column if shown is None else column.rename(PLAIN).filter(shown).rename(column.name)


def _counted(tuple_of_row: CodeArray, codes: CodeArray, domain: Domain) -> Histogram:
    """Return how often each code occurs in each tuple."""
    keys = tuple_of_row * np.int64(len(domain)) + codes
    numbers, first = number(keys)
    counts = np.bincount(numbers, minlength=len(first)).astype(np.int64)
    whole = np.bincount(codes, minlength=len(domain)).astype(np.int64)
    return Histogram(keys[first] // len(domain), keys[first] % len(domain), counts, whole, domain)


def _each_row(number_of_row: CodeArray) -> tuple[CodeArray, IntArray]:
    """Return numbers that no two rows share, in the order of the numbers given, and the row of each."""
    rows = np.argsort(number_of_row, kind="stable")
    numbers = np.empty(len(rows), dtype=np.int32)
    numbers[rows] = np.arange(len(rows), dtype=np.int32)
    return numbers, rows
