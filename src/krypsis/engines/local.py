"""The local engine: a table in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from krypsis.arrays import CodeArray, IntArray
from krypsis.datasets.dataset import Dataset, distinct, encode
from krypsis.datasets.texts import PLAIN
from krypsis.engines.base import Suppressed
from krypsis.errors import DataError, InternalError
from krypsis.frequency import FrequencySet, Grain
from krypsis.groups import Domain, Histogram, JointDomain
from krypsis.hierarchies.base import TOP, Hierarchy, Label
from krypsis.kernels.rows import number, number_rows
from krypsis.recoding import CellRecoding, Recoding, as_cells
from krypsis.schema import Role, Schema


@dataclass(frozen=True, eq=False)
class _Encoded:
    schema: Schema
    frequency: FrequencySet
    tuple_of_row: CodeArray


class LocalEngine:
    """Works on a polars frame in memory."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._texts: dict[str, pl.Series] = {}
        self._encoded: _Encoded | None = None

    def distinct(self, column: str) -> list[Label]:
        return distinct(self._text(column))

    def frequency_set(
        self,
        schema: Schema,
        hierarchies: Mapping[str, Hierarchy],
        grain: Grain = "tuple",
        population: Dataset | None = None,
        combinations: Sequence[tuple[str, ...]] = (),
    ) -> FrequencySet:
        names = schema.quasi_identifiers
        columns = [encode(self._text(name), hierarchies[name], name) for name in names]
        people = None
        radices = [len(hierarchies[name].values) for name in names]
        rows = self._dataset.frame.height
        if grain == "record":
            hidden = [self._counted(name, hierarchies.get(name))[1] for name in schema.sensitive]
            counted = [int(codes.max(initial=0)) + 1 for codes in hidden]
            tuple_of_row, first = _each_row(number_rows([*columns, *hidden], [*radices, *counted], rows)[0])
        elif population is not None:
            others = [encode(population.texts(name), hierarchies[name], name) for name in names]
            columns = [np.concatenate(pair) for pair in zip(columns, others, strict=True)]
            numbers, first = _table_first(*number_rows(columns, radices, rows + population.frame.height), rows)
            tuple_of_row, people = numbers[:rows], np.bincount(numbers[rows:], minlength=len(first)).astype(np.int64)
        else:
            tuple_of_row, first = number_rows(columns, radices, rows)
        counts = np.bincount(tuple_of_row, minlength=len(first)).astype(np.int64)
        if people is not None:
            _check_contained(counts, people)
        frequency = FrequencySet(
            attributes=names,
            hierarchies=tuple(hierarchies[name] for name in names),
            codes=np.ascontiguousarray(np.stack([column[first] for column in columns], axis=1)),
            counts=counts,
            sensitive={name: self._histogram(name, tuple_of_row, hierarchies.get(name)) for name in schema.sensitive},
            sets=tuple(tuple(names.index(name) for name in members) for members in schema.sets),
            weights=tuple(schema.weight(name) for name in names),
            population=people,
            combined={columns: self._combination(columns, tuple_of_row, hierarchies) for columns in combinations},
        )
        self._encoded = _Encoded(schema, frequency, tuple_of_row)
        return frequency

    def apply(self, recoding: Recoding, suppressed: Suppressed) -> pl.DataFrame:
        encoded = self._ready()
        cells = as_cells(recoding, encoded.frequency)
        hidden = recoding.suppressed[encoded.tuple_of_row]
        columns = [self._column(name, cells, show_hidden=suppressed == "keep") for name in self._published()]
        table = pl.DataFrame(columns)
        return table if suppressed == "keep" or not hidden.any() else table.filter(pl.Series(~hidden))

    def with_groups(self, groups: IntArray, name: str, givers: IntArray | None = None) -> pl.DataFrame:
        encoded = self._ready()
        columns = {
            column: _one_form_per_value(self._dataset.frame.get_column(column).rename(PLAIN)).rename(column)
            for column in self._published()
        }
        if givers is not None:
            row_of_tuple = np.argsort(encoded.tuple_of_row)
            rows = row_of_tuple[givers[encoded.tuple_of_row]]
            columns |= {
                hidden: columns[hidden].rename(PLAIN).gather(rows).rename(hidden) for hidden in encoded.schema.sensitive
            }
        return pl.DataFrame([*columns.values(), pl.Series(name, groups[encoded.tuple_of_row])])

    def _published(self) -> list[str]:
        """Return the columns that may be published, in their order."""
        roles = self._ready().schema.roles
        return [name for name in self._dataset.frame.columns if name in roles and roles[name] is not Role.IDENTIFIER]

    def suppressed_rows(self, recoding: Recoding) -> Iterable[int]:
        rows: list[int] = np.flatnonzero(recoding.suppressed[self._ready().tuple_of_row]).tolist()
        return rows

    def _column(self, name: str, cells: CellRecoding, *, show_hidden: bool) -> pl.Series:
        """Return a published column before records are removed."""
        encoded = self._ready()
        original = self._dataset.frame.get_column(name)
        if encoded.schema.roles[name] is not Role.QUASI_IDENTIFIER:
            return original
        position = encoded.frequency.attributes.index(name)
        hierarchy, released = encoded.frequency.hierarchies[position], cells.released[:, position]
        labels = list(cells.codebooks[position].labels)
        if show_hidden and cells.suppressed.any():
            labels.append(hierarchy.labels[-1][0] if hierarchy.height else TOP)
            released = np.where(cells.suppressed, np.int32(len(labels) - 1), released)
        elif original.dtype != pl.String and _is_unchanged(
            labels, released, hierarchy, encoded.frequency.codes[:, position]
        ):
            return _one_form_per_value(original.rename(PLAIN)).rename(name)
        # Texts that are published as they were are made anew, too: few texts side by side are shuffled and written
        # several times as fast as those that lie all over the file that was read, and need not keep it in memory.
        return pl.Series(PLAIN, labels, dtype=pl.String).gather(released[encoded.tuple_of_row]).rename(name)

    def _histogram(self, name: str, tuple_of_row: CodeArray, hierarchy: Hierarchy | None) -> Histogram:
        domain, codes = self._counted(name, hierarchy)
        return _counted(tuple_of_row, codes, domain)

    def _combination(
        self, names: tuple[str, ...], tuple_of_row: CodeArray, hierarchies: Mapping[str, Hierarchy]
    ) -> Histogram:
        domains, columns = zip(*(self._counted(name, hierarchies.get(name)) for name in names), strict=True)
        numbers, first = number_rows(columns, [max(len(domain), 1) for domain in domains], len(tuple_of_row))
        codes = np.stack([column[first] for column in columns], axis=1).astype(np.int64)
        return _counted(tuple_of_row, numbers, JointDomain((), None, ", ".join(names), columns=domains, codes=codes))

    def _counted(self, name: str, hierarchy: Hierarchy | None) -> tuple[Domain, CodeArray]:
        """Return the values that promises count, spellings of one value as one, and the code of each row."""
        domain, place = Domain.counting(self.distinct(name), hierarchy, name)
        return domain, place.astype(np.int32)[self._codes(name)]

    def _codes(self, name: str) -> CodeArray:
        """Return the values of a column as codes, in the order of the distinct values, of which missing is the last."""
        present = [value for value in self.distinct(name) if value is not None]
        places = self._text(name).cast(pl.Enum(present)).to_physical().cast(pl.Int32)
        return places.fill_null(len(present)).to_numpy()

    def _text(self, column: str) -> pl.Series:
        if column not in self._texts:
            self._texts[column] = self._dataset.texts(column)
        return self._texts[column]

    def _ready(self) -> _Encoded:
        if self._encoded is None:
            raise InternalError("the engine was asked to recode a table before it had counted it")
        return self._encoded


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
