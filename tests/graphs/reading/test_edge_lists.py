"""Edge lists in all the forms in which people keep them, and what is said about those that cannot be read."""

import bz2
import gzip
import lzma

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.data.graphs import Graph
from krypsis.errors import ColumnError, DataError, DataWarning, UsageError
from krypsis.io.graphs import read_graph
from krypsis.io.graphs.pair_arrays import LARGE, NO_INTEGER, READ, SHORT, parse_pairs, sorted_pairs


def written(folder, text: str, name: str = "friends.txt"):
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def named_edges(graph: Graph) -> set[frozenset[str]]:
    """The edges by the names of their ends, which no numbering changes."""
    return {frozenset((graph.name_of(int(low)), graph.name_of(int(high)))) for low, high in graph.edges}


def edges(*pairs: str) -> set[frozenset[str]]:
    return {frozenset(pair.split("-")) for pair in pairs}


TRIANGLE = {
    "spaces": "1 2\n2 3\n3 1\n",
    "tabs": "1\t2\n2\t3\n3\t1\n",
    "many blanks": "  1   2 \n2 \t 3\n\n3    1",
    "commas": "1,2\n2,3\n3,1\n",
    "semicolons and spaces": "1; 2\n2 ;3\n3 ; 1\n",
    "carriage returns": "1 2\r\n2 3\r\n3 1\r\n",
    "comments": "# made by hand\n% twice\n1 2\n# between\n2 3\n3 1\n",
    "header": "source,target\n1,2\n2,3\n3,1\n",
    "a header that nobody knows": "person friend\n1 2\n2 3\n3 1\n",
    "quoted": '"from","to"\n"1","2"\n"2","3"\n"3","1"\n',
    "braces": "1 2 {}\n2 3 {}\n3 1 {}\n",
    "byte order mark": "\ufeff1 2\n2 3\n3 1\n",
    "byte order mark and header": "\ufefffrom;to\n1;2\n2;3\n3;1\n",
}


@pytest.mark.parametrize("form", TRIANGLE)
def test_a_triangle_is_read_in_every_form(tmp_path, form):
    graph = read_graph(written(tmp_path, TRIANGLE[form]))
    assert named_edges(graph) == edges("1-2", "2-3", "3-1")
    assert graph.simplified.sentences() == ()


@pytest.mark.parametrize("form", TRIANGLE)
def test_a_triangle_of_names_is_read_in_every_form(tmp_path, form):
    text = TRIANGLE[form].replace("1", "ann").replace("2", "bob").replace("3", "zoë")
    graph = read_graph(written(tmp_path, text))
    assert named_edges(graph) >= edges("ann-bob", "bob-zoë", "zoë-ann")
    # Above names, only a list with spaces can have a header that nobody recognizes.
    assert graph.vertices == (5 if form == "a header that nobody knows" else 3)


def test_a_header_above_names_is_guessed_and_said(tmp_path):
    file = written(tmp_path, "person,friend\nann,bob\nbob,cy\n", "friends.csv")
    with pytest.warns(DataWarning, match="taken for a header"):
        assert named_edges(read_graph(file)) == edges("ann-bob", "bob-cy")
    assert named_edges(read_graph(file, source="1", target="2")) == edges("person-friend", "ann-bob", "bob-cy")


def test_a_first_edge_whose_ends_come_again_late_is_no_header(tmp_path):
    below = "".join(f"a{row},b{row}\n" for row in range(500))
    graph = read_graph(written(tmp_path, f"ann,bob\n{below}zoe,ann\n", "friends.csv"))
    assert (graph.vertices, len(graph.edges)) == (1003, 502)


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress], ids=["gz", "xz", "bz2"])
def test_packed_lists_are_unpacked(tmp_path, pack):
    file = tmp_path / "friends.txt.packed"
    file.write_bytes(pack(b"1 2\n2 3\n"))
    assert named_edges(read_graph(file)) == edges("1-2", "2-3")
    file.write_bytes(pack(b"1 2\n" * 5000)[:-9])
    with pytest.raises(DataError, match="damaged"):
        read_graph(file)


