"""Neighborhood classes and k-neighborhood anonymity on public networks: edits and CPU time."""

import os
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.results import Results
from krypsis.algorithms.graphs.base import GraphTask
from krypsis.algorithms.graphs.k_neighborhood.k_neighborhood import KNeighborhood
from krypsis.data.graphs import Graph
from krypsis.data.graphs.neighborhoods import neighborhood_classes
from krypsis.models.k_neighborhood_anonymity import KNeighborhoodAnonymity

CLASSIFIED = ("ca-GrQc.txt", "ca-HepTh.txt", "ego-facebook_combined.txt", "Email-Enron.txt.xz")
PUBLISHED = {
    "karate.gml": "",
    "polbooks.gml": "peer: complete graph, 5,460 edges",
    "netscience.gml": "peer: does not end",
    "power.gml": "peer: does not end",
    "ca-GrQc.txt": "peer: does not end",
    "Email-Enron.txt.xz": "peer: does not end",
}
K = 5


def measure(results: Results) -> None:
    for name in CLASSIFIED:
        graph = network(name)
        neighborhood_classes(graph)  # compiles
        start = process_time()
        sizes = np.bincount(neighborhood_classes(graph))
        seconds = process_time() - start
        note = f"{graph.vertices} vertices, {len(sizes)} classes, {sizes[sizes < K].sum()} vertices in those below {K}"
        results.add(f"classes of {name}", seconds, note=note)
    for name, peer in PUBLISHED.items():
        for rounds in (0, KNeighborhood().rounds):
            publish(results, name, rounds, peer)


def publish(results: Results, name: str, rounds: int, peer: str) -> None:
    graph = network(name)
    task = GraphTask(Graph(graph.vertices, graph.edges), [KNeighborhoodAnonymity(k=K)])
    start = process_time()
    private = KNeighborhood(rounds=rounds).publish(task, np.random.default_rng(1)).private
    note = f"{len(graph.edges)} edges, +{private['edges_added']} -{private['edges_deleted']}, steps {private['steps']}"
    results.add(f"k = {K}, {rounds} rounds, {name}", process_time() - start, peer=peer, note=note)


def network(name: str) -> Graph:
    data = os.environ.get("KRYPSIS_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data"
    return Graph.read(Path(data) / "graphs" / name)
