"""Figure 4.2 of the sources and its degree-anonymous versions (specification 8.2, model C; errata E10, E11)."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from krypsis.algorithms.graphs.base import GraphTask
from krypsis.algorithms.graphs.k_degree.degree_sequences import LabelGroups, raised_degrees
from krypsis.algorithms.graphs.k_degree.edge_edits import unmet_condition
from krypsis.algorithms.graphs.k_degree.k_degree import KDegree
from krypsis.data.graphs import Graph
from krypsis.models.k_degree_anonymity import KDegreeAnonymity

EDGES = [(1, 2), (1, 3), (2, 4), (2, 5), (2, 6), (3, 6), (4, 5), (6, 7)]
FIGURE = Graph.of_codes(np.array(EDGES) - 1, 7)
ALL_ALIKE = LabelGroups.of(np.zeros(7, dtype=np.int64))


def publish(graph, k, edits="auto", seed=0, **task):
    task = GraphTask(graph, [KDegreeAnonymity(k=k)], **task)
    return KDegree(edits=edits).publish(task, np.random.default_rng(seed))


def pairs_of(graph):
    return {tuple(pair) for pair in graph.edges.tolist()}


def fewest_alike(graph):
    return min(Counter(graph.degrees.tolist()).values())


def test_the_degrees_of_the_figure_are_seven_and_not_the_six_that_were_printed():
    """E10: the sources print {4,3,2,2,2,1}; seven vertices with eight edges have the degree 2 four times."""
    assert sorted(FIGURE.degrees.tolist(), reverse=True) == [4, 3, 2, 2, 2, 2, 1]


@pytest.mark.parametrize(("k", "raised", "cost"), [(2, [4, 4, 2, 2, 2, 2, 2], 2), (3, [4, 4, 4, 2, 2, 2, 2], 4)])
def test_the_dynamic_program_raises_degrees_as_little_as_possible(k, raised, cost):
    found = raised_degrees(FIGURE.degrees, ALL_ALIKE, k)
    assert sorted(found.tolist(), reverse=True) == raised
    assert (found - FIGURE.degrees).sum() == cost


def test_the_optimum_of_the_dynamic_program_for_two_is_no_supergraph_of_the_figure():
    needed = raised_degrees(FIGURE.degrees, ALL_ALIKE, 2) - FIGURE.degrees
    in_need = np.flatnonzero(needed)
    assert in_need.tolist() == [5, 6]  # x6 and x7, which have their edge already
    assert unmet_condition(FIGURE.starts, FIGURE.neighbors, needed, in_need) == 2


@pytest.mark.parametrize("k", [2, 3])
def test_the_smallest_supergraph_of_the_figure_has_two_edges_more(k):
    result = publish(FIGURE, k)
    assert pairs_of(FIGURE) < pairs_of(result.published)
    assert len(result.published.edges) == 8 + 2
    assert fewest_alike(result.published) >= k
    assert result.said == ("2 edges were added; every original edge and vertex is kept, and no vertex was added.",)


def test_the_supergraph_of_the_specification_is_three_anonymous():
    added = Graph.of_codes(np.array([*EDGES, (1, 6), (1, 7)]) - 1, 7)
    assert added.degrees.tolist() == [4, 4, 2, 2, 2, 4, 2]
    assert fewest_alike(added) >= 3


def test_the_printed_version_of_the_figure_deletes_an_edge_and_is_no_supergraph():
    """E11: the sources call it a supergraph, and it lacks x2-x6."""
    printed = Graph.of_codes(np.array([edge for edge in EDGES if edge != (2, 6)] + [(3, 7)]) - 1, 7)
    assert sorted(printed.degrees.tolist(), reverse=True) == [3, 3, 2, 2, 2, 2, 2]
    assert not pairs_of(FIGURE) <= pairs_of(printed)
    per_vertex = np.abs(printed.degrees - FIGURE.degrees).sum()
    of_sorted_lists = np.abs(np.sort(printed.degrees) - np.sort(FIGURE.degrees)).sum()
    assert (per_vertex, of_sorted_lists) == (4, 2)


def test_with_deletions_the_figure_keeps_seven_of_eight_edges():
    """One edit suffices, a deletion; no graph that is 2-anonymous shares more edges with the figure."""
    result = publish(FIGURE, 2, "add-delete")
    assert len(pairs_of(FIGURE) & pairs_of(result.published)) == 7
    assert len(result.published.edges) <= 8
    assert fewest_alike(result.published) >= 2
    assert result.private["overlap"] == pytest.approx(7 / 8)
    one_edit = [
        change
        for change in combinations(range(1, 8), 2)
        if fewest_alike(Graph.of_codes(np.array(sorted({*EDGES} ^ {change})) - 1, 7)) >= 2
    ]
    assert one_edit == [(1, 2), (2, 4), (2, 5)]
