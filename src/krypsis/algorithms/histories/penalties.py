"""What a release of a table that changes loses: penalties from 0 to 1 of attributes, records and counterfeits.

Two points are read in two ways, and both are offered. *Leaves*: an exact value of ``n`` costs ``1/n`` as the definition
is printed (``literal``), or nothing as a number does (``zero``). *Attributes*: those of a release in two tables are
published exactly (``published``), yet cost the perimeter of their group where groups are compared (``perimeter``).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from krypsis.algorithms.histories.base import LEFT_OUT, Snapshot, VersionGrouping
from krypsis.algorithms.histories.families import first_nodes
from krypsis.algorithms.histories.splits import axes_of_snapshot
from krypsis.algorithms.tables.boxes import Axis
from krypsis.algorithms.tables.boxes.boxes import ranks_of
from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import UsageError
from krypsis.models.correlation import LeafOrder

Leaves = Literal["literal", "zero"]
Reading = Literal["perimeter", "published"]
READINGS: tuple[Reading, ...] = ("perimeter", "published")


@dataclass(frozen=True, eq=False)
class Penalties:
    """The penalties of all published records, those of counterfeits at the end."""

    sensitive: FloatArray
    """How far the values of the group are from the record's own."""
    attributes: FloatArray
    """``attributes[record, attribute]``: of the quasi-identifiers."""
    record: FloatArray
    """The weighted sum of both; of a counterfeit, the penalty for being one."""

    @property
    def total(self) -> float:
        """The penalty of the release."""
        return float(self.record.sum())

    @property
    def mean(self) -> float:
        """The penalty of a published record, 0 where there is none."""
        return self.total / max(len(self.record), 1)


def penalties_of(
    snapshot: Snapshot,
    publication: VersionGrouping,
    c: float = 0.0,
    weights: Sequence[float] | None = None,
    reading: Reading = "perimeter",
    leaves: Leaves = "zero",
) -> Penalties:
    """Return the penalties of a version as it is published.

    Parameters
    ----------
    c
        how little a counterfeit is charged for being one: 0 makes it cost 1, with 1 it costs what a record costs.
    weights
        of the sensitive attribute, then of each quasi-identifier; equal unless given.
    reading, leaves
        see the module.
    """
    rows = _Rows.of(snapshot, publication)
    attributes = attribute_penalty(axes_of_snapshot(snapshot), rows.codes, rows.group, reading, leaves)
    return _weighed(_sensitive(snapshot, rows), attributes, rows.people, c, weights)


@dataclass(frozen=True, eq=False)
class _Rows:
    """All published records, counterfeits at the end."""

    group: IntArray
    published: IntArray
    values: IntArray
    codes: CodeArray
    people: int

    @classmethod
    def of(cls, snapshot: Snapshot, publication: VersionGrouping) -> "_Rows":
        shown, false = publication.group != LEFT_OUT, publication.counterfeits
        return cls(
            np.concatenate([publication.group[shown], false.group]),
            np.concatenate([publication.published[shown], false.published]),
            np.concatenate([snapshot.values[shown], false.published]),
            np.concatenate([snapshot.codes[shown], false.codes]),
            int(shown.sum()),
        )


def _sensitive(snapshot: Snapshot, rows: _Rows) -> FloatArray:
    return sensitive_penalty(snapshot.taxonomy, rows.group, rows.values, rows.published)


def _weighed(
    sensitive: FloatArray, attributes: FloatArray, people: int, c: float, weights: Sequence[float] | None
) -> Penalties:
    record = record_penalty(sensitive, attributes, weights)
    charged = np.concatenate([record[:people], counterfeit_penalty(record[people:], c)])
    return Penalties(sensitive, attributes, charged)


@dataclass(frozen=True)
class PenaltyFigures:
    """What a version loses, as means from 0 to 1: for the publisher, as they depend on what groups hide."""

    ncp_s: float
    """Of the sensitive attribute, over all published records."""
    ncp_tau: float
    """Of the records of people."""
    ncp_c: float | None
    """Of the counterfeits, where there are any."""
    total: float
    """The sum over all published records."""

    @classmethod
    def of(cls, penalties: Penalties, people: int) -> "PenaltyFigures":
        """Return the figures of penalties whose first ``people`` are no counterfeits."""
        real, false = penalties.record[:people], penalties.record[people:]
        return cls(
            ncp_s=_mean(penalties.sensitive),
            ncp_tau=_mean(real),
            ncp_c=_mean(false) if len(false) else None,
            total=penalties.total,
        )


def _mean(values: FloatArray) -> float:
    return float(values.mean()) if len(values) else 0.0


