"""t-closeness."""

from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Domain, Histogram, sum_by
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
    The distance is the earth mover's distance between the shares of the values in the group and in the whole table.
    Where suppressed records are removed, the published table is the whole, and searches keep the promise compared with
    the original table as well. ``equal``: any two values are 1 apart. ``ordered``: by the number of steps between them
    in their order (numbers by size, dates, or as the hierarchy of the attribute lists them). ``hierarchical``: by the
    level at which the hierarchy of the attribute joins them. A missing value is a value of its own and comes last.

    ``by-type`` follows the definition: ordered for numbers and dates, equal for everything else, also for codes with
    leading zeros. A release and its manifest always name the distance that was used.

    References
    ----------
    Li, Li, Venkatasubramanian, "t-closeness: privacy beyond k-anonymity and l-diversity", ICDE 2007.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 5, "cancer": 5}], whole={"flu": 95, "cancer": 5})
    >>> round(TCloseness(t=0.2).measure(groups), 6)
    0.45
    """

    name: ClassVar[str] = "t-closeness"
    protects_from: ClassVar[str] = (
        "learning much more about a person's sensitive value from the group than the whole table reveals about "
        "everybody (skewness); with an ordered or hierarchical distance also from values that are alike in meaning"
    )
    does_not_protect_from: ClassVar[str] = (
        "linking a person to a record (combine it with k-anonymity), what the whole table itself reveals, and learning "
        "that a person is in the table"
    )
    reference: ClassVar[str] = "Li et al., t-closeness: privacy beyond k-anonymity and l-diversity, ICDE 2007"
    compares_with_whole: ClassVar[bool] = True
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    t: float = Field(ge=0, le=1, description="largest distance between a group and the whole table")
    distance: Literal["by-type", "equal", "ordered", "hierarchical"] = Field(
        default="by-type",
        description=(
            "how far two values are apart: all the same, by their order, or by their hierarchy; by-type is ordered for "
            "numbers and dates and equal for everything else"
        ),
    )

    @property
    def is_settled(self) -> bool:
        return self.distance != "by-type"

    def settled(self, domains: Mapping[str, Domain]) -> "tuple[TCloseness, ...]":
        """Return the promise with its distance named; one for each attribute where these differ in type."""
        names = domains if self.attribute is None else [self.attribute]
        chosen = {name: self.distance_of(domains[name]) for name in names if name in domains}
        if len(set(chosen.values())) == 1:
            return (self.model_copy(update={"distance": next(iter(chosen.values()))}),)
        named = (self.model_copy(update={"attribute": name, "distance": kind}) for name, kind in chosen.items())
        return tuple(named) or (self,)

    def distance_of(self, domain: Domain) -> distances.Distance:
        """Return the distance that is used for some values."""
        return distances.usual(domain) if self.distance == "by-type" else self.distance

    def uses_hierarchy(self, domain: Domain) -> bool:
        """Say whether distances are those of the hierarchy, or values have no order but that of the hierarchy."""
        chosen = self.distance_of(domain)
        return chosen == "hierarchical" or (chosen == "ordered" and not domain.is_numeric)

    @property
    def required(self) -> float:
        return self.t

    def promise(self) -> str:
        return (
            f"in every group of records that look alike, the values of {self.subject} are spread "
            f"as in the whole table, up to a distance of {self.t:g} ({self._named_distance})"
        )

    @property
    def _named_distance(self) -> str:
        return self.distance if self.is_settled else "ordered for numbers and dates, equal for everything else"

    def levels(self, histogram: Histogram, sizes: IntArray) -> FloatArray:
        return distances.BY_NAME[self.distance_of(histogram.domain)](histogram, sizes)

    def most_kept(self, histogram: Histogram, sizes: IntArray) -> IntArray:
        """Return what can be kept where any two values are 1 apart; nothing is known for the other distances.

        The accepted parts of a group make a group that is accepted too. If it keeps ``n`` records, at most ``t·n`` of
        them are in excess, and of a value at most ``min(c, q·n)`` are not: ``n ≤ Σ min(c, q·n) + t·n``. The largest
        such ``n`` is approached from above.
        """
        if self.t >= 1 or self.distance_of(histogram.domain) != "equal":
            return sizes
        shares = (histogram.whole / max(histogram.whole.sum(), 1))[histogram.value]
        kept = sizes.astype(np.float64)
        for _ in range(ROUNDS):
            usual = np.minimum(histogram.count, shares * kept[histogram.group])
            kept = np.minimum(kept, sum_by(histogram.group, usual, len(sizes)) / max(1 - self.t - TOLERANCE, TOLERANCE))
        return np.floor(kept * (1 + ROUNDING) + ROUNDING).astype(np.int64)

    def suffices(self, levels: FloatArray) -> BoolArray:
        return levels <= self.t + TOLERANCE
