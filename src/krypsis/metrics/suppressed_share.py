"""Share suppressed."""

from typing import ClassVar

import numpy as np

from krypsis.arrays import FloatArray, IntArray
from krypsis.data.recoding import FrequencySet, Outcome
from krypsis.metrics.base import Metric


class SuppressedShare(Metric):
    """The share of the records that is not published, or published without any quasi-identifier.

    References
    ----------
    Samarati, "Protecting respondents' identities in microdata release", TKDE 13(6), 2001 (minimum suppression).
    """

    name: ClassVar[str] = "suppressed-share"
    formula: ClassVar[str] = "suppressed / records"
    range: ClassVar[str] = "0 to 1"
    sentence: ClassVar[str] = "the share of the records that was left out"
    reference: ClassVar[str] = "Samarati, Protecting respondents' identities in microdata release, TKDE 13(6), 2001"

    def best(self, outcome: Outcome) -> float:  # noqa: ARG002
        return 0.0

    def worst(self, outcome: Outcome) -> float:  # noqa: ARG002
        return 1.0

    def compute(self, outcome: Outcome) -> float:
        return outcome.suppressed / outcome.rows

    def least(self, frequency: FrequencySet, levels: IntArray, suppressed: IntArray) -> FloatArray:  # noqa: ARG002
        return np.asarray(suppressed / frequency.rows)
