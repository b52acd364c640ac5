"""Assignment: new records form balanced buckets of at least ``m`` values each."""

from __future__ import annotations

import numpy as np

from krypsis.algorithms.histories.signatures import Signatures
from krypsis.arrays import IntArray
from krypsis.errors import InternalError


def is_eligible(counts: IntArray, m: int) -> bool:
    """Say whether groups of ``m`` or more records with different values can be made of so many records per value.

    Examples
    --------
    >>> is_eligible(np.array([2, 1, 1]), 2), is_eligible(np.array([3, 1, 1]), 2)
    (True, False)
    """
    return int(counts.max(initial=0)) * m <= int(counts.sum())


def assign(counts: IntArray, m: int) -> tuple[Signatures, IntArray]:
    """Return buckets for so many records per value: their values, and how many records of each value they take.

    Again and again, the ``b`` most frequent values give ``a`` records each, with the smallest ``b`` for which there is
    an ``a`` that leaves the rest eligible, and the largest such ``a``. Buckets of the same values are one bucket.

    Notes
    -----
    With ``n_1 ≥ n_2 ≥ …`` records per value and ``γ`` in all, the rest is eligible if ``n_1 - a ≤ (γ - a·b) / m`` and
    ``n_{b+1} ≤ (γ - a·b) / m``. The second condition is printed with ``n_{b+1} - a`` in one source, although no record
    of that value is taken; most eligible inputs then come to a point where nothing can be taken any more, the smallest
    of them three records with three values and ``m = 2``.

    Of values that are equally frequent, the one with the lower code comes first.

    References
    ----------
    Xiao, Tao, "m-invariance: towards privacy preserving re-publication of dynamic datasets", SIGMOD 2007, section 5.3.

    Examples
    --------
    >>> buckets, taken = assign(np.array([1, 1, 1]), 2)
    >>> buckets.nodes.tolist(), taken.tolist()
    ([0, 1, 2], [1])
    """
    left = counts.astype(np.int64)
    sets: dict[tuple[int, ...], int] = {}
    while left.any():
        order = np.argsort(-left, kind="stable")
        wide, deep = _largest_bucket(left[order], m)
        chosen = np.sort(order[:wide])
        left[chosen] -= deep
        key = tuple(chosen.tolist())
        sets[key] = sets.get(key, 0) + deep
    return Signatures.of(sets), np.array(list(sets.values()), dtype=np.int64)


def _largest_bucket(counts: IntArray, m: int) -> tuple[int, int]:
    """Return ``b`` and ``a`` for counts in descending order."""
    total = int(counts.sum())
    width = np.arange(m, len(counts) + 1)
    following = np.append(counts[m:], 0)[: len(width)]
    deepest = np.minimum(counts[m - 1 :], (total - m * following) // width)
    slack = total - m * int(counts[0])
    deepest = np.where(width > m, np.minimum(deepest, slack // np.maximum(width - m, 1)), deepest)
    possible = np.flatnonzero(deepest >= 1)
    if slack < 0 or not len(possible):
        raise InternalError("the new records are not eligible, and buckets were asked for; please report this")
    return int(width[possible[0]]), int(deepest[possible[0]])
