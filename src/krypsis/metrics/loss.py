"""Loss."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from krypsis.arrays import FloatArray, IntArray
from krypsis.metrics.cells import CellMetric


class Loss(CellMetric):
    """How much of the original values is blurred, combined over the attributes by their geometric mean.

    Notes
    -----
    A value released as one of ``b`` leaves of a hierarchy with ``d`` leaves costs ``(b - 1) / (d - 1)``; a suppressed
    record costs 1 in every attribute. With ``L_i`` the mean over the records, the score is
    ``∏ (1 + L_i)^(w_i / ∑ w) - 1``. An attribute with one value costs nothing unless its record is suppressed.

    References
    ----------
    Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002 (the loss of one attribute); the geometric
    mean is the default aggregate of ARX.

    Examples
    --------
    A label that stands for 1, 2 or all 3 of 3 values:

    >>> Loss.penalty(np.array([1, 2, 3]), 3, np.array([0, 0.5, 1])).tolist()
    [0.0, 0.5, 1.0]
    """

    name: ClassVar[str] = "loss"
    needs_original: ClassVar[bool] = True
    formula: ClassVar[str] = "∏ᵢ (1 + Lᵢ)^(wᵢ/∑w) − 1, Lᵢ = mean over records of (leaves − 1)/(all leaves − 1)"
    range: ClassVar[str] = "0 (exact) to 1 (nothing left)"
    sentence: ClassVar[str] = "0 means every value is as exact as before, 1 means nothing is left of them"
    reference: ClassVar[str] = "Iyengar, Transforming data to satisfy privacy constraints, KDD 2002"

    @staticmethod
    def penalty(leaves: IntArray, values: int, climbed: FloatArray) -> FloatArray:  # noqa: ARG004
        blurred: FloatArray = (leaves - 1) / max(values - 1, 1)
        return blurred

    def combine(self, losses: FloatArray, weights: FloatArray) -> FloatArray:
        return np.asarray(np.exp(np.log1p(losses) @ weights / weights.sum()) - 1)
