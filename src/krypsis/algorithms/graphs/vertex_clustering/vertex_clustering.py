"""Vertex clustering."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np
import polars as pl
from pydantic import Field

from krypsis.algorithms.graphs.base import GraphMethod, GraphResult, GraphTask
from krypsis.algorithms.graphs.vertex_clustering.diversity import diversified
from krypsis.algorithms.graphs.vertex_clustering.search import annealed, climbed
from krypsis.arrays import IntArray
from krypsis.data.graphs import ClusteredGraph, Graph
from krypsis.errors import UsageError
from krypsis.models.base import PrivacyModel
from krypsis.models.candidate_anonymity import CandidateAnonymity
from krypsis.models.graph_knowledge import CandidatesModel
from krypsis.models.k_degree_anonymity import KDegreeAnonymity
from krypsis.models.k_neighborhood_anonymity import KNeighborhoodAnonymity
from krypsis.models.supervertex_anonymity import SupervertexAnonymity
from krypsis.models.vertex_l_diversity import VertexLDiversity
from krypsis.progress import NO_PROGRESS, Progress


class VertexClustering(GraphMethod):
    """Publishes groups of at least ``k`` vertices, with the number of edges inside and between them.

    Whatever an attacker knows about the edges around somebody fits all vertices of a super-vertex or none.

    Notes
    -----
    Many graphs look the same when they are clustered; the fewer, the more is known about the true one. The search
    minimizes the logarithm of their number, log |W|, and a change of a vertex costs as much as it has edges and its
    super-vertex has neighbors. ``hill`` is the search of the source: from a single super-vertex by random splits,
    mergers and moves, until fewer than 10 % of the alternatives are accepted. ``anneal`` starts with groups of similar
    vertices, swaps and moves vertices, and also accepts changes for the worse, fewer and fewer of them. By
    Vandermonde's identity a split never makes |W| larger, so that it keeps super-vertices below ``2 k`` vertices.

    Where l-diversity is promised, super-vertices that lack it are merged with others afterwards.

    Attributes are published as counts of their values. Those that an attacker knows are counted only where that leaves
    ``k`` candidates: at least ``k`` vertices have the value, and no vertices or at least ``k`` have values that are not
    counted. Edges that have sensitive types only are left out.

    References
    ----------
    Hay, Miklau, Jensen, Towsley, Weis, "Resisting structural re-identification in anonymized social networks",
    PVLDB 1(1), 2008.

    Examples
    --------
    >>> friends = Graph.of_codes(np.array([[0, 1], [0, 2], [1, 3], [1, 4], [1, 5], [2, 5], [3, 4], [5, 6]]), 7)
    >>> task = GraphTask(friends, [SupervertexAnonymity(k=2)])
    >>> published = VertexClustering().publish(task, np.random.default_rng(1)).published
    >>> sorted(published.sizes.tolist()), round(np.exp(published.log_worlds))
    ([2, 2, 3], 60)
    """

    name: ClassVar[str] = "vertex-clustering"
    scheme: ClassVar[str] = "supervertices"
    aliases: ClassVar[tuple[str, ...]] = ("supervertices",)
    reference: ClassVar[str] = (
        "Hay, Miklau, Jensen, Towsley, Weis, Resisting structural re-identification in anonymized social networks, "
        "PVLDB 1(1), 2008"
    )
    keeps: ClassVar[tuple[type[PrivacyModel], ...]] = (
        SupervertexAnonymity,
        CandidateAnonymity,
        KDegreeAnonymity,
        KNeighborhoodAnonymity,
        VertexLDiversity,
    )
    guarantee: ClassVar[str] = (
        "Whatever somebody knows about the edges around a person, at least k vertices fit as well as that of the "
        "person: those of its super-vertex, or those in it with the same counted value of a known attribute. Nothing "
        "is promised about whether two people are connected: many edges between two super-vertices make each of them "
        "likely."
    )

    strategy: Literal["anneal", "hill"] = Field(
        default="anneal", description="how super-vertices are searched: by annealing, or by hill climbing as published"
    )
    sweeps: int | None = Field(
        default=None,
        ge=1,
        le=100_000,
        description="how often annealing tries each vertex; 400 times, and less often in large graphs, unless given",
    )

    def check(self, task: GraphTask) -> None:
        super().check(task)
        if not any(isinstance(model, CandidatesModel) for model in task.models):
            raise UsageError(f"{self.name} needs a promise such as supervertex-anonymity:k=10; add it to the promises")

    def publish(self, task: GraphTask, rng: np.random.Generator, progress: Progress = NO_PROGRESS) -> GraphResult:
        self.check(task)
        graph, left_out = _without_sensitive_edges(task)
        found = self._clusters(graph, task.k, rng, progress)
        if diverse := [model for model in task.models if isinstance(model, VertexLDiversity)]:
            found = diversified(found, graph.degrees, graph.attributes, diverse, task.schema.sensitive)
        clusters = _numbered(found)
        counts = histograms_of(graph.attributes, clusters, task.schema.quasi_identifiers, task.k)
        published = ClusteredGraph.of(graph, clusters, counts if graph.attributes.width else None)
        disclosed = certain_links(published)
        figures = {"log_worlds": published.log_worlds, "supervertices": len(published), **disclosed}
        return GraphResult(published, clusters, tuple(_sentences(published, disclosed, left_out)), figures)

    def _clusters(self, graph: Graph, k: int, rng: np.random.Generator, progress: Progress) -> IntArray:
        if k == 1:
            return np.arange(graph.vertices)
        if graph.vertices < 2 * k:
            return np.zeros(graph.vertices, dtype=np.int64)
        if not len(graph.edges):
            # All groups describe such a graph exactly; which vertices share one must not depend on their order.
            return rng.permutation(graph.vertices) * (graph.vertices // k) // graph.vertices
        if self.strategy == "hill":
            return climbed(graph, k, rng, progress)
        return annealed(graph, k, self.sweeps, rng, progress)


def _without_sensitive_edges(task: GraphTask) -> tuple[Graph, int]:
    """Return the graph without edges that have sensitive types only, and how many these are."""
    graph = task.graph
    if graph.edge_types is None or not task.sensitive_types:
        return graph, 0
    kept = graph.edges_of_types(name for name in graph.types if name not in task.sensitive_types)
    return replace(graph, edges=kept, types=(), edge_types=None), len(graph.edges) - len(kept)


def _numbered(clusters: IntArray) -> IntArray:
    """Return the same super-vertices, numbered without gaps."""
    return np.unique(clusters, return_inverse=True)[1].ravel().astype(np.int64)


def certain_links(published: ClusteredGraph) -> dict[str, int]:
    """Return how many edges are certain to exist, and how many super-vertices are certain to have none inside.

    Examples
    --------
    >>> friends = Graph.of_codes(np.array([[0, 1], [0, 2], [1, 3], [1, 4], [1, 5], [2, 5], [3, 4], [5, 6]]), 7)
    >>> certain_links(ClusteredGraph.of(friends, np.array([0, 0, 0, 1, 1, 2, 2])))
    {'certain_edges': 2, 'certain_superedges': 2, 'without_edges_inside': 0, 'certain_non_edges': 4}
    """
    full = published.counts == published.possible
    inside = published.superedges[:, 0] == published.superedges[:, 1]
    pairs = published.vertices * (published.vertices - 1) // 2
    return {
        "certain_edges": int(published.counts[full].sum()),
        "certain_superedges": int(full.sum()),
        "without_edges_inside": int((published.sizes > 1).sum()) - int(inside.sum()),
        "certain_non_edges": pairs - int(published.possible.sum()),
    }


def _sentences(published: ClusteredGraph, disclosed: dict[str, int], left_out: int) -> list[str]:
    sizes = f"{int(published.sizes.min()):,} to {int(published.sizes.max()):,}"
    said = [
        (
            f"{published.vertices:,} vertices are published in {len(published):,} super-vertices of {sizes}; the "
            f"logarithm of the number of graphs that look the same is {published.log_worlds:,.1f}"
        )
    ]
    if disclosed["certain_edges"]:
        said.append(
            f"{disclosed['certain_edges']:,} edge(s) are certain to exist: {disclosed['certain_superedges']:,} "
            "super-edge(s) stand for all pairs of their vertices (existence disclosure)"
        )
    if disclosed["without_edges_inside"]:
        said.append(
            f"{disclosed['without_edges_inside']:,} super-vertices have no edges inside: nobody in them is connected "
            "with another of them (existence disclosure)"
        )
    if left_out:
        said.append(f"{left_out:,} edge(s) of sensitive types are left out")
    return said


HISTOGRAM_COLUMNS = {"supervertex": pl.Int64, "attribute": pl.String, "value": pl.String, "count": pl.Int64}


def histograms_of(attributes: pl.DataFrame, clusters: IntArray, known: Sequence[str], k: int) -> pl.DataFrame:
    """Return the counts of values by super-vertex: supervertex, attribute, value, count.

    Attributes that an attacker knows are counted as far as that leaves ``k`` candidates: a value is counted where at
    least ``k`` vertices of the super-vertex have it, provided that at least ``k`` are left whose value is not counted,
    or none; else the rarest of these values is not counted either. Of other attributes all values are counted. Missing
    values never are.

    Examples
    --------
    >>> jobs = pl.DataFrame({"job": ["cook", "cook", "smith", "cook", "cook", "judge", "judge"]})
    >>> histograms_of(jobs, np.array([0, 0, 0, 1, 1, 1, 1]), ["job"], k=2).rows()
    [(1, 'job', 'cook', 2), (1, 'job', 'judge', 2)]
    >>> histograms_of(jobs, np.array([0, 0, 0, 1, 1, 1, 1]), [], k=2).rows()[:2]
    [(0, 'job', 'cook', 2), (0, 'job', 'smith', 1)]
    """
    sizes = np.bincount(clusters)
    parts = [pl.DataFrame(schema=HISTOGRAM_COLUMNS)]
    for column in attributes.iter_columns():
        counted = _counted(column, clusters)
        parts.append(_allowed(counted, sizes, k) if column.name in known else counted)
    return pl.concat(parts)


def _counted(column: pl.Series, clusters: IntArray) -> pl.DataFrame:
    values = pl.DataFrame({"supervertex": clusters.astype(np.int64), "value": column.cast(pl.String)}).drop_nulls()
    counted = values.group_by("supervertex", "value").agg(pl.len().cast(pl.Int64).alias("count"))
    named = counted.with_columns(attribute=pl.lit(column.name)).select(*HISTOGRAM_COLUMNS)
    return named.sort("supervertex", "value")


def _allowed(counted: pl.DataFrame, sizes: IntArray, k: int) -> pl.DataFrame:
    """Return the counts that leave ``k`` candidates to who knows the attribute."""
    frequent = counted.filter(pl.col("count") >= k)
    size = pl.Series(sizes[frequent["supervertex"].to_numpy()], dtype=pl.Int64)
    rest = size - frequent.select(pl.col("count").sum().over("supervertex")).to_series()
    # Fewer than k others could be distinguished from those that are counted; with the rarest of these they are k again.
    is_rarest = frequent.select(
        pl.struct("count", "value").rank("ordinal").over("supervertex").alias("rank") == 1
    ).to_series()
    return frequent.filter(~(is_rarest & (rest > 0) & (rest < k)))
