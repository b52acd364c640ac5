"""Vertex refinement against the worked example of the specification, and against a slow definition."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.data.graphs import Graph
from krypsis.data.graphs.refinement import VertexRefinement, candidates, gather_equal, order_of, refine, unique_vertices
from krypsis.errors import UsageError

NAMES = ("x1", "x2", "x3", "x4", "x5", "x6", "x7")
LABELS = np.array([0, 0, 0, 1, 1, 2, 2])
"""A, B and Γ of Figure 4.2."""
FIGURE_4_2 = Graph.of_edges(
    [tuple(pair.split("-")) for pair in ["x1-x2", "x1-x3", "x2-x4", "x2-x5", "x2-x6", "x3-x6", "x4-x5", "x6-x7"]], NAMES
)


def unfolded(graph: Graph, vertex: int, depth: int):
    """``H_depth`` of a vertex as the specification defines it, written out: nothing is numbered, nothing is hashed."""
    if depth == 0:
        return ()
    return tuple(sorted(unfolded(graph, int(other), depth - 1) for other in graph.neighbors_of(vertex)))


def same_partition(classes, values) -> bool:
    pairs = set(zip(classes.tolist(), values, strict=True))
    return len(pairs) == len(set(classes.tolist())) == len(set(values))


@st.composite
def graphs(draw, most: int = 9):
    vertices = draw(st.integers(1, most))
    end = st.integers(0, vertices - 1)
    pairs = draw(st.lists(st.tuples(end, end), max_size=14))
    return Graph.of_codes(np.array(pairs, dtype=np.int64).reshape(-1, 2), vertices)


def test_h1_and_h2_of_figure_4_2_are_those_of_the_specification():
    # Erratum E4: the recursion goes on with H_{i-1} of every neighbor, also of the first one.
    degrees = FIGURE_4_2.degrees
    assert dict(zip(NAMES, degrees.tolist(), strict=True)) == dict(zip(NAMES, (2, 4, 2, 2, 2, 3, 1), strict=True))
    around = {name: sorted(degrees[FIGURE_4_2.neighbors_of(place)].tolist()) for place, name in enumerate(NAMES)}
    assert around == {
        "x1": [2, 4],
        "x2": [2, 2, 2, 3],
        "x3": [2, 3],
        "x4": [2, 4],
        "x5": [2, 4],
        "x6": [1, 2, 4],
        "x7": [3],
    }
    assert same_partition(refine(FIGURE_4_2, 1), degrees.tolist())
    assert same_partition(refine(FIGURE_4_2, 2), [tuple(around[name]) for name in NAMES])


@pytest.mark.parametrize(
    ("depth", "expected"), [(1, (4, 1, 4, 4, 4, 1, 1)), (2, (3, 1, 1, 3, 3, 1, 1))], ids=["H1", "H2"]
)
def test_candidates_in_figure_4_2_are_those_of_the_specification(depth, expected):
    assert candidates(refine(FIGURE_4_2, depth)).tolist() == list(expected)


def test_h0_is_the_label_and_labels_are_known_in_addition():
    assert same_partition(refine(FIGURE_4_2, 0, LABELS), LABELS.tolist())
    assert set(refine(FIGURE_4_2, 0).tolist()) == {0}
    for depth in (1, 2):
        alone = refine(FIGURE_4_2, depth).tolist()
        both = refine(FIGURE_4_2, depth, LABELS)
        assert same_partition(both, list(zip(alone, LABELS.tolist(), strict=True)))


def test_labels_of_neighbors_are_not_part_of_the_refinement():
    path = Graph.of_codes(np.array([[0, 1], [2, 3]]), 4)
    assert candidates(refine(path, None, np.array([0, 1, 0, 2]))).tolist() == [2, 1, 2, 1]


@given(graphs(), st.integers(0, 4))
def test_classes_are_those_of_the_definition(graph, depth):
    written_out = [unfolded(graph, vertex, depth) for vertex in range(graph.vertices)]
    classes = refine(graph, depth)
    assert same_partition(classes, written_out)
    assert set(classes.tolist()) == set(range(len(set(written_out))))


@given(graphs())
def test_the_fixpoint_is_stable_and_the_coarsest_of_all_depths(graph):
    fixpoint = refine(graph, None)
    seen_around = [Counter(fixpoint[graph.neighbors_of(vertex)].tolist()) for vertex in range(graph.vertices)]
    signatures = [(int(own), tuple(sorted(seen.items()))) for own, seen in zip(fixpoint, seen_around, strict=True)]
    assert same_partition(fixpoint, signatures)
    assert same_partition(fixpoint, refine(graph, graph.vertices).tolist())


@given(graphs(14), st.randoms(use_true_random=False))
def test_names_and_order_of_vertices_mean_nothing(graph, random):
    order = np.array(random.sample(range(graph.vertices), graph.vertices))
    assert same_partition(refine(graph, None)[order], refine(graph.renumbered(order), None).tolist())


def test_steps_and_one_go_give_the_same():
    rng = np.random.default_rng(3)
    graph = Graph.of_codes(rng.integers(0, 400, (500, 2)), 400)
    steps = VertexRefinement.of(graph)
    for depth in range(6):
        steps.advance(depth)
        assert same_partition(steps.classes, refine(graph, depth).tolist())
    steps.advance(None)
    assert steps.is_final
    assert same_partition(steps.classes, refine(graph, None).tolist())


def test_a_long_path_takes_many_rounds_and_little_time():
    vertices = 20_001
    ends = np.arange(vertices)
    path = Graph.of_codes(np.stack([ends[:-1], ends[1:]], axis=1), vertices)
    refinement = VertexRefinement.of(path)
    refinement.advance(None)
    assert refinement.depth == vertices // 2
    assert same_partition(refinement.classes, np.minimum(ends, ends[::-1]).tolist())


def test_hashes_decide_nothing():
    """Vertices with other lists are separated even if they were brought together."""
    members = np.array([0, 1, 2, 3], dtype=np.int32)
    classes = np.array([5, 5, 5, 6], dtype=np.int32)
    listed = np.array([1, 2, 1, 3, 1, 2, 1, 2], dtype=np.int32)
    begins, seen = np.array([0, 2, 4, 6]), np.full(4, 2, dtype=np.int32)
    end = gather_equal(members, 0, 4, classes, listed, begins, seen)
    assert (end, members[:end].tolist()) == (2, [0, 2])


def test_many_keys_are_ordered_by_their_digits():
    keys = np.random.default_rng(4).integers(0, 2**32, 20_000, dtype=np.uint64)
    assert order_of(keys).tolist() == np.argsort(keys, kind="stable").tolist()


@pytest.mark.parametrize("edges", [[], [(0, 1), (1, 2), (2, 0)]], ids=["no edges", "a triangle"])
def test_vertices_that_all_look_alike_stay_together(edges):
    graph = Graph.of_codes(np.array(edges, dtype=np.int64).reshape(-1, 2), 3)
    assert unique_vertices(refine(graph, None)) == 0
    assert candidates(refine(graph, None)).tolist() == [3, 3, 3]


def test_a_graph_without_vertices_has_no_classes():
    nothing = Graph.of_codes(np.empty((0, 2), dtype=np.int64), 0)
    assert len(refine(nothing, None)) == unique_vertices(refine(nothing, None)) == 0


def test_wrong_arguments_are_refused():
    with pytest.raises(UsageError, match="0 or more"):
        refine(FIGURE_4_2, -1)
    with pytest.raises(UsageError, match="one label for each of 7"):
        refine(FIGURE_4_2, 1, LABELS[:3])
