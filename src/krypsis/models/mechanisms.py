"""Promises about how a release was made: by chance, with chances that bound what anybody can learn.

No table shows with which chances it was drawn. The publisher states what was done, and what was stated can be examined:
whether it would keep the promise, and whether the published table has the form it must have then. That the chances were
those, nobody can see.
"""

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from krypsis.data.hierarchies.base import Label
from krypsis.models.base import PrivacyModel


class MethodModel(PrivacyModel):
    """A promise that a method of its own keeps: no search among groups does."""

    kept_by: ClassVar[str]
    """The method that is taken where none is named."""


class MechanismModel(MethodModel):
    """A promise about the chances with which a release was made."""

    covers_all_sensitive: ClassVar[bool] = True
    not_to_see: ClassVar[str]
    """What nobody can verify, in plain words."""

    @abstractmethod
    def achieved(self, record: "MechanismRecord") -> float:
        """Return the level that a release made like that has."""

    @abstractmethod
    def contradictions(self, record: "MechanismRecord") -> Iterator[str]:
        """Yield what in the record does not fit the promise, in plain words."""


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
    """What a release states about the way it was made. Nothing of it depends on the data."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    publishes: Literal["counts", "records", "tuples", "sample", "graph"]
    """Noisy counts of all combinations of values, records drawn from these, combinations that may be in the data, a
    sample of the records, or a graph drawn from noisy degrees."""
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
