"""Formats that list vertices as well as edges, against the packages that write them; and files that do not fit."""

import json
import lzma

import networkx as nx
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.errors import ColumnError, DataError
from krypsis.io.graphs import looks_like_graph, read_graph


def written(folder, text: str, name: str):
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def named_edges(graph):
    return {frozenset((graph.name_of(int(low)), graph.name_of(int(high)))) for low, high in graph.edges}


def edges(*pairs: str):
    return {frozenset(pair.split("-")) for pair in pairs}


@st.composite
def labeled_graphs(draw):
    """Graphs of networkx with attributes, directed or not, with several edges between two vertices or not."""
    cls = draw(st.sampled_from([nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]))
    graph = cls()
    count = draw(st.integers(1, 6))
    words = st.text(st.characters(codec="ascii", min_codepoint=32, max_codepoint=126), max_size=6)
    for vertex in range(count):
        graph.add_node(f"n{vertex}", job=draw(words), age=draw(st.integers(0, 99)))
    end = st.integers(0, count - 1)
    for first, second in draw(st.lists(st.tuples(end, end), max_size=12)):
        graph.add_edge(f"n{first}", f"n{second}", weight=1.5)
    return graph


def assert_same(found, graph):
    pairs = [frozenset(pair) for pair in graph.edges() if pair[0] != pair[1]]
    assert named_edges(found) == set(pairs)
    assert found.simplified.loops == sum(first == second for first, second in graph.edges())
    assert found.simplified.repeated == len(pairs) - len(set(pairs))
    assert found.simplified.dropped == (("weight",) if graph.number_of_edges() else ())
    rows = {name: (job, age) for name, job, age in found.vertex_frame().select("vertex", "job", "age").rows()}
    assert rows == {name: (data["job"], data["age"]) for name, data in graph.nodes(data=True)}


@given(labeled_graphs())
def test_graphml_of_networkx_is_read(tmp_path_factory, graph):
    file = tmp_path_factory.mktemp("graphs") / "friends.graphml"
    graph = nx.relabel_nodes(graph, {})
    for _, data in graph.nodes(data=True):
        data["job"] = data["job"].strip()  # blanks around a value mean nothing in XML
    nx.write_graphml(graph, file)
    assert_same(read_graph(file), graph)


@given(labeled_graphs())
def test_gml_of_networkx_is_read(tmp_path_factory, graph):
    file = tmp_path_factory.mktemp("graphs") / "friends.gml"
    nx.write_gml(graph, file)
    found = read_graph(file)
    if "key" in found.simplified.dropped:  # what distinguishes edges between the same vertices
        assert graph.is_multigraph()
        found = found.__class__(
            **{
                **found.__dict__,
                "simplified": found.simplified.__class__(
                    found.simplified.loops, found.simplified.repeated, dropped=("weight",)
                ),
            }
        )
    assert_same(found, graph)


@given(labeled_graphs(), st.sampled_from(["links", "edges"]))
def test_node_link_json_of_networkx_is_read(tmp_path_factory, graph, key):
    data = nx.node_link_data(graph, edges=key)
    for link in data[key]:
        link.pop("key", None)
    file = written(tmp_path_factory.mktemp("graphs"), json.dumps(data), "friends.json")
    assert_same(read_graph(file), graph)
    assert looks_like_graph(file)


def metis_text(graph: nx.Graph, weighted: bool) -> str:
    lines = [f"{len(graph)} {graph.number_of_edges()}{' 001' if weighted else ''}"]
    lines += [
        " ".join(f"{other + 1} 7" if weighted else f"{other + 1}" for other in graph[vertex])
        for vertex in range(len(graph))
    ]
    return "\n".join(lines) + "\n"


@given(st.integers(1, 7), st.floats(0, 1), st.integers(0, 99), st.booleans())
def test_metis_is_read(tmp_path_factory, count, share, seed, weighted):
    graph = nx.gnp_random_graph(count, share, seed=seed)
    file = written(tmp_path_factory.mktemp("graphs"), metis_text(graph, weighted), "mesh.graph")
    found = read_graph(file)
    assert found.edges.tolist() == sorted(sorted(pair) for pair in graph.edges())
    assert found.names.to_list() == list(range(1, count + 1))
    assert found.simplified.repeated == 0
    assert found.simplified.dropped == (("weights",) if weighted else ())
    assert looks_like_graph(file)


