"""Average re-identification risk."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from krypsis.arrays import IntArray
from krypsis.models.base import TableModel


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
