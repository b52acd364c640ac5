"""Counterfeits: what the records look like that fill a group up."""

from __future__ import annotations

import numpy as np

from krypsis.algorithms.histories.base import Past, Snapshot
from krypsis.algorithms.histories.signatures import Signatures
from krypsis.algorithms.histories.slots import slot_of
from krypsis.arrays import CodeArray, IntArray
from krypsis.ordering import order_of


def looks(
    snapshot: Snapshot,
    past: Past,
    signatures: Signatures,
    slots: IntArray,
    record_signature: IntArray,
    rng: np.random.Generator,
) -> CodeArray:
    """Return the quasi-identifiers of counterfeits, given the slot of each.

    A counterfeit looks like somebody who left, had the same value and is bound to the same signature; nobody is used
    twice. Where there is none, it looks like a record of its signature that is published now.

    Parameters
    ----------
    record_signature
        the signature of each record of the snapshot as it is published now, negative where it is not.
    """
    codes = np.empty((len(slots), len(snapshot.attributes)), dtype=np.int32)
    found, gone = _departed(past, signatures, slots, rng)
    codes[found] = past.absent_codes[gone]
    others = np.ones(len(slots), dtype=np.bool_)
    others[found] = False
    models = _present(record_signature, signatures.owners[slots[others]], rng)
    codes[others] = snapshot.codes[models]
    return codes


def _departed(
    past: Past, signatures: Signatures, slots: IntArray, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Return counterfeits, and for each of them somebody of its slot who left."""
    shuffled = rng.permutation(len(past.absent_values))
    absent = slot_of(signatures, past.absent_signature[shuffled], past.absent_values[shuffled])
    wanted, offered = _ranked(slots), _ranked(absent)
    radix = int(max(wanted.max(initial=0), offered.max(initial=0))) + 1
    _, places, gone = np.intersect1d(slots * radix + wanted, absent * radix + offered, return_indices=True)
    return places, shuffled[gone]


def _ranked(kinds: IntArray) -> IntArray:
    """Return for each entry how many of the same kind stand before it."""
    order = order_of(kinds)
    ranks = np.empty(len(kinds), dtype=np.int64)
    ranks[order] = np.arange(len(kinds)) - np.searchsorted(kinds[order], kinds[order])
    return ranks


def _present(record_signature: IntArray, wanted: IntArray, rng: np.random.Generator) -> IntArray:
    """Return for each wanted signature a random record that is published with it."""
    order = np.argsort(record_signature, kind="stable")
    first = np.searchsorted(record_signature[order], wanted)
    end = np.searchsorted(record_signature[order], wanted, side="right")
    chosen: IntArray = order[rng.integers(first, end)]
    return chosen
