"""A recoding says how each record is changed: what an algorithm finds and an engine applies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from krypsis.frequency import FrequencySet
from krypsis.groups import BoolArray, IntArray


@dataclass(frozen=True, eq=False)
class FullDomain:
    """Every value of an attribute goes to the same level; the records of some tuples are suppressed.

    ``suppressed[tuple]`` refers to the tuples of the frequency set the recoding was found on. ``trace`` holds one
    mapping per step for algorithms that explain themselves.
    """

    levels: tuple[int, ...]
    suppressed: BoolArray
    trace: tuple[Mapping[str, object], ...] = field(default=())


@dataclass(frozen=True, eq=False)
class Outcome:
    """The figures of a full-domain recoding from which every metric is computed.

    ``suppressed_values[attribute][code]`` counts the suppressed records by their value; the code is that of one
    record of the group, so it is only meaningful at the levels of the outcome or above.
    """

    frequency: FrequencySet
    levels: tuple[int, ...]
    suppressed: int
    suppressed_values: tuple[IntArray, ...]
    group_count: int
    """How many groups are kept."""
    square_sum: int
    """The sum of the squared sizes of the kept groups."""

    @property
    def rows(self) -> int:
        """The number of records before suppression."""
        return self.frequency.rows
