"""How much figures of the structure changed: clustering, paths, mixing, spectrum, cores, centrality, communities."""

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from pydantic import Field

from krypsis.arrays import IntArray
from krypsis.data.graphs import Graph, PublishedGraph
from krypsis.data.graphs.clustering import ClusteringCoefficients
from krypsis.data.graphs.figures import (
    PathLengths,
    agreement,
    assortativity,
    betweenness,
    communities,
    core_numbers,
    leading_eigenvalues,
    most_sources,
)
from krypsis.metrics.graphs.base import GraphMetric, world_of


class FigureChange(GraphMetric):
    """By how much a figure of the whole graph changed."""

    range: ClassVar[str] = "0 where the figure is the same, without limit"
    formula: ClassVar[str] = "|f(G') - f(G)|"

    @abstractmethod
    def figure(self, graph: Graph, rng: np.random.Generator) -> float:
        """Return the figure of a graph."""

    def measure(self, original: Graph, published: PublishedGraph, places: IntArray, rng: np.random.Generator) -> float:
        world, _ = world_of(published, places, rng)
        return abs(self.figure(world, rng) - self.figure(original, rng))


class ClusteringChange(FigureChange):
    """By how much the average clustering coefficient changed."""

    name: ClassVar[str] = "clustering-change"
    sentence: ClassVar[str] = "by how much the average share of joined pairs among the neighbors of a vertex changed"
    reference: ClassVar[str] = "Watts, Strogatz, Collective dynamics of small-world networks, Nature 393, 1998"

    def figure(self, graph: Graph, rng: np.random.Generator) -> float:
        return ClusteringCoefficients.of(graph, rng).average


class TransitivityChange(FigureChange):
    """By how much the transitivity changed."""

    name: ClassVar[str] = "transitivity-change"
    sentence: ClassVar[str] = "by how much the share of all pairs of neighbors that are joined changed"
    reference: ClassVar[str] = "Newman, The structure and function of complex networks, SIAM Review 45, 2003"

    def figure(self, graph: Graph, rng: np.random.Generator) -> float:
        return ClusteringCoefficients.of(graph, rng).transitivity


class AssortativityChange(FigureChange):
    """By how much the correlation of the degrees of joined vertices changed."""

    name: ClassVar[str] = "assortativity-change"
    sentence: ClassVar[str] = "by how much the correlation of the degrees of joined vertices changed"
    reference: ClassVar[str] = "Newman, Assortative mixing in networks, Physical Review Letters 89, 2002"

    def figure(self, graph: Graph, rng: np.random.Generator) -> float:  # noqa: ARG002
        return assortativity(graph)


class EigenvalueChange(GraphMetric):
    """By what share the leading eigenvalues of the adjacency matrix changed, together."""

    name: ClassVar[str] = "eigenvalue-change"
    formula: ClassVar[str] = "Σ_i |λ_i(G') - λ_i(G)| / Σ_i |λ_i(G)|"
    range: ClassVar[str] = "0 where none changed, without limit"
    sentence: ClassVar[str] = (
        "by what share the leading eigenvalues changed, which say how fast something spreads and how the graph divides"
    )
    reference: ClassVar[str] = (
        "Wang, Chakrabarti, Wang, Faloutsos, Epidemic spreading in real networks: an eigenvalue viewpoint, SRDS 2003"
    )

    count: int = Field(default=5, ge=1, le=100, description="how many eigenvalues are compared")

    def measure(self, original: Graph, published: PublishedGraph, places: IntArray, rng: np.random.Generator) -> float:
        world, _ = world_of(published, places, rng)
        before, after = (leading_eigenvalues(graph, self.count) for graph in (original, world))
        total = float(np.abs(before).sum())
        return float(np.abs(after - before).sum()) / total if total else 0.0


class PathLengthChange(GraphMetric):
    """By how much the average length of shortest paths changed, estimated as :class:`BetweennessRankLoss` is."""

    name: ClassVar[str] = "path-length-change"
    formula: ClassVar[str] = FigureChange.formula
    range: ClassVar[str] = FigureChange.range
    sentence: ClassVar[str] = "by how many edges the average shortest path between two vertices changed"
    reference: ClassVar[str] = "Watts, Strogatz, Collective dynamics of small-world networks, Nature 393, 1998"

    def measure(self, original: Graph, published: PublishedGraph, places: IntArray, rng: np.random.Generator) -> float:
        return self.estimate(original, published, places, rng)[0]

    def estimate(
        self, original: Graph, published: PublishedGraph, places: IntArray, rng: np.random.Generator
    ) -> tuple[float, float]:
        before, after = _path_lengths(original, published, places, rng)
        return abs(after.mean - before.mean), float(np.hypot(after.error, before.error))


