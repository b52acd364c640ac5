"""CAHD: groups of sets that share many items, with their sensitive items listed separately."""

from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from krypsis.algorithms.sets.grouping.band import band_order
from krypsis.algorithms.sets.grouping.base import GroupingMethod, SeparatedItems
from krypsis.arrays import CodeArray, IntArray
from krypsis.kernels._jit import compiled


class ItemRecords(NamedTuple):
    """The records in their order, with the codes of their harmless and of their sensitive items."""

    order: IntArray
    plain_starts: IntArray
    plain_codes: CodeArray
    hidden_starts: IntArray
    hidden_codes: CodeArray


class Left(NamedTuple):
    """What is in no group yet: places with their neighbors, and how many records hold each sensitive item."""

    before: IntArray
    after: IntArray
    holders: IntArray


class Search(NamedTuple):
    """Candidates for the group of a record, the nearest first: their places, and how well they fit."""

    places: IntArray
    scores: IntArray
    hidden_seen: IntArray
    """Sensitive item → the last search in which the record or a candidate held it."""
    plain_seen: IntArray
    """Harmless item → the last search for the group of a record that holds it."""


class GroupingRule(NamedTuple):
    """Groups have ``p`` records; ``reach`` candidates are looked for on each side of a record."""

    p: int
    reach: int


@compiled
def form_groups(records: ItemRecords, left: Left, search: Search, rule: GroupingRule, groups: IntArray) -> int:
    """Write the groups that are formed, -1 for the records that are left, and return how many groups there are.

    A pass goes through the sensitive records in order. In the passes after the first, records are preferred that hold
    an item of which too many would be left otherwise. The last pass is one that forms no group.
    """
    groups[:] = -1
    # The paper's single pass over the sensitive transactions in band order.
    formed = form_in_order(records, left, search, rule, groups, 0, 0)
    rounds = 1
    # Beyond the paper: split what is left further with the same rule, while possible.
    while True:
        more = form_in_order(records, left, search, rule, groups, formed, rounds)
        if more == formed:
            return formed
        formed = more
        rounds += 1


@compiled
def form_in_order(
    records: ItemRecords, left: Left, search: Search, rule: GroupingRule, groups: IntArray, formed: int, rounds: int
) -> int:
    """Form a group around each sensitive record that is left, where one can be, and return how many there are."""
    total = len(records.order)
    for place in range(total):
        record = records.order[place]
        if groups[record] >= 0 or records.hidden_starts[record] == records.hidden_starts[record + 1]:
            continue
        # Step 1: CL(t), up to alpha·p predecessors and successors without conflict.
        count = find_candidates(records, left, search, rule.reach, place, rounds * total + place + 1)
        remaining = total - formed * rule.p
        # Too few candidates: t is left for the last group.
        if count < rule.p - 1:
            continue
        if rounds:
            prefer_urgent(records, left, search, rule.p, count, remaining)
        # Step 2: G = t and the p - 1 members of CL with most items in common with t; stable, so ties go to the nearer.
        chosen = np.argsort(-search.scores[:count], kind="mergesort")[: rule.p - 1]
        # Step 3: commit if the rest can still be one group, else roll back.
        if keeps_rest_feasible(records, left, search, rule.p, place, chosen, remaining):
            take(records, left, groups, place, formed)
            for candidate in chosen:
                take(records, left, groups, search.places[candidate], formed)
            formed += 1
    return formed


@compiled
def find_candidates(records: ItemRecords, left: Left, search: Search, reach: int, place: int, number: int) -> int:
    """Write the candidates for the group of a record, from the nearest on, and return how many there are.

    No two of them, nor one of them and the record, hold the same sensitive item.
    """
    order, record = records.order, records.order[place]
    for entry in range(records.plain_starts[record], records.plain_starts[record + 1]):
        search.plain_seen[records.plain_codes[entry]] = number
    shares_hidden(records, search, record, number)
    back, on = left.before[place], left.after[place]
    found_back, found_on = 0, 0
    # Walk outwards in both directions at once, always to the nearer side.
    while True:
        can_back, can_on = back >= 0 and found_back < reach, on < len(order) and found_on < reach
        if not can_back and not can_on:
            return found_back + found_on
        goes_back = can_back and (not can_on or is_nearer(order, place, back, on))
        here = back if goes_back else on
        # A member of CL is in conflict neither with t nor with one already in CL.
        if not shares_hidden(records, search, order[here], number):
            search.places[found_back + found_on] = here
            search.scores[found_back + found_on] = count_common(records, search, order[here], number)
            found_back += goes_back
            found_on += not goes_back
        if goes_back:
            back = left.before[back]
        else:
            on = left.after[on]


@compiled
def is_nearer(order: IntArray, place: int, back: int, on: int) -> bool:
    """Say whether a place before is nearer than one after; of equals, which record comes first in the table."""
    if place - back == on - place:
        return bool(order[back] < order[on])
    return place - back < on - place


@compiled
def shares_hidden(records: ItemRecords, search: Search, record: int, number: int) -> bool:
    """Say whether a record holds a sensitive item seen in this search; if not, its own are seen from now on."""
    first, end = records.hidden_starts[record], records.hidden_starts[record + 1]
    for entry in range(first, end):
        if search.hidden_seen[records.hidden_codes[entry]] == number:
            return True
    for entry in range(first, end):
        search.hidden_seen[records.hidden_codes[entry]] = number
    return False


