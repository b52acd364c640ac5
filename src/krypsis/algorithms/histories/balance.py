"""Balancing: which holes of the old signatures are filled by new records, so that the rest can form groups.

A *value* is a sensitive value, a *family* the values that must not meet in a group: for m-invariance every value is a
family of its own. The rest of the new records is eligible if no family has more than ``1/m`` of it.
"""

from dataclasses import dataclass, replace

import numpy as np

from krypsis.algorithms.histories.base import LEFT_OUT, NEW, Ineligible, Snapshot
from krypsis.algorithms.histories.signatures import RecordSlots, Signatures, filling_order, holes_of, slot_of
from krypsis.arrays import IntArray
from krypsis.errors import Infeasible


@dataclass(frozen=True, eq=False)
class BalanceDemand:
    """What is to be balanced: holes in the order in which they are filled, and new records by value."""

    holes: IntArray
    """``holes[slot]``: how many records it lacks."""
    value_of: IntArray
    """``value_of[slot]``: the value that fills it."""
    counts: IntArray
    """``counts[value]``: the new records."""
    family_of: IntArray
    """``family_of[value]``."""
    families: int

    @classmethod
    def of_values(cls, holes: IntArray, value_of: IntArray, counts: IntArray) -> "BalanceDemand":
        """Return the need where every value is a family of its own."""
        return cls(holes, value_of, counts, np.arange(len(counts)), len(counts))

    def by_family(self, numbers: IntArray) -> IntArray:
        """Return numbers by value, added up by family."""
        return np.bincount(self.family_of, numbers, minlength=self.families).astype(np.int64)

    @property
    def fillable(self) -> IntArray:
        """How many records of each slot's holes there are new records for, if every hole is filled in this order."""
        return limited(self.holes, self.value_of, self.counts)


@dataclass(frozen=True, eq=False)
class Balance:
    """What becomes of the new records; those not named here form groups of their own."""

    filled: IntArray
    """``filled[slot]``: how many new records fill its holes; counterfeits fill the others."""
    deferred: IntArray
    """``deferred[value]``: how many new records wait for a later version."""
    added: IntArray
    """``added[value]``: how many counterfeits join the rest to make it eligible."""


def balance(need: BalanceDemand, m: int, on_ineligible: Ineligible = "raise") -> Balance:
    """Return the balance with the fewest counterfeits.

    Notes
    -----
    The original method moves one new record at a time into a hole and never leaves the rest ineligible in between; it
    gives up where the new records are not eligible to begin with, and wastes counterfeits where two moves are good only
    together. Here the smallest rest is computed that a choice of moves can leave: with ``n`` new records per family and
    holes for ``c`` of them, a rest of ``R`` records is possible if ``R`` lies between the sum of ``n - c`` and the sum
    of ``min(n, ⌊R/m⌋)``, and no ``n - c`` exceeds ``⌊R/m⌋``.

    Where no rest is possible: ``defer`` lets as few new records as possible wait; ``counterfeits`` adds as few
    counterfeits as possible, to the most frequent other families first.

    Raises
    ------
    Infeasible
        if there is no balance and ``on_ineligible`` is ``raise``, or there are fewer than ``m`` families.

    Examples
    --------
    >>> need = BalanceDemand.of_values(np.array([1, 1]), np.array([0, 1]), np.array([1, 1]))  # two holes, 2 new records
    >>> balance(need, 2).filled.tolist()
    [1, 1]
    """
    deferred = added = np.zeros_like(need.counts)
    # Deviation from the sources, which move records one by one: the best rest is computed in closed form.
    rest = least_rest(need, m)
    if rest is None and on_ineligible == "defer":
        deferred = _deferred(need, m)
        need = replace(need, counts=need.counts - deferred)
        rest = least_rest(need, m)
    if rest is None and on_ineligible == "counterfeits" and need.families >= m:
        return Balance(need.fillable, deferred, _added(need, m))
    if rest is None:
        raise _ineligible(need, m)
    return Balance(_filled(need, rest, m), deferred, added)


