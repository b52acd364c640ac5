"""Cuts of a table into parts, which can be made where the table lies, and what is counted in such parts."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from krypsis.arrays import IntArray
from krypsis.data.groups import Histogram


class PartCut(NamedTuple):
    """Keeps the records of a part whose ranks on an axis are from ``lowest`` to ``highest``; the others are a new part.

    The table is part 0; the first cut makes part 1 of what it takes away, the next one part 2, and so on.
    """

    part: int
    axis: int
    lowest: int
    highest: int


class PartCounts(ABC):
    """What is counted in the parts that cuts make of a table."""

    @abstractmethod
    def of_values(self, cuts: Sequence[PartCut], parts: Sequence[int]) -> list[IntArray]:
        """Return for each axis ``counts[place, rank]``: how many records of each of the parts given have each value."""

    @abstractmethod
    def of_contents(self, cuts: Sequence[PartCut]) -> Mapping[str, Histogram]:
        """Return the sensitive values of all parts by attribute; the parts are the groups."""
