"""Division: records that were published before, in the slots of the signatures that they are bound to.

A slot is one value of one signature; it is known by its place in ``signatures.nodes``.
"""

from __future__ import annotations

import numpy as np

from krypsis.algorithms.histories.signatures import Signatures
from krypsis.arrays import IntArray
from krypsis.errors import InternalError


def slot_of(signatures: Signatures, signature: IntArray, nodes: IntArray) -> IntArray:
    """Return the slot of each record, given its signature and the node that it takes there.

    Examples
    --------
    >>> slot_of(Signatures.of([[0, 2], [1, 2]]), np.array([1, 0]), np.array([2, 2])).tolist()
    [3, 1]
    """
    radix = int(max(signatures.nodes.max(initial=0), nodes.max(initial=0))) + 1
    known = signatures.owners * radix + signatures.nodes
    wanted = signature * radix + nodes
    places = np.searchsorted(known, wanted)
    if (places == len(known)).any() or (known[places] != wanted).any():
        raise InternalError("a record is bound to a signature without its value; please report this")
    return places


def holes_of(signatures: Signatures, slots: IntArray) -> IntArray:
    """Return how many records each slot lacks to be as full as the fullest of its signature.

    ``slots`` are those of the records that are there. A signature without records has no holes.

    Examples
    --------
    >>> holes_of(Signatures.of([[0, 2], [1, 2], [5, 6]]), np.array([0, 0, 3])).tolist()
    [0, 2, 1, 0, 0, 0]
    """
    filled = np.bincount(slots, minlength=len(signatures.nodes))
    if not len(signatures):
        return filled
    highest = np.maximum.reduceat(filled, signatures.starts[:-1])
    holes: IntArray = highest[signatures.owners] - filled
    return holes


def filling_order(signatures: Signatures) -> IntArray:
    """Return the slots in the order in which holes are filled with new records.

    Small signatures come first: a counterfeit is a larger part of a small group. Of the same size, older ones do.

    Examples
    --------
    >>> filling_order(Signatures.of([[0, 2, 3], [1, 2]])).tolist()
    [3, 4, 0, 1, 2]
    """
    return np.lexsort((signatures.owners, signatures.sizes[signatures.owners]))
