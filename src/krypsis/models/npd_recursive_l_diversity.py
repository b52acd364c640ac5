"""Negative and positive disclosure recursive (c1,c2,l)-diversity."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Histogram
from krypsis.models.base import SensitiveModel
from krypsis.models.pd_recursive_l_diversity import Values, dominance, most_kept_hidden


class NpdRecursiveLDiversity(SensitiveModel):
    """In every group no hidden value dominates, and each protected value belongs to at least ``c2`` percent of it.

    Notes
    -----
    Two promises in one: pd-recursive (c1,l)-diversity, so that nobody learns that a person has a value, and, so that
    nobody learns that a person does *not* have one, every ``protected`` value occurs in at least ``c2`` percent of the
    records of every group. The level of a group is that of pd-recursive diversity, infinite where a protected value is
    too rare. A protected value that is nowhere in the table makes the promise impossible unless ``c2`` is 0.

    It is monotone: pd-recursive diversity is, and the share of a value in a union is at least the smaller one of its
    parts.

    References
    ----------
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", ACM TKDD 1(1), 2007,
    Definition 4.4.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 2, "hiv": 1, "cold": 2}, {"flu": 5, "hiv": 1, "cold": 5}])
    >>> NpdRecursiveLDiversity(c1=2, c2=10, l=2, protected=("hiv",)).accepts(groups)
    array([ True, False])
    """

    name: ClassVar[str] = "npd-recursive-l-diversity"
    protects_from: ClassVar[str] = (
        "learning a person's sensitive value because it dominates the group, also after l - 2 values were ruled out, "
        "and learning that a person does not have a protected value"
    )
    does_not_protect_from: ClassVar[str] = (
        "learning one of the allowed values, learning that a person does not have a value that is not protected, "
        "values that are alike in meaning (similarity), and groups whose shares are far from those of the whole table"
    )
    reference: ClassVar[str] = "Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, ACM TKDD 1(1), 2007"
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    c1: float = Field(
        gt=0, allow_inf_nan=False, description="how many times the rare values together the most frequent may occur"
    )
    c2: float = Field(ge=0, le=100, description="percentage of each group that has each protected value at least")
    l: int = Field(ge=2, description="rank from which values count as rare")  # noqa: E741 - the name in the literature
    allowed: Values = Field(default=(), description="sensitive values that everybody may learn about a person")
    protected: Values = Field(default=(), description="sensitive values that nobody may be known not to have")
    strict: bool = Field(default=True, description="refuse a group that reaches c1 exactly, as the definition does")

    @property
    def required(self) -> float:
        return self.c1

    def promise(self) -> str:
        but = f" other than {', '.join(self.allowed)}" if self.allowed else ""
        present = (
            f", and {self.c2:g} % or more of each group have {', '.join(self.protected)}" if self.protected else ""
        )
        return (
            f"in every group of records that look alike, the most frequent value of {self.subject}{but} occurs "
            f"{'less than' if self.strict else 'at most'} {self.c1:g} times as often as "
            f"all values together that are left when {self.l - 2} others are ruled out{present}"
        )

    def levels(self, histogram: Histogram, sizes: IntArray) -> FloatArray:
        levels = dominance(histogram, len(sizes), self.l, self.allowed)
        return np.where(100 * self._scarcest(histogram, sizes) / np.maximum(sizes, 1) < self.c2, np.inf, levels)

    def most_kept(self, histogram: Histogram, sizes: IntArray) -> IntArray:
        kept = most_kept_hidden(histogram, len(sizes), self.c1, self.l, self.allowed)
        if not self.c2:
            return kept
        # Of n records at least c2 percent have a protected value of which there are ``scarcest``
        most = np.minimum(sizes, self._scarcest(histogram, sizes) * (100 / self.c2) * (1 + 1e-12) + 1e-9)
        return np.asarray(np.minimum(kept, np.floor(most).astype(np.int64)))

    def suffices(self, levels: FloatArray) -> BoolArray:
        # No tolerance is needed: a quotient of counts is rounded to the same number as the decimal it equals.
        return levels < self.c1 if self.strict else levels <= self.c1

    def _scarcest(self, histogram: Histogram, sizes: IntArray) -> IntArray:
        """Return for each group the count of the protected value it has least of, all its records if none is."""
        scarcest = sizes.copy()
        for value in self.protected:
            chosen = np.isin(histogram.value, histogram.domain.codes_of(value))
            counts = np.zeros_like(sizes)
            counts[histogram.group[chosen]] = histogram.count[chosen]
            scarcest = np.minimum(scarcest, counts)
        return scarcest
