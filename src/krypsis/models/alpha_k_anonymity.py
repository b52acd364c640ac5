"""(α,k)-anonymity."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Histogram
from krypsis.models.base import SensitiveModel
from krypsis.models.shares import largest_counts, most_kept


class AlphaKAnonymity(SensitiveModel):
    """Every group has at least ``k`` records, and no sensitive value is more than the share ``alpha`` of them.

    Notes
    -----
    With ``value`` the share of this value alone is limited. The level of a group is the largest share, and infinite for
    a group of fewer than ``k`` records, which no ``alpha`` allows. A missing sensitive value is a value of its own.

    References
    ----------
    Wong, Li, Fu, Wang, "(α,k)-anonymity: an enhanced k-anonymity model for privacy preserving data publishing",
    KDD 2006.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 2, "hiv": 2}, {"flu": 3, "hiv": 1}, {"flu": 1, "hiv": 1}])
    >>> AlphaKAnonymity(alpha=0.5, k=3).accepts(groups)
    array([ True, False, False])
    >>> AlphaKAnonymity(alpha=0.5, k=3, value="hiv").accepts(groups)
    array([ True,  True, False])
    """

    name: ClassVar[str] = "alpha-k-anonymity"
    protects_from: ClassVar[str] = (
        "linking a published record to a person (at best 1 in k guesses is right), and guessing a person's sensitive "
        "value from the group: at most the share alpha of such guesses is right"
    )
    does_not_protect_from: ClassVar[str] = (
        "values that differ in name and are alike in meaning (similarity), groups whose shares are far from those of "
        "the whole table (skewness), learning that a person is in the table, and, where one value is named, all others"
    )
    reference: ClassVar[str] = (
        "Wong et al., (α,k)-anonymity: an enhanced k-anonymity model for privacy preserving data publishing, KDD 2006"
    )
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    alpha: float = Field(gt=0, le=1, description="largest share of a group that may have the same sensitive value")
    k: int = Field(ge=1, description="smallest number of records in a group")
    value: str | None = Field(
        default=None,
        description="the sensitive value whose share is limited; each of them unless given",
    )

    @property
    def promised_size(self) -> int:
        return self.k

    @property
    def required(self) -> float:
        return self.alpha

    def promise(self) -> str:
        which = "each value" if self.value is None else f"the value {self.value!r}"
        return (
            f"every group of records that look alike has at least {self.k} records, "
            f"and {which} of {self.subject} is at most {self.alpha:.6g} of them"
        )

    def levels(self, histogram: Histogram, sizes: IntArray) -> FloatArray:
        shares = largest_counts(self._limited(histogram), len(sizes)) / np.maximum(sizes, 1)
        return np.where(sizes >= self.k, shares, np.inf)

    def most_kept(self, histogram: Histogram, sizes: IntArray) -> IntArray:
        limited = self._limited(histogram)
        others = sizes - np.bincount(limited.group, limited.count, minlength=len(sizes)).astype(np.int64)
        if self.value is None:
            kept = most_kept(histogram, sizes, self.alpha)
        elif self.alpha == 1:
            kept = sizes
        else:
            # Of n records at most alpha · n have the value and at most ``others`` have not: n ≤ others / (1 - alpha)
            kept = np.minimum(sizes, np.floor(others / (1 - self.alpha) * (1 + 1e-12) + 1e-9).astype(np.int64))
        return np.where(sizes >= self.k, kept, 0)

    def suffices(self, levels: FloatArray) -> BoolArray:
        # No tolerance is needed: a quotient of counts is rounded to the same number as the decimal it equals.
        return levels <= self.alpha

    def _limited(self, histogram: Histogram) -> Histogram:
        """Return the entries whose share is limited."""
        if self.value is None:
            return histogram
        chosen = np.isin(histogram.value, histogram.domain.codes_of(self.value))
        return Histogram(
            histogram.group[chosen],
            histogram.value[chosen],
            histogram.count[chosen],
            histogram.whole,
            histogram.domain,
        )
