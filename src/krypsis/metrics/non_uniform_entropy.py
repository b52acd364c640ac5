"""Non-uniform entropy."""

from dataclasses import dataclass
from typing import ClassVar, cast
from weakref import WeakKeyDictionary

import numpy as np

from krypsis.arrays import FloatArray, IntArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import CellsOutcome, FrequencySet, LevelsOutcome, Outcome
from krypsis.kernels.labels import cheapest_bits
from krypsis.metrics.cells import FactoredMetric
from krypsis.metrics.layout import Layout

_costs: "WeakKeyDictionary[FrequencySet, _Costs]" = WeakKeyDictionary()


class NonUniformEntropy(FactoredMetric):
    """The information, in bits, that is lost by releasing general values instead of the original ones.

    Notes
    -----
    Releasing ``v`` as ``u`` costs ``-log2(c(v) / c(u))`` with ``c`` the number of records in the whole table. A
    suppressed record loses its released value too: ``-log2(c_s(u) / s)`` among the ``s`` suppressed records. With
    ``suppression=0`` only generalization counts, which ARX calls the monotonic variant. Over a range of recodings the
    first part is smallest at the lowest levels, the second grows with the set of suppressed records and falls with the
    level, so the bound takes for each attribute the cheapest level of the range.

    References
    ----------
    De Waal and Willenborg, "Information loss through global recoding and local suppression", Netherlands Official
    Statistics 14, 1999; Gionis and Tassa, "k-Anonymization with minimal loss of information", TKDE 21(2), 2009.
    """

    name: ClassVar[str] = "non-uniform-entropy"
    needs_tuples: ClassVar[bool] = True
    aliases: ClassVar[tuple[str, ...]] = ("nue",)
    needs_original: ClassVar[bool] = True
    formula: ClassVar[str] = "∑ over cells of −log₂(count of the value / count of what it became)"
    range: ClassVar[str] = "0 to the entropy of the whole table, in bits"
    sentence: ClassVar[str] = "the bits one would need to restore the original values, given how often each occurs"
    reference: ClassVar[str] = "Gionis and Tassa, k-Anonymization with minimal loss of information, TKDE 21(2), 2009"

    def best(self, outcome: Outcome) -> float:  # noqa: ARG002
        return 0.0

    def worst(self, outcome: Outcome) -> float:
        return _Costs.of(outcome.frequency).most

    def compute(self, outcome: Outcome) -> float:
        if isinstance(outcome, LevelsOutcome):
            return self.lower_bound(outcome, outcome.levels)
        generalized, suppressed = _bits_of_cells(cast("CellsOutcome", outcome))
        return self.generalization * generalized + self.suppression * suppressed

    def lower_bound(self, outcome: LevelsOutcome, highest: tuple[int, ...]) -> float:
        frequency, layout, costs = outcome.frequency, Layout.of(outcome.frequency), _Costs.of(outcome.frequency)
        return cheapest_bits(
            outcome.suppressed_counts,
            frequency.value_offsets,
            layout.labels,
            layout.begins,
            costs.bits,
            costs.starts,
            np.array(outcome.levels, dtype=np.int64),
            np.array(highest, dtype=np.int64),
            outcome.suppressed,
            self.generalization,
            self.suppression,
        )


@dataclass(frozen=True, eq=False)
class _Costs:
    """What generalization costs: attribute after attribute, level after level."""

    bits: FloatArray
    starts: IntArray
    most: float
    """The cost of all attributes at their top."""

    @classmethod
    def of(cls, frequency: FrequencySet) -> "_Costs":
        if frequency not in _costs:
            levels = [*map(_costs_by_level, frequency.hierarchies, frequency.marginals)]
            starts = np.cumsum([0, *map(len, levels[:-1])], dtype=np.int64)
            _costs[frequency] = cls(np.concatenate(levels), starts, float(sum(bits[-1] for bits in levels)))
        return _costs[frequency]


def _costs_by_level(hierarchy: Hierarchy, marginal: IntArray) -> FloatArray:
    exact = _bits(marginal)
    return np.array([_bits(np.bincount(codes, marginal)) - exact for codes in hierarchy.table])


def _bits_of_cells(outcome: CellsOutcome) -> tuple[float, float]:
    """Return the bits lost to generalization and those lost to suppression."""
    frequency, recoding = outcome.frequency, outcome.recoding
    hidden = np.where(recoding.suppressed, frequency.counts, 0)
    generalized = suppressed = 0.0
    for position, (book, marginal) in enumerate(zip(recoding.codebooks, frequency.marginals, strict=True)):
        released = recoding.released[:, position]
        shares = marginal[frequency.codes[:, position]] / book.weigh(marginal)[released]
        generalized -= float(frequency.counts @ np.log2(shares))
        suppressed += _bits(np.array([outcome.suppressed])) - _bits(np.bincount(released, hidden))
    return generalized, suppressed


def _bits(counts: IntArray | FloatArray) -> float:
    """Return ``∑ c · log2 c``, from which both kinds of cost are differences."""
    positive = counts[counts > 0].astype(np.float64)
    return float(positive @ np.log2(positive))
