"""The frequency set: the distinct quasi-identifier tuples of a table, as integer codes, with their counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.data.groups import Histogram
from krypsis.data.hierarchies.base import Hierarchy

Grain = Literal["tuple", "record"]
"""What a frequency set counts: distinct tuples of quasi-identifiers, or every record for itself."""


@dataclass(frozen=True, eq=False)
class FrequencySet:
    """What an engine hands to an algorithm; nothing in a search depends on the number of rows behind it.

    ``codes[tuple, attribute]`` are codes of level 0 of ``hierarchies[attribute]``; ``counts[tuple]`` is the number of
    records; the histograms of ``sensitive`` have the tuples as their groups. Tuples are in ascending order of their
    codes, so that the order of the rows in the table leaves no trace. With the grain ``record`` every record is a tuple
    of its own, so that tuples may be equal.
    """

    attributes: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]
    codes: CodeArray
    counts: IntArray
    sensitive: Mapping[str, Histogram] = field(default_factory=dict)
    sets: tuple[tuple[int, ...], ...] = ()
    """The quasi-identifier sets as positions in ``attributes``; empty means one set of all."""
    weights: tuple[float, ...] = ()
    """The weight of each attribute in the metrics; empty means 1 for all."""
    population: IntArray | None = None
    """The number of people of the population per tuple, where one is given; then tuples may be without records.

    These come after all others, so that a group which has records is represented by a tuple that has, too.
    """
    combined: Mapping[tuple[str, ...], Histogram] = field(default_factory=dict)
    """Columns → the combinations of their values per tuple, where a promise asks for them; not always published."""

    @cached_property
    def rows(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    @cached_property
    def own(self) -> FrequencySet:
        """The frequency set of the table alone, without a population."""
        if self.population is None:
            return self
        present = int(np.count_nonzero(self.counts))
        return replace(self, codes=self.codes[:present], counts=self.counts[:present], population=None)

    @property
    def heights(self) -> tuple[int, ...]:
        """The highest level of each attribute."""
        return tuple(hierarchy.height for hierarchy in self.hierarchies)

    @cached_property
    def attribute_weights(self) -> FloatArray:
        """The weight of each attribute in the metrics."""
        return np.array(self.weights or [1.0] * len(self.attributes))

    @cached_property
    def attribute_sets(self) -> tuple[tuple[int, ...], ...]:
        """The quasi-identifier sets as positions in ``attributes``."""
        return self.sets or (tuple(range(len(self.attributes))),)

    @cached_property
    def value_offsets(self) -> IntArray:
        """Where the values of each attribute begin when all attributes are laid out one after the other."""
        return np.cumsum([0, *(len(hierarchy.values) for hierarchy in self.hierarchies)], dtype=np.int64)

    @cached_property
    def marginals(self) -> tuple[IntArray, ...]:
        """Per attribute, the number of records of each value at level 0."""
        return tuple(
            np.bincount(self.codes[:, position], self.counts, minlength=len(hierarchy.values)).astype(np.int64)
            for position, hierarchy in enumerate(self.hierarchies)
        )
