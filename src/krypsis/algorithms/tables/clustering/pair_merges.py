"""Groups that a promise refuses are merged with their nearest neighbors, and groups that became too large are cut."""

import numpy as np

from krypsis.algorithms.tables.base import Promises
from krypsis.algorithms.tables.clustering.space import RankSpace, renumbered
from krypsis.arrays import BoolArray, CodeArray, FloatArray, IntArray
from krypsis.kernels._jit import compiled
from krypsis.kernels.runs import RunCosts, box_cost, join_costs, widen

EPSILON = 1e-9
"""Costs are sums of fractions; what is less than this apart is equal."""

SEED_ROUNDS = 6
"""How often the farthest record is looked for to find two that are far apart; more do not help, the paper says."""


@compiled
def merge_nearest(
    lows: CodeArray, highs: CodeArray, sizes: IntArray, refused: BoolArray, costs: RunCosts, into: IntArray
) -> None:
    """Merge every refused group, one after the other, with the group for which the records of both pay least.

    Of equally cheap groups the smaller one is taken, then the first one. A group that has been merged waits for the
    next call. ``into[group]`` becomes the group that it is part of in the end; boxes and sizes become those of the
    merged groups.
    """
    joined = np.empty(len(sizes))
    alive = np.ones(len(sizes), np.bool_)
    waiting = refused.copy()
    # For each group that is refused, existed when the round began and is still alive: …
    for group in range(len(sizes)):
        if not waiting[group] or alive.sum() < 2:
            continue
        low, high = lows[:, group].copy(), highs[:, group].copy()
        # … scan all other groups once; G' = argmin NCP(G ∪ G').
        join_costs(costs, low, high, lows, highs, joined)
        alive[group] = False
        partner = _cheapest(joined, sizes, alive, sizes[group])
        kept, gone = min(group, partner), max(group, partner)
        widen(low, high, lows[:, partner], highs[:, partner])
        # Replace G and G' by G ∪ G'; the lower number survives, so ``into`` always points backwards.
        lows[:, kept] = low
        highs[:, kept] = high
        sizes[kept] += sizes[gone]
        sizes[gone] = 0
        alive[kept], alive[gone] = True, False
        waiting[kept], waiting[gone] = False, False
        into[gone] = kept
    for group in range(len(sizes)):
        into[group] = into[into[group]]  # what a group was merged into comes before it and is settled


@compiled
def _cheapest(joined: FloatArray, sizes: IntArray, alive: BoolArray, size: int) -> int:
    best, found = np.inf, -1
    for group in range(len(sizes)):
        if alive[group]:
            # NCP of the union: every record pays for the common box. Ties: smallest |G'|, then smallest number.
            cost = (size + sizes[group]) * joined[group]
            if cost < best - EPSILON or (cost <= best + EPSILON and sizes[group] < sizes[found]):
                best, found = min(best, cost), group
    return found


