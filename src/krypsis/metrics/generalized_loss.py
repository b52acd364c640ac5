"""Generalized loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, cast
from weakref import WeakKeyDictionary

import numpy as np

from krypsis.frequency import FrequencySet
from krypsis.groups import FloatArray, IntArray
from krypsis.hierarchies.base import Hierarchy
from krypsis.metrics.cells import CellMetric, weighted_mean
from krypsis.metrics.loss import Loss
from krypsis.metrics.scale import Scale, bounds_of
from krypsis.outcome import CellsOutcome, LevelsOutcome, Outcome
from krypsis.recoding import Codebook

_widths: WeakKeyDictionary[FrequencySet, list[_Widths]] = WeakKeyDictionary()


class GeneralizedLoss(CellMetric):
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

    def charges(self, frequency: FrequencySet) -> list[tuple[FloatArray, FloatArray]]:
        return [(widths.sums, widths.table.max(axis=1)) for widths in _Widths.of(frequency)]

    def compute(self, outcome: Outcome) -> float:
        if isinstance(outcome, LevelsOutcome):
            whole, hidden = _widths_at_levels(outcome)
        else:
            whole, hidden = _widths_of_cells(cast("CellsOutcome", outcome))
        sums = self.generalization * whole + self.suppression * (outcome.suppressed - self.generalization * hidden)
        return float(self.combine(sums / outcome.rows, outcome.frequency.attribute_weights))


@dataclass(frozen=True, eq=False)
class _Widths:
    """The widths of all labels of an attribute."""

    scale: Scale | None
    values: int
    table: FloatArray
    """``table[level, value]``"""
    sums: FloatArray
    """Over all records, per level."""

    @classmethod
    def of(cls, frequency: FrequencySet) -> list[_Widths]:
        if frequency not in _widths:
            _widths[frequency] = [*map(cls._of_attribute, frequency.hierarchies, frequency.marginals)]
        return _widths[frequency]

    @classmethod
    def _of_attribute(cls, hierarchy: Hierarchy, marginal: IntArray) -> _Widths:
        scale, values = Scale.of(hierarchy), len(hierarchy.values)
        books = [Codebook.of_level(hierarchy, level) for level in range(len(hierarchy.labels))]
        widths = [_widths_of_labels(book, scale, values) for book in books]
        table = np.stack([of_label[codes] for of_label, codes in zip(widths, hierarchy.table, strict=True)])
        return cls(scale, values, table, table @ marginal)


def _widths_of_labels(book: Codebook, scale: Scale | None, values: int) -> FloatArray:
    by_leaves = Loss.penalty(book.leaves, values, book.climbed)
    if scale is None:
        return by_leaves
    bounds = map(bounds_of, book.labels)
    return np.array([wide if pair is None else scale.width(pair) for pair, wide in zip(bounds, by_leaves, strict=True)])


def _widths_at_levels(outcome: LevelsOutcome) -> tuple[FloatArray, FloatArray]:
    """Return per attribute the sum of the widths over all records, and over those that are suppressed."""
    attributes = list(zip(_Widths.of(outcome.frequency), outcome.levels, strict=True))
    whole = np.array([widths.sums[level] for widths, level in attributes])
    if not outcome.suppressed:
        return whole, np.zeros(len(whole))
    counts = zip(attributes, outcome.suppressed_values, strict=True)
    return whole, np.array([widths.table[level] @ hidden for (widths, level), hidden in counts])


def _widths_of_cells(outcome: CellsOutcome) -> tuple[FloatArray, FloatArray]:
    recoding, counts = outcome.recoding, outcome.frequency.counts
    hidden = np.where(recoding.suppressed, counts, 0)
    sums = [
        _widths_of_labels(book, widths.scale, widths.values)[recoding.released[:, position]]
        @ np.stack([counts, hidden], 1)
        for position, (book, widths) in enumerate(zip(recoding.codebooks, _Widths.of(outcome.frequency), strict=True))
    ]
    whole, lost = np.array(sums).T
    return whole, lost
