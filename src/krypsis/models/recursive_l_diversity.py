"""Recursive (c,l)-diversity."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Histogram, sum_by
from krypsis.models.base import SensitiveModel
from krypsis.models.ranks import largest_and_rare


class RecursiveLDiversity(SensitiveModel):
    """In every group the most frequent sensitive value is rarer than ``c`` times the rare values together.

    Notes
    -----
    With the counts of a group in descending order, ``f(1) < c · (f(l) + f(l+1) + … + f(m))``. A group with fewer than
    ``l`` values is refused. ``strict=False`` allows equality. The level of a group is ``f(1) / (f(l) + … + f(m))``, the
    ``c`` it just misses: lower is better, and infinite with fewer than ``l`` values.

    References
    ----------
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", ACM TKDD 1(1), 2007,
    Definition 4.2.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 3, "cancer": 1, "hiv": 1}, {"flu": 4, "cancer": 1, "hiv": 1}])
    >>> RecursiveLDiversity(c=2, l=2).accepts(groups)
    array([ True, False])
    """

    name: ClassVar[str] = "recursive-l-diversity"
    protects_from: ClassVar[str] = (
        "learning a person's sensitive value because it dominates the group, also after l - 2 values were ruled out"
    )
    does_not_protect_from: ClassVar[str] = (
        "values that differ in name and are alike in meaning (similarity), groups whose shares are far from those of "
        "the whole table (skewness), and learning that a person is in the table"
    )
    reference: ClassVar[str] = "Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, ACM TKDD 1(1), 2007"
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    c: float = Field(
        gt=0, allow_inf_nan=False, description="how many times the rare values together the most frequent may occur"
    )
    l: int = Field(  # noqa: E741 - the name in the literature
        ge=1, description="rank from which values count as rare; a group needs at least this many values"
    )
    strict: bool = Field(default=True, description="refuse a group that reaches c exactly, as the definition does")

    @property
    def required(self) -> float:
        return self.c

    @property
    def largest_share(self) -> float | None:
        return self.c / (self.c + 1) if self.l >= 2 else None

    def promise(self) -> str:
        return (
            f"in every group of records that look alike, the most frequent value of {self.subject} occurs "
            f"{'less than' if self.strict else 'at most'} {self.c:g} times as often as "
            f"all values from rank {self.l} on together"
        )

    def levels(self, histogram: Histogram, sizes: IntArray) -> FloatArray:
        highest, rare = largest_and_rare(histogram, len(sizes), self.l)
        levels = np.full(len(sizes), np.inf)
        np.divide(highest, rare, out=levels, where=rare > 0)
        return levels

    def most_kept(self, histogram: Histogram, sizes: IntArray) -> IntArray:
        """Return what can be kept: no part has more from rank l on, so no value may occur over c times as often."""
        _, rare = largest_and_rare(histogram, len(sizes), self.l)
        limit = np.floor(self.c * rare * (1 + 1e-12))
        return sum_by(histogram.group, np.minimum(histogram.count, limit[histogram.group]), len(sizes)).astype(np.int64)

    def suffices(self, levels: FloatArray) -> BoolArray:
        # No tolerance is needed: a quotient of counts is rounded to the same number as the decimal it equals.
        return levels < self.c if self.strict else levels <= self.c
