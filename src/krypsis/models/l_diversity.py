"""l-diversity by distinct values, by entropy, and by the share of the most frequent value."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Histogram, sum_by
from krypsis.models.base import TOLERANCE, SensitiveModel
from krypsis.models.shares import largest_counts, most_kept


class DistinctLDiversity(SensitiveModel):
    """Every group holds at least ``l`` different sensitive values.

    Notes
    -----
    A missing sensitive value is a value of its own. The promise implies k-anonymity with ``k = l``.

    References
    ----------
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", ACM TKDD 1(1), 2007.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 2, "cancer": 1}, {"flu": 3}])
    >>> DistinctLDiversity(l=2).accepts(groups)
    array([ True, False])
    """

    name: ClassVar[str] = "distinct-l-diversity"
    aliases: ClassVar[tuple[str, ...]] = ("l-diversity",)
    protects_from: ClassVar[str] = (
        "learning a person's sensitive value because everybody in the group shares it (homogeneity)"
    )
    does_not_protect_from: ClassVar[str] = (
        "probable guesses when one value dominates its group, values that differ in name and are alike in meaning "
        "(similarity), background knowledge that rules values out, and learning that a person is in the table"
    )
    reference: ClassVar[str] = "Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, ACM TKDD 1(1), 2007"
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = True
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    l: int = Field(  # noqa: E741 - the name in the literature
        ge=1, description="smallest number of different sensitive values in a group"
    )

    @property
    def required(self) -> float:
        return float(self.l)

    def promise(self) -> str:
        return f"every group of records that look alike holds at least {self.l} different values of {self.subject}"

    def levels(self, histogram: Histogram, sizes: IntArray) -> FloatArray:
        return np.bincount(histogram.group, minlength=len(sizes)).astype(np.float64)

    def suffices(self, levels: FloatArray) -> BoolArray:
        return levels >= self.l


class EntropyLDiversity(SensitiveModel):
    """In every group the sensitive values are as uncertain as ``l`` equally frequent values.

    Notes
    -----
    The entropy ``-Σ p(s) log p(s)`` of each group is at least ``log l``; the level of a group is ``exp(entropy)``, so
    that a group of ``l`` equally frequent values has the level ``l``. No group can exceed the entropy of the whole
    table by much once all are merged: where one value dominates the table, only a small ``l`` can be reached.

    References
    ----------
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", ACM TKDD 1(1), 2007,
    Definition 4.1.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 1, "cancer": 1}, {"flu": 3, "cancer": 1}])
    >>> EntropyLDiversity(l=2).accepts(groups)
    array([ True, False])
    """

    name: ClassVar[str] = "entropy-l-diversity"
    protects_from: ClassVar[str] = (
        "learning a person's sensitive value because the group shares it or because one value dominates the group"
    )
    does_not_protect_from: ClassVar[str] = (
        "values that differ in name and are alike in meaning (similarity), groups whose shares are far from those of "
        "the whole table (skewness), and learning that a person is in the table; it states no risk in percent"
    )
    reference: ClassVar[str] = "Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, ACM TKDD 1(1), 2007"
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    l: float = Field(  # noqa: E741 - the name in the literature
        ge=1, allow_inf_nan=False, description="number of equally frequent values a group must be as uncertain as"
    )

    @property
    def required(self) -> float:
        return self.l

    def promise(self) -> str:
        return (
            f"in every group of records that look alike, the values of {self.subject} "
            f"are as uncertain as {self.l:g} equally frequent values"
        )

    def levels(self, histogram: Histogram, sizes: IntArray) -> FloatArray:
        # entropy = log n - (Σ c log c) / n: one logarithm per entry, and none of the shares is needed
        weighted = sum_by(histogram.group, histogram.count * np.log(histogram.count), len(sizes))
        filled = np.maximum(sizes, 1)
        return np.exp(np.log(filled) - weighted / filled) * (sizes > 0)

    def suffices(self, levels: FloatArray) -> BoolArray:
        return levels >= self.l * (1 - TOLERANCE)


class GrassbergerLDiversity(SensitiveModel):
    """Every group has ``l`` different sensitive values and comes from a source as uncertain as ``l`` equal values.

    Notes
    -----
    The entropy of the few records of a group is below that of the source they come from. Grassberger's estimate
    corrects this: ``G(n) - Σ c·G(c) / n`` for the counts ``c`` of a group of ``n`` records, where ``G(1) = -γ - ln 2``
    and ``G(2k) = G(2k + 1) = -γ - ln 2 + 2/1 + 2/3 + … + 2/(2k - 1)`` takes the place of the logarithm. So small groups
    are accepted that entropy l-diversity refuses. As even two values may reach any small ``l``, ``l`` different values
    are asked for besides. The level of a group is the smaller one of ``exp(estimate)`` and the number of its values.

    It is not monotone, unlike entropy l-diversity, which is why it is a model of its own: two groups of the counts 1
    and 1 have the estimate 2, their union 2/3, so for ``l = 2`` both are accepted and the union is not.

    References
    ----------
    Stammler, Katzenbeisser, Hamacher, "Correcting finite sampling issues in entropy l-diversity", PSD 2016.
    Grassberger, "Entropy estimates from insufficient samplings", arXiv:physics/0307138, 2003.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 1, "cancer": 1}, {"flu": 2, "cancer": 2}])
    >>> GrassbergerLDiversity(l=2).accepts(groups)
    array([ True, False])
    """

    name: ClassVar[str] = "grassberger-l-diversity"
    aliases: ClassVar[tuple[str, ...]] = ("grassberger-entropy-l-diversity",)
    protects_from: ClassVar[str] = (
        "learning a person's sensitive value because the group shares it or because one value dominates the group, "
        "where the group is seen as a sample of people like these"
    )
    does_not_protect_from: ClassVar[str] = (
        "a value that is frequent among the few records of a small group, values that are alike in meaning "
        "(similarity), groups whose shares are far from those of the whole table (skewness), and learning that a "
        "person is in the table"
    )
    reference: ClassVar[str] = "Stammler et al., Correcting finite sampling issues in entropy l-diversity, PSD 2016"
    monotone: ClassVar[bool] = False
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    l: float = Field(  # noqa: E741 - the name in the literature
        ge=1, allow_inf_nan=False, description="number of equally frequent values a group must be as uncertain as"
    )

    @property
    def required(self) -> float:
        return self.l

    def promise(self) -> str:
        return (
            f"every group of records that look alike has at least {self.l:g} different values of {self.subject}, and "
            f"as a sample its values are as uncertain as {self.l:g} equally frequent ones"
        )

    def levels(self, histogram: Histogram, sizes: IntArray) -> FloatArray:
        weighted = sum_by(histogram.group, histogram.count * _corrected_log(histogram.count), len(sizes))
        filled = np.maximum(sizes, 1)
        different = np.bincount(histogram.group, minlength=len(sizes))
        return np.minimum(np.exp(_corrected_log(filled) - weighted / filled), different)

    def suffices(self, levels: FloatArray) -> BoolArray:
        return levels >= self.l * (1 - TOLERANCE)


def _corrected_log(counts: IntArray) -> FloatArray:
    """Return ``G``, by the digamma function: ``ψ(k + ½) = -γ - 2 ln 2 + 2/1 + 2/3 + … + 2/(2k - 1)``."""
    from scipy.special import digamma  # noqa: PLC0415  it takes long to load and few promises need it

    return np.asarray(digamma(counts // 2 + 0.5) + np.log(2), dtype=np.float64)


class FrequencyLDiversity(SensitiveModel):
    """In every group the most frequent sensitive value belongs to at most 1 in ``l`` records.

    Notes
    -----
    The level of a group is the number of its records divided by the count of its most frequent value. A missing
    sensitive value is a value of its own. The promise implies distinct and entropy l-diversity with the same ``l``.

    References
    ----------
    Xiao, Tao, "Anatomy: simple and effective privacy preservation", VLDB 2006, Definition 2.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 2, "cancer": 2}, {"flu": 2, "cancer": 1}])
    >>> FrequencyLDiversity(l=2).accepts(groups)
    array([ True, False])
    """

    name: ClassVar[str] = "frequency-l-diversity"
    protects_from: ClassVar[str] = (
        "guessing a person's sensitive value from the group: at best 1 in l such guesses is right"
    )
    does_not_protect_from: ClassVar[str] = (
        "values that differ in name and are alike in meaning (similarity), background knowledge that rules values out, "
        "groups whose shares are far from those of the whole table (skewness), and learning that somebody is in the "
        "table"
    )
    reference: ClassVar[str] = "Xiao, Tao, Anatomy: simple and effective privacy preservation, VLDB 2006"
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    l: int = Field(  # noqa: E741 - the name in the literature
        ge=1, description="no sensitive value may belong to more than 1 in so many records of a group"
    )

    @property
    def required(self) -> float:
        return float(self.l)

    @property
    def largest_share(self) -> float | None:
        return 1 / self.l if self.l >= 2 else None

    def promise(self) -> str:
        return (
            f"in every group of records that look alike, each value of {self.subject} "
            f"belongs to at most 1 in {self.l} records"
        )

    def levels(self, histogram: Histogram, sizes: IntArray) -> FloatArray:
        return np.asarray(sizes / np.maximum(largest_counts(histogram, len(sizes)), 1), dtype=np.float64)

    def most_kept(self, histogram: Histogram, sizes: IntArray) -> IntArray:
        return most_kept(histogram, sizes, 1 / self.l)

    def suffices(self, levels: FloatArray) -> BoolArray:
        # Exact without a tolerance: a quotient of two counts that is below a whole number is not rounded up to it.
        return levels >= self.l
