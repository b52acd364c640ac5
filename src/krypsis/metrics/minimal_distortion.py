"""Minimal distortion."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from krypsis.data.recoding import Outcome
from krypsis.metrics.base import Metric
from krypsis.metrics.precision import Precision


class MinimalDistortion(Metric):
    """How many levels the values were moved up, summed over all cells.

    Notes
    -----
    One unit for each cell and each level. A suppressed cell costs the height of its hierarchy, as if it had been moved
    to the top.

    References
    ----------
    Samarati, "Protecting respondents' identities in microdata release", TKDE 13(6), 2001; Sweeney, "Achieving
    k-anonymity privacy protection using generalization and suppression", IJUFKS 10(5), 2002 (minimal distortion).
    """

    name: ClassVar[str] = "minimal-distortion"
    aliases: ClassVar[tuple[str, ...]] = ("md",)
    counts_levels: ClassVar[bool] = True
    formula: ClassVar[str] = "∑ over cells of wᵢ · level; a suppressed cell costs wᵢ · height of the hierarchy"
    range: ClassVar[str] = "0 (unchanged) to records · ∑ heights"
    sentence: ClassVar[str] = "how many single steps of generalization were made, counting every cell"
    reference: ClassVar[str] = (
        "Sweeney, Achieving k-anonymity privacy protection using generalization and suppression, IJUFKS 10(5), 2002"
    )

    def best(self, outcome: Outcome) -> float:  # noqa: ARG002
        return 0.0

    def worst(self, outcome: Outcome) -> float:
        return float(np.array(outcome.frequency.heights) @ outcome.frequency.attribute_weights) * outcome.rows

    def compute(self, outcome: Outcome) -> float:
        steps = outcome.mean_penalties(Precision.penalty) * outcome.frequency.heights * outcome.rows
        return float(steps @ outcome.frequency.attribute_weights)
