"""Height: absolute, and relative to the hierarchies."""

from typing import ClassVar, cast

import numpy as np

from krypsis.arrays import FloatArray
from krypsis.data.recoding import CellsOutcome, LevelsOutcome, Outcome
from krypsis.metrics.base import Metric


def highest_steps(outcome: Outcome) -> FloatArray:
    """Return for each attribute how many levels its most general published value was moved up."""
    if isinstance(outcome, LevelsOutcome):
        return np.array(outcome.levels, dtype=np.float64)
    return highest_climbed(cast("CellsOutcome", outcome)) * outcome.frequency.heights


def highest_climbed(outcome: CellsOutcome) -> FloatArray:
    """Return for each attribute the largest share of its hierarchy that a published value has climbed."""
    recoding = outcome.recoding
    # With every record suppressed nothing is published; then what would have been published counts.
    published = ~recoding.suppressed if outcome.group_count else np.ones_like(recoding.suppressed)
    columns = recoding.released[published].T
    return np.array(
        [book.climbed[column].max() for book, column in zip(recoding.codebooks, columns, strict=True)],
    )


class Height(Metric):
    """How many steps up the release is in the lattice of levels: the sum of the levels of all attributes.

    Notes
    -----
    Samarati's criterion of minimum absolute distance. Suppression costs nothing, so limit it. Where cells of one
    attribute are at different levels, the highest counts: that is the lowest full-domain node that covers the release.

    References
    ----------
    Samarati, "Protecting respondents' identities in microdata release", TKDE 13(6), 2001 (minimum absolute distance).
    """

    name: ClassVar[str] = "height"
    aliases: ClassVar[tuple[str, ...]] = ("absolute-distance",)
    counts_levels: ClassVar[bool] = True
    formula: ClassVar[str] = "∑ᵢ wᵢ · level"
    range: ClassVar[str] = "0 (unchanged) to the sum of the heights of all hierarchies"
    sentence: ClassVar[str] = "how many levels the attributes were moved up, all together"
    reference: ClassVar[str] = "Samarati, Protecting respondents' identities in microdata release, TKDE 13(6), 2001"

    def best(self, outcome: Outcome) -> float:  # noqa: ARG002
        return 0.0

    def worst(self, outcome: Outcome) -> float:
        return float(np.array(outcome.frequency.heights) @ outcome.frequency.attribute_weights)

    def compute(self, outcome: Outcome) -> float:
        return float(highest_steps(outcome) @ outcome.frequency.attribute_weights)


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
