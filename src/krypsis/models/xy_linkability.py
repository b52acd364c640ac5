"""(X,Y)-linkability."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from krypsis.arrays import BoolArray
from krypsis.data.groups import Groups
from krypsis.models.xy import XYModel


class XYLinkability(XYModel):
    """No value of ``y`` belongs to more than the share ``h`` of the records that are alike in ``x``.

    Notes
    -----
    With the number of a person as ``y``, nobody has more than this share of a group. With a sensitive attribute it
    bounds the confidence in each of its values. The thesis prints ``0 < k ≤ 1`` as the range of the bound
    (erratum E27); it is ``0 < h ≤ 1``.

    References
    ----------
    Wang, Fung, "Anonymizing sequential releases", KDD 2006.

    Examples
    --------
    >>> groups = Groups.of_histograms([{"flu": 2, "hiv": 2}, {"flu": 3, "hiv": 1}], attribute="disease")
    >>> XYLinkability(y=("disease",), h=0.5).accepts(groups)
    array([ True, False])
    """

    name: ClassVar[str] = "xy-linkability"
    protects_from: ClassVar[str] = (
        "guessing which value of y goes with the values of x that are known of a person: at most the share h of such "
        "guesses is right"
    )
    does_not_protect_from: ClassVar[str] = (
        "linking a record to a person where y is a sensitive attribute, values that differ in name and are alike in "
        "meaning (similarity), and learning that a person is in the table"
    )
    reference: ClassVar[str] = "Wang, Fung, Anonymizing sequential releases, KDD 2006"
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    h: float = Field(gt=0, le=1, description="largest share of a group that may have the same value of y")

    @property
    def required(self) -> float:
        return self.h

    def promise(self) -> str:
        return f"each value of {self.counted} is at most {self.h:.6g} of every group of records that {self.alike}"

    def accepts(self, groups: Groups) -> BoolArray:
        # No tolerance is needed: a quotient of counts is rounded to the same number as the decimal it equals.
        return self.largest_shares(groups) <= self.h

    def measure(self, groups: Groups) -> float:
        return float(self.largest_shares(groups).max(initial=0.0))
