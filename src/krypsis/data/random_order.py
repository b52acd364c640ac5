"""Random orders and samples that follow from a private seed."""

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


def random_rows(seed: str, rows: int, most: int) -> IntArray:
    """Return the numbers of at most so many rows, in ascending order: a random sample that follows from the seed.

    All sets of so many rows are equally likely, so that no pattern in the order of a table can mislead who looks at
    the sample; and it is the same wherever the table lies.

    Examples
    --------
    >>> random_rows("5ad3", 3, 5).tolist(), len(random_rows("5ad3", 1000, 5))
    ([0, 1, 2], 5)
    """
    if rows <= most:
        return np.arange(rows, dtype=np.int64)
    chance = np.random.default_rng(np.frombuffer(hashlib.sha256(seed.encode()).digest(), dtype="<u4"))
    if rows <= 2 * most:
        return np.sort(chance.permutation(rows)[:most])
    # The first different ones among numbers that are drawn one after the other.
    drawn = np.zeros(0, dtype=np.int64)
    while True:
        drawn = np.concatenate([drawn, chance.integers(0, rows, 2 * most)])
        different, first = np.unique(drawn, return_index=True)
        if len(different) >= most:
            return np.sort(different[np.argsort(first)[:most]])
