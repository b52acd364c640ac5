"""The edits of the specification (8.2, model A), and cheapest edits compared with exhaustive search."""

from functools import cache
from itertools import combinations, permutations
from math import comb

import networkx as nx
import numpy as np
import polars as pl
import pytest
from tests.effort import IS_THOROUGH, either
from tests.graphs.k_neighborhood.by_networkx import classes_by_networkx, of_networkx, smallest_class

from krypsis.algorithms.graphs.base import GraphTask
from krypsis.algorithms.graphs.k_neighborhood.k_neighborhood import KNeighborhood
from krypsis.data.graphs import Graph
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.schema import Schema
from krypsis.models.k_neighborhood_anonymity import KNeighborhoodAnonymity

EDGES = {(1, 2), (1, 3), (2, 4), (2, 5), (2, 6), (3, 6), (4, 5), (6, 7)}
LABELS = list("AAABBGG")
PAIRS = list(combinations(range(1, 8), 2))


def figure(edges, labels=None):
    attributes = None if labels is None else pl.DataFrame({"label": labels})
    return Graph.of_codes(np.array(sorted(edges)) - 1, 7, attributes=attributes)


def publish(method, labels=LABELS, hierarchies=None):
    roles = {} if labels is None else {"label": "quasi-identifier"}
    task = GraphTask(figure(EDGES, labels), [KNeighborhoodAnonymity(k=2)], Schema.of(roles), hierarchies or {})
    return method.publish(task, np.random.default_rng(1))


def edges_of(result):
    return {(one + 1, other + 1) for one, other in result.published.edges.tolist()}


def test_the_printed_edits_leave_x3_alone():
    # Erratum E6: add (x2,x3), (x1,x5); delete (x2,x5), (x2,x6), (x3,x6).
    printed = (EDGES | {(2, 3), (1, 5)}) - {(2, 5), (2, 6), (3, 6)}
    classes = classes_by_networkx(figure(printed), LABELS)
    assert classes.count(classes[2]) == 1
    # The specification counts x1, x2 as one class; with its labels they differ, too: x1 has x2, x3, x5 around it.
    assert smallest_class(figure(printed), LABELS) == 1


def test_the_corrected_edits_are_found():
    result = publish(KNeighborhood(alpha=100))
    assert edges_of(result) == {(1, 2), (1, 3), (2, 3), (4, 5), (6, 7)}
    assert smallest_class(result.published, LABELS) == 2
    assert (result.private["edges_added"], result.private["edges_deleted"]) == (1, 4)
    assert result.private["optimum"] is True


def test_the_corrected_edits_are_the_only_five():
    graphs = np.array([sum(1 << PAIRS.index(pair) for pair in EDGES)])
    flips = [sum(1 << place for place in chosen) for size in range(6) for chosen in combinations(range(21), size)]
    candidates = graphs ^ np.array(flips)
    kept = candidates[[could_be_anonymous(int(bits)) for bits in candidates]]
    anonymous = [bits for bits in kept.tolist() if smallest_class(figure_of(bits), LABELS) >= 2]
    assert [set_of(bits) for bits in anonymous] == [{(1, 2), (1, 3), (2, 3), (4, 5), (6, 7)}]


def set_of(bits):
    return {pair for place, pair in enumerate(PAIRS) if bits >> place & 1}


def figure_of(bits):
    return Graph.of_codes(np.array(sorted(set_of(bits)), dtype=np.int64).reshape(-1, 2) - 1, 7)


def could_be_anonymous(bits):
    """A quick necessary condition: labels of neighbors are shared by another vertex of the same label."""
    around = [[] for _ in range(8)]
    for one, other in set_of(bits):
        around[one].append(LABELS[other - 1])
        around[other].append(LABELS[one - 1])
    seen = [(LABELS[vertex - 1], *sorted(around[vertex])) for vertex in range(1, 8)]
    return all(seen.count(one) > 1 for one in seen)


def test_with_all_labels_lifted_one_deletion_is_enough():
    unlabeled = publish(KNeighborhood(), labels=None)
    assert EDGES - edges_of(unlabeled) in ({(2, 4)}, {(2, 5)})
    assert edges_of(unlabeled) < EDGES
    top = Hierarchy.from_rows([[label, "*"] for label in "ABG"])
    lifted = publish(KNeighborhood(alpha=0.1), hierarchies={"label": top})
    assert lifted.published.attributes["label"].to_list() == ["*"] * 7
    assert EDGES - edges_of(lifted) in ({(2, 4)}, {(2, 5)})
    assert lifted.private["cost"] == pytest.approx(1.7)


def test_additions_only_need_three_edges():
    result = publish(KNeighborhood(allow_delete=False), labels=None)
    assert edges_of(result) > EDGES
    assert len(edges_of(result)) == len(EDGES) + 3


