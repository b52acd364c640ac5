"""What a release reveals about its records: of each attribute, how likely a record is to have some of its values.

The different values of an attribute, and which of them a condition chooses.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.checker.coverage import SortedNumbers, Span, coverage_of, moment_of
from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.data.hierarchies.decimals import parse_number
from krypsis.errors import DataError, UsageError, column_not_found, shorten
from krypsis.io.dataset import Dataset
from krypsis.io.texts import distinct, text_of
from krypsis.release.release import Release

EXPECTED = "a condition is a value, a list or set of values, or a range such as (30, 40)"


class OrderedValues:
    """The values of an attribute as text, in their order.

    Examples
    --------
    >>> age = OrderedValues(["31", "45", None], "age")
    >>> [age.chosen(wanted).tolist() for wanted in ((30, 40), (40, None), "31", {31, 45}, None)]
    [[True, False, False], [False, True, False], [True, False, False], [True, True, False], [False, False, True]]
    """

    def __init__(self, values: Sequence[Label], name: str) -> None:
        self.values = tuple(values)
        self.name = name

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def is_numeric(self) -> bool:
        """Whether every value that is not missing is a number."""
        return all(value is None or parse_number(value) is not None for value in self.values)

    def chosen(self, condition: object) -> BoolArray:
        """Say for each value whether it meets a condition: a value, several, or a range with both ends included."""
        found = np.zeros(len(self), dtype=np.bool_)
        if isinstance(condition, tuple):
            found[self._within(condition)] = True
        else:
            wanted = [condition] if isinstance(condition, str) or not isinstance(condition, Iterable) else condition
            found[[self._place[text] for text in texts_of(wanted) if text in self._place]] = True
        return found

    def _within(self, ends: tuple[Any, ...]) -> list[int]:
        if len(ends) != 2:
            raise UsageError(f"{self.name}: {EXPECTED}; got {ends!r}. Write several values as a list")
        given = [end for end in ends if end is not None]
        numbers = [_number_of(end) for end in given]
        if all(number is not None for number in numbers):
            return self._numbers.within(_span("number", ends, numbers))
        moments = [_moment_of(end) for end in given]
        if all(moment is not None for moment in moments):
            return self._moments.within(_span("moment", ends, moments))
        raise UsageError(f"{self.name}: the ends of a range are numbers or dates, got {ends!r}")

    @cached_property
    def _place(self) -> dict[Label, int]:
        return {value: place for place, value in enumerate(self.values)}

    @cached_property
    def _numbers(self) -> SortedNumbers:
        return SortedNumbers([None if value is None else parse_number(value) for value in self.values])

    @cached_property
    def _moments(self) -> SortedNumbers:
        return SortedNumbers([None if value is None else moment_of(value) for value in self.values])


def texts_of(values: Iterable[object]) -> list[Label]:
    """Return values as texts, as tables and hierarchies write them.

    Examples
    --------
    >>> texts_of([31, "F", 2.0, True, date(2024, 2, 29), None])
    ['31', 'F', '2', 'true', '2024-02-29', None]
    """
    return [_text(value) for value in values]


def _text(value: object) -> Label:
    if value is None or isinstance(value, str):
        return value
    try:
        return str(text_of(pl.Series([value]))[0])
    except (TypeError, DataError, pl.exceptions.PolarsError):
        raise UsageError(f"{EXPECTED}; got {value!r} ({type(value).__name__})") from None


def _number_of(end: object) -> Decimal | None:
    return None if isinstance(end, bool | date) else parse_number(str(end))


def _moment_of(end: object) -> datetime | None:
    return moment_of(end.isoformat() if isinstance(end, date) else str(end))


def _span(kind: Any, ends: tuple[Any, ...], given: Sequence[Any]) -> Span:
    known = iter(given)
    low, high = (None if end is None else next(known) for end in ends)
    return Span(kind, low, high)


Possible = Hierarchy | Iterable[object]
"""The possible values of an attribute: a list, a range of whole numbers, or a hierarchy, whose values they are."""


class QueriedColumn(Protocol):
    """An attribute of a table."""

    def shares(self, condition: object) -> FloatArray:
        """Return for each record how likely its value meets a condition, from 0 to 1."""


@dataclass(frozen=True, eq=False)
class ExactColumn:
    """An attribute whose values stand in the table as they are."""

    axis: OrderedValues
    codes: IntArray

    @classmethod
    def of(cls, table: pl.DataFrame, name: str) -> "ExactColumn":
        """Return a column of a table."""
        labels, codes = _coded(table, name)
        return cls(OrderedValues(labels, name), codes)

    def shares(self, condition: object) -> FloatArray:
        return self.axis.chosen(condition).astype(np.float64)[self.codes]


@dataclass(frozen=True, eq=False)
class GeneralizedColumn:
    """An attribute whose labels stand for several values, all of them equally likely."""

    axis: OrderedValues
    """The possible values."""
    codes: IntArray
    """The label of each record."""
    covered: BoolArray
    """``covered[label, value]``."""

    @classmethod
    def of(cls, release: Release, name: str, possible: Possible | None) -> "GeneralizedColumn":
        """Return a column of a generalized release, given the possible values of the attribute."""
        labels, codes = _coded(release.table, name)
        hierarchy, values = _possible_values(release, name, possible)
        covered = coverage_of(labels, values, name, hierarchy)
        if empty := [label for label, row in zip(labels, covered, strict=True) if not row.any()]:
            raise UsageError(
                f"{name!r} is published as {shorten(map(repr, empty), 5)}, which stands for none of its possible "
                f"values; domains must name all values that {name!r} may have"
            )
        return cls(OrderedValues(values, name), codes, covered)

    @cached_property
    def leaves(self) -> IntArray:
        """The number of values that each label stands for."""
        return np.asarray(self.covered.sum(axis=1), dtype=np.int64)

    def shares(self, condition: object) -> FloatArray:
        met = self.covered @ self.axis.chosen(condition).astype(np.int64)
        return np.asarray(met / self.leaves)[self.codes]


@dataclass(frozen=True, eq=False)
class GroupedColumn:
    """The sensitive attribute of a release in groups: entry ``i`` says that ``group[i]`` has ``value[i]`` so often."""

    axis: OrderedValues
    group: IntArray
    value: IntArray
    count: IntArray
    group_of_record: IntArray

    @classmethod
    def of(cls, release: Release) -> "GroupedColumn":
        """Return the sensitive attribute of a release in groups, whose values are separate or permuted."""
        counted, own = _counted(release), release.table.get_column(str(release.group_column)).cast(pl.String)
        groups = pl.concat([own, counted.get_column("g")]).unique(maintain_order=True)
        labels, values = _coded(counted, "s")
        return cls(
            OrderedValues(labels, release.schema.sensitive[0]),
            _places(counted.get_column("g"), groups),
            values,
            counted.get_column("n").to_numpy(),
            _places(own, groups),
        )

    def shares(self, condition: object) -> FloatArray:
        met = np.bincount(self.group, self.count * self.axis.chosen(condition)[self.value])
        return np.asarray(met / np.bincount(self.group, self.count))[self.group_of_record]


def as_release(published: Any) -> Release:
    """Return a release that was given itself or by its folder."""
    if isinstance(published, str | os.PathLike):
        return Release.load(Path(published))
    if not isinstance(published, Release):
        raise UsageError(f"expected a release or its folder, got {type(published).__name__}")
    return published


def columns_of(release: Release, names: Sequence[str], domains: Mapping[str, Possible]) -> dict[str, QueriedColumn]:
    """Return attributes of a release; ``domains`` are the possible values of those that are generalized."""
    return {name: _column(release, name, domains.get(name)) for name in names}


def _column(release: Release, name: str, possible: Possible | None) -> QueriedColumn:
    if release.group_column is None:
        generalized = name in release.schema.quasi_identifiers
        return GeneralizedColumn.of(release, name, possible) if generalized else ExactColumn.of(release.table, name)
    return GroupedColumn.of(release) if name in release.schema.sensitive else ExactColumn.of(release.table, name)


def _coded(table: pl.DataFrame, name: str) -> tuple[list[Label], IntArray]:
    """Return the different labels of a column, and which of them each record has."""
    texts = Dataset(table, "table").collect_texts(name)
    labels = distinct(texts)
    return labels, _places(texts, pl.Series(labels, dtype=pl.String))


def _places(texts: pl.Series, known: pl.Series) -> IntArray:
    """Return the place of each text among the known ones."""
    places = pl.Series(range(len(known)), dtype=pl.Int64)
    return texts.replace_strict(known, places, return_dtype=pl.Int64).to_numpy().astype(np.int64)


def _counted(release: Release) -> pl.DataFrame:
    """Return group, sensitive value and count, under the names ``g``, ``s`` and ``n``."""
    if release.sensitive_table is not None:
        group, value, count = release.sensitive_table.get_columns()
    else:
        hidden = release.schema.sensitive[0]
        group, value = release.table.get_column(str(release.group_column)), release.table.get_column(hidden)
        pairs = pl.DataFrame([group.alias("g"), value.alias("s")]).group_by("g", "s").len("n")
        group, value, count = pairs.get_columns()
    return pl.DataFrame([group.cast(pl.String).alias("g"), value.alias("s"), count.cast(pl.Int64).alias("n")])


def _possible_values(release: Release, name: str, possible: Possible | None) -> tuple[Hierarchy | None, list[Label]]:
    if name not in release.table.columns:
        raise column_not_found(name, release.table.columns)
    if possible is None and release.evidence is not None:
        frequency = release.evidence.frequency
        possible = frequency.hierarchies[frequency.attributes.index(name)]
    if possible is None:
        raise UsageError(
            f"nothing says which values {name!r} may have, so it is not known what its labels stand for; pass domains "
            f"with a list, a range or a hierarchy for it, such as domains={{{name!r}: range(0, 100)}}; on the command "
            f"line --domain {name}=0..99, or --plan plan.yaml"
        )
    if isinstance(possible, Hierarchy):
        return possible, list(possible.values)
    return None, list(dict.fromkeys(texts_of(possible)))
