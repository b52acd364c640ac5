"""Cutting parts in two: which axis each part is cut on, and the cut itself."""

from typing import NamedTuple

import numpy as np

from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.kernels._jit import compiled
from krypsis.kernels.parts import bring_forward, count_ranks, halve, measure_box, sum_of_run
from krypsis.kernels.runs import AxisTable, common_level, run_cost

WHOLE = 0
"""The lowest rank of every cut that leaves one side of an axis."""


@compiled
def run_end(axes: AxisTable, axis: int, level: int, rank: int) -> int:
    """Return the last rank below the same node of a level."""
    start = axes.tables[axis] + level * axes.lengths[axis]
    while rank + 1 < axes.lengths[axis] and axes.nodes[start + rank + 1] == axes.nodes[start + rank]:
        rank += 1
    return rank


@compiled
def join_children(axes: AxisTable, axis: int, ranks: IntArray, counts: IntArray, found: int) -> int:
    """Join the ranks below each child of the lowest common ancestor, named by the last of them; return how many."""
    level = common_level(axes, axis, ranks[0], ranks[found - 1]) - 1
    joined = 0
    last = -1
    # Ranks ascend in the order of leaves, so those below one child lie side by side and form a run.
    for place in range(found):
        if ranks[place] > last:
            last = run_end(axes, axis, level, ranks[place])
            ranks[joined], counts[joined] = last, counts[place]
            joined += 1
        else:
            counts[joined - 1] += counts[place]
    return joined


@compiled
def largest(counts: IntArray, found: int) -> int:
    """Return the place of the largest count, the first of equal ones."""
    best = 0
    for place in range(1, found):
        if counts[place] > counts[best]:
            best = place
    return best


@compiled
def median_place(counts: IntArray, found: int, total: int) -> int:
    """Return the first place up to which at least half of the records are."""
    place, below = 0, counts[0]
    while 2 * below < total and place + 1 < found:
        place += 1
        below += counts[place]
    return place


@compiled
def find_cut(
    axes: AxisTable,
    axis: int,
    ranks: IntArray,
    counts: IntArray,
    found: int,
    total: int,
    k: int,
    passed: int,
    separating: bool,
    cut: IntArray,
) -> bool:
    """Write the lowest and the highest rank of the records that a cut takes away from the others; say if there is one.

    Candidates are, in this order: on a tree, the child with most records; where values are missing, all others; the
    records up to the median; those up to the value before it. Only those count that leave ``k`` records on both sides;
    ``passed`` of them are passed over. If any cut of an axis that is no tree leaves so many, one of the last two does.
    ``separating``: only cuts whose sides can never be published alike.
    """
    mixed = ranks[0] < axes.known[axis] <= ranks[found - 1]
    # Missing values share the last rank of an axis.
    missing = counts[found - 1] if mixed else 0
    by_child = axes.is_tree[axis]
    if by_child:
        found = join_children(axes, axis, ranks, counts, found)
    alone = largest(counts, found)
    # Median with erratum 5: v = the smallest value up to which at least half of the records are.
    middle = median_place(counts, found, total)
    # Where nodes are published, or values are missing, both sides of a cut at the median may get the same label.
    only_sure = separating and (mixed or axes.by_node[axis])
    # Candidates 2 and 3 are v and the next smaller value: if any cut on the axis is allowable, one of the two is.
    for candidate in range(4):
        lowest, highest, inside = WHOLE, -1, 0
        if candidate == 0 and by_child:
            lowest, highest, inside = (WHOLE if alone == 0 else ranks[alone - 1] + 1), ranks[alone], counts[alone]
        elif candidate == 1 and mixed:
            highest, inside = axes.known[axis] - 1, total - missing
        elif candidate >= 2 and middle >= candidate - 2 and not only_sure:
            place = middle - (candidate - 2)
            highest, inside = ranks[place], sum_of_run(counts, 0, place + 1)
        # Allowable cut: both sides keep at least k records.
        if inside >= k and total - inside >= k:
            if passed == 0:
                cut[0], cut[1] = lowest, highest
                return True
            passed -= 1
    return False


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


