"""Color refinement of published graphs: by sorting, and exact, since equal multisets are compared and not hashed."""

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from krypsis.arrays import IntArray

Neighbors = npt.NDArray[np.integer[Any]]


def refined(starts: IntArray, neighbors: Neighbors, depth: int | None) -> IntArray:
    """Return what neighbors say of each vertex, ``depth`` times over; until nothing new is found where it is None.

    What is said at one depth determines what was said at the one before (its multiset of multisets of …), so that
    classes only ever split, and stay as they are once none does.

    Examples
    --------
    >>> path = np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1])
    >>> refined(*path, depth=0).tolist(), refined(*path, depth=None).tolist()
    ([0, 0, 0], [0, 1, 0])
    """
    colors = np.zeros(len(starts) - 1, dtype=np.int64)
    turn, count, before = 0, 1, 0
    while count > before and (depth is None or turn < depth):
        colors = multisets(starts, colors[neighbors])
        turn, count, before = turn + 1, int(colors.max(initial=-1)) + 1, count
    return colors


def multisets(starts: IntArray, values: IntArray) -> IntArray:
    """Give a number to each multiset of values between the starts: the same to equal ones, others to others."""
    width = int(values.max(initial=0)) + 1
    keys = np.repeat(np.arange(len(starts) - 1), np.diff(starts)) * width + values
    keys.sort()
    return numbered_runs(starts, keys % width)


def numbered_runs(starts: IntArray, values: IntArray) -> IntArray:
    """Give a number to each run of values between the starts: the same to equal ones, others to others.

    Examples
    --------
    >>> numbered_runs(np.array([0, 2, 3, 5]), np.array([4, 5, 4, 4, 5])).tolist()
    [0, 1, 0]
    """
    written, ends = values.astype(np.int64).tobytes(), (8 * starts).tolist()
    numbers: dict[bytes, int] = {}
    found = [numbers.setdefault(written[first:last], len(numbers)) for first, last in pairwise(ends)]
    return np.array(found, dtype=np.int64)


def joined(first: IntArray, second: IntArray) -> IntArray:
    """Give a number to each pair of two numbers of a vertex, in the order in which they first occur.

    Examples
    --------
    >>> joined(np.array([3, 3, 1]), np.array([0, 2, 0])).tolist()
    [0, 1, 2]
    """
    keys = first * (int(second.max(initial=0)) + 1) + second
    _, places, found = np.unique(keys, return_index=True, return_inverse=True)
    rank = np.empty(len(places), dtype=np.int64)
    rank[np.argsort(places)] = np.arange(len(places))
    return np.asarray(rank[found.ravel()])
