"""Division: what the signatures of earlier releases lack, and which new records take those places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from krypsis.algorithms.histories.balancing import Balance
from krypsis.algorithms.histories.base import LEFT_OUT, NEW, Snapshot
from krypsis.algorithms.histories.places import Places
from krypsis.algorithms.histories.signatures import Signatures
from krypsis.algorithms.histories.slots import filling_order, holes_of, slot_of
from krypsis.arrays import IntArray

UNASSIGNED = -2
"""The slot of a new record that joins a group of new ones."""


@dataclass(frozen=True, eq=False)
class Division:
    """Records that were published before in the slots that they are bound to, and what is missing beside them."""

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
    def of(cls, snapshot: Snapshot, signatures: Signatures) -> Division:
        """Divide the records of a snapshot, given the signatures of earlier releases."""
        old, new = snapshot.signature != NEW, snapshot.signature == NEW
        slot = np.full(len(snapshot), LEFT_OUT)
        slot[old] = slot_of(signatures, snapshot.signature[old], snapshot.values[old])
        order = filling_order(signatures)
        counts = np.bincount(snapshot.values[new], minlength=len(snapshot.taxonomy.values))
        return cls(snapshot, slot, order, holes_of(signatures, slot[old])[order], signatures.nodes[order], counts)

    def dealt(self, found: Balance, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Return the slot of every record, and the slots of the counterfeits that fill the other holes.

        New records wait (``LEFT_OUT``) or join new groups (``UNASSIGNED``) where they fill no hole; chance decides who.
        """
        slot, new = self.slot.copy(), self.snapshot.signature == NEW
        values = np.arange(len(self.counts))
        fillers = Places(np.repeat(self.order, found.filled), np.repeat(self.value_of, found.filled))
        rest = self.counts - found.deferred - fillers.counts(len(values))
        waiting, joining = np.repeat(values, found.deferred), np.repeat(values, rest)
        places = fillers.and_more(Places(np.full(len(waiting), LEFT_OUT), waiting))
        places = places.and_more(Places(np.full(len(joining), UNASSIGNED), joining))
        slot[new] = places.dealt_to(self.snapshot.values[new], rng)
        return slot, np.repeat(self.order, self.holes - found.filled)
