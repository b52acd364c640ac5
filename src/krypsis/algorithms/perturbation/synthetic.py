"""Synthetic data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.algorithms.base import Perturbation
from krypsis.algorithms.perturbation.dependence import chow_liu, pair_counts
from krypsis.algorithms.perturbation.marginals import Marginal, fit
from krypsis.arrays import IntArray
from krypsis.columns import AnyColumn
from krypsis.models.base import Names


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
    >>> from krypsis.columns import CategoryColumn
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
        told = np.where((counts >= self.rare) & (wanted.chances[second] > 0), counts, 0)
        totals = np.bincount(given.parts, minlength=len(given.chances))
        starts = np.searchsorted(first, np.arange(len(given.chances) + 1))
        result = np.empty(len(parts), dtype=np.int64)
        for part, records in _by_part(parts):
            here = slice(starts[part], starts[part + 1])
            known = np.bincount(second[here], weights=told[here], minlength=len(wanted.chances))
            # What is too rare to be told is drawn as if it did not depend on anything.
            chances = known + (totals[part] - known.sum()) * wanted.chances
            result[records] = rng.choice(len(chances), len(records), p=chances / chances.sum())
        return result


def _by_part(parts: IntArray) -> Iterator[tuple[int, IntArray]]:
    """Yield each part that occurs, with its records."""
    order = np.argsort(parts, kind="stable")
    present, starts = np.unique(parts[order], return_index=True)
    yield from zip(present.tolist(), np.split(order, starts[1:]), strict=True)
