"""Precision and minimal distortion: how high generalized values are in their hierarchies."""

from typing import ClassVar

import numpy as np

from krypsis.arrays import FloatArray, IntArray
from krypsis.data.recoding import Outcome
from krypsis.metrics.base import Metric
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


class MinimalDistortion(Metric):
    """How many levels the values were moved up, summed over all cells.

    Notes
    -----
    One unit for each cell and each level. A suppressed cell costs the height of its hierarchy, as if it had been moved
    to the top.

    References
    ----------
    Samarati, "Protecting respondents' identities in microdata release", TKDE 13(6), 2001; Sweeney, "Achieving
    k-anonymity privacy protection using generalization and suppression", IJUFKS 10(5), 2002 (minimal distortion).
    """

    name: ClassVar[str] = "minimal-distortion"
    aliases: ClassVar[tuple[str, ...]] = ("md",)
    counts_levels: ClassVar[bool] = True
    formula: ClassVar[str] = "∑ over cells of wᵢ · level; a suppressed cell costs wᵢ · height of the hierarchy"
    range: ClassVar[str] = "0 (unchanged) to records · ∑ heights"
    sentence: ClassVar[str] = "how many single steps of generalization were made, counting every cell"
    reference: ClassVar[str] = (
        "Sweeney, Achieving k-anonymity privacy protection using generalization and suppression, IJUFKS 10(5), 2002"
    )

    def best(self, outcome: Outcome) -> float:  # noqa: ARG002
        return 0.0

    def worst(self, outcome: Outcome) -> float:
        return float(np.array(outcome.frequency.heights) @ outcome.frequency.attribute_weights) * outcome.rows

    def compute(self, outcome: Outcome) -> float:
        steps = outcome.mean_penalties(Precision.penalty) * outcome.frequency.heights * outcome.rows
        return float(steps @ outcome.frequency.attribute_weights)