def test_columns_that_are_not_read_are_named(tmp_path):
    text = "# FromNodeId ToNodeId Sign\n1 2 -1\n2 3 1\n"
    assert read_graph(written(tmp_path, text)).simplified.dropped == ("Sign",)
    assert read_graph(written(tmp_path, "1 2 0.5 1082040961\n2 3 1 1\n")).simplified.dropped == ("column 3", "column 4")
    assert read_graph(written(tmp_path, "a,b,weight\n1,2,3\n")).simplified.dropped == ("weight",)
    assert read_graph(written(tmp_path, "1 2 {}\n2 3 {'weight': 2}\n")).simplified.dropped == ("weight",)
    assert read_graph(written(tmp_path, "ann bob 2\nbob cy 3\n")).simplified.dropped == ("column 3",)


def test_loops_repetitions_and_directions_are_counted(tmp_path):
    graph = read_graph(written(tmp_path, "1 2\n2 1\n2 1\n2 3\n3 3\n"))
    assert (len(graph.edges), graph.vertices) == (2, 3)
    assert (graph.simplified.loops, graph.simplified.repeated, graph.simplified.directed) == (1, 2, True)


def test_a_list_with_every_edge_in_both_directions_is_undirected(tmp_path):
    graph = read_graph(written(tmp_path, "# Directed graph (each unordered pair is saved once)\n1 2\n2 1\n2 3\n3 2\n"))
    assert (graph.simplified.repeated, graph.simplified.directed) == (2, False)


def test_a_comment_says_that_the_graph_is_directed(tmp_path):
    assert read_graph(written(tmp_path, "# Directed graph: votes\n1 2\n2 3\n")).simplified.directed
    assert not read_graph(written(tmp_path, "# Undirected graph: friends\n1 2\n2 3\n2 1\n")).simplified.directed


def test_numbers_from_0_need_no_names_and_others_keep_theirs(tmp_path):
    assert read_graph(written(tmp_path, "0 1\n1 2\n")).names is None
    sparse = read_graph(written(tmp_path, "70 5\n5 900000000000000\n"))
    assert (sparse.names.to_list(), sparse.edges.tolist()) == ([5, 70, 900000000000000], [[0, 1], [0, 2]])
    assert read_graph(written(tmp_path, "-3 5\n")).names.to_list() == [-3, 5]


def test_a_number_with_zeros_before_it_is_a_name(tmp_path):
    graph = read_graph(written(tmp_path, "7 8\n007 8\n"))
    assert named_edges(graph) == edges("7-8", "007-8")


def test_names_with_spaces_are_read_from_quotes(tmp_path):
    expected = edges("Ann Smith-Bob Ray", "Bob Ray-Cy")
    assert named_edges(read_graph(written(tmp_path, '"Ann Smith","Bob Ray"\n"Bob Ray","Cy"\n'))) == expected
    assert named_edges(read_graph(written(tmp_path, '"Ann Smith" "Bob Ray"\n"Bob Ray" "Cy"\n'))) == expected
    assert named_edges(read_graph(written(tmp_path, "Ann Smith\tBob Ray\nBob Ray\tCy\n"))) == expected


@pytest.mark.parametrize("text", ["ann bob\nAnn Smith bob\n", "Ann Smith Bob Ray\nBob Ray Cy Twombly\n"])
def test_names_with_spaces_in_a_list_with_spaces_are_refused_with_advice(tmp_path, text):
    with pytest.raises(DataError, match="in quotes, separated by commas"):
        read_graph(written(tmp_path, text))


def test_columns_are_chosen_by_name_or_number(tmp_path):
    file = written(tmp_path, "when,who,whom\n5,1,2\n6,2,3\n")
    assert named_edges(read_graph(file, source="who", target="whom")) == edges("1-2", "2-3")
    assert named_edges(read_graph(file, source="2", target="3")) == edges("1-2", "2-3")
    plain = written(tmp_path, "5 1 2\n6 2 3\n", "plain.txt")
    assert named_edges(read_graph(plain, source="2", target="3")) == edges("1-2", "2-3")
    with pytest.raises(ColumnError, match="column 'whon' not found; columns: when, who, whom"):
        read_graph(file, source="who", target="whon")
    with pytest.raises(UsageError, match="two columns"):
        read_graph(file, source="who", target="who")


