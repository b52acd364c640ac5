"""Data swapping and rank swapping."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.algorithms.tables.base import Perturbation
from krypsis.algorithms.tables.perturbation.cells import categories, cells_of, missing_in, numbers
from krypsis.arrays import FloatArray, IntArray
from krypsis.data.columns import AnyColumn, CategoryColumn, NumericColumn
from krypsis.kernels._jit import compiled
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


@compiled
def partners(last: IntArray, draws: FloatArray) -> IntArray:
    """Return the partner of each rank, itself where it has none.

    From the lowest rank on, a free rank ``i`` takes a free one from ``i + 1`` to ``last[i]``, each with the same
    chance; ``draws[i]``, a number from 0 on and below 1, decides which. A tree of counts finds the n-th free rank in a
    number of steps that grows with the logarithm of the ranks.

    Examples
    --------
    >>> partners(np.array([1, 3, 3, 3]), np.array([0.5, 0.0, 0.9, 0.0]))
    array([1, 0, 3, 2])
    """
    count = len(last)
    chosen = np.arange(count)
    free = np.ones(count, dtype=np.bool_)
    size = 1
    while size < count:
        size *= 2
    tree = np.zeros(size + 1, dtype=np.int64)
    for rank in range(count):
        _add(tree, rank, 1)
    for rank in range(count):
        if not free[rank]:
            continue
        before = _up_to(tree, rank)
        # J = the free ranks j with i < j <= last[i].
        candidates = _up_to(tree, last[rank]) - before
        if candidates <= 0:
            continue
        # Swap i with a random j of J; both are free no longer.
        other = _nth(tree, before + int(draws[rank] * candidates))
        chosen[rank], chosen[other] = other, rank
        free[rank], free[other] = False, False
        _add(tree, rank, -1)
        _add(tree, other, -1)
    return chosen


@compiled
def _add(tree: IntArray, rank: int, amount: int) -> None:
    position = rank + 1
    while position < len(tree):
        tree[position] += amount
        position += position & -position


@compiled
def _up_to(tree: IntArray, rank: int) -> int:
    """Return how many of the ranks up to this one are free."""
    position, total = rank + 1, 0
    while position > 0:
        total += tree[position]
        position -= position & -position
    return total


@compiled
def _nth(tree: IntArray, before: int) -> int:
    """Return the free rank that has as many free ones before it."""
    position, step = 0, len(tree) - 1
    # Descend in the Fenwick tree: skip a block while all its free ranks come before the wanted one.
    while step > 0:
        if position + step < len(tree) and tree[position + step] <= before:
            position += step
            before -= tree[position]
        step //= 2
    return position


class RankSwapping(Perturbation):
    """Every number changes places with one that is not far from it: each column keeps exactly the values it had.

    Notes
    -----
    The values of a column are sorted. From the lowest on, each one that has no partner yet is exchanged with a random
    one without partner at most ``p`` % of the ranks above it; one that finds none stays. With ``range="values"`` the
    partner is at most ``p`` % of the value itself above it. Columns are swapped independently of each other, so what
    is between them fades as ``p`` grows. The cost is that of sorting.

    Examples
    --------
    >>> ages = NumericColumn("age", np.array([20.0, 30, 40, 50]))
    >>> RankSwapping(p=25).perturb({"age": ages}, np.random.default_rng(1))["age"].values
    array([30., 20., 50., 40.])
    """

    name: ClassVar[str] = "rank-swapping"
    works_on: ClassVar[Literal["numbers", "categories", "both"]] = "numbers"
    guarantee: ClassVar[str] = (
        "This release promises nothing about groups: every number belongs to somebody, most likely to somebody else, "
        "who is near in rank. All original numbers are published, the extreme ones too, and who knows a person's value "
        "and how far values were moved can narrow down the person's record."
    )
    reference: ClassVar[str] = "Moore, Controlled data-swapping techniques for masking public use microdata, 1996"

    p: float = Field(default=5, gt=0, le=100, description="how far a value may move: percent of the ranks, or of it")
    range: Literal["ranks", "values"] = Field(
        default="ranks", description="what p is a percentage of: the number of ranks, or the value itself"
    )

    def perturb(self, columns: Mapping[str, AnyColumn], rng: np.random.Generator) -> Mapping[str, AnyColumn]:
        return {column.name: self._swapped(column, rng) for column in numbers(columns)}

    def _swapped(self, column: NumericColumn, rng: np.random.Generator) -> NumericColumn:
        # Equal values come in random order: in that of the table, neighbors would be swapped with each other.
        known = rng.permutation(np.flatnonzero(~np.isnan(column.values)))
        order = known[np.argsort(column.values[known], kind="stable")]
        ordered = column.values[order]
        values = column.values.copy()
        values[order] = ordered[partners(self._farthest(ordered), rng.random(len(order)))]
        return replace(column, values=values)

    def _farthest(self, ordered: FloatArray) -> IntArray:
        """Return the highest rank that each rank may be swapped with."""
        ranks = np.arange(len(ordered))
        if self.range == "values":
            highest = ordered + self.p / 100 * np.abs(ordered)
            return np.searchsorted(ordered, highest, side="right").astype(np.int64) - 1
        return np.minimum(ranks + int(self.p / 100 * len(ordered) + 1e-9), len(ordered) - 1)
