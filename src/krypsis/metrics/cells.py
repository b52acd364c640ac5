"""What the metrics have in common that charge each cell of the table for itself."""

from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Self, cast
from weakref import WeakKeyDictionary

import numpy as np
from pydantic import Field, model_validator

from krypsis.arrays import FloatArray, IntArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import CellsOutcome, Codebook, FrequencySet, LevelsOutcome, Outcome, penalty_table
from krypsis.metrics.base import Metric


class FactoredMetric(Metric):
    """Adds what generalization costs and what suppression costs, each by its factor."""

    generalization: float = Field(default=1.0, ge=0, le=1, description="how much the loss by generalization counts")
    suppression: float = Field(default=1.0, ge=0, le=1, description="how much the loss by suppression counts")

    @model_validator(mode="after")
    def _check_factors(self) -> Self:
        if not self.generalization and not self.suppression:
            raise ValueError(
                f"generalization and suppression of {self.name} are both 0, so every table would cost nothing; "
                "give one of them a positive factor"
            )
        return self


class CellMetric(FactoredMetric):
    """Charges each cell between 0 (unchanged) and 1 (nothing left); a suppressed record costs 1 in every cell.

    Two factors shift the balance. A kept cell pays its penalty times ``generalization``; a suppressed one pays what it
    would pay if it were kept, and ``suppression`` times the rest up to 1. A penalty never falls from one level to the
    next, and suppressing never makes a cell cheaper, which makes the lower bound of the search hold.
    """

    suppression: float = Field(
        default=1.0, ge=0, le=1, description="how much of what is left of a record counts as lost when it is suppressed"
    )

    @staticmethod
    @abstractmethod
    def penalty(leaves: IntArray, values: int, climbed: FloatArray) -> FloatArray:
        """Return the cost of labels that stand for so many ``leaves`` of all ``values``.

        ``climbed`` says how far up their hierarchy they are, from 0 to 1; its shape goes with that of ``leaves``.
        """

    @abstractmethod
    def combine(self, losses: FloatArray, weights: FloatArray) -> FloatArray:
        """Return scores from the mean penalty of each attribute, which stand side by side in the last axis."""

    def level_costs(self, frequency: FrequencySet, position: int) -> FloatArray:
        """Return ``costs[level, value]``: what an attribute costs at each level of its hierarchy."""
        hierarchy = frequency.hierarchies[position]
        climbed = np.arange(hierarchy.height + 1)[:, None] / max(hierarchy.height, 1)
        return np.asarray(self.penalty(hierarchy.leaves, len(hierarchy.values), climbed), dtype=np.float64)

    def charges(self, frequency: FrequencySet) -> Iterable[tuple[FloatArray, FloatArray]]:
        """Return for each attribute the sum of the penalties of all records and the highest of them, by level."""
        table = penalty_table(frequency, self.penalty)
        return zip(map(np.array, table.totals), map(np.array, table.highest), strict=True)

    def best(self, outcome: Outcome) -> float:  # noqa: ARG002
        return 0.0

    def worst(self, outcome: Outcome) -> float:  # noqa: ARG002
        return 1.0

    def compute(self, outcome: Outcome) -> float:
        means = outcome.mean_penalties(self.penalty, self.generalization, self.suppression)
        return float(self.combine(means, outcome.frequency.attribute_weights))

    def least(self, frequency: FrequencySet, levels: IntArray, suppressed: IntArray) -> FloatArray:
        """Return the scores if those records were suppressed that have least to lose."""
        sums = np.empty(levels.shape)
        for position, (totals, highest) in enumerate(self.charges(frequency)):
            level = levels[:, position]
            spared = np.minimum(suppressed * highest[level], totals[level])
            sums[:, position] = self.generalization * totals[level]
            sums[:, position] += self.suppression * (suppressed - self.generalization * spared)
        return self.combine(sums / frequency.rows, frequency.attribute_weights)


def weighted_mean(losses: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the mean of the attributes' losses by weight."""
    return np.asarray(losses @ weights / weights.sum())


Ruler = Callable[[Codebook], FloatArray]
"""Returns what each label of a codebook costs, from 0 to 1."""

_widths: "WeakKeyDictionary[FrequencySet, dict[type[CellMetric], list[Widths]]]" = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Widths:
    """The costs of all labels of an attribute."""

    ruler: Ruler
    table: FloatArray
    """``table[level, value]``"""
    sums: FloatArray
    """Over all records, per level."""

    @classmethod
    def of(cls, ruler: Ruler, hierarchy: Hierarchy, marginal: IntArray) -> "Widths":
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
