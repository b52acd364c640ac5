"""β-likeness, basic and enhanced."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Histogram
from krypsis.models.base import TOLERANCE, SensitiveModel
from krypsis.models.shares import largest_by, lifts, most_kept


class BetaLikeness(SensitiveModel):
    """Limits how much more frequent a sensitive value is in a group than in the whole table."""

    reference: ClassVar[str] = "Cao, Karras, Publishing microdata with a robust privacy guarantee, PVLDB 5(11), 2012"
    compares_with_whole: ClassVar[bool] = True
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    beta: float = Field(
        gt=0, allow_inf_nan=False, description="largest gain of a value's share in a group, over its share in the whole"
    )

    @property
    def required(self) -> float:
        return self.beta

    def suffices(self, levels: FloatArray) -> BoolArray:
        return levels <= self.beta + TOLERANCE * max(1, self.beta)


class BasicBetaLikeness(BetaLikeness):
    """In every group no sensitive value is more frequent than in the whole table by more than ``beta`` times its share.

    Notes
    -----
    For every value of a group, ``(p - q) / q ≤ beta``, where ``p`` is its share in the group and ``q`` that in the
    whole table. What a group has too little of does not matter. The level of a group is
    the largest such gain.

    It is monotone: ``p`` of a union is at most the larger one of its parts, and so at most ``q·(1 + beta)``.

    References
    ----------
    Cao, Karras, "Publishing microdata with a robust privacy guarantee", PVLDB 5(11), 2012, Definition 2.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 9, "hiv": 1}, {"flu": 7, "hiv": 3}], whole={"flu": 90, "hiv": 10})
    >>> BasicBetaLikeness(beta=1).accepts(groups)
    array([ True, False])
    """

    name: ClassVar[str] = "basic-beta-likeness"
    protects_from: ClassVar[str] = (
        "learning that a person's sensitive value is much more likely than the whole table reveals about everybody; a "
        "rare value is guarded as well as a frequent one"
    )
    does_not_protect_from: ClassVar[str] = (
        "learning that a value is less likely than in the whole table, a frequent value that becomes certain when beta "
        "is large, values that are alike in meaning (similarity), and linking a person to a record"
    )

    def promise(self) -> str:
        return (
            f"in every group of records that look alike, each value of {self.subject} is at most "
            f"{1 + self.beta:g} times as frequent as in the whole table"
        )

    def levels(self, histogram: Histogram, sizes: IntArray) -> FloatArray:
        return largest_by(histogram.group, lifts(histogram, sizes) - 1, len(sizes))

    def most_kept(self, histogram: Histogram, sizes: IntArray) -> IntArray:
        return most_kept(histogram, sizes, histogram.whole / max(int(histogram.whole.sum()), 1) * (1 + self.beta))


class EnhancedBetaLikeness(BetaLikeness):
    """In every group no sensitive value gains more than ``beta`` times its share, and no frequent one becomes certain.

    Notes
    -----
    For every value of a group, ``(p - q) / q ≤ min(beta, -ln q)``, where ``p`` is its share in the group and ``q`` that
    in the whole table. The second limit lets a frequent value gain less: ``q·(1 - ln q)``
    is below 1 for every ``q`` below 1. The level of a group is the largest gain, infinite where a gain is above
    ``-ln q``, which no ``beta`` allows.

    It is monotone: ``p`` of a union is at most the larger one of its parts.

    References
    ----------
    Cao, Karras, "Publishing microdata with a robust privacy guarantee", PVLDB 5(11), 2012, Definition 3.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 9, "hiv": 1}, {"flu": 10}], whole={"flu": 90, "hiv": 10})
    >>> EnhancedBetaLikeness(beta=1).accepts(groups)
    array([ True, False])
    """

    name: ClassVar[str] = "enhanced-beta-likeness"
    protects_from: ClassVar[str] = (
        "learning that a person's sensitive value is much more likely than the whole table reveals about everybody, "
        "and being certain of it; a rare value is guarded as well as a frequent one"
    )
    does_not_protect_from: ClassVar[str] = (
        "learning that a value is less likely than in the whole table, values that are alike in meaning (similarity), "
        "and linking a person to a record"
    )

    def promise(self) -> str:
        return (
            f"in every group of records that look alike, each value of {self.subject} is at most {1 + self.beta:g} "
            "times as frequent as in the whole table, and one that is frequent there less than that"
        )

    def levels(self, histogram: Histogram, sizes: IntArray) -> FloatArray:
        gains = lifts(histogram, sizes) - 1
        allowed = _frequent_limits(histogram)[histogram.value] + TOLERANCE
        return largest_by(histogram.group, np.where(gains > allowed, np.inf, gains), len(sizes))

    def most_kept(self, histogram: Histogram, sizes: IntArray) -> IntArray:
        shares = histogram.whole / max(int(histogram.whole.sum()), 1)
        return most_kept(histogram, sizes, shares * (1 + np.minimum(self.beta, _frequent_limits(histogram))))


def _frequent_limits(histogram: Histogram) -> FloatArray:
    """Return ``-ln q`` for each value; what the whole table does not have gains infinitely, which no beta allows."""
    shares = histogram.whole / max(int(histogram.whole.sum()), 1)
    limits = np.zeros(len(shares))
    np.log(shares, out=limits, where=shares > 0)
    return -limits
