"""What it costs to publish a run of ranks on an axis, and a box of such runs.

Axes as flat arrays, and what compiled loops ask of them: the cost of a run of ranks, and its common ancestor.
"""

from typing import NamedTuple

import numpy as np

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


MATRIX, LINE, TREE = 0, 1, 2


class RunCosts(NamedTuple):
    """The costs of all runs on all axes, in one array; the weight of an axis is part of them.

    ``MATRIX``: ``table[start + low * width + high]``. ``LINE``: the difference of ``table[start + high]`` and
    ``table[start + low]``, but ``table[start + width]`` where a missing value, the rank ``missing``, is among others.
    ``TREE``: the largest cost of two neighbors between the ends; ``table[start + level * width + rank]`` is the largest
    of ``2 ** level`` of them from a rank on.
    """

    kind: IntArray
    start: IntArray
    width: IntArray
    missing: IntArray
    table: FloatArray


@compiled
def cost_of_run(costs: RunCosts, axis: int, low: int, high: int) -> float:
    """Return what one record pays on an axis for the ranks from ``low`` to ``high``."""
    start, width = costs.start[axis], costs.width[axis]
    if costs.kind[axis] == MATRIX:
        return float(costs.table[start + low * width + high])
    if low == high:
        return 0.0
    if costs.kind[axis] == LINE:
        if high == costs.missing[axis]:
            return float(costs.table[start + width])
        return float(costs.table[start + high] - costs.table[start + low])
    # The common ancestor of a run is the highest among those of neighbors: a range maximum over two overlapping blocks.
    level = 0
    while (2 << level) <= high - low:
        level += 1
    left = costs.table[start + level * width + low]
    right = costs.table[start + level * width + high - (1 << level)]
    return float(max(left, right))


@compiled
def box_cost(costs: RunCosts, low: CodeArray, high: CodeArray) -> float:
    """Return what one record pays for a box."""
    total = 0.0
    for axis in range(len(low)):
        total += cost_of_run(costs, axis, low[axis], high[axis])
    return total


@compiled
def join_costs(
    costs: RunCosts, low: CodeArray, high: CodeArray, lows: CodeArray, highs: CodeArray, joined: FloatArray
) -> None:
    """Write what one record pays for the smallest box around a given one and each of many.

    ``lows[axis, box]`` and ``highs[axis, box]`` may have room for more boxes than ``joined``. This is where the time
    goes, so each kind of axis has its own plain loop over boxes that lie side by side.
    """
    joined[:] = 0.0
    for axis in range(len(low)):
        numbers, width = costs.table[costs.start[axis] :], costs.width[axis]
        first, last = low[axis], high[axis]
        if costs.kind[axis] == MATRIX:
            _join_by_matrix(numbers, width, first, last, lows[axis], highs[axis], joined)
        elif costs.kind[axis] == LINE:
            _join_by_line(numbers, width, costs.missing[axis], first, last, lows[axis], highs[axis], joined)
        else:
            _join_by_tree(numbers, width, first, last, lows[axis], highs[axis], joined)


@compiled
def _join_by_matrix(
    numbers: FloatArray, width: int, first: int, last: int, lows: CodeArray, highs: CodeArray, joined: FloatArray
) -> None:
    for box in range(len(joined)):
        joined[box] += numbers[min(first, lows[box]) * width + max(last, highs[box])]


@compiled
def _join_by_line(
    numbers: FloatArray, width: int, missing: int, first: int, last: int, lows: CodeArray, highs: CodeArray,
    joined: FloatArray,
) -> None:  # fmt: skip
    for box in range(len(joined)):
        low, high = min(first, lows[box]), max(last, highs[box])
        mixed = high == missing and low < high
        joined[box] += numbers[width] if mixed else numbers[high] - numbers[low]


@compiled
def _join_by_tree(
    numbers: FloatArray, width: int, first: int, last: int, lows: CodeArray, highs: CodeArray, joined: FloatArray
) -> None:
    for box in range(len(joined)):
        low, high = min(first, lows[box]), max(last, highs[box])
        if low < high:
            level = 0
            while (2 << level) <= high - low:
                level += 1
            joined[box] += max(numbers[level * width + low], numbers[level * width + high - (1 << level)])


@compiled
def widen(low: CodeArray, high: CodeArray, other_low: CodeArray, other_high: CodeArray) -> None:
    """Widen a box so that it holds another one."""
    for axis in range(len(low)):
        low[axis] = min(low[axis], other_low[axis])
        high[axis] = max(high[axis], other_high[axis])


@compiled
def enclose_groups(columns: CodeArray, group_of: CodeArray, lows: CodeArray, highs: CodeArray, sizes: IntArray) -> None:
    """Write the smallest box around the records of each group, ``lows[axis, group]``, and their number.

    ``columns[axis, record]`` are the ranks of the records; ``sizes`` begins with zeros.
    """
    for record in range(len(group_of)):
        group = group_of[record]
        for axis in range(len(columns)):
            rank = columns[axis, record]
            lows[axis, group] = rank if sizes[group] == 0 else min(rank, lows[axis, group])
            highs[axis, group] = rank if sizes[group] == 0 else max(rank, highs[axis, group])
        sizes[group] += 1


@compiled
def box_costs(costs: RunCosts, lows: CodeArray, highs: CodeArray, paid: FloatArray) -> None:
    """Write what one record pays for each box."""
    for box in range(len(paid)):
        paid[box] = box_cost(costs, lows[:, box].copy(), highs[:, box].copy())


def neighbor_maxima(costs: FloatArray) -> FloatArray:
    """Return ``maxima[level, rank]``: the largest of ``2 ** level`` neighbor costs from a rank on.

    ``costs[rank]`` is that of a rank with the next one. Numbers beyond the end repeat the last ones.

    Examples
    --------
    >>> neighbor_maxima(np.array([1.0, 3.0, 2.0])).tolist()
    [[1.0, 3.0, 2.0], [3.0, 3.0, 2.0]]
    """
    levels = [costs]
    # Sparse table: a block of 2^l costs is two blocks of half the length.
    while (1 << len(levels)) <= len(costs):
        below = levels[-1]
        shifted = np.append(below[1 << (len(levels) - 1) :], np.zeros(1 << (len(levels) - 1)))[: len(below)]
        levels.append(np.maximum(below, shifted))
    return np.stack(levels)
