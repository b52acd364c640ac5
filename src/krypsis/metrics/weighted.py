"""Several metrics as one sum."""

from __future__ import annotations

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