def version_figures(
    snapshot: Snapshot, publication: VersionGrouping, c: float, sensitive_weight: float
) -> dict[Reading, PenaltyFigures]:
    """Return the figures of a version in both readings, with the weights that the user gave.

    Parameters
    ----------
    snapshot, publication
        the version as it is published.
    c
        how little a counterfeit is charged.
    sensitive_weight
        next to the weights of the quasi-identifiers.
    """
    weights = [sensitive_weight, *snapshot.attribute_weights.tolist()]
    rows, axes = _Rows.of(snapshot, publication), axes_of_snapshot(snapshot)
    sensitive = _sensitive(snapshot, rows)  # the same in both readings
    found = {
        reading: _weighed(sensitive, attribute_penalty(axes, rows.codes, rows.group, reading), rows.people, c, weights)
        for reading in READINGS
    }
    return {reading: PenaltyFigures.of(penalties, rows.people) for reading, penalties in found.items()}


def sensitive_penalty(taxonomy: Hierarchy, group: IntArray, values: IntArray, published: IntArray) -> FloatArray:
    """Return for each record the mean of ``1 / correlation`` of its value with each of those published in its group.

    ``values`` are what records have, ``published`` what is published of them, both as nodes; equal ones count once.

    Examples
    --------
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> both = np.array([0, 2])  # flu and ulcer in one group: (1/3 + 1) / 2
    >>> sensitive_penalty(disease, np.zeros(2, dtype=np.int64), both, both).round(3).tolist()
    [0.667, 0.667]
    """
    related = LeafOrder(taxonomy)
    first, last = _spans(taxonomy, related)
    owners, nodes = np.unique(np.stack([group, published]), axis=1)
    begin = np.searchsorted(owners, group)
    many = np.searchsorted(owners, group, side="right") - begin
    record = np.repeat(np.arange(len(group)), many)
    place = np.arange(len(record)) - np.repeat(np.cumsum(many) - many, many)
    own, other = values[record], nodes[begin[record] + place]
    common = related.common(np.minimum(first[own], first[other]), np.maximum(last[own], last[other]))
    sums = np.bincount(record, common / max(related.count, 1), minlength=len(group))
    return np.asarray(sums / np.maximum(many, 1))


def _spans(taxonomy: Hierarchy, related: LeafOrder) -> tuple[IntArray, IntArray]:
    """Return for each node the first and the last place of the values below it."""
    places = np.argsort(related.ordered)
    size = int(first_nodes(taxonomy)[-1])
    first, last = np.full(size, len(places)), np.zeros(size, dtype=np.int64)
    nodes = first_nodes(taxonomy)[:-1, None] + taxonomy.table
    np.minimum.at(first, nodes, places[None, :])
    np.maximum.at(last, nodes, places[None, :])
    return first, last


def attribute_penalty(
    axes: Sequence[Axis],
    codes: CodeArray,
    group: IntArray,
    reading: Reading = "perimeter",
    leaves: Leaves = "zero",
) -> FloatArray:
    """Return ``[record, attribute]``: the share of the domain that a group spans, or that an exact value has."""
    found = np.zeros(codes.shape, dtype=np.float64)
    if not codes.size:
        return found
    ranks = ranks_of(codes, tuple(axes))
    _, number = np.unique(group if reading == "perimeter" else np.arange(len(codes)), return_inverse=True)
    for place, axis in enumerate(axes):
        low, high = (np.full(int(number.max()) + 1, start, dtype=np.int32) for start in (len(axis.code_at), 0))
        np.minimum.at(low, number, ranks[:, place])
        np.maximum.at(high, number, ranks[:, place])
        cost = axis.cost(low, high)
        if leaves == "literal" and axis.kind != "numeric":
            cost = np.where(low == high, 1 / axis.known, cost)
        found[:, place] = cost[number]
    return found


def record_penalty(sensitive: FloatArray, attributes: FloatArray, weights: Sequence[float] | None = None) -> FloatArray:
    """Return the weighted sum of the penalties of each record; the weights are brought to a sum of 1.

    Notes
    -----
    The definition is printed with weights that sum to 1 and a division by their number, which normalizes twice.

    Examples
    --------
    >>> record_penalty(np.array([0.5]), np.array([[1.0, 0.0]])).tolist()
    [0.5]
    """
    parts = np.column_stack([sensitive, attributes])
    given = np.ones(parts.shape[1]) if weights is None else np.array(weights, dtype=np.float64)
    if given.shape != (parts.shape[1],) or not (given >= 0).all() or not given.sum() > 0:
        raise UsageError(
            f"weights must be {parts.shape[1]} numbers from 0 on, of the sensitive attribute and of each "
            f"quasi-identifier, not all 0; got {weights!r}"
        )
    return np.asarray(parts @ (given / given.sum()))


def counterfeit_penalty(record: FloatArray, c: float) -> FloatArray:
    """Return what counterfeits cost, given what they would cost as records: ``1 - c + c · record``.

    Examples
    --------
    >>> counterfeit_penalty(np.array([0.5]), 0.0).tolist(), counterfeit_penalty(np.array([0.5]), 1.0).tolist()
    ([1.0], [0.5])
    """
    if not 0 <= c <= 1:
        raise UsageError(f"c must lie between 0 and 1, got {c}; with 0 a counterfeit costs as much as can be")
    return 1 - c + c * record
