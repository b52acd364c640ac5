"""The local engine: a table in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from krypsis.datasets.dataset import Dataset, distinct, encode
from krypsis.engines.base import Suppressed
from krypsis.errors import InternalError
from krypsis.frequency import FrequencySet
from krypsis.groups import BoolArray, Domain, Histogram, IntArray
from krypsis.hierarchies.base import CodeArray, Hierarchy, Label
from krypsis.kernels.grouping import number_keys, sum_by_number
from krypsis.recoding import FullDomain
from krypsis.schema import Role, Schema

KEY_SPACE = 2**62
"""Row keys stay below this."""


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

    def frequency_set(self, schema: Schema, hierarchies: Mapping[str, Hierarchy]) -> FrequencySet:
        names = schema.quasi_identifiers
        columns = [encode(self._text(name), hierarchies[name], name) for name in names]
        radices = [len(hierarchies[name].values) for name in names]
        tuple_of_row, first = number_rows(columns, radices, self._dataset.frame.height)
        counts = np.bincount(tuple_of_row, minlength=len(first)).astype(np.int64)
        frequency = FrequencySet(
            attributes=names,
            hierarchies=tuple(hierarchies[name] for name in names),
            codes=np.ascontiguousarray(np.stack([column[first] for column in columns], axis=1)),
            counts=counts,
            sensitive={name: self._histogram(name, tuple_of_row, hierarchies.get(name)) for name in schema.sensitive},
            sets=tuple(tuple(names.index(name) for name in members) for members in schema.sets),
            weights=tuple(schema.weight(name) for name in names),
        )
        self._encoded = _Encoded(schema, frequency, tuple_of_row)
        return frequency

    def apply(self, recoding: FullDomain, suppressed: Suppressed) -> pl.DataFrame:
        encoded = self._ready()
        hidden = recoding.suppressed[encoded.tuple_of_row]
        published = [name for name, role in encoded.schema.roles.items() if role is not Role.IDENTIFIER]
        frame = self._dataset.frame
        order = [name for name in frame.columns if name in published]
        columns = [self._column(name, recoding, hidden, suppressed) for name in order]
        table = pl.DataFrame(columns)
        return table if suppressed == "keep" or not hidden.any() else table.filter(pl.Series(~hidden))

    def suppressed_rows(self, recoding: FullDomain) -> Iterable[int]:
        rows: list[int] = np.flatnonzero(recoding.suppressed[self._ready().tuple_of_row]).tolist()
        return rows

    def _column(self, name: str, recoding: FullDomain, hidden: BoolArray, suppressed: Suppressed) -> pl.Series:
        """Return a published column before records are removed."""
        encoded = self._ready()
        original = self._dataset.frame[name]
        if encoded.schema.roles[name] is not Role.QUASI_IDENTIFIER:
            return original
        position = encoded.frequency.attributes.index(name)
        hierarchy, level = encoded.frequency.hierarchies[position], recoding.levels[position]
        stays_visible = suppressed == "keep" and bool(hidden.any())
        if level == 0 and not stays_visible:
            return _one_form_per_value(original)
        codes = encoded.frequency.codes[encoded.tuple_of_row, position]
        recoded = hierarchy.table[level][codes]
        labels = list(hierarchy.labels[level])
        if stays_visible:
            labels.append(hierarchy.labels[-1][0] if hierarchy.height else "*")
            recoded = np.where(hidden, len(labels) - 1, recoded)
        return pl.Series(name, labels, dtype=pl.String).gather(recoded)

    def _histogram(self, name: str, tuple_of_row: CodeArray, hierarchy: Hierarchy | None) -> Histogram:
        values = self.distinct(name)
        codes = encode(self._text(name), Hierarchy.from_rows([value, "*"] for value in values), name)
        keys = tuple_of_row * np.int64(len(values)) + codes
        numbers, first = _number(keys)
        counts = np.zeros(len(first), dtype=np.int64)
        sum_by_number(numbers, np.ones(len(keys), dtype=np.int64), counts)
        whole = np.bincount(codes, minlength=len(values)).astype(np.int64)
        domain = Domain(tuple(values), hierarchy, name)
        return Histogram(keys[first] // len(values), keys[first] % len(values), counts, whole, domain)

    def _text(self, column: str) -> pl.Series:
        if column not in self._texts:
            self._texts[column] = self._dataset.texts(column)
        return self._texts[column]

    def _ready(self) -> _Encoded:
        if self._encoded is None:
            raise InternalError("the engine was asked to recode a table before it had counted it")
        return self._encoded


def _one_form_per_value(column: pl.Series) -> pl.Series:
    """Return the column so that values which count as equal are published alike: NaN as missing, -0.0 as 0.0."""
    if not column.dtype.is_float():
        return column
    return column.fill_nan(None).set((column == 0).fill_null(value=False), 0.0)


def number_rows(columns: Sequence[CodeArray], radices: Sequence[int], rows: int) -> tuple[CodeArray, IntArray]:
    """Give numbers to the distinct rows in ascending order of their codes.

    Returns the number of each row and, for each number, one row that has it. Where the mixed-radix key would overflow,
    the rows are numbered by the columns so far and that number becomes the first digit.

    Examples
    --------
    >>> number_rows([np.array([1, 0, 1], dtype=np.int32), np.array([2, 5, 2], dtype=np.int32)], [2, 6], 3)
    (array([1, 0, 1], dtype=int32), array([1, 0]))
    """
    keys = np.zeros(rows, dtype=np.int64)
    space = 1
    for column, radix in zip(columns, radices, strict=True):
        if space * radix >= KEY_SPACE:
            keys, space = _condensed(keys)
        keys *= radix
        keys += column
        space *= radix
    numbers, first = _number(keys)
    return _in_order(keys, numbers, first)


def _condensed(keys: IntArray) -> tuple[IntArray, int]:
    """Return equal-order keys without gaps, and how many there are."""
    numbers, first = _number(keys)
    ordered, _ = _in_order(keys, numbers, first)
    return ordered.astype(np.int64), len(first)


def _in_order(keys: IntArray, numbers: CodeArray, first: IntArray) -> tuple[CodeArray, IntArray]:
    order = np.argsort(keys[first])
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank[numbers], first[order]


def _number(keys: IntArray) -> tuple[CodeArray, IntArray]:
    numbers = np.empty(len(keys), dtype=np.int32)
    first = np.empty(len(keys), dtype=np.int64)
    found = number_keys(keys, numbers, first)
    return numbers, first[:found]
