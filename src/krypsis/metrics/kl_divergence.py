"""Kullback-Leibler divergence."""

from dataclasses import dataclass
from typing import ClassVar, Literal, cast
from weakref import WeakKeyDictionary

import numpy as np
from pydantic import Field

from krypsis.arrays import FloatArray, IntArray
from krypsis.data.recoding import CellsOutcome, FrequencySet, LevelsOutcome, Outcome
from krypsis.kernels.labels import label_keys, sum_by_labels
from krypsis.kernels.rows import number_rows
from krypsis.metrics.base import Metric
from krypsis.metrics.layout import Layout, kept_areas, whole_area

ROUNDING = 1e-12
"""What is left of the domain is taken smaller by this share of it, so that rounding never raises a bound."""

_repetitions: "WeakKeyDictionary[FrequencySet, _Repetitions]" = WeakKeyDictionary()


class KLDivergence(Metric):
    """How far the distribution that an analyst reads off the release is from the original one, in bits.

    Notes
    -----
    The analyst takes each group as spread evenly over its area, the ``A`` combinations of values that its labels stand
    for, and the suppressed records as spread over all combinations. A tuple with ``c`` of ``n`` records, published in a
    group of ``g`` records, is off by ``log2((c/n) / (g/n/A))`` bits. Per tuple these are averaged by its share ``c/n``,
    which is the divergence; per record, as ARX does it, the term of a tuple counts once for each record that has it, so
    frequent combinations weigh more.

    The bound: let a tuple weigh ``w``. Whatever is done above a node, the densities at which the analyst sees the
    groups of the node add up, over their areas, to at most ``n``; the suppressed records fill the rest of the domain.
    By the inequality of Gibbs no such densities make ``∑ w · log2(1/density)`` less than those proportional to the
    weights do.

    References
    ----------
    Kifer and Gehrke, "Injecting utility into anonymized datasets", SIGMOD 2006; Machanavajjhala et al., "l-diversity:
    privacy beyond k-anonymity", TKDD 1(1), 2007, section 6.
    """

    name: ClassVar[str] = "kl-divergence"
    needs_tuples: ClassVar[bool] = True
    aliases: ClassVar[tuple[str, ...]] = ("kl",)
    needs_original: ClassVar[bool] = True
    formula: ClassVar[str] = "∑ over records of c/n · log₂(c · area / group size), c = records of the original tuple"
    range: ClassVar[str] = "0 (unchanged) to ∑ over records of c/n · log₂(number of all combinations of values)"
    sentence: ClassVar[str] = (
        "how far off the frequencies of combinations are when each group is taken as spread evenly over what its "
        "labels stand for"
    )
    reference: ClassVar[str] = "Kifer and Gehrke, Injecting utility into anonymized datasets, SIGMOD 2006"

    per: Literal["record", "tuple"] = Field(
        default="record", description="whether a combination counts once for each of its records, as in ARX, or once"
    )

    def best(self, outcome: Outcome) -> float:  # noqa: ARG002
        return 0.0

    def worst(self, outcome: Outcome) -> float:
        return self._total(outcome) * _log2(whole_area(outcome.frequency)) / outcome.rows

    def compute(self, outcome: Outcome) -> float:
        weights = self._kept_weights(outcome)
        bits = float(weights @ np.log2(kept_areas(outcome) / outcome.kept_sizes))
        if outcome.suppressed:
            lost = self._total(outcome) - float(weights.sum())
            bits += lost * _log2(whole_area(outcome.frequency) / outcome.suppressed)
        return self._divergence(bits, outcome)

    def lower_bound(self, outcome: LevelsOutcome, highest: tuple[int, ...]) -> float:  # noqa: ARG002
        weights, areas, total = self._kept_weights(outcome), kept_areas(outcome), self._total(outcome)
        bits = float(weights @ np.log2(areas / weights)) + total * _log2(total / outcome.rows)
        if outcome.suppressed:
            lost = total - float(weights.sum())
            rest = whole_area(outcome.frequency) * (1 - ROUNDING) - float(areas.sum())
            bits += lost * _log2(max(rest, 1.0) / lost)
        return self._divergence(bits, outcome)

    def _divergence(self, bits: float, outcome: Outcome) -> float:
        repetitions = _Repetitions.of(outcome.frequency)
        own = repetitions.bits + (repetitions.more_bits if self.per == "record" else 0.0)
        return max((own + bits) / outcome.rows, 0.0)

    def _total(self, outcome: Outcome) -> float:
        more = _Repetitions.of(outcome.frequency).more.sum() if self.per == "record" else 0.0
        return float(outcome.rows + more)

    def _kept_weights(self, outcome: Outcome) -> FloatArray:
        """Return the weight of each kept group: its size, and per record what its repeated tuples weigh more."""
        sizes = outcome.kept_sizes.astype(np.float64)
        if self.per == "tuple":
            return sizes
        if isinstance(outcome, LevelsOutcome):
            return sizes + _repeated_at_levels(outcome)
        return sizes + _repeated_in_cells(cast("CellsOutcome", outcome))


@dataclass(frozen=True, eq=False)
class _Repetitions:
    """The tuples with more than one record; counted per record, one of ``c`` records weighs ``c²`` instead of ``c``."""

    tuples: IntArray
    more: FloatArray
    """``c · (c - 1)`` of each repeated tuple."""
    bits: float
    """``∑ c · log2 c``."""
    more_bits: float

    @classmethod
    def of(cls, frequency: FrequencySet) -> "_Repetitions":
        if frequency not in _repetitions:
            tuples = np.flatnonzero(frequency.counts > 1)
            counts = frequency.counts[tuples].astype(np.float64)
            more, logarithms = counts * (counts - 1), np.log2(counts)
            _repetitions[frequency] = cls(tuples, more, float(counts @ logarithms), float(more @ logarithms))
        return _repetitions[frequency]


def _repeated_at_levels(outcome: LevelsOutcome) -> FloatArray:
    codes, layout = outcome.frequency.codes, Layout.of(outcome.frequency)
    repetitions = _Repetitions.of(outcome.frequency)
    kept = outcome.tuples[~outcome.refused]
    digits, starts = layout.digits, layout.starts(outcome.levels)
    kept_keys, keys = (np.empty(len(tuples), dtype=np.int64) for tuples in (kept, repetitions.tuples))
    label_keys(codes, kept, starts, digits, kept_keys)
    label_keys(codes, repetitions.tuples, starts, digits, keys)
    sums = np.zeros(len(kept))
    sum_by_labels(codes, kept, kept_keys, repetitions.tuples, keys, repetitions.more, starts, digits, sums)
    return sums


def _repeated_in_cells(outcome: CellsOutcome) -> FloatArray:
    frequency, recoding = outcome.frequency, outcome.recoding
    radices = [len(book.labels) for book in recoding.codebooks]
    alike, _ = number_rows(list(recoding.released.T), radices, len(frequency.counts))
    kept = np.where(recoding.suppressed, 0, frequency.counts).astype(np.float64)
    return np.asarray(np.bincount(alike, kept * (kept - 1))[alike[outcome.tuples[~outcome.refused]]])


def _log2(number: float) -> float:
    return float(np.log2(number))