def test_types_of_edges_are_kept(tmp_path):
    file = written(tmp_path, "from,to,kind\n1,2,friend\n2,1,debt\n2,3,friend\n1,2,friend\n", "friends.csv")
    graph = read_graph(file, type="kind")
    assert (graph.types, graph.simplified.repeated) == (("debt", "friend"), 1)
    assert sorted(graph.to_frame().rows()) == [(1, 2, "debt"), (1, 2, "friend"), (2, 3, "friend")]
    with pytest.raises(ColumnError, match="kind"):
        read_graph(file, type="knd")
    with pytest.raises(DataError, match="have no 'kind'"):
        read_graph(written(tmp_path, "from,to,kind\n1,2,\n2,3,a\n"), type="kind")


def test_an_edge_is_shown_only_if_both_ends_allow_it(tmp_path):
    # Section 4.1: the most restrictive wins, also where each end speaks in a line of its own.
    text = "from,to,shown\n1,2,yes\n2,1,no\n2,3,yes\n3,4,\n4,5,TRUE\n"
    graph = read_graph(written(tmp_path, text), visible="shown")
    assert named_edges(graph) == edges("2-3", "4-5")
    assert (graph.simplified.refused, graph.vertices) == (2, 5)
    both = 'from,to,a,b\n1,2,1,1\n2,3,1,0\n3,4,"",1\n'
    assert named_edges(read_graph(written(tmp_path, both), visible=["a", "b"])) == edges("1-2")


def test_a_vertex_may_hide_all_of_its_edges(tmp_path):
    vertices = pl.DataFrame({"vertex": [1, 2, 3], "open": [True, True, False], "age": [30, 40, 50]})
    graph = read_graph(written(tmp_path, "1 2\n2 3\n"), vertices=vertices, visible="open")
    assert (named_edges(graph), graph.simplified.refused) == (edges("1-2"), 1)
    assert graph.attributes.columns == ["age"]


def test_visibility_is_yes_or_no(tmp_path):
    with pytest.raises(DataError, match=r"expected yes or no.*'maybe'"):
        read_graph(written(tmp_path, "from,to,shown\n1,2,maybe\n"), visible="shown")
    with pytest.raises(ColumnError, match="visble"):
        read_graph(written(tmp_path, "from,to,visible\n1,2,no\n"), visible="visble")


@pytest.mark.parametrize("text", ["", "\n\n", "# Nodes: 0 Edges: 0\n", "source,target\n"])
def test_an_empty_file_is_refused(tmp_path, text):
    with pytest.raises(DataError, match="empty"):
        read_graph(written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "line"), [("1 2\n3\n", 2), ("1 2\n\n# note\n2 3 4\n", 4), ("1,2\n2,3\n4\n", 3), ("ann bob\ncy\n", 2)]
)
def test_a_line_that_does_not_fit_is_named(tmp_path, text, line):
    with pytest.raises(DataError, match=f"line {line}: "):
        read_graph(written(tmp_path, text))


def test_an_edge_without_an_end_is_refused(tmp_path):
    with pytest.raises(DataError, match="lack a vertex"):
        read_graph(written(tmp_path, "from,to,weight\nann,,3\nbob,ann,2\n"))


def test_a_binary_file_is_refused(tmp_path):
    file = tmp_path / "friends.txt"
    file.write_bytes(bytes(range(256)) * 20)
    with pytest.raises(DataError, match="not a text file"):
        read_graph(file)


def test_a_folder_a_missing_file_and_an_unknown_format_are_refused(tmp_path):
    with pytest.raises(DataError, match="is a folder"):
        read_graph(tmp_path)
    with pytest.raises(DataError, match="does not exist"):
        read_graph(tmp_path / "friends.txt")
    with pytest.raises(UsageError, match="Did you mean 'metis'"):
        read_graph(written(tmp_path, "1 2\n"), format="Metis")


def test_other_encodings_are_understood(tmp_path):
    file = tmp_path / "friends.csv"
    file.write_bytes("Άννα,Νίκος\nΝίκος,Εύα\n".encode("iso-8859-7"))
    assert named_edges(read_graph(file, encoding="iso-8859-7")) == edges("Άννα-Νίκος", "Νίκος-Εύα")
    file.write_bytes("Zoë,Ann\nAnn,Bob\n".encode("utf-16"))
    assert named_edges(read_graph(file)) == edges("Zoë-Ann", "Ann-Bob")


