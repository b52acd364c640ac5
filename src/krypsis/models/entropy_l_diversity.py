"""Entropy l-diversity."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Histogram, sum_by
from krypsis.models.base import TOLERANCE, SensitiveModel


class EntropyLDiversity(SensitiveModel):
    """In every group the sensitive values are as uncertain as ``l`` equally frequent values.

    Notes
    -----
    The entropy ``-Σ p(s) log p(s)`` of each group is at least ``log l``; the level of a group is ``exp(entropy)``, so
    that a group of ``l`` equally frequent values has the level ``l``. No group can exceed the entropy of the whole
    table by much once all are merged: where one value dominates the table, only a small ``l`` can be reached.

    References
    ----------
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", ACM TKDD 1(1), 2007,
    Definition 4.1.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 1, "cancer": 1}, {"flu": 3, "cancer": 1}])
    >>> EntropyLDiversity(l=2).accepts(groups)
    array([ True, False])
    """

    name: ClassVar[str] = "entropy-l-diversity"
    protects_from: ClassVar[str] = (
        "learning a person's sensitive value because the group shares it or because one value dominates the group"
    )
    does_not_protect_from: ClassVar[str] = (
        "values that differ in name and are alike in meaning (similarity), groups whose shares are far from those of "
        "the whole table (skewness), and learning that a person is in the table; it states no risk in percent"
    )
    reference: ClassVar[str] = "Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, ACM TKDD 1(1), 2007"
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    l: float = Field(  # noqa: E741 - the name in the literature
        ge=1, allow_inf_nan=False, description="number of equally frequent values a group must be as uncertain as"
    )

    @property
    def required(self) -> float:
        return self.l

    def promise(self) -> str:
        return (
            f"in every group of records that look alike, the values of {self.subject} "
            f"are as uncertain as {self.l:g} equally frequent values"
        )

    def levels(self, histogram: Histogram, sizes: IntArray) -> FloatArray:
        # entropy = log n - (Σ c log c) / n: one logarithm per entry, and none of the shares is needed
        weighted = sum_by(histogram.group, histogram.count * np.log(histogram.count), len(sizes))
        filled = np.maximum(sizes, 1)
        return np.exp(np.log(filled) - weighted / filled) * (sizes > 0)

    def suffices(self, levels: FloatArray) -> BoolArray:
        return levels >= self.l * (1 - TOLERANCE)
