"""Re-derive the groups of a published table from its values alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from krypsis.arrays import IntArray
from krypsis.checker.coding import Coded, packed, totals
from krypsis.datasets.texts import text_of
from krypsis.errors import UsageError, column_not_found, shorten
from krypsis.groups import Domain, Groups, Histogram, JointDomain
from krypsis.hierarchies.base import Hierarchy, Label

Distribution = Mapping[str, int] | Mapping[Label, int]
"""How often each value of a sensitive attribute occurs; ``None`` stands for a missing value."""


@dataclass(frozen=True, eq=False)
class Values:
    """The values that are counted in groups, of one column or of several together: their codes at each row.

    ``whole`` counts them in the whole table.
    """

    codes: IntArray
    whole: IntArray
    domain: Domain


@dataclass(frozen=True, eq=False)
class Counted:
    """The distinct combinations of published values, in ascending order, and the number of records that show each."""

    counts: IntArray
    quasi_identifiers: Mapping[str, Coded]
    sensitive: Mapping[str, Values]
    combined: Mapping[tuple[str, ...], Values] = field(default_factory=dict)
    """Columns whose values a promise counts together → those combinations of values."""


@dataclass(frozen=True, eq=False)
class PublishedGroups:
    """The groups of one quasi-identifier set: what they look like (row ``g`` of ``values``) and what they hold.

    The columns of ``values`` have names of our own, so that no column name of a user can get in the way.
    """

    attributes: tuple[str, ...]
    values: pl.DataFrame
    groups: Groups


def count(
    table: pl.DataFrame,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    reference: Mapping[str, Distribution],
    hierarchies: Mapping[str, Hierarchy],
    combinations: Sequence[tuple[str, ...]] = (),
    *,
    literal: bool = False,
) -> Counted:
    """Count the distinct combinations in one pass over the table; everything after works on the result.

    ``combinations`` are columns whose values are counted together. Spellings of one value count as one unless
    ``literal``; quasi-identifiers are always literal, since two spellings look different to an attacker, too.
    """
    counted = dict.fromkeys((*sensitive, *(name for names in combinations for name in names)))
    for name in (*quasi_identifiers, *counted):
        if name not in table.columns:
            raise column_not_found(name, table.columns)
    keys = {name: Coded.of(_as_published(table.get_column(name))) for name in quasi_identifiers}
    texts = {name: Coded.of(text_of(table.get_column(name))) for name in counted}
    # Sorted, so that neither row order nor threads change the order in which a model adds up its numbers.
    every = packed([*keys.values(), *texts.values()], table.height)
    _, rows, counts = np.unique(every, return_index=True, return_counts=True)
    keys, texts = ({name: column.at(rows) for name, column in columns.items()} for columns in (keys, texts))
    values = {
        name: _values(texts[name], counts, name, reference.get(name), hierarchies, literal=literal) for name in counted
    }
    combined = {names: _together([values[name] for name in names], counts, names) for names in combinations}
    return Counted(counts, keys, {name: values[name] for name in sensitive}, combined)


def groups_of(counted: Counted, attributes: Sequence[str]) -> PublishedGroups:
    """Return the groups of one quasi-identifier set; a missing value matches only another missing value."""
    columns = [counted.quasi_identifiers[name] for name in attributes]
    keys = packed(columns, len(counted.counts))
    _, rows, numbers = np.unique(keys, return_index=True, return_inverse=True)
    shown = pl.DataFrame([column.at(rows).shown().alias(f"q{place}") for place, column in enumerate(columns)])
    histograms = {name: _histogram(values, numbers, counted.counts) for name, values in counted.sensitive.items()}
    combined = {names: _histogram(values, numbers, counted.counts) for names, values in counted.combined.items()}
    sizes = np.bincount(numbers, counted.counts, minlength=len(rows)).astype(np.int64)
    return PublishedGroups(tuple(attributes), shown, Groups(sizes, histograms, combined=combined))


def _histogram(values: Values, numbers: IntArray, counts: IntArray) -> Histogram:
    """Return how often each value occurs in each group, in ascending order."""
    width = max(len(values.domain), 1)
    entries, sums = totals(numbers * width + values.codes, counts)
    return Histogram(entries // width, entries % width, sums, values.whole, values.domain)


def _values(
    column: Coded,
    counts: IntArray,
    name: str,
    reference: Distribution | None,
    hierarchies: Mapping[str, Hierarchy],
    *,
    literal: bool,
) -> Values:
    """Return a column as values of its domain: the published values, or those of the reference."""
    published = np.bincount(column.codes, counts, minlength=len(column)).astype(np.int64)
    labels = column.values.to_list()
    whole = dict(zip(labels, published.tolist(), strict=True))
    if reference is not None:
        whole = _whole(name, whole, reference)
    hierarchy, given = hierarchies.get(name), list(whole)
    domain, place = (
        (Domain(tuple(given), hierarchy, name), np.arange(len(given)))
        if literal
        else Domain.counting(given, hierarchy, name)
    )
    code_of = dict(zip(given, place.tolist(), strict=True))
    codes = np.array([code_of[label] for label in labels], dtype=np.int64)[column.codes]
    sums = np.bincount(place, list(whole.values()), minlength=len(domain)).astype(np.int64)
    return Values(codes, sums, domain)


def _together(columns: Sequence[Values], counts: IntArray, names: Sequence[str]) -> Values:
    """Return the combinations of values of some columns that occur, in ascending order."""
    numbers, first = np.zeros(len(counts), dtype=np.int64), np.zeros(1, dtype=np.int64)
    for column in columns:
        keys = numbers * max(len(column.domain), 1) + column.codes
        _, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
    codes = np.stack([column.codes[first] for column in columns], axis=1)
    whole = np.bincount(numbers, counts, minlength=len(codes)).astype(np.int64)
    domains = tuple(column.domain for column in columns)
    return Values(numbers, whole, JointDomain((), None, ", ".join(names), columns=domains, codes=codes))


def _as_published(column: pl.Series) -> pl.Series:
    """Return a quasi-identifier so that values are equal only if they look the same: ``0.0`` is not ``-0.0``."""
    if column.dtype.is_integer() or column.dtype == pl.String:
        return column
    return column.cast(pl.String) if column.dtype.is_float() else text_of(column)


def _whole(name: str, published: Mapping[Label, int], reference: Distribution) -> dict[Label, int]:
    """Return the distribution in the whole table as the reference tells it, without values that it counts 0 times."""
    given: dict[Label, int] = {value: number for value, number in reference.items() if number}
    if excess := [value for value, number in published.items() if number > given.get(value, 0)]:
        raise UsageError(
            f"the reference distribution of {name!r} must cover every published record, "
            f"but it counts fewer than the table has of: {shorten(map(repr, excess), 5)}"
        )
    return {value: given[value] for value in sorted(given, key=lambda value: (value is None, value))}
