"""Normalized certainty penalty."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from krypsis.arrays import FloatArray, IntArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import Codebook
from krypsis.metrics.cells import Ruler, WidthMetric, weighted_mean
from krypsis.metrics.scale import Scale, bounds_of_labels, numbers_of


class NormalizedCertaintyPenalty(WidthMetric):
    """The share of its domain that a released value leaves open, averaged over all cells.

    Notes
    -----
    The type of the attribute decides. A label over numbers or dates costs the distance of its bounds over the distance
    of the lowest and the highest value in the table; the bounds are those that the label names if all labels of the
    attribute are intervals, else the extreme values below it. A label over other values costs 0 if it stands for one
    value and ``b / d`` if it stands for ``b > 1`` of ``d`` leaves of the hierarchy. Codes with leading zeros are no
    numbers. A suppressed record costs 1 in every attribute.

    The paper sums over the records; here the sum is divided by their number and by the weights, so that tables of
    different size compare. That is the global certainty penalty (GCP) of Ghinita et al.

    References
    ----------
    Xu et al., "Utility-based anonymization using local recoding", KDD 2006, section 3; Ghinita et al., "Fast data
    anonymization with low information loss", VLDB 2007, section 2 (GCP).

    Examples
    --------
    A label that stands for 1, 2 or all 4 of 4 values that are no numbers:

    >>> NormalizedCertaintyPenalty.penalty(np.array([1, 2, 4]), 4, np.array([0, 0.5, 1])).tolist()
    [0.0, 0.5, 1.0]

    Ages from 20 to 44, published as [20-22] and [40-44]:

    >>> age = Hierarchy.from_rows([["20", "*"], ["22", "*"], ["40", "*"], ["44", "*"]])
    >>> published = Codebook.of({"[20-22]": [0, 1], "[40-44]": [2, 3], "*": [0, 1, 2, 3]}, [1, 1, 1])
    >>> NormalizedCertaintyPenalty().ruler(age, np.ones(4, dtype=np.int64))(published).round(4).tolist()
    [0.0833, 0.1667, 1.0]
    """

    name: ClassVar[str] = "ncp"
    aliases: ClassVar[tuple[str, ...]] = ("gcp",)
    needs_original: ClassVar[bool] = True
    formula: ClassVar[str] = (
        "∑ᵢ wᵢ · mean over records of pᵢ / ∑ w; numbers and dates: pᵢ = (upper − lower)/(highest − lowest value); "
        "categories: pᵢ = 0 if leaves = 1 else leaves/all leaves"
    )
    range: ClassVar[str] = "0 (exact) to 1 (nothing left)"
    sentence: ClassVar[str] = "the average share of its domain that a published value leaves open"
    reference: ClassVar[str] = "Xu et al., Utility-based anonymization using local recoding, KDD 2006"

    @staticmethod
    def penalty(leaves: IntArray, values: int, climbed: FloatArray) -> FloatArray:  # noqa: ARG004
        shares: FloatArray = np.where(leaves > 1, leaves / values, 0.0)
        return shares

    def combine(self, losses: FloatArray, weights: FloatArray) -> FloatArray:
        return weighted_mean(losses, weights)

    def ruler(self, hierarchy: Hierarchy, marginal: IntArray) -> Ruler:
        numbers = numbers_of(hierarchy.values)
        if numbers is None:
            return partial(_by_leaves, values=len(hierarchy.values))
        return _Line.of(hierarchy, numbers, marginal).costs


def _by_leaves(book: Codebook, values: int) -> FloatArray:
    return NormalizedCertaintyPenalty.penalty(book.leaves, values, book.climbed)


@dataclass(frozen=True, eq=False)
class _Line:
    """The numbers, or dates as numbers, of an attribute: by level-0 code, "not a number" where missing."""

    numbers: FloatArray
    domain: Scale
    """From the lowest to the highest value in the table."""
    reads_labels: bool
    """Whether all labels of the attribute are intervals that can be taken at their word."""

    @classmethod
    def of(cls, hierarchy: Hierarchy, numbers: FloatArray, marginal: IntArray) -> "_Line":
        known = ~np.isnan(numbers)
        occur = known & (marginal > 0)
        found = numbers[occur if occur.any() else known]
        domain = Scale(float(found.min(initial=np.inf)), float(found.max(initial=-np.inf)))
        return cls(numbers, domain, Scale.of(hierarchy, domain) is not None)

    def costs(self, book: Codebook) -> FloatArray:
        """Return what each label costs."""
        if not self.domain.lowest < self.domain.highest:
            return np.zeros(len(book.labels))
        bounds = bounds_of_labels(book.labels) if self.reads_labels else np.full((len(book.labels), 2), np.nan)
        costs, unread = self.domain.widths(bounds), np.flatnonzero(np.isnan(bounds[:, 0]))
        costs[unread] = self._costs_by_values(book, unread)
        return costs

    def _costs_by_values(self, book: Codebook, codes: IntArray) -> FloatArray:
        """Return what labels cost by the extreme values below them."""
        numbers = np.append(self.numbers[book.values], 0.0)  # a run may end after the last value
        runs = np.stack([book.starts[codes], book.ends[codes]], axis=1).ravel()
        ends = np.stack([extreme.reduceat(numbers, runs)[::2] for extreme in (np.minimum, np.maximum)], axis=1)
        leaves = book.leaves[codes]
        # a missing value that is joined with others may be any of them
        costs = np.where(np.isnan(ends[:, 0]), leaves > 1, self.domain.widths(ends))
        return np.where(leaves > 0, costs, 0.0)
