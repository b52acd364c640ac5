"""Synthetic data."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.algorithms.tables.base import Perturbation
from krypsis.arrays import FloatArray, IntArray
from krypsis.data.columns import AnyColumn, CategoryColumn, NumericColumn
from krypsis.errors import UsageError
from krypsis.models.base import Names

Edge = tuple[int | None, int]
"""A column, and the one before it that it depends on."""


def chow_liu(columns: Sequence[IntArray]) -> list[Edge]:
    """Return the columns in an order in which each comes after the one it depends on; the first depends on none.

    Of all trees this one keeps most of what the columns say about each other.

    Examples
    --------
    >>> age, zip_code = np.array([0, 0, 1, 1, 0, 1]), np.array([0, 1, 0, 1, 1, 0])
    >>> chow_liu([age, zip_code, age])
    [(None, 0), (0, 2), (0, 1)]
    """
    edges: list[Edge] = [(None, 0)]
    nearest = {place: (mutual_information(columns[0], columns[place]), 0) for place in range(1, len(columns))}
    # Prim's algorithm: the maximum spanning tree of the pairwise mutual information is the Chow-Liu tree.
    while nearest:
        chosen = max(nearest, key=lambda place: (nearest[place][0], -place))
        edges.append((nearest.pop(chosen)[1], chosen))
        for place, (most, _) in nearest.items():
            if (information := mutual_information(columns[chosen], columns[place])) > most:
                nearest[place] = (information, chosen)
    return edges


def pair_counts(one: IntArray, other: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the pairs of values that occur, and how often."""
    width = int(other.max(initial=0)) + 1
    keys, counts = np.unique(one * width + other, return_counts=True)
    return keys // width, keys % width, counts


def mutual_information(one: IntArray, other: IntArray) -> float:
    """Return how many nats the columns reveal about each other.

    Examples
    --------
    >>> round(mutual_information(np.array([0, 1, 0, 1]), np.array([1, 0, 1, 0])), 4)
    0.6931
    """
    first, second, counts = pair_counts(one, other)
    shares = counts / len(one)
    expected: FloatArray = np.bincount(one)[first] / len(one) * (np.bincount(other)[second] / len(one))
    return float((shares * np.log(shares / expected)).sum())


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


class Synthetic(Perturbation):
    """Records are drawn anew from a model of the data: no published record belongs to anybody.

    Notes
    -----
    A column with more than ``bins`` different numbers is cut into as many ranges with about equally many records, and
    numbers are drawn evenly from a range; other numbers and categories are drawn as often as they occur. With
    ``model="tree"`` each column is drawn given the one it depends on most (the tree of Chow and Liu), which keeps what
    neighbors in the tree say about each other; with ``model="independent"`` nothing between columns stays.

    Values with fewer than ``rare`` records are never drawn, and the ``rare - 1`` smallest and largest numbers are cut
    off. Pairs of values that are that rare are drawn as if the columns were independent.

    Examples
    --------
    >>> from krypsis.data.columns import CategoryColumn
    >>> sex = CategoryColumn("sex", np.array([0] * 50 + [1] * 50, dtype=np.int32), ("f", "m"))
    >>> len(Synthetic(size=7).perturb({"sex": sex}, np.random.default_rng(1))["sex"].codes)
    7
    """

    name: ClassVar[str] = "synthetic"
    works_on: ClassVar[Literal["numbers", "categories", "both"]] = "both"
    changes: ClassVar[Literal["quasi-identifiers", "all columns"]] = "all columns"
    guarantee: ClassVar[str] = (
        "This release promises nothing about groups, and it is no differential privacy: its records were drawn from a "
        "model fitted to the data, so none belongs to a person. The model itself is not protected: a value that only "
        "few people have may show, and what holds for a small group of people may be learned."
    )
    reference: ClassVar[str] = (
        "Rubin, Statistical disclosure limitation, JOS 9(2), 1993; Chow, Liu, Approximating discrete probability "
        "distributions with dependence trees, IEEE TIT 14(3), 1968"
    )

    model: Literal["independent", "tree"] = Field(
        default="independent", description="whether columns are drawn independently, or each given another"
    )
    bins: int = Field(default=20, ge=1, le=10_000, description="ranges that a column of many numbers is cut into")
    rare: int = Field(default=5, ge=1, description="values with fewer records than this are never drawn")
    size: int | None = Field(
        default=None, ge=1, le=10**9, description="records to draw; as many as there are unless given"
    )

    categories: Names = Field(default=(), description="columns whose numbers are codes, such as zip: drawn as they are")

    def form_of(self, name: str) -> Literal["numbers", "categories", "both"]:
        return "categories" if name in self.categories else self.works_on

    def perturb(self, columns: Mapping[str, AnyColumn], rng: np.random.Generator) -> Mapping[str, AnyColumn]:
        marginals = [fit(column, self.bins, self.rare) for column in columns.values()]
        size = len(marginals[0].parts) if self.size is None else self.size
        tree = chow_liu([marginal.parts for marginal in marginals]) if self.model == "tree" else None
        edges = [(None, place) for place in range(len(marginals))] if tree is None else tree
        drawn: dict[int, IntArray] = {}
        for given, place in edges:
            drawn[place] = (
                rng.choice(len(marginals[place].chances), size, p=marginals[place].chances)
                if given is None
                else self._draw_given(marginals[given], drawn[given], marginals[place], rng)
            )
        return {name: marginals[place].draw(drawn[place], rng) for place, name in enumerate(columns)}

    def _draw_given(self, given: Marginal, parts: IntArray, wanted: Marginal, rng: np.random.Generator) -> IntArray:
        """Draw parts of a column, record by record, given the parts of another."""
        first, second, counts = pair_counts(given.parts, wanted.parts)
        frequent = np.where((counts >= self.rare) & (wanted.chances[second] > 0), counts, 0)
        totals = np.bincount(given.parts, minlength=len(given.chances))
        starts = np.searchsorted(first, np.arange(len(given.chances) + 1))
        result = np.empty(len(parts), dtype=np.int64)
        for part, records in _by_part(parts):
            here = slice(starts[part], starts[part + 1])
            known = np.bincount(second[here], weights=frequent[here], minlength=len(wanted.chances))
            # What is too rare to be published is drawn as if it did not depend on anything.
            chances = known + (totals[part] - known.sum()) * wanted.chances
            result[records] = rng.choice(len(chances), len(records), p=chances / chances.sum())
        return result


def _by_part(parts: IntArray) -> Iterator[tuple[int, IntArray]]:
    """Yield each part that occurs, with its records."""
    order = np.argsort(parts, kind="stable")
    present, starts = np.unique(parts[order], return_index=True)
    yield from zip(present.tolist(), np.split(order, starts[1:]), strict=True)
