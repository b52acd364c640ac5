"""Distinct l-diversity."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Histogram
from krypsis.models.base import SensitiveModel


class DistinctLDiversity(SensitiveModel):
    """Every group holds at least ``l`` different sensitive values.

    Notes
    -----
    A missing sensitive value is a value of its own. The promise implies k-anonymity with ``k = l``.

    References
    ----------
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", ACM TKDD 1(1), 2007.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 2, "cancer": 1}, {"flu": 3}])
    >>> DistinctLDiversity(l=2).accepts(groups)
    array([ True, False])
    """

    name: ClassVar[str] = "distinct-l-diversity"
    aliases: ClassVar[tuple[str, ...]] = ("l-diversity",)
    protects_from: ClassVar[str] = (
        "learning a person's sensitive value because everybody in the group shares it (homogeneity)"
    )
    does_not_protect_from: ClassVar[str] = (
        "probable guesses when one value dominates its group, values that differ in name and are alike in meaning "
        "(similarity), background knowledge that rules values out, and learning that a person is in the table"
    )
    reference: ClassVar[str] = "Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, ACM TKDD 1(1), 2007"
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = True
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    l: int = Field(  # noqa: E741 - the name in the literature
        ge=1, description="smallest number of different sensitive values in a group"
    )

    @property
    def required(self) -> float:
        return float(self.l)

    def promise(self) -> str:
        return f"every group of records that look alike holds at least {self.l} different values of {self.subject}"

    def levels(self, histogram: Histogram, sizes: IntArray) -> FloatArray:
        return np.bincount(histogram.group, minlength=len(sizes)).astype(np.float64)

    def suffices(self, levels: FloatArray) -> BoolArray:
        return levels >= self.l
