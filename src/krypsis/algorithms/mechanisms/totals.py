"""Counts that add up: noisy counts moved as little as possible, so that their sum is a given one."""

from __future__ import annotations

import numpy as np

from krypsis.arrays import IntArray


def adding_up(counts: IntArray, total: int, *, nonnegative: bool) -> IntArray:
    """Return the whole numbers nearest to the counts, in squares, whose sum is the total.

    This looks at noisy numbers only, so it costs no privacy. All counts move by the same amount, up to rounding; with
    ``nonnegative`` those that would fall below 0 stay there, and a total below 0 is 0.

    References
    ----------
    Held, Wolfe, Crowder, "Validation of subgradient optimization", Mathematical Programming 6, 1974 (the nearest point
    of a simplex).

    Examples
    --------
    >>> adding_up(np.array([5, -2, 1]), 4, nonnegative=True).tolist()
    [4, 0, 0]
    >>> adding_up(np.array([5, -2, 1]), 5, nonnegative=False).tolist()
    [6, -2, 1]
    """
    if nonnegative and total <= 0:
        return np.zeros_like(counts)
    order = np.argsort(-counts, kind="stable")
    moved = counts[order]
    sums = np.cumsum(moved)
    sizes = np.arange(1, len(counts) + 1)
    # The largest counts that are still above 0 after each has given up its share of what is too much.
    support = int(np.flatnonzero(moved * sizes > sums - total)[-1]) + 1 if nonnegative else len(counts)
    share = -((total - int(sums[support - 1])) // support)  # rounded up: what is missing then is given to the largest
    result = np.zeros_like(counts)
    result[order[:support]] = moved[:support] - share
    result[order[: total - int(result.sum())]] += 1
    return result
