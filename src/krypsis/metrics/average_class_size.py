"""Average class size."""

from __future__ import annotations

from typing import ClassVar

from krypsis.data.recoding import Outcome
from krypsis.metrics.base import Metric


class AverageClassSize(Metric):
    """The number of records per group; all suppressed records together count as one group.

    Notes
    -----
    LeFevre's normalized ``CAVG`` is this figure divided by ``k``. For a range of recodings the bound counts the groups
    at its lowest levels: merging groups never makes more, and suppressing some of them costs at least one.

    References
    ----------
    LeFevre et al., "Mondrian multidimensional k-anonymity", ICDE 2006, section 2.2.
    """

    name: ClassVar[str] = "average-class-size"
    aliases: ClassVar[tuple[str, ...]] = ("aecs",)
    formula: ClassVar[str] = "records / (groups + 1 if any record is suppressed)"
    range: ClassVar[str] = "records per original group to records"
    sentence: ClassVar[str] = "how many records share one combination of values on average"
    reference: ClassVar[str] = "LeFevre et al., Mondrian multidimensional k-anonymity, ICDE 2006"

    def best(self, outcome: Outcome) -> float:
        return outcome.rows / len(outcome.frequency.counts)

    def worst(self, outcome: Outcome) -> float:
        return float(outcome.rows)

    def compute(self, outcome: Outcome) -> float:
        return outcome.rows / max(outcome.group_count + (outcome.suppressed > 0), 1)
