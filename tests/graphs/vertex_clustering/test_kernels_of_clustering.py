"""What a change does to log |W| is what counting everything anew says."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from graphs.checker.naive_graphs import graph_of, labeled_graphs
from krypsis.algorithms.graphs.vertex_clustering import kernels
from krypsis.algorithms.graphs.vertex_clustering.search import similar_order
from krypsis.data.graphs import ClusteredGraph


def anew(graph, state) -> float:
    """Log |W| by gammaln, of the super-vertices that have vertices."""
    return ClusteredGraph.of(graph, np.unique(state.cluster, return_inverse=True)[1]).log_worlds


@st.composite
def changes(draw):
    edges, vertices, _ = draw(labeled_graphs(12))
    clusters = draw(st.lists(st.integers(0, 3), min_size=vertices, max_size=vertices))
    steps = draw(st.lists(st.tuples(*[st.integers(0, vertices - 1)] * 2, st.integers(0, 3)), max_size=15))
    return graph_of(edges, vertices), np.array(clusters), steps


@settings(max_examples=examples(300))
@given(drawn=changes(), room=st.sampled_from([0, 12]))
def test_gains_are_those_of_counting_anew(drawn, room):
    graph, clusters, steps = drawn
    state = kernels.supervertices_of(graph, clusters, 4, room)
    for one, two, target in steps:
        before = anew(graph, state)
        if state.cluster[one] != state.cluster[two]:
            gain = kernels.gain_of_swap(state, one, two)
            low, high = state.cluster[[one, two]].tolist()
            kernels.move(state, one, high)
            kernels.move(state, two, low)
        elif state.cluster[one] != target:
            gain = kernels.gain_of_move(state, one, target)
            kernels.move(state, one, target)
        else:
            continue
        assert anew(graph, state) - before == pytest.approx(gain, abs=1e-8)
        assert kernels.log_worlds(state) == pytest.approx(anew(graph, state), abs=1e-8)
        assert not state.near.any()
        assert not state.far.any()
        assert state.sizes.tolist() == np.bincount(state.cluster, minlength=4).tolist()


def test_the_sum_of_gains_of_annealing_is_what_log_worlds_has_changed_by():
    graph = graph_of(nx.gnm_random_graph(80, 240, seed=1).edges, 80)
    clusters = np.arange(80) // 5
    state = kernels.supervertices_of(graph, clusters, 16, 10)
    rng, before = np.random.default_rng(1), kernels.log_worlds(state)
    gained = sum(kernels.anneal(state, 5, np.full(2000, 0.5), rng.random((2000, 5))) for _ in range(5))
    assert gained == pytest.approx(anew(graph, state) - before, abs=1e-6)
    assert state.sizes.min() >= 5
    for cluster in range(16):
        members = state.members[cluster, : state.sizes[cluster]].tolist()
        assert sorted(members) == np.flatnonzero(state.cluster == cluster).tolist()


def test_a_table_that_is_full_is_made_anew():
    graph = graph_of(nx.gnm_random_graph(40, 100, seed=1).edges, 40)
    state = kernels.supervertices_of(graph, np.arange(40) // 2, 20, 0)
    for turn in range(4000):
        kernels.move(state, turn * 7 % 40, turn * 11 % 20)
        assert 2 * state.used[0] <= len(state.keys)
    assert kernels.log_worlds(state) == pytest.approx(anew(graph, state), abs=1e-8)


def test_compiled_and_plain_annealing_do_the_same():
    graph = graph_of(nx.gnm_random_graph(30, 60, seed=1).edges, 30)
    choices, ends = np.random.default_rng(1).random((200, 5)), []
    for function in (kernels.anneal, kernels.anneal.reference):
        state = kernels.supervertices_of(graph, np.arange(30) // 3, 10, 6)
        function(state, 3, np.full(200, 0.5), choices)
        ends.append(state.cluster.tolist())
    assert ends[0] == ends[1]


def test_compiled_and_plain_hill_climbing_do_the_same():
    graph = graph_of(nx.gnm_random_graph(30, 60, seed=1).edges, 30)
    choices, ends = np.random.default_rng(1).random((300, 3)), []
    for function in (kernels.climb, kernels.climb.reference):
        state = kernels.supervertices_of(graph, np.zeros(30, dtype=np.int64), 10, 0)
        counts = function(state, 3, 1, choices)
        assert counts[0] == len(np.unique(state.cluster))
        assert state.sizes[: counts[0]].min() >= 3
        ends.append((counts, state.cluster.tolist()))
    assert ends[0] == ends[1]


def test_large_binomials_are_computed_without_a_table():
    exact = sum(np.log(np.arange(2e6 - 4, 2e6 + 1)) - np.log(np.arange(1, 6)))
    assert kernels.log_binomial(np.zeros(2), 2_000_000, 5) == pytest.approx(exact)


def test_vertices_without_edges_come_last_in_the_first_order():
    assert similar_order(graph_of([(1, 2)], 4)).tolist() == [2, 1, 0, 3]
