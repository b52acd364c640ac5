"""Recursive (c,l)-diversity, with positive and with negative disclosure as well."""

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Histogram, sum_by
from krypsis.models.base import CELLS_PER_ENTRY, SensitiveModel
from krypsis.specs import names_of


def largest_and_rare(histogram: Histogram, group_count: int, rank: int) -> tuple[IntArray, IntArray]:
    """Return the largest count of each group, and the sum of its counts from a rank on, the most frequent being 1.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 3, "cancer": 2, "hiv": 1}, {"flu": 4}])
    >>> largest_and_rare(groups.sensitive["sensitive"], 2, rank=2)
    (array([3, 4]), array([3, 0]))
    """
    dense = group_count * len(histogram.whole) < CELLS_PER_ENTRY * len(histogram.count)
    return (_dense if dense else _sparse)(histogram, group_count, rank)


def count_at_and_from(histogram: Histogram, group_count: int, rank: int) -> tuple[IntArray, IntArray]:
    """Return the count at a rank in each group, 0 if it has fewer values, and the sum of its counts from there on.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 3, "cancer": 2, "hiv": 1}, {"flu": 4}])
    >>> count_at_and_from(groups.sensitive["sensitive"], 2, rank=2)
    (array([2, 0]), array([3, 0]))
    """
    _, here = largest_and_rare(histogram, group_count, rank)
    _, beyond = largest_and_rare(histogram, group_count, rank + 1)
    return here - beyond, here


def _dense(histogram: Histogram, group_count: int, rank: int) -> tuple[IntArray, IntArray]:
    """Take both from a table of all cells."""
    cells = np.zeros((group_count, len(histogram.whole)), dtype=np.int64)
    cells[histogram.group, histogram.value] = histogram.count
    cells.sort(axis=1)
    return cells[:, -1], cells[:, : max(cells.shape[1] - rank + 1, 0)].sum(axis=1)


def _sparse(histogram: Histogram, group_count: int, rank: int) -> tuple[IntArray, IntArray]:
    """Take both from the sorted entries.

    Group and count are packed into one integer, so that a plain sort orders both. It fits into 63 bits because the
    number of groups and the largest count are both at most the number of records.
    """
    most = int(histogram.count.max(initial=0))
    bits = most.bit_length()
    keys = (histogram.group << bits) | (most - histogram.count)
    keys.sort()
    counts = most - (keys & ((1 << bits) - 1))
    cumulated = np.append(0, np.cumsum(counts))
    entries = np.bincount(histogram.group, minlength=group_count)
    end = np.cumsum(entries)
    start = end - entries
    return np.append(counts, 0)[start], cumulated[end] - cumulated[np.minimum(start + rank - 1, end)]


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
