"""δ-presence, by a population table or by what is published itself."""

from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Groups
from krypsis.models.base import GroupModel


class DeltaPresence(GroupModel):
    """Of nobody in the population can it be inferred more surely than wanted that they are, or are not, in the data.

    Notes
    -----
    Somebody who knows the population and sees the published table concludes that a person is in the data with the
    probability ``records of the group / people who look like the group``. For everybody in the population it lies
    between ``delta_min`` and ``delta_max``. That presumes that publisher and attacker know the same population, and
    that each person has one record at most.

    Joining two groups gives a probability between those of the two, so the promise is monotone; it is not with
    suppression, because what joins may have any probability.

    People of whom nothing is published, because nobody like them is in the data or because their records were
    suppressed, are in the data with probability 0 for all that the published table reveals. By the definition that
    breaks a ``delta_min`` above 0: then nothing can be suppressed, and every combination of published values that the
    population has must be published. ``published-presence`` asks of published groups only.

    References
    ----------
    Nergiz, Atzori, Clifton, "Hiding the presence of individuals from shared databases", SIGMOD 2007, Definition 2.

    Examples
    --------
    >>> groups = Groups(np.array([4, 3, 0]), population=np.array([5, 4, 2]))
    >>> DeltaPresence(delta_max=0.75).accepts(groups)
    array([False,  True,  True])
    >>> DeltaPresence(delta_min=0.75, delta_max=0.8).accepts(groups)
    array([ True,  True, False])
    """

    name: ClassVar[str] = "delta-presence"
    protects_from: ClassVar[str] = (
        "learning whether a person of the population is in the data; and, since a record is linked to a person at most "
        "as surely as the person is in the data, linking records and values to persons"
    )
    does_not_protect_from: ClassVar[str] = (
        "attackers who know a larger or smaller population than the publisher, those who know that a person is in the "
        "data, and values that all records of a group share"
    )
    reference: ClassVar[str] = (
        "Nergiz, Atzori, Clifton, Hiding the presence of individuals from shared databases, SIGMOD 2007"
    )
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = False
    needs_population: ClassVar[bool] = True
    needs_disjoint: ClassVar[bool] = True
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    delta_max: float = Field(ge=0, le=1, description="how likely it may be at most that a person is in the data")
    delta_min: float = Field(
        default=0, ge=0, le=1, description="how likely it must be at least that a person is in the data"
    )

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.delta_min > self.delta_max:
            raise ValueError(
                f"delta_max of {self.name} must be at least delta_min, got delta_min={self.delta_min:g} and "
                f"delta_max={self.delta_max:g}"
            )
        return self

    @property
    def required(self) -> float:
        return self.delta_max

    @property
    def judges_absent(self) -> bool:
        return self.delta_min > 0

    def accepts(self, groups: Groups) -> BoolArray:
        accepted: BoolArray = self._levels(groups) <= self.delta_max
        return accepted

    def measure(self, groups: Groups) -> float:
        return float(self._levels(groups).max(initial=0.0))

    def least_suppressed(self, groups: Groups) -> IntArray:
        return np.minimum(super().least_suppressed(groups), groups.sizes)

    def _levels(self, groups: Groups) -> FloatArray:
        """Return how likely it is for each group that a person like it is in the data; without limit if too unlikely.

        No tolerance is needed: a quotient of counts is rounded to the same number as the decimal it equals.
        """
        likely = groups.sizes / np.maximum(groups.people(self.spec), 1)
        return np.where(likely < self.delta_min, np.inf, likely)

    def promise(self) -> str:
        return f"everybody of the population is in the data with a probability of {self.range_in_words}"

    @property
    def range_in_words(self) -> str:
        """The limits as a sentence says them."""
        least = f"at least {self.delta_min:g} and " if self.delta_min else ""
        return f"{least}at most {self.delta_max:g}"


class PublishedPresence(DeltaPresence):
    """Of nobody who looks like a published record can it be inferred too surely that they are, or are not, in the data.

    Notes
    -----
    As delta-presence, but people of whom nothing is published do not count. So records may be suppressed with a
    ``delta_min`` above 0, too; the price is that those people, who may be many, are known not to be in the published
    table. With ``delta_min=0`` the two are the same.

    It is not monotone: a group may fall below ``delta_min`` when people join who did not count before.

    References
    ----------
    Nergiz, Atzori, Clifton, "Hiding the presence of individuals from shared databases", SIGMOD 2007, Definition 2,
    there for everybody.

    Examples
    --------
    >>> groups = Groups(np.array([4, 3, 0]), population=np.array([5, 8, 2]))
    >>> PublishedPresence(delta_min=0.5, delta_max=0.8).accepts(groups)
    array([ True, False,  True])
    """

    name: ClassVar[str] = "published-presence"
    protects_from: ClassVar[str] = "learning whether a person is in the data who looks like a published record"
    does_not_protect_from: ClassVar[str] = (
        "learning that a person is not in the published table who looks like no record of it; attackers who know a "
        "larger or smaller population, those who know that a person is in the data, and values that all records of a "
        "group share"
    )
    monotone: ClassVar[bool] = False

    @property
    def judges_absent(self) -> bool:
        return False

    def _levels(self, groups: Groups) -> FloatArray:
        return np.where(groups.sizes > 0, super()._levels(groups), 0.0)

    def promise(self) -> str:
        return f"everybody who looks like a published record is in the data with a probability of {self.range_in_words}"
