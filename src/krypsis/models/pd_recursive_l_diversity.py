"""Positive-disclosure recursive (c,l)-diversity."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Histogram, sum_by
from krypsis.models.base import SensitiveModel
from krypsis.models.ranks import count_at_and_from
from krypsis.specs import names_of

Values = Annotated[tuple[str, ...], BeforeValidator(names_of)]
"""Sensitive values, also as one text with commas between."""


class PdRecursiveLDiversity(SensitiveModel):
    """In every group the most frequent value that must stay hidden is rarer than ``c`` times the rare values together.

    Notes
    -----
    Values that everybody may learn, such as "healthy", are ``allowed``; recursive (c,l)-diversity is asked of all
    others. With the counts of a group in descending order, the most frequent value that is not allowed at rank ``y``
    (before allowed ones as frequent), ``f(y) < c · (f(l) + … + f(m))`` if ``y < l``, and otherwise ``f(y) < c · (f(l-1)
    + … + f(m) - f(y))``. Both say: whoever rules out the ``l - 2`` most frequent other values is left with others that
    together are more than ``1/c`` times as frequent. A group of allowed values alone is accepted. The level of a group
    is the ``c`` it just misses: lower is better, infinite if nothing is left to hide among. Without allowed values it
    is recursive (c,l)-diversity. A missing value is never allowed.

    It is monotone. For a value ``s`` write ``g(s) = c · rest(s) - f(s)``, where ``rest(s)`` is the sum of the other
    counts without the ``l - 2`` largest. The condition at ``y`` is the strictest, so it says that ``g(s) > 0`` for
    every value of the group that is not allowed. ``rest`` is the least of sums over sets of values, so it is
    superadditive, and so is ``g``: in a union ``g(s)`` is at least the sum of both parts, of which one that has ``s``
    is above 0 and one that has not is at least 0.

    References
    ----------
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", ACM TKDD 1(1), 2007,
    Definition 4.3.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"healthy": 8, "flu": 1, "hiv": 1}, {"healthy": 1, "flu": 8, "hiv": 1}])
    >>> PdRecursiveLDiversity(c=2, l=2, allowed=("healthy",)).accepts(groups)
    array([ True, False])
    """

    name: ClassVar[str] = "pd-recursive-l-diversity"
    protects_from: ClassVar[str] = (
        "learning a person's sensitive value because it dominates the group, also after l - 2 values were ruled out; "
        "values that everybody may learn do not count"
    )
    does_not_protect_from: ClassVar[str] = (
        "learning one of the allowed values, learning that a person does not have a value, values that are alike in "
        "meaning (similarity), and groups whose shares are far from those of the whole table (skewness)"
    )
    reference: ClassVar[str] = "Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, ACM TKDD 1(1), 2007"
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    c: float = Field(
        gt=0, allow_inf_nan=False, description="how many times the rare values together the most frequent may occur"
    )
    l: int = Field(ge=2, description="rank from which values count as rare")  # noqa: E741 - the name in the literature
    allowed: Values = Field(default=(), description="sensitive values that everybody may learn about a person")
    strict: bool = Field(default=True, description="refuse a group that reaches c exactly, as the definition does")

    @property
    def required(self) -> float:
        return self.c

    def promise(self) -> str:
        but = f" other than {', '.join(self.allowed)}" if self.allowed else ""
        return (
            f"in every group of records that look alike, the most frequent value of {self.subject}{but} occurs "
            f"{'less than' if self.strict else 'at most'} {self.c:g} times as often as "
            f"all values together that are left when {self.l - 2} others are ruled out"
        )

    def levels(self, histogram: Histogram, sizes: IntArray) -> FloatArray:
        return dominance(histogram, len(sizes), self.l, self.allowed)

    def most_kept(self, histogram: Histogram, sizes: IntArray) -> IntArray:
        return most_kept_hidden(histogram, len(sizes), self.c, self.l, self.allowed)

    def suffices(self, levels: FloatArray) -> BoolArray:
        # No tolerance is needed: a quotient of counts is rounded to the same number as the decimal it equals.
        return levels < self.c if self.strict else levels <= self.c


def dominance(histogram: Histogram, group_count: int, rank: int, allowed: tuple[str, ...]) -> FloatArray:
    """Return, for each group, how many times the rest the most frequent value occurs that is not allowed.

    The rest are the other values without the ``rank - 2`` most frequent ones. 0 if there is no such value.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"healthy": 8, "flu": 3, "hiv": 1}])
    >>> dominance(groups.sensitive["sensitive"], 1, 3, ("healthy",))
    array([3.])
    """
    hidden = ~_are(allowed, histogram)
    highest = np.zeros(group_count, dtype=np.int64)
    np.maximum.at(highest, histogram.group[hidden], histogram.count[hidden])
    at, onward = count_at_and_from(histogram, group_count, rank - 1)
    # Of the values up to rank - 1 one is left in: the value itself, if it is among them, else the last.
    rest = onward - np.minimum(highest, at)
    levels = np.where(highest > 0, np.inf, 0)
    np.divide(highest, rest, out=levels, where=rest > 0)
    return levels


def most_kept_hidden(histogram: Histogram, group_count: int, c: float, rank: int, allowed: tuple[str, ...]) -> IntArray:
    """Return what can be kept of each group: no part has a larger rest than all, so no value occurs over c times it."""
    at, onward = count_at_and_from(histogram, group_count, rank - 1)
    rest = onward[histogram.group] - np.minimum(histogram.count, at[histogram.group])
    limit = np.where(_are(allowed, histogram), histogram.count, np.floor(c * rest * (1 + 1e-12)))
    return sum_by(histogram.group, np.minimum(histogram.count, limit), group_count).astype(np.int64)


def _are(values: tuple[str, ...], histogram: Histogram) -> BoolArray:
    """Say for each entry whether its value is one of these."""
    codes = [code for value in values for code in histogram.domain.codes_of(value)]
    return np.isin(histogram.value, codes)