class CutRule(NamedTuple):
    """How parts are cut."""

    k: int
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
def cut_widest(points: Points, axes: AxisTable, rule: CutRule, parts: Parts) -> None:
    """Cut every part on the widest axis that has a cut; ``middle`` is -1 where none has."""
    dimensions, room = points.ranks.shape[1], longest(axes.lengths)
    ranks, counts = np.empty(room, np.int64), np.empty(room, np.int64)
    low, high = np.empty(dimensions, np.int32), np.empty(dimensions, np.int32)
    widths, cut = np.empty(dimensions, np.float64), np.empty(2, np.int64)
    for part in range(len(parts.starts)):
        first, end = parts.starts[part], parts.ends[part]
        total = sum_of_run(points.weights, first, end)
        parts.middle[part] = -1
        # No cut can leave k records on both sides, or there is only one point.
        if total < 2 * rule.k or end - first < 2:
            continue
        measure_box(points.ranks, first, end, low, high)
        # Step 1 (choose_dimension): the widest normalized range among the axes with an allowable cut.
        measure_widths(axes, rule, parts, part, low, high, widths)
        while parts.middle[part] < 0:
            axis = best_axis(axes, rule, widths, low, high)
            if axis < 0:
                break
            widths[axis] = -1.0
            # Step 2 (find_median): the allowable cut; without one, the next widest axis is tried.
            if allows(points, axes, rule, parts, part, axis, low, high, ranks, counts, total, cut):
                # Step 3: lhs and rhs, rearranged in place; the next layer takes the place of the recursion.
                cut_part(points, rule, parts, part, axis, cut)


@compiled
def cut_best(points: Points, axes: AxisTable, classes: Classes | None, rule: CutRule, parts: Parts) -> None:
    """Cut every part on the axis whose cut lowers the loss most; ``middle`` is -1 where no axis has a cut.

    With classes: on the axis whose cut distinguishes them best. Without, nothing that has to do with them is compiled.
    """
    dimensions, room = points.ranks.shape[1], longest(axes.lengths)
    ranks, counts = np.empty(room, np.int64), np.empty(room, np.int64)
    low, high = np.empty(dimensions, np.int32), np.empty(dimensions, np.int32)
    drops, cuts = np.empty(dimensions, np.float64), np.empty((dimensions, 2), np.int64)
    for part in range(len(parts.starts)):
        first, end = parts.starts[part], parts.ends[part]
        total = sum_of_run(points.weights, first, end)
        parts.middle[part] = -1
        if total < 2 * rule.k or end - first < 2:
            continue
        measure_box(points.ranks, first, end, low, high)
        # Step 1 by loss instead of width: every axis is cut on trial, and the best trial counts.
        measure_drops(points, axes, classes, rule, parts, part, low, high, ranks, counts, total, drops, cuts)
        axis = best_axis(axes, rule, drops, low, high)
        if axis >= 0:
            # Steps 2 and 3: the trials have rearranged the points, so the chosen cut is made again.
            cut_part(points, rule, parts, part, axis, cuts[axis])


@compiled
def longest(lengths: IntArray) -> int:
    """Return the largest of some lengths, at least 1; compiles faster than numpy's ``max``."""
    room = 1
    for length in lengths:
        if length > room:  # noqa: PLR1730
            room = length
    return room


@compiled
def measure_widths(
    axes: AxisTable, rule: CutRule, parts: Parts, part: int, low: CodeArray, high: CodeArray, widths: FloatArray
) -> None:
    """Write the width of a part on each axis, as a share of the whole axis; -1 where it cannot be cut.

    Whether there is a cut is looked for only where the axis is the widest.
    """
    constant, by_region = rule.relaxed and is_constant(low, high), len(parts.region_low) > 0
    for axis in range(len(widths)):
        widths[axis] = -1.0
        if low[axis] < high[axis] or constant:
            lowest = parts.region_low[part, axis] if by_region else low[axis]
            highest = parts.region_high[part, axis] if by_region else high[axis]
            widths[axis] = axes.weights[axis] * run_cost(axes, axis, lowest, highest)


