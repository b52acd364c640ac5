"""Random orders that follow from a private seed."""

import hashlib

import numpy as np

from krypsis.arrays import IntArray


def random_order(seed: str, length: int) -> IntArray:
    """Return the random order that follows from a seed: place → what goes there.

    The numbers come from an extendable hash function, so that nobody who recognizes some records in their places can
    compute the places of the others, as they could from an ordinary random generator.

    Examples
    --------
    >>> sorted(random_order("5ad3", 4).tolist()), bool((random_order("5ad3", 40) == random_order("5ad4", 40)).all())
    ([0, 1, 2, 3], False)
    """
    numbers = np.frombuffer(hashlib.shake_256(seed.encode()).digest(8 * length), dtype="<u8")
    return np.argsort(numbers, kind="stable").astype(np.int64)
