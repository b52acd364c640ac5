"""t-closeness."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.groups import BoolArray, FloatArray, Histogram, IntArray, sum_by
from krypsis.models import distances
from krypsis.models.base import TOLERANCE, SensitiveModel

ROUNDS = 4
"""How often the limit to what can be kept is drawn closer; every round is a valid limit."""

ROUNDING = 1e-9
"""What sums of shares may be off by; a limit is drawn that much wider."""


class TCloseness(SensitiveModel):
    """In every group the sensitive values are spread as in the whole table, up to a distance of ``t``.

    Notes
    -----
    The distance is the earth mover's distance between the shares of the values in the group and in the whole table,
    suppressed records included. ``equal``: any two values are 1 apart. ``ordered``: by the number of steps between them
    in their order (numbers by size, dates, or as the hierarchy of the attribute lists them). ``hierarchical``: by the
    level at which the hierarchy of the attribute joins them. A missing value is a value of its own and comes last.

    References
    ----------
    Li, Li, Venkatasubramanian, "t-closeness: privacy beyond k-anonymity and l-diversity", ICDE 2007.

    Examples
    --------
    >>> from krypsis.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 5, "cancer": 5}], whole={"flu": 95, "cancer": 5})
    >>> round(TCloseness(t=0.2).measure(groups), 6)
    0.45
    """

    name: ClassVar[str] = "t-closeness"
    protects_from: ClassVar[str] = (
        "learning much more about a person's sensitive value from the group than the whole table tells about everybody "
        "(skewness); with an ordered or hierarchical distance also from values that are alike in meaning"
    )
    does_not_protect_from: ClassVar[str] = (
        "linking a person to a record (combine it with k-anonymity), what the whole table itself tells, and learning "
        "that a person is in the table"
    )
    reference: ClassVar[str] = "Li et al., t-closeness: privacy beyond k-anonymity and l-diversity, ICDE 2007"
    compares_with_whole: ClassVar[bool] = True
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    t: float = Field(ge=0, le=1, description="largest distance between a group and the whole table")
    distance: Literal["equal", "ordered", "hierarchical"] = Field(
        default="equal", description="how far two values are apart: all the same, by their order, or by their hierarchy"
    )

    @property
    def required(self) -> float:
        return self.t

    def promise(self) -> str:
        return (
            f"in every group of records that look alike, the values of {self.subject} are spread "
            f"as in the whole table, up to a distance of {self.t:g} ({self.distance})"
        )

    def levels(self, histogram: Histogram, sizes: IntArray) -> FloatArray:
        if self.distance == "equal":
            return distances.equal(histogram, sizes)
        if self.distance == "ordered":
            return distances.ordered(histogram, sizes)
        return distances.hierarchical(histogram, sizes)

    def most_kept(self, histogram: Histogram, sizes: IntArray) -> IntArray:
        """Return what can be kept where any two values are 1 apart; nothing is known for the other distances.

        The accepted parts of a group make a group that is accepted too. If it keeps ``n`` records, at most ``t·n`` of
        them are in excess, and of a value at most ``min(c, q·n)`` are not: ``n ≤ Σ min(c, q·n) + t·n``. The largest
        such ``n`` is approached from above.
        """
        if self.distance != "equal" or self.t >= 1:
            return sizes
        shares = (histogram.whole / max(histogram.whole.sum(), 1))[histogram.value]
        kept = sizes.astype(np.float64)
        for _ in range(ROUNDS):
            usual = np.minimum(histogram.count, shares * kept[histogram.group])
            kept = np.minimum(kept, sum_by(histogram.group, usual, len(sizes)) / max(1 - self.t - TOLERANCE, TOLERANCE))
        return np.floor(kept * (1 + ROUNDING) + ROUNDING).astype(np.int64)

    def suffices(self, levels: FloatArray) -> BoolArray:
        return levels <= self.t + TOLERANCE
