"""Diversity of sensitive items in disassociated sets."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, IntArray
from krypsis.models.base import PrivacyModel


class SetDiversity(PrivacyModel):
    """Every sensitive item is listed separately from all other items, for a cluster of at least ``l`` records.

    Notes
    -----
    A promise about disassociated sets: sensitive items are in term chunks only, which reveal that an item occurs in a
    cluster, but neither in which of its records nor in how many. Whoever finds the pieces of a person's record learns
    that a sensitive item belongs to at least one of ``l`` records or more. If it belongs to one, the chance that it is
    the person's is at most 1/l. How many hold it is hidden, not limited: an item that somebody knows to be common is
    likely to be held by more of them, and nothing here keeps a whole cluster from holding it.

    References
    ----------
    Terrovitis, Liagouris, Mamoulis, Skiadopoulos, "Privacy preservation by disassociation", PVLDB 5(10), 2012,
    section 5.

    Examples
    --------
    >>> SetDiversity(l=3).accepts(np.array([5, 2]))
    array([ True, False])
    """

    name: ClassVar[str] = "set-diversity"
    kind: ClassVar[str] = "transactions"
    protects_from: ClassVar[str] = (
        "attaching a sensitive item to other items of a record: it belongs to one of at least l records, and nothing "
        "says to which"
    )
    does_not_protect_from: ClassVar[str] = (
        "an item that many records of a cluster hold, for how many is hidden and not limited, and an attacker who "
        "knows that a sensitive item is common"
    )
    reference: ClassVar[str] = (
        "Terrovitis, Liagouris, Mamoulis, Skiadopoulos, Privacy preservation by disassociation, PVLDB 5(10), 2012"
    )
    needs_sensitive: ClassVar[bool] = True
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    l: int = Field(ge=1, description="smallest number of records among which a sensitive item stands")  # noqa: E741

    @property
    def required(self) -> float:
        return float(self.l)

    def promise(self) -> str:
        return f"every sensitive item is listed separately, for a cluster of at least {self.l} records that may hold it"

    def accepts(self, sizes: IntArray) -> BoolArray:
        """Say for each cluster with sensitive items in its term chunk, given its size, whether it keeps the promise."""
        return np.asarray(sizes >= self.l)
