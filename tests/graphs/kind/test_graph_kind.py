"""Graphs go the whole journey: read, published, checked from their files, attacked, reported."""

import json
import pickle
import re

import networkx as nx
import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import krypsis
from checker.forging import forge, rewrite
from krypsis.attacks.graphs.candidates import VertexRefinementAttack
from krypsis.cli.main import app
from krypsis.data.graphs import ClusteredGraph, Graph
from krypsis.errors import DataError, PromiseBroken, UsageError
from krypsis.kinds.base import kind_of
from krypsis.kinds.graph.demo import company
from krypsis.report import build_report, render_html, render_pdf

NAMES = [f"person {number}" for number in range(40)]


@pytest.fixture(scope="module")
def friends() -> Graph:
    rng = np.random.default_rng(11)
    pairs = [(NAMES[one], NAMES[other]) for one, other in rng.integers(0, 40, (90, 2)).tolist() if one != other]
    attributes = pl.DataFrame({"mail": [f"{name}@x" for name in NAMES], "ill": ["yes", "no"] * 20})
    return Graph.of_edges(pairs, vertices=NAMES, attributes=attributes)


@pytest.fixture(scope="module")
def release(friends):
    return krypsis.anonymize(
        friends,
        roles={"mail": "identifier", "ill": "sensitive"},
        models=["k-degree-anonymity:k=4", "vertex-l-diversity:l=2"],
    )


