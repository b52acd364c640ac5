"""Cutting parts in two: which axis each part is cut on, and the cut itself."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.kernels._jit import compiled
from krypsis.kernels.axis_table import AxisTable, run_cost
from krypsis.kernels.cuts import WHOLE, find_cut, median_place
from krypsis.kernels.parts import bring_forward, count_ranks, halve, measure_box

WIDTH, PENALTY, CLASSES = 0, 1, 2
"""What the best axis is: the widest, the one that lowers the loss most, or the one that tells classes apart."""

TIE = 1e-12
"""Scores are sums of floating point numbers; those that are this near count as equal."""


class Points(NamedTuple):
    """The tuples in an order that keeps the parts together: all arrays are rearranged alike."""

    ranks: CodeArray
    weights: IntArray
    order: CodeArray


class Classes(NamedTuple):
    """The classes of the records of each tuple.

    For ``starts[tuple] <= i < starts[tuple + 1]``, ``amounts[i]`` of its records are of the class ``values[i]``.
    """

    starts: IntArray
    values: IntArray
    amounts: IntArray
    different: int


class Rule(NamedTuple):
    """How parts are cut."""

    k: int
    choose: int
    relaxed: bool
    separating: bool
    ranges_break_ties: bool


class Parts(NamedTuple):
    """The parts to cut, and what is found: the axis, the ranks of the records taken away, and where the others begin.

    ``region_low`` and ``region_high`` are the ranks that a part's width is measured on, where it is not that of its
    records; else they are empty.
    """

    starts: IntArray
    ends: IntArray
    passed: IntArray
    region_low: CodeArray
    region_high: CodeArray
    axis: IntArray
    lowest: IntArray
    highest: IntArray
    middle: IntArray


@compiled
def cut_parts(points: Points, axes: AxisTable, classes: Classes, rule: Rule, parts: Parts) -> None:
    """Cut every part on its best axis; ``middle`` is -1 where it cannot be cut."""
    dimensions = points.ranks.shape[1]
    room = max(1, axes.lengths.max())
    ranks, counts = np.empty(room, np.int64), np.empty(room, np.int64)
    low, high = np.empty(dimensions, np.int32), np.empty(dimensions, np.int32)
    scores, cuts = np.empty(dimensions), np.empty((dimensions, 2), np.int64)
    for part in range(len(parts.starts)):
        first, end = parts.starts[part], parts.ends[part]
        total = points.weights[first:end].sum()
        parts.middle[part] = -1
        if total < 2 * rule.k or end - first < 2:
            continue
        measure_box(points.ranks, first, end, low, high)
        score_axes(points, axes, classes, rule, parts, part, low, high, ranks, counts, total, scores, cuts)
        axis = best_axis(axes, rule, scores, low, high)
        while axis >= 0:
            if rule.choose != WIDTH or allows(
                points, axes, rule, parts, part, axis, low, high, ranks, counts, total, cuts[axis]
            ):
                middle = place_cut(points, rule, first, end, axis, cuts[axis])
                parts.axis[part], parts.middle[part] = axis, middle
                parts.lowest[part], parts.highest[part] = cuts[axis, 0], cuts[axis, 1]
                break
            scores[axis] = -1.0
            axis = best_axis(axes, rule, scores, low, high)


@compiled
def score_axes(
    points: Points,
    axes: AxisTable,
    classes: Classes,
    rule: Rule,
    parts: Parts,
    part: int,
    low: CodeArray,
    high: CodeArray,
    ranks: IntArray,
    counts: IntArray,
    total: int,
    scores: FloatArray,
    cuts: IntArray,
) -> None:
    """Write how good it is to cut a part on each axis; -1 where it cannot be.

    On the widest axis the cut is looked for only if it comes to that.
    """
    constant = rule.relaxed and (low == high).all()
    for axis in range(len(scores)):
        scores[axis] = -1.0
        if low[axis] == high[axis] and not constant:
            continue
        if rule.choose == WIDTH:
            scores[axis] = axes.weights[axis] * width(axes, parts, part, axis, low, high)
        elif allows(points, axes, rule, parts, part, axis, low, high, ranks, counts, total, cuts[axis]):
            first, end = parts.starts[part], parts.ends[part]
            middle = place_cut(points, rule, first, end, axis, cuts[axis])
            if rule.choose == PENALTY:
                scores[axis] = penalty_drop(points, axes, first, middle, end, low, high, total)
            else:
                scores[axis] = entropy_drop(points, classes, first, middle, end)


@compiled
def width(axes: AxisTable, parts: Parts, part: int, axis: int, low: CodeArray, high: CodeArray) -> float:
    """Return the width of a part on an axis, as a share of the whole axis."""
    if len(parts.region_low):
        return run_cost(axes, axis, parts.region_low[part, axis], parts.region_high[part, axis])
    return run_cost(axes, axis, low[axis], high[axis])


@compiled
def best_axis(axes: AxisTable, rule: Rule, scores: FloatArray, low: CodeArray, high: CodeArray) -> int:
    """Return the axis with the highest score, or -1; of equal ones that with the smaller range, then the first."""
    best, best_range = -1, 0.0
    for place in range(len(scores)):
        axis = axes.precedence[place]
        if scores[axis] < 0:
            continue
        ends = axes.places[axis]
        absolute = axes.spans[axis] * (axes.positions[ends + high[axis]] - axes.positions[ends + low[axis]])
        if best >= 0 and scores[axis] <= scores[best] + TIE:
            tied = scores[axis] >= scores[best] - TIE
            if not (tied and rule.ranges_break_ties and absolute < best_range - TIE):
                continue
        best, best_range = axis, absolute
    return best


@compiled
def allows(
    points: Points,
    axes: AxisTable,
    rule: Rule,
    parts: Parts,
    part: int,
    axis: int,
    low: CodeArray,
    high: CodeArray,
    ranks: IntArray,
    counts: IntArray,
    total: int,
    cut: IntArray,
) -> bool:
    """Write the next cut of a part on an axis; say whether there is one."""
    found = count_ranks(
        points.ranks, points.weights, parts.starts[part], parts.ends[part], axis, low[axis], high[axis], ranks, counts
    )
    passed = parts.passed[part, axis]
    if not rule.relaxed or rule.separating:
        return bool(
            found > 1 and find_cut(axes, axis, ranks, counts, found, total, rule.k, passed, rule.separating, cut)
        )
    cut[0], cut[1] = WHOLE, ranks[median_place(counts, found, total)]
    return bool(passed == 0)


@compiled
def place_cut(points: Points, rule: Rule, first: int, end: int, axis: int, cut: IntArray) -> int:
    """Rearrange a part so that its two sides lie side by side; return where the second begins."""
    if rule.relaxed and not rule.separating:
        return halve(points.ranks, points.weights, points.order, first, end, axis, cut[1])
    return bring_forward(points.ranks, points.weights, points.order, first, end, axis, cut[0], cut[1])


@compiled
def penalty_drop(
    points: Points, axes: AxisTable, first: int, middle: int, end: int, low: CodeArray, high: CodeArray, total: int
) -> float:
    """Return by how much the penalty of all records of a part falls when it is cut."""
    drop = total * box_cost(axes, low, high)
    side_low, side_high = np.empty_like(low), np.empty_like(high)
    for start, stop in ((first, middle), (middle, end)):
        measure_box(points.ranks, start, stop, side_low, side_high)
        drop -= points.weights[start:stop].sum() * box_cost(axes, side_low, side_high)
    return max(drop, 0.0)


@compiled
def box_cost(axes: AxisTable, low: CodeArray, high: CodeArray) -> float:
    """Return what one record pays in a box, over all axes."""
    cost = 0.0
    for axis in range(len(low)):
        cost += axes.weights[axis] * run_cost(axes, axis, low[axis], high[axis])
    return cost


@compiled
def entropy_drop(points: Points, classes: Classes, first: int, middle: int, end: int) -> float:
    """Return by how much the entropy of the classes falls, times the number of records, when a part is cut."""
    left = count_classes(points, classes, first, middle)
    right = count_classes(points, classes, middle, end)
    return max(spread(left + right) - spread(left) - spread(right), 0.0)


@compiled
def count_classes(points: Points, classes: Classes, first: int, end: int) -> FloatArray:
    """Return the number of records of each class."""
    counts = np.zeros(classes.different)
    for point in range(first, end):
        row = points.order[point]
        for entry in range(classes.starts[row], classes.starts[row + 1]):
            counts[classes.values[entry]] += classes.amounts[entry]
    return counts


@compiled
def spread(counts: FloatArray) -> float:
    """Return the entropy of counts, times their sum."""
    total = counts.sum()
    result = 0.0
    for count in counts:
        if count > 0:
            result += count * np.log(total / count)
    return result
