"""How often neighbors of a vertex are neighbors of each other: counted, or estimated where that takes long."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.data.graphs.figures import triangles
from krypsis.data.graphs.graph import Graph
from krypsis.data.graphs.neighborhoods import has_neighbor
from krypsis.kernels._jit import compiled

MOST_WORK = 5_000_000_000
"""Pairs of neighbors that are looked at to count triangles; about half a minute."""
DRAWN = 200_000
"""Pairs of neighbors that are drawn where counting would take longer."""
CERTAINTY = 1.96
"""Standard errors within which 95 of 100 estimates lie."""


@dataclass(frozen=True)
class ClusteringCoefficients:
    """The average clustering of vertices, and the share of all pairs of neighbors that are joined.

    References
    ----------
    Watts, Strogatz, "Collective dynamics of 'small-world' networks", Nature 393, 1998. Schank, Wagner, "Approximating
    clustering coefficient and transitivity", Journal of Graph Algorithms and Applications 9(2), 2005.

    Examples
    --------
    >>> triangle_with_tail = Graph.of_codes(np.array([[0, 1], [1, 2], [0, 2], [2, 3]]), 4)
    >>> ClusteringCoefficients.of(triangle_with_tail)
    ClusteringCoefficients(average=0.583..., transitivity=0.6, error=0.0)
    """

    average: float
    """The mean over all vertices of the share of their pairs of neighbors that are joined; 0 without pairs."""
    transitivity: float
    error: float
    """Within which both are known, with 95 % certainty; 0 if they were counted."""

    @classmethod
    def of(cls, graph: Graph, rng: np.random.Generator | None = None, most_work: int = MOST_WORK) -> Self:
        """Count triangles, or draw pairs of neighbors if counting takes too much work."""
        if work_of(graph) > most_work:
            return cls._drawn(graph, np.random.default_rng(0) if rng is None else rng)
        pairs = graph.degrees * (graph.degrees - 1) // 2
        counted = triangles(graph)
        average = float((counted / np.maximum(pairs, 1)).mean()) if graph.vertices else 0.0
        return cls(average, float(counted.sum() / max(int(pairs.sum()), 1)), 0.0)

    @classmethod
    def _drawn(cls, graph: Graph, rng: np.random.Generator) -> Self:
        """Draw vertices, each as likely, and pairs, each as likely; and see how many of the pairs are joined."""
        pairs = graph.degrees * (graph.degrees - 1) // 2
        anyone = rng.integers(0, graph.vertices, DRAWN)
        centre = np.searchsorted(np.cumsum(pairs), rng.integers(0, pairs.sum(), DRAWN), side="right")
        starts, neighbors = graph.starts, graph.neighbors
        average = count_joined(starts, neighbors, anyone, rng.random((DRAWN, 2))) / DRAWN
        transitivity = count_joined(starts, neighbors, centre, rng.random((DRAWN, 2))) / DRAWN
        # By the normal approximation; the larger of the two, and never less than one pair more or less.
        spread = max(share * (1 - share) for share in (average, transitivity))
        return cls(average, transitivity, max(CERTAINTY * float(np.sqrt(spread / DRAWN)), 1 / DRAWN))


def work_of(graph: Graph) -> int:
    """Return how many pairs of neighbors are looked at to count all triangles."""
    low, high = graph.edges[:, 0], graph.edges[:, 1]
    degrees = graph.degrees
    # An edge is kept at its end of lower degree, as in counting.
    ranked = np.where(degrees[high] >= degrees[low], low, high)
    other = np.where(degrees[high] >= degrees[low], high, low)
    kept = np.bincount(ranked, minlength=graph.vertices)
    return int(kept[other].sum())


@compiled
def count_joined(starts: IntArray, neighbors: CodeArray, centres: IntArray, drawn: FloatArray) -> int:
    """Count the centres of which two different neighbors, as drawn, are neighbors of each other."""
    joined = 0
    for position in range(len(centres)):
        begin, degree = starts[centres[position]], starts[centres[position] + 1] - starts[centres[position]]
        if degree < 2:
            continue
        first = int(drawn[position, 0] * degree)
        second = int(drawn[position, 1] * (degree - 1))
        if second >= first:
            second += 1
        one, other = neighbors[begin + first], neighbors[begin + second]
        joined += has_neighbor(neighbors, starts[one], starts[one + 1], other)
    return joined
