"""Confidence bounding."""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.groups import Histogram, sum_by
from krypsis.errors import column_not_found
from krypsis.models.base import Names, SensitiveModel


class ConfidenceBounding(SensitiveModel):
    """Nobody can be more than ``h`` sure, from the attributes given, that a person has the sensitive ``value``.

    Notes
    -----
    This is one template ``<attributes → value, h>``; several templates, each with its own attributes, value and bound,
    are several promises. Without ``attributes`` all quasi-identifiers are meant. Values without a template are not
    protected. The level is the largest share of the value in a group.

    References
    ----------
    Wang, Fung, Yu, "Handicapping attacker's confidence: an alternative to k-anonymization", KAIS 11(3), 2007. The
    thesis shows AIDS with 75 % in its Table 5.8 (erratum E25); that is Fever.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> groups = Groups.of_histograms([{"flu": 9, "hiv": 1}, {"flu": 3, "hiv": 1}])
    >>> ConfidenceBounding(value="hiv", h=0.1).accepts(groups)
    array([ True, False])
    """

    name: ClassVar[str] = "confidence-bounding"
    protects_from: ClassVar[str] = (
        "guessing that a person has the value named: whoever goes by the attributes given is right in at most the "
        "share h of such guesses"
    )
    does_not_protect_from: ClassVar[str] = (
        "guessing any value that is not named, attackers who know other attributes than those given, linking a record "
        "to a person, and learning that a person is in the table"
    )
    reference: ClassVar[str] = (
        "Wang, Fung, Yu, Handicapping attacker's confidence: an alternative to k-anonymization, KAIS 11(3), 2007"
    )
    monotone: ClassVar[bool] = True
    monotone_with_suppression: ClassVar[bool] = False
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    value: str = Field(description="the sensitive value that nobody may be sure of")
    h: float = Field(gt=0, le=1, description="largest share of a group that may have the value")
    attributes: Names | None = Field(
        default=None, min_length=1, description="what the attacker goes by; all quasi-identifiers unless given"
    )

    @property
    def required(self) -> float:
        return self.h

    def promise(self) -> str:
        alike = "look alike" if self.attributes is None else f"are alike in {', '.join(self.attributes)}"
        return (
            f"of every group of records that {alike}, at most {self.h:.6g} have the value {self.value!r} of "
            f"{self.subject}"
        )

    def sets_of(self, attributes: Sequence[str]) -> tuple[tuple[str, ...], ...] | None:
        if self.attributes is None:
            return None
        for name in self.attributes:
            if name not in attributes:
                raise column_not_found(name, attributes)
        return (self.attributes,)

    def levels(self, histogram: Histogram, sizes: IntArray) -> FloatArray:
        return sum_by(*self._occurrences(histogram), len(sizes)) / np.maximum(sizes, 1)

    def most_kept(self, histogram: Histogram, sizes: IntArray) -> IntArray:
        if self.h == 1:
            return sizes
        # Of n records at most h · n have the value and at most ``others`` have not: n ≤ others / (1 - h)
        others = sizes - sum_by(*self._occurrences(histogram), len(sizes))
        return np.minimum(sizes, np.floor(others / (1 - self.h) * (1 + 1e-12) + 1e-9).astype(np.int64))

    def suffices(self, levels: FloatArray) -> BoolArray:
        # No tolerance is needed: a quotient of counts is rounded to the same number as the decimal it equals.
        return levels <= self.h

    def _occurrences(self, histogram: Histogram) -> tuple[IntArray, IntArray]:
        """Return the groups that have the value, and how often each has it."""
        chosen = np.isin(histogram.value, histogram.domain.codes_of(self.value))
        return histogram.group[chosen], histogram.count[chosen]
