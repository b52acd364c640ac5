"""Boxes that are halved again and again where many records are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import floor, log2, log10

import numpy as np

from krypsis.arrays import FloatArray, IntArray
from krypsis.columns import NumericColumn

DEEPEST = 16
"""How often a box is halved at most; equal records would be halved for ever."""


@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes by number: their ends in each column, and the box of each record."""

    lows: Sequence[Sequence[Decimal]]
    highs: Sequence[Sequence[Decimal]]
    box_of: IntArray

    @property
    def centers(self) -> FloatArray:
        """The middle of each box, one row each."""
        return np.array(
            [
                [float(low + high) / 2 for low, high in zip(*ends, strict=True)]
                for ends in zip(self.lows, self.highs, strict=True)
            ]
        )


def halved(
    points: FloatArray, ends: Sequence[tuple[Decimal, Decimal]], fewest: int, limits: Sequence[int] | None = None
) -> Boxes:
    """Return the boxes after halving, in every column at once, those with at least ``fewest`` records.

    ``limits`` are how often each column may be halved.

    Examples
    --------
    >>> boxes = halved(np.array([[1.0], [2.0], [7.0]]), [(Decimal(0), Decimal(8))], 2)
    >>> boxes.box_of.tolist(), [int(low) for low, in boxes.lows], [int(high) for high, in boxes.highs]
    ([1, 2, 0], [4, 0, 2], [8, 2, 4])
    """
    most = np.array([DEEPEST] * len(ends) if limits is None else limits)
    lows = np.array([float(low) for low, _ in ends])
    widths = np.array([float(high - low) for low, high in ends])
    finest = np.clip((points - lows) / widths * 2**DEEPEST, 0, 2**DEEPEST - 1).astype(np.int64)
    box_of, places = np.empty(len(points), dtype=np.int64), list[tuple[list[int], list[int]]]()
    open_records = np.arange(len(points))
    for depth in range(int(most.max()) + 1):
        depths = np.minimum(depth, most)
        cells, number, sizes = _cells(finest[open_records] >> (DEEPEST - depths))
        is_done = (sizes < fewest) | (depth == most.max())
        box_of[open_records] = (np.cumsum(is_done) - 1 + len(places))[number]
        places += [(depths.tolist(), cell) for cell in cells[is_done].tolist()]
        open_records = open_records[~is_done[number]]
    return Boxes(_edges(places, ends, 0), _edges(places, ends, 1), box_of)


def _cells(codes: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    cells, number, sizes = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    return cells, number.reshape(-1), sizes


def _edges(
    places: Sequence[tuple[list[int], list[int]]], ends: Sequence[tuple[Decimal, Decimal]], step: int
) -> list[list[Decimal]]:
    """Return where the boxes begin (``step`` 0) or end (1), exactly: halves of decimals are decimals."""
    return [
        [
            low + (high - low) * (number + step) / 2**depth
            for depth, number, (low, high) in zip(depths, cell, ends, strict=True)
        ]
        for depths, cell in places
    ]


def useful_halvings(column: NumericColumn, ends: tuple[Decimal, Decimal]) -> int:
    """Return how often a column can be halved until its boxes are about as narrow as its numbers are written."""
    steps = float(ends[1] - ends[0]) * 10**column.decimals
    return min(DEEPEST, max(0, floor(log2(steps))))


def rounded_ends(numbers: FloatArray) -> tuple[Decimal, Decimal]:
    """Return round numbers around all of these, so that nobody's own number is told.

    Examples
    --------
    >>> rounded_ends(np.array([17.0, 90.0]))
    (Decimal('10'), Decimal('100'))
    """
    low, high = float(numbers.min()), float(numbers.max())
    size = max(high - low, abs(low) * 1e-6, 1e-6)
    step = Decimal(10) ** floor(log10(size))
    first, last = (Decimal(floor(Decimal(end) / step)) for end in (low, high))
    return (first * step).normalize() + 0, ((last + 1) * step).normalize() + 0
