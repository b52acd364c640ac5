"""Groups that a promise refuses are merged with their nearest neighbors, and groups that became too large are cut."""

from __future__ import annotations

import numpy as np

from krypsis.algorithms.clustering.space import Space, renumbered
from krypsis.algorithms.partitioning.judgment import Promises
from krypsis.arrays import BoolArray, CodeArray, FloatArray, IntArray
from krypsis.kernels.merging import cut_groups, merge_nearest


def merge_refused(
    space: Space, promises: Promises, group_of: CodeArray, block: int | None, *, cut: bool = True
) -> CodeArray:
    """Merge groups until all are accepted; the table as one group must be.

    In each round every refused group is merged with a neighbor, so there are at least half as many refused groups, or
    more records in them. ``block`` limits how many groups are compared with each other; other groups are in a block
    in every round. Unless ``cut`` is false, groups of ``2 k`` records are cut after each round.
    """
    while (refused := ~promises.keep(group_of, int(group_of.max()) + 1)).any():
        group_of = _merge_once(space, group_of, refused, block)
        group_of = cut_large(space, promises, group_of) if cut else group_of
    return group_of


def _merge_once(space: Space, group_of: CodeArray, refused: BoolArray, block: int | None) -> CodeArray:
    boxes = space.boxes(group_of)
    into = np.arange(len(refused), dtype=np.int64)
    for groups in space.blocks(boxes.middles, block):
        if refused[groups].any():
            part = boxes.chosen(groups)
            inside = np.arange(len(groups), dtype=np.int64)
            merge_nearest(part.lows, part.highs, part.sizes, refused[groups], space.costs, inside)
            into[groups] = groups[inside]
    return renumbered(into[group_of].astype(np.int32))


def cut_large(space: Space, promises: Promises, group_of: CodeArray) -> CodeArray:
    """Cut groups of ``2 k`` records and more into as many groups of ``k`` as fit, where all parts are accepted."""
    numbers = group_of.copy()
    whole = np.zeros(int(numbers.max()) + 1, dtype=np.bool_)
    while len(large := np.flatnonzero((np.bincount(numbers, minlength=len(whole)) >= 2 * promises.k) & ~whole)):
        second, _ = second_parts(space, numbers, large, promises.k)
        groups = len(whole)
        place = np.zeros(groups, dtype=np.int64)
        place[large] = np.arange(len(large))
        cut = np.where(second, groups + place[numbers], numbers).astype(np.int32)
        keeps = _both_keep(promises, cut, large, groups)
        whole = np.append(whole, np.zeros(len(large), dtype=np.bool_))
        whole[large] = ~keeps
        numbers = np.where(second & ~keeps[place[numbers]], numbers, cut).astype(np.int32)
    return renumbered(numbers)


def _both_keep(promises: Promises, cut: CodeArray, groups: IntArray, first_new: int) -> BoolArray:
    """Say for each group that was cut whether both its parts keep the promises."""
    if not promises.beyond_size:
        return np.ones(len(groups), dtype=np.bool_)
    accepted = promises.keep(cut, first_new + len(groups))
    return np.asarray(accepted[groups] & accepted[first_new:])


def second_parts(
    space: Space,
    group_of: CodeArray,
    groups: IntArray,
    k: int,
    order: IntArray | None = None,
    *,
    by_box: bool = False,
) -> tuple[BoolArray, FloatArray]:
    """Cut some groups in two; return which records are in a second part, and what a record pays in each whole group.

    With ``k`` both parts have room for half of the groups of ``k`` that fit; without (0) they may have any size.
    Records are taken in the given order, or in that of their numbers.
    """
    chosen = np.zeros(max(int(group_of.max()), int(groups.max())) + 1, dtype=np.bool_)
    chosen[groups] = True
    records = np.arange(len(group_of), dtype=np.int64) if order is None else order
    records = records[chosen[group_of[records]]]
    members = records[np.argsort(group_of[records], kind="stable")]
    starts = np.append(np.searchsorted(group_of[members], groups), len(members)).astype(np.int64)
    behind, paid = np.zeros(len(members), dtype=np.bool_), np.zeros(len(groups))
    cut_groups(space.columns, space.costs, members, starts, k, by_box, behind, paid)
    second = np.zeros(len(group_of), dtype=np.bool_)
    second[members[behind]] = True
    return second, paid
