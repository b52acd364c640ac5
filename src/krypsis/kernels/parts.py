"""Parts of a table as runs of points: their boxes, how often each rank occurs, and splitting them in place.

``points[point, axis]`` are ranks and ``weights[point]`` numbers of records. A part is the points from ``first`` up to,
but not including, ``end``.
"""

from krypsis.arrays import CodeArray, IntArray
from krypsis.kernels._jit import compiled

SPARSE = 4
"""Ranks per point up to which counting all of them is faster than sorting the points."""


@compiled
def measure_box(points: CodeArray, first: int, end: int, low: CodeArray, high: CodeArray) -> None:
    """Write the lowest and the highest rank of a part on each axis."""
    for axis in range(points.shape[1]):
        low[axis] = high[axis] = points[first, axis]
    for point in range(first + 1, end):
        for axis in range(points.shape[1]):
            rank = points[point, axis]
            if rank < low[axis]:  # noqa: PLR1730  compiles faster than min
                low[axis] = rank
            if rank > high[axis]:  # noqa: PLR1730
                high[axis] = rank


@compiled
def sum_of_run(numbers: IntArray, first: int, end: int) -> int:
    """Return the sum of the numbers of a run."""
    total = 0
    for place in range(first, end):
        total += numbers[place]
    return total


@compiled
def count_ranks(
    points: CodeArray,
    weights: IntArray,
    first: int,
    end: int,
    axis: int,
    low: int,
    high: int,
    ranks: IntArray,
    counts: IntArray,
) -> int:
    """Write the ranks that occur on an axis in ascending order, with their numbers of records; return how many.

    ``ranks`` and ``counts`` have room for all points and for all ranks of the axis.
    """
    if high - low >= SPARSE * (end - first):
        return _count_by_sorting(points, weights, first, end, axis, ranks, counts)
    counts[: high - low + 1] = 0
    for point in range(first, end):
        counts[points[point, axis] - low] += weights[point]
    found = 0
    # ``found`` never runs ahead of ``rank - low``, so the counts can be compacted in place.
    for rank in range(low, high + 1):
        if counts[rank - low]:
            ranks[found] = rank
            counts[found] = counts[rank - low]
            found += 1
    return found


@compiled
def _count_by_sorting(
    points: CodeArray, weights: IntArray, first: int, end: int, axis: int, ranks: IntArray, counts: IntArray
) -> int:
    """Sort the points into the room for ranks and counts, with Shell's method, and add up those of a rank.

    numpy's ``argsort`` would take longer to compile than all the rest of the cuts.
    """
    number = end - first
    for place in range(number):
        ranks[place], counts[place] = points[first + place, axis], weights[first + place]
    gap = number // 2
    while gap > 0:
        for place in range(gap, number):
            rank, count, lower = ranks[place], counts[place], place
            while lower >= gap and ranks[lower - gap] > rank:
                ranks[lower], counts[lower] = ranks[lower - gap], counts[lower - gap]
                lower -= gap
            ranks[lower], counts[lower] = rank, count
        gap = 1 if gap == 2 else gap * 5 // 11
    found = 0
    for place in range(1, number):
        if ranks[place] == ranks[found]:
            counts[found] += counts[place]
        else:
            found += 1
            ranks[found], counts[found] = ranks[place], counts[place]
    return found + 1


@compiled
def swap_points(points: CodeArray, weights: IntArray, order: CodeArray, one: int, other: int) -> None:
    """Exchange two points."""
    for axis in range(points.shape[1]):
        points[one, axis], points[other, axis] = points[other, axis], points[one, axis]
    weights[one], weights[other] = weights[other], weights[one]
    order[one], order[other] = order[other], order[one]


@compiled
def bring_forward(
    points: CodeArray, weights: IntArray, order: CodeArray, first: int, end: int, axis: int, lowest: int, highest: int
) -> int:
    """Bring the points between two ranks, both included, before the others; return where the others begin."""
    left, right = first, end - 1
    # Partition as in quicksort: both ends move inwards and exchange what stands on the wrong side.
    while True:
        while left <= right and lowest <= points[left, axis] <= highest:
            left += 1
        while left <= right and not lowest <= points[right, axis] <= highest:
            right -= 1
        if left > right:
            return left
        swap_points(points, weights, order, left, right)


@compiled
def halve(points: CodeArray, weights: IntArray, order: CodeArray, first: int, end: int, axis: int, median: int) -> int:
    """Bring the smaller half of the points before the others, those at the median on both sides; return the middle."""
    # Below the median, at it, above it; the middle falls among those at the median. Every point has weight 1 here.
    at_median = bring_forward(points, weights, order, first, end, axis, 0, median - 1)
    bring_forward(points, weights, order, at_median, end, axis, median, median)
    return first + (end - first + 1) // 2


@compiled
def measure_boxes(points: CodeArray, starts: IntArray, ends: IntArray, low: CodeArray, high: CodeArray) -> None:
    """Write the lowest and the highest rank of every part on each axis."""
    for part in range(len(starts)):
        measure_box(points, starts[part], ends[part], low[part], high[part])
