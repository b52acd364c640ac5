"""A table is divided around pairs of records that are far apart; groups that get too small are adjusted."""

from __future__ import annotations

import numpy as np

from krypsis.algorithms.blocks import gathered
from krypsis.algorithms.clustering.merging import second_parts
from krypsis.algorithms.clustering.space import Space, renumbered
from krypsis.algorithms.partitioning.judgment import Promises
from krypsis.arrays import CodeArray, IntArray
from krypsis.kernels.adjusting import adjust_groups
from krypsis.progress import Progress

EPSILON = 1e-9
"""Groups whose records pay no more than this are as good as they can be."""


def divide(
    space: Space, promises: Promises, rng: np.random.Generator, progress: Progress, *, by_box: bool = False
) -> CodeArray:
    """Cut groups in two as long as one part at least is accepted; those that cost nothing stay whole.

    Only accepted parts of ``2 k`` records and more are cut further. All groups of a level are cut together.
    """
    order = rng.permutation(space.records).astype(np.int64)
    group_of = np.zeros(space.records, dtype=np.int32)
    active = np.zeros(1, dtype=np.int64)
    while len(active := active[np.bincount(group_of)[active] >= 2 * promises.k]) and not progress.wants_stop():
        group_of, active = _cut_once(space, promises, group_of, active, order, by_box=by_box)
    return group_of


def _cut_once(
    space: Space, promises: Promises, group_of: CodeArray, active: IntArray, order: IntArray, *, by_box: bool
) -> tuple[CodeArray, IntArray]:
    """Return the groups after one cut of each active group, and those to go on with."""
    second, paid = second_parts(space, group_of, active, 0, order, by_box=by_box)
    groups = int(group_of.max()) + 1
    place = np.zeros(groups, dtype=np.int64)
    place[active] = np.arange(len(active))
    cut = np.where(second, groups + place[group_of], group_of).astype(np.int32)
    accepted = promises.keep(cut, groups + len(active))
    first, behind = accepted[active], accepted[groups:]
    worth = (paid > EPSILON) & (first | behind)
    number = groups + np.cumsum(worth) - 1
    divided = np.where(second & worth[place[group_of]], number[place[group_of]], group_of).astype(np.int32)
    return divided, np.concatenate([active[worth & first], number[worth & behind]])


def adjust(space: Space, group_of: CodeArray, k: int, block: int | None) -> CodeArray:
    """Let groups of fewer than ``k`` records borrow or merge, within blocks of groups; a block may be left as one."""
    boxes = space.boxes(group_of)
    if not (boxes.sizes < k).any():
        return group_of
    by_group = np.argsort(group_of, kind="stable").astype(np.int64)
    ends = np.cumsum(boxes.sizes)

    def adjusted(groups: IntArray) -> tuple[IntArray, CodeArray]:
        records = np.concatenate([by_group[ends[group] - boxes.sizes[group] : ends[group]] for group in groups])
        part = boxes.chosen(groups)
        inside = np.repeat(np.arange(len(groups), dtype=np.int32), part.sizes)
        adjust_groups(space.part(records), space.costs, k, inside, part.lows, part.highs, part.sizes)
        return records, renumbered(inside)

    return gathered(space.records, map(adjusted, space.blocks(boxes.middles, block)))