def test_parquet_files_hold_edges_and_vertices(tmp_path):
    pl.DataFrame({"source": [4, 5], "target": [5, 6], "weight": [1.5, 2]}).write_parquet(tmp_path / "edges.parquet")
    pl.DataFrame({"age": [30, 31, 32, 33], "vertex": [6, 5, 4, 9]}).write_parquet(tmp_path / "people.parquet")
    graph = read_graph(tmp_path / "edges.parquet", vertices=tmp_path / "people.parquet")
    assert graph.vertex_frame().rows() == [(4, 32), (5, 31), (6, 30), (9, 33)]
    assert (named_edges(graph), graph.simplified.dropped) == (edges("4-5", "5-6"), ("weight",))


def test_attributes_come_from_a_file_with_or_without_header(tmp_path):
    file = written(tmp_path, "0 1\n1 2\n")
    labels = written(tmp_path, "0 7\n1 8\n2 7\n", "labels.txt")
    assert read_graph(file, vertices=labels).attributes.to_dict(as_series=False) == {"label": ["7", "8", "7"]}
    table = written(tmp_path, "age,id\n30,2\n31,1\n32,0\n", "people.csv")
    assert read_graph(file, vertices=table).attributes.to_dict(as_series=False) == {"age": ["32", "31", "30"]}
    names = written(tmp_path, "ann bob\n", "named.txt")
    jobs = written(tmp_path, "bob nurse\nann doctor\ncy nurse\n", "jobs.txt")
    graph = read_graph(names, vertices=jobs)
    assert graph.vertex_frame().rows() == [("bob", "nurse"), ("ann", "doctor"), ("cy", "nurse")]
    assert graph.degrees.tolist() == [1, 1, 0]


def test_a_vertex_of_the_attributes_without_edges_is_isolated(tmp_path):
    people = pl.DataFrame({"vertex": ["cy", "bob", "ann"], "age": [1, 2, 3]})
    graph = read_graph(written(tmp_path, "ann bob\n"), vertices=people)
    assert (graph.names.to_list(), graph.degrees.tolist()) == (["cy", "bob", "ann"], [0, 1, 1])


@pytest.mark.parametrize("ending", ["csv", "txt"])
@pytest.mark.parametrize("head", ["", "full name\n", "vertex\n", '"full name"\n'])
def test_one_column_of_vertices_may_hold_names_with_spaces(tmp_path, head, ending):
    edges = written(tmp_path, "source,target\nann lee,bob ray\nbob ray,cy\n", "edges.csv")
    people = written(tmp_path, head + 'ann lee\n"bob ray"\ncy\ndan o neill\n', f"people.{ending}")
    graph = read_graph(edges, vertices=people)
    assert sorted(graph.name_of(vertex) for vertex in range(4)) == ["ann lee", "bob ray", "cy", "dan o neill"]
    assert (graph.vertices, graph.attributes.width) == (4, 0)


def test_columns_of_vertices_may_be_separated_by_blanks_whatever_the_file_is_called(tmp_path):
    people = written(tmp_path, "ann cook\nbob nurse\n", "people.csv")
    assert read_graph(written(tmp_path, "ann bob\n"), vertices=people).attributes["label"].to_list() == [
        "cook",
        "nurse",
    ]


def test_a_file_without_edges_holds_isolated_vertices_if_these_are_given(tmp_path):
    graph = read_graph(written(tmp_path, "source,target\n"), vertices=pl.DataFrame({"vertex": ["a", "b"]}))
    assert (graph.vertices, len(graph.edges)) == (2, 0)


@pytest.mark.parametrize("name", ["3", "900000000000", "cy"])
def test_a_vertex_with_edges_that_the_attributes_do_not_know_is_named(tmp_path, name):
    people = pl.DataFrame({"vertex": ["1", "2"], "age": [1, 2]})
    with pytest.raises(DataError, match=f"no row in the table of vertices: {name}; add a row"):
        read_graph(written(tmp_path, f"1 2\n2 {name}\n"), vertices=people)


def test_vertices_without_a_name_or_with_two_rows_are_refused(tmp_path):
    file = written(tmp_path, "1 2\n")
    with pytest.raises(DataError, match="more than once: 1"):
        read_graph(file, vertices=pl.DataFrame({"vertex": [1, 1, 2]}))
    with pytest.raises(DataError, match="name no vertex"):
        read_graph(file, vertices=pl.DataFrame({"vertex": [1, None, 2]}))


