"""Published tables of graphs are read back, and forged ones are refused."""

import polars as pl
import pytest
from hypothesis import given

from graphs.checker.naive_graphs import graph_of, labeled_graphs
from krypsis.checker.graph_tables import clustered_of_tables, graph_of_tables
from krypsis.errors import DataError

VERTICES = {"vertex": [2, 0, 1], "job": ["smith", "cook", "cook"]}
EDGES = {"source": [0, 2], "target": [1, 0]}
GROUPS = {"supervertex": [1, 0], "size": [2, 3]}
SUPEREDGES = {"source": [1, 0], "target": [0, 0], "edges": [6, 2]}
COUNTS = {"supervertex": [0], "attribute": ["job"], "value": ["cook"], "count": [2]}


@given(drawn=labeled_graphs())
def test_a_graph_is_read_back_as_it_was_published(drawn):
    graph = graph_of(*drawn)
    as_text = pl.all().cast(pl.String)
    vertices, edges = graph.vertex_frame(), graph.to_frame()
    for found in (graph_of_tables(vertices, edges), graph_of_tables(vertices.select(as_text), edges.select(as_text))):
        assert found.edges.tolist() == graph.edges.tolist()
        assert found.attributes["label"].to_list() == graph.attributes["label"].to_list()


def test_vertices_stand_in_any_order_and_edges_in_any_direction():
    found = graph_of_tables(pl.DataFrame(VERTICES), pl.DataFrame(EDGES), ["job"])
    assert found.attributes["job"].to_list() == ["cook", "cook", "smith"]
    assert found.edges.tolist() == [[0, 1], [0, 2]]


def test_an_edge_has_one_row_for_each_of_its_types():
    edges = {"source": [0, 0, 1], "target": [1, 1, 2], "type": ["b", "a", "a"]}
    found = graph_of_tables(pl.DataFrame(VERTICES), pl.DataFrame(edges))
    assert (found.types, found.edge_types.tolist()) == (("a", "b"), [3, 1])


@pytest.mark.parametrize(
    ("vertices", "edges", "reason"),
    [
        ({}, {"target": [1, 5]}, "names the vertex 5, which is not published"),
        ({}, {"target": [1, -1]}, "names the vertex -1, which is not published"),
        ({}, {"target": [1, 2]}, r"1 loop\(s\), such as vertex 2"),
        ({}, {"source": [0, 0], "target": [1, 1]}, "twice"),
        ({}, {"source": [0, 1], "target": [1, 0]}, "twice"),
        ({}, {"source": [0, 1], "target": [1, 0], "type": ["a", "a"]}, "twice"),
        ({}, {"target": [1, None]}, r"1 missing value\(s\) in 'target'"),
        ({}, {"target": [1, None], "source": ["0", "2"]}, "missing"),
        ({}, {"target": ["1", "bob"]}, "must hold whole numbers, got '1'"),
        ({}, {"target": ["1", "01"]}, "must hold whole numbers"),
        ({}, {"target": [1.0, 0.0]}, "must hold whole numbers"),
        ({}, {"weight": [1, 1]}, "'weight', which is not declared"),
        ({}, {"source": None}, "no column 'source'"),
        ({"vertex": [0, 1, 1]}, {}, "vertex 1 stands there twice"),
        ({"vertex": [0, 1, 3]}, {}, "vertex 2 is missing"),
        ({"vertex": [1, 2, 3]}, {}, "vertex 0 is missing"),
        ({"vertex": ["ann", "bob", "cy"]}, {}, "whole numbers"),
        ({"vertex": [0, 1, None]}, {}, "missing"),
        ({"name": ["ann", "bob", "cy"]}, {}, "'name', which is not declared"),
        ({"job": None}, {}, "no column 'job'"),
        ({"vertex": [], "job": []}, {"source": [], "target": []}, "no vertex is published"),
    ],
)
def test_forged_graphs_are_refused(vertices, edges, reason):
    with pytest.raises(DataError, match=reason):
        graph_of_tables(changed(VERTICES, vertices), changed(EDGES, edges), ["job"])


def changed(table, changes) -> pl.DataFrame:
    return pl.DataFrame({name: values for name, values in {**table, **changes}.items() if values is not None})


def test_super_vertices_are_read_back():
    found = clustered_of_tables(*map(pl.DataFrame, (GROUPS, SUPEREDGES, COUNTS)))
    assert (found.sizes.tolist(), found.superedges.tolist(), found.counts.tolist()) == (
        [3, 2],
        [[0, 0], [0, 1]],
        [2, 6],
    )
    assert found.attributes.rows() == [(0, "job", "cook", 2)]


@pytest.mark.parametrize(
    ("groups", "edges", "counts", "reason"),
    [
        ({"size": [2, 0]}, {}, {}, "stands for 0 vertices"),
        ({"size": [2, -3]}, {}, {}, "stands for -3 vertices"),
        ({"size": [2, None]}, {}, {}, "missing"),
        ({"size": ["2", "many"]}, {}, {}, "whole numbers"),
        ({"supervertex": [1, 1]}, {}, {}, "super-vertex 0 is missing"),
        ({"members": ["ann, bob", "cy"]}, {}, {}, "'members', which is not declared"),
        ({}, {"edges": [7, 2]}, {}, "7 edges; expected 1 to 6"),
        ({}, {"edges": [6, 4]}, {}, "4 edges; expected 1 to 3"),
        ({}, {"edges": [6, 0]}, {}, "0 edges"),
        ({}, {"source": [1, 0], "target": [0, 1]}, {}, "twice"),
        ({}, {"target": [0, 2]}, {}, "names the super-vertex 2"),
        ({}, {"type": ["a", "b"]}, {}, "'type', which is not declared"),
        ({}, {}, {"supervertex": [2]}, "super-vertex 2"),
        ({}, {}, {"count": [4]}, "counted 4 times"),
        ({}, {}, {"count": [-1]}, "-1 times"),
        ({}, {}, {"value": [None]}, "missing"),
        ({}, {}, {"name": ["ann"]}, "'name', which is not declared"),
    ],
)
def test_forged_super_vertices_are_refused(groups, edges, counts, reason):
    with pytest.raises(DataError, match=reason):
        clustered_of_tables(changed(GROUPS, groups), changed(SUPEREDGES, edges), changed(COUNTS, counts))
