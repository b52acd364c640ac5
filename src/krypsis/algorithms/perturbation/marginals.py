"""Marginals: the distribution of one column, as values are drawn from it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from krypsis.arrays import FloatArray, IntArray
from krypsis.columns import AnyColumn, CategoryColumn, NumericColumn
from krypsis.errors import UsageError


@dataclass(frozen=True, eq=False)
class Marginal:
    """A column in parts: categories, single numbers, or ranges of numbers.

    ``parts`` is the part of each record; ``chances`` are those of the parts when values are drawn. The range of part
    ``i`` reaches from ``low[i]`` to ``high[i]``; ``codes`` are the codes of the parts of a category.
    """

    column: AnyColumn
    parts: IntArray
    chances: FloatArray
    low: FloatArray
    high: FloatArray

    def draw(self, parts: IntArray, rng: np.random.Generator) -> AnyColumn:
        """Return a column with a value drawn from each part given."""
        if isinstance(self.column, CategoryColumn):
            return replace(self.column, codes=parts.astype(np.int32))
        low, high = self.low[parts], self.high[parts]
        return replace(self.column, values=low + (high - low) * rng.random(len(parts)))


def fit(column: AnyColumn, bins: int, rare: int) -> Marginal:
    """Return the marginal of a column; parts with fewer than ``rare`` records are never drawn.

    Raises
    ------
    UsageError
        if every part is that rare.
    """
    if isinstance(column, CategoryColumn):
        parts, nothing = column.codes.astype(np.int64), np.full(len(column.labels), np.nan)
        return Marginal(column, parts, _chances(parts, len(column.labels), column.name, rare), nothing, nothing)
    return _fit_numbers(column, bins, rare)


def _fit_numbers(column: NumericColumn, bins: int, rare: int) -> Marginal:
    """Cut the numbers into parts of about equal size; missing is the last part."""
    known = ~np.isnan(column.values)
    distinct = np.unique(column.values[known])
    low, high = (distinct, distinct) if len(distinct) <= bins else _ranges(column, bins, rare)
    parts = np.full(len(column.values), len(low), dtype=np.int64)
    parts[known] = np.clip(np.searchsorted(low, column.values[known], side="right") - 1, 0, None)
    low, high = np.r_[low, np.nan], np.r_[high, np.nan]
    return Marginal(column, parts, _chances(parts, len(low), column.name, rare), low, high)


def _ranges(column: NumericColumn, bins: int, rare: int) -> tuple[FloatArray, FloatArray]:
    """Return ranges between quantiles; the outermost begin where there are enough records to hide the extreme ones."""
    ordered = np.sort(column.values[~np.isnan(column.values)])
    if len(ordered) < 2 * rare:
        raise UsageError(
            f"column {column.name!r} has {len(ordered)} numbers, and {rare - 1} at each end are too rare to be drawn: "
            f"nothing would be left but a few people's own; set rare to {len(ordered) // 2} at most, or leave it out"
        )
    places = np.linspace(rare - 1, len(ordered) - rare, bins + 1).round().astype(np.int64)
    edges = np.unique(ordered[places])
    return (edges[:-1], edges[1:]) if len(edges) > 1 else (edges, edges)


def _chances(parts: IntArray, count: int, name: str, rare: int) -> FloatArray:
    counts = np.bincount(parts, minlength=count).astype(np.float64)
    counts[counts < rare] = 0
    if not counts.any():
        raise UsageError(
            f"column {name!r} has no value that {rare} records share, so every value drawn would point to somebody; "
            "leave it out (columns=…), group its values first, or set rare=1"
        )
    chances: FloatArray = counts / counts.sum()
    return chances
