"""(k,e)-anonymity."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Histogram
from krypsis.models.base import TOLERANCE, SensitiveModel
from krypsis.models.number_line import numbers_of


class KEAnonymity(SensitiveModel):
    """Every group holds at least ``k`` different sensitive numbers, which are at least ``e`` apart at the ends.

    Notes
    -----
    The level of a group is the number of its different values, and 0 where its highest and lowest number are less than
    ``e`` apart. A missing value is a value of its own and is at no end.

    References
    ----------
    Zhang, Koudas, Srivastava, Yu, "Aggregate query answering on anonymized tables", ICDE 2007.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"30": 2, "35": 1, "80": 1}, {"30": 1, "31": 1, "32": 1}])
    >>> KEAnonymity(k=3, e=50).accepts(groups)
    array([ True, False])
    """

    name: ClassVar[str] = "ke-anonymity"
    protects_from: ClassVar[str] = (
        "learning a person's number, or a narrow range of it, because all numbers of the group are alike"
    )
    does_not_protect_from: ClassVar[str] = (
        "probable guesses when most numbers of a group lie close together and few far away (proximity) or when one "
        "number dominates its group, and learning that a person is in the table"
    )
    reference: ClassVar[str] = "Zhang et al., Aggregate query answering on anonymized tables, ICDE 2007"
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = True
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    k: int = Field(ge=1, description="smallest number of different sensitive values in a group")
    e: float = Field(
        ge=0, allow_inf_nan=False, description="how far apart the lowest and highest number of a group are at least"
    )

    @property
    def required(self) -> float:
        return float(self.k)

    def promise(self) -> str:
        return (
            f"every group of records that look alike holds at least {self.k} different values of {self.subject}, "
            f"from lowest to highest at least {self.e:g} apart"
        )

    def levels(self, histogram: Histogram, sizes: IntArray) -> FloatArray:
        domain = numbers_of(histogram.domain, "(k,e)-anonymity")
        numbers, group = domain[histogram.value], histogram.group
        known = ~np.isnan(numbers)
        low, high = np.full(len(sizes), np.inf), np.full(len(sizes), -np.inf)
        np.minimum.at(low, group[known], numbers[known])
        np.maximum.at(high, group[known], numbers[known])
        different = np.bincount(_groups_of_numbers(histogram, domain), minlength=len(sizes))
        return np.where(self.is_wide_enough(low, high), different, 0).astype(np.float64)

    def suffices(self, levels: FloatArray) -> BoolArray:
        return levels >= self.k

    def is_wide_enough(self, low: FloatArray, high: FloatArray) -> BoolArray:
        """Say which lowest and highest numbers are far enough apart; infinite ones stand for no number at all."""
        none = low > high
        ends = np.where(none, 0, np.stack([low, high]))
        # 0.3 - 0.1 is a little below 0.2
        slack = TOLERANCE * np.maximum(np.abs(ends).max(axis=0), self.e)
        return np.asarray(ends[1] - ends[0] >= self.e - slack)


def _groups_of_numbers(histogram: Histogram, numbers: FloatArray) -> IntArray:
    """Return the group of each entry, where texts that are the same number, such as 30 and 30.0, are one entry."""
    different, place = np.unique(numbers, return_inverse=True)
    if len(different) == len(numbers):
        return histogram.group
    return np.unique(histogram.group * len(different) + place[histogram.value]) // len(different)