def said(*words: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == code, result.output
    return result.output


def test_a_release_keeps_its_promises_by_a_naive_count(release):
    graph = nx.Graph(release.to_polars("edges").rows())
    graph.add_nodes_from(release.table["vertex"])
    degrees = [degree for _, degree in graph.degree]
    assert min(degrees.count(degree) for degree in degrees) >= 4
    values = dict(zip(release.table["vertex"], release.table["ill"], strict=True))
    for degree in set(degrees):
        shown = {values[vertex] for vertex, own in graph.degree if own == degree}
        assert len(shown) >= 2 or shown == {None}
    assert [verdict.holds for verdict in release.verdicts] == [True, True]


def test_nothing_of_the_input_is_left_beside_the_promise(release, friends, tmp_path):
    saved = release.save(tmp_path / "release")
    published = "".join(file.read_text("utf-8") for file in saved.folder.iterdir())
    assert not re.search(r"person|@x", published)
    for shown in (repr(release), repr(release.before), release._repr_html_(), release.summary(), repr(friends)):
        assert "person" not in shown
    assert b"person" not in pickle.dumps(release)
    again = pickle.loads(pickle.dumps(release))
    assert again.before is None
    assert again.private == {}


def test_vertices_get_new_numbers_in_every_release(friends):
    publish = {"models": "k-degree-anonymity:k=2", "roles": {"ill": "sensitive"}}
    orders = [krypsis.anonymize(friends, **publish).before.places.tolist() for _ in range(2)]
    assert orders[0] != orders[1]
    assert orders[0] != sorted(orders[0])


def test_the_private_record_says_who_is_who(release, friends, tmp_path):
    saved = release.save(tmp_path / "release")
    places = json.loads(saved.private.read_text())["places"]
    degrees = dict(nx.Graph(release.to_polars("edges").rows()).degree)
    grown = [degrees.get(place, 0) - int(own) for place, own in zip(places, friends.degrees, strict=True)]
    assert min(grown) >= 0  # only edges were added


def test_a_release_is_read_back_and_checked_from_its_files(release, tmp_path):
    saved = release.save(tmp_path / "release", formats=["csv", "parquet"])
    loaded = krypsis.Release.load(saved.folder)
    assert loaded.publication.graph.edges.tolist() == release.publication.graph.edges.tolist()
    assert all(verdict.holds for verdict in krypsis.check(saved.folder))
    assert all(verdict.holds for verdict in krypsis.check(release))


@pytest.mark.parametrize(
    ("table", "change", "problem"),
    [
        ("edges", lambda edges: edges.with_columns(target=pl.lit(999)), "no graph that can be read"),
        ("edges", lambda edges: pl.concat([edges, edges.head(1)]), "manifest says"),
        ("edges", lambda edges: edges.with_columns(target="source"), "no graph that can be read"),
        ("data", lambda vertices: vertices.with_columns(vertex=pl.lit(0)), "no graph that can be read"),
    ],
)
def test_forged_tables_are_refused(release, tmp_path, table, change, problem):
    folder = release.save(tmp_path / "release").folder
    changed = change(pl.read_csv(folder / f"{table}.csv"))
    forge(folder, f"{table}.csv", changed.write_csv().encode())
    with pytest.raises(PromiseBroken, match=problem):
        krypsis.check(folder)


def test_a_promise_that_the_files_do_not_keep_is_found_broken(release, tmp_path):
    folder = release.save(tmp_path / "release").folder
    claimed = json.loads((folder / "manifest.json").read_text())["promises"]
    claimed[0] |= {"promise": "k-degree-anonymity:k=39", "required": 39, "achieved": 39}
    rewrite(folder, promises=claimed)
    with pytest.raises(PromiseBroken, match="claims 39 for k-degree-anonymity:k=39, but the published data has 4"):
        krypsis.check(folder)


def test_edges_that_are_only_of_a_sensitive_type_are_not_published(tmp_path):
    edges = pl.DataFrame(
        {"source": list("abcda"), "target": list("bcdac"), "type": ["friend", "friend", "friend", "friend", "lover"]}
    )
    file = tmp_path / "edges.csv"
    edges.write_csv(file)
    graph = Graph.read(file, type="type")
    made = krypsis.anonymize(
        graph, models="k-degree-anonymity:k=2", sensitive_edges=["lover"], algorithm="k-degree:edits=add"
    )
    assert len(made.publication.graph.edges) == 4
    assert "sensitive" in made.summary()
    with pytest.raises(UsageError, match="no edge has the sensitive type 'enemy'"):
        krypsis.anonymize(graph, models="k-degree-anonymity:k=2", sensitive_edges=["enemy"])


def test_vertices_that_only_the_table_of_vertices_names_are_reported(tmp_path):
    people = pl.DataFrame({"vertex": [1, 2, 3, 99]})
    graph = Graph.read(written_triangle(tmp_path), vertices=people)
    made = krypsis.anonymize(graph, models="k-degree-anonymity:k=2")
    assert made.records == 4
    assert "1 vertex has no edges in the data" in made.summary()


def written_triangle(folder):
    (folder / "triangle.txt").write_text("1 2\n2 3\n3 1\n")
    return folder / "triangle.txt"


def test_groups_of_vertices_are_published_and_checked(friends, tmp_path):
    made = krypsis.anonymize(
        friends, roles={"ill": "sensitive"}, models=["supervertex-anonymity:k=5", "candidate-anonymity:k=5"]
    )
    assert isinstance(made.publication.graph, ClusteredGraph)
    folder = made.save(tmp_path / "release").folder
    assert all(verdict.holds for verdict in krypsis.check(folder))
    assert krypsis.Release.load(folder).publication.graph.sizes.min() >= 5
    assert render_html(build_report(made))
    assert VertexRefinementAttack(depth=2).run(made).rate <= 1 / 5


def test_the_report_shows_risk_loss_attacks_and_the_graph(release):
    report = build_report(release)
    kinds = {block.type for block in report.blocks()}
    assert {"network", "paired bars", "table"} <= kinds
    page = render_html(report)
    assert "vertex refinement" in page
    assert not re.search(r"person \d", page)
    assert render_pdf(report).startswith(b"%PDF")


def test_the_command_line_goes_from_a_file_to_an_attack(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    graph = company(60)
    network = graph.to_networkx()
    nx.write_gml(nx.relabel_nodes(network, {vertex: f"e{vertex}" for vertex in network}), "office.gml")
    assert "60 vertices" in said("init", "office.gml")  # recognized without --kind
    assert krypsis.Plan.load("plan.yaml").kind == "graph"
    said("run", "plan.yaml")
    assert "Kept" in said("check", "release")
    assert "no attack fits" in said("attack", "release", code=2)
    words = ("attack", "release", "--plan", "plan.yaml", "--attack", "vertex-refinement:depth=1")
    (tried,) = json.loads(said(*words, "--json"))
    assert 0 < tried["rate"] <= 1 / 10
    # Of each class of vertices with the same degree, one is found on average.
    assert tried["before"]["rate"] == pytest.approx(len(set(graph.degrees.tolist())) / 60)
    assert "  on the data as it was: succeeds for" in said(*words)
    (tmp_path / "release.report.html").stat()


def test_attacks_need_the_plan_of_the_release(release, tmp_path, friends):
    folder = release.save(tmp_path / "release").folder
    friends.to_frame().write_csv(tmp_path / "other.csv")
    plan = tmp_path / "plan.yaml"
    plan.write_text("kind: graph\ndata: other.csv\npromises: [k-degree-anonymity:k=4]\n")
    next(tmp_path.glob("release.*.private.json")).rename(tmp_path / "elsewhere.json")
    assert "private record" in said("attack", folder, "--plan", plan, code=2)


def test_graphs_of_other_tools_are_checked(tmp_path):
    nx.write_edgelist(nx.cycle_graph(6), tmp_path / "ring.txt", data=False)
    judged = said("check", tmp_path / "ring.txt", "--promise", "k-degree-anonymity:k=6")
    assert "Kept" in judged
    assert "an attacker knows the edges around a person" in judged
    nx.write_edgelist(nx.star_graph(5), tmp_path / "star.txt", data=False)
    assert "Not kept" in said("check", tmp_path / "star.txt", "--promise", "k-degree-anonymity:k=2", code=1)


@pytest.mark.parametrize("make", [nx.Graph, lambda: nx.star_graph(4)])
def test_graphs_of_networkx_are_recognized(make):
    assert kind_of(make()).name == "graph"
    assert kind_of({"a": [1]}).name == "table"


@pytest.mark.parametrize(
    ("graph", "k"),
    [
        (nx.complete_graph(6), 6),
        (nx.star_graph(7), 3),
        (nx.disjoint_union(nx.path_graph(4), nx.cycle_graph(3)), 3),
        (nx.empty_graph(5), 5),
    ],
    ids=["complete", "star", "disconnected", "no edges"],
)
@pytest.mark.parametrize("promise", ["k-degree-anonymity", "k-neighborhood-anonymity", "supervertex-anonymity"])
def test_graphs_of_unusual_form_are_published(graph, k, promise):
    made = krypsis.anonymize(graph, models=f"{promise}:k={k}")
    assert made.verdicts[0].holds
    assert made.records >= len(graph)


def test_what_cannot_be_is_refused_in_words(friends):
    with pytest.raises(DataError, match="41 vertices that look alike are promised, and the graph has 40"):
        krypsis.anonymize(friends, models="k-degree-anonymity:k=41")
    with pytest.raises(DataError, match="no vertices"):
        krypsis.anonymize(Graph.of_edges([]), models="k-degree-anonymity:k=1")
    with pytest.raises(UsageError, match="no promise says how many vertices must look alike"):
        krypsis.anonymize(friends, roles={"ill": "sensitive"}, models="vertex-l-diversity:l=2")
    with pytest.raises(UsageError, match="is not about graphs"):
        krypsis.anonymize(friends, models="k-anonymity:k=2")
    with pytest.raises(UsageError, match="is not for graphs"):
        krypsis.anonymize(friends, models="k-degree-anonymity:k=2", algorithm="mondrian")
    with pytest.raises(UsageError, match="suppression has no meaning for a graph"):
        krypsis.anonymize(friends, models="k-degree-anonymity:k=2", suppression=0.1)
    with pytest.raises(UsageError, match="column 'jb' not found"):
        krypsis.anonymize(friends, roles={"jb": "quasi-identifier"}, models="k-degree-anonymity:k=2")
