"""Multirelational k-anonymity."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, IntArray
from krypsis.models.base import PrivacyModel


class MultirelationalKAnonymity(PrivacyModel):
    """Everything known about a person in several tables is the same for at least ``k - 1`` other persons.

    Notes
    -----
    The view of a subject is what an attacker may know of it: per table, the quasi-identifiers of its rows, each as
    often as it occurs. Every view must be shared by ``k`` subjects. So ``k`` counts persons, not rows, and the tables
    are looked at together: tables that are k-anonymous one by one may single somebody out once they are joined.

    The view of Nergiz, Clifton and Nergiz is the multiset of quasi-identifiers in the join of all tables. Where the
    tables are published separately, one sees more: who has one visit and two bills has the same join as who has two
    equal visits and one bill. Here such subjects have different views, so the promise implies theirs. A table with a
    row for every combination, the join itself, is judged exactly as they do.

    References
    ----------
    Nergiz, Clifton, Nergiz, "Multirelational k-anonymity", ICDE 2007.

    Examples
    --------
    >>> MultirelationalKAnonymity(k=2).accepts(np.array([3, 1]))
    array([ True, False])
    """

    name: ClassVar[str] = "multirelational-k-anonymity"
    kind: ClassVar[str] = "tables"
    protects_from: ClassVar[str] = (
        "linking a person to the rows of several tables by all that is known of these rows together: at best 1 in k "
        "such guesses is right"
    )
    does_not_protect_from: ClassVar[str] = (
        "learning a sensitive value that all subjects of the same view share, background knowledge, and learning that "
        "a person is in the tables"
    )
    reference: ClassVar[str] = "Nergiz, Clifton, Nergiz, Multirelational k-anonymity, ICDE 2007"
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    k: int = Field(ge=1, description="smallest number of subjects of whom the same is known")

    @property
    def required(self) -> float:
        return float(self.k)

    def promise(self) -> str:
        return f"what may be known of a subject in all tables is the same for at least {self.k} subjects"

    def accepts(self, subjects: IntArray) -> BoolArray:
        """Say for each view, given the number of subjects that share it, whether it keeps the promise."""
        return np.asarray(subjects >= self.k)
