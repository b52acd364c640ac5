"""Networks with hubs: vertices with many neighbors become stars, and k-neighborhood anonymity ends soon."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.graphs.k_neighborhood.by_networkx import of_networkx, smallest_class

from krypsis.algorithms.graphs.base import GraphTask
from krypsis.algorithms.graphs.k_neighborhood import k_neighborhood
from krypsis.algorithms.graphs.k_neighborhood.hubs import STAR, with_stars
from krypsis.algorithms.graphs.k_neighborhood.k_neighborhood import KNeighborhood
from krypsis.models.k_neighborhood_anonymity import KNeighborhoodAnonymity
from krypsis.progress import Progress


@settings(max_examples=examples(40))
@given(st.integers(20, 60), st.floats(0.1, 0.6), st.integers(1, 6), st.integers(0, 99))
def test_vertices_with_many_neighbors_become_stars(vertices, density, k, seed):
    network = nx.gnp_random_graph(vertices, density, seed=seed)
    graph = of_networkx(network)
    stars = with_stars(graph, k, np.random.default_rng(seed))
    published = nx.empty_graph(vertices)
    published.add_edges_from(stars.edges.tolist())
    many = [vertex for vertex, degree in network.degree if degree >= STAR]
    assert not any(nx.triangles(published, vertex) for vertex in many)
    assert set(np.flatnonzero(stars.settled)) <= set(many)


def test_edges_that_are_in_no_triangle_stay():
    network = nx.star_graph(30)
    network.add_edges_from([(1, 2), (2, 3), (31, 32)])
    stars = with_stars(of_networkx(network), 1, np.random.default_rng(1))
    kept = {tuple(sorted(edge)) for edge in stars.edges.tolist()}
    # Vertex 2 is in both triangles, so one edge is enough.
    assert {tuple(sorted(edge)) for edge in network.edges} - kept == {(0, 2)}


class Heard(Progress):
    def __init__(self):
        self.left = []

    def remaining(self, vertices):
        self.left.append(vertices)


@pytest.mark.parametrize("k", [2, 4])
def test_a_large_network_keeps_the_promise_from_stars_alone(k, monkeypatch):
    monkeypatch.setattr(k_neighborhood, "MOST_WORK", 0)
    network = nx.powerlaw_cluster_graph(200, 3, 0.7, seed=2)
    network.add_edges_from((hub, vertex) for hub in range(4) for vertex in range(10 + 5 * hub, 60 + 5 * hub))
    graph, heard = of_networkx(network), Heard()
    result = KNeighborhood().publish(GraphTask(graph, [KNeighborhoodAnonymity(k=k)]), np.random.default_rng(1), heard)
    assert smallest_class(result.published, [0] * graph.vertices) >= k
    assert heard.left
    assert result.private["isolated_vertices"] == 0
    assert 0 < result.private["edges_deleted"] < len(graph.edges) / 2
