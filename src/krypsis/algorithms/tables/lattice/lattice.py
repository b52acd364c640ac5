"""The lattice of levels: what all full-domain searches need to know about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

from krypsis.algorithms.tables.lattice.evaluation import Limits
from krypsis.algorithms.tables.lattice.rollup import Levels
from krypsis.data.frequency import FrequencySet
from krypsis.errors import UsageError


@dataclass(frozen=True)
class Lattice:
    """All level vectors between ``lowest`` and ``highest``.

    Examples
    --------
    >>> sex_and_job = Lattice((0, 0), (1, 2))
    >>> sex_and_job.size, sum(len(sex_and_job.successors(node)) for node in sex_and_job)
    (6, 7)
    """

    lowest: Levels
    highest: Levels

    @classmethod
    def of(cls, frequency: FrequencySet, limits: Limits) -> Lattice:
        """Return the lattice of a frequency set within the limits."""
        heights = frequency.heights
        lowest = limits.lowest or (0,) * len(heights)
        highest = limits.highest or heights
        for name, low, high, height in zip(frequency.attributes, lowest, highest, heights, strict=True):
            if not 0 <= low <= high <= height:
                raise UsageError(
                    f"levels of {name!r} must lie between 0 and {height}, the height of its hierarchy, "
                    f"with the lowest not above the highest; got {low} to {high}"
                )
        return cls(lowest, highest)

    @property
    def size(self) -> int:
        """The number of nodes, which may be more than any computer can count to."""
        return prod(high - low + 1 for low, high in zip(self.lowest, self.highest, strict=True))

    def __iter__(self) -> Iterator[Levels]:
        return product(*(range(low, high + 1) for low, high in zip(self.lowest, self.highest, strict=True)))

    def successors(self, node: Levels) -> list[Levels]:
        """Return the nodes one step above."""
        return [raised(node, position) for position, level in enumerate(node) if level < self.highest[position]]


def raised(node: Levels, position: int, steps: int = 1) -> Levels:
    """Return the node with one attribute generalized further."""
    return (*node[:position], node[position] + steps, *node[position + 1 :])
