"""m-invariance."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, IntArray
from krypsis.models.base import PrivacyModel


class MInvariance(PrivacyModel):
    """In every release of a table that changes, everybody is among the same ``m`` or more sensitive values.

    Notes
    -----
    Three conditions over all releases: every group has at least ``m`` records; no sensitive value stands twice in a
    group; and the groups that somebody is in, from the first release with the record to the last, have the same set
    of sensitive values, the signature. Counterfeit records may fill a group up and count like any other; how many a
    group has is published. Not monotone: the union of two such groups may hold a value twice.

    Whoever leaves and comes back must find the old signature, too: to an attacker it is one person.

    References
    ----------
    Xiao, Tao, "m-invariance: towards privacy preserving re-publication of dynamic datasets", SIGMOD 2007.

    Examples
    --------
    >>> MInvariance(m=2).accepts(sizes=np.array([2, 2, 1]), values=np.array([2, 1, 1]))
    array([ True, False, False])
    """

    name: ClassVar[str] = "m-invariance"
    kind: ClassVar[str] = "history"
    covers_all_sensitive: ClassVar[bool] = True
    protects_from: ClassVar[str] = (
        "learning the sensitive value of a person by comparing releases of the same table over time: at best 1 in m "
        "guesses is right, however many releases are compared"
    )
    does_not_protect_from: ClassVar[str] = (
        "values of a group that mean almost the same, a sensitive value that changes, background knowledge that "
        "excludes values of a group, and learning that a person is in the table"
    )
    reference: ClassVar[str] = (
        "Xiao, Tao, m-invariance: towards privacy preserving re-publication of dynamic datasets, SIGMOD 2007"
    )
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    m: int = Field(ge=2, description="smallest number of different sensitive values that a record is among")

    @property
    def required(self) -> float:
        return float(self.m)

    def promise(self) -> str:
        return (
            f"every group has at least {self.m} records with different sensitive values, and everybody is among the "
            "same values in all releases"
        )

    def accepts(self, sizes: IntArray, values: IntArray) -> BoolArray:
        """Say for each group, given its records and its different values, whether it is m-unique."""
        return np.asarray((sizes >= self.m) & (values == sizes))
