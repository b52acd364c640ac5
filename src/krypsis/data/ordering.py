"""The order of many whole numbers, found in a time that grows as they do."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

DIGIT = 16
"""Bits that are sorted at once: numpy counts numbers of two bytes, and compares longer ones."""

MOST_DIGITS = 3
"""With more digits than these, comparing is faster."""


def order_of(keys: NDArray[Any]) -> NDArray[np.int64]:
    """Return the places of whole numbers from 0 on in ascending order; equal ones stay in their order.

    Digit by digit from the lowest, each by counting: a few times as fast as comparing for millions of numbers, and no
    slower per number for more of them.

    Examples
    --------
    >>> order_of(np.array([70_000, 3, 70_000, 0])).tolist()
    [3, 1, 0, 2]
    """
    highest = int(keys.max(initial=0))
    digits = max(-(-highest.bit_length() // DIGIT), 1)
    if digits > MOST_DIGITS:
        return np.argsort(keys, kind="stable")
    order = np.argsort(keys.astype(np.uint16), kind="stable")
    for digit in range(1, digits):
        order = order[np.argsort((keys[order] >> (DIGIT * digit)).astype(np.uint16), kind="stable")]
    return order


def distinct(keys: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
    """Return the different numbers in ascending order, the place of each one's own among them, and how often each is.

    Examples
    --------
    >>> [part.tolist() for part in distinct(np.array([7, 3, 7]))]
    [[3, 7], [1, 0, 1], [1, 2]]
    """
    order = order_of(keys)
    ordered = keys[order]
    begins = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    places = np.empty(len(keys), dtype=np.int64)
    places[order] = np.cumsum(begins) - 1
    first = np.flatnonzero(begins)
    return ordered[first], places, np.diff(first, append=len(keys))
