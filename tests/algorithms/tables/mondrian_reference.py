"""Mondrian as the paper tells it, on plain lists of numbers: slow, and nothing of ours in it."""

from collections.abc import Callable, Sequence
from fractions import Fraction

Row = tuple[int, ...]
Part = list[int]
"""Row numbers."""


def strict(rows: Sequence[Row], k: int, accepts: Callable[[Part], bool] = bool) -> list[Part]:
    """Cut until no cut at a median, or at the value before it, leaves two parts that are large enough and accepted."""
    done, open_parts = [], [list(range(len(rows)))]
    while open_parts:
        part = open_parts.pop()
        sides = next(
            (sides for axis in by_width(rows, part) for sides in cuts(rows, part, axis, k) if all(map(accepts, sides))),
            None,
        )
        if sides is None:
            done.append(part)
        else:
            open_parts += sides
    return done


def by_width(rows: Sequence[Row], part: Part) -> list[int]:
    """The axes by width, as a share of the whole table's; of equal ones the smaller range first, then the first."""
    everything = range(len(rows))
    axes = [axis for axis in range(len(rows[0])) if extent(rows, everything, axis)]
    share = {axis: Fraction(extent(rows, part, axis), extent(rows, everything, axis)) for axis in axes}
    return sorted(axes, key=lambda axis: (-share[axis], extent(rows, part, axis), axis))


def extent(rows: Sequence[Row], part: Sequence[int], axis: int) -> int:
    values = [rows[row][axis] for row in part]
    return max(values) - min(values)


def cuts(rows: Sequence[Row], part: Part, axis: int, k: int) -> list[list[Part]]:
    values = sorted(rows[row][axis] for row in part)
    median = values[(len(values) + 1) // 2 - 1]
    lower = [value for value in values if value < median]
    found = []
    for last in [median, *lower[-1:]]:
        sides = [[row for row in part if rows[row][axis] <= last], [row for row in part if rows[row][axis] > last]]
        if min(map(len, sides)) >= max(k, 1):
            found.append(sides)
    return found


def any_cut(rows: Sequence[Row], part: Part, k: int) -> bool:
    """Say whether any cut at all leaves k rows on both sides."""
    for axis in range(len(rows[0])):
        for last in {rows[row][axis] for row in part}:
            below = sum(rows[row][axis] <= last for row in part)
            if min(below, len(part) - below) >= k:
                return True
    return False
