"""What the metrics have in common whose cost of a label depends on the attribute: on its numbers, or on its tree."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast
from weakref import WeakKeyDictionary

import numpy as np

from krypsis.arrays import FloatArray, IntArray
from krypsis.data.frequency import FrequencySet
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.outcome import CellsOutcome, LevelsOutcome, Outcome
from krypsis.data.recoding import Codebook
from krypsis.metrics.cells import CellMetric

Ruler = Callable[[Codebook], FloatArray]
"""Returns what each label of a codebook costs, from 0 to 1."""

_widths: WeakKeyDictionary[FrequencySet, dict[type[CellMetric], list[Widths]]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Widths:
    """The costs of all labels of an attribute."""

    ruler: Ruler
    table: FloatArray
    """``table[level, value]``"""
    sums: FloatArray
    """Over all records, per level."""

    @classmethod
    def of(cls, ruler: Ruler, hierarchy: Hierarchy, marginal: IntArray) -> Widths:
        """Return the costs at every level of a hierarchy."""
        books = [Codebook.of_level(hierarchy, level) for level in range(len(hierarchy.labels))]
        table = np.stack([ruler(book)[codes] for book, codes in zip(books, hierarchy.table, strict=True)])
        return cls(ruler, table, table @ marginal)


class WidthMetric(CellMetric):
    """Charges a label by a rule that is chosen for each attribute."""

    @abstractmethod
    def ruler(self, hierarchy: Hierarchy, marginal: IntArray) -> Ruler:
        """Return the rule of an attribute; ``marginal`` is the number of records with each of its values."""

    def widths(self, frequency: FrequencySet) -> list[Widths]:
        """Return the costs of all labels, which are computed once."""
        known = _widths.setdefault(frequency, {})
        if type(self) not in known:
            pairs = zip(frequency.hierarchies, frequency.marginals, strict=True)
            known[type(self)] = [Widths.of(self.ruler(*pair), *pair) for pair in pairs]
        return known[type(self)]

    def level_costs(self, frequency: FrequencySet, position: int) -> FloatArray:
        return self.widths(frequency)[position].table

    def charges(self, frequency: FrequencySet) -> list[tuple[FloatArray, FloatArray]]:
        return [(widths.sums, widths.table.max(axis=1)) for widths in self.widths(frequency)]

    def compute(self, outcome: Outcome) -> float:
        widths = self.widths(outcome.frequency)
        if isinstance(outcome, LevelsOutcome):
            whole, hidden = _at_levels(outcome, widths)
        else:
            whole, hidden = _of_cells(cast("CellsOutcome", outcome), widths)
        sums = self.generalization * whole + self.suppression * (outcome.suppressed - self.generalization * hidden)
        return float(self.combine(sums / outcome.rows, outcome.frequency.attribute_weights))


def _at_levels(outcome: LevelsOutcome, widths: list[Widths]) -> tuple[FloatArray, FloatArray]:
    """Return per attribute the sum of the costs over all records, and over those that are suppressed."""
    attributes = list(zip(widths, outcome.levels, strict=True))
    whole = np.array([one.sums[level] for one, level in attributes])
    if not outcome.suppressed:
        return whole, np.zeros(len(whole))
    counts = zip(attributes, outcome.suppressed_values, strict=True)
    return whole, np.array([one.table[level] @ hidden for (one, level), hidden in counts])


def _of_cells(outcome: CellsOutcome, widths: list[Widths]) -> tuple[FloatArray, FloatArray]:
    recoding, counts = outcome.recoding, outcome.frequency.counts
    hidden = np.where(recoding.suppressed, counts, 0)
    sums = [
        one.ruler(book)[recoding.released[:, position]] @ np.stack([counts, hidden], 1)
        for position, (book, one) in enumerate(zip(recoding.codebooks, widths, strict=True))
    ]
    whole, lost = np.array(sums).T
    return whole, lost
