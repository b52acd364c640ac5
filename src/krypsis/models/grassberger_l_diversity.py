"""Entropy l-diversity with the entropy that small groups are drawn from."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Histogram, sum_by
from krypsis.models.base import TOLERANCE, SensitiveModel


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
