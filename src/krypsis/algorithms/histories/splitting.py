"""Split: balanced buckets become groups of one record per value that lie close together."""

from __future__ import annotations

import numpy as np

from krypsis.algorithms.boxes import Axis, axes_of
from krypsis.algorithms.boxes.boxes import ranks_of
from krypsis.algorithms.histories.base import Snapshot
from krypsis.algorithms.partitioning.packing import pack_axes
from krypsis.arrays import CodeArray, IntArray
from krypsis.frequency import FrequencySet
from krypsis.kernels.bucket_cuts import cut_buckets
from krypsis.metrics.ncp import NormalizedCertaintyPenalty
from krypsis.ordering import order_of

EXACT = 48
"""Up to this many records per value, every cut of a bucket is weighed exactly."""


def axes_of_snapshot(snapshot: Snapshot) -> tuple[Axis, ...]:
    """Return the quasi-identifiers as axes, which cost what the normalized certainty penalty says.

    Numbers with a hierarchy are generalized to its nodes, all other numbers to ranges.
    """
    nobody = np.zeros((0, len(snapshot.attributes)), dtype=np.int32)
    weights = tuple(snapshot.attribute_weights.tolist())
    columns = FrequencySet(
        snapshot.attributes, snapshot.hierarchies, nobody, np.zeros(0, dtype=np.int64), weights=weights
    )
    return axes_of(columns, NormalizedCertaintyPenalty(), dict.fromkeys(snapshot.with_hierarchy, "hierarchy"))


def split(axes: tuple[Axis, ...], codes: CodeArray, bucket: IntArray, slot: IntArray, exact: int = EXACT) -> IntArray:
    """Return the group of each record, numbered from 0 on: one record of every slot of its bucket.

    Parameters
    ----------
    axes
        the quasi-identifiers.
    codes
        ``codes[record, attribute]``: level-0 codes.
    bucket, slot
        for each record, its bucket and its slot in it, such as its sensitive value. All slots of a bucket have the same
        number of records.
    exact
        up to this many records per slot, every cut is weighed exactly.

    Notes
    -----
    A bucket is cut in two, again and again, until every part has one record per slot. Of all cuts, the first ``r``
    records of every slot in the order of some attribute, the one is taken for which size times perimeter, summed over
    both parts, is least; then of the lowest attribute, the most even one, the smallest part.

    Examples
    --------
    >>> from krypsis.hierarchies.base import Hierarchy
    >>> age = Hierarchy.from_rows([[str(age), "*"] for age in (20, 21, 60, 61)])
    >>> one = Snapshot(("age",), (age,), np.array([[3], [0], [1], [2]], dtype=np.int32), "disease", age, None, None)
    >>> split(axes_of_snapshot(one), one.codes, np.zeros(4, dtype=np.int64), np.array([0, 0, 1, 1])).tolist()
    [1, 0, 0, 1]
    """
    order = order_of(slot)
    order = order[order_of(bucket[order])]
    if not len(order):
        return order
    firsts = np.flatnonzero(np.diff(bucket[order], prepend=-1))
    sizes = np.diff(np.append(firsts, len(order)))
    begins = np.diff(bucket[order], prepend=-1) != 0
    begins |= np.diff(slot[order], prepend=-1) != 0
    slots = np.add.reduceat(begins.astype(np.int64), firsts)
    cut_order = order.copy()
    if axes:
        points = ranks_of(codes[order], axes)
        cut_buckets(points, cut_order, pack_axes(axes, range(len(axes))), firsts, slots, sizes // slots, exact)
    else:
        cut_order = _dealt(order, firsts, slots, sizes)
    groups = np.empty(len(order), dtype=np.int64)
    base = np.concatenate([[0], np.cumsum(sizes // slots)[:-1]])
    place = np.arange(len(order)) - np.repeat(firsts, sizes)
    groups[cut_order] = np.repeat(base, sizes) + place // np.repeat(slots, sizes)
    return groups


def _dealt(order: IntArray, firsts: IntArray, slots: IntArray, sizes: IntArray) -> IntArray:
    """Return the records so that the first ones of all slots of a bucket come first, then the second ones."""
    place = np.arange(len(order)) - np.repeat(firsts, sizes)
    height = np.repeat(sizes // slots, sizes)
    return order[np.lexsort((place // height, place % height, np.repeat(firsts, sizes)))]
