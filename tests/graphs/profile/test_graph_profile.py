"""The profile of graphs: figures against networkx and against counting, and what is shown to people."""

from collections import Counter

import networkx as nx
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.graphs.k_neighborhood.by_networkx import classes_by_networkx

from krypsis.data.graphs import Graph
from krypsis.data.graphs.clustering import ClusteringCoefficients, work_of
from krypsis.data.graphs.refinement import refine
from krypsis.io.graphs import graph_of, read_graph
from krypsis.kinds.base import ProfileView
from krypsis.kinds.graph import profile
from krypsis.kinds.graph.profile import profile_graph, uniqueness
from krypsis.kinds.graph.proposal import propose_graph

OCCUPATIONS = pl.DataFrame({"occupation": list("AAABBGG")})
FIGURE_4_2 = Graph.of_codes(
    np.array([[0, 1], [0, 2], [1, 3], [1, 4], [1, 5], [2, 5], [3, 4], [5, 6]]), 7, attributes=OCCUPATIONS
)


@st.composite
def graphs(draw):
    vertices = draw(st.integers(1, 12))
    end = st.integers(0, vertices - 1)
    pairs = draw(st.lists(st.tuples(end, end), max_size=25))
    return Graph.of_codes(np.array(pairs, dtype=np.int64).reshape(-1, 2), vertices)


@given(graphs())
def test_figures_are_those_of_networkx(graph):
    found, other = profile_graph(graph, "friends"), graph.to_networkx()
    sizes = [len(one) for one in nx.connected_components(other)]
    assert (found.components, found.largest_component) == (len(sizes), max(sizes))
    assert found.isolated == len(list(nx.isolates(other)))
    assert dict(found.distribution) == Counter(dict(other.degree()).values())
    assert found.clustering.average == pytest.approx(nx.average_clustering(other))
    assert found.clustering.transitivity == pytest.approx(nx.transitivity(other))
    assert found.clustering.error == 0


@given(graphs())
def test_unique_vertices_are_counted_under_each_knowledge(graph):
    labels = np.arange(graph.vertices) % 3
    found = uniqueness(graph, labels)
    for known, depth in {"h0": 0, "h1": 1, "h2": 2, "h3": 3, "h4": 4, "refinement": None}.items():
        counts = Counter(refine(graph, depth, labels).tolist())
        assert found[known] == sum(count == 1 for count in counts.values())
    assert found["h0"] <= found["h1"] <= found["h2"] <= found["h3"] <= found["h4"] <= found["refinement"]


def test_figure_4_2_is_as_the_specification_describes_it():
    found = profile_graph(FIGURE_4_2, "figure 4.2", ("occupation",))
    assert (found.vertices, found.edges, found.components) == (7, 8, 1)
    # Erratum E10: seven degrees, not six.
    assert found.distribution == ((1, 1), (2, 4), (3, 1), (4, 1))
    assert uniqueness(FIGURE_4_2)["h1"] == 3
    assert uniqueness(FIGURE_4_2)["h2"] == 4
    assert found.labeled["h0"] == 0
    # The classes of 1-neighborhoods are x1, x2, x3, {x4, x5}, x6, x7.
    assert found.labeled["neighborhood"] == 5
    assert any("occupation of them all, finds 5 of 7 persons" in sentence for sentence in found.sentences())


@pytest.mark.data
def test_a_proposal_counts_who_is_unique_with_the_labels_of_the_file(data_folder):
    file = data_folder / "graphs" / "polbooks.gml"
    _, unique = propose_graph(file, file.name, {}).profile.tables
    assert unique.headings[3:] == ("unique vertices, with value", "share, with value")
    labeled = classes_by_networkx(graph := read_graph(file), graph.attributes["value"].to_list())
    assert int(unique.rows[-1][3]) == sum(count == 1 for count in Counter(labeled).values())


@pytest.mark.parametrize("seed", range(3))
def test_estimates_are_as_near_as_they_say(seed):
    other = nx.powerlaw_cluster_graph(400, 5, 0.6, seed=seed)
    graph = graph_of(other)
    drawn = ClusteringCoefficients.of(graph, np.random.default_rng(seed), most_work=0)
    assert 0 < drawn.error < 0.01
    # Twice what 95 of 100 estimates keep, so that chance does not break the test.
    assert drawn.average == pytest.approx(nx.average_clustering(other), abs=2 * drawn.error)
    assert drawn.transitivity == pytest.approx(nx.transitivity(other), abs=2 * drawn.error)


def test_a_hub_does_not_make_counting_slow():
    star = Graph.of_codes(np.stack([np.zeros(1000, int), np.arange(1, 1001)], axis=1), 1001)
    assert work_of(star) == 0
    assert ClusteringCoefficients.of(star).average == 0


@pytest.mark.parametrize("vertices", [0, 1, 5, 1_000_000])
def test_vertices_without_edges_have_a_profile(vertices):
    found = profile_graph(Graph.of_codes(np.empty((0, 2), dtype=np.int64), vertices), "nobody")
    assert (found.isolated, found.components, found.edges) == (vertices, vertices, 0)
    assert found.unique["refinement"] == (1 if vertices == 1 else 0)
    assert isinstance(found.view(), ProfileView)


def test_the_view_shows_figures_and_sentences_for_people(tmp_path):
    file = tmp_path / "friends.txt"
    file.write_text("0 1\n1 0\n1 1\n1 2\n2 3\n5 1\n", encoding="utf-8")
    view = profile_graph(read_graph(file), file.name).view()
    assert view.summary == "friends.txt: 5 vertices, 4 edges"
    figures, unique = view.tables
    assert dict(figures.rows)["edges per vertex (mean)"] == "1.60"
    assert unique.rows[1] == ("the number of its edges (H_1)", "2", "40.0 %")
    assert view.notes[0] == "Note: who knows how many edges a person has finds 2 of 5 persons (40 %)."
    assert "Note: 1 loop was left out." in view.notes


def test_neighborhoods_that_are_not_compared_are_not_passed_over_in_silence(monkeypatch):
    assert profile_graph(FIGURE_4_2, "figure").view().tables[1].rows[-1][1:] == ("3", "42.9 %")
    monkeypatch.setattr(profile, "MOST_NEIGHBORHOODS", 0)
    assert profile_graph(FIGURE_4_2, "figure").view().tables[1].rows[-1][1:] == ("too many to compare", "–")


def test_a_tiny_share_is_not_said_to_be_none():
    lonely = Graph.of_codes(np.array([[0, 1], [1, 2]]), 10_000)
    assert "1 of 10,000 persons (less than 0.1 %)" in profile_graph(lonely, "lonely").sentences()[0]


@pytest.mark.data
def test_most_of_a_real_network_is_unique_to_who_knows_degrees_around(data_folder):
    found = profile_graph(read_graph(data_folder / "graphs" / "email-Eu-core.txt"), "email")
    assert (found.vertices, found.edges) == (1005, 16064)
    assert found.unique["h2"] > 0.8 * found.vertices
    assert found.clustering.average == pytest.approx(0.3994, abs=1e-4)  # as SNAP publishes it
