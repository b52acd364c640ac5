"""From slots to groups: the last step of every method for tables that change."""

from __future__ import annotations

import numpy as np

from krypsis.algorithms.histories.base import LEFT_OUT, Counterfeits, Past, Publication, Snapshot
from krypsis.algorithms.histories.counterfeiting import looks
from krypsis.algorithms.histories.signatures import Signatures
from krypsis.algorithms.histories.splitting import axes_of_snapshot, split
from krypsis.arrays import IntArray


def groups_of_slots(
    snapshot: Snapshot,
    past: Past,
    signatures: Signatures,
    slot: IntArray,
    false_slots: IntArray,
    rng: np.random.Generator,
) -> Publication:
    """Cut the buckets of all signatures into groups, given the slots of all records and of all counterfeits."""
    shown = np.flatnonzero(slot != LEFT_OUT)
    bound = np.full(len(snapshot), LEFT_OUT)
    bound[shown] = signatures.owners[slot[shown]]
    codes = looks(snapshot, past, signatures, false_slots, bound, rng)
    slots = np.concatenate([slot[shown], false_slots])
    owners = signatures.owners[slots]
    groups = split(axes_of_snapshot(snapshot), np.concatenate([snapshot.codes[shown], codes]), owners, slots)
    group = np.full(len(snapshot), LEFT_OUT)
    group[shown] = groups[: len(shown)]
    signature = np.empty(int(groups.max(initial=-1)) + 1, dtype=np.int64)
    signature[groups] = owners
    false = Counterfeits(groups[len(shown) :], codes, signatures.nodes[false_slots])
    return Publication(group, snapshot.values.astype(np.int64), false, signature, signatures)
