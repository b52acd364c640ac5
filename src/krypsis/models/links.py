"""Promises about links: which published records could be which original ones.

Somebody who knows the original table, or as much of it as can be known, links every original record to the published
records that generalize it. These promises say how many such links every record must have. They are decided by comparing
the published table with the original one, so nobody can verify them from the published files alone.
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Literal, Protocol

from pydantic import Field

from krypsis.arrays import IntArray
from krypsis.models.base import GroupModel, PrivacyModel
from krypsis.models.k_anonymity import KAnonymity

Side = Literal["original", "published"]


class Links(Protocol):
    """The links between the records of an original table and of a published one."""

    @property
    def of_originals(self) -> IntArray:
        """For each distinct original tuple, the number of published records that generalize it."""

    @property
    def of_published(self) -> IntArray:
        """For each distinct published tuple, the number of original records that it generalizes."""

    @property
    def matches_of_originals(self) -> IntArray:
        """For each distinct original tuple, the number of published records that it is given in some assignment.

        An assignment gives every original record a published one that generalizes it, and each published one once. If
        there is none, the published table cannot come from this original, and nothing matches.
        """


class LinkModel(PrivacyModel):
    """A promise about the number of links of every record."""

    protects: ClassVar[tuple[Side, ...]]
    """Whose links are counted."""
    counts_assignments: ClassVar[bool] = False
    """Whether only links count that an assignment of all records uses."""
    needs_original: ClassVar[bool] = True
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    k: int = Field(ge=1, description="smallest number of records on the other side that a record may be")

    @property
    def required(self) -> float:
        return float(self.k)

    @abstractmethod
    def counts(self, links: Links) -> Mapping[Side, IntArray]:
        """Return the number of links of every distinct tuple on the sides that the promise is about."""

    def sufficient(self) -> GroupModel:
        """Return a promise about groups that implies this one where every record is published.

        The ``k`` records of a group all generalize the ``k`` original ones behind them, and any of these may be any of
        those.
        """
        return KAnonymity(k=self.k)


def at_least(k: int, record: str) -> str:
    """Return a number of records in words.

    Examples
    --------
    >>> at_least(1, "published"), at_least(3, "original")
    ('at least 1 published record', 'at least 3 original records')
    """
    return f"at least {k} {record} record{'s' * (k != 1)}"
