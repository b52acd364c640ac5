"""The memory engine: a table that is in memory as a polars frame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

import numpy as np
import polars as pl

from krypsis.arrays import CodeArray, IntArray
from krypsis.data.frequency import FrequencySet, Grain
from krypsis.data.groups import Domain, Histogram, JointDomain
from krypsis.data.hierarchies.base import TOP, Hierarchy, Label
from krypsis.data.recoding import CellRecoding, Recoding, as_cells
from krypsis.data.schema import Role, Schema
from krypsis.errors import DataError, column_not_found
from krypsis.io.engines.base import CountedTable, Engine, Suppressed
from krypsis.io.frames import frame_of, picked
from krypsis.io.texts import PLAIN, distinct, distinct_texts, encode, text_of
from krypsis.kernels.rows import number, number_rows


class MemoryEngine(Engine):
    """Works on a polars frame; files and tables of other libraries are read whole."""

    name: ClassVar[str] = "memory"

    def __init__(self, source: pl.DataFrame) -> None:
        self._frame = source

    @classmethod
    def source_of(cls, data: object, what: str) -> pl.DataFrame:
        return frame_of(data, what)

    @property
    def columns(self) -> list[str]:
        return self._frame.columns

    @property
    def types(self) -> dict[str, pl.DataType]:
        return dict(self._frame.schema)

    @property
    def rows(self) -> int:
        return self._frame.height

    def collect(self, columns: Iterable[str] | None = None) -> pl.DataFrame:
        return self._frame if columns is None else picked(self._frame, columns)

    def collect_sample(self, step: int) -> pl.DataFrame:
        return self._frame.gather_every(step)

    def distinct(self, column: str) -> list[Label]:
        if column not in self._frame.columns:
            raise column_not_found(column, self._frame.columns)
        return distinct_texts(self._frame.get_column(column))

    def count_tuples(
        self,
        schema: Schema,
        hierarchies: Mapping[str, Hierarchy],
        grain: Grain = "tuple",
        population: Engine | None = None,
        combinations: Sequence[tuple[str, ...]] = (),
    ) -> CountedTable:
        values = _Values(self._frame, hierarchies)
        names = schema.quasi_identifiers
        columns = [encode(values.texts(name), hierarchies[name], name) for name in names]
        people = None
        radices = [len(hierarchies[name].values) for name in names]
        if grain == "record":
            hidden = [values.counted(name)[1] for name in schema.sensitive]
            counted = [int(codes.max(initial=0)) + 1 for codes in hidden]
            tuple_of_row, first = _each_row(number_rows([*columns, *hidden], [*radices, *counted], self.rows)[0])
        elif population is not None:
            everybody = population.collect(names)
            others = [encode(text_of(everybody.get_column(name)), hierarchies[name], name) for name in names]
            columns = [np.concatenate(pair) for pair in zip(columns, others, strict=True)]
            numbers, first = _table_first(*number_rows(columns, radices, self.rows + everybody.height), self.rows)
            tuple_of_row = numbers[: self.rows]
            people = np.bincount(numbers[self.rows :], minlength=len(first)).astype(np.int64)
        else:
            tuple_of_row, first = number_rows(columns, radices, self.rows)
        counts = np.bincount(tuple_of_row, minlength=len(first)).astype(np.int64)
        if people is not None:
            _check_contained(counts, people)
        frequency = FrequencySet(
            attributes=names,
            hierarchies=tuple(hierarchies[name] for name in names),
            codes=np.ascontiguousarray(np.stack([column[first] for column in columns], axis=1)),
            counts=counts,
            sensitive={name: values.histogram(name, tuple_of_row) for name in schema.sensitive},
            sets=tuple(tuple(names.index(name) for name in members) for members in schema.sets),
            weights=tuple(schema.weight(name) for name in names),
            population=people,
            combined={columns: values.combination(columns, tuple_of_row) for columns in combinations},
        )
        return _CountedFrame(self._frame, schema, frequency, tuple_of_row)


class _Values:
    """The values of columns as texts and codes, each made once while a table is counted."""

    def __init__(self, frame: pl.DataFrame, hierarchies: Mapping[str, Hierarchy]) -> None:
        self._frame = frame
        self._hierarchies = hierarchies
        self._texts: dict[str, pl.Series] = {}

    def texts(self, name: str) -> pl.Series:
        if name not in self._texts:
            self._texts[name] = text_of(self._frame.get_column(name)).rename(PLAIN)
        return self._texts[name]

    def counted(self, name: str) -> tuple[Domain, CodeArray]:
        """Return the values that promises count, spellings of one value as one, and the code of each row."""
        values = distinct(self.texts(name))
        domain, place = Domain.counting(values, self._hierarchies.get(name), name)
        # The code of a row is the place of its text among the distinct values, of which missing is the last.
        present = [value for value in values if value is not None]
        places = self.texts(name).cast(pl.Enum(present)).to_physical().cast(pl.Int32)
        return domain, place.astype(np.int32)[places.fill_null(len(present)).to_numpy()]

    def histogram(self, name: str, tuple_of_row: CodeArray) -> Histogram:
        domain, codes = self.counted(name)
        return _counted(tuple_of_row, codes, domain)

    def combination(self, names: tuple[str, ...], tuple_of_row: CodeArray) -> Histogram:
        domains, columns = zip(*(self.counted(name) for name in names), strict=True)
        numbers, first = number_rows(columns, [max(len(domain), 1) for domain in domains], len(tuple_of_row))
        codes = np.stack([column[first] for column in columns], axis=1).astype(np.int64)
        return _counted(tuple_of_row, numbers, JointDomain((), None, ", ".join(names), columns=domains, codes=codes))


class _CountedFrame(CountedTable):
    def __init__(self, frame: pl.DataFrame, schema: Schema, frequency: FrequencySet, tuple_of_row: CodeArray) -> None:
        self.frequency = frequency
        self._frame = frame
        self._schema = schema
        self._tuple_of_row = tuple_of_row

    def apply(self, recoding: Recoding, suppressed: Suppressed) -> pl.DataFrame:
        cells = as_cells(recoding, self.frequency)
        hidden = recoding.suppressed[self._tuple_of_row]
        columns = [self._column(name, cells, show_hidden=suppressed == "keep") for name in self._published()]
        table = pl.DataFrame(columns)
        return table if suppressed == "keep" or not hidden.any() else table.filter(pl.Series(~hidden))

    def with_groups(self, groups: IntArray, name: str, givers: IntArray | None = None) -> pl.DataFrame:
        columns = {
            column: _one_form_per_value(self._frame.get_column(column).rename(PLAIN)).rename(column)
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
        """Return the columns that may be published, in their order."""
        roles = self._schema.roles
        return [name for name in self._frame.columns if name in roles and roles[name] is not Role.IDENTIFIER]

    def _column(self, name: str, cells: CellRecoding, *, show_hidden: bool) -> pl.Series:
        """Return a published column before records are removed."""
        original = self._frame.get_column(name)
        if self._schema.roles[name] is not Role.QUASI_IDENTIFIER:
            return original
        position = self.frequency.attributes.index(name)
        hierarchy, released = self.frequency.hierarchies[position], cells.released[:, position]
        labels = list(cells.codebooks[position].labels)
        if show_hidden and cells.suppressed.any():
            labels.append(hierarchy.labels[-1][0] if hierarchy.height else TOP)
            released = np.where(cells.suppressed, np.int32(len(labels) - 1), released)
        elif original.dtype != pl.String and _is_unchanged(
            labels, released, hierarchy, self.frequency.codes[:, position]
        ):
            return _one_form_per_value(original.rename(PLAIN)).rename(name)
        # Texts that are published as they were are made anew, too: few texts side by side are shuffled and written
        # several times as fast as those that lie all over the file that was read, and need not keep it in memory.
        return pl.Series(PLAIN, labels, dtype=pl.String).gather(released[self._tuple_of_row]).rename(name)


def _counted(tuple_of_row: CodeArray, codes: CodeArray, domain: Domain) -> Histogram:
    """Return how often each code occurs in each tuple."""
    keys = tuple_of_row * np.int64(len(domain)) + codes
    numbers, first = number(keys)
    counts = np.bincount(numbers, minlength=len(first)).astype(np.int64)
    whole = np.bincount(codes, minlength=len(domain)).astype(np.int64)
    return Histogram(keys[first] // len(domain), keys[first] % len(domain), counts, whole, domain)


def _check_contained(counts: IntArray, people: IntArray) -> None:
    if outside := int(np.maximum(counts - people, 0).sum()):
        raise DataError(
            f"{outside} of {counts.sum()} records are not in the population: nobody there, or too few, has their "
            "values in the quasi-identifiers; the population must hold everybody in the data, written the same way"
        )


def _table_first(numbers: CodeArray, first: IntArray, rows: int) -> tuple[CodeArray, IntArray]:
    """Give the lower numbers to the tuples that one of the first ``rows`` rows has; else in the order as it is."""
    own = np.bincount(numbers[:rows], minlength=len(first)) > 0
    order = np.argsort(~own, kind="stable")
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank[numbers], first[order]


def _each_row(number_of_row: CodeArray) -> tuple[CodeArray, IntArray]:
    """Return numbers that no two rows share, in the order of the numbers given, and the row of each."""
    rows = np.argsort(number_of_row, kind="stable")
    numbers = np.empty(len(rows), dtype=np.int32)
    numbers[rows] = np.arange(len(rows), dtype=np.int32)
    return numbers, rows


def _is_unchanged(labels: Sequence[Label], released: CodeArray, hierarchy: Hierarchy, codes: CodeArray) -> bool:
    """Say whether every tuple is published with its own value."""
    code_of = {label: code for code, label in enumerate(labels)}
    own = np.array([code_of.get(value, -1) for value in hierarchy.values], dtype=np.int32)
    return bool((own[codes] == released).all())


def _one_form_per_value(column: pl.Series) -> pl.Series:
    """Return the column so that values which count as equal are published alike: NaN as missing, -0.0 as 0.0."""
    if not column.dtype.is_float():
        return column
    return column.fill_nan(None).set((column == 0).fill_null(value=False), 0.0)
