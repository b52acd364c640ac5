"""Frequency l-diversity."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Histogram
from krypsis.models.base import SensitiveModel
from krypsis.models.shares import largest_counts, most_kept


class FrequencyLDiversity(SensitiveModel):
    """In every group the most frequent sensitive value belongs to at most 1 in ``l`` records.

    Notes
    -----
    The level of a group is the number of its records divided by the count of its most frequent value. A missing
    sensitive value is a value of its own. The promise implies distinct and entropy l-diversity with the same ``l``.

    References
    ----------
    Xiao, Tao, "Anatomy: simple and effective privacy preservation", VLDB 2006, Definition 2.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 2, "cancer": 2}, {"flu": 2, "cancer": 1}])
    >>> FrequencyLDiversity(l=2).accepts(groups)
    array([ True, False])
    """

    name: ClassVar[str] = "frequency-l-diversity"
    protects_from: ClassVar[str] = (
        "guessing a person's sensitive value from the group: at best 1 in l such guesses is right"
    )
    does_not_protect_from: ClassVar[str] = (
        "values that differ in name and are alike in meaning (similarity), background knowledge that rules values out, "
        "groups whose shares are far from those of the whole table (skewness), and learning that somebody is in the "
        "table"
    )
    reference: ClassVar[str] = "Xiao, Tao, Anatomy: simple and effective privacy preservation, VLDB 2006"
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    l: int = Field(  # noqa: E741 - the name in the literature
        ge=1, description="no sensitive value may belong to more than 1 in so many records of a group"
    )

    @property
    def required(self) -> float:
        return float(self.l)

    @property
    def largest_share(self) -> float | None:
        return 1 / self.l if self.l >= 2 else None

    def promise(self) -> str:
        return (
            f"in every group of records that look alike, each value of {self.subject} "
            f"belongs to at most 1 in {self.l} records"
        )

    def levels(self, histogram: Histogram, sizes: IntArray) -> FloatArray:
        return np.asarray(sizes / np.maximum(largest_counts(histogram, len(sizes)), 1), dtype=np.float64)

    def most_kept(self, histogram: Histogram, sizes: IntArray) -> IntArray:
        return most_kept(histogram, sizes, 1 / self.l)

    def suffices(self, levels: FloatArray) -> BoolArray:
        # Exact without a tolerance: a quotient of two counts that is below a whole number is not rounded up to it.
        return levels >= self.l
