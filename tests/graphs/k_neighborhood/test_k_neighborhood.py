"""k-neighborhood anonymity holds on every graph, judged by networkx; what is published and said is as documented."""

import networkx as nx
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.graphs.k_neighborhood.by_networkx import labeled_graphs, of_networkx, smallest_class

from krypsis.algorithms.graphs.base import GraphTask
from krypsis.algorithms.graphs.k_neighborhood import k_neighborhood
from krypsis.algorithms.graphs.k_neighborhood.k_neighborhood import KNeighborhood
from krypsis.data.graphs import Graph
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.schema import Schema
from krypsis.errors import DataError, Infeasible, UsageError
from krypsis.models.k_degree_anonymity import KDegreeAnonymity
from krypsis.models.k_neighborhood_anonymity import KNeighborhoodAnonymity

LETTERS = Hierarchy.from_rows([["A", "vowel", "*"], ["E", "vowel", "*"], ["B", "consonant", "*"]])
QUICK = KNeighborhood(rounds=2, optimal_up_to=0)


def labeled(graph, letters):
    return Graph.of_codes(graph.edges, graph.vertices, attributes=pl.DataFrame({"letter": letters}))


def task_of(graph, k, hierarchies=None):
    roles = {"letter": "quasi-identifier"} if graph.attributes.width else {}
    return GraphTask(graph, [KNeighborhoodAnonymity(k=k)], Schema.of(roles), hierarchies or {})


def publish(graph, k, method=QUICK, hierarchies=None):
    return method.publish(task_of(graph, k, hierarchies), np.random.default_rng(3))


def labels_of(graph):
    return graph.attributes["letter"].to_list() if graph.attributes.width else [0] * graph.vertices


def edits_between(before, after):
    return len({*map(tuple, before.edges.tolist())} ^ {*map(tuple, after.edges.tolist())})


@settings(max_examples=examples(200))
@given(labeled_graphs(11, fewest=2), st.data())
def test_every_class_has_k_vertices(drawn, data):
    graph, labels = drawn
    k = data.draw(st.integers(1, graph.vertices))
    method = KNeighborhood(rounds=1, optimal_up_to=0, allow_delete=data.draw(st.booleans()))
    known = labeled(graph, ["AEB"[label] for label in labels])
    result = publish(known, k, method, {"letter": LETTERS} if data.draw(st.booleans()) else None)
    assert smallest_class(result.published, labels_of(result.published)) >= k
    assert result.places.tolist() == list(range(graph.vertices))
    if not method.allow_delete:
        assert {*map(tuple, graph.edges.tolist())} <= {*map(tuple, result.published.edges.tolist())}


@settings(max_examples=examples(60))
@given(labeled_graphs(10, fewest=2))
def test_labels_are_published_as_they_are_or_as_one_of_their_generalizations(drawn):
    graph, labels = drawn
    letters = ["AEB"[label] for label in labels]
    result = publish(labeled(graph, letters), 2, hierarchies={"letter": LETTERS})
    for before, after in zip(letters, labels_of(result.published), strict=True):
        assert after in {LETTERS.label(before, level) for level in range(3)}


@pytest.mark.parametrize(
    ("graph", "k"),
    [
        (nx.star_graph(12), 3),
        (nx.complete_graph(9), 9),
        (nx.path_graph(10), 5),
        (nx.empty_graph(6), 6),
        (nx.disjoint_union_all([nx.complete_graph(4), nx.path_graph(5), nx.empty_graph(3)]), 4),
        (nx.disjoint_union(nx.star_graph(8), nx.cycle_graph(7)), 16),
        (nx.barabasi_albert_graph(60, 3, seed=1), 5),
        (nx.connected_caveman_graph(6, 6), 5),
        (nx.windmill_graph(10, 4), 4),
    ],
)
def test_special_graphs_are_published(graph, k):
    before = of_networkx(graph)
    after = publish(before, k).published
    assert smallest_class(after, labels_of(after)) >= k
    assert edits_between(before, after) <= len(before.edges)


@pytest.mark.parametrize("graph", [nx.complete_graph(9), nx.empty_graph(9), nx.cycle_graph(9)])
def test_what_keeps_the_promise_is_left_alone(graph):
    before = of_networkx(graph)
    result = publish(before, 9)
    assert result.published.edges.tolist() == before.edges.tolist()
    assert result.said == ("0 edges were added and 0 edges were deleted.",)


def test_components_that_occur_often_enough_stay():
    graph = nx.disjoint_union_all([nx.house_graph()] * 3 + [nx.complete_graph(6)])
    assert edits_between(of_networkx(graph), publish(of_networkx(graph), 3).published) == 0


