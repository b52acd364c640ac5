"""Axes as flat arrays, and what compiled loops ask of them: the cost of a run of ranks, and its common ancestor."""

from __future__ import annotations

from typing import NamedTuple

from krypsis.arrays import BoolArray, CodeArray, FloatArray, IntArray
from krypsis.kernels._jit import compiled


class AxisTable(NamedTuple):
    """All axes, one after the other.

    ``positions[places[axis] + rank]`` says where a rank lies between 0 and 1. ``nodes`` and ``costs`` hold the node
    above a value and what it costs, at ``tables[axis] + level * lengths[axis] + rank``.
    """

    by_node: BoolArray
    """Whether a run costs what its lowest common ancestor costs."""
    is_tree: BoolArray
    """Whether a run is cut between the children of its lowest common ancestor only."""
    known: IntArray
    """The number of values that are not missing; the rank of a missing value."""
    lengths: IntArray
    heights: IntArray
    places: IntArray
    positions: FloatArray
    tables: IntArray
    nodes: CodeArray
    costs: FloatArray
    weights: FloatArray
    spans: FloatArray
    """The absolute width of each axis: the distance of its ends, or its number of steps."""
    precedence: IntArray
    """Of axes that are equally good, the one with the lowest number is cut."""


@compiled
def common_level(axes: AxisTable, axis: int, low: int, high: int) -> int:
    """Return the level of the lowest common ancestor of a run of ranks."""
    start, length = axes.tables[axis], axes.lengths[axis]
    level = 0
    # Ranks follow the order of leaves, so the ends of a run meet in a node exactly where the whole run does.
    while level < axes.heights[axis] and axes.nodes[start + low] != axes.nodes[start + high]:
        level += 1
        start += length
    return level


@compiled
def common_node(axes: AxisTable, axis: int, low: int, high: int) -> int:
    """Return where the lowest common ancestor of a run of ranks stands in ``nodes`` and ``costs``."""
    return int(axes.tables[axis] + common_level(axes, axis, low, high) * axes.lengths[axis] + low)


@compiled
def run_cost(axes: AxisTable, axis: int, low: int, high: int) -> float:
    """Return what it costs a record to be published with a run of ranks, without the weight of the axis."""
    if axes.by_node[axis]:
        return float(axes.costs[common_node(axes, axis, low, high)])
    if low < axes.known[axis] <= high:
        return 1.0
    return float(axes.positions[axes.places[axis] + high] - axes.positions[axes.places[axis] + low])