def test_a_million_isolated_vertices_are_read(tmp_path):
    file = written(tmp_path, "3 5\n")
    graph = read_graph(file, vertices=pl.DataFrame({"vertex": np.arange(1_000_000)}))
    assert (graph.vertices, graph.names, int((graph.degrees == 0).sum())) == (1_000_000, None, 999_998)


FEW_OR_FAR = st.sampled_from([0, 1, 2, 3, 4, 5, 2**11, 2**22 + 1, 2**31 - 3, 2**31 - 2])


@given(st.lists(st.tuples(FEW_OR_FAR, FEW_OR_FAR), max_size=40))
def test_sorting_by_digits_gives_the_simple_graph(pairs):
    ends = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    found, loops, repeated, both = sorted_pairs(ends[:, 0].copy(), ends[:, 1].copy(), 2**31 - 1)
    slowly = Graph.of_codes(ends, 2**31 - 1)
    assert found.tolist() == slowly.edges.tolist()
    assert (loops, repeated) == (slowly.simplified.loops, slowly.simplified.repeated)
    assert both == sum((high, low) in pairs and (low, high) in pairs for low, high in found.tolist())


WORDS = st.text(st.characters(whitelist_categories=("Lu", "Ll", "Nd"), max_codepoint=0x17F), min_size=1, max_size=4)
NAMES = st.one_of(st.integers(0, 12).map(str), WORDS).filter(lambda word: word not in {"u", "v", "to"})


@given(st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=12), st.sampled_from([" ", "\t", ",", ";", "  "]))
def test_whatever_is_written_is_read_again(tmp_path_factory, pairs, mark):
    # A header is written so that the first edge is not taken for one.
    text = mark.join(("source", "target")) + "\n" + "".join(f"{first}{mark}{second}\n" for first, second in pairs)
    graph = read_graph(written(tmp_path_factory.mktemp("lists"), text))
    assert named_edges(graph) == {frozenset(pair) for pair in pairs if pair[0] != pair[1]}
    assert {graph.name_of(vertex) for vertex in range(graph.vertices)} == {name for pair in pairs for name in pair}
    assert graph.simplified.loops == sum(first == second for first, second in pairs)


def test_many_edges_are_sorted_in_portions():
    ends = np.random.default_rng(1).integers(0, 5000, (60_000, 2), dtype=np.int32)
    found, loops, repeated, _ = sorted_pairs(ends[:, 0].copy(), ends[:, 1].copy(), 5000)
    slowly = Graph.of_codes(ends, 5000)
    assert np.array_equal(found, slowly.edges)
    assert (loops, repeated) == (slowly.simplified.loops, slowly.simplified.repeated)


LINES = st.sampled_from(["1 2", "30 4", "5\t6", "7  8", " 9 10", "# 1 2", "", "11 12 ", "13 14\r", "0 15"])


@given(st.lists(LINES, max_size=12))
def test_lines_that_are_less_simple_are_read_among_simple_ones(lines):
    # The last lines are read one by one in any case, so that simple ones follow.
    content = "\n".join([*lines, *["16 17"] * 20, ""]).encode()
    found = np.zeros((2, len(content)), dtype=np.int64)
    rows, state, _ = parse_pairs(np.frombuffer(content, np.uint8), 0, ord(" "), np.array([0, 1]), 99, *found)
    expected = [line.split() for line in content.decode().split("\n") if line.strip() and "#" not in line]
    assert (state, found[:, :rows].T.astype(str).tolist()) == (READ, expected)


@pytest.mark.parametrize(
    ("line", "state"),
    [("007 1", NO_INTEGER), ("1 007", NO_INTEGER), ("1 ann", NO_INTEGER), ("1", SHORT), ("1 100", LARGE)],
)
def test_a_line_that_cannot_be_read_is_found_among_simple_ones(line, state):
    content = f"1 2\n{line}\n".encode() + 20 * b"3 4\n"
    found = np.zeros((2, len(content)), dtype=np.int64)
    read = parse_pairs(np.frombuffer(content, np.uint8), 0, ord(" "), np.array([0, 1]), 99, *found)
    assert read == (1, state, 4)
