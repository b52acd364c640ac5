"""Graphs of other packages: taken, and given back."""

import subprocess
import sys

import igraph
import networkit
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import rustworkx
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from krypsis.data.graphs import ClusteredGraph, Graph
from krypsis.errors import DataError, UsageError
from krypsis.io.graphs import graph_of


@st.composite
def graphs(draw):
    """Graphs with names, attributes and types, or with none of them."""
    count = draw(st.integers(1, 7))
    end = st.integers(0, count - 1)
    pairs = draw(st.lists(st.tuples(end, end), max_size=10))
    if draw(st.booleans()):
        return Graph.of_codes(np.array(pairs, dtype=np.int64).reshape(-1, 2), count)
    names = pl.Series("vertex", [f"person {vertex}" for vertex in range(count)])
    ages = pl.DataFrame({"age": draw(st.lists(st.integers(0, 99), min_size=count, max_size=count))})
    kinds = np.array(draw(st.lists(st.integers(0, 1), min_size=len(pairs), max_size=len(pairs))), dtype=np.int64)
    return Graph.of_codes(
        np.array(pairs, dtype=np.int64).reshape(-1, 2),
        count,
        names=names,
        attributes=ages,
        types=("debt", "friend"),
        type_codes=kinds,
    )


def assert_same(found: Graph, graph: Graph, *, has_names: bool = True) -> None:
    assert (found.vertices, found.edges.tolist()) == (graph.vertices, graph.edges.tolist())
    assert (found.simplified.loops, found.simplified.repeated, found.simplified.directed) == (0, 0, False)
    if has_names:
        assert found.vertex_frame().equals(graph.vertex_frame())


@given(graphs())
def test_networkx_gives_back_what_it_was_given(graph):
    other = graph.to_networkx()
    assert_same(graph_of(other), graph)
    assert sorted(map(sorted, other.edges())) == sorted(
        sorted(graph.name_of(int(end)) if graph.names is not None else int(end) for end in pair) for pair in graph.edges
    )
    if graph.edge_types is not None:
        types = {frozenset(ends): set(other.edges[ends]["types"]) for ends in other.edges()}
        expected: dict[frozenset[str], set[str]] = {}
        for source, target, kind in graph.to_frame().rows():
            expected.setdefault(frozenset((source, target)), set()).add(kind)
        assert types == expected


@given(graphs())
def test_rustworkx_gives_back_what_it_was_given(graph):
    other = graph.to_rustworkx()
    assert (len(other), other.num_edges()) == (graph.vertices, len(graph.edges))
    assert_same(graph_of(other), graph)


@given(graphs())
def test_types_of_edges_are_given_back(graph):
    if graph.edge_types is None or not len(graph.edges):
        return
    for other in (graph.to_networkx(), graph.to_rustworkx(), graph.to_igraph()):
        found = graph_of(other, type="types")
        assert sorted(found.to_frame().rows()) == sorted(graph.to_frame().rows())
        assert found.simplified.repeated == 0
        assert graph_of(other).simplified.dropped == ("types",)


@given(graphs())
def test_igraph_gives_back_what_it_was_given(graph):
    other = graph.to_igraph()
    assert other.degree() == graph.degrees.tolist()
    assert_same(graph_of(other), graph)


@given(graphs())
def test_networkit_gives_back_vertices_and_edges(graph):
    other = graph.to_networkit()
    assert [other.degree(vertex) for vertex in other.iterNodes()] == graph.degrees.tolist()
    assert_same(graph_of(other), graph, has_names=False)


@given(graphs())
def test_scipy_gives_back_vertices_and_edges(graph):
    other = graph.to_scipy()
    assert (other != other.T).nnz == 0
    assert np.asarray(other.sum(axis=1)).ravel().tolist() == graph.degrees.tolist()
    for matrix in (other, sparse.csr_matrix(other), sparse.coo_array(other)):
        assert_same(graph_of(matrix), graph, has_names=False)


