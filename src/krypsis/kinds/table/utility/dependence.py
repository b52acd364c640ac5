"""How much columns reveal about each other, before and after: the information that every pair shares."""

from dataclasses import dataclass
from itertools import combinations
from math import log

import numpy as np

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.schema import Role
from krypsis.kinds.table.utility.column_comparison import ComparedColumn, TableComparison
from krypsis.kinds.table.utility.counted_comparison import comparison_of
from krypsis.release.release import Release

MOST_COLUMNS = 14
"""Of tables with more columns, quasi-identifiers come first, then sensitive ones."""

_ORDER = (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.INSENSITIVE)


@dataclass(frozen=True, eq=False)
class Dependence:
    """How much columns reveal about each other: ``before[i, j]`` and ``after[i, j]``, from 0 (nothing) to 1 (all)."""

    columns: tuple[str, ...]
    before: FloatArray
    after: FloatArray
    treated: tuple[bool, ...] | None = None
    """Which columns the release protects; all of them unless said."""
    sampled: int = 0
    """In how many records some of the pairs were looked at; 0 where all pairs were in all records."""
    from_sample: BoolArray | None = None
    """Which pairs these are."""

    @property
    def is_sampled_throughout(self) -> bool:
        """Whether every pair comes from a sample."""
        return self.from_sample is not None and bool(
            (self.from_sample | np.eye(len(self.columns), dtype=np.bool_)).all()
        )

    @property
    def is_kept_from_sample(self) -> bool:
        """Whether :attr:`kept` comes from a sample, in part at least."""
        return self.from_sample is not None and bool((self.from_sample & self._counting).any())

    @property
    def _counting(self) -> BoolArray:
        """Which pairs count: those of which the release protects a column."""
        treated = np.array([True] * len(self.columns) if self.treated is None else self.treated, dtype=np.bool_)
        return np.triu(treated[:, None] | treated[None, :], 1)

    @property
    def kept(self) -> float | None:
        """How much of it is as before: 1 − ∑|after − before| ÷ ∑ before, at least 0; nothing where nothing was shared.

        Only pairs count of which the release protects a column: the others stay as they are, whatever is done.

        Examples
        --------
        >>> found = Dependence(("a", "b"), np.array([[1, 0.75], [0.75, 1]]), np.array([[1, 0.25], [0.25, 1]]))
        >>> round(found.kept, 4)
        0.3333
        """
        pairs = self._counting
        shared = float(self.before[pairs].sum())
        return max(1.0 - float(np.abs(self.after - self.before)[pairs].sum()) / shared, 0.0) if shared > 0 else None


def dependence(release: Release) -> Dependence:
    """Return how much the columns of a release reveal about each other, compared with the table before.

    Notes
    -----
    The mutual information of two columns, corrected for chance, in parts of the smaller of their entropies before.
    Columns with more than 30 values are put into bins first, the same before and after; a label counts for each value
    that it stands for to the same part. What chance adds is taken from the table before. Of a table with more than 14
    columns, 14 are looked at. Of a table whose rows stay where they lie, pairs of a quasi-identifier and another one,
    or a sensitive column, come from counts of all records, the others from a sample.

    Raises
    ------
    UsageError
        if the release does not carry the table before.

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> table = pl.DataFrame({"sex": ["F", "M"] * 20, "ward": ["A", "B"] * 20})
    >>> roles = {"sex": "quasi-identifier", "ward": "sensitive"}
    >>> found = dependence(krypsis.anonymize(table, roles, models="k-anonymity:k=21"))
    >>> round(float(found.before[0, 1]), 2), float(found.after[0, 1])
    (0.98, 0.0)
    """
    return dependence_between(comparison_of(release))


def dependence_between(compared: TableComparison) -> Dependence:
    """Return the dependence of compared columns, of some where there are many."""
    shown = sorted(compared.columns, key=lambda column: _ORDER.index(column.role))[:MOST_COLUMNS]
    before, after = np.eye(len(shown)), np.eye(len(shown))
    from_sample = np.zeros((len(shown), len(shown)), dtype=np.bool_)
    for i, j in combinations(range(len(shown)), 2):
        one, other = compared.together(shown[i], shown[j])
        from_sample[i, j] = from_sample[j, i] = compared.is_sampled(one, other)
        # Both in parts of what could be known before: else a column with fewer values would seem to reveal more.
        most = min(_entropy_before(one), _entropy_before(other))
        old = _table_before(one, other)
        before[i, j] = before[j, i] = _part(shared_information(old), most)
        after[i, j] = after[j, i] = _part(shared_information(_table_after(one, other), chance_in(old)), most)
    names, treated = tuple(column.name for column in shown), tuple(column.is_treated for column in shown)
    sampled = compared.sampled if from_sample.any() else 0
    return Dependence(names, before, after, treated, sampled, from_sample)


