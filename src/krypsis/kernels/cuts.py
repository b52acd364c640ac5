"""Where a part may be cut on an axis: at its median, the value before it, or around a child of a tree."""

from __future__ import annotations

from krypsis.arrays import IntArray
from krypsis.kernels._jit import compiled
from krypsis.kernels.axis_table import AxisTable, common_level

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
    missing = counts[found - 1] if mixed else 0
    by_child = axes.is_tree[axis]
    if by_child:
        found = join_children(axes, axis, ranks, counts, found)
    alone = largest(counts, found)
    middle = median_place(counts, found, total)
    only_sure = separating and (mixed or axes.by_node[axis])
    for candidate in range(4):
        lowest, highest, inside = WHOLE, -1, 0
        if candidate == 0 and by_child:
            lowest, highest, inside = (WHOLE if alone == 0 else ranks[alone - 1] + 1), ranks[alone], counts[alone]
        elif candidate == 1 and mixed:
            highest, inside = axes.known[axis] - 1, total - missing
        elif candidate >= 2 and middle >= candidate - 2 and not only_sure:
            place = middle - (candidate - 2)
            highest, inside = ranks[place], counts[: place + 1].sum()
        if inside >= k and total - inside >= k:
            if passed == 0:
                cut[0], cut[1] = lowest, highest
                return True
            passed -= 1
    return False