def test_all_weights_of_metis_are_read(tmp_path):
    text = "% sizes, two weights of vertices, weights of edges\n3 2 111 2\n1 5 6 2 9\n1 5 6 1 9 3 8\n1 5 6 2 8\n"
    found = read_graph(written(tmp_path, text, "mesh.metis"))
    assert found.edges.tolist() == [[0, 1], [1, 2]]
    assert found.simplified.dropped == ("sizes of vertices", "weights of vertices", "weights")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("3 2\n2\n1 3\n", "names 3 vertices, and 2 lines follow"),
        ("2 1\n2\n1\n2\n", "names 2 vertices, and 3 lines follow"),
        ("3 5\n2\n1 3\n2\n", "names 5 edges, and neighbors are listed for 2"),
        ("3 2\n2\n1 4\n2\n", "lists vertex 4; the header names vertices 1 to 3"),
        ("2 1\n0\n1\n", "lists vertex 0"),
        ("3 2 0\n2 3\n1\n3\n", "at one of them only"),
        ("2 1 001\n2\n1 4\n", "missing at vertex 1"),
        ("2 1 7\n2\n1\n", "digits 0 or 1, got 7"),
        ("2\n2\n1\n", "begins with the numbers of vertices and edges"),
        ("2 1\n2\nx\n", "line 3: a METIS file holds whole numbers alone"),
        ("", "begins with the numbers"),
    ],
)
def test_a_metis_header_that_does_not_fit_is_refused(tmp_path, text, said):
    with pytest.raises(DataError, match=said):
        read_graph(written(tmp_path, text, "mesh.metis"))


def test_isolated_vertices_of_metis_have_empty_lines(tmp_path):
    found = read_graph(written(tmp_path, "4 1\n\n3\n2\n\n", "mesh.metis"))
    assert (found.edges.tolist(), found.vertices) == ([[1, 2]], 4)
    assert read_graph(written(tmp_path, "2 0\n\n\n", "mesh.metis")).degrees.tolist() == [0, 0]


def test_nauty_lists_edges_once_or_twice(tmp_path):
    twice = read_graph(written(tmp_path, "!n=4\n!m=4\n0: 1 2;\n1: 0;\n2: 0;\n", "small.nauty"))
    once = read_graph(written(tmp_path, "0: 1\n 2;\n3 : 0.\n", "small.nauty"))
    assert (twice.edges.tolist(), twice.vertices, twice.simplified.repeated) == ([[0, 1], [0, 2]], 4, 0)
    assert (once.edges.tolist(), once.vertices) == ([[0, 1], [0, 2], [0, 3]], 4)


@pytest.mark.parametrize("text", ["0: one;\n", "!n=2\n0: 5;\n", "!n=99999999999\n0: 1;\n"])
def test_nauty_that_does_not_fit_is_refused(tmp_path, text):
    with pytest.raises(DataError, match=r"small\.nauty"):
        read_graph(written(tmp_path, text, "small.nauty"))


GML = """Creator "someone [1] on a day"
# a comment with a "quote
graph [ directed 1
  node [ id 1 label "Smith &amp; &quot;Sons&quot; [UK]" size 3 graphics [ x 1.0 y 2.0 ] ]
  node [ id 2 label "Ωmega" size 4.5 ]
  node [ id 7 label "" ]
  edge [ source 1 target 2 value 3 ] edge [ source 1 target 2 ] edge [ source 2 target 1 ] edge [ source 7 target 7 ]
]
"""


def test_gml_with_repeated_edges_quotes_and_entities_is_read(tmp_path):
    found = read_graph(written(tmp_path, GML, "firms.gml"))
    assert found.names.to_list() == ['Smith & "Sons" [UK]', "Ωmega", ""]
    assert found.attributes.to_dict(as_series=False) == {"size": [3.0, 4.5, None]}
    said = found.simplified
    assert (len(found.edges), said.loops, said.repeated, said.dropped) == (1, 1, 2, ("value",))


