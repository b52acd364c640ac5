"""Re-derive the groups of a published table from its values alone."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import polars as pl

from krypsis.arrays import ColumnArray, IntArray
from krypsis.checker.parted_rows import PartedRows
from krypsis.checker.row_counts import MOST_KEYS, CountedColumn, narrow, runs
from krypsis.data.groups import Domain, Groups, Histogram, JointDomain
from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.errors import UsageError, column_not_found, shorten
from krypsis.io.texts import PLAIN, text_of
from krypsis.models.base import GroupModel, PrivacyModel


@dataclass(frozen=True, eq=False)
class Coded:
    """A column as places in its distinct values, which stand in ascending order, a missing value last.

    Examples
    --------
    >>> sex = Coded.of(pl.Series(["m", None, "f", "m"]))
    >>> sex.codes, sex.values.to_list()
    (array([1, 2, 0, 1]), ['f', 'm', None])
    """

    codes: ColumnArray
    values: pl.Series

    @classmethod
    def of(cls, column: pl.Series) -> "Coded":
        """Return the places of the values of a column."""
        column = column.rename(PLAIN)
        values = column.unique().sort(nulls_last=True)
        places = pl.DataFrame({"value": values, "place": np.arange(len(values))})
        found = pl.DataFrame({"value": column}).join(
            places, on="value", how="left", nulls_equal=True, maintain_order="left"
        )
        return cls(found["place"].to_numpy(), values)

    @classmethod
    def of_counted(cls, column: CountedColumn, form: Callable[[pl.Series], pl.Series]) -> "Coded":
        """Return the places of the values of distinct rows, in some form in which several may be the same."""
        places, values = column.shown_as(form)
        distinct = cls.of(values)
        return cls(narrow(distinct.codes, len(distinct))[places], distinct.values)

    def __len__(self) -> int:
        """Return the number of distinct values."""
        return len(self.values)

    def at(self, rows: IntArray) -> "Coded":
        """Return the same column at some rows only."""
        return replace(self, codes=self.codes[rows])

    def shown(self) -> pl.Series:
        """Return the values themselves."""
        return self.values.gather(self.codes)


def packed(columns: Sequence[Coded], rows: int) -> IntArray:
    """Return one number for each row, such that they are in the order of the values of the columns, the first first.

    Examples
    --------
    >>> packed([Coded.of(pl.Series(["b", "a", "b"])), Coded.of(pl.Series([7, 7, 5]))], 3)
    array([3, 1, 2])
    """
    keys, width = np.zeros(rows, dtype=np.int64), 1
    for column in columns:
        if width * len(column) > MOST_KEYS:  # only those that occur are numbered on
            distinct, keys = np.unique(keys, return_inverse=True)
            width = len(distinct)
        keys = keys * len(column) + column.codes
        width *= len(column)
    return keys


def totals(keys: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """Return the distinct keys in ascending order, and the sum of the counts of each.

    Examples
    --------
    >>> totals(np.array([7, 3, 7]), np.array([1, 5, 2]))
    (array([3, 7]), array([5, 3]))
    """
    distinct, numbers = np.unique(keys, return_inverse=True)
    return distinct, np.bincount(numbers, counts, minlength=len(distinct)).astype(np.int64)


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
    table: pl.DataFrame | PartedRows,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    reference: Mapping[str, Distribution],
    hierarchies: Mapping[str, Hierarchy],
    combinations: Sequence[tuple[str, ...]] = (),
    *,
    literal: bool = False,
) -> Counted:
    """Count the distinct combinations in one pass over the table; everything after works on the result.

    The table is in memory, or in parts of which one is at a time.

    ``combinations`` are columns whose values are counted together. Spellings of one value count as one unless
    ``literal``; quasi-identifiers are always literal, since two spellings look different to an attacker, too.
    """
    counted = dict.fromkeys((*sensitive, *(name for names in combinations for name in names)))
    for name in (*quasi_identifiers, *counted):
        if name not in table.columns:
            raise column_not_found(name, table.columns)
    every = dict.fromkeys((*quasi_identifiers, *counted))
    parted = table if isinstance(table, PartedRows) else PartedRows.of([table])
    found = parted.counted(tuple(every))
    keys = {name: Coded.of_counted(found.columns[name], _as_published) for name in quasi_identifiers}
    texts = {name: Coded.of_counted(found.columns[name], text_of) for name in counted}
    # Sorted, so that neither row order nor threads change the order in which a model adds up its numbers.
    packed_rows = packed([*keys.values(), *texts.values()], len(found.counts))
    order = pl.Series(packed_rows).arg_sort().to_numpy()
    first, _ = runs(packed_rows[order])
    rows, counts = order[first], np.add.reduceat(found.counts[order], first) if len(first) else found.counts
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
    """Return the distribution in the whole table as the reference gives it, without values that it counts 0 times."""
    given: dict[Label, int] = {value: number for value, number in reference.items() if number}
    if excess := [value for value, number in published.items() if number > given.get(value, 0)]:
        raise UsageError(
            f"the reference distribution of {name!r} must cover every published record, "
            f"but it counts fewer than the table has of: {shorten(map(repr, excess), 5)}"
        )
    return {value: given[value] for value in sorted(given, key=lambda value: (value is None, value))}


def refuse_unsound(models: Sequence[PrivacyModel]) -> None:
    """Raise if a promise cannot be decided when missing cells are wildcards."""
    for model in models:
        if not isinstance(model, GroupModel):
            raise UsageError(
                f"{model.spec} cannot be checked with missing cells as wildcards: it compares each cell with the "
                "original one; check it with missing='value'"
            )
        if model.needs_population:
            raise UsageError(
                f"{model.spec} cannot be checked with missing cells as wildcards: it compares with a population, in "
                "which a missing value is a value; check it with missing='value'"
            )
        if not model.monotone_with_suppression:
            raise UsageError(
                f"{model.spec} cannot be checked with missing cells as wildcards: a group that keeps it may lose it "
                "when records join, so no smallest group decides; check it with missing='value'"
            )


def covering_groups_of(counted: Counted, attributes: Sequence[str]) -> PublishedGroups:
    """Return one group per distinct combination of values: the records that cover it.

    Notes
    -----
    Somebody who knows a person's true values looks for the records that could be this person: those that agree in every
    cell that is not missing. A record with missing cells belongs to a person whose true values there are unknown to us;
    the attacker may know them, and they may be values that nobody else in the table has. The records that are
    candidates *whatever the truth is* are those that **cover** the record: in each attribute they show the same value,
    or nothing.

    So the group of a record is the set of records that cover it. Every set of candidates an attacker can arrive at
    contains the group of each of its records, so a promise that survives the growth of a group
    (``monotone_with_suppression``) and holds for all these groups holds for every attacker. Promises without that
    property are refused: for them no smallest group decides.

    Cost: one join for every pair of patterns of missing cells that occur, where one contains the other.
    """
    own = groups_of(counted, attributes)
    keys = own.values.columns
    records = own.values.with_row_index("group")
    counts = own.values.with_columns(count=pl.Series(own.groups.sizes))
    sizes = np.zeros(len(own.groups), dtype=np.int64)
    for found in _covering_pairs(records, counts, keys):
        # Within one pair of patterns a combination of values has at most one coverer, so no index stands twice.
        sizes[found["group"].to_numpy()] += found["count"].to_numpy()
    covered = partial(_covering_histogram, own.values, records)
    histograms = {name: covered(histogram) for name, histogram in own.groups.sensitive.items()}
    combined = {names: covered(histogram) for names, histogram in own.groups.combined.items()}
    return PublishedGroups(own.attributes, own.values, Groups(sizes, histograms, combined=combined))


def _covering_histogram(values: pl.DataFrame, records: pl.DataFrame, own: Histogram) -> Histogram:
    """Return how often each value occurs among the records that cover a combination, in ascending order."""
    entries = values[own.group].with_columns(value=pl.Series(own.value), count=pl.Series(own.count))
    pairs = [found.select("group", "value", "count") for found in _covering_pairs(records, entries, values.columns)]
    summed = pl.concat(pairs).group_by("group", "value").agg(pl.col("count").sum()).sort("group", "value")
    group, value, number = (summed[column].cast(pl.Int64).to_numpy() for column in summed.columns)
    return replace(own, group=group, value=value, count=number)


def _covering_pairs(records: pl.DataFrame, others: pl.DataFrame, keys: list[str]) -> Iterator[pl.DataFrame]:
    """Yield ``records`` joined with those ``others`` that cover them, one pair of patterns at a time."""
    coverers = _by_pattern(others, keys)
    for missing_here, mine in _by_pattern(records.select("group", *keys), keys).items():
        for missing_there, theirs in coverers.items():
            if missing_here <= missing_there:
                shown = [key for key in keys if key not in missing_there]
                left, right = mine.select("group", *shown), theirs.drop(missing_there)
                yield left.join(right, on=shown) if shown else left.join(right, how="cross")


def _by_pattern(frame: pl.DataFrame, keys: list[str]) -> dict[frozenset[str], pl.DataFrame]:
    """Split the rows by the set of keys that are missing."""
    flagged = frame.with_columns(pl.concat_str([pl.col(key).is_null().cast(pl.Int8) for key in keys]).alias("pattern"))
    parts = flagged.partition_by("pattern", as_dict=True, include_key=False)
    return {
        frozenset(key for key, flag in zip(keys, str(pattern), strict=True) if flag == "1"): part
        for (pattern,), part in parts.items()
    }