@compiled
def count_common(records: ItemRecords, search: Search, record: int, number: int) -> int:
    """Return how many harmless items a record has in common with the one of this search."""
    common = 0
    for entry in range(records.plain_starts[record], records.plain_starts[record + 1]):
        common += search.plain_seen[records.plain_codes[entry]] == number
    return common


@compiled
def prefer_urgent(records: ItemRecords, left: Left, search: Search, p: int, count: int, remaining: int) -> None:
    """Raise the scores of candidates by the items they hold of which too many would be left without them."""
    above = len(search.plain_seen) + 1
    for candidate in range(count):
        record = records.order[search.places[candidate]]
        for entry in range(records.hidden_starts[record], records.hidden_starts[record + 1]):
            if left.holders[records.hidden_codes[entry]] * p > remaining - p:
                search.scores[candidate] += above


@compiled
def keeps_rest_feasible(
    records: ItemRecords, left: Left, search: Search, p: int, place: int, chosen: IntArray, remaining: int
) -> bool:
    """Say whether the records that stay behind can be one group; if so, the items of this group are gone.

    The printed algorithm compares with the records that there are before the group is taken, which may leave a rest
    that breaks the promise.
    """
    # H' = H less the sensitive items of G.
    hold(records, left, place, -1)
    for candidate in chosen:
        hold(records, left, search.places[candidate], -1)
    for holders in left.holders:
        # Erratum to line 8: compare with the records left after the group is taken, remaining - |G|.
        if holders * p > remaining - p:
            hold(records, left, place, 1)
            for candidate in chosen:
                hold(records, left, search.places[candidate], 1)
            return False
    return True


@compiled
def hold(records: ItemRecords, left: Left, place: int, more: int) -> None:
    """Count the sensitive items of a record as left or as gone."""
    record = records.order[place]
    for entry in range(records.hidden_starts[record], records.hidden_starts[record + 1]):
        left.holders[records.hidden_codes[entry]] += more


@compiled
def take(records: ItemRecords, left: Left, groups: IntArray, place: int, group: int) -> None:
    """Move a record into a group."""
    groups[records.order[place]] = group
    back, on = left.before[place], left.after[place]
    if back >= 0:
        left.after[back] = on
    if on < len(left.before):
        left.before[on] = back


class Cahd(GroupingMethod):
    """Publishes harmless items as they are, and sensitive items counted in groups of records that are much alike.

    Notes
    -----
    1. The records are put into band order, in which neighbors share many harmless items
       (:func:`krypsis.algorithms.sets.grouping.band.band_order`).
    2. For each sensitive record in that order, ``alpha · p`` candidates are looked for on each side, none of which
       shares a sensitive item with the record or with another candidate. The ``p - 1`` that have most harmless items in
       common with the record form a group with it; of equals the nearer one, then the one that comes first in the
       table. No group is formed if a sensitive item would then be in more than ``1/p`` of the records that are left.
    3. Step 2 is repeated with the records that are left, now with a preference for those that hold an item of which too
       many would be left, until no group can be formed. What is left is the last group.

    The printed algorithm compares the holders of an item with the records that are left *before* the group is taken;
    the last group could then break the promise. Here it never does, so a release exists exactly if no sensitive item
    is in more than ``1/p`` of all records. Step 3 is ours. Cost: one walk through all items for the order, and
    ``alpha · p`` records for each sensitive one.

    References
    ----------
    Ghinita, Tao, Kalnis, "On the anonymization of sparse high-dimensional data", ICDE 2008.

    Examples
    --------
    >>> from krypsis.algorithms.sets.base import SetTask
    >>> from krypsis.models.privacy_degree import PrivacyDegree
    >>> from krypsis.data.transactions import Transactions
    >>> baskets = Transactions.of_sets([["wine", "meat", "viagra"], ["cream"], ["wine", "meat"], ["cream", "meat"]])
    >>> task = SetTask(baskets, [PrivacyDegree(p=2)], sensitive=frozenset({"viagra"}))
    >>> Cahd().publish(task, np.random.default_rng(1)).published.groups.tolist()
    [0, 1, 0, 1]
    """

    name: ClassVar[str] = "cahd"
    alpha: int = Field(
        default=3, ge=1, description="candidates looked for on each side of a record, as a multiple of p"
    )

    def form_groups(self, separated: SeparatedItems) -> tuple[IntArray, dict[str, int]]:
        # Step 1 of the paper is the band order; what no group took is the last group.
        groups, formed = _grouped(separated, band_order(separated.plain), self.alpha)
        return groups, {"records of the last group": int(np.count_nonzero(groups == formed))}


def _grouped(separated: SeparatedItems, order: IntArray, alpha: int) -> tuple[IntArray, int]:
    """Return the group of each record, and the number of the last one, which holds what was left."""
    plain, hidden, total = separated.plain, separated.hidden, len(separated.plain)
    records = ItemRecords(order, plain.starts, plain.codes, hidden.starts, hidden.codes)
    left = Left(np.arange(-1, total - 1), np.arange(1, total + 1), hidden.supports.copy())
    rule = GroupingRule(separated.p, min(alpha * separated.p, total))
    room = min(2 * rule.reach, total)
    search = Search(*(np.zeros(size, np.int64) for size in (room, room, len(hidden.items), len(plain.items))))
    groups = np.empty(total, dtype=np.int64)
    formed = form_groups(records, left, search, rule, groups)
    return np.where(groups < 0, formed, groups), formed
