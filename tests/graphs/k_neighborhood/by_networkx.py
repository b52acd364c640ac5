"""Neighborhoods compared by networkx, and random labeled graphs."""

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from krypsis.data.graphs import Graph


def of_networkx(graph):
    place = {vertex: number for number, vertex in enumerate(graph)}
    pairs = [(place[one], place[other]) for one, other in graph.edges()]
    return Graph.of_codes(np.array(pairs, dtype=np.int64).reshape(-1, 2), len(place))


def classes_by_networkx(graph, labels):
    """The class of each vertex, by comparing its neighborhood with the first of every class."""
    whole = nx.Graph()
    whole.add_nodes_from(range(graph.vertices))
    whole.add_edges_from(graph.edges.tolist())
    firsts, classes = [], []
    for root in whole:
        own = nx.Graph(nx.ego_graph(whole, root))
        nx.set_node_attributes(own, {vertex: (str(labels[vertex]), vertex == root) for vertex in own}, "seen")
        for number, first in enumerate(firsts):
            if nx.is_isomorphic(own, first, node_match=lambda one, other: one["seen"] == other["seen"]):
                classes.append(number)
                break
        else:
            classes.append(len(firsts))
            firsts.append(own)
    return classes


def smallest_class(graph, labels):
    return min(np.bincount(classes_by_networkx(graph, labels)).tolist())


@st.composite
def labeled_graphs(draw, most, fewest=1):
    vertices = draw(st.integers(fewest, most))
    pairs = [(one, other) for one in range(vertices) for other in range(one + 1, vertices)]
    chosen = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    labels = draw(st.lists(st.integers(0, draw(st.integers(0, 2))), min_size=vertices, max_size=vertices))
    edges = np.array([pair for pair, kept in zip(pairs, chosen, strict=True) if kept], dtype=np.int64)
    return Graph.of_codes(edges.reshape(-1, 2), vertices), np.array(labels)
