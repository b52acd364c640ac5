"""A release compared with the table before, column by column: before, after, and what labels may stand for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.checker.grouping import Coded
from krypsis.data.hierarchies.base import TOP, Hierarchy, Label
from krypsis.data.recoding import Codebook, as_cells
from krypsis.data.schema import Role
from krypsis.errors import UsageError
from krypsis.io.texts import PLAIN, encode, text_of
from krypsis.kinds.table.utility.bins import bins_of, ranks_of
from krypsis.kinds.table.utility.queried_columns import GroupedColumn
from krypsis.release.release import Release

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True, eq=False)
class SensitiveCounts:
    """A sensitive attribute in groups: ``counts[group, value]``, and the group of each published record."""

    labels: tuple[Label, ...]
    counts: "sparse.csr_array"
    group: IntArray
    leaves: IntArray | None = None
    """How many values each label stands for, where some are more general."""

    @property
    def possible(self) -> FloatArray:
        """For each published record, how many values of its group may be its own."""
        covered = np.ones(len(self.labels)) if self.leaves is None else self.leaves
        sums = np.bincount(
            np.repeat(np.arange(self.counts.shape[0]), np.diff(self.counts.indptr)),
            covered[self.counts.indices],
            minlength=self.counts.shape[0],
        )
        return np.asarray(sums[self.group], dtype=np.float64)

    def counts_of(self, values: Sequence[Label]) -> FloatArray:
        """Return how often each of some values occurs."""
        count_of = dict(zip(self.labels, np.asarray(self.counts.sum(axis=0)).ravel().tolist(), strict=True))
        return np.array([count_of.get(value, 0.0) for value in values])

    def together_with(self, shown: IntArray, shares: FloatArray, own: IntArray, width: int) -> FloatArray:
        """Return how many records, to be expected, are in a bin of another column and in one of this column.

        ``shares[shown[record], bin]`` says how likely a record is in a bin of the other; ``own`` are the bins of the
        labels of this one, which has ``width`` of them.
        """
        from scipy import sparse  # noqa: PLC0415  it takes long to load, and only releases in groups need it

        groups = self.counts.shape[0]
        pairs = sparse.csr_array((np.ones(len(self.group)), (self.group, shown)), shape=(groups, len(shares)))
        other = sparse.csr_array(pairs @ sparse.csr_array(shares))
        columns = sparse.csr_array((np.ones(len(own)), (np.arange(len(own)), own)), shape=(len(own), width))
        sizes = np.asarray(self.counts.sum(axis=1)).ravel()
        shares_of_groups = sparse.csr_array(sparse.diags_array(1.0 / np.maximum(sizes, 1)) @ self.counts @ columns)
        return np.asarray((other.T @ shares_of_groups).todense(), dtype=np.float64)


def sensitive_counts_of(release: Release) -> SensitiveCounts:
    """Return what the groups of a release reveal about its sensitive attribute."""
    from scipy import sparse  # noqa: PLC0415  it takes long to load, and only releases in groups need it

    column = GroupedColumn.of(release)
    groups = int(max(column.group.max(initial=-1), column.group_of_record.max(initial=-1))) + 1
    labels = tuple(column.axis.values)
    counts = sparse.csr_array(
        (column.count.astype(np.float64), (column.group, column.value)), shape=(groups, len(labels))
    )
    counts.sum_duplicates()
    return SensitiveCounts(labels, counts, column.group_of_record)


@dataclass(frozen=True, eq=False)
class ComparedColumn:
    """One published column: ``before[record]`` is a value of ``values``, ``after[row]`` a label of ``book``."""

    name: str
    role: Role
    values: tuple[Label, ...]
    before: CodeArray
    after: CodeArray
    book: Codebook
    weights: FloatArray
    """How many records each published row stands for."""
    matches_rows: bool = False
    """Whether row by row the published table is the one before, with values that may have been changed."""
    is_drawn_anew: bool = False
    """Whether the published records are no records of the table before."""
    is_exact: bool = False
    """Whether releases of this kind publish the column as it was, as those in groups do with separate values."""
    sensitive_counts: SensitiveCounts | None = None
    """What groups reveal of the column, where a release hides which record has which value."""
    weights_before: IntArray | None = None
    """How many records each entry of ``before`` stands for, where they were counted; one unless given."""

    @property
    def records_before(self) -> int:
        """How many records there were."""
        return len(self.before) if self.weights_before is None else int(self.weights_before.sum())

    @cached_property
    def is_treated(self) -> bool:
        """Whether a release of this kind protects the column: it could lose everything there.

        In a release of groups that are the values of which only groups reveal; else the quasi-identifiers, and every
        other column that is not published as it was.
        """
        if self.sensitive_counts is not None or self.is_exact:
            return not self.is_exact
        is_general = bool((self.book.leaves > 1).any())
        is_changed = self.matches_rows and bool(self._steps.any())
        return self.role is Role.QUASI_IDENTIFIER or is_general or is_changed or self.is_drawn_anew

    @cached_property
    def counts_before(self) -> IntArray:
        """How many records have each value."""
        return np.bincount(self.before, self.weights_before, minlength=len(self.values)).astype(np.int64)

    @cached_property
    def counts_after(self) -> FloatArray:
        """How many published records show each label."""
        return np.bincount(self.after, self.weights, minlength=len(self.book.labels)).astype(np.float64)

    @cached_property
    def estimated(self) -> FloatArray:
        """How many published records have each value, if each value that a label stands for is as likely."""
        if self.sensitive_counts is not None:
            return self.sensitive_counts.counts_of(self.values)
        each = self.counts_after / np.maximum(self.book.leaves, 1)
        edges = np.zeros(len(self.book.values) + 1)
        np.add.at(edges, self.book.starts, each)
        np.subtract.at(edges, self.book.ends, each)
        return np.bincount(self.book.values, np.cumsum(edges)[:-1], minlength=len(self.values)).astype(np.float64)

    @cached_property
    def bins(self) -> IntArray:
        """The bin of each value."""
        return bins_of(self.values, self.counts_before)

    @property
    def bin_count(self) -> int:
        """The number of bins."""
        return int(self.bins.max(initial=0)) + 1

    @cached_property
    def published_bins(self) -> tuple[IntArray, FloatArray]:
        """What each published row shows, and ``shares[shown, bin]``: how likely that stands for a value of a bin.

        All values of a label are as likely. Where every label is one value, rows simply show its bin.
        """
        bins, width = self.bins[self.book.values], self.bin_count
        if (self.book.leaves == 1).all():
            return bins[self.book.starts][self.after], np.eye(width)
        shares = np.empty((len(self.book.labels), width))
        for number in range(width):
            before = np.append(0, np.cumsum(bins == number))
            shares[:, number] = before[self.book.ends] - before[self.book.starts]
        return self.after.astype(np.int64), shares / np.maximum(self.book.leaves, 1)[:, None]

    @property
    def imprecision(self) -> float:
        """The mean over published records of (values it may be − 1) ÷ (values − 1).

        Where single values were changed, it is (values from the one before to the published one) ÷ (values − 1).
        """
        others = max(len(self.values) - 1, 1)
        if self.sensitive_counts is not None:
            return float(np.sum(self.sensitive_counts.possible - 1)) / others / max(len(self.sensitive_counts.group), 1)
        records = float(self.weights.sum())
        away = float(self._steps.sum()) if self.matches_rows else 0.0
        return (float(self.counts_after @ (self.book.leaves - 1)) + away) / others / records if records else 0.0

    @property
    def _steps(self) -> IntArray:
        """How many values away from the one before each published value is; another text is as far as can be."""
        exact = self.book.leaves[self.after] == 1
        old, new = self.before[exact], self.book.values[self.book.starts][self.after][exact]
        ranks = ranks_of(self.values)
        if ranks is None:
            return np.where(old == new, 0, len(self.values) - 1)
        return np.asarray(np.abs(ranks[old] - ranks[new]))


@dataclass(frozen=True, eq=False)
class TableComparison:
    """The columns of a release next to those before, in the order of the table before."""

    columns: tuple[ComparedColumn, ...]

    @property
    def sampled(self) -> int:
        """In how many records pairs are looked at that are not counted together; 0 where that is all of them."""
        return 0

    def is_sampled(self, one: ComparedColumn, other: ComparedColumn) -> bool:  # noqa: ARG002  here all are counted
        """Say whether a pair of columns is looked at in a sample of the records."""
        return False

    def together(self, one: ComparedColumn, other: ComparedColumn) -> tuple[ComparedColumn, ComparedColumn]:
        """Return two of the columns such that entry by entry they are about the same records."""
        return one, other


def compared_columns(release: Release) -> tuple[ComparedColumn, ...]:
    """Return the published columns next to those before, in the order of the table before.

    Raises
    ------
    UsageError
        if the release does not carry the table before.
    """
    if release.before is None or release.before.sets is not None:
        raise UsageError(
            "this compares a release with the table before, and this release does not carry it (it was loaded from its "
            "published files, or holds sets of items); take the result of krypsis.anonymize"
        )
    weights = _weights(release)
    return tuple(
        _compared(release, series, release.schema.roles.get(series.name, Role.INSENSITIVE), weights)
        for series in release.before.table
    )


def _weights(release: Release) -> FloatArray:
    """Return how many records each row stands for; a noisy count below 0 is none."""
    column = None if release.mechanism_record is None else release.mechanism_record.count_column
    if column is None:
        return np.ones(release.table.height)
    return np.asarray(np.maximum(release.table.get_column(column).cast(pl.Float64).to_numpy(), 0.0))


def _compared(release: Release, series: pl.Series, role: Role, weights: FloatArray) -> ComparedColumn:
    if release.group_column is not None and role is Role.SENSITIVE:
        return _compared_in_groups(release, series, role)
    published = _coded(release.table.get_column(series.name))
    values, codes, book = _understood(release, series, published.values.to_list())
    matches = release.before is not None and release.before.matches_rows
    rows = published.codes.astype(np.int32)
    return ComparedColumn(
        series.name,
        role,
        values,
        codes,
        rows,
        book,
        weights,
        matches_rows=matches,
        is_drawn_anew=_is_drawn_anew(release),
        is_exact=release.group_column is not None and not _has_labels(release, series.name),
    )


def _is_drawn_anew(release: Release) -> bool:
    """Say whether records are made by chance: nothing was generalized, and rows do not go with those before."""
    if release.before is None or release.evidence is not None or release.group_column is not None:
        return False
    return release.mechanism_record is not None or not (
        release.before.matches_rows or release.publication.subject_column
    )


def _has_labels(release: Release, name: str) -> bool:
    return release.before is not None and name in release.before.books


def _compared_in_groups(release: Release, series: pl.Series, role: Role) -> ComparedColumn:
    """Return a column of which groups reveal; labels that no record has are values, too, such as more general ones."""
    old, sensitive_counts = _coded(series), sensitive_counts_of(release)
    known = old.values.to_list()
    values = list(dict.fromkeys([*known, *sensitive_counts.labels]))
    hierarchy = None if release.before is None else release.before.hierarchies.get(series.name)
    if hierarchy is not None and len(values) > len(known):
        sensitive_counts = replace(
            sensitive_counts, leaves=_leaves_among(sensitive_counts.labels, set(known), hierarchy)
        )
    nowhere, rows = book_of_values(values, np.arange(len(values))), np.zeros(0, dtype=np.int32)
    codes = old.codes.astype(np.int32)
    return ComparedColumn(
        series.name, role, nowhere.labels, codes, rows, nowhere, np.zeros(0), sensitive_counts=sensitive_counts
    )


def _leaves_among(labels: Sequence[Label], known: set[Label], hierarchy: Hierarchy) -> IntArray:
    """Return for how many known values each label may stand, at least one."""
    nodes = _nodes(hierarchy)
    found = (sum(hierarchy.values[code] in known for code in nodes.get(label, ())) for label in labels)
    return np.maximum(np.fromiter(found, dtype=np.int64, count=len(labels)), 1)


def _understood(
    release: Release, series: pl.Series, labels: list[Label]
) -> tuple[tuple[Label, ...], CodeArray, Codebook]:
    """Return the values of a column, those of the records, and what each published label stands for."""
    name, evidence, before = series.name, release.evidence, release.before
    if evidence is not None and name in evidence.frequency.attributes:
        place = evidence.frequency.attributes.index(name)
        hierarchy = evidence.frequency.hierarchies[place]
        book = as_cells(evidence.recoding, evidence.frequency).codebooks[place]
        return hierarchy.values, _encoded(series, hierarchy), book_for_labels(labels, book, hierarchy)
    if before is not None and name in before.books:
        hierarchy = before.hierarchies[name]
        return hierarchy.values, _encoded(series, hierarchy), book_for_labels(labels, before.books[name], hierarchy)
    given = {**release.publication.sensitive_hierarchies, **(before.hierarchies if before is not None else {})}
    old = _coded(series)
    if name in given and not set(labels) <= set(old.values):
        return _by_hierarchy(series, labels, given[name])
    return _unchanged(old, labels)


def _by_hierarchy(
    series: pl.Series, labels: list[Label], hierarchy: Hierarchy
) -> tuple[tuple[Label, ...], CodeArray, Codebook]:
    """Return a column whose labels are nodes of a hierarchy; others are values that no record has."""
    nodes = _nodes(hierarchy)
    strangers = [label for label in labels if label not in nodes]
    own = {label: [len(hierarchy.values) + at] for at, label in enumerate(strangers)}
    members = {label: nodes[label] if label in nodes else own[label] for label in labels}
    return (*hierarchy.values, *strangers), _encoded(series, hierarchy), Codebook.of(members, [0.0] * len(members))


def _unchanged(old: Coded, labels: list[Label]) -> tuple[tuple[Label, ...], CodeArray, Codebook]:
    """Return a column whose labels are values; a cell that is missing only since it was published may be any."""
    known = old.values.to_list()
    place: dict[Label, int] = {label: code for code, label in enumerate(known)}
    blank = None in labels and None not in place
    for label in labels:
        if not (blank and label is None):
            place.setdefault(label, len(place))
    book = book_of_values(labels, np.array([place.get(label, 0) for label in labels], dtype=np.int64))
    codes = old.codes.astype(np.int32)
    if not blank:
        return tuple(place), codes, book
    at, values = labels.index(None), np.concatenate([book.values, np.arange(len(place))])
    starts, ends = book.starts.copy(), book.ends.copy()
    starts[at], ends[at] = len(book.values), len(values)
    return tuple(place), codes, Codebook(book.labels, starts, ends, values, book.climbed)


def book_of_values(labels: Sequence[Label], values: IntArray) -> Codebook:
    """Return the codebook of labels that stand for one value each."""
    places = np.arange(len(labels), dtype=np.int64)
    return Codebook(tuple(labels), places, places + 1, values.astype(np.int64), np.zeros(len(labels)))


def _coded(series: pl.Series) -> Coded:
    return Coded.of(text_of(series))


def _encoded(series: pl.Series, hierarchy: Hierarchy) -> CodeArray:
    return encode(text_of(series).rename(PLAIN), hierarchy, series.name)


def book_for_labels(labels: Sequence[Label], book: Codebook, hierarchy: Hierarchy) -> Codebook:
    """Return the part of a codebook for some labels; what it lacks is the top, which suppressed records show."""
    place = {label: code for code, label in enumerate(book.labels)}
    codes = np.array([place.get(label, -1) for label in labels], dtype=np.int64)
    values = np.concatenate([book.values, np.arange(len(hierarchy.values))])
    starts = np.where(codes < 0, len(book.values), np.append(book.starts, 0)[codes])
    ends = np.where(codes < 0, len(values), np.append(book.ends, 0)[codes])
    return Codebook(tuple(labels), starts, ends, values, np.zeros(len(labels)))


def _nodes(hierarchy: Hierarchy) -> Mapping[Label, list[int]]:
    """Return the values below each label of a hierarchy."""
    found: dict[Label, set[int]] = {TOP: set(range(len(hierarchy.values)))}
    for row, labels in zip(hierarchy.table, hierarchy.labels, strict=True):
        for value, code in enumerate(row.tolist()):
            found.setdefault(labels[code], set()).add(value)
    return {label: sorted(values) for label, values in found.items()}
