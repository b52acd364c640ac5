"""MDAV for many records: as in the paper where records are far out, block by block among the rest."""

from __future__ import annotations

import numpy as np

from krypsis.algorithms.blocks import Grouped, cut_into_blocks, gathered
from krypsis.algorithms.threads import work_on_each
from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.kernels.block_cuts import cut_by_spread
from krypsis.kernels.mdav import mdav_groups

FAR = 2
"""Records farther from the mean than so many times what is usual, as a mean of squares, are grouped before the rest."""


def mdav_in_blocks(points: FloatArray, k: int, largest: int | None, threads: int = 1) -> CodeArray:
    """Return the group of each record, from ``k`` to ``2k - 1`` records each; fewer than ``k`` are one group.

    Up to ``largest`` records are grouped by MDAV as it is. Of more, MDAV begins with those that are far from the mean;
    few blocks would have enough of them to make good groups, and they decide about most of the loss. The others are
    cut into blocks of at most ``largest``, and MDAV groups each. The mean of the points must be 0.

    Examples
    --------
    >>> apart = np.repeat([-1.0, 1.0], 20)[:, None]
    >>> np.bincount(mdav_in_blocks(apart, 4, 20)).tolist()
    [4, 4, 4, 4, 4, 4, 4, 4, 4, 4]
    """
    largest = None if largest is None else max(largest, 2 * k)
    if largest is None or len(points) <= largest:
        return mdav_groups(points, k)
    outer = mdav_groups(points, k, FAR**2 * float(np.square(points).sum()) / len(points))
    far, near = np.flatnonzero(outer >= 0), np.flatnonzero(outer < 0)
    rest = points[near]

    def grouped(block: IntArray) -> Grouped:
        return near[block], mdav_groups(rest[block], k)

    blocks = cut_into_blocks(len(near), largest, lambda block: cut_by_spread(rest, k, block))
    return gathered(len(points), [(far, outer[far]), *work_on_each(grouped, blocks, threads)])
