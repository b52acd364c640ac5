"""Normalized certainty penalty."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from krypsis.groups import FloatArray, IntArray
from krypsis.metrics.cells import CellMetric, weighted_mean


class NormalizedCertaintyPenalty(CellMetric):
    """The share of its domain that a released value stands for, averaged over all cells.

    Notes
    -----
    A value released as itself costs 0, one that stands for ``b > 1`` of ``d`` leaves costs ``b / d``, a suppressed
    record 1 in every attribute. The paper sums over the records; here the sum is divided by their number and by the
    weights, so that tables of different size compare. That is the
    global certainty penalty (GCP) of Ghinita et al.

    References
    ----------
    Xu et al., "Utility-based anonymization using local recoding", KDD 2006, section 3; Ghinita et al., "Fast data
    anonymization with low information loss", VLDB 2007, section 2 (GCP).

    Examples
    --------
    A label that stands for 1, 2 or all 4 of 4 values:

    >>> NormalizedCertaintyPenalty.penalty(np.array([1, 2, 4]), 4, np.array([0, 0.5, 1])).tolist()
    [0.0, 0.5, 1.0]
    """

    name: ClassVar[str] = "ncp"
    aliases: ClassVar[tuple[str, ...]] = ("gcp",)
    needs_original: ClassVar[bool] = True
    formula: ClassVar[str] = "∑ᵢ wᵢ · mean over records of (0 if leaves = 1 else leaves/all leaves) / ∑ w"
    range: ClassVar[str] = "0 (exact) to 1 (nothing left)"
    sentence: ClassVar[str] = "the average share of all possible values that a published value may stand for"
    reference: ClassVar[str] = "Xu et al., Utility-based anonymization using local recoding, KDD 2006"

    @staticmethod
    def penalty(leaves: IntArray, values: int, climbed: FloatArray) -> FloatArray:  # noqa: ARG004
        shares: FloatArray = np.where(leaves > 1, leaves / values, 0.0)
        return shares

    def combine(self, losses: FloatArray, weights: FloatArray) -> FloatArray:
        return weighted_mean(losses, weights)