class DiameterChange(GraphMetric):
    """By how much the effective diameter changed: the distance within which nine of ten joined pairs are."""

    name: ClassVar[str] = "diameter-change"
    formula: ClassVar[str] = FigureChange.formula
    range: ClassVar[str] = FigureChange.range
    sentence: ClassVar[str] = "by how many edges the distance changed within which nine of ten joined pairs are"
    reference: ClassVar[str] = (
        "Leskovec, Kleinberg, Faloutsos, Graphs over time: densification laws, shrinking diameters and possible "
        "explanations, KDD 2005"
    )

    def measure(self, original: Graph, published: PublishedGraph, places: IntArray, rng: np.random.Generator) -> float:
        before, after = _path_lengths(original, published, places, rng)
        return abs(after.effective_diameter - before.effective_diameter)


class CorenessChange(GraphMetric):
    """By how much the core number of a vertex changed, on average."""

    name: ClassVar[str] = "coreness-change"
    formula: ClassVar[str] = "Σ_v |c'(v) - c(v)| / |V|"
    range: ClassVar[str] = "0 where no core number changed, without limit"
    sentence: ClassVar[str] = "by how much the core number of a vertex changed, on average"
    reference: ClassVar[str] = "Seidman, Network structure and minimum degree, Social Networks 5, 1983"

    def measure(self, original: Graph, published: PublishedGraph, places: IntArray, rng: np.random.Generator) -> float:
        world, where = world_of(published, places, rng)
        is_there = where >= 0
        change = np.abs(core_numbers(world)[where[is_there]] - core_numbers(original)[is_there])
        return float(change.mean()) if len(change) else 0.0


class BetweennessRankLoss(GraphMetric):
    """How much the ranking of vertices by betweenness changed: one minus Spearman's correlation.

    Betweenness is estimated from at most 200 vertices, the same ones in both graphs; from fewer where there are more
    than half a million edges.
    """

    name: ClassVar[str] = "betweenness-rank-loss"
    formula: ClassVar[str] = "1 - ρ(b, b')"
    range: ClassVar[str] = "0 where the ranking is the same, to 2 where it is reversed"
    sentence: ClassVar[str] = "how much the ranking of vertices by the shortest paths through them changed"
    reference: ClassVar[str] = "Brandes, Pich, Centrality estimation in large networks, IJBC 17, 2007"

    def measure(self, original: Graph, published: PublishedGraph, places: IntArray, rng: np.random.Generator) -> float:
        world, where = world_of(published, places, rng)
        is_there = where >= 0
        sources, theirs = _sources(original, world, where, rng)
        before, after = betweenness(original, sources)[is_there], betweenness(world, theirs)[where[is_there]]
        if len(before) < 2 or before.std() == 0 or after.std() == 0:
            return 0.0
        from scipy.stats import rankdata  # noqa: PLC0415  slow to import

        return float(1 - np.corrcoef(rankdata(before), rankdata(after))[0, 1])


class CommunityLoss(GraphMetric):
    """How much communities changed: one minus the normalized mutual information."""

    name: ClassVar[str] = "community-loss"
    formula: ClassVar[str] = "1 - NMI(C, C')"
    range: ClassVar[str] = "0 where communities are the same, to 1 where they say nothing about each other"
    sentence: ClassVar[str] = "how much the communities changed that most edges lie inside of"
    reference: ClassVar[str] = (
        "Blondel, Guillaume, Lambiotte, Lefebvre, Fast unfolding of communities in large networks, Journal of "
        "Statistical Mechanics, 2008"
    )

    def measure(self, original: Graph, published: PublishedGraph, places: IntArray, rng: np.random.Generator) -> float:
        world, where = world_of(published, places, rng)
        is_there = where >= 0
        seed = int(rng.integers(2**32))  # the same order for both: an unchanged graph loses nothing
        before = communities(original, np.random.default_rng(seed))
        after = communities(world, np.random.default_rng(seed))
        return 1 - agreement(before[is_there], after[where[is_there]])


def _path_lengths(
    original: Graph, published: PublishedGraph, places: IntArray, rng: np.random.Generator
) -> tuple[PathLengths, PathLengths]:
    """Return the path lengths before and after."""
    world, where = world_of(published, places, rng)
    sources, theirs = _sources(original, world, where, rng)
    return PathLengths.of(original, sources), PathLengths.of(world, theirs)


def _sources(original: Graph, world: Graph, where: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Return from which vertices of both graphs paths are followed: all, or a random sample of those in both."""
    most = most_sources(max(len(original.edges), len(world.edges)))
    if max(original.vertices, world.vertices) <= most:
        return np.arange(original.vertices), np.arange(world.vertices)
    of_both = np.flatnonzero(where >= 0)
    if not len(of_both):
        return _sample(np.arange(original.vertices), most, rng), _sample(np.arange(world.vertices), most, rng)
    sources = _sample(of_both, most, rng)
    return sources, where[sources]


def _sample(vertices: IntArray, most: int, rng: np.random.Generator) -> IntArray:
    return np.sort(rng.choice(vertices, min(most, len(vertices)), replace=False))
