"""Sample uniqueness."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import IntArray
from krypsis.models.base import TableModel


class SampleUniqueness(TableModel):
    """At most a given share of the records look like no other record of the table.

    Notes
    -----
    Weaker than k-anonymity with ``k=2``, which allows no such record; with ``threshold=0`` it is the same. Whether a
    record that is alone in the table is alone in the population, too, is what ``population-uniqueness`` estimates.

    References
    ----------
    Skinner, Elliot, "A measure of disclosure risk for microdata", J. R. Stat. Soc. B 64(4), 2002.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> SampleUniqueness(threshold=0.1).measure(Groups.of_sizes([1, 1, 2, 4]))
    0.25
    """

    name: ClassVar[str] = "sample-uniqueness"
    protects_from: ClassVar[str] = "linking records that stand alone in the table: only the share threshold of them do"
    does_not_protect_from: ClassVar[str] = (
        "linking one of the records that still stand alone, groups of two or three, and learning a sensitive value "
        "that all records of a group share"
    )
    reference: ClassVar[str] = "Skinner, Elliot, A measure of disclosure risk for microdata, J. R. Stat. Soc. B, 2002"
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    threshold: float = Field(ge=0, le=1, description="largest share of records that look like no other record")

    @property
    def required(self) -> float:
        return self.threshold

    def level(self, sizes: IntArray) -> float:
        return int(np.count_nonzero(sizes == 1)) / int(sizes.sum())

    def suffices(self, level: float) -> bool:
        # No tolerance is needed: a quotient of counts is rounded to the same number as the decimal it equals.
        return level <= self.threshold

    def promise(self) -> str:
        return f"at most {self.threshold:g} of the records look like no other record of the table"
