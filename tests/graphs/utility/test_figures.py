"""Figures of the structure of graphs, against networkx."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import normalized_mutual_info_score

from krypsis.data.graphs import ClusteredGraph, Graph, figures
from krypsis.data.graphs.clustering import ClusteringCoefficients
from krypsis.metrics.graphs.base import world_of
from krypsis.metrics.graphs.degrees import DegreeChange, DegreeDistributionDistance
from krypsis.metrics.graphs.edges import EdgeOverlap, EdgesAdded, EdgesRemoved
from krypsis.metrics.graphs.structure import (
    AssortativityChange,
    BetweennessRankLoss,
    ClusteringChange,
    CommunityLoss,
    CorenessChange,
    DiameterChange,
    EigenvalueChange,
    PathLengthChange,
    TransitivityChange,
)

METRICS = (
    *(AssortativityChange, BetweennessRankLoss, ClusteringChange, CommunityLoss, CorenessChange, DegreeChange),
    *(DegreeDistributionDistance, DiameterChange, EdgeOverlap, EdgesAdded, EdgesRemoved, EigenvalueChange),
    *(PathLengthChange, TransitivityChange),
)
FIGURE_4_2 = [[0, 1], [0, 2], [1, 3], [1, 4], [1, 5], [2, 5], [3, 4], [5, 6]]


@st.composite
def graphs(draw, most=12):
    vertices = draw(st.integers(1, most))
    pairs = [(low, high) for high in range(vertices) for low in range(high)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return Graph.of_codes(np.array(chosen, dtype=np.int64).reshape(-1, 2), vertices)


def network_of(graph):
    found = nx.Graph()
    found.add_nodes_from(range(graph.vertices))
    found.add_edges_from(graph.edges.tolist())
    return found


@given(graphs())
def test_figures_are_those_of_networkx(graph):
    network = network_of(graph)
    assert figures.triangles(graph).tolist() == [nx.triangles(network)[vertex] for vertex in range(graph.vertices)]
    clustering = ClusteringCoefficients.of(graph)
    assert clustering.average == pytest.approx(nx.average_clustering(network))
    assert clustering.transitivity == pytest.approx(nx.transitivity(network))
    assert figures.core_numbers(graph).tolist() == [nx.core_number(network)[one] for one in range(graph.vertices)]
    expected = nx.betweenness_centrality(network, normalized=False)
    everybody = np.arange(graph.vertices)
    assert figures.betweenness(graph, everybody) == pytest.approx(
        [expected[vertex] for vertex in range(graph.vertices)]
    )
    spectrum = np.linalg.eigvalsh(nx.to_numpy_array(network))[::-1][:3]
    leading = figures.leading_eigenvalues(graph, 3)
    assert leading[: len(spectrum)] == pytest.approx(spectrum if len(graph.edges) else 0 * spectrum, abs=1e-5)
    lengths = [
        length for one in dict(nx.all_pairs_shortest_path_length(network)).values() for length in one.values() if length
    ]
    assert figures.PathLengths.of(graph, everybody).mean == pytest.approx(np.mean(lengths) if lengths else 0)
    if len(set(graph.degrees[graph.edges].ravel().tolist())) > 1:  # else there is nothing to correlate
        ours, theirs = figures.assortativity(graph), nx.degree_assortativity_coefficient(network)
        assert ours == pytest.approx(theirs) or np.isnan(theirs)


def test_a_long_path_has_long_distances():
    path = Graph.of_codes(np.stack([np.arange(299), np.arange(1, 300)], axis=1), 300)
    found = figures.PathLengths.of(path, np.arange(300))
    assert found.mean == pytest.approx(301 / 3)
    assert found.error == 0


def test_a_sample_of_paths_comes_with_its_error():
    rng = np.random.default_rng(3)
    graph = Graph.of_codes(rng.integers(0, 2000, (8000, 2)), 2000)
    exact = figures.PathLengths.of(graph, np.arange(2000))
    sampled = figures.PathLengths.of(graph, rng.choice(2000, 100, replace=False))
    assert 0 < sampled.error < 0.1
    assert abs(sampled.mean - exact.mean) < 4 * sampled.error


def test_two_cliques_are_two_communities():
    clique = np.array([(low, high) for high in range(6) for low in range(high)])
    graph = Graph.of_codes(np.concatenate([clique, clique + 6, [[0, 6]]]), 12)
    found = figures.communities(graph, np.random.default_rng(1))
    assert len(set(found[:6].tolist())) == len(set(found[6:].tolist())) == 1
    assert found[0] != found[6]


def test_communities_are_as_good_as_those_of_networkx():
    rng = np.random.default_rng(8)
    block = rng.integers(0, 5, 150)
    pairs = rng.integers(0, 150, (4000, 2))
    pairs = pairs[(block[pairs[:, 0]] == block[pairs[:, 1]]) | (rng.random(4000) < 0.05)]
    graph = Graph.of_codes(pairs, 150)
    network, found = network_of(graph), figures.communities(graph, rng)
    sets = [set(np.flatnonzero(found == one).tolist()) for one in np.unique(found)]
    theirs = nx.community.louvain_communities(network, seed=1)
    assert nx.community.modularity(network, sets) >= 0.97 * nx.community.modularity(network, theirs)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1))
def test_agreement_is_the_normalized_mutual_information(pairs):
    first, second = np.array(pairs).T
    assert figures.agreement(first, second) == pytest.approx(normalized_mutual_info_score(first, second), abs=1e-9)


@pytest.mark.parametrize("vertices", [60, 300], ids=["all-paths", "sampled-paths"])
@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_an_unchanged_graph_loses_nothing(metric, vertices):
    rng = np.random.default_rng(5)
    graph = Graph.of_codes(rng.integers(0, vertices, (3 * vertices, 2)), vertices)
    order = rng.permutation(vertices)
    found = metric().measure(graph, graph.renumbered(order), np.argsort(order), rng)
    # Communities depend on the order in which vertices are visited, and so on their numbers.
    assert found == pytest.approx(0, abs=1e-6) or (metric is CommunityLoss and found <= 1)
    assert metric().measure(graph, graph, np.arange(vertices), rng) == pytest.approx(0, abs=1e-6)


def test_degrees_change_per_vertex_and_not_between_sorted_lists():
    """Specification 8.2, Figure 4.4 (erratum E11): L1 is 4 per vertex and 2 between sorted lists."""
    before = Graph.of_codes(np.array(FIGURE_4_2), 7)
    edges = [edge for edge in FIGURE_4_2 if edge != [1, 5]] + [[2, 6]]
    after = Graph.of_codes(np.array(edges), 7)
    rng, places = np.random.default_rng(1), np.arange(7)
    assert DegreeChange().measure(before, after, places, rng) * 7 == pytest.approx(4)
    assert DegreeDistributionDistance().measure(before, after, places, rng) * 7 == pytest.approx(2)
    assert EdgesAdded().measure(before, after, places, rng) == pytest.approx(1 / 8)
    assert EdgesRemoved().measure(before, after, places, rng) == pytest.approx(1 / 8)
    assert EdgeOverlap().measure(before, after, places, rng) == pytest.approx(1 / 8)


def test_added_and_left_out_vertices_count():
    before = Graph.of_codes(np.array([[0, 1], [1, 2]]), 3)
    after = Graph.of_codes(np.array([[0, 1], [1, 2]]), 3)  # vertex 2 is left out, the third one is new
    places, rng = np.array([0, 1, -1]), np.random.default_rng(1)
    assert EdgesAdded().measure(before, after, places, rng) == pytest.approx(1 / 2)
    assert EdgesRemoved().measure(before, after, places, rng) == pytest.approx(1 / 2)
    assert DegreeChange().measure(before, after, places, rng) == pytest.approx(1 / 3)


@given(graphs(), st.integers(0, 2**32 - 1))
def test_a_world_of_super_vertices_has_their_edges_and_vertices(graph, seed):
    rng = np.random.default_rng(seed)
    clusters = np.unique(rng.integers(0, 3, graph.vertices), return_inverse=True)[1]
    published = ClusteredGraph.of(graph, clusters)
    world, where = world_of(published, clusters, rng)
    assert sorted(where.tolist()) == list(range(graph.vertices))
    own = np.repeat(np.arange(len(published)), published.sizes)
    assert own[where].tolist() == clusters.tolist()
    again = ClusteredGraph.of(world, own)
    assert again.superedges.tolist() == published.superedges.tolist()
    assert again.counts.tolist() == published.counts.tolist()
