"""Which columns depend on each other most: the tree of Chow and Liu."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from krypsis.arrays import FloatArray, IntArray

Edge = tuple[int | None, int]
"""A column, and the one before it that it depends on."""


def chow_liu(columns: Sequence[IntArray]) -> list[Edge]:
    """Return the columns in an order in which each comes after the one it depends on; the first depends on none.

    Of all trees this one keeps most of what the columns say about each other.

    Examples
    --------
    >>> age, zip_code = np.array([0, 0, 1, 1, 0, 1]), np.array([0, 1, 0, 1, 1, 0])
    >>> chow_liu([age, zip_code, age])
    [(None, 0), (0, 2), (0, 1)]
    """
    edges: list[Edge] = [(None, 0)]
    nearest = {place: (mutual_information(columns[0], columns[place]), 0) for place in range(1, len(columns))}
    while nearest:
        chosen = max(nearest, key=lambda place: (nearest[place][0], -place))
        edges.append((nearest.pop(chosen)[1], chosen))
        for place, (most, _) in nearest.items():
            if (information := mutual_information(columns[chosen], columns[place])) > most:
                nearest[place] = (information, chosen)
    return edges


def pair_counts(one: IntArray, other: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the pairs of values that occur, and how often."""
    width = int(other.max(initial=0)) + 1
    keys, counts = np.unique(one * width + other, return_counts=True)
    return keys // width, keys % width, counts


def mutual_information(one: IntArray, other: IntArray) -> float:
    """Return how many nats the columns tell about each other.

    Examples
    --------
    >>> round(mutual_information(np.array([0, 1, 0, 1]), np.array([1, 0, 1, 0])), 4)
    0.6931
    """
    first, second, counts = pair_counts(one, other)
    shares = counts / len(one)
    apart: FloatArray = np.bincount(one)[first] / len(one) * (np.bincount(other)[second] / len(one))
    return float((shares * np.log(shares / apart)).sum())
