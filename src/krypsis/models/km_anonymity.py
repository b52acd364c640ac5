"""k^m-anonymity."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, IntArray
from krypsis.models.base import PrivacyModel


class KmAnonymity(PrivacyModel):
    """Whoever knows up to ``m`` items of a record still finds at least ``k`` records that hold them all.

    Notes
    -----
    A promise about records that are sets, such as baskets or diagnoses, where nobody can say which items an attacker
    may know: any ``m`` of them. The group of a set of items are the records that hold all of it. Larger sets have
    smaller groups, so of each record only its subsets of ``m`` items need testing, or the whole record if it is
    smaller. With ``m`` as large as the largest record it is k-anonymity in the sense that every subset known of a
    record is found in ``k`` records.

    References
    ----------
    Terrovitis, Mamoulis, Kalnis, "Privacy-preserving anonymization of set-valued data", PVLDB 1(1), 2008.

    Examples
    --------
    >>> KmAnonymity(k=2, m=2).accepts(np.array([3, 1]))
    array([ True, False])
    """

    name: ClassVar[str] = "km-anonymity"
    aliases: ClassVar[tuple[str, ...]] = ("k^m-anonymity",)
    kind: ClassVar[str] = "transactions"
    protects_from: ClassVar[str] = (
        "finding the record of a person by up to m of the items it holds: at best 1 in k such guesses is right"
    )
    does_not_protect_from: ClassVar[str] = (
        "an attacker who knows more than m items, or that an item is not in the record, and learning an item that all "
        "k records have in common"
    )
    reference: ClassVar[str] = (
        "Terrovitis, Mamoulis, Kalnis, Privacy-preserving anonymization of set-valued data, PVLDB 1(1), 2008"
    )
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    k: int = Field(ge=1, description="smallest number of records that hold the same known items")
    m: int = Field(ge=1, description="largest number of items that an attacker knows of a record")

    @property
    def required(self) -> float:
        return float(self.k)

    def promise(self) -> str:
        return f"every combination of up to {self.m} items that occurs is in at least {self.k} records"

    def accepts(self, supports: IntArray) -> BoolArray:
        """Say for each set of items, given the number of records that hold it, whether it keeps the promise."""
        return np.asarray(supports >= self.k)
