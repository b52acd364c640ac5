"""From slots that are published as nodes of a hierarchy to groups, some of which stay as they were."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from krypsis.algorithms.histories.base import LEFT_OUT, Past, Publication, Shown, Snapshot
from krypsis.algorithms.histories.forming import groups_of_slots
from krypsis.algorithms.histories.general_slots import GeneralSlots
from krypsis.algorithms.histories.signatures import Signatures
from krypsis.arrays import BoolArray, IntArray


def general_groups(
    snapshot: Snapshot,
    past: Past,
    slots: GeneralSlots,
    shown: Shown,
    slot: IntArray,
    false_slots: IntArray,
    together: IntArray,
    rng: np.random.Generator,
) -> Publication:
    """Cut the buckets of all signatures into groups, and publish every record as what its slot is published as.

    Parameters
    ----------
    slots
        of all signatures, those of new groups among them.
    shown
        as what they are published.
    slot, false_slots
        of all records, and of all counterfeits.
    together
        groups of the last release that stay as they were.
    """
    signatures, absent = slots.signatures, slots.find(past.absent_signature, past.absent_values)
    nobody = np.zeros(len(snapshot), dtype=np.int64)
    last = nobody if past.last is None else past.last.of_record
    is_kept = np.isin(last, together)
    rest = np.where(is_kept, LEFT_OUT, slot)
    departed = replace(past, absent_values=signatures.nodes[absent])
    cut = groups_of_slots(snapshot, departed, signatures, rest, false_slots, rng)
    published = np.where(slot == LEFT_OUT, snapshot.values, np.append(shown.nodes, 0)[slot])
    false = replace(cut.counterfeits, published=shown.nodes[false_slots])
    whole = _with_kept(cut, signatures, slot, last, is_kept)
    return replace(whole, published=published, counterfeits=false, shown=shown)


def _with_kept(
    cut: Publication, signatures: Signatures, slot: IntArray, last: IntArray, is_kept: BoolArray
) -> Publication:
    """Return the groups with those that stay as they were at the end."""
    names, number = np.unique(last[is_kept], return_inverse=True)
    group, more = cut.group.copy(), np.zeros(len(names), dtype=np.int64)
    group[is_kept] = cut.groups + number
    more[number] = signatures.owners[slot[is_kept]]
    return replace(cut, group=group, signature=np.concatenate([cut.signature, more]))
