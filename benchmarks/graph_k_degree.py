"""k-degree anonymity on public networks: edits, overlap, and time compared with reading the file."""

import resource

import numpy as np

from benchmarks.datasets import adult_folder
from benchmarks.results import Results
from benchmarks.unit import cpu
from krypsis.algorithms.graphs.base import GraphResult, GraphTask
from krypsis.algorithms.graphs.k_degree.k_degree import Edits, KDegree
from krypsis.checker.graphs import check_graph
from krypsis.data.graphs import Graph
from krypsis.io.graphs import read_graph
from krypsis.models.k_degree_anonymity import KDegreeAnonymity

K = 10
TARGETS = {
    ("Email-Enron.txt.xz", "auto"): "+8185 edges",
    ("ego-facebook_combined.txt", "add-delete"): "overlap 0.985",
    ("ca-HepTh.txt", "add-delete"): "overlap 0.97",
    ("power.gml", "auto"): "a supergraph",
}
PEERS = {
    ("Email-Enron.txt.xz", "auto"): "+8185 edges, +459 vertices",
    ("ego-facebook_combined.txt", "add-delete"): "0.963",
    ("ca-HepTh.txt", "add-delete"): "0.940",
    ("power.gml", "auto"): "none found",
}
NETWORKS = (
    "Email-Enron.txt.xz",
    "ego-facebook_combined.txt",
    "ca-HepTh.txt",
    "power.gml",
    "ca-GrQc.txt",
    "ca-CondMat.edgelist.txt",
    "ca-HepPh.edgelist.txt",
    "ca-AstroPh.edgelist.txt.xz",
    "soc-brightkite.edgelist.txt.xz",
    "wiki-Vote.txt",
    "p2p-Gnutella08.txt",
    "musae-GOV.edgelist.txt",
    "musae-TV.edgelist.txt",
    "netscience.gml",
    "polbooks.gml",
    "karate.gml",
)
EDITS: tuple[Edits, ...] = ("auto", "add-vertices", "add-delete")


def measure(results: Results) -> None:
    for seed in range(5):  # compiled before the clock starts
        for edits in EDITS:
            publish(power_law(400, 1200 + 400 * seed, 2.3), edits)
    folder = adult_folder().parents[1] / "graphs"
    for name in NETWORKS:
        reading = cpu(lambda: read_graph(folder / name), 3)  # noqa: B023  called at once
        graph = read_graph(folder / name)
        results.add(f"{name}, reading", reading, note=f"{graph.vertices:,} vertices, {len(graph.edges):,} edges")
        for edits in EDITS:
            note_edits(results, name, graph, edits, reading)
    graph = power_law(1_000_000, 10_000_000, 2.5)
    for edits in ("auto", "add-delete"):
        note_edits(results, "power law", graph, edits, 0.0, "120 s, 4 GB")


def note_edits(results: Results, name: str, graph: Graph, edits: Edits, reading: float, target: str = "") -> None:
    """Publish once more for the clock, check it, and note what was done."""
    made: list[GraphResult] = []
    seconds = cpu(lambda: made.append(publish(Graph(graph.vertices, graph.edges), edits)), 1)
    published, found = made[0].published, made[0].private
    assert isinstance(published, Graph)
    assert all(verdict.holds for verdict in check_graph(published, [KDegreeAnonymity(k=K)]))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    note = (
        f"{found['edits']}: +{found['added_edges']:,} -{found['deleted_edges']:,} edges, +{found['new_vertices']:,} "
        f"vertices; overlap {found['overlap']:.4f}, kept {found['kept_edges']:.4f}; "
        + (f"{seconds / reading:.2f} × reading" if reading else f"{memory:.2f} GB at most")
    )
    case = (name, edits)
    results.add(f"{name}, k={K}, {edits}", seconds, TARGETS.get(case, target), PEERS.get(case, ""), note)


def publish(graph: Graph, edits: Edits) -> GraphResult:
    return KDegree(edits=edits).publish(GraphTask(graph, [KDegreeAnonymity(k=K)]), np.random.default_rng(1))


def power_law(vertices: int, edges: int, exponent: float) -> Graph:
    """Return a graph whose expected degrees follow a power law (Chung and Lu)."""
    rng = np.random.default_rng(3)
    weights = np.arange(1, vertices + 1) ** (-1 / (exponent - 1))
    chances = np.cumsum(weights / weights.sum())
    drawn = np.searchsorted(chances, rng.random((int(edges * 1.06), 2))).clip(max=vertices - 1)
    found = Graph.of_codes(drawn, vertices)
    kept = np.sort(rng.choice(len(found.edges), min(edges, len(found.edges)), replace=False))
    return Graph.of_codes(found.edges[kept], vertices)
