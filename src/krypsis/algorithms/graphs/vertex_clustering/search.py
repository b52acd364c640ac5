"""The search for super-vertices with few possible worlds."""

from collections.abc import Iterator

import numpy as np

from krypsis.algorithms.graphs.vertex_clustering.kernels import anneal, climb, log_worlds, supervertices_of
from krypsis.arrays import IntArray
from krypsis.data.graphs import Graph
from krypsis.progress import Progress

HOTTEST, COLDEST = 0.5, 0.05
"""Temperatures of annealing, in units of log |W|: a change that costs so much is accepted in one of e cases."""
MOST_SWEEPS, FEWEST_SWEEPS, USUAL_TRIALS = 400, 4, 4_000_000
"""How often each vertex is tried: so that all trials together take less than a minute, within bounds."""
SMALL = 2000
"""Graphs of fewer vertices are annealed several times, with several numbers of super-vertices."""
SHORTEST_RUN = 4000
MOST_RUNS = 16
HUBS = 4
"""By how many of its largest neighbors a vertex is sorted at first."""
LEAST_ACCEPTED = 0.10
"""Hill climbing ends when a smaller share of the alternatives is accepted."""
SMALLEST_BATCH = 50


def annealed(graph: Graph, k: int, sweeps: int | None, rng: np.random.Generator, progress: Progress) -> IntArray:
    """Return the best super-vertices that simulated annealing finds: of vertices with similar neighbors at first."""
    if sweeps is None:
        sweeps = min(MOST_SWEEPS, max(FEWEST_SWEEPS, USUAL_TRIALS // graph.vertices))
    order = similar_order(graph)
    best, fewest = np.zeros(graph.vertices, dtype=np.int64), np.inf
    for count in _numbers_of_clusters(graph.vertices, k):
        found, worlds = _anneal_once(graph, k, _in_equal_parts(order, count), sweeps, rng, progress)
        if worlds < fewest:
            best, fewest = found, worlds
        if progress.wants_stop():
            break
    return best


def _numbers_of_clusters(vertices: int, k: int) -> Iterator[int]:
    """Yield with how many super-vertices to anneal: as many as possible first, which is best for large graphs."""
    most, fewest = vertices // k, -(-vertices // (2 * k - 1))
    runs = 1 if vertices >= SMALL else min(MOST_RUNS, max(most - fewest + 1, SMALL // vertices))
    for run in range(runs):
        yield most - run % (most - fewest + 1)


def _in_equal_parts(order: IntArray, count: int) -> IntArray:
    clusters = np.empty(len(order), dtype=np.int64)
    clusters[order] = np.arange(len(order)) * count // len(order)
    return clusters


def _anneal_once(
    graph: Graph, k: int, clusters: IntArray, sweeps: int, rng: np.random.Generator, progress: Progress
) -> tuple[IntArray, float]:
    state = supervertices_of(graph, clusters, int(clusters.max()) + 1, 2 * k)
    at_start = log_worlds(state)
    steps = max(graph.vertices, -(-SHORTEST_RUN // sweeps))
    for temperature in np.geomspace(HOTTEST, COLDEST, sweeps).tolist():
        if progress.wants_stop():
            break
        anneal(state, k, np.full(steps, temperature), rng.random((steps, 5)))
    worlds = log_worlds(state)
    return (state.cluster, worlds) if worlds <= at_start else (clusters, at_start)


def similar_order(graph: Graph) -> IntArray:
    """Return the vertices so that those with the same well-connected neighbors are next to each other.

    Examples
    --------
    >>> two_stars = Graph.of_codes(np.array([[0, 2], [1, 3], [0, 4], [1, 5], [0, 6]]), 7)
    >>> similar_order(two_stars).tolist()
    [2, 4, 6, 3, 5, 0, 1]
    """
    rank = np.empty(graph.vertices, dtype=np.int64)
    rank[np.argsort(-graph.degrees, kind="stable")] = np.arange(graph.vertices)
    keys = np.repeat(np.arange(graph.vertices), graph.degrees) * graph.vertices + rank[graph.neighbors]
    keys.sort()
    hubs = np.full((HUBS, graph.vertices), graph.vertices, dtype=np.int64)
    for turn in range(HUBS):
        has = graph.degrees > turn
        hubs[turn, has] = keys[graph.starts[:-1][has] + turn] % graph.vertices
    return np.lexsort((graph.degrees, *hubs[::-1]))


def climbed(graph: Graph, k: int, rng: np.random.Generator, progress: Progress) -> IntArray:
    """Return the super-vertices that hill climbing finds, as in the source.

    Starts with one super-vertex, tries random splits, mergers and moves, and accepts what makes the true graph more
    probable, until fewer than a tenth of the alternatives are accepted.
    """
    state = supervertices_of(graph, np.zeros(graph.vertices, dtype=np.int64), max(graph.vertices // k, 1), 0)
    batch, count = max(SMALLEST_BATCH, graph.vertices), 1
    while not progress.wants_stop():
        tried = accepted = 0
        while tried < batch:
            count, more_tried, more_accepted = climb(state, k, count, rng.random((batch, 3)))
            tried, accepted = tried + more_tried, accepted + more_accepted
            if not more_tried:
                return state.cluster
        if accepted < LEAST_ACCEPTED * tried:
            break
    return state.cluster
