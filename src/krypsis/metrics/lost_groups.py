"""Share of different combinations that is gone."""

from typing import ClassVar

from krypsis.data.recoding import Outcome
from krypsis.metrics.base import Metric


class LostGroups(Metric):
    """The share of the different combinations of values in the original table that has no counterpart any more.

    Notes
    -----
    Samarati's criterion of maximum distribution prefers the table with most distinct tuples; as a loss, that is the
    share of them that is gone. Suppressed groups are gone too.

    References
    ----------
    Samarati, "Protecting respondents' identities in microdata release", TKDE 13(6), 2001 (maximum distribution).
    """

    name: ClassVar[str] = "lost-groups"
    needs_tuples: ClassVar[bool] = True
    aliases: ClassVar[tuple[str, ...]] = ("distinct-groups", "maximum-distribution")
    needs_original: ClassVar[bool] = True
    formula: ClassVar[str] = "1 − groups / distinct original tuples"
    range: ClassVar[str] = "0 (all combinations kept apart) to 1 (nothing published)"
    sentence: ClassVar[str] = "the share of the different combinations that was merged into others or left out"
    reference: ClassVar[str] = "Samarati, Protecting respondents' identities in microdata release, TKDE 13(6), 2001"

    def best(self, outcome: Outcome) -> float:  # noqa: ARG002
        return 0.0

    def worst(self, outcome: Outcome) -> float:  # noqa: ARG002
        return 1.0

    def compute(self, outcome: Outcome) -> float:
        return 1 - outcome.group_count / len(outcome.frequency.counts)
