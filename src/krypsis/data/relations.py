"""Relations: several tables whose rows belong to subjects, as integer codes."""

from dataclasses import dataclass

import numpy as np

from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.data.hierarchies.base import Hierarchy


@dataclass(frozen=True, eq=False)
class SubjectRows:
    """The rows of one table: ``subjects[row]`` is whose row it is, ``codes[row, place]`` what may be known of it.

    ``attributes[place]`` is the position of a column among all attributes.
    """

    subjects: IntArray
    attributes: tuple[int, ...]
    codes: CodeArray


@dataclass(frozen=True, eq=False)
class Relations:
    """What a search over several tables works on: the quasi-identifiers of all of them, and whose rows they are in.

    Every quasi-identifier of every table is an attribute of its own, at level 0 of its hierarchy. Subjects are numbers
    from 0 on; a subject may have no rows in a table.
    """

    attributes: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]
    tables: tuple[SubjectRows, ...]
    subjects: int
    weights: tuple[float, ...] = ()
    """The weight of each attribute in the metric; empty means 1 for all."""

    @property
    def heights(self) -> tuple[int, ...]:
        """The highest level of each attribute."""
        return tuple(hierarchy.height for hierarchy in self.hierarchies)

    @property
    def attribute_weights(self) -> FloatArray:
        """The weight of each attribute in the metric."""
        return np.array(self.weights or [1.0] * len(self.attributes))
