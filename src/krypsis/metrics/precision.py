"""Precision, as a loss."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from krypsis.arrays import FloatArray, IntArray
from krypsis.metrics.cells import CellMetric, weighted_mean


class Precision(CellMetric):
    """The average share of its hierarchy that a value has climbed.

    Notes
    -----
    Sweeney's *Prec* is 1 for an unchanged table; this is ``1 - Prec``, so that lower is better as for all metrics.
    A suppressed record costs 1 in every attribute.

    References
    ----------
    Sweeney, "Achieving k-anonymity privacy protection using generalization and suppression", IJUFKS 10(5), 2002.

    Examples
    --------
    Labels at the bottom, in the middle and at the top of a hierarchy:

    >>> Precision.penalty(np.array([1, 2, 4]), 4, np.array([0, 0.5, 1])).tolist()
    [0.0, 0.5, 1.0]
    """

    name: ClassVar[str] = "precision"
    aliases: ClassVar[tuple[str, ...]] = ("prec",)
    counts_levels: ClassVar[bool] = True
    formula: ClassVar[str] = "∑ᵢ wᵢ · mean over records of (level/height) / ∑ w"
    range: ClassVar[str] = "0 (unchanged) to 1 (all at the top)"
    sentence: ClassVar[str] = (
        "how far up their hierarchies the values were moved, on average; 0 not at all, 1 to the top"
    )
    reference: ClassVar[str] = (
        "Sweeney, Achieving k-anonymity privacy protection using generalization and suppression, IJUFKS 10(5), 2002"
    )

    @staticmethod
    def penalty(leaves: IntArray, values: int, climbed: FloatArray) -> FloatArray:  # noqa: ARG004
        return np.broadcast_to(climbed, leaves.shape)

    def combine(self, losses: FloatArray, weights: FloatArray) -> FloatArray:
        return weighted_mean(losses, weights)
