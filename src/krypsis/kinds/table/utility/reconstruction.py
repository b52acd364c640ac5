"""Reconstruction error: how far what a release reveals about each record is from the record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from krypsis.arrays import FloatArray, IntArray
from krypsis.kinds.table.utility.queried_columns import GeneralizedColumn, GroupedColumn, Possible, as_release
from krypsis.release.release import Release


@dataclass(frozen=True)
class ReconstructionError:
    """The error of all records of a release, removed ones included."""

    total: float
    records: int

    formula: ClassVar[str] = "Σ over records, Σ over points x: (what the release reveals about x − [x is the record])²"
    range: ClassVar[str] = "0 (every record can be read off) to the number of records"
    better: ClassVar[str] = "lower"

    @property
    def mean(self) -> float:
        """The error of one record."""
        return self.total / self.records if self.records else 0.0

    @property
    def sentence(self) -> str:
        """The figure in plain words."""
        return (
            f"of 0 (every record can be read off) and 1 (nothing is published), a record is {self.mean:.4g} away on "
            "average"
        )


def reconstruction_error(
    published: Any, *, columns: Sequence[str] | None = None, domains: Mapping[str, Possible] | None = None
) -> ReconstructionError:
    """Return how far what a release reveals about its records is from the records themselves.

    A release reveals about every record a probability for each combination of values. In groups, that is one for each
    sensitive value of the group, with the quasi-identifiers as they are; in a generalized table, the same for each of
    the values that its labels stand for, with its own sensitive value. The error of a record is the sum of the squared
    differences to the record itself, which has probability 1. A record that was removed has the error 1.

    Parameters
    ----------
    published
        a release, or its folder.
    columns
        the quasi-identifiers to look at in a generalized table; all unless given.
    domains
        quasi-identifier → its possible values: a list, a range of whole numbers or a :class:`Hierarchy`. Unless given,
        the values of the hierarchies, which a release that was just made knows.

    Notes
    -----
    Xiao and Tao, "Anatomy: simple and effective privacy preservation", VLDB 2006. For ``n`` records, groups in which no
    value belongs to more than 1 in ``l`` records have at least the error ``n (1 - 1/l)``.

    Examples
    --------
    >>> import polars as pl
    >>> import krypsis
    >>> table = pl.DataFrame({"age": [23, 27, 35, 59], "disease": ["flu", "cold", "cold", "flu"]})
    >>> roles = {"age": "quasi-identifier", "disease": "sensitive"}
    >>> release = krypsis.anonymize(table, roles, models="frequency-l-diversity:l=2", algorithm="anatomize")
    >>> reconstruction_error(release).total
    2.0
    """
    release = as_release(published)
    if release.group_column is not None:
        hidden = GroupedColumn.of(release)
        total = float(hidden.count @ entry_errors(hidden.group, hidden.count))
        return ReconstructionError(total, int(hidden.count.sum()))
    removed = release.suppressed if release.suppression == "remove" else 0
    errors = cell_errors(_leaves(release, columns, domains or {}))
    return ReconstructionError(float(errors.sum()) + removed, len(errors) + removed)


def entry_errors(group: IntArray, count: IntArray) -> FloatArray:
    """Return the error of a record with the value of each entry; an entry is a value of a group with its count.

    A record that has a value with the share ``p``: ``(1 - p)² + Σ (share of another value)²``.

    Examples
    --------
    >>> entry_errors(np.array([0, 0, 0]), np.array([1, 2, 1])).tolist()
    [0.875, 0.375, 0.875]
    """
    shares = count / np.bincount(group, count)[group]
    return np.asarray(1 - 2 * shares + np.bincount(group, shares**2)[group])


def cell_errors(leaves: Sequence[IntArray]) -> FloatArray:
    """Return the error of each record from the number of values that each of its labels stands for: ``1 - 1/∏ L``.

    Examples
    --------
    >>> cell_errors([np.array([40, 1]), np.array([1, 1])]).tolist()
    [0.975, 0.0]
    """
    return np.asarray(1 - 1 / np.prod([column.astype(np.float64) for column in leaves], axis=0))


def _leaves(release: Release, columns: Sequence[str] | None, domains: Mapping[str, Possible]) -> list[IntArray]:
    names = release.schema.quasi_identifiers if columns is None else tuple(columns)
    found = [GeneralizedColumn.of(release, name, domains.get(name)) for name in names]
    return [column.leaves[column.codes] for column in found]
