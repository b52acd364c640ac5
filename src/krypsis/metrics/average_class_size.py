"""Average size of a group, absolute and relative to k."""

from collections.abc import Iterable
from typing import ClassVar, Self

from pydantic import Field

from krypsis.data.recoding import FrequencySet, LevelsOutcome, Outcome
from krypsis.metrics.base import Metric
from krypsis.models.base import PrivacyModel


class NormalizedAverageClassSize(Metric):
    """How many times larger than ``k`` the published groups are on average.

    Notes
    -----
    ``k`` is the largest that is promised, by ``k-anonymity`` or ``alpha-k-anonymity``. A release that promises none is
    not measured by it; ``average-class-size`` then says how large its groups are.

    Only published records count, so read it together with the share suppressed: leaving out large groups makes the
    figure smaller. For that reason a range of recodings is bounded by the smallest group that may survive at its lowest
    levels: every group above it holds at least one such group whole. With nothing published it is at its worst.

    References
    ----------
    LeFevre et al., "Mondrian multidimensional k-anonymity", ICDE 2006, section 2.2.
    """

    name: ClassVar[str] = "normalized-average-class-size"
    best_needs_tuples: ClassVar[bool] = True
    aliases: ClassVar[tuple[str, ...]] = ("cavg",)
    formula: ClassVar[str] = "published records / (groups · k)"
    range: ClassVar[str] = "1 (every group has k records) to records / k; below 1 if groups are smaller than k"
    sentence: ClassVar[str] = "1 means groups are no larger than k asks for, 3 that they are three times as large"
    reference: ClassVar[str] = "LeFevre et al., Mondrian multidimensional k-anonymity, ICDE 2006"

    k: int | None = Field(
        default=None,
        ge=1,
        description="the smallest group that is wanted; the largest k that is promised unless given, and 1 without any",
    )

    @property
    def wanted(self) -> int:
        """The size that groups are compared with."""
        return self.k or 1

    def promised(self, models: Iterable[PrivacyModel]) -> Self:
        sizes = [model.promised_size for model in models if model.promised_size is not None]
        return self if self.k is not None or not sizes else self.model_copy(update={"k": max(sizes)})

    def applies_to(self, frequency: FrequencySet) -> bool:  # noqa: ARG002
        """Say whether a size is named: without one, the figure would only repeat the average size of groups."""
        return self.k is not None

    def best(self, outcome: Outcome) -> float:
        return outcome.rows / (len(outcome.frequency.counts) * self.wanted)

    def worst(self, outcome: Outcome) -> float:
        return outcome.rows / self.wanted

    def compute(self, outcome: Outcome) -> float:
        if not outcome.group_count:
            return self.worst(outcome)
        return (outcome.rows - outcome.suppressed) / (outcome.group_count * self.wanted)

    def lower_bound(self, outcome: LevelsOutcome, highest: tuple[int, ...]) -> float:  # noqa: ARG002
        return float(outcome.kept_sizes.min()) / self.wanted if outcome.group_count else self.worst(outcome)


class AverageClassSize(Metric):
    """The number of records per group; all suppressed records together count as one group.

    Notes
    -----
    LeFevre's normalized ``CAVG`` is this figure divided by ``k``. For a range of recodings the bound counts the groups
    at its lowest levels: merging groups never makes more, and suppressing some of them costs at least one.

    References
    ----------
    LeFevre et al., "Mondrian multidimensional k-anonymity", ICDE 2006, section 2.2.
    """

    name: ClassVar[str] = "average-class-size"
    best_needs_tuples: ClassVar[bool] = True
    aliases: ClassVar[tuple[str, ...]] = ("aecs",)
    formula: ClassVar[str] = "records / (groups + 1 if any record is suppressed)"
    range: ClassVar[str] = "records per original group to records"
    sentence: ClassVar[str] = "how many records share one combination of values on average"
    reference: ClassVar[str] = "LeFevre et al., Mondrian multidimensional k-anonymity, ICDE 2006"

    def best(self, outcome: Outcome) -> float:
        return outcome.rows / len(outcome.frequency.counts)

    def worst(self, outcome: Outcome) -> float:
        return float(outcome.rows)

    def compute(self, outcome: Outcome) -> float:
        return outcome.rows / max(outcome.group_count + (outcome.suppressed > 0), 1)
