"""Checker and finders, which share no code, find the same classes of vertices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from graphs.checker.naive_graphs import graph_of, labeled_graphs
from krypsis.checker.graph_classes import classes_of
from krypsis.data.graphs import Graph
from krypsis.data.graphs.neighborhoods import neighborhood_classes
from krypsis.data.graphs.refinement import refine


def same_partition(one, two) -> bool:
    pairs = len(set(zip(one.tolist(), two.tolist(), strict=True)))
    return pairs == len(np.unique(one)) == len(np.unique(two))


def found_twice(graph, depth, labels, known):
    if depth == "neighborhood":
        return classes_of(graph, depth, known).finest, neighborhood_classes(graph, labels)
    knowledge = "refinement" if depth is None else f"h{depth}"
    return classes_of(graph, knowledge, known).finest, refine(graph, depth, labels)


@settings(max_examples=examples(200))
@given(drawn=labeled_graphs(15), depth=st.sampled_from([0, 1, 2, 3, None, "neighborhood"]))
def test_classes_of_random_graphs_agree(drawn, depth):
    labels = np.unique(drawn[2], return_inverse=True)[1].astype(np.int64)
    assert same_partition(*found_twice(graph_of(*drawn), depth, labels, ["label"]))


@pytest.mark.data
@pytest.mark.parametrize("name", ["ca-GrQc.txt", "polbooks.gml", "power.gml"])
def test_classes_of_networks_agree(data_folder, name):
    graph = Graph.read(data_folder / "graphs" / name)
    for depth in (1, 2, 4, None, "neighborhood"):
        assert same_partition(*found_twice(graph, depth, None, []))
