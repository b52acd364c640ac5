"""The time that H_0 to H_4 and the fixpoint take on 10 million edges, next to sorting the array of edges."""

from time import process_time

import numpy as np

from benchmarks.results import Results
from benchmarks.synthetic_graphs import hub_pairs
from benchmarks.unit import cpu
from krypsis.data.graphs import Graph
from krypsis.data.graphs.refinement import VertexRefinement, refine, unique_vertices

VERTICES, EDGES = 1_000_000, 10_000_000


def measure(results: Results) -> None:
    graph = Graph.of_codes(hub_pairs(VERTICES, EDGES), VERTICES)
    ends = np.concatenate([graph.edges, graph.edges[:, ::-1]]).astype(np.int64)
    keys = np.random.default_rng(1).permutation(ends[:, 0] * VERTICES + ends[:, 1])
    refine(Graph.of_codes(hub_pairs(100, 200), 100))  # compiles the loops
    sorting = cpu(lambda: np.sort(keys), 3)
    results.add("10 M edges: sorting both directions", sorting)
    begin = process_time()
    graph.neighbors  # noqa: B018  made when it is first asked for
    lists = process_time() - begin
    results.add("10 M edges: lists of neighbors", lists)
    refinement, whole = VertexRefinement.of(graph), 0.0
    for depth in (1, 2, 3, 4, None):
        begin = process_time()
        refinement.advance(depth)
        unique = unique_vertices(refinement.classes)
        taken = process_time() - begin
        whole += taken
        name = "the fixpoint" if depth is None else f"H_{depth}"
        results.add(f"10 M edges: {name}", taken, note=f"{unique} unique vertices")
    both = whole + lists
    results.add("10 M edges: all of it", both, "20 × sorting", note=f"{both / sorting:.1f} × sorting")
    path = np.stack([np.arange(VERTICES - 1), np.arange(1, VERTICES)], axis=1)
    results.add("path of 1 M vertices: the fixpoint", cpu(lambda: refine(Graph.of_codes(path, VERTICES)), 3))