def test_gml_vertices_with_the_same_label_are_called_by_their_ids(tmp_path):
    text = 'graph [ node [ id 3 label "a" ] node [ id 5 label "a" ] edge [ source 3 target 5 ] ]'
    found = read_graph(written(tmp_path, text, "twins.gml"))
    assert (found.names.to_list(), found.attributes.columns) == ([3, 5], ["label"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("graph [ node [ id 1 ] edge [ source 1 target 2 ] ]", "names the node 2, and no node has that id"),
        ("graph [ node [ id 1 ] edge [ source 1 ] ]", "edge without 'target'"),
        ("graph [ node [ label 1 ] ]", "node without 'id'"),
        ("graph [ node [ id 1 ", "not complete"),
        ("graph [ node [ id 1 ] ] ]", "not GML"),
        ("node [ id 1 ]", "holds no graph"),
        ("graph [ ]", "no vertices"),
        ("", "holds no graph"),
        ("graph " + "[ a " * 100 + "]" * 100, "nested"),
    ],
)
def test_gml_that_does_not_fit_is_refused(tmp_path, text, said):
    with pytest.raises(DataError, match=said):
        read_graph(written(tmp_path, text, "firms.gml"))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("<node id='a'/><edge source='a' target='b'/>", "names the node 'b'"),
        ("<node id='a'/><edge source='a'/>", "no 'target'"),
        ("<node id='a'/><hyperedge/>", "hyperedges"),
        ("<node id='a'><graph/></node>", "several graphs"),
        ("<node id='a'>", "not GraphML"),
        ("", "no vertices"),
    ],
)
def test_graphml_that_does_not_fit_is_refused(tmp_path, body, said):
    with pytest.raises(DataError, match=said):
        read_graph(written(tmp_path, f"<graphml><graph>{body}</graph></graphml>", "friends.graphml"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_graphml_in_other_encodings_is_read(tmp_path, encoding):
    text = f"<?xml version='1.0' encoding='{encoding}'?><graphml><graph><node id='Zoë'/></graph></graphml>"
    file = tmp_path / "friends.graphml"
    file.write_bytes(text.encode(encoding))
    assert read_graph(file).names.to_list() == ["Zoë"]


def test_graphml_that_unpacks_without_end_is_refused(tmp_path):
    bomb = '<!DOCTYPE g [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><graphml><graph><node id="&b;"/></graph></graphml>'
    with pytest.raises(DataError, match="entities"):
        read_graph(written(tmp_path, bomb, "friends.graphml"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("[1, 2]", "not node-link JSON"),
        ('{"nodes": [], "links": []}', "no vertices"),
        ('{"nodes": [{"id": 1}], "links": [{"source": 1}]}', "needs source and target"),
        ('{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]}', "names the node '2'"),
    ],
)
def test_json_that_does_not_fit_is_refused(tmp_path, text, said):
    with pytest.raises(DataError, match=said):
        read_graph(written(tmp_path, text, "friends.json"))


def test_json_of_d3_names_nodes_by_their_places(tmp_path):
    text = '{"nodes": [{"name": "ann"}, {"name": "bob"}], "links": [{"source": 0, "target": 1, "value": 2}]}'
    assert named_edges(read_graph(written(tmp_path, text, "friends.json"))) == edges("ann-bob")


def test_types_of_edges_are_read_from_every_format(tmp_path):
    text = (
        'graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 kind "debt" ] '
        'edge [ source 1 target 0 kind "friend" ] ]'
    )
    found = read_graph(written(tmp_path, text, "friends.gml"), type="kind")
    assert (found.types, found.edge_types.tolist()) == (("debt", "friend"), [3])
    with pytest.raises(ColumnError, match="kind"):
        read_graph(tmp_path / "friends.gml", type="type")


def test_lists_are_several_types_of_an_edge_and_one_text_of_a_vertex(tmp_path):
    text = (
        '{"nodes": [{"id": 0, "tags": ["a", "b"]}, {"id": 1}], '
        '"links": [{"source": 0, "target": 1, "kinds": ["debt", "friend"], "ok": "yes"}]}'
    )
    found = read_graph(written(tmp_path, text, "friends.json"), type="kinds", visible="ok")
    assert (found.types, found.edge_types.tolist()) == (("debt", "friend"), [3])
    assert found.attributes.get_column("tags").to_list() == ["['a', 'b']", None]


def test_attributes_of_a_table_are_added_to_those_of_the_file(tmp_path):
    file = written(tmp_path, 'graph [ node [ id 1 job "a" ] node [ id 2 job "b" ] ]', "friends.gml")
    found = read_graph(file, vertices=pl.DataFrame({"id": [2, 1, 3], "age": [5, 6, 7]}))
    assert found.vertex_frame().rows() == [(1, 6, "a"), (2, 5, "b"), (3, 7, None)]
    with pytest.raises(DataError, match="no row in the table of vertices: 2"):
        read_graph(file, vertices=pl.DataFrame({"id": [1], "age": [5]}))
    with pytest.raises(DataError, match="both have job"):
        read_graph(file, vertices=pl.DataFrame({"id": [1, 2], "job": ["c", "d"]}))


def test_formats_are_recognized_by_content_and_when_packed(tmp_path):
    assert read_graph(written(tmp_path, GML, "firms.txt")).vertices == 3
    assert read_graph(written(tmp_path, "!n=3\n0: 1;\n", "small")).vertices == 3
    file = tmp_path / "firms.gml.xz"
    file.write_bytes(lzma.compress(GML.encode()))
    assert read_graph(file).vertices == 3
    assert looks_like_graph(file)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("table.csv", "age,sex\n40,f\n"),
        ("numbers.txt", "1 2\n2 3\n"),
        ("sales.dat", "1 2 3\n2 3\n"),
        ("items.json", '{"hierarchy": {"nodes": 3}}'),
        ("records.json", '[{"id": 1}]'),
        ("mesh.graph", "some notes on graphs\n"),
        ("mesh.metis", "5 4\n1 2\n"),
        ("notes.gml", "nothing here"),
        ("notes.txt", "# Nodes and edges of my thoughts\n1,2\n"),
        ("empty.txt", ""),
    ],
)
def test_other_files_are_not_taken_for_graphs(tmp_path, name, text):
    assert not looks_like_graph(written(tmp_path, text, name))
    assert not looks_like_graph(tmp_path / "missing.gml")
    assert not looks_like_graph(tmp_path)


