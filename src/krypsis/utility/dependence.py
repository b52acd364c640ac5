"""How much columns tell of each other, before and after: the information that every pair shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log

import numpy as np

from krypsis.groups import FloatArray, IntArray
from krypsis.release.release import Release
from krypsis.schema import Role
from krypsis.utility.compared import ComparedColumn, compared_columns

MOST_COLUMNS = 14
"""Of tables with more columns, quasi-identifiers come first, then sensitive ones."""

_ORDER = (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.INSENSITIVE)


@dataclass(frozen=True, eq=False)
class Dependence:
    """How much columns tell of each other: ``before[i, j]`` and ``after[i, j]``, from 0 (nothing) to 1 (all)."""

    columns: tuple[str, ...]
    before: FloatArray
    after: FloatArray

    @property
    def kept(self) -> float | None:
        """How much of it is as before: 1 − mean over pairs of columns of |after − before|; nothing without a pair.

        Examples
        --------
        >>> found = Dependence(("a", "b"), np.array([[1, 0.75], [0.75, 1]]), np.array([[1, 0.25], [0.25, 1]]))
        >>> found.kept
        0.5
        """
        pairs = np.triu_indices(len(self.columns), 1)
        return 1.0 - float(np.abs(self.after - self.before)[pairs].mean()) if len(pairs[0]) else None


def dependence(release: Release) -> Dependence:
    """Return how much the columns of a release tell of each other, beside the table before.

    Notes
    -----
    The mutual information of two columns, corrected for chance, in parts of the smaller of their entropies before.
    Columns with more than 30 values are put into bins first, the same before and after; a label counts as the value in
    the middle of those that it stands for. Of a table with more than 14 columns, 14 are looked at.

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
    return dependence_between(compared_columns(release))


def dependence_between(columns: Sequence[ComparedColumn]) -> Dependence:
    """Return the dependence of compared columns, of some where there are many."""
    shown = sorted(columns, key=lambda column: _ORDER.index(column.role))[:MOST_COLUMNS]
    before, after = np.eye(len(shown)), np.eye(len(shown))
    for (i, one), (j, other) in combinations(enumerate(shown), 2):
        # Both in parts of what could be told before: else a column with fewer values would seem to tell more.
        most = min(_entropy_before(one), _entropy_before(other))
        before[i, j] = before[j, i] = _part(shared_information(_table_before(one, other)), most)
        after[i, j] = after[j, i] = _part(shared_information(_table_after(one, other)), most)
    return Dependence(tuple(column.name for column in shown), before, after)


def shared_information(counts: FloatArray) -> float:
    """Return how many bits rows and columns of a table of counts tell of each other, without what chance adds.

    Notes
    -----
    Mutual information less ``(rows − 1)(columns − 1) ÷ (2 n ln 2)``, which independent columns share by chance.

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
    (rows, columns), total = counts.shape, float(counts.sum())
    if min(rows, columns) < 2:
        return 0.0
    found = entropy(counts.sum(axis=1)) + entropy(counts.sum(axis=0)) - entropy(counts.ravel())
    found -= (rows - 1) * (columns - 1) / (2 * total * log(2))
    return found if found > 1e-12 else 0.0  # the rest is rounding


def entropy(counts: FloatArray | IntArray) -> float:
    """Return how many bits a value tells whose frequencies are known.

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
    return _square(np.bincount(keys), width)


def _table_after(one: ComparedColumn, other: ComparedColumn) -> FloatArray:
    for hidden, shown in ((one, other), (other, one)):
        if hidden.apart is not None:
            widths = int(shown.bins.max(initial=0)) + 1, int(hidden.bins.max(initial=0)) + 1
            place = {value: code for code, value in enumerate(hidden.values)}
            own = hidden.bins[[place[label] for label in hidden.apart.labels]]
            return hidden.apart.together_with(shown.bins_after, own, widths)
    width = int(other.bins.max(initial=0)) + 1
    return _square(np.bincount(one.bins_after * width + other.bins_after, one.weights), width)


def _square(counts: FloatArray | IntArray, width: int) -> FloatArray:
    """Return counts by key as a table."""
    padded = np.pad(counts.astype(np.float64), (0, -len(counts) % width))
    return padded.reshape(-1, width)
