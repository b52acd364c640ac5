"""Metrics that weigh generalization against suppression."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from krypsis.metrics.base import Metric


class FactoredMetric(Metric):
    """Adds what generalization costs and what suppression costs, each by its factor."""

    generalization: float = Field(default=1.0, ge=0, le=1, description="how much the loss by generalization counts")
    suppression: float = Field(default=1.0, ge=0, le=1, description="how much the loss by suppression counts")

    @model_validator(mode="after")
    def _check_factors(self) -> Self:
        if not self.generalization and not self.suppression:
            raise ValueError(
                f"generalization and suppression of {self.name} are both 0, so every table would cost nothing; "
                "give one of them a positive factor"
            )
        return self
