"""Loss: which part of an attribute's values a label stands for, absolute and as a generalized loss metric."""

from functools import partial
from typing import ClassVar

import numpy as np

from krypsis.arrays import FloatArray, IntArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import Codebook
from krypsis.metrics.cells import CellMetric, Ruler, WidthMetric, weighted_mean
from krypsis.metrics.scale import Scale, bounds_of_labels


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


class GeneralizedLoss(WidthMetric):
    """The share of its domain that a published value covers, averaged over all cells.

    Notes
    -----
    Numbers published as intervals ``[L-U)`` cost ``(U - L)`` over the width of the whole domain. Otherwise the leaves
    of the hierarchy are numbered 1 to ``m`` and a label over ``b`` neighbors costs ``(b - 1) / (m - 1)``. Which rule
    holds is decided for the attribute as a whole: the first one if its values are numbers and every label between them
    and the top is an interval. The thesis swaps lower and upper bound (erratum E21).

    References
    ----------
    Nergiz and Clifton, "Thoughts on k-anonymization", Data & Knowledge Engineering 63(3), 2007; Iyengar, "Transforming
    data to satisfy privacy constraints", KDD 2002.

    Examples
    --------
    A label that stands for 4 of 6 values that are no numbers:

    >>> GeneralizedLoss.penalty(np.array([4]), 6, np.array([0.5])).tolist()
    [0.6]
    """

    name: ClassVar[str] = "generalized-loss"
    aliases: ClassVar[tuple[str, ...]] = ("gen-iloss", "iloss")
    needs_original: ClassVar[bool] = True
    formula: ClassVar[str] = "∑ᵢ wᵢ · mean over records of (upper − lower)/(highest − lowest) / ∑ w"
    range: ClassVar[str] = "0 (exact) to 1 (nothing left)"
    sentence: ClassVar[str] = "the average share of its range that a published value leaves open"
    reference: ClassVar[str] = "Nergiz and Clifton, Thoughts on k-anonymization, DKE 63(3), 2007"

    @staticmethod
    def penalty(leaves: IntArray, values: int, climbed: FloatArray) -> FloatArray:
        return Loss.penalty(leaves, values, climbed)

    def combine(self, losses: FloatArray, weights: FloatArray) -> FloatArray:
        return weighted_mean(losses, weights)

    def ruler(self, hierarchy: Hierarchy, marginal: IntArray) -> Ruler:  # noqa: ARG002  the domain is that of labels
        return partial(_widths_of_labels, scale=Scale.of(hierarchy), values=len(hierarchy.values))


def _widths_of_labels(book: Codebook, scale: Scale | None, values: int) -> FloatArray:
    by_leaves = Loss.penalty(book.leaves, values, book.climbed)
    if scale is None:
        return by_leaves
    bounds = bounds_of_labels(book.labels)
    return np.where(np.isnan(bounds[:, 0]), by_leaves, scale.widths(bounds))
