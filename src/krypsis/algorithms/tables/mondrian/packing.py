"""Axes and classes as the flat arrays that compiled loops work on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from krypsis.algorithms.tables.boxes import Axis
from krypsis.algorithms.tables.mondrian.kernels import Classes
from krypsis.arrays import IntArray
from krypsis.data.groups import Histogram
from krypsis.kernels.axis_table import AxisTable


def pack_axes(axes: Sequence[Axis], precedence: Sequence[int]) -> AxisTable:
    """Return the axes one after the other; ``precedence`` lists them in the order in which ties are broken."""
    lengths = np.array([len(axis.code_at) for axis in axes], dtype=np.int64)
    heights = np.array([axis.hierarchy.height for axis in axes], dtype=np.int64)
    by_node = np.array([axis.form == "node" for axis in axes], dtype=np.bool_)
    return AxisTable(
        by_node=by_node,
        is_tree=by_node & np.array([axis.kind != "ordered" for axis in axes], dtype=np.bool_),
        known=np.array([axis.known for axis in axes], dtype=np.int64),
        lengths=lengths,
        heights=heights,
        places=_starts(lengths),
        positions=np.concatenate([axis.position for axis in axes]),
        tables=_starts(lengths * (heights + 1)),
        nodes=np.concatenate([axis.nodes.ravel() for axis in axes]),
        costs=np.concatenate([axis.node_costs.ravel() for axis in axes]),
        weights=np.array([axis.weight for axis in axes], dtype=np.float64),
        spans=np.array([axis.span for axis in axes], dtype=np.float64),
        precedence=np.array(precedence, dtype=np.int64),
    )


def pack_classes(histogram: Histogram | None, tuples: int) -> Classes | None:
    """Return the classes of each tuple; none where they play no part."""
    if histogram is None:
        return None
    by_tuple = np.argsort(histogram.group, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(histogram.group, minlength=tuples))]).astype(np.int64)
    return Classes(starts, histogram.value[by_tuple], histogram.count[by_tuple], len(histogram.domain))


def _starts(lengths: IntArray) -> IntArray:
    return np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)
