"""Relative height."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from krypsis.data.recoding import Outcome
from krypsis.metrics.base import Metric
from krypsis.metrics.height import highest_steps


class RelativeHeight(Metric):
    """How much of their hierarchies the attributes have climbed, summed over the attributes.

    Notes
    -----
    Samarati's criterion of minimum relative distance: a step in a low hierarchy loses more than one in a high one.
    Suppression costs nothing, so limit it. An attribute whose hierarchy has no levels costs nothing.

    References
    ----------
    Samarati, "Protecting respondents' identities in microdata release", TKDE 13(6), 2001 (minimum relative distance).
    """

    name: ClassVar[str] = "relative-height"
    aliases: ClassVar[tuple[str, ...]] = ("relative-distance",)
    counts_levels: ClassVar[bool] = True
    formula: ClassVar[str] = "∑ᵢ wᵢ · level / height of the hierarchy"
    range: ClassVar[str] = "0 (unchanged) to the number of attributes (all at their top)"
    sentence: ClassVar[str] = "how many attributes' worth of hierarchy was climbed, all together"
    reference: ClassVar[str] = "Samarati, Protecting respondents' identities in microdata release, TKDE 13(6), 2001"

    def best(self, outcome: Outcome) -> float:  # noqa: ARG002
        return 0.0

    def worst(self, outcome: Outcome) -> float:
        return float(outcome.frequency.attribute_weights.sum())

    def compute(self, outcome: Outcome) -> float:
        shares = highest_steps(outcome) / np.maximum(outcome.frequency.heights, 1)
        return float(shares @ outcome.frequency.attribute_weights)
