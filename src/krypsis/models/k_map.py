"""k-map."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from krypsis.arrays import BoolArray
from krypsis.data.groups import Groups
from krypsis.models.base import GroupModel


class KMap(GroupModel):
    """Everybody in the data looks like at least ``k`` people of the population they come from.

    Notes
    -----
    Weaker than k-anonymity: the other people need not be in the data. It protects where nobody can know who is in the
    data, only who is in the population. Joining groups adds up the people, and what is accepted stays accepted whatever
    joins it; a group without records is not published and so accepted.

    References
    ----------
    Sweeney, "Achieving k-anonymity privacy protection using generalization and suppression", IJUFKS 10(5), 2002.

    Examples
    --------
    >>> import numpy as np
    >>> KMap(k=3).accepts(Groups(np.array([1, 2]), population=np.array([4, 2])))
    array([ True, False])
    """

    name: ClassVar[str] = "k-map"
    protects_from: ClassVar[str] = "finding out which person of the population a record belongs to"
    does_not_protect_from: ClassVar[str] = (
        "an attacker who knows that somebody is in the data, and learning a sensitive value that all people alike share"
    )
    reference: ClassVar[str] = (
        "Sweeney, Achieving k-anonymity privacy protection using generalization and suppression, IJUFKS 10(5), 2002"
    )
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = True
    needs_population: ClassVar[bool] = True
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    k: int = Field(ge=1, description="smallest number of people of the population who look like a record")

    @property
    def required(self) -> float:
        return float(self.k)

    def accepts(self, groups: Groups) -> BoolArray:
        accepted: BoolArray = (groups.people(self.spec) >= self.k) | (groups.sizes == 0)
        return accepted

    def measure(self, groups: Groups) -> float:
        people = groups.people(self.spec)[groups.sizes > 0]
        return float(people.min()) if len(people) else 0.0

    def promise(self) -> str:
        return f"every record looks like at least {self.k} people of the population"