@compiled
def cut_groups(
    columns: CodeArray,
    costs: RunCosts,
    order: IntArray,
    starts: IntArray,
    k: int,
    by_box: bool,
    second: BoolArray,
    paid: FloatArray,
) -> None:
    """Cut groups in two; ``order[starts[group] : starts[group + 1]]`` are the records of a group, at least two.

    With ``k`` both parts of a group of at least ``2 k`` get as many records as half of all groups of ``k`` that fit
    need; without (0) each gets at least one. ``second`` says of each place in ``order`` whether it is in a second part;
    ``paid[group]`` is what a record of the whole group pays.
    """
    for group in range(len(starts) - 1):
        members = order[starts[group] : starts[group + 1]]
        size = len(members)
        # Split into floor(|G| / k) groups: both halves keep room for their share of them.
        parts = size // k if k else 2
        least = max(k, 1)
        ranks = columns[:, members].copy()
        part_of = np.zeros(size, np.bool_)
        cut_in_two(ranks, costs, size - (parts - parts // 2) * least, size - (parts // 2) * least, by_box, part_of)
        paid[group] = _paid(ranks, costs)
        for place in range(size):
            second[starts[group] + place] = part_of[place]


@compiled
def cut_in_two(
    columns: CodeArray, costs: RunCosts, most_first: int, most_second: int, by_box: bool, second: BoolArray
) -> None:
    """Cut records in two parts around two that are far apart; ``second`` says which records are in the second part.

    The others go, in their order, to the part whose first record is nearer, if both are as near (or ``by_box``) to the
    part whose box then costs less, if both cost the same to the smaller part; unless that part is full.
    """
    # Two seeds far apart start the two groups; each other record goes to one of them.
    first, last = _distant_pair(columns, costs)
    distances = _distances(columns, costs, first, last)
    seeds = np.array([first, last])
    lows, highs = columns[:, seeds].copy(), columns[:, seeds].copy()
    sizes, most = np.ones(2, np.int64), np.array([most_first, most_second])
    joined = np.empty(2)
    second[:] = False
    second[last] = True
    for record in range(columns.shape[1]):
        if record in (first, last):
            continue
        point = columns[:, record].copy()
        # The paper compares NCP(G ∪ {w}) of the boxes (``by_box``); distance to the seeds is ours.
        lead = 0.0 if by_box else distances[1, record] - distances[0, record]
        if abs(lead) <= EPSILON:
            join_costs(costs, point, point, lows, highs, joined)
            lead = joined[1] - joined[0]
        if abs(lead) <= EPSILON:
            lead = float(sizes[1] - sizes[0])
        part = 0 if lead >= 0 else 1
        if sizes[part] >= most[part]:
            # The preferred part is full: the other one still needs records to reach its size.
            part = 1 - part
        sizes[part] += 1
        widen(lows[:, part], highs[:, part], point, point)
        second[record] = part == 1


@compiled
def _distant_pair(columns: CodeArray, costs: RunCosts) -> tuple[int, int]:
    """Return two different records; starting with the first, the farthest one is looked for a few times (UT-A3)."""
    joined = np.empty(columns.shape[1])
    start, end, distance = 0, 1, -1.0
    # Farthest from the last farthest, until the distance grows no more; each round is one scan, not a scan of pairs.
    for _ in range(SEED_ROUNDS):
        point = columns[:, start].copy()
        join_costs(costs, point, point, columns, columns, joined)
        joined[start] = -1.0
        farthest = int(joined.argmax())
        if joined[farthest] <= distance + EPSILON:
            break
        distance = joined[farthest]
        start, end = farthest, start
    return min(start, end), max(start, end)


@compiled
def _distances(columns: CodeArray, costs: RunCosts, first: int, last: int) -> FloatArray:
    """Return what it costs to join each record with one of two."""
    distances = np.empty((2, columns.shape[1]))
    for place, seed in enumerate((first, last)):
        point = columns[:, seed].copy()
        join_costs(costs, point, point, columns, columns, distances[place])
    return distances


@compiled
def _paid(columns: CodeArray, costs: RunCosts) -> float:
    """Return what a record pays if all are one group."""
    low, high = columns[:, 0].copy(), columns[:, 0].copy()
    for record in range(1, columns.shape[1]):
        widen(low, high, columns[:, record], columns[:, record])
    return float(box_cost(costs, low, high))


def merge_refused(
    space: RankSpace, promises: Promises, group_of: CodeArray, block: int | None, *, cut: bool = True
) -> CodeArray:
    """Merge groups until all are accepted; the table as one group must be.

    In each round every refused group is merged with a neighbor, so there are at least half as many refused groups, or
    more records in them. ``block`` limits how many groups are compared with each other; other groups are in a block
    in every round. Unless ``cut`` is false, groups of ``2 k`` records are cut after each round.
    """
    # While some group is refused (in the paper: has fewer than k records):
    while (refused := ~promises.keep(group_of, int(group_of.max()) + 1)).any():
        # Step 1: merge every refused group with its cheapest partner.
        group_of = _merge_once(space, group_of, refused, block)
        # Step 2: split groups of 2k records and more into floor(|G| / k) groups.
        group_of = cut_large(space, promises, group_of) if cut else group_of
    return group_of


def _merge_once(space: RankSpace, group_of: CodeArray, refused: BoolArray, block: int | None) -> CodeArray:
    boxes = space.boxes(group_of)
    into = np.arange(len(refused), dtype=np.int64)
    for groups in space.blocks(boxes.middles, block):
        if refused[groups].any():
            part = boxes.chosen(groups)
            inside = np.arange(len(groups), dtype=np.int64)
            merge_nearest(part.lows, part.highs, part.sizes, refused[groups], space.costs, inside)
            into[groups] = groups[inside]
    return renumbered(into[group_of].astype(np.int32))


def cut_large(space: RankSpace, promises: Promises, group_of: CodeArray) -> CodeArray:
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
    space: RankSpace,
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
