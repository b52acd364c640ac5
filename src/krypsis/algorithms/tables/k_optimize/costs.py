"""What the records of a group cost, and what they cost at least however the group is split."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

import numpy as np

from krypsis.algorithms.tables.k_optimize.kernels import weigh_majorities
from krypsis.algorithms.tables.k_optimize.space import IntervalDigits, Refinement, SplitSpace
from krypsis.arrays import IntArray
from krypsis.data.frequency import FrequencySet
from krypsis.data.groups import Groups, Histogram
from krypsis.errors import UsageError, column_not_found
from krypsis.kernels.labels import largest_by_group

NEVER = np.iinfo(np.int64).max


class SplitCost(ABC):
    """A cost that is the sum over the groups, and grows when groups are merged or records suppressed."""

    name: str
    price: int
    """What a suppressed record costs."""
    dearest: int
    """A group costs less with some records suppressed only if it is larger than this together with what is left."""
    unit: float = 1.0
    """What a cost of 1 is in the metric of the same name."""
    target: str | None = None
    """The sensitive attribute it looks at."""
    tie: float = 0.0
    """What a discernibility of 1 is worth to a climb among equally cheap sets of cuts."""

    @abstractmethod
    def of_groups(self, groups: Groups) -> IntArray:
        """Return the cost of each group that is kept."""

    @abstractmethod
    def least(self, cells: Groups, k: int) -> IntArray:
        """Return what the records of each cell cost at least in any group of ``k`` or more, unless suppressed."""

    @abstractmethod
    def changes(
        self, space: SplitSpace, refinement: Refinement, digits: IntervalDigits, k: int, squares: IntArray
    ) -> IntArray:
        """Return how the cost changes with each cut, at its place; ``squares`` is the change of the discernibility."""


class DiscernibilityCost(SplitCost):
    """A record costs the size of its group; a suppressed one the size of the table."""

    name = "discernibility"

    def __init__(self, rows: int) -> None:
        self.price = self.dearest = rows

    def of_groups(self, groups: Groups) -> IntArray:
        return groups.sizes**2

    def least(self, cells: Groups, k: int) -> IntArray:
        # The paper's bound: a record that is kept costs at least max(k, size of its cell under all remaining splits).
        return cells.sizes * np.maximum(cells.sizes, k)

    def changes(
        self,
        space: SplitSpace,  # noqa: ARG002
        refinement: Refinement,  # noqa: ARG002
        digits: IntervalDigits,  # noqa: ARG002
        k: int,  # noqa: ARG002
        squares: IntArray,
    ) -> IntArray:
        return squares


class ClassificationCost(SplitCost):
    """A record costs 1 if it is suppressed or not of the most common class of its group."""

    name = "classification"

    def __init__(self, frequency: FrequencySet, target: str | None) -> None:
        self.target = _existing(target, frequency.sensitive)
        self.price, self.dearest, self.unit = 1, NEVER, 1 / max(frequency.rows, 1)
        # A single cut seldom changes a majority; smaller groups lead on. All of them count less than one record.
        self.tie = 1 / (frequency.rows**2 + 1)

    def of_groups(self, groups: Groups) -> IntArray:
        largest = np.zeros(len(groups), dtype=np.int64)
        histogram = groups.sensitive[str(self.target)]
        largest_by_group(histogram.group, histogram.count, largest)
        return groups.sizes - largest

    def least(self, cells: Groups, k: int) -> IntArray:  # noqa: ARG002  a group may agree however large it is
        # Merging cells never makes fewer records disagree with the majority, so the finest cells bound from below.
        return self.of_groups(cells)

    def changes(
        self,
        space: SplitSpace,
        refinement: Refinement,
        digits: IntervalDigits,
        k: int,
        squares: IntArray,
    ) -> IntArray:
        histogram = refinement.sensitive[str(self.target)]
        order = np.argsort(histogram.group, kind="stable")
        entries = np.searchsorted(histogram.group[order], np.arange(len(refinement.tuples) + 1))
        agreeing = np.zeros_like(squares)
        weigh_majorities(
            space.codes, digits.digits, space.offsets, digits.radices, space.has_missing,
            refinement.tuples, refinement.starts, entries, histogram.value[order], histogram.count[order],
            len(histogram.domain), k, agreeing,
        )  # fmt: skip
        return agreeing


def split_cost(name: str, target: str | None, frequency: FrequencySet) -> SplitCost:
    """Return the cost of that name."""
    if name == ClassificationCost.name:
        return ClassificationCost(frequency, target)
    return DiscernibilityCost(frequency.rows)


def _existing(target: str | None, sensitive: Mapping[str, Histogram]) -> str:
    if not sensitive:
        raise UsageError(
            "the classification cost counts the classes of a sensitive attribute and none is declared; "
            "give the column with the classes the role 'sensitive'"
        )
    if target is not None and target not in sensitive:
        raise column_not_found(target, sensitive)
    return target or next(iter(sensitive))
