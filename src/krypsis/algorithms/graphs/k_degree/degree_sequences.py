"""Degree sequences in which every value occurs at least k times, as near to the given one as possible."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from krypsis.arrays import IntArray
from krypsis.kernels._jit import compiled

UNREACHABLE = np.int64(1) << 60
SMALL = 128
"""Up to so many vertices, groups of any size are tried: with an even sum, groups of 2k and more may be best."""


@compiled
def raise_groups(  # noqa: C901  one recurrence
    degrees: IntArray, k: int, most: int, largest: int, costs: IntArray, targets: IntArray
) -> None:
    """Raise degrees, which descend, so that each occurs ``k`` times; by an even and by an odd sum, as little as can be.

    ``costs[p]`` becomes the least sum of parity ``p``, and ``targets[p]`` the degrees; no degree exceeds ``most``, and
    no group ``largest`` vertices.
    """
    n = len(degrees)
    sums = np.zeros(n + 1, dtype=np.int64)
    for place in range(n):
        sums[place + 1] = sums[place] + degrees[place]
    # DA(i): the least cost of the first i vertices, here for each parity of the cost: a sum of degrees is even.
    best = np.full((n + 1, 2), UNREACHABLE, dtype=np.int64)
    size_of = np.zeros((n + 1, 2), dtype=np.int64)
    extra_of = np.zeros((n + 1, 2), dtype=np.int64)
    best[0, 0] = 0
    for end in range(k, n + 1):
        for size in range(k, min(end, largest) + 1):
            start = end - size
            if best[start, 0] >= UNREACHABLE and best[start, 1] >= UNREACHABLE:
                continue
            # I(start, end): all are raised to the largest degree of the group, or by one more, which changes the
            # parity in groups of odd size.
            cost = size * degrees[start] - (sums[end] - sums[start])
            for extra in range(2 if size % 2 else 1):
                if degrees[start] + extra > most:
                    continue
                paid = cost + extra * size
                for before in range(2):
                    parity = (before + paid) % 2
                    if best[start, before] + paid < best[end, parity]:
                        best[end, parity] = best[start, before] + paid
                        size_of[end, parity], extra_of[end, parity] = size, extra
    costs[:] = best[n]
    for parity in range(2):
        if best[n, parity] < UNREACHABLE:
            _follow_back(degrees, size_of, extra_of, parity, targets[parity])


@compiled
def _follow_back(degrees: IntArray, size_of: IntArray, extra_of: IntArray, parity: int, targets: IntArray) -> None:
    """Write the degrees of the groups that led to the least cost of a parity."""
    end = len(degrees)
    while end > 0:
        size = size_of[end, parity]
        start = end - size
        target = degrees[start] + extra_of[end, parity]
        parity = (parity + size * target - degrees[start:end].sum()) % 2
        targets[start:end] = target
        end = start


@compiled
def group_around_medians(degrees: IntArray, k: int, group_of: IntArray) -> int:
    """Cut degrees, which descend, into groups of ``k`` and more with the least sum of distances to their medians.

    Writes the number of each vertex's group; returns how many groups there are.
    """
    n = len(degrees)
    sums = np.zeros(n + 1, dtype=np.int64)
    for place in range(n):
        sums[place + 1] = sums[place] + degrees[place]
    best = np.full(n + 1, UNREACHABLE, dtype=np.int64)
    size_of = np.zeros(n + 1, dtype=np.int64)
    best[0] = 0
    for end in range(k, n + 1):
        for size in range(k, min(end, 2 * k - 1) + 1):
            start = end - size
            if best[start] >= UNREACHABLE:
                continue
            # The half above the median minus the half below it.
            half = size // 2
            paid = (sums[start + half] - sums[start]) - (sums[end] - sums[end - half])
            if best[start] + paid < best[end]:
                best[end], size_of[end] = best[start] + paid, size
    groups, end = 0, n
    while end > 0:
        group_of[end - size_of[end] : end] = groups
        groups += 1
        end -= size_of[end]
    return groups


def least_distance(degrees: IntArray, k: int) -> int:
    """Return by how much degrees have to change in all, up or down, so that each occurs ``k`` times.

    Examples
    --------
    >>> least_distance(np.array([4, 3, 2, 2, 2, 2, 1]), 2)
    2
    """
    descending = -np.sort(-degrees)
    group_of = np.empty(len(descending), dtype=np.int64)
    group_around_medians(descending, k, group_of)
    starts = np.flatnonzero(np.diff(group_of, prepend=-1))
    sizes = np.diff(starts, append=len(descending))
    medians = descending[starts + sizes // 2]
    return int(np.abs(descending - np.repeat(medians, sizes)).sum())


@dataclass(frozen=True, eq=False)
class LabelGroups:
    """Vertices in groups of equal labels, which an attacker knows as well: degrees must be alike within each.

    Examples
    --------
    >>> groups = LabelGroups.of(np.array([1, 1, 0, 1]))
    >>> [members.tolist() for members in groups.members]
    [[2], [0, 1, 3]]
    """

    number: IntArray
    """The group of each vertex."""
    members: tuple[IntArray, ...]

    @classmethod
    def of(cls, number: IntArray) -> LabelGroups:
        """Return the groups of a numbering without gaps."""
        order = np.argsort(number, kind="stable")
        ends = np.cumsum(np.bincount(number))
        return cls(number, tuple(np.split(order, ends[:-1])))


def raised_degrees(degrees: IntArray, groups: LabelGroups, k: int) -> IntArray:
    """Return degrees of which none is lower, each of which ``k`` vertices of its group have, with an even total.

    Notes
    -----
    The dynamic program of Liu and Terzi, in O(nk) for each label group, here with the parity of the cost as a second
    state: where the cheapest sequences have an odd sum, and so belong to no graph, the group is chosen in which an odd
    sum less or more costs least.

    References
    ----------
    Liu, Terzi, "Towards identity anonymization on graphs", SIGMOD 2008, Section 5.

    Examples
    --------
    >>> degrees = np.array([4, 3, 2, 2, 2, 2, 1])
    >>> raised_degrees(degrees, LabelGroups.of(np.zeros(7, dtype=np.int64)), 2).tolist()
    [4, 4, 2, 2, 2, 2, 2]
    """
    most = len(degrees) - 1
    costs = np.empty((len(groups.members), 2), dtype=np.int64)
    orders, targets = [], []
    for place, members in enumerate(groups.members):
        order = members[np.argsort(-degrees[members], kind="stable")]
        found = np.empty((2, len(order)), dtype=np.int64)
        largest = len(order) if len(order) <= SMALL else 2 * k - 1
        raise_groups(degrees[order], k, most, largest, costs[place], found)
        orders.append(order)
        targets.append(found)
    parities = costs.argmin(axis=1)
    if (costs.min(axis=1).sum() + degrees.sum()) % 2:
        # Every cost has the parity it stands for. One group pays for the other parity.
        changed = int(np.abs(costs[:, 0] - costs[:, 1]).argmin())
        if costs[changed].max() < UNREACHABLE:
            parities[changed] = 1 - parities[changed]
    raised = np.empty_like(degrees)
    for order, found, parity in zip(orders, targets, parities.tolist(), strict=True):
        raised[order] = found[parity]
    return raised


def balanced_degrees(degrees: IntArray, groups: LabelGroups, k: int, surplus: int = 0) -> IntArray:
    """Return degrees near to the given ones, each of which ``k`` vertices of its group have, with an even total.

    Notes
    -----
    Groups are formed around their medians by dynamic programming. Edges that are added up to the number of those that
    are deleted cost no overlap ``|E ∩ E'| / max(|E|, |E'|)``; so the degrees of the groups are then moved away from
    the medians, starting where a step saves most deletions for each addition, until no more than ``surplus`` is
    taken away beyond what is added.

    Examples
    --------
    >>> degrees = np.array([9, 7, 5, 1, 1, 1])
    >>> groups = LabelGroups.of(np.zeros(6, dtype=np.int64))
    >>> balanced_degrees(degrees, groups, 3).tolist(), balanced_degrees(degrees, groups, 3, surplus=6).tolist()
    ([7, 7, 7, 1, 1, 1], [5, 5, 5, 1, 1, 1])
    """
    n = len(degrees)
    order = np.concatenate([members[np.argsort(-degrees[members], kind="stable")] for members in groups.members])
    group_of, count, start = np.empty(n, dtype=np.int64), 0, 0
    for members in groups.members:
        own = np.empty(len(members), dtype=np.int64)
        found = group_around_medians(degrees[order[start : start + len(members)]], k, own)
        group_of[start : start + len(members)] = own + count
        count, start = count + found, start + len(members)
    ordered = degrees[order]
    sorting = np.lexsort((ordered, group_of))
    targets = _balanced_targets(ordered[sorting], group_of[sorting], count, surplus)
    _make_even(targets, ordered[sorting], group_of[sorting], n - 1)
    balanced = np.empty_like(degrees)
    balanced[order] = targets[group_of]
    return balanced


def _balanced_targets(ascending: IntArray, group_of: IntArray, count: int, surplus: int) -> IntArray:
    """Return the degree of each group, by which ``surplus`` more is taken away from degrees than is added to others."""
    sizes = np.bincount(group_of, minlength=count)
    firsts = np.cumsum(sizes) - sizes
    targets: IntArray = ascending[firsts].copy()
    # From the least degree of a group upwards: between two neighboring degrees, each step saves ``above`` deletions
    # and costs ``below`` additions. The steps with the best ratio come first, and within a group that is the order.
    below = np.arange(len(ascending)) - firsts[group_of] + 1
    lengths = np.append(np.diff(ascending), 0)
    lengths[firsts + sizes - 1] = 0
    steps = np.flatnonzero(lengths)
    above = sizes[group_of[steps]] - below[steps]
    by_ratio = steps[np.lexsort((steps, -above / below[steps]))]
    saved = (sizes[group_of] - below)[by_ratio]
    paid = below[by_ratio]
    # What is left to delete beyond the additions, before each run of steps.
    left = int((ascending - targets[group_of]).sum()) - surplus
    runs = lengths[by_ratio] * (saved + paid)
    before = left - (np.cumsum(runs) - runs)
    wanted = -(-(before - (saved + paid) // 2) // (saved + paid))
    taken = np.where(before > 0, np.minimum(lengths[by_ratio], wanted), 0)
    np.add.at(targets, group_of[by_ratio], np.maximum(taken, 0))
    return targets


def _make_even(targets: IntArray, ascending: IntArray, group_of: IntArray, most: int) -> None:
    """Move the degree of one group by one, where the sum of all degrees is odd, as cheaply as can be."""
    sizes = np.bincount(group_of, minlength=len(targets))
    if (targets * sizes).sum() % 2 == 0:
        return
    best, change = None, (0, 0)
    odd = np.flatnonzero(sizes % 2)
    own = targets[group_of]
    higher = np.bincount(group_of, weights=ascending > own, minlength=len(targets))
    lower = np.bincount(group_of, weights=ascending < own, minlength=len(targets))
    for step, gain in ((1, 2 * higher - sizes), (-1, 2 * lower - sizes)):
        for group in odd[np.argsort(-gain[odd], kind="stable")].tolist():
            if 0 <= targets[group] + step <= most:
                if best is None or gain[group] > best:
                    best, change = gain[group], (group, step)
                break
    targets[change[0]] += change[1]