COUNTS = {
    "Email-Enron.txt.xz": (36692, 183831, 0, True),
    "ca-GrQc.txt": (5242, 14484, 12, True),
    "ca-HepPh.edgelist.txt": (11203, 117618, 0, False),
    "CollegeMsg.txt": (1899, 13838, 0, False),
    "email-Eu-core.txt": (1005, 16064, 642, False),
    "p2p-Gnutella08.txt": (6301, 20777, 0, True),
    "wiki-Vote.txt": (7115, 100762, 0, False),
    "polblogs.gml": (1490, 16715, 3, True),
    "netscience.gml": (1589, 2742, 0, True),
    "karate.gml": (34, 78, 0, True),
    "PGPgiantcompo.metis.graph": (10680, 24316, 0, True),
    "jazz.metis.graph": (198, 2742, 0, True),
    "arenas-email.nauty": (1133, 5451, 0, True),
    "musae-GOV.edgelist.txt": (7057, 89429, 26, False),
}
"""Vertices, edges and loops as the description of the data counts them, and whether the file says what it is."""


@pytest.mark.data
@pytest.mark.parametrize("name", COUNTS)
def test_public_graphs_have_the_size_that_their_publishers_name(data_folder, name):
    file = data_folder / "graphs" / name
    graph = read_graph(file)
    assert (graph.vertices, len(graph.edges), graph.simplified.loops, looks_like_graph(file)) == COUNTS[name]


@pytest.mark.data
def test_departments_are_attributes_of_the_vertices(data_folder):
    folder = data_folder / "graphs"
    graph = read_graph(folder / "email-Eu-core.txt", vertices=folder / "email-Eu-core-department-labels.txt")
    assert graph.attributes.get_column("label").n_unique() == 42
    assert graph.attributes.get_column("label").to_list()[:3] == ["1", "1", "21"]


@pytest.mark.data
def test_no_table_and_no_set_of_items_is_taken_for_a_graph(data_folder):
    files = [file for kind in ("transactions", "relational") for file in (data_folder / kind).rglob("*")]
    assert files
    assert [file for file in files if looks_like_graph(file)] == []


def test_a_disconnected_graph_keeps_all_of_its_parts(tmp_path):
    found = read_graph(written(tmp_path, "0 1\n2 3\n4 5\n", "parts.txt"))
    assert np.array_equal(found.degrees, np.ones(6))
