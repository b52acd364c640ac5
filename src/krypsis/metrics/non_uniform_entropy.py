"""Non-uniform entropy."""

from __future__ import annotations

from typing import ClassVar, cast
from weakref import WeakKeyDictionary

import numpy as np

from krypsis.frequency import FrequencySet
from krypsis.groups import FloatArray, IntArray
from krypsis.hierarchies.base import Hierarchy
from krypsis.metrics.base import Metric
from krypsis.outcome import CellsOutcome, LevelsOutcome, Outcome

_costs: WeakKeyDictionary[FrequencySet, list[FloatArray]] = WeakKeyDictionary()


class NonUniformEntropy(Metric):
    """The information, in bits, that is lost by releasing general values instead of the original ones.

    Notes
    -----
    Releasing ``v`` as ``u`` costs ``-log2(c(v) / c(u))`` with ``c`` the number of records in the whole table. A
    suppressed record loses its released value too: ``-log2(c_s(u) / s)`` among the ``s`` suppressed records. Over a
    range of recodings the first part is smallest at the lowest levels, the second grows with the set of suppressed
    records and falls with the level, so the bound takes for each attribute the cheapest level of the range.

    References
    ----------
    De Waal and Willenborg, "Information loss through global recoding and local suppression", Netherlands Official
    Statistics 14, 1999; Gionis and Tassa, "k-Anonymization with minimal loss of information", TKDE 21(2), 2009.
    """

    name: ClassVar[str] = "non-uniform-entropy"
    aliases: ClassVar[tuple[str, ...]] = ("nue",)
    needs_original: ClassVar[bool] = True
    formula: ClassVar[str] = "∑ over cells of −log₂(count of the value / count of what it became)"
    range: ClassVar[str] = "0 to the entropy of the whole table, in bits"
    sentence: ClassVar[str] = "the bits one would need to restore the original values, given how often each occurs"
    reference: ClassVar[str] = "Gionis and Tassa, k-Anonymization with minimal loss of information, TKDE 21(2), 2009"

    def best(self, outcome: Outcome) -> float:  # noqa: ARG002
        return 0.0

    def worst(self, outcome: Outcome) -> float:
        return float(sum(costs[-1] for costs in _generalization_costs(outcome.frequency)))

    def compute(self, outcome: Outcome) -> float:
        if isinstance(outcome, LevelsOutcome):
            return self.lower_bound(outcome, outcome.levels)
        return _bits_of_cells(cast("CellsOutcome", outcome))

    def lower_bound(self, outcome: LevelsOutcome, highest: tuple[int, ...]) -> float:
        costs = _generalization_costs(outcome.frequency)
        return float(
            sum(
                min(
                    costs[position][level] + _suppression_cost(outcome, position, level)
                    for level in range(outcome.levels[position], highest[position] + 1)
                )
                for position in range(len(costs))
            )
        )


def _suppression_cost(outcome: LevelsOutcome, position: int, level: int) -> float:
    if not outcome.suppressed:
        return 0.0
    codes = outcome.frequency.hierarchies[position].table[level]
    counts = np.bincount(codes, outcome.suppressed_values[position])
    return _bits(np.array([outcome.suppressed])) - _bits(counts)


def _bits_of_cells(outcome: CellsOutcome) -> float:
    frequency, recoding = outcome.frequency, outcome.recoding
    hidden = np.where(recoding.suppressed, frequency.counts, 0)
    bits = 0.0
    for position, (book, marginal) in enumerate(zip(recoding.codebooks, frequency.marginals, strict=True)):
        released = recoding.released[:, position]
        shares = marginal[frequency.codes[:, position]] / book.weigh(marginal)[released]
        bits -= float(frequency.counts @ np.log2(shares))
        bits += _bits(np.array([outcome.suppressed])) - _bits(np.bincount(released, hidden))
    return bits


def _generalization_costs(frequency: FrequencySet) -> list[FloatArray]:
    if frequency not in _costs:
        _costs[frequency] = [
            _costs_by_level(hierarchy, marginal)
            for hierarchy, marginal in zip(frequency.hierarchies, frequency.marginals, strict=True)
        ]
    return _costs[frequency]


def _costs_by_level(hierarchy: Hierarchy, marginal: IntArray) -> FloatArray:
    exact = _bits(marginal)
    return np.array([_bits(np.bincount(codes, marginal)) - exact for codes in hierarchy.table])


def _bits(counts: IntArray | FloatArray) -> float:
    """Return ``∑ c · log2 c``, from which both kinds of cost are differences."""
    positive = counts[counts > 0].astype(np.float64)
    return float(positive @ np.log2(positive))