def shared_information(counts: FloatArray, chance: float | None = None) -> float:
    """Return how many bits rows and columns of a table of counts carry about each other, without what chance adds.

    Notes
    -----
    Mutual information less ``chance``; unless given, that is ``(rows − 1)(columns − 1) ÷ (2 n ln 2)``, which
    independent columns share by chance.

    References
    ----------
    Miller, "Note on the bias of information estimates", Information Theory in Psychology, 1955.

    Examples
    --------
    >>> round(shared_information(np.array([[500.0, 0], [0, 500]])), 2)
    1.0
    >>> shared_information(np.array([[25.0, 25], [25, 25]]))
    0.0
    """
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    if min(counts.shape) < 2:
        return 0.0
    found = entropy(counts.sum(axis=1)) + entropy(counts.sum(axis=0)) - entropy(counts.ravel())
    found -= chance_in(counts) if chance is None else chance
    return found if found > 1e-12 else 0.0  # the rest is rounding


def chance_in(counts: FloatArray) -> float:
    """Return how many bits the rows and columns of a table would share by chance if they were independent.

    Examples
    --------
    >>> round(chance_in(np.array([[25.0, 25], [25, 25]])), 5)
    0.00721
    """
    rows, columns = (int((counts.sum(axis=axis) > 0).sum()) for axis in (1, 0))
    return (rows - 1) * (columns - 1) / (2 * max(float(counts.sum()), 1e-300) * log(2))


def entropy(counts: FloatArray | IntArray) -> float:
    """Return how many bits a value carries whose frequencies are known.

    Examples
    --------
    >>> entropy(np.array([2, 1, 1, 0]))
    1.5
    """
    shares = counts[counts > 0] / max(counts.sum(), 1e-300)
    return float(-(shares @ np.log2(shares))) if len(shares) > 1 else 0.0


def _entropy_before(column: ComparedColumn) -> float:
    return entropy(np.bincount(column.bins, column.counts_before))


def _part(information: float, most: float) -> float:
    return min(information / most, 1.0) if most > 0 else 0.0


def _table_before(one: ComparedColumn, other: ComparedColumn) -> FloatArray:
    width = int(other.bins.max(initial=0)) + 1
    keys = one.bins[one.before] * width + other.bins[other.before]
    return _square(np.bincount(keys, one.weights_before), width)


def _table_after(one: ComparedColumn, other: ComparedColumn) -> FloatArray:
    for hidden, shown in ((one, other), (other, one)):
        if hidden.sensitive_counts is not None:
            place = {value: code for code, value in enumerate(hidden.values)}
            own = hidden.bins[[place[label] for label in hidden.sensitive_counts.labels]]
            return hidden.sensitive_counts.together_with(*shown.published_bins, own, hidden.bin_count)
    (rows, first), (columns, second) = one.published_bins, other.published_bins
    width = len(second)
    keys, weights = _counted(rows * width + columns, one.weights, len(first) * width)
    return np.asarray((first[keys // width] * weights[:, None]).T @ second[keys % width])


def _counted(keys: IntArray, weights: FloatArray, size: int) -> tuple[IntArray, FloatArray]:
    """Return the different keys, all below ``size``, with the sum of their weights."""
    if size > max(4 * len(keys), 1_000_000):
        found, place = np.unique(keys, return_inverse=True)
        return found, np.bincount(place, weights, minlength=len(found)).astype(np.float64)
    sums = np.bincount(keys, weights, minlength=size).astype(np.float64)
    found = np.flatnonzero(sums).astype(np.int64)
    return found, sums[found]


def _square(counts: FloatArray | IntArray, width: int) -> FloatArray:
    """Return counts by key as a table."""
    padded = np.pad(counts.astype(np.float64), (0, -len(counts) % width))
    return padded.reshape(-1, width)
