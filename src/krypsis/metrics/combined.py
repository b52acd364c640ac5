"""Several metrics at once: weighted, or in order of preference."""

from functools import cached_property
from typing import ClassVar

from pydantic import Field, field_validator

from krypsis.data.recoding import LevelsOutcome, Outcome
from krypsis.metrics.base import Metric, metric_of


class Weighted(Metric):
    """The mean of several metrics by weight, each taken from 0 (its best value) to 1 (its worst).

    References
    ----------
    Marler and Arora, "The weighted sum method for multi-objective optimization: new insights", Structural and
    Multidisciplinary Optimization 41, 2010.

    Examples
    --------
    >>> [(metric.name, weight) for metric, weight in Weighted(parts="loss*3+discernibility").members]
    [('loss', 0.75), ('discernibility', 0.25)]
    """

    name: ClassVar[str] = "weighted"
    needs_tuples: ClassVar[bool] = True
    reported: ClassVar[bool] = False
    needs_original: ClassVar[bool] = True
    formula: ClassVar[str] = "∑ w · (metric − best)/(worst − best) / ∑ w"
    range: ClassVar[str] = "0 (all at their best) to 1 (all at their worst)"
    sentence: ClassVar[str] = "one number for several kinds of loss, by the weight you give each"
    reference: ClassVar[str] = (
        "Marler and Arora, The weighted sum method for multi-objective optimization, SMO 41, 2010"
    )

    parts: str = Field(default="loss", description="metrics joined by +, each with its weight as in loss*3+ncp")

    @field_validator("parts")
    @classmethod
    def _readable(cls, parts: str) -> str:
        _members(parts)
        return parts

    @cached_property
    def members(self) -> tuple[tuple[Metric, float], ...]:
        """The metrics with their weights, which add up to 1."""
        return _members(self.parts)

    def best(self, outcome: Outcome) -> float:  # noqa: ARG002
        return 0.0

    def worst(self, outcome: Outcome) -> float:  # noqa: ARG002
        return 1.0

    def compute(self, outcome: Outcome) -> float:
        return sum(weight * _place(metric, metric.compute(outcome), outcome) for metric, weight in self.members)

    def lower_bound(self, outcome: LevelsOutcome, highest: tuple[int, ...]) -> float:
        return sum(
            weight * _place(metric, metric.lower_bound(outcome, highest), outcome) for metric, weight in self.members
        )


def _members(parts: str) -> tuple[tuple[Metric, float], ...]:
    found = []
    for part in parts.split("+"):
        name, _, weight = part.rpartition("*")
        if not (name and weight.strip()):  # no weight is given; a name may end with a star, such as dm*
            name, weight = part, ""
        found.append((metric_of(name), _number(weight, part)))
    total = sum(weight for _, weight in found)
    if not 0 < total < float("inf") or any(weight < 0 for _, weight in found):
        raise ValueError(f"{parts!r}: weights must not be negative and must not all be 0")
    return tuple((metric, weight / total) for metric, weight in found)


def _number(text: str, part: str) -> float:
    try:
        return float(text or 1)
    except ValueError:
        raise ValueError(f"{part!r}: expected a metric and its weight, such as loss*3") from None


def _place(metric: Metric, value: float, outcome: Outcome) -> float:
    """Return where a value lies between best and worst of its metric."""
    best, worst = metric.best(outcome), metric.worst(outcome)
    return (value - best) / (worst - best) if worst > best else 0.0


class Lexicographic(Metric):
    """Prefers what is best by the first metric, among those what is best by the second, and so on.

    Notes
    -----
    Samarati's preferences among k-minimal tables are such orders: ``height`` (minimum absolute distance),
    ``relative-height`` (minimum relative distance), ``lost-groups`` (maximum distribution) and ``suppressed-share``
    (minimum suppression), in any order. The score shown is that of the first metric.

    References
    ----------
    Samarati, "Protecting respondents' identities in microdata release", TKDE 13(6), 2001, section 4.

    Examples
    --------
    >>> [metric.name for metric in Lexicographic(order="suppressed-share+loss").criteria]
    ['suppressed-share', 'loss']
    """

    name: ClassVar[str] = "lexicographic"
    needs_tuples: ClassVar[bool] = True
    reported: ClassVar[bool] = False
    needs_original: ClassVar[bool] = True
    formula: ClassVar[str] = "the first metric; among equals the second; and so on"
    range: ClassVar[str] = "that of the first metric"
    sentence: ClassVar[str] = "what matters most is settled first, the rest only among equals"
    reference: ClassVar[str] = "Samarati, Protecting respondents' identities in microdata release, TKDE 13(6), 2001"

    order: str = Field(default="suppressed-share+loss", description="metrics joined by +, the most important first")

    @field_validator("order")
    @classmethod
    def _known(cls, order: str) -> str:
        for name in order.split("+"):
            metric_of(name)
        return order

    @cached_property
    def criteria(self) -> tuple[Metric, ...]:
        return tuple(metric_of(name) for name in self.order.split("+"))

    def best(self, outcome: Outcome) -> float:
        return self.criteria[0].best(outcome)

    def worst(self, outcome: Outcome) -> float:
        return self.criteria[0].worst(outcome)

    def compute(self, outcome: Outcome) -> float:
        return self.criteria[0].compute(outcome)

    def lower_bound(self, outcome: LevelsOutcome, highest: tuple[int, ...]) -> float:
        return self.criteria[0].lower_bound(outcome, highest)
