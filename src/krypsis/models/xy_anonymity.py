"""(X,Y)-anonymity."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from krypsis.arrays import BoolArray
from krypsis.data.groups import Groups
from krypsis.models.xy import XYModel


class XYAnonymity(XYModel):
    """Records that are alike in ``x`` have at least ``k`` different values of ``y``.

    Notes
    -----
    With the number of a person as ``y`` it counts people where k-anonymity counts records: of somebody who has three
    records, three may be a whole group. With one record per person both are the same. With a sensitive attribute as
    ``y`` it is distinct l-diversity. The thesis calls ``y`` a sensitive attribute in the first case (erratum E26); a
    key is meant.

    References
    ----------
    Wang, Fung, "Anonymizing sequential releases", KDD 2006.

    Examples
    --------
    >>> groups = Groups.of_histograms([{"ann": 3}, {"bob": 2, "cat": 1}], attribute="patient")
    >>> XYAnonymity(y=("patient",), k=2).accepts(groups)
    array([False,  True])
    """

    name: ClassVar[str] = "xy-anonymity"
    protects_from: ClassVar[str] = (
        "linking records to a person where one person may have several records: at best 1 in k guesses is right"
    )
    does_not_protect_from: ClassVar[str] = (
        "learning a sensitive value that all records of a group share, a person whose records are most of the group, "
        "and learning that a person is in the table"
    )
    reference: ClassVar[str] = "Wang, Fung, Anonymizing sequential releases, KDD 2006"
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = True
    better: ClassVar[Literal["higher", "lower"]] = "higher"

    k: int = Field(ge=1, description="smallest number of different values of y in a group")

    @property
    def required(self) -> float:
        return float(self.k)

    def promise(self) -> str:
        return f"every group of records that {self.alike} has at least {self.k} different values of {self.counted}"

    def accepts(self, groups: Groups) -> BoolArray:
        return self.distinct(groups) >= self.k

    def measure(self, groups: Groups) -> float:
        distinct = self.distinct(groups)
        return float(distinct.min()) if len(distinct) else 0.0
