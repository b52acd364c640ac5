"""How much the degrees of vertices changed."""

from typing import ClassVar

import numpy as np

from krypsis.arrays import IntArray
from krypsis.data.graphs import Graph, PublishedGraph
from krypsis.metrics.graphs.base import GraphMetric, world_of


class DegreeChange(GraphMetric):
    """By how many edges the degree of a vertex changed, on average: per vertex, and not between sorted lists.

    References
    ----------
    Liu, Terzi, "Towards identity anonymization on graphs", SIGMOD 2008, where it is the sum.

    Examples
    --------
    >>> before, after = Graph.of_codes(np.array([[0, 1]]), 3), Graph.of_codes(np.array([[1, 2]]), 3)
    >>> round(DegreeChange().measure(before, after, np.arange(3), np.random.default_rng(1)), 4)
    0.6667
    """

    name: ClassVar[str] = "degree-change"
    formula: ClassVar[str] = "Σ_v |d'(v) - d(v)| / |V|"
    range: ClassVar[str] = "0 where no degree changed, without limit"
    sentence: ClassVar[str] = "by how many edges the degree of a vertex changed, on average"
    reference: ClassVar[str] = "Liu, Terzi, Towards identity anonymization on graphs, SIGMOD 2008"

    def measure(self, original: Graph, published: PublishedGraph, places: IntArray, rng: np.random.Generator) -> float:
        world, where = world_of(published, places, rng)
        is_there = where >= 0
        after = np.zeros(original.vertices, dtype=np.int64)
        after[is_there] = world.degrees[where[is_there]]
        return float(np.abs(after - original.degrees).mean()) if original.vertices else 0.0


class DegreeDistributionDistance(GraphMetric):
    """How far the distribution of degrees was moved: the earth mover's distance.

    References
    ----------
    Rubner, Tomasi, Guibas, "A metric for distributions with applications to image databases", ICCV 1998.

    Examples
    --------
    >>> before, after = Graph.of_codes(np.array([[0, 1]]), 3), Graph.of_codes(np.array([[1, 2]]), 3)
    >>> DegreeDistributionDistance().measure(before, after, np.arange(3), np.random.default_rng(1))
    0.0
    """

    name: ClassVar[str] = "degree-distribution"
    formula: ClassVar[str] = "∫ |F(d) - F'(d)| dd"
    range: ClassVar[str] = "0 where the distributions are the same, without limit"
    sentence: ClassVar[str] = "by how many edges the sorted list of degrees changed, on average"
    reference: ClassVar[str] = (
        "Rubner, Tomasi, Guibas, A metric for distributions with applications to image databases, ICCV 1998"
    )

    def measure(self, original: Graph, published: PublishedGraph, places: IntArray, rng: np.random.Generator) -> float:
        world, _ = world_of(published, places, rng)
        if not original.vertices or not world.vertices:
            return 0.0
        most = int(max(original.degrees.max(), world.degrees.max())) + 1
        shares = [np.bincount(one.degrees, minlength=most) / one.vertices for one in (original, world)]
        return float(np.abs(np.cumsum(shares[0] - shares[1])).sum())
