"""Permutation Mondrian: groups of sets by splitting, with their sensitive items listed separately."""

from typing import ClassVar, NamedTuple

import numpy as np

from krypsis.algorithms.sets.grouping.base import GroupingMethod, SeparatedItems
from krypsis.arrays import CodeArray, IntArray
from krypsis.kernels._jit import compiled


class Sets(NamedTuple):
    """The codes of the harmless and of the sensitive items of each record."""

    plain_starts: IntArray
    plain_codes: CodeArray
    hidden_starts: IntArray
    hidden_codes: CodeArray


class CountBuffers(NamedTuple):
    """Room for counting: harmless items of a part, sensitive items of it, and those of its records with an item."""

    plain: IntArray
    hidden: IntArray
    hidden_with: IntArray


@compiled
def split_records(sets: Sets, counts: CountBuffers, p: int, groups: IntArray) -> int:
    """Write the group of each record and return how many groups there are.

    A part is split by the item that comes nearest to halving it, of those after which no sensitive item is in more
    than ``1/p`` of the records on either side; of equals by the first one. Parts without sensitive items stay whole.
    """
    total = len(groups)
    order, aside = np.arange(total), np.empty(total, np.int64)
    firsts, ends = np.zeros(total + 1, np.int64), np.full(total + 1, total)
    open_parts, found = min(total, 1), 0
    while open_parts:
        open_parts -= 1
        first, end = firsts[open_parts], ends[open_parts]
        # Mondrian's allowable cut: the item whose holders and non-holders both keep privacy degree p.
        item = find_item(sets, counts, order[first:end], p)
        if item < 0:
            groups[order[first:end]] = found
            found += 1
            continue
        middle = first + bring_holders_forward(sets, order[first:end], aside, item)
        # Depth first on an explicit stack: the holders are split next.
        firsts[open_parts], ends[open_parts] = middle, end
        firsts[open_parts + 1], ends[open_parts + 1] = first, middle
        open_parts += 2
    return found


@compiled
def find_item(sets: Sets, counts: CountBuffers, part: IntArray, p: int) -> int:
    """Return the item to split a part by, -1 if there is none or nothing to gain by it."""
    sensitive = sensitive_records(sets, counts, part)
    if not len(sensitive):
        return -1
    items = count_plain(sets, counts, part)
    holders = counts.plain[items]
    counts.plain[items] = 0
    # Nearest to halving first (Mondrian's median cut on an axis of two values), until a split is allowable.
    for place in np.argsort(-np.minimum(holders, len(part) - holders), kind="mergesort"):
        if holders[place] == len(part):
            return -1  # from here on all records hold the items, so nothing is split
        if is_feasible(sets, counts, sensitive, items[place], holders[place], len(part), p):
            return int(items[place])
    return -1


@compiled
def count_plain(sets: Sets, counts: CountBuffers, part: IntArray) -> CodeArray:
    """Count the records that hold each harmless item, and return the items that occur, in ascending order."""
    occurring = 0
    for record in part:
        for entry in range(sets.plain_starts[record], sets.plain_starts[record + 1]):
            occurring += counts.plain[sets.plain_codes[entry]] == 0
            counts.plain[sets.plain_codes[entry]] += 1
    items = np.empty(occurring, np.int32)
    found = 0
    for record in part:
        for entry in range(sets.plain_starts[record], sets.plain_starts[record + 1]):
            code = sets.plain_codes[entry]
            if counts.plain[code] > 0:  # a negative count is that of an item that was found before
                items[found] = code
                found += 1
                counts.plain[code] = -counts.plain[code]
    counts.plain[items] = -counts.plain[items]
    return np.sort(items)


@compiled
def sensitive_records(sets: Sets, counts: CountBuffers, part: IntArray) -> IntArray:
    """Count the records that hold each sensitive item, and return the records that hold any."""
    counts.hidden[:] = 0
    is_sensitive = sets.hidden_starts[part + 1] > sets.hidden_starts[part]
    found = part[is_sensitive]
    for record in found:
        for entry in range(sets.hidden_starts[record], sets.hidden_starts[record + 1]):
            counts.hidden[sets.hidden_codes[entry]] += 1
    return found


@compiled
def is_feasible(
    sets: Sets, counts: CountBuffers, sensitive: IntArray, item: int, holders: int, size: int, p: int
) -> bool:
    """Say whether both sides of a split keep the promise."""
    counts.hidden_with[:] = 0
    for record in sensitive:
        if holds(sets, record, item):
            for entry in range(sets.hidden_starts[record], sets.hidden_starts[record + 1]):
                counts.hidden_with[sets.hidden_codes[entry]] += 1
    for code in range(len(counts.hidden)):
        inside = counts.hidden_with[code]
        # Privacy degree of both sides: f_s <= |G| / p for every sensitive item s.
        if inside * p > holders or (counts.hidden[code] - inside) * p > size - holders:
            return False
    return True


@compiled
def holds(sets: Sets, record: int, item: int) -> bool:
    """Say whether a record holds a harmless item."""
    for entry in range(sets.plain_starts[record], sets.plain_starts[record + 1]):
        if sets.plain_codes[entry] == item:
            return True
    return False


@compiled
def bring_holders_forward(sets: Sets, part: IntArray, aside: IntArray, item: int) -> int:
    """Put the records that hold an item before the others, each in their order, and return how many they are."""
    forward, others = 0, 0
    for place in range(len(part)):
        record = part[place]
        if holds(sets, record, item):
            part[forward] = record
            forward += 1
        else:
            aside[others] = record
            others += 1
    part[forward:] = aside[:others]
    return forward


class PermutationMondrian(GroupingMethod):
    """Publishes harmless items as they are, and sensitive items counted in groups found by splitting on single items.

    Notes
    -----
    All records are one group to begin with. A group is split into those that hold a harmless item and those that do
    not, as long as no sensitive item is in more than ``1/p`` of the records on either side. Every item is an axis with
    two values, so all that can be split are equally wide; the one that comes nearest to halving the group is taken, of
    equals the first in the item table. A group without sensitive items is not split: nothing would be gained. Meant for
    comparison with :class:`~krypsis.algorithms.sets.grouping.cahd.Cahd`, which loses less: here nobody asks whether a
    split separates a sensitive record from its like.

    References
    ----------
    Ghinita, Tao, Kalnis, "On the anonymization of sparse high-dimensional data", ICDE 2008;
    LeFevre, DeWitt, Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006.

    Examples
    --------
    >>> from krypsis.algorithms.sets.base import SetTask
    >>> from krypsis.models.privacy_degree import PrivacyDegree
    >>> from krypsis.data.transactions import Transactions
    >>> baskets = Transactions.of_sets([["wine", "meat", "viagra"], ["cream"], ["wine", "meat"], ["cream", "meat"]])
    >>> task = SetTask(baskets, [PrivacyDegree(p=2)], sensitive=frozenset({"viagra"}))
    >>> PermutationMondrian().publish(task, np.random.default_rng(1)).published.groups.tolist()
    [1, 0, 1, 0]
    """

    name: ClassVar[str] = "permutation-mondrian"

    def form_groups(self, separated: SeparatedItems) -> tuple[IntArray, dict[str, int]]:
        plain, hidden = separated.plain, separated.hidden
        sizes = (len(plain.items), len(hidden.items), len(hidden.items))
        counts = CountBuffers(*(np.zeros(size, np.int64) for size in sizes))
        groups = np.empty(len(plain), dtype=np.int64)
        split_records(Sets(plain.starts, plain.codes, hidden.starts, hidden.codes), counts, separated.p, groups)
        return groups, {}
