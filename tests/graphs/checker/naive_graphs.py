"""What the checker of graphs must find, found slowly: by definitions, and by the isomorphism test of networkx."""

from collections import Counter, defaultdict
from itertools import combinations

import networkx as nx
import numpy as np
import polars as pl
from hypothesis import strategies as st
from networkx.algorithms.isomorphism import categorical_node_match

from krypsis.data.graphs import Graph

FIGURE_4_2 = [(0, 1), (0, 2), (1, 3), (1, 4), (1, 5), (2, 5), (3, 4), (5, 6)]
"""The graph of the figure, x1 to x7 as 0 to 6."""
FIGURE_LABELS = ["A", "A", "A", "B", "B", "G", "G"]


def graph_of(edges, vertices, labels=None, **attributes) -> Graph:
    columns = {**({} if labels is None else {"label": labels}), **attributes}
    pairs = np.array(list(edges), dtype=np.int64).reshape(-1, 2)
    return Graph.of_codes(pairs, vertices, attributes=pl.DataFrame(columns) if columns else None)


@st.composite
def labeled_graphs(draw, most=9):
    """Draw edges, the number of vertices, and a label for each."""
    vertices = draw(st.integers(1, most))
    pairs = list(combinations(range(vertices), 2))
    chosen = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    labels = draw(st.lists(st.sampled_from("ab"), min_size=vertices, max_size=vertices))
    return [pair for pair, is_edge in zip(pairs, chosen, strict=True) if is_edge], vertices, labels


def networkx_of(edges, vertices, labels) -> nx.Graph:
    graph = nx.Graph(edges)
    graph.add_nodes_from(range(vertices))
    nx.set_node_attributes(graph, dict(enumerate(labels)), "label")
    return graph


def refinement(edges, vertices, depth):
    """H_i of the definition, as nested tuples; for the fixpoint, as deep as there are vertices."""
    around = defaultdict(list)
    for one, two in edges:
        around[one].append(two)
        around[two].append(one)
    said = [() for _ in range(vertices)]
    for _ in range(vertices if depth is None else depth):
        said = [tuple(sorted(said[other] for other in around[vertex])) for vertex in range(vertices)]
        numbers = {value: (number,) for number, value in enumerate(sorted(set(said)))}
        said = [numbers[value] for value in said]
    return said


def same_neighborhood(graph: nx.Graph, one: int, two: int) -> bool:
    """Say whether the neighborhoods of two vertices are isomorphic with one root laid on the other."""
    first, second = (nx.ego_graph(graph, root) for root in (one, two))
    nx.set_node_attributes(first, {one: "root"}, "place")
    nx.set_node_attributes(second, {two: "root"}, "place")
    match = categorical_node_match(["label", "place"], ["", ""])
    return nx.is_isomorphic(first, second, node_match=match)


def naive_classes(edges, vertices, labels, knowledge) -> list[int]:
    """The class of each vertex: the smallest vertex that looks the same."""
    if knowledge == "neighborhood":
        graph = networkx_of(edges, vertices, labels)
        return [next(two for two in range(vertices) if same_neighborhood(graph, one, two)) for one in range(vertices)]
    said = refinement(edges, vertices, None if knowledge == "refinement" else int(knowledge[1:]))
    seen = list(zip(said, labels, strict=True))
    return [seen.index(value) for value in seen]


def sizes_of(classes) -> Counter:
    return Counter(classes)