@compiled
def is_constant(low: CodeArray, high: CodeArray) -> bool:
    """Say whether all points of a box are the same."""
    for axis in range(len(low)):  # noqa: SIM110  compiles faster than all()
        if low[axis] != high[axis]:
            return False
    return True


@compiled
def measure_drops(
    points: Points,
    axes: AxisTable,
    classes: Classes | None,
    rule: CutRule,
    parts: Parts,
    part: int,
    low: CodeArray,
    high: CodeArray,
    ranks: IntArray,
    counts: IntArray,
    total: int,
    drops: FloatArray,
    cuts: IntArray,
) -> None:
    """Write the cut of a part on each axis, and by how much it lowers the loss; -1 where there is none."""
    constant = rule.relaxed and is_constant(low, high)
    first, end = parts.starts[part], parts.ends[part]
    for axis in range(len(drops)):
        drops[axis] = -1.0
        if low[axis] == high[axis] and not constant:
            continue
        if allows(points, axes, rule, parts, part, axis, low, high, ranks, counts, total, cuts[axis]):
            middle = place_cut(points, rule, first, end, axis, cuts[axis])
            if classes is None:
                drops[axis] = penalty_drop(points, axes, first, middle, end, low, high, total)
            else:
                drops[axis] = entropy_drop(points, classes, first, middle, end)


@compiled
def best_axis(axes: AxisTable, rule: CutRule, scores: FloatArray, low: CodeArray, high: CodeArray) -> int:
    """Return the axis with the highest score, or -1; of equal ones that with the smaller range, then the first."""
    best, best_range = -1, 0.0
    # One axis per iteration, in the order of precedence: a later one must be better, or tie with a smaller range.
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
    rule: CutRule,
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
    # A relaxed cut at the median is always allowable, because records at the median go to either side.
    cut[0], cut[1] = WHOLE, ranks[median_place(counts, found, total)]
    return bool(passed == 0)


@compiled
def cut_part(points: Points, rule: CutRule, parts: Parts, part: int, axis: int, cut: IntArray) -> None:
    """Cut a part in two, and write how."""
    parts.middle[part] = place_cut(points, rule, parts.starts[part], parts.ends[part], axis, cut)
    parts.axis[part], parts.lowest[part], parts.highest[part] = axis, cut[0], cut[1]


@compiled
def place_cut(points: Points, rule: CutRule, first: int, end: int, axis: int, cut: IntArray) -> int:
    """Rearrange a part so that its two sides lie side by side; return where the second begins."""
    if rule.relaxed and not rule.separating:
        # Relaxed: records at the median are distributed so that the two sides differ by one record at most.
        return halve(points.ranks, points.weights, points.order, first, end, axis, cut[1])
    return bring_forward(points.ranks, points.weights, points.order, first, end, axis, cut[0], cut[1])


@compiled
def penalty_drop(
    points: Points, axes: AxisTable, first: int, middle: int, end: int, low: CodeArray, high: CodeArray, total: int
) -> float:
    """Return by how much the penalty of all records of a part falls when it is cut."""
    side_low, side_high = np.empty(len(low), np.int32), np.empty(len(low), np.int32)
    drop = total * box_cost(axes, low, high)
    drop -= part_cost(points, axes, first, middle, side_low, side_high)
    drop -= part_cost(points, axes, middle, end, side_low, side_high)
    # Rounding may make it negative, and negative scores mean that there is no cut.
    return drop if drop > 0.0 else 0.0  # noqa: FURB136  compiles faster than max


@compiled
def part_cost(points: Points, axes: AxisTable, first: int, end: int, low: CodeArray, high: CodeArray) -> float:
    """Return what the records of a part pay; its box is written into ``low`` and ``high``."""
    measure_box(points.ranks, first, end, low, high)
    return sum_of_run(points.weights, first, end) * box_cost(axes, low, high)


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
    # Information gain times the number of records, as in "Workload-aware anonymization" (KDD 2006).
    drop = spread(left + right) - spread(left) - spread(right)
    return drop if drop > 0.0 else 0.0  # noqa: FURB136  compiles faster than max


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
