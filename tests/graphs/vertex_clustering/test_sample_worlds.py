"""Analysts draw graphs that super-vertices may stand for, each as likely as any other."""

from collections import Counter
from math import comb

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from effort import examples
from graphs.checker.naive_graphs import graph_of, labeled_graphs
from krypsis.data.graphs import ClusteredGraph


@settings(max_examples=examples(200))
@given(drawn=labeled_graphs(12), seed=st.integers(0, 100), number=st.integers(1, 4))
def test_a_world_looks_like_the_true_graph_when_it_is_clustered(drawn, seed, number):
    edges, vertices, _ = drawn
    clusters = np.sort(np.arange(vertices) * number // vertices)
    published = ClusteredGraph.of(graph_of(edges, vertices), np.unique(clusters, return_inverse=True)[1])
    for world in published.sample_worlds(2, np.random.default_rng(seed)):
        again = ClusteredGraph.of(world, np.repeat(np.arange(len(published)), published.sizes))
        assert world.vertices == vertices
        assert world.simplified.repeated == 0
        assert again.superedges.tolist() == published.superedges.tolist()
        assert again.counts.tolist() == published.counts.tolist()


@pytest.mark.parametrize(
    ("sizes", "pairs", "counts", "number"),
    [
        ([4], [[0, 0]], [2], comb(6, 2)),
        ([4], [[0, 0]], [4], comb(6, 4)),
        ([2, 3], [[0, 1], [1, 1]], [2, 1], comb(6, 2) * 3),
        ([2, 3], [[0, 0], [0, 1], [1, 1]], [1, 5, 3], 6),
    ],
)
def test_all_worlds_are_equally_likely(sizes, pairs, counts, number):
    published = ClusteredGraph(np.array(sizes), np.array(pairs, dtype=np.int32), np.array(counts), pl.DataFrame())
    worlds = published.sample_worlds(40 * number, np.random.default_rng(7))
    seen = Counter(tuple(map(tuple, world.edges.tolist())) for world in worlds)
    assert len(seen) == number
    assert chisquare(list(seen.values())).pvalue > 0.001


def test_without_edges_there_is_one_world():
    published = ClusteredGraph.of(graph_of([], 4), np.array([0, 0, 1, 1]))
    assert len(published.sample_world(np.random.default_rng(1)).edges) == 0
