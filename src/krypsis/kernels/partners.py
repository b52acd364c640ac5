"""Partners for swapping: each record a random free one among those that come next."""

from __future__ import annotations

import numpy as np

from krypsis.arrays import FloatArray, IntArray
from krypsis.kernels._jit import compiled


@compiled
def partners(last: IntArray, draws: FloatArray) -> IntArray:
    """Return the partner of each rank, itself where it has none.

    From the lowest rank on, a free rank ``i`` takes a free one from ``i + 1`` to ``last[i]``, each with the same
    chance; ``draws[i]``, a number from 0 on and below 1, decides which. A tree of counts finds the n-th free rank in a
    number of steps that grows with the logarithm of the ranks.

    Examples
    --------
    >>> partners(np.array([1, 3, 3, 3]), np.array([0.5, 0.0, 0.9, 0.0]))
    array([1, 0, 3, 2])
    """
    count = len(last)
    chosen = np.arange(count)
    free = np.ones(count, dtype=np.bool_)
    size = 1
    while size < count:
        size *= 2
    tree = np.zeros(size + 1, dtype=np.int64)
    for rank in range(count):
        _add(tree, rank, 1)
    for rank in range(count):
        if not free[rank]:
            continue
        before = _up_to(tree, rank)
        candidates = _up_to(tree, last[rank]) - before
        if candidates <= 0:
            continue
        other = _nth(tree, before + int(draws[rank] * candidates))
        chosen[rank], chosen[other] = other, rank
        free[rank], free[other] = False, False
        _add(tree, rank, -1)
        _add(tree, other, -1)
    return chosen


@compiled
def _add(tree: IntArray, rank: int, amount: int) -> None:
    position = rank + 1
    while position < len(tree):
        tree[position] += amount
        position += position & -position


@compiled
def _up_to(tree: IntArray, rank: int) -> int:
    """Return how many of the ranks up to this one are free."""
    position, total = rank + 1, 0
    while position > 0:
        total += tree[position]
        position -= position & -position
    return total


@compiled
def _nth(tree: IntArray, before: int) -> int:
    """Return the free rank that has as many free ones before it."""
    position, step = 0, len(tree) - 1
    while step > 0:
        if position + step < len(tree) and tree[position + step] <= before:
            position += step
            before -= tree[position]
        step //= 2
    return position
