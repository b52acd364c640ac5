"""The lattice of levels: what all full-domain searches need to know about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from time import monotonic

from krypsis.algorithms.tables.lattice.evaluation import Limits
from krypsis.algorithms.tables.lattice.rollup import Levels
from krypsis.data.frequency import FrequencySet
from krypsis.errors import UsageError
from krypsis.progress import JudgedNode, Progress


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


class SearchBudget:
    """Counts what a search spends, reports its progress, and says when to stop."""

    def __init__(self, progress: Progress, seconds: float | None = None, nodes: int | None = None) -> None:
        self._progress = progress
        self._end = None if seconds is None else monotonic() + seconds
        self._nodes = nodes
        self.judged = 0

    def spend(self, node: JudgedNode) -> None:
        """Record a node that was judged."""
        self.judged += 1
        self._progress.judged(node)

    def pass_over(self, nodes: int) -> None:
        """Count nodes that were settled without being judged."""
        self.judged += nodes

    def at_most(self, nodes: int) -> int:
        """Return how many of so many nodes may still be judged, at least one."""
        return nodes if self._nodes is None else max(min(nodes, self._nodes - self.judged), 1)

    def is_spent(self) -> bool:
        """Say whether the search must return what it has."""
        late = self._end is not None and monotonic() >= self._end
        enough = self._nodes is not None and self.judged >= self._nodes
        return late or enough or self._progress.wants_stop()

    def part(self, share: float) -> SearchBudget:
        """Return a budget of a share of what is left in time and nodes, reporting to the same listener."""
        seconds = None if self._end is None else max(self._end - monotonic(), 0) * share
        nodes = None if self._nodes is None else int((self._nodes - self.judged) * share)
        return SearchBudget(self._progress, seconds, nodes)


class Stopped(Exception):  # noqa: N818  an event rather than an error
    """The listener asks the search to stop; the search catches this and returns what it has."""


def stop_if_wanted(progress: Progress) -> None:
    """Raise if the listener asks the search to stop."""
    if progress.wants_stop():
        raise Stopped
