"""(X,Y)-privacy."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, FloatArray
from krypsis.data.groups import Groups
from krypsis.models.xy import XYModel


class XYPrivacy(XYModel):
    """Records alike in ``x`` have at least ``k`` different values of ``y``, none in more than the share ``h`` of them.

    Notes
    -----
    (X,Y)-anonymity and (X,Y)-linkability together, with ``k`` different values and not ``k`` records. The level is the
    largest share, and infinite where a group has fewer than ``k`` values, which no ``h`` allows.

    References
    ----------
    Wang, Fung, "Anonymizing sequential releases", KDD 2006.

    Examples
    --------
    >>> groups = Groups.of_histograms([{"ann": 1, "bob": 1}, {"ann": 3, "bob": 1}, {"cat": 4}], attribute="patient")
    >>> XYPrivacy(y=("patient",), k=2, h=0.5).accepts(groups)
    array([ True, False, False])
    """

    name: ClassVar[str] = "xy-privacy"
    protects_from: ClassVar[str] = (
        "linking records to a person where one person may have several records (at best 1 in k guesses is right), and "
        "guessing which value of y goes with known values of x: at most the share h of such guesses is right"
    )
    does_not_protect_from: ClassVar[str] = (
        "values that differ in name and are alike in meaning (similarity), attributes that are neither in x nor in y, "
        "and learning that a person is in the table"
    )
    reference: ClassVar[str] = "Wang, Fung, Anonymizing sequential releases, KDD 2006"
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    k: int = Field(ge=1, description="smallest number of different values of y in a group")
    h: float = Field(gt=0, le=1, description="largest share of a group that may have the same value of y")

    @property
    def required(self) -> float:
        return self.h

    def promise(self) -> str:
        return (
            f"every group of records that {self.alike} has at least {self.k} different values of {self.counted}, "
            f"each in at most {self.h:.6g} of them"
        )

    def accepts(self, groups: Groups) -> BoolArray:
        return self._levels(groups) <= self.h

    def measure(self, groups: Groups) -> float:
        return float(self._levels(groups).max(initial=0.0))

    def _levels(self, groups: Groups) -> FloatArray:
        return np.where(self.distinct(groups) >= self.k, self.largest_shares(groups), np.inf)
