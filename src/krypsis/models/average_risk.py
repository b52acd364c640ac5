"""Limits to the average risk of re-identification and to the share of unique records."""

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


class AverageRisk(TableModel):
    """Of all records, at most a given share is linked to the right person by guessing within the groups.

    Notes
    -----
    A guess among the ``n`` records of a group is right with probability ``1/n``; the mean of that over all records is
    ``groups / records``. This is the risk of a *marketer*, who wants many right matches and does not care which. Single
    records may be unique; k-anonymity protects each of them.

    A search leaves out the smallest groups until the promise holds. Leaving out a smallest group never raises the
    average, so these are as few as possible.

    References
    ----------
    Dankar, El Emam, "A method for evaluating marketer re-identification risk", PAIS 2010.

    Examples
    --------
    >>> from krypsis.data.groups import Groups
    >>> AverageRisk(threshold=0.4).measure(Groups.of_sizes([1, 4])), AverageRisk(threshold=0.3).accepts(
    ...     Groups.of_sizes([1, 4])
    ... )
    (0.4, array([False, False]))
    """

    name: ClassVar[str] = "average-risk"
    protects_from: ClassVar[str] = "linking many published records to persons; at most the share threshold is right"
    does_not_protect_from: ClassVar[str] = (
        "linking a certain record: some may be unique; learning a sensitive value that all records of a group share, "
        "and learning that a person is in the table"
    )
    reference: ClassVar[str] = "Dankar, El Emam, A method for evaluating marketer re-identification risk, PAIS 2010"
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    threshold: float = Field(gt=0, le=1, description="largest mean, over all records, of 1 / size of the group")

    @property
    def required(self) -> float:
        return self.threshold

    def level(self, sizes: IntArray) -> float:
        return len(sizes) / int(sizes.sum())

    def suffices(self, level: float) -> bool:
        # No tolerance is needed: a quotient of counts is rounded to the same number as the decimal it equals.
        return level <= self.threshold

    def promise(self) -> str:
        return f"of all records, guesses within their groups link at most {self.threshold:g} to the right person"
