"""A release compared with a table whose rows stay where they lie: from counts, and where they do not suffice, a sample.

The frequency set has the quasi-identifiers of all records, each sensitive attribute together with them, and the
recoding has what is published of them. What two other columns have to do with each other is seen in a sample only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.checker.grouping import Coded
from krypsis.data.hierarchies.base import Label
from krypsis.data.recoding import as_cells
from krypsis.data.schema import Role
from krypsis.errors import DataError, InternalError
from krypsis.io.texts import PLAIN, encode, text_of
from krypsis.kernels.rows import number_rows
from krypsis.kinds.table.group_risk import CodedColumn, with_tops
from krypsis.kinds.table.utility.column_comparison import (
    ComparedColumn,
    TableComparison,
    book_for_labels,
    book_of_values,
    compared_columns,
)
from krypsis.release.provenance import Before, PartsEvidence, RecodingEvidence
from krypsis.release.release import Release


def comparison_of(release: Release) -> TableComparison:
    """Return the columns of a release next to those before, from records where these are at hand, else from counts.

    Raises
    ------
    UsageError
        if the release does not carry what was before.
    """
    before = release.before
    if before is not None and before.parts is not None:
        return _comparison_of_parts(release, before, before.parts)
    if before is None or before.evidence is None or release.publication.is_in_memory:
        return TableComparison(compared_columns(release))
    counted = RecodedTuples(before.evidence, release.suppression)
    return CountedComparison(_columns(release, counted, before), counted, before)


def _comparison_of_parts(release: Release, before: Before, parts: PartsEvidence) -> "ComparisonOfParts":
    """Compare a table whose distinct tuples do not fit into memory: columns by counts, pairs in a sample."""
    roles = {name: release.schema.roles[name] for name in release.publication.columns}
    sample = _sample_of(before, RecodedTuples(parts.sample, release.suppression), roles)
    columns = tuple(_column_of_parts(parts, name, role, sample) for name, role in roles.items())
    return ComparisonOfParts(columns, sample, release.rows_before)


def _column_of_parts(parts: PartsEvidence, name: str, role: Role, sample: "_Sample") -> ComparedColumn:
    if role is Role.QUASI_IDENTIFIER:
        place = parts.groups.attributes.index(name)
        hierarchy, book = parts.groups.hierarchies[place], parts.recoding.codebooks[place]
        labels, after = _in_use(book.labels, parts.recoding.released[:, place])
        return ComparedColumn(
            name,
            role,
            hierarchy.values,
            np.arange(len(hierarchy.values), dtype=np.int32),
            after,
            book_for_labels(labels, book, hierarchy),
            parts.groups.counts.astype(np.float64),
            weights_before=parts.marginals[place],
        )
    if role is not Role.SENSITIVE:
        return sample.column(name)
    hidden = parts.groups.sensitive[name]
    used = np.flatnonzero(hidden.whole)
    places = np.arange(len(used), dtype=np.int32)
    values = [hidden.domain.values[code] for code in used.tolist()]
    counts = hidden.whole[used]
    book = book_of_values(values, places.astype(np.int64))
    return ComparedColumn(
        name, role, tuple(values), places, places, book, counts.astype(np.float64), weights_before=counts
    )


@dataclass(frozen=True, eq=False)
class ComparisonOfParts(TableComparison):
    """A comparison from counts, and of pairs from a sample."""

    sample: "_Sample"
    records: int
    """How many there are in all."""

    @property
    def sampled(self) -> int:
        size = self.sample.rows.height
        return size if size < self.records else 0

    def is_sampled(self, one: ComparedColumn, other: ComparedColumn) -> bool:  # noqa: ARG002  all are
        return bool(self.sampled)

    def together(self, one: ComparedColumn, other: ComparedColumn) -> tuple[ComparedColumn, ComparedColumn]:
        return self._in_sample[one.name], self._in_sample[other.name]

    @cached_property
    def _in_sample(self) -> dict[str, ComparedColumn]:
        return {column.name: self.sample.column(column.name) for column in self.columns}


@dataclass(frozen=True, eq=False)
class RecodedTuples:
    """The distinct tuples of quasi-identifiers before, and what is published of each."""

    evidence: RecodingEvidence
    suppression: str

    @cached_property
    def published(self) -> BoolArray:
        """Which tuples are published."""
        suppressed = self.evidence.recoding.suppressed
        return np.ones_like(suppressed) if self.suppression == "keep" else ~suppressed

    @cached_property
    def _after(self) -> tuple[CodedColumn, ...]:
        """What each tuple would show, also those that are not published."""
        cells = as_cells(self.evidence.recoding, self.evidence.frequency)
        columns = [CodedColumn(cells.released[:, place], book.labels) for place, book in enumerate(cells.codebooks)]
        return with_tops(columns, self.evidence, cells.suppressed) if self.suppression == "keep" else tuple(columns)

    def column(self, name: str, tuples: IntArray, records: IntArray) -> ComparedColumn:
        """Return a quasi-identifier of records, ``records[i]`` of which have the tuple ``tuples[i]``."""
        frequency = self.evidence.frequency
        place = frequency.attributes.index(name)
        hierarchy, shown = frequency.hierarchies[place], self.published[tuples]
        labels, after = _in_use(self._after[place].labels, self._after[place].codes[tuples[shown]])
        book = as_cells(self.evidence.recoding, frequency).codebooks[place]
        return ComparedColumn(
            name,
            Role.QUASI_IDENTIFIER,
            hierarchy.values,
            frequency.codes[tuples, place],
            after,
            book_for_labels(labels, book, hierarchy),
            records[shown].astype(np.float64),
            weights_before=records,
        )

    def all_of(self, name: str) -> ComparedColumn:
        """Return a quasi-identifier of all records."""
        counts = self.evidence.frequency.counts
        return self.column(name, np.arange(len(counts)), counts)

    def untouched(
        self, name: str, role: Role, column: tuple[Sequence[Label], CodeArray], tuples: IntArray, records: IntArray
    ) -> ComparedColumn:
        """Return a column that is published as it was; values and their codes are given."""
        values, codes = column
        shown = self.published[tuples]
        places, after = np.unique(codes[shown], return_inverse=True)
        return ComparedColumn(
            name,
            role,
            tuple(values),
            codes.astype(np.int32),
            after.astype(np.int32),
            book_of_values([values[place] for place in places.tolist()], places.astype(np.int64)),
            records[shown].astype(np.float64),
            weights_before=records,
        )

    def sensitive(self, name: str) -> ComparedColumn:
        """Return a sensitive column of all records."""
        histogram = self.evidence.frequency.sensitive[name]
        used, codes = np.unique(histogram.value, return_inverse=True)
        # In the order in which values of records stand: ties between equally frequent ones are broken by it.
        texts = Coded.of(pl.Series([histogram.domain.values[code] for code in used.tolist()], dtype=pl.String))
        column = (texts.values.to_list(), texts.codes[codes].astype(np.int32))
        return self.untouched(name, Role.SENSITIVE, column, histogram.group, histogram.count)


@dataclass(frozen=True, eq=False)
class _Sample:
    """Some records of the table before, and the tuple of each."""

    rows: pl.DataFrame
    roles: dict[str, Role]
    counted: RecodedTuples

    @cached_property
    def _tuples(self) -> IntArray:
        frequency = self.counted.evidence.frequency
        own = [
            encode(text_of(self.rows.get_column(name)).rename(PLAIN), hierarchy, name)
            for name, hierarchy in zip(frequency.attributes, frequency.hierarchies, strict=True)
        ]
        known, radices = len(frequency.counts), [len(hierarchy.values) for hierarchy in frequency.hierarchies]
        columns = [np.concatenate([frequency.codes[:, place], codes]) for place, codes in enumerate(own)]
        numbers, first = number_rows(columns, radices, known + self.rows.height)
        tuple_of = np.full(len(first), -1, dtype=np.int64)
        tuple_of[numbers[:known]] = np.arange(known)
        found: IntArray = tuple_of[numbers[known:]]
        if (found < 0).any():
            raise DataError("the table has changed while it was worked on: the sample has records that were not there")
        return found

    def column(self, name: str) -> ComparedColumn:
        ones = np.ones(self.rows.height, dtype=np.int64)
        if self.roles[name] is Role.QUASI_IDENTIFIER:
            return self.counted.column(name, self._tuples, ones)
        coded = Coded.of(text_of(self.rows.get_column(name)))
        column = (coded.values.to_list(), coded.codes.astype(np.int32))
        return self.counted.untouched(name, self.roles[name], column, self._tuples, ones)


@dataclass(frozen=True, eq=False)
class CountedComparison(TableComparison):
    """A comparison from counts; of pairs that are not counted together, from a sample."""

    counted: RecodedTuples
    before: Before

    @property
    def sampled(self) -> int:
        sample, records = self.before.sample, self.counted.evidence.frequency.rows
        return sample.height if sample is not None and sample.height < records else 0

    def is_sampled(self, one: ComparedColumn, other: ComparedColumn) -> bool:
        roles = {one.role, other.role}
        counted = (Role.QUASI_IDENTIFIER in roles) and Role.INSENSITIVE not in roles
        return bool(self.sampled) and not counted

    def together(self, one: ComparedColumn, other: ComparedColumn) -> tuple[ComparedColumn, ComparedColumn]:
        roles = {one.role, other.role}
        if roles == {Role.QUASI_IDENTIFIER}:
            return one, other
        if roles == {Role.QUASI_IDENTIFIER, Role.SENSITIVE}:
            known, hidden = (one, other) if one.role is Role.QUASI_IDENTIFIER else (other, one)
            histogram = self.counted.evidence.frequency.sensitive[hidden.name]
            found = self.counted.column(known.name, histogram.group, histogram.count)
            return (found, hidden) if known is one else (hidden, found)
        return self._in_sample(one), self._in_sample(other)

    def _in_sample(self, column: ComparedColumn) -> ComparedColumn:
        if column.name not in self._sample_columns:
            self._sample_columns[column.name] = self._sample.column(column.name)
        return self._sample_columns[column.name]

    @cached_property
    def _sample_columns(self) -> dict[str, ComparedColumn]:
        return {column.name: column for column in self.columns if column.role is Role.INSENSITIVE}

    @cached_property
    def _sample(self) -> _Sample:
        return _sample_of(self.before, self.counted, {column.name: column.role for column in self.columns})


def _sample_of(before: Before, counted: RecodedTuples, roles: dict[str, Role]) -> _Sample:
    if before.sample is None:
        raise InternalError("a sample of the records should have been kept; please report this")
    return _Sample(before.sample, roles, counted)


def _columns(release: Release, counted: RecodedTuples, before: Before) -> tuple[ComparedColumn, ...]:
    names = release.publication.columns
    roles = {name: release.schema.roles[name] for name in names}
    sample = _sample_of(before, counted, roles) if Role.INSENSITIVE in roles.values() else None
    return tuple(_column(name, role, counted, sample) for name, role in roles.items())


def _column(name: str, role: Role, counted: RecodedTuples, sample: _Sample | None) -> ComparedColumn:
    if role is Role.QUASI_IDENTIFIER:
        return counted.all_of(name)
    return counted.sensitive(name) if sample is None or role is Role.SENSITIVE else sample.column(name)


def _in_use(labels: Sequence[Label], codes: CodeArray) -> tuple[list[Label], CodeArray]:
    """Return the labels that occur, and the place of each code among them."""
    used, places = np.unique(codes, return_inverse=True)
    return [labels[code] for code in used.tolist()], places.astype(np.int32)
