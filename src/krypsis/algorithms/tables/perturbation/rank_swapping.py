"""Rank swapping."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.algorithms.tables.base import Perturbation
from krypsis.algorithms.tables.perturbation.cells import numbers
from krypsis.arrays import FloatArray, IntArray
from krypsis.data.columns import AnyColumn, NumericColumn
from krypsis.kernels._jit import compiled


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
