"""Data swapping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.algorithms.tables.base import Perturbation
from krypsis.algorithms.tables.perturbation.cells import categories, cells_of, missing_in
from krypsis.arrays import IntArray
from krypsis.data.columns import AnyColumn, CategoryColumn
from krypsis.models.base import Names


class DataSwapping(Perturbation):
    """Some pairs of records exchange their values: every column keeps exactly the values it had.

    Notes
    -----
    Pairs are drawn at random among the records that agree in the columns named by ``within`` and have a value; a
    ``rate`` of 0.1 exchanges the values of one record in ten. What ``within`` and a column say together stays exactly
    as it is, too. Columns are swapped independently of each other unless ``together``.

    Examples
    --------
    >>> sex = CategoryColumn("sex", np.array([0, 0, 1, 1], dtype=np.int32), ("f", "m"))
    >>> DataSwapping(rate=1).perturb({"sex": sex}, np.random.default_rng(5))["sex"].codes
    array([1, 1, 0, 0], dtype=int32)
    """

    name: ClassVar[str] = "data-swapping"
    works_on: ClassVar[Literal["numbers", "categories", "both"]] = "categories"
    guarantee: ClassVar[str] = (
        "This release promises nothing about groups: some records exchanged values with others, so a match with a "
        "person may be wrong. The records that were not swapped are as they were, and a value that only one person has "
        "still shows that this person is in the data."
    )
    reference: ClassVar[str] = "Dalenius, Reiss, Data-swapping: a technique for disclosure control, JSPI 6(1), 1982"

    rate: float = Field(default=0.1, gt=0, le=1, description="share of the records whose values are exchanged")
    within: Names = Field(
        default=(), description="columns in which both records of a pair agree; they stay as they are"
    )
    together: bool = Field(
        default=False, description="whether the columns of a record move together, which keeps what is between them"
    )

    @property
    def reads(self) -> tuple[str, ...]:
        return self.within

    def perturb(self, columns: Mapping[str, AnyColumn], rng: np.random.Generator) -> Mapping[str, AnyColumn]:
        chosen = categories(columns, self.within)
        fixed = categories({name: columns[name] for name in self.within})
        moving = [chosen] if self.together else [[column] for column in chosen]
        return {column.name: column for part in moving for column in self._swapped(part, fixed, rng)}

    def _swapped(
        self, columns: Sequence[CategoryColumn], fixed: Sequence[CategoryColumn], rng: np.random.Generator
    ) -> list[CategoryColumn]:
        records = len(columns[0].codes)
        empty = np.all([missing_in(column) for column in columns], axis=0)
        # Pairs are drawn inside cells of ``within``, so the joint counts of these columns and the swapped one stay.
        cells = cells_of(fixed, columns, records)
        ones, others = _pairs(np.flatnonzero(~empty), cells, rng)
        swapped = rng.permutation(len(ones))[: round(self.rate * records / 2)]
        source = np.arange(records)
        source[ones[swapped]], source[others[swapped]] = others[swapped], ones[swapped]
        return [replace(column, codes=column.codes[source]) for column in columns]


def _pairs(records: IntArray, cells: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Pair the records of each cell at random; of an odd number one is left over."""
    shuffled = rng.permutation(records)
    order = shuffled[np.argsort(cells[shuffled], kind="stable")]
    own = cells[order]
    starts = np.flatnonzero(np.r_[True, own[1:] != own[:-1]]) if len(own) else own
    position = np.arange(len(own)) - np.repeat(starts, np.diff(np.r_[starts, len(own)]))
    first = np.flatnonzero(position[:-1] % 2 == 0)
    first = first[own[first] == own[first + 1]]
    return order[first], order[first + 1]
