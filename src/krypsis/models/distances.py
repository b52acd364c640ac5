"""Distances between the sensitive values of each group and those of the whole table, for all groups at once.

Each is an earth mover's distance: the least work that turns one distribution into the other, where moving all records
over the largest ground distance costs 1. Memory stays within a small multiple of the number of entries.
"""

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np

from krypsis.arrays import FloatArray, IntArray
from krypsis.data.groups import Domain, Histogram, sum_by
from krypsis.errors import UsageError
from krypsis.models.base import CELLS_PER_ENTRY

Distance = Literal["equal", "ordered", "hierarchical"]


def usual(domain: Domain) -> Distance:
    """Return the distance that the definition of t-closeness has for the type of some values.

    Examples
    --------
    >>> usual(Domain(("900", "1500"))), usual(Domain(("2024-01-31", None))), usual(Domain(("flu", "fever")))
    ('ordered', 'ordered', 'equal')
    >>> usual(Domain(("011", "012")))  # a code, not a number
    'equal'
    """
    return "ordered" if domain.is_numeric_or_date else "equal"


def equal(histogram: Histogram, sizes: IntArray) -> FloatArray:
    """Return the distance where any two values are 1 apart: ``½ Σ |p - q|``.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 5, "cancer": 5}], whole={"flu": 95, "cancer": 5})
    >>> equal(groups.sensitive["sensitive"], groups.sizes).round(6)
    array([0.45])
    """
    # Σ max(p - q, 0) is the same sum, and only values that occur in the group contribute to it.
    excess = np.maximum(_shares(histogram, sizes) - _reference(histogram)[histogram.value], 0)
    return sum_by(histogram.group, excess, len(sizes))


def ordered(histogram: Histogram, sizes: IntArray) -> FloatArray:
    """Return the distance where values are apart by the number of steps between them, over the whole order.

    ``1/(m-1) · Σ_i |Σ_{j≤i} (p_j - q_j)|`` over the ``m`` values that occur in the whole table.

    Raises
    ------
    UsageError
        if the values have no order that means something.
    """
    if not histogram.domain.is_ordered:
        raise UsageError(
            f"{histogram.domain.name} has no order that 'distance=ordered' could use: its values are neither numbers "
            "nor dates; give it a hierarchy that lists its values from lowest to highest, or use distance=equal"
        )
    rank, reference = places(histogram)
    steps = len(reference) - 1
    if steps < 1:
        return np.zeros(len(sizes))
    dense = len(sizes) * len(reference) <= CELLS_PER_ENTRY * len(histogram.count)
    work = _ordered_dense if dense else _ordered_sparse
    return work(histogram, sizes, rank, np.cumsum(reference)) / steps


def hierarchical(histogram: Histogram, sizes: IntArray) -> FloatArray:
    """Return the distance where values are apart by the height of their lowest common ancestor, over the height ``H``.

    Moving up one level costs the same everywhere, so the work is the mean, over the levels 0 to ``H - 1``, of the equal
    distance between the generalized distributions. It is the same number as the sum over inner nodes in the paper.

    Raises
    ------
    UsageError
        if the attribute has no hierarchy.
    """
    levels = histogram.domain.levels
    if levels is None:
        raise UsageError(
            f"{histogram.domain.name} has no hierarchy, which 'distance=hierarchical' needs; "
            "give it one as for a quasi-identifier, or use distance=equal"
        )
    height = len(levels) - 1
    if height == 0:
        return np.zeros(len(sizes))
    total = equal(histogram, sizes)
    for level in range(1, height):
        total += _equal_at(levels[level], histogram, sizes)
    return total / height


BY_NAME: Mapping[Distance, Callable[[Histogram, IntArray], FloatArray]] = {
    "equal": equal,
    "ordered": ordered,
    "hierarchical": hierarchical,
}


def _shares(histogram: Histogram, sizes: IntArray) -> FloatArray:
    return np.asarray(histogram.count / sizes[histogram.group])


def _reference(histogram: Histogram) -> FloatArray:
    return np.asarray(histogram.whole / max(int(histogram.whole.sum()), 1))


def places(histogram: Histogram) -> tuple[IntArray, FloatArray]:
    """Return the place of each value in the order of those that occur, and the shares of the whole in that order."""
    occurs = histogram.whole > 0
    occurs[histogram.value] = True
    in_order = histogram.domain.in_order
    in_order = in_order[occurs[in_order]]
    place = np.zeros(len(histogram.whole), dtype=np.int64)
    place[in_order] = np.arange(len(in_order))
    return place, _reference(histogram)[in_order]


def _ordered_dense(histogram: Histogram, sizes: IntArray, place: IntArray, reference: FloatArray) -> FloatArray:
    cells = np.zeros((len(reference), len(sizes)))
    cells[place[histogram.value], histogram.group] = _shares(histogram, sizes)
    np.cumsum(cells, axis=0, out=cells)
    cells -= reference[:, np.newaxis]
    return np.asarray(np.abs(cells, out=cells).sum(axis=0))


def _ordered_sparse(histogram: Histogram, sizes: IntArray, place: IntArray, reference: FloatArray) -> FloatArray:
    """Add up the work over stretches: between two values of a group its cumulated share stays the same."""
    values = len(reference)
    order = np.argsort(histogram.group * values + place[histogram.value])
    group, start = histogram.group[order], place[histogram.value[order]]
    first = np.flatnonzero(np.diff(group, prepend=-1))
    cumulated = np.cumsum(histogram.count[order])
    before = np.repeat(np.append(0, cumulated[first[1:] - 1]), np.diff(np.append(first, len(group))))
    share = (cumulated - before) / sizes[group]
    end = np.append(start[1:], values)
    end[first[1:] - 1] = values

    prefix = np.append(0.0, np.cumsum(reference))
    # In a stretch the whole table's cumulated share grows: below ``turn`` it is smaller than the group's, then larger.
    turn = np.clip(np.searchsorted(reference, share), start, end)
    work = share * (2 * turn - start - end) + prefix[start] + prefix[end] - 2 * prefix[turn]
    work[first] += prefix[start[first]]  # before its first value the group has no share at all
    return sum_by(group, work, len(sizes))


def _equal_at(codes: IntArray, histogram: Histogram, sizes: IntArray) -> FloatArray:
    """Return the equal distance after generalizing every value to its code at one level."""
    reference = np.bincount(codes, _reference(histogram))
    shares = _shares(histogram, sizes)
    keys = codes[histogram.value] * len(sizes) + histogram.group
    cells = len(reference) * len(sizes)
    if cells <= CELLS_PER_ENTRY * len(keys):
        merged = sum_by(keys, shares, cells).reshape(len(reference), len(sizes)) - reference[:, np.newaxis]
        return np.asarray(np.maximum(merged, 0, out=merged).sum(axis=0))
    keys, entry = np.unique(keys, return_inverse=True)
    code, group = np.divmod(keys, len(sizes))
    return sum_by(group, np.maximum(sum_by(entry, shares, len(keys)) - reference[code], 0), len(sizes))
