"""Vertex clustering: log |W| and time by strategy on networks, and by size on random ones."""

import numpy as np

from benchmarks.datasets import adult_folder
from benchmarks.results import Results
from benchmarks.unit import cpu
from krypsis.algorithms.graphs.base import GraphResult, GraphTask
from krypsis.algorithms.graphs.vertex_clustering.vertex_clustering import VertexClustering
from krypsis.checker.graphs import check_graph
from krypsis.data.graphs import ClusteredGraph, Graph, PublishedGraph
from krypsis.models.supervertex_anonymity import SupervertexAnonymity

K = 10
NETWORKS = ("polbooks.gml", "ca-GrQc.txt", "ego-facebook_combined.txt", "Email-Enron.txt.xz")
METHODS = {
    "hill climbing": VertexClustering(strategy="hill"),
    "annealing, 20 sweeps": VertexClustering(sweeps=20),
    "annealing": VertexClustering(),
}
WORLDS = 10


def measure(results: Results) -> None:
    publish(random_graph(100, 300), VertexClustering(strategy="hill"))  # compiled before the clock starts
    publish(random_graph(100, 300), VertexClustering())
    folder = adult_folder().parents[1] / "graphs"
    for name in NETWORKS:
        graph = Graph.read(folder / name)
        whole = ClusteredGraph.of(graph, np.zeros(graph.vertices, dtype=np.int64)).log_worlds
        for label, method in METHODS.items():
            made: list[GraphResult] = []
            seconds = cpu(lambda: made.append(publish(graph, method)), 1)  # noqa: B023  called at once
            published = made[0].published
            assert isinstance(published, ClusteredGraph)
            assert all(check_graph(published, [SupervertexAnonymity(k=K)]))
            note = f"log |W| {published.log_worlds:,.0f}; as one super-vertex {whole:,.0f}"
            results.add(f"{name}, k={K}, {label}", seconds, "60 s" if "Enron" in name else "", note=note)
        results.add(f"{name}, {WORLDS} sampled worlds", cpu(lambda: sample(published), 1))  # noqa: B023
    for vertices in (100_000, 1_000_000):
        graph = random_graph(vertices, 10 * vertices)
        seconds = cpu(lambda: publish(graph, VertexClustering()), 1)  # noqa: B023
        results.add(f"{vertices:,} vertices, {len(graph.edges):,} edges", seconds)


def publish(graph: Graph, method: VertexClustering) -> GraphResult:
    return method.publish(GraphTask(graph, [SupervertexAnonymity(k=K)]), np.random.default_rng(1))


def sample(published: PublishedGraph) -> list[Graph]:
    assert isinstance(published, ClusteredGraph)
    return [*published.sample_worlds(WORLDS, np.random.default_rng(1))]


def random_graph(vertices: int, edges: int) -> Graph:
    """Return a graph whose degrees are as different as in networks of people."""
    draw = np.random.default_rng(1)
    ends = (vertices * draw.random((edges, 2)) ** np.array([3, 1])).astype(np.int64)
    return Graph.of_codes(ends, vertices)