def test_more_vertices_than_there_are_cannot_look_alike():
    with pytest.raises(DataError, match="the graph has 4"):
        publish(of_networkx(nx.path_graph(4)), 5)


def test_the_promise_has_to_be_named():
    with pytest.raises(UsageError, match="k-neighborhood-anonymity"):
        KNeighborhood().publish(
            GraphTask(of_networkx(nx.path_graph(4)), [KDegreeAnonymity(k=2)]), np.random.default_rng(1)
        )


def test_degrees_are_alike_as_well_where_more_of_them_are_promised():
    graph = of_networkx(nx.gnp_random_graph(20, 0.2, seed=4))
    models = [KNeighborhoodAnonymity(k=2), KDegreeAnonymity(k=4)]
    published = QUICK.publish(GraphTask(graph, models), np.random.default_rng(1)).published
    assert np.bincount(published.degrees)[published.degrees].min() >= 4


def test_the_same_seed_gives_the_same_graph():
    graph = of_networkx(nx.gnp_random_graph(25, 0.2, seed=4))
    assert publish(graph, 3).published.edges.tolist() == publish(graph, 3).published.edges.tolist()


def test_after_all_steps_what_is_left_loses_its_edges_and_this_is_said(monkeypatch):
    monkeypatch.setattr(k_neighborhood, "STEPS_PER_VERTEX", 0)
    before = labeled(of_networkx(nx.barabasi_albert_graph(20, 2, seed=1)), list("AEB" * 6 + "AA"))
    result = publish(before, 4, KNeighborhood(rounds=0), {"letter": LETTERS})
    assert smallest_class(result.published, labels_of(result.published)) >= 4
    assert any("they lost all edges" in sentence for sentence in result.said)


def test_a_large_network_without_deletions_is_refused_at_once_unless_it_needs_no_edges():
    network = of_networkx(nx.barabasi_albert_graph(3000, 3, seed=1))
    method = KNeighborhood(allow_delete=False)
    with pytest.raises(Infeasible, match=r"of 3,000 vertices .* without deletions, at most 2,000"):
        publish(network, 5, method)
    ring = of_networkx(nx.cycle_graph(3000))
    assert publish(ring, 5, method).published.edges.tolist() == ring.edges.tolist()


def test_too_few_isolated_vertices_are_joined_by_others(monkeypatch):
    monkeypatch.setattr(k_neighborhood, "STEPS_PER_VERTEX", 0)
    # All of the cycle look alike; the single vertex needs three others.
    result = publish(of_networkx(nx.disjoint_union(nx.cycle_graph(9), nx.empty_graph(1))), 4, KNeighborhood(rounds=0))
    assert smallest_class(result.published, [0] * 10) >= 4


def test_where_edges_must_stay_components_become_complete_and_this_is_said(monkeypatch):
    monkeypatch.setattr(k_neighborhood, "STEPS_PER_VERTEX", 0)
    monkeypatch.setattr(k_neighborhood, "TINY", 0)
    graph = of_networkx(nx.disjoint_union(nx.star_graph(5), nx.path_graph(2)))
    result = publish(graph, 3, KNeighborhood(allow_delete=False, rounds=0, optimal_up_to=0))
    assert smallest_class(result.published, [0] * 8) >= 3
    assert any("became complete" in sentence for sentence in result.said)


def test_attributes_that_nobody_knows_stay_and_types_of_edges_go():
    edges = np.array([[0, 1], [1, 2], [2, 3]])
    graph = Graph.of_codes(
        edges, 4, attributes=pl.DataFrame({"diet": ["a", "b", "c", "d"]}), types=("likes",), type_codes=np.zeros(3, int)
    )
    task = GraphTask(graph, [KNeighborhoodAnonymity(k=2)], Schema.of({"diet": "sensitive"}))
    result = KNeighborhood().publish(task, np.random.default_rng(1))
    assert result.published.attributes.equals(graph.attributes)
    assert result.published.types == ()
    assert "Types of edges are not published." in result.said


@pytest.mark.data
def test_a_real_network_keeps_most_of_its_edges(data_folder):
    # Peers publish the complete graph here: 5,460 edges instead of 441.
    graph = of_networkx(nx.read_gml(data_folder / "graphs" / "polbooks.gml", label="id"))
    result = publish(graph, 5, KNeighborhood(rounds=0))
    assert smallest_class(result.published, [0] * graph.vertices) >= 5
    assert edits_between(graph, result.published) < len(graph.edges)