def least_rest(need: BalanceDemand, m: int) -> int | None:
    """Return the smallest number of new records that can be left to form groups; ``None`` if there is none."""
    counts = need.by_family(need.counts)
    least = counts - _fillable_by_family(need)
    if not least.any():
        return 0
    share = np.arange(int(least.max()), int(counts.sum()) // m + 1)  # ⌊R/m⌋
    # All R with the same ⌊R/m⌋ are tried together, for every possible value of it.
    lowest = np.maximum(share * m, least.sum())
    highest = np.minimum(share * m + m - 1, capped_sum(counts, share))
    possible = np.flatnonzero(lowest <= highest)
    return int(lowest[possible[0]]) if len(possible) else None


def capped_sum(counts: IntArray, limits: IntArray) -> IntArray:
    """Return the sum of all counts, none of them above the limit, for each limit.

    Examples
    --------
    >>> capped_sum(np.array([5, 1, 3]), np.array([0, 2, 9])).tolist()
    [0, 5, 9]
    """
    ordered = np.sort(counts)
    below = np.searchsorted(ordered, limits)
    sums: IntArray = np.concatenate([[0], np.cumsum(ordered)])[below] + limits * (len(counts) - below)
    return sums


def limited(wanted: IntArray, kind: IntArray, limits: IntArray) -> IntArray:
    """Return how much of each wish is granted, in their order, if each kind has a limit.

    Examples
    --------
    >>> limited(np.array([2, 2, 2]), np.array([0, 1, 0]), np.array([3, 1])).tolist()
    [2, 1, 1]
    """
    order = np.argsort(kind, kind="stable")
    before = np.cumsum(wanted[order]) - wanted[order]
    first = np.searchsorted(kind[order], kind[order])
    granted = np.empty_like(wanted)
    granted[order] = np.clip(limits[kind[order]] - (before - before[first]), 0, wanted[order])
    return granted


def _fillable_by_family(need: BalanceDemand) -> IntArray:
    return np.bincount(need.family_of[need.value_of], need.fillable, minlength=need.families).astype(np.int64)


def _filled(need: BalanceDemand, rest: int, m: int) -> IntArray:
    """Return how many new records fill each slot, so that ``rest`` of them are left and eligible."""
    fillable, counts = need.fillable, need.by_family(need.counts)
    must = np.maximum(counts - rest // m, 0)  # of a family that is too frequent so many must leave
    filled = limited(fillable, need.family_of[need.value_of], must)
    # Beyond what eligibility asks for, fill holes in their order until exactly the wanted rest is left.
    more = int(counts.sum()) - rest - int(must.sum())
    everything = np.zeros(len(fillable), dtype=np.int64)
    return filled + limited(fillable - filled, everything, np.array([more]))


def _deferred(need: BalanceDemand, m: int) -> IntArray:
    """Return how many new records of each value wait, as few as possible."""
    counts, fillable = need.by_family(need.counts), _fillable_by_family(need)
    shares = np.arange(int(counts.max(initial=0)) + 1)
    # The largest share s for which m·s records can be published with at most s per family.
    share = int(np.flatnonzero(capped_sum(counts, shares) >= m * shares)[-1])
    surplus = np.maximum(counts - share - fillable, 0)
    # Records that no hole waits for go first, or the holes could not be filled any more.
    without_hole = need.counts - np.bincount(need.value_of, need.fillable, minlength=len(need.counts)).astype(np.int64)
    return limited(without_hole, need.family_of, surplus)


def _added(need: BalanceDemand, m: int) -> IntArray:
    """Return how many counterfeits of each value join the rest after every hole is filled that can be."""
    filled = np.bincount(need.value_of, need.fillable, minlength=len(need.counts)).astype(np.int64)
    rest = need.by_family(need.counts - filled)
    share = int(rest.max())
    order = np.argsort(-need.by_family(need.counts), kind="stable")
    room = np.array([m * share - int(rest.sum())])
    joining = np.zeros_like(rest)
    joining[order] = limited(share - rest[order], np.zeros(len(order), dtype=np.int64), room)
    # In each family the most frequent value stands for it.
    added = np.zeros_like(need.counts)
    by_frequency = np.lexsort((-need.counts, need.family_of))
    first = by_frequency[np.searchsorted(need.family_of[by_frequency], np.arange(need.families))]
    added[first] = joining
    return added


def _ineligible(need: BalanceDemand, m: int) -> Infeasible:
    counts = need.by_family(need.counts)
    worst = int((counts - _fillable_by_family(need)).argmax())
    return Infeasible(
        "no group can be made of the new records",
        {"family": worst, "count": int(counts[worst]), "new": int(counts.sum()), "m": m, "families": need.families},
    )


UNASSIGNED = -2
"""The slot of a new record that joins a group of new ones."""


@dataclass(frozen=True, eq=False)
class Division:
    """Records that were published before in the slots that they are bound to, and what is missing next to them."""

    snapshot: Snapshot
    slot: IntArray
    """``slot[record]``; ``LEFT_OUT`` for new ones, so far."""
    order: IntArray
    """The slots of all signatures in the order in which they are filled."""
    holes: IntArray
    """How many records each of them lacks, in this order."""
    value_of: IntArray
    """The value that fills each of them, in this order."""
    counts: IntArray
    """``counts[value]``: the new records."""

    @classmethod
    def of(cls, snapshot: Snapshot, signatures: Signatures) -> "Division":
        """Divide the records of a snapshot, given the signatures of earlier releases."""
        old, new = snapshot.signature != NEW, snapshot.signature == NEW
        slot = np.full(len(snapshot), LEFT_OUT)
        # Division: every old record goes to the bucket of its signature, into the slot of its value.
        slot[old] = slot_of(signatures, snapshot.signature[old], snapshot.values[old])
        # The result of balancing depends on the order of the buckets; this one is fixed.
        order = filling_order(signatures)
        counts = np.bincount(snapshot.values[new], minlength=len(snapshot.taxonomy.values))
        return cls(snapshot, slot, order, holes_of(signatures, slot[old])[order], signatures.nodes[order], counts)

    def dealt(self, found: Balance, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Return the slot of every record, and the slots of the counterfeits that fill the other holes.

        New records wait (``LEFT_OUT``) or join new groups (``UNASSIGNED``) where they fill no hole; chance decides who.
        """
        slot, new = self.slot.copy(), self.snapshot.signature == NEW
        values = np.arange(len(self.counts))
        fillers = RecordSlots(np.repeat(self.order, found.filled), np.repeat(self.value_of, found.filled))
        rest = self.counts - found.deferred - fillers.counts(len(values))
        waiting, joining = np.repeat(values, found.deferred), np.repeat(values, rest)
        places = fillers.and_more(RecordSlots(np.full(len(waiting), LEFT_OUT), waiting))
        places = places.and_more(RecordSlots(np.full(len(joining), UNASSIGNED), joining))
        slot[new] = places.dealt_to(self.snapshot.values[new], rng)
        return slot, np.repeat(self.order, self.holes - found.filled)
