"""How a table was made by chance: what a release publishes about the mechanism, for promises about chances."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from krypsis.hierarchies.base import Label

NoiseName = Literal["discrete Laplace", "discrete Gaussian"]


class Spending(BaseModel):
    """A part of the budget of differential privacy, and the noise that it was spent on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    what: str
    noise: NoiseName
    sensitivity: float = Field(gt=0)
    """By how much one person changes what the noise is added to, at most."""
    scale: float = Field(gt=0)
    """Of Laplace noise its scale, of Gaussian noise its variance."""
    epsilon: float = Field(gt=0)
    delta: float = Field(default=0, ge=0, lt=1)


class MechanismRecord(BaseModel):
    """What a release tells about the way it was made. Nothing of it depends on the data."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    publishes: Literal["counts", "records", "tuples", "sample"]
    """Noisy counts of all combinations of values, records drawn from these, combinations that may be in the data, or a
    sample of the records."""
    unit: str
    """What is protected: one record, or one person with so many records."""
    domains: dict[str, tuple[Label, ...]]
    """Column → every value that it could have, as it would be published; declared, not found in the data."""
    count_column: str | None = None
    nonnegative: bool = False
    spent: tuple[Spending, ...] = ()
    chances: dict[str, float] = Field(default_factory=dict)
    """The chances of a mechanism by name."""
    smallest_group: int = Field(default=1, ge=1)
    """How many records of a sample share each published combination, at least."""
