"""Basic β-likeness."""

from __future__ import annotations

from typing import ClassVar

from krypsis.arrays import FloatArray, IntArray
from krypsis.data.groups import Histogram
from krypsis.models.beta_likeness import BetaLikeness
from krypsis.models.shares import largest_by, lifts, most_kept


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
