"""Vertices that look alike are found exactly."""

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from graphs.checker.naive_graphs import FIGURE_4_2, FIGURE_LABELS, graph_of, labeled_graphs, naive_classes
from krypsis.checker.graph_classes import classes_of
from krypsis.checker.neighborhoods import neighborhood_classes

KNOWLEDGE = ("h0", "h1", "h2", "h3", "h9", "refinement", "neighborhood")


def first_members(classes) -> list[int]:
    return [classes.tolist().index(number) for number in classes.tolist()]


@settings(max_examples=examples(400))
@given(drawn=labeled_graphs(), knowledge=st.sampled_from(KNOWLEDGE))
def test_classes_are_those_of_the_definition(drawn, knowledge):
    edges, vertices, labels = drawn
    found = classes_of(graph_of(edges, vertices, labels), knowledge, ["label"])
    assert found.exact
    assert first_members(found.finest) == naive_classes(edges, vertices, labels, knowledge)


def test_the_printed_facts_of_figure_4_2_are_found():
    graph = graph_of(FIGURE_4_2, 7, FIGURE_LABELS)
    candidates = {
        depth: np.bincount(classes.finest)[classes.finest].tolist()
        for depth, classes in {depth: classes_of(graph, f"h{depth}") for depth in (1, 2)}.items()
    }
    assert candidates == {1: [4, 1, 4, 4, 4, 1, 1], 2: [3, 1, 1, 3, 3, 1, 1]}
    assert first_members(classes_of(graph, "neighborhood", ["label"]).finest) == [0, 1, 2, 3, 3, 5, 6]


def test_the_printed_edits_of_figure_4_3_leave_a_vertex_alone_and_the_correct_ones_do_not():
    """Erratum E6: with the printed list x3 alone has a bare triangle around it."""
    kept = set(FIGURE_4_2)
    printed = kept - {(1, 4), (1, 5), (2, 5)} | {(1, 2), (0, 4)}
    correct = kept - {(1, 3), (1, 4), (1, 5), (2, 5)} | {(1, 2)}
    classes = [
        first_members(classes_of(graph_of(sorted(edges), 7, FIGURE_LABELS), "neighborhood", ["label"]).finest)
        for edges in (printed, correct)
    ]
    assert classes == [[0, 0, 2, 3, 3, 5, 5], [0, 0, 0, 3, 3, 5, 5]]


def hub_of(*graphs: nx.Graph) -> tuple[list[tuple[int, int]], int]:
    """Give each graph a root that is connected to all of its vertices."""
    union = nx.disjoint_union_all(graphs)
    edges, last = list(union.edges), union.number_of_nodes()
    first = 0
    for number, graph in enumerate(graphs):
        edges += [(node, last + number) for node in range(first, first + len(graph))]
        first += len(graph)
    return edges, last + len(graphs)


def test_neighborhoods_that_color_refinement_confuses_are_told_from_each_other():
    prism, wheel = nx.circular_ladder_graph(3), nx.complete_bipartite_graph(3, 3)  # both are 3-regular
    edges, vertices = hub_of(prism, wheel, prism)
    found = classes_of(graph_of(edges, vertices), "neighborhood").finest[-3:].tolist()
    assert found[0] == found[2] != found[1]


def test_twins_do_not_explode():
    full = nx.complete_bipartite_graph(40, 40)
    tailed = nx.disjoint_union(full, nx.path_graph(2))
    edges, vertices = hub_of(full, full, tailed)
    found = classes_of(graph_of(edges, vertices), "neighborhood")
    assert found.exact
    assert found.finest[-3] == found.finest[-2] != found.finest[-1]


def test_where_work_runs_out_the_true_classes_lie_between_two_others():
    shrikhande = nx.Graph()
    steps = [(0, 1), (1, 0), (1, 1)]
    for x, y in ((x, y) for x in range(4) for y in range(4)):
        shrikhande.add_edges_from(((x, y), ((x + a) % 4, (y + b) % 4)) for a, b in steps)
    rook = nx.line_graph(nx.complete_bipartite_graph(4, 4))  # strongly regular with the same parameters
    edges, vertices = hub_of(*map(nx.convert_node_labels_to_integers, (shrikhande, rook, rook)))
    graph, labels = graph_of(edges, vertices), np.zeros(vertices, dtype=np.int64)
    finest, coarsest = neighborhood_classes(graph, labels, work=20)
    assert len(set(finest[-3:].tolist())) == 3
    assert len(set(coarsest[-3:].tolist())) == 1
    exact, same = neighborhood_classes(graph, labels)
    assert exact is same
    assert exact[-3] != exact[-2] == exact[-1]


def sorted_nodes(graph: nx.Graph) -> nx.Graph:
    found = nx.Graph()
    found.add_nodes_from(sorted(graph))
    found.add_edges_from(graph.edges)
    return found


def test_all_graphs_of_five_vertices_around_a_root_are_told_from_each_other():
    atlas = [graph for graph in nx.graph_atlas_g() if len(graph) == 5]
    rng = np.random.default_rng(1)
    shuffled = [nx.relabel_nodes(graph, dict(enumerate(rng.permutation(5).tolist()))) for graph in atlas]
    edges, vertices = hub_of(*atlas, *map(sorted_nodes, shuffled))
    found = classes_of(graph_of(edges, vertices), "neighborhood").finest[-2 * len(atlas) :]
    assert found[: len(atlas)].tolist() == found[len(atlas) :].tolist()
    assert len(set(found.tolist())) == len(atlas) == 34


def test_a_search_without_success_does_not_try_twins_again():
    """A hundred interchangeable leaves on each of two graphs that refinement confuses: 100! places otherwise."""

    def with_leaves(core: nx.Graph) -> nx.Graph:
        leaves = [(node, 6 + 20 * node + number) for node in core for number in range(20)]
        return nx.Graph([*core.edges, *leaves])

    cores = (nx.circular_ladder_graph(3), nx.complete_bipartite_graph(3, 3))
    edges, vertices = hub_of(*(sorted_nodes(with_leaves(core)) for core in cores))
    found = classes_of(graph_of(edges, vertices), "neighborhood")
    assert found.exact
    assert found.finest[-2] != found.finest[-1]
