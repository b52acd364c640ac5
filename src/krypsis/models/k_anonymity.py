"""k-anonymity."""

from typing import ClassVar, Literal

from pydantic import Field

from krypsis.arrays import BoolArray
from krypsis.data.groups import Groups
from krypsis.models.base import GroupModel


class KAnonymity(GroupModel):
    """Every record shares its quasi-identifier values with ``k - 1`` others.

    References
    ----------
    Sweeney, "k-anonymity: a model for protecting privacy", IJUFKS 10(5), 2002.

    Examples
    --------
    >>> KAnonymity(k=2).accepts(Groups.of_sizes([3, 1]))
    array([ True, False])
    """

    name: ClassVar[str] = "k-anonymity"
    protects_from: ClassVar[str] = (
        "linking a published record to a person by attributes known from elsewhere: "
        "at best 1 in k such guesses is right"
    )
    does_not_protect_from: ClassVar[str] = (
        "learning a sensitive value that a whole group shares (homogeneity), background knowledge, "
        "learning that a person is in the table, and persons who have several records"
    )
    reference: ClassVar[str] = "Sweeney, k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002"
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = True
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    k: int = Field(ge=1, description="smallest number of records in a group")

    @property
    def promised_size(self) -> int:
        return self.k

    @property
    def required(self) -> float:
        return float(self.k)

    @property
    def least_size(self) -> int:
        return self.k

    def promise(self) -> str:
        others = "1 other" if self.k == 2 else f"{self.k - 1} others"
        return f"every record looks like at least {others} in the attributes an attacker may know"

    def accepts(self, groups: Groups) -> BoolArray:
        return groups.sizes >= self.k

    def measure(self, groups: Groups) -> float:
        return float(groups.sizes.min()) if len(groups) else 0.0
