"""Merging of super-vertices whose vertices share sensitive values, until all are as diverse as promised."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.errors import DataError, Infeasible, UsageError, column_not_found
from krypsis.models.base import TOLERANCE
from krypsis.models.vertex_l_diversity import VertexLDiversity


@dataclass(eq=False)
class DiversityRequirement:
    """How diverse an attribute must be, and how often each super-vertex has each of its values."""

    model: VertexLDiversity
    counts: FloatArray
    """Super-vertex × value."""

    def levels(self, counts: FloatArray) -> FloatArray:
        """Return how many well-represented values there are in each row of counts."""
        if self.model.measure == "distinct":
            return np.asarray((counts > 0).sum(axis=1), dtype=np.float64)
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        return np.asarray(np.exp(-(shares * np.log(np.where(shares > 0, shares, 1))).sum(axis=1)))

    def shares(self, counts: FloatArray) -> FloatArray:
        """Return how much of what is required each row of counts has, at most 1."""
        return np.minimum(self.levels(counts) / (self.model.l * (1 - TOLERANCE)), 1)


def diversified(
    clusters: IntArray,
    degrees: IntArray,
    attributes: pl.DataFrame,
    models: Sequence[VertexLDiversity],
    sensitive: Sequence[str],
) -> IntArray:
    """Return super-vertices of which those that lack diversity are merged with others.

    Each is merged with the smallest one that makes both diverse, and of these with the one of the most similar
    degrees; where none does, with the one that comes nearest.

    Raises
    ------
    Infeasible
        if not even all vertices together are diverse enough.

    Examples
    --------
    >>> people = pl.DataFrame({"party": ["red", "red", "blue", "red", "blue", "blue"]})
    >>> promise = VertexLDiversity(l=2, attribute="party")
    >>> diversified(np.array([0, 0, 1, 1, 2, 2]), np.array([3, 3, 1, 1, 1, 1]), people, [promise], []).tolist()
    [1, 1, 1, 1, 1, 1]
    """
    number = int(clusters.max()) + 1
    requirements = [
        DiversityRequirement(model, _counts(attributes, name, clusters, number))
        for model in models
        for name in _attributes_of(model, sensitive)
    ]
    sizes = np.bincount(clusters, minlength=number)
    edges = np.bincount(clusters, degrees, minlength=number).astype(np.float64)
    goes_to = np.arange(number)
    alive = np.ones(number, dtype=np.bool_)
    while (lacking := np.flatnonzero(alive & (_shares(requirements) < 1))).size:
        poor = int(lacking[0])
        alive[poor] = False
        if not alive.any():
            raise _infeasible(requirements, poor)
        partner = _partner(requirements, poor, alive, sizes, edges)
        goes_to[goes_to == poor] = partner
        sizes[partner] += sizes[poor]
        edges[partner] += edges[poor]
        for requirement in requirements:
            requirement.counts[partner] += requirement.counts[poor]
    return goes_to[clusters]


def _attributes_of(model: VertexLDiversity, sensitive: Sequence[str]) -> Sequence[str]:
    wanted = sensitive if model.attribute is None else (model.attribute,)
    if not wanted:
        raise UsageError(f"{model.spec} is about sensitive attributes, and none has that role; name at least one")
    return wanted


def _counts(attributes: pl.DataFrame, name: str, clusters: IntArray, number: int) -> FloatArray:
    if name not in attributes.columns:
        raise column_not_found(name, attributes.columns)
    if attributes[name].null_count():
        raise DataError(
            f"{attributes[name].null_count()} vertices have no value of {name!r}, of which diversity is promised; give "
            "them a value such as 'unknown', or leave them out"
        )
    values = attributes[name].rank("dense").to_numpy().astype(np.int64) - 1
    width = int(values.max()) + 1
    return np.bincount(clusters * width + values, minlength=number * width).reshape(number, width).astype(np.float64)


def _shares(requirements: Sequence[DiversityRequirement], more: int | None = None) -> FloatArray:
    """Return how much of what is required each super-vertex has, by itself or together with one more."""
    counts = [one.counts if more is None else one.counts + one.counts[more] for one in requirements]
    return np.asarray(np.min([one.shares(rows) for one, rows in zip(requirements, counts, strict=True)], axis=0))


def _partner(
    requirements: Sequence[DiversityRequirement], poor: int, alive: BoolArray, sizes: IntArray, edges: FloatArray
) -> int:
    shares = np.where(alive, _shares(requirements, poor), -1.0)
    best = np.flatnonzero(shares == shares.max())
    distance = np.abs(edges[best] / sizes[best] - edges[poor] / sizes[poor])
    return int(best[np.lexsort((distance, sizes[best]))[0]])


def _infeasible(requirements: Sequence[DiversityRequirement], last: int) -> Infeasible:
    reached = {one.model: float(one.levels(one.counts[[last]])[0]) for one in requirements}
    model = min(reached, key=lambda one: reached[one] / one.l)
    return Infeasible(
        f"{model.spec} cannot be kept: all vertices together have {reached[model]:.3g} well-represented values",
        {"l": reached[model]},
    )
