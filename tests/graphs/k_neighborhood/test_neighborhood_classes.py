"""Classes of 1-neighborhoods are exact: compared with networkx, and on graphs that refinement does not tell apart."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.graphs.k_neighborhood.by_networkx import classes_by_networkx, labeled_graphs, of_networkx

from krypsis.data.graphs import Graph
from krypsis.data.graphs.neighborhoods import neighborhood_classes


@settings(max_examples=examples(300))
@given(labeled_graphs(9))
def test_classes_are_those_of_networkx(drawn):
    graph, labels = drawn
    assert neighborhood_classes(graph, labels).tolist() == classes_by_networkx(graph, labels)


@settings(max_examples=examples(60))
@given(labeled_graphs(12), st.randoms(use_true_random=False))
def test_numbers_of_vertices_mean_nothing(drawn, random):
    graph, labels = drawn
    order = np.array(random.sample(range(graph.vertices), graph.vertices))
    before, after = (
        neighborhood_classes(graph, labels)[order],
        neighborhood_classes(graph.renumbered(order), labels[order]),
    )
    assert (
        len(set(zip(before.tolist(), after.tolist(), strict=True)))
        == len(set(before.tolist()))
        == len(set(after.tolist()))
    )


def hubs_over(*graphs):
    """A hub for each graph, connected to all its vertices, which are renumbered at random."""
    rng, edges, first = np.random.default_rng(5), [], len(graphs)
    for hub, graph in enumerate(graphs):
        number = first + rng.permutation(len(graph))
        place = dict(zip(graph, number.tolist(), strict=True))
        edges += [(place[one], place[other]) for one, other in graph.edges] + [
            (hub, vertex) for vertex in number.tolist()
        ]
        first += len(graph)
    return Graph.of_codes(np.array(edges), first)


def rook():
    return nx.line_graph(nx.complete_bipartite_graph(4, 4))


def shrikhande():
    steps = [(0, 1), (1, 0), (1, 1)]
    return nx.Graph(((i, j), ((i + a) % 4, (j + b) % 4)) for i in range(4) for j in range(4) for a, b in steps)


@pytest.mark.parametrize(
    "make",
    [
        lambda: nx.complete_graph(150),
        lambda: nx.star_graph(300),
        lambda: nx.windmill_graph(60, 4),
        lambda: nx.disjoint_union_all([nx.cycle_graph(5)] * 40),
        lambda: nx.complete_multipartite_graph(*[5] * 12),
        lambda: nx.complement(nx.disjoint_union_all([nx.cycle_graph(5)] * 6)),
        lambda: nx.hypercube_graph(6),
        nx.petersen_graph,
        rook,
        shrikhande,
        lambda: nx.grid_graph((5, 5), periodic=True),
        lambda: nx.full_rary_tree(3, 60),
    ],
)
def test_symmetric_neighborhoods_are_recognized(make):
    classes = neighborhood_classes(hubs_over(make(), make(), nx.path_graph(3)))
    assert classes[0] == classes[1] != classes[2]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (nx.cycle_graph(6), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))),
        (nx.complete_bipartite_graph(3, 3), nx.circular_ladder_graph(3)),
        (rook(), shrikhande()),
        (nx.dodecahedral_graph(), nx.desargues_graph()),
    ],
)
def test_graphs_that_refinement_does_not_tell_apart_are_different(one, other):
    classes = neighborhood_classes(hubs_over(one, other, one))
    assert classes[0] == classes[2] != classes[1]


def test_graphs_without_vertices_or_edges_have_classes():
    assert neighborhood_classes(Graph.of_codes(np.empty((0, 2), np.int64), 0)).tolist() == []
    assert neighborhood_classes(Graph.of_codes(np.empty((0, 2), np.int64), 3)).tolist() == [0, 0, 0]
    assert neighborhood_classes(Graph.of_codes(np.empty((0, 2), np.int64), 3), np.array([5, 9, 5])).tolist() == [
        0,
        1,
        0,
    ]


def test_figure_4_2_has_the_classes_of_the_specification():
    labels = np.array([0, 0, 0, 1, 1, 2, 2])
    edges = np.array([[1, 2], [1, 3], [2, 4], [2, 5], [2, 6], [3, 6], [4, 5], [6, 7]]) - 1
    assert neighborhood_classes(Graph.of_codes(edges, 7), labels).tolist() == [0, 1, 2, 3, 3, 4, 5]


@pytest.mark.data
def test_a_real_network_has_the_classes_of_networkx(data_folder):
    graph = of_networkx(nx.read_gml(data_folder / "graphs" / "karate.gml", label="id"))
    labels = np.zeros(graph.vertices, dtype=np.int64)
    assert neighborhood_classes(graph).tolist() == classes_by_networkx(graph, labels)
