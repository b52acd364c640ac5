"""A recoding says how each record is changed: what an algorithm finds and an engine applies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from krypsis.arrays import BoolArray, CodeArray, FloatArray, IntArray
from krypsis.data.frequency import FrequencySet
from krypsis.data.hierarchies.base import Hierarchy, Label

Trace = tuple[Mapping[str, object], ...]
"""One mapping per step, for algorithms that explain themselves."""


@dataclass(frozen=True, eq=False)
class FullDomain:
    """Every value of an attribute goes to the same level; the records of some tuples are suppressed.

    ``suppressed[tuple]`` refers to the tuples of the frequency set the recoding was found on. ``lower_bound`` is a
    score that no recoding of the same search space can beat, where the algorithm has proven one.
    """

    levels: tuple[int, ...]
    suppressed: BoolArray
    trace: Trace = field(default=())
    lower_bound: float | None = None


@dataclass(frozen=True, eq=False)
class Codebook:
    """What an attribute may be published as: different labels, each with the values it stands for.

    ``values[starts[code] : ends[code]]`` are the level-0 codes below the label ``code``; labels may overlap, as ranges
    do that different groups of records are published with. ``climbed`` says how far up its hierarchy a label is, from
    0 (a value itself) to 1 (the top).

    Examples
    --------
    >>> job = Hierarchy.from_rows([["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"]])
    >>> book = Codebook.of_level(job, 1)
    >>> book.labels, book.leaves.tolist(), book.climbed.tolist()
    (('x', 'y'), [2, 1], [0.5, 0.5])
    """

    labels: tuple[Label, ...]
    starts: IntArray
    ends: IntArray
    values: IntArray
    climbed: FloatArray

    @classmethod
    def of(cls, members: Mapping[Label, Sequence[int]], climbed: Sequence[float]) -> Codebook:
        """Return the codebook of labels with the level-0 codes below each."""
        edges = np.cumsum([0, *map(len, members.values())], dtype=np.int64)
        values = [value for below in members.values() for value in below]
        return cls(
            tuple(members),
            edges[:-1],
            edges[1:],
            np.array(values, dtype=np.int64),
            np.array(climbed, dtype=np.float64),
        )

    @classmethod
    def of_level(cls, hierarchy: Hierarchy, level: int) -> Codebook:
        """Return the labels of one level of a hierarchy."""
        codes = hierarchy.table[level]
        counts = np.bincount(codes, minlength=len(hierarchy.labels[level]))
        ends = np.cumsum(counts, dtype=np.int64)
        return cls(
            hierarchy.labels[level],
            ends - counts,
            ends,
            np.argsort(codes, kind="stable").astype(np.int64),
            np.full(len(counts), level / max(hierarchy.height, 1)),
        )

    @cached_property
    def leaves(self) -> IntArray:
        """The number of values each label stands for."""
        return self.ends - self.starts

    def below(self, code: int) -> IntArray:
        """Return the level-0 codes that a label stands for."""
        return self.values[self.starts[code] : self.ends[code]]

    def weigh(self, marginal: IntArray) -> IntArray:
        """Return the number of records of the whole table that each label stands for."""
        sums = np.concatenate([[0], np.cumsum(marginal[self.values])])
        weights: IntArray = (sums[self.ends] - sums[self.starts]).astype(np.int64)
        return weights


@dataclass(frozen=True, eq=False)
class CellRecoding:
    """Every tuple has its own label in every attribute: ``released[tuple, attribute]`` is a code of its codebook."""

    released: CodeArray
    codebooks: tuple[Codebook, ...]
    suppressed: BoolArray
    trace: Trace = field(default=())
    lower_bound: float | None = None


Recoding = FullDomain | CellRecoding


def as_cells(recoding: Recoding, frequency: FrequencySet) -> CellRecoding:
    """Return a recoding in the form that says everything cell by cell."""
    if isinstance(recoding, CellRecoding):
        return recoding
    books = tuple(map(Codebook.of_level, frequency.hierarchies, recoding.levels))
    columns = [
        hierarchy.table[level][frequency.codes[:, position]]
        for position, (hierarchy, level) in enumerate(zip(frequency.hierarchies, recoding.levels, strict=True))
    ]
    return CellRecoding(np.stack(columns, axis=1), books, recoding.suppressed, recoding.trace, recoding.lower_bound)
