"""Privacy degree of sets in groups."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.models.base import PrivacyModel


class PrivacyDegree(PrivacyModel):
    """Whoever knows the group of a record attaches a sensitive item to it with probability at most ``1/p``.

    Notes
    -----
    A promise about records that are sets, published in groups: the harmless items of every record as they are, and
    apart from them how many records of the group hold each sensitive item. The degree of a group is ``min |G| / f``
    over the sensitive items that occur in it, where ``f`` of its ``|G|`` records hold the item; that of the release is
    the lowest of all groups. A group without sensitive items has nothing to attach. The whole can be published so
    exactly if no sensitive item is in more than ``1/p`` of all records.

    References
    ----------
    Ghinita, Tao, Kalnis, "On the anonymization of sparse high-dimensional data", ICDE 2008.

    Examples
    --------
    In a group of three records one holds the item, in a group of two both do:

    >>> PrivacyDegree(p=2).accepts(np.array([3, 2]), np.array([1, 2]))
    array([ True, False])
    """

    name: ClassVar[str] = "privacy-degree"
    kind: ClassVar[str] = "transactions"
    protects_from: ClassVar[str] = (
        "attaching a sensitive item to a person whose other items are known: at best 1 in p such guesses is right"
    )
    does_not_protect_from: ClassVar[str] = (
        "recognizing which published record is that of a person, learning that a person holds none of the sensitive "
        "items because nobody of the group does, and an attacker who knows the sensitive items of others in the group"
    )
    reference: ClassVar[str] = "Ghinita, Tao, Kalnis, On the anonymization of sparse high-dimensional data, ICDE 2008"
    needs_sensitive: ClassVar[bool] = True
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    p: int = Field(ge=1, description="smallest number of records of a group for each that holds a sensitive item")

    @property
    def required(self) -> float:
        return float(self.p)

    def promise(self) -> str:
        return f"no sensitive item belongs to more than 1 in {self.p} records of a group"

    def accepts(self, sizes: IntArray, counts: IntArray) -> BoolArray:
        """Say for each sensitive item of a group, given the size of the group and how many hold it, if it is kept."""
        return np.asarray(counts * self.p <= sizes)

    def levels(self, sizes: IntArray, counts: IntArray) -> FloatArray:
        """Return the degree for each sensitive item of a group."""
        return np.asarray(sizes / counts)