def test_directed_graphs_with_weights_and_loops_are_simplified_and_say_so():
    pairs = [(0, 1), (1, 0), (1, 2), (2, 2), (1, 2)]
    many = nx.MultiDiGraph(pairs)
    many.add_edge(0, 2, weight=3)
    rust = rustworkx.PyDiGraph()
    rust.add_nodes_from([None] * 3)
    rust.add_edges_from([(*pair, None) for pair in pairs] + [(0, 2, 3)])
    other = igraph.Graph(n=3, edges=[*pairs, (0, 2)], directed=True)
    other.es["weight"] = [None] * 5 + [3]
    kit = networkit.Graph(3, weighted=True, directed=True)
    for first, second in [*pairs, (0, 2)]:
        kit.addEdge(first, second)
    for data in (many, rust, other, kit):
        found = graph_of(data)
        assert found.edges.tolist() == [[0, 1], [0, 2], [1, 2]]
        said = found.simplified
        assert (said.loops, said.repeated, said.directed, said.dropped) == (1, 2, True, ("weight",))


def test_a_matrix_that_is_not_symmetric_is_directed():
    matrix = sparse.csr_array(np.array([[0, 2, 0], [0, 1, 1], [0, 0, 0]]))
    said = graph_of(matrix).simplified
    assert (said.loops, said.directed, said.dropped) == (1, True, ("weight",))
    with pytest.raises(DataError, match="2 rows and 3 columns"):
        graph_of(sparse.csr_array(np.ones((2, 3))))


@pytest.mark.parametrize(
    "convert", [lambda frame: frame, pl.DataFrame.lazy, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow]
)
def test_frames_of_edges_and_vertices_are_taken(convert):
    edges = pl.DataFrame({"from": ["ann", "bob"], "to": ["bob", "cy"], "kind": ["debt", "friend"]})
    vertices = pl.DataFrame({"node": ["cy", "bob", "ann", "di"], "age": [1, 2, 3, 4]})
    found = graph_of(convert(edges), vertices=convert(vertices), type="kind")
    assert found.names.to_list() == ["cy", "bob", "ann", "di"]
    assert found.edges.tolist() == [[0, 1], [1, 2]]
    assert (found.types, found.attributes.get_column("age").to_list()) == (("debt", "friend"), [1, 2, 3, 4])


def test_numbers_with_gaps_of_pandas_are_still_numbers():
    frame = pd.DataFrame({"source": [1.0, 2.0], "target": [2.0, 3.0]})
    assert graph_of(frame).names.to_list() == [1, 2, 3]
    with pytest.raises(DataError, match="lack a vertex"):
        graph_of(pa.table({"source": [1, None], "target": [2, 3]}))


def test_pairs_and_arrays_are_taken():
    assert graph_of([("ann", "bob"), ("bob", 7)]).names.to_list() == ["ann", "bob", "7"]
    assert graph_of([(0, 1), (1, 2)]).names is None
    assert graph_of(np.array([[0, 1], [1, 2], [2, 0]])).edges.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert graph_of(pair for pair in [(3, 4)]).names.to_list() == [3, 4]


def test_a_graph_is_taken_as_it_is():
    graph = Graph.of_edges([("ann", "bob")])
    assert graph_of(graph) is graph
    with pytest.raises(UsageError, match="has been read already"):
        graph_of(graph, type="kind")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([("ann", "bob", "cy")], "pair of vertices"),
        (["ab"], "pair of vertices"),
        ([], "no vertices"),
        (7, "expected"),
        (pl.DataFrame({"source": [1]}), "two columns"),
        (np.zeros((3, 3)), "two columns"),
        (ClusteredGraph.of(Graph.of_edges([("a", "b")]), np.array([0, 0])), "super-vertices"),
        (nx.Graph({1: ["1"]}), "two vertices are called '1'"),
        (nx.Graph(), "no vertices"),
    ],
)
def test_what_is_no_graph_is_refused(data, said):
    with pytest.raises(UsageError, match=said):
        graph_of(data)


def test_ways_of_reading_a_file_are_refused_for_other_data():
    with pytest.raises(UsageError, match="delimiter is for files"):
        graph_of([(0, 1)], delimiter=",")


@pytest.mark.parametrize("package", ["networkx", "rustworkx", "igraph", "networkit", "scipy"])
def test_a_package_that_is_missing_is_named(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setitem(sys.modules, f"{package}.sparse", None)
    with pytest.raises(UsageError, match=f"pip install {package}"):
        getattr(Graph.of_edges([("a", "b")]), f"to_{package}")()


def test_no_package_is_loaded_to_read_a_graph():
    code = (
        "import sys, krypsis.io.graphs; "
        "sys.exit(any(name in sys.modules for name in ('networkx', 'rustworkx', 'igraph', 'networkit')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
