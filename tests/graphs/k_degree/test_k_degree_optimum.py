"""Exhaustive search over all graphs up to six vertices: how far from the fewest edits the method is."""

from itertools import combinations
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest

from effort import either
from krypsis.algorithms.graphs.base import GraphTask
from krypsis.algorithms.graphs.k_degree.k_degree import KDegree
from krypsis.data.graphs import Graph
from krypsis.models.k_degree_anonymity import KDegreeAnonymity

ATLAS = [graph for graph in nx.graph_atlas_g() if 2 <= len(graph) <= 6]


def every_graph(n):
    """Return all graphs on n vertices as numbers of bits, their edges, and how many vertices share each degree."""
    pairs = list(combinations(range(n), 2))
    numbers = np.arange(1 << len(pairs))
    bits = (numbers[:, None] >> np.arange(len(pairs))) & 1
    degrees = np.stack([bits[:, [place for place, pair in enumerate(pairs) if v in pair]].sum(1) for v in range(n)], 1)
    fewest = (degrees[:, :, None] == degrees[:, None, :]).sum(2).min(1)
    return SimpleNamespace(pairs=pairs, numbers=numbers, edges=bits.sum(1), fewest=fewest)


EVERY = {n: every_graph(n) for n in range(2, 7)}


def cases():
    """Yield each graph with each k; in short runs, few of the many with six vertices."""
    small = [graph for graph in ATLAS if len(graph) < 6]
    large = [graph for graph in ATLAS if len(graph) == 6]
    assert (len(small), len(large)) == (2 + 4 + 11 + 34, 156)
    for graph in [*small, *large[:: either(1, 12)]]:
        n = len(graph)
        number = sum(1 << EVERY[n].pairs.index(tuple(sorted(edge))) for edge in graph.edges)
        plain = Graph.of_codes(np.array(list(graph.edges), dtype=np.int64).reshape(-1, 2), n)
        for k in range(2, n + 1):
            yield EVERY[n], number, plain, k


def published(graph, k, edits):
    return KDegree(edits=edits).publish(GraphTask(graph, [KDegreeAnonymity(k=k)]), np.random.default_rng(0))


def test_supergraphs_have_as_few_edges_more_as_exhaustive_search_finds(record_property):
    ours = best = above = count = 0
    for every, number, graph, k in cases():
        is_supergraph = (every.numbers & number) == number
        least = int(every.edges[is_supergraph & (every.fewest >= k)].min() - every.edges[number])
        added = len(published(graph, k, "add").published.edges) - len(graph.edges)
        assert least <= added <= least + 1
        ours, best, above, count = ours + added, best + least, above + (added > least), count + 1
    record_property("added edges, ours / optimum", f"{ours} / {best}; above it in {above} of {count} cases")
    assert ours / best < 1.01
    assert above <= count / 100


def test_additions_and_deletions_overlap_nearly_as_much_as_exhaustive_search_finds(record_property):
    ours, best = [], []
    for every, number, graph, k in cases():
        is_anonymous = every.fewest >= k
        shared = np.bitwise_count(every.numbers[is_anonymous] & number).astype(np.int64)
        largest = np.maximum(every.edges[is_anonymous], len(graph.edges))
        best.append(np.where(largest > 0, shared / np.maximum(largest, 1), 1.0).max())
        ours.append(published(graph, k, "add-delete").private["overlap"])
    assert (np.array(ours) <= np.array(best) + 1e-9).all()
    record_property("mean overlap, ours / optimum", f"{np.mean(ours):.4f} / {np.mean(best):.4f}")
    assert np.mean(ours) == pytest.approx(np.mean(best), abs=0.005)