def test_costs_of_pulled_in_vertices_count_twice_per_added_edge():
    result = publish(KNeighborhood(alpha=100, gamma=10))
    assert result.private["edges_added"] == 0
    assert publish(KNeighborhood(alpha=100, gamma=0.5)).private["cost"] == pytest.approx(min(6, result.private["cost"]))


@cache
def canonical(size):
    """Mask of edges among ``size`` vertices → the smallest mask of an isomorphic graph."""
    pairs = list(combinations(range(size), 2))
    place = {pair: at for at, pair in enumerate(pairs)}
    smallest = np.arange(1 << len(pairs))
    for order in permutations(range(size)):
        moved = np.zeros_like(smallest)
        for at, (one, other) in enumerate(pairs):
            new = place[tuple(sorted((order[one], order[other])))]
            moved |= (np.arange(1 << len(pairs)) >> at & 1) << new
        smallest = np.minimum(smallest, moved)
    return smallest


@cache
def anonymous_graphs(vertices, k):
    """All graphs, as masks of edges, in which every neighborhood occurs k times: by looking at each of them."""
    pairs = list(combinations(range(vertices), 2))
    graphs = np.arange(1 << len(pairs))
    edge = {pair: (graphs >> at & 1).astype(bool) for at, pair in enumerate(pairs)}
    codes = np.zeros((vertices, len(graphs)), dtype=np.int64)
    for root in range(vertices):
        others = [vertex for vertex in range(vertices) if vertex != root]
        for chosen in range(1 << len(others)):
            near = [vertex for at, vertex in enumerate(others) if chosen >> at & 1]
            fits = np.ones(len(graphs), dtype=bool)
            for vertex in others:
                fits &= edge[tuple(sorted((root, vertex)))] == (vertex in near)
            inner = np.zeros(int(fits.sum()), dtype=np.int64)
            for at, pair in enumerate(combinations(near, 2)):
                inner |= edge[pair][fits].astype(np.int64) << at
            codes[root, fits] = len(near) << 20 | canonical(len(near))[inner]
    shared = (codes[:, None] == codes[None, :]).sum(axis=1)
    return graphs[(shared >= k).all(axis=0)]


def small_graphs(vertices):
    return [graph for graph in nx.graph_atlas_g() if graph.number_of_nodes() == vertices]


def edits_and_optimum(graph, k, method):
    vertices = graph.number_of_nodes()
    pairs = list(combinations(range(vertices), 2))
    original = of_networkx(graph)
    bits = sum(1 << pairs.index(tuple(edge)) for edge in original.edges.tolist())
    published = method.publish(GraphTask(original, [KNeighborhoodAnonymity(k=k)]), np.random.default_rng(1)).published
    found = sum(1 << pairs.index(tuple(edge)) for edge in published.edges.tolist())
    assert found in anonymous_graphs(vertices, k)
    return (bits ^ found).bit_count(), int(np.bitwise_count(anonymous_graphs(vertices, k) ^ bits).min())


TINY = [(vertices, k) for vertices in range(2, 7) for k in range(2, vertices + 1)]
STEPS = {5: 4, 6: 20}
"""Of larger graphs every run looks at a part, and the thorough profile at all."""


@pytest.mark.parametrize(("vertices", "k"), TINY)
def test_edits_of_tiny_graphs_are_the_cheapest(vertices, k):
    graphs = small_graphs(vertices)[:: either(1, STEPS.get(vertices, 1))]
    for graph in graphs:
        found, optimum = edits_and_optimum(graph, k, KNeighborhood())
        assert found == optimum


# What the documentation says about the local search on all graphs of up to six vertices.
REPORTED_RATIO, WORST_RATIO = 1.056, 4.0
CHOSEN = {4: 5, 5: 17, 6: 30}
"""Every run looks at one graph of these sizes, with some edges and some missing; the thorough profile at all, but for
six vertices at every fourth, since the local search takes a third of a second there. ``benchmarks/graph_optimum.py``
looks at all."""


def test_the_local_search_is_as_near_the_optimum_as_documented(record_property):
    pairs = []
    for vertices, k in TINY:
        graphs = small_graphs(vertices)
        every = graphs[:: 4 if vertices == 6 else 1]
        for graph in every if IS_THOROUGH or vertices not in CHOSEN else [graphs[CHOSEN[vertices]]]:
            edits, optimum = edits_and_optimum(graph, k, KNeighborhood(optimal_up_to=0))
            assert optimum <= edits <= WORST_RATIO * optimum
            # Deleting all edges and adding all missing ones keep the promise as well.
            assert edits <= min(graph.number_of_edges(), comb(vertices, 2) - graph.number_of_edges())
            pairs.append((edits, optimum))
    found, best = map(sum, zip(*pairs, strict=True))
    record_property("edits, ours / optimum", f"{found} / {best}")
    if IS_THOROUGH:
        assert len(pairs) == 2 + 4 * 2 + 11 * 3 + 34 * 4 + 39 * 5
        assert found <= (REPORTED_RATIO + 0.02) * best
