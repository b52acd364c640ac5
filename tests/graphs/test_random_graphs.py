"""Methods for comparison: relabeling, random edges, switching; and graphs drawn from degrees with noise."""

import json
import random
from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis.algorithms.graphs.base import GraphTask
from krypsis.algorithms.graphs.edge_switching import EdgeSwitching
from krypsis.algorithms.graphs.private_degrees import (
    PrivateDegrees,
    nearest_ascending,
    plausible_degrees,
    random_graph,
)
from krypsis.algorithms.graphs.random_edges import RandomEdges, missing_pairs
from krypsis.algorithms.graphs.random_relabeling import RandomRelabeling
from krypsis.algorithms.tables.mechanisms.noise import DiscreteLaplace, RandomSource
from krypsis.checker.graphs import check_graph
from krypsis.data.graphs import Graph
from krypsis.errors import Undecidable, UsageError
from krypsis.models.edge_differential_privacy import EdgeDifferentialPrivacy
from krypsis.models.mechanisms import MechanismRecord, Spending


@st.composite
def graphs(draw, most=14):
    n = draw(st.integers(1, most))
    pairs = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=3 * n))
    attributes = pl.DataFrame({"town": [f"t{vertex % 3}" for vertex in range(n)]})
    return Graph.of_codes(np.array(pairs, dtype=np.int64).reshape(-1, 2), n, attributes=attributes)


def pairs_of(graph):
    found = [tuple(sorted(pair)) for pair in graph.edges.tolist()]
    assert len(set(found)) == len(found)
    assert all(one != other for one, other in found)
    return set(found)


def publish(method, graph, *models, seed=0):
    return method.publish(GraphTask(graph, models), np.random.default_rng(seed))


@given(graph=graphs(), seed=st.integers(0, 99))
def test_relabeling_changes_numbers_and_nothing_else(graph, seed):
    named = Graph(
        graph.vertices, graph.edges, names=pl.Series(map(str, range(len(graph)))), attributes=graph.attributes
    )
    result = publish(RandomRelabeling(), named, seed=seed)
    moved = {tuple(sorted(result.places[list(pair)].tolist())) for pair in pairs_of(graph)}
    assert pairs_of(result.published) == moved
    assert result.published.names is None
    assert result.published.attributes["town"].gather(result.places).to_list() == graph.attributes["town"].to_list()


@given(graph=graphs(), share=st.sampled_from([0.0, 0.1, 0.5, 1.0]), seed=st.integers(0, 99))
def test_a_share_of_the_edges_is_replaced_by_others(graph, share, seed):
    result = publish(RandomEdges(share=share), graph, seed=seed)
    before, after = pairs_of(graph), pairs_of(result.published)
    n, count = graph.vertices, round(share * len(graph.edges))
    assert len(before - after) == count
    assert len(after - before) == min(count, n * (n - 1) // 2 - len(before))
    assert result.published.attributes.equals(graph.attributes)


def test_every_missing_pair_is_equally_likely():
    graph = Graph.of_codes(np.array([[0, 1], [1, 3], [2, 4]]), 5)
    rng = np.random.default_rng(2)
    drawn = Counter(tuple(pair) for _ in range(1400) for pair in missing_pairs(graph, 2, rng).tolist())
    assert set(drawn) == set(combinations(range(5), 2)) - pairs_of(graph)
    assert all(320 < count < 480 for count in drawn.values())  # 400 expected, 4 standard deviations are 68


def test_pairs_of_large_graphs_are_numbered_without_rounding():
    graph = Graph.of_codes(np.array([[0, 1]]), 2**31 - 2)
    pairs = missing_pairs(graph, 2000, np.random.default_rng(3))
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert (pairs >= 0).all()
    assert (pairs < 2**31 - 2).all()


@given(graph=graphs(), share=st.sampled_from([0.0, 0.3, 2.0]), seed=st.integers(0, 99))
def test_switching_keeps_every_degree(graph, share, seed):
    result = publish(EdgeSwitching(share=share), graph, seed=seed)
    assert len(pairs_of(result.published)) == len(graph.edges)
    assert result.published.degrees.tolist() == graph.degrees.tolist()
    assert result.private["switches"] <= round(share * len(graph.edges))


def test_switching_reaches_every_graph_with_the_same_degrees_equally_often():
    """A ring of six: the 2-regular graphs on six vertices are 60 rings and 10 pairs of triangles."""
    ring = Graph.of_codes(np.array([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [0, 5]]), 6)
    found = Counter(frozenset(pairs_of(publish(EdgeSwitching(share=5), ring, seed=s).published)) for s in range(700))
    assert len(found) == 70
    triangles = sum(count for edges, count in found.items() if _has_triangle(edges))
    assert 60 < triangles < 140  # 100 expected, 4 standard deviations are 37


def _has_triangle(edges):
    return any({(one, two), (one, three), (two, three)} <= edges for one, two, three in combinations(range(6), 3))


# Graphs from degrees with noise


def draw(graph, epsilon, seed):
    task = GraphTask(graph, [EdgeDifferentialPrivacy(epsilon=epsilon)])
    return PrivateDegrees().draw(task, RandomSource(random.Random(seed).getrandbits))


@given(graph=graphs(), epsilon=st.sampled_from([0.1, 1.0, 20.0]), seed=st.integers(0, 99))
def test_a_drawn_graph_is_simple_and_says_how_it_was_made(graph, epsilon, seed):
    result = draw(graph, epsilon, seed)
    pairs_of(result.published)
    assert result.published.vertices == graph.vertices
    assert result.published.attributes.width == 0
    assert set(result.places.tolist()) == {-1}
    (spent,) = result.mechanism_record.spent
    assert (spent.sensitivity, spent.epsilon) == (2, epsilon)
    assert Fraction(str(spent.scale)) == 2 / Fraction(str(epsilon))
    (verdict,) = check_graph(
        result.published, [EdgeDifferentialPrivacy(epsilon=epsilon)], mechanism_record=result.mechanism_record
    )
    assert verdict.holds is None
    assert "the publisher's word" in verdict.sentence.lower()


@given(numbers=st.lists(st.integers(-9, 30), min_size=1, max_size=7))
def test_the_nearest_ascending_sequence_is_that_of_the_definition(numbers):
    """The least squares fit at i is the largest over starts, of the least over ends, of means around i."""
    values, n = np.array(numbers), len(numbers)
    expected = [
        max(min(values[start : end + 1].mean() for end in range(i, n)) for start in range(i + 1)) for i in range(n)
    ]
    assert nearest_ascending(values).tolist() == pytest.approx(expected)


@given(noisy=st.lists(st.integers(-20, 40), min_size=1, max_size=30))
def test_plausible_degrees_could_be_those_of_a_graph(noisy):
    degrees = plausible_degrees(np.array(noisy))
    assert degrees.sum() % 2 == 0
    assert degrees.min() >= 0
    assert degrees.max() < len(noisy)


def test_a_drawn_graph_has_the_degrees_where_these_are_not_too_large():
    rng = np.random.default_rng(1)
    degrees = np.sort(rng.integers(1, 8, 400))
    degrees[-1] += degrees.sum() % 2
    assert random_graph(degrees, rng).degrees.tolist() == degrees.tolist()


def test_inference_from_the_order_takes_most_of_the_noise_away():
    degrees = np.repeat([1, 2, 3, 8], 250)
    source = RandomSource(random.Random(4).getrandbits)
    noisy = degrees + np.array([DiscreteLaplace(Fraction(4)).draw(source) for _ in degrees])
    before, after = (np.square(found - degrees).mean() for found in (noisy, nearest_ascending(noisy)))
    assert after < before / 10


def test_the_seed_does_not_decide_what_is_drawn():
    graph = Graph.of_codes(np.random.default_rng(1).integers(0, 60, (200, 2)), 60)
    drawn = [publish(PrivateDegrees(seed=1), graph, EdgeDifferentialPrivacy(epsilon=1), seed=1) for _ in range(2)]
    assert pairs_of(drawn[0].published) != pairs_of(drawn[1].published)


def test_one_edge_changes_the_sorted_degrees_by_two():
    for n in range(2, 6):
        for edges in range(1 << (n * (n - 1) // 2)):
            present = [pair for place, pair in enumerate(combinations(range(n), 2)) if edges >> place & 1]
            if present:
                more, less = (
                    np.sort(np.bincount(np.ravel(e).astype(int), minlength=n)) for e in (present, present[1:])
                )
                assert np.abs(more - less).sum() == 2


def test_a_drawn_graph_needs_its_promise():
    with pytest.raises(UsageError, match="private-degrees needs the promise edge-differential-privacy"):
        publish(PrivateDegrees(), Graph.of_codes(np.array([[0, 1]]), 2))


def test_a_release_states_its_noise_and_nothing_else_about_the_data(tmp_path):
    graph = Graph.of_codes(np.random.default_rng(1).integers(0, 60, (200, 2)), 60)
    release = krypsis.anonymize(graph, models=["edge-differential-privacy:epsilon=1"])
    release.save(tmp_path / "release")
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text())
    assert manifest["algorithm"] == "private-degrees"
    assert manifest["mechanism_record"]["spent"][0]["scale"] == 2
    assert manifest["metrics"] == {}
    (verdict,) = krypsis.check(tmp_path / "release")
    assert verdict.holds is None
    assert "the figures stated fit the promise" in verdict.sentence


STATED = Spending(what="the degrees", noise="discrete Laplace", sensitivity=2, scale=2, epsilon=1)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"spent": ()}, "no budget is stated"),
        ({"publishes": "tuples"}, "a graph is promised"),
        ({"spent": (STATED, STATED)}, "adds up to epsilon=2, more than 1"),
        ({"spent": (STATED.model_copy(update={"sensitivity": 1.0, "scale": 1.0}),)}, "an edge changes it by 2"),
        ({"spent": (STATED.model_copy(update={"scale": 1.0}),)}, "keeps epsilon=2, not the 1 that is stated"),
        ({"spent": (STATED.model_copy(update={"delta": 0.1}),)}, "only up to a chance of 0.1"),
    ],
)
def test_a_record_that_cannot_keep_the_promise_is_refused(changed, reason):
    graph = Graph.of_codes(np.array([[0, 1]]), 3)
    record = MechanismRecord(publishes="graph", unit="one edge", domains={}, spent=(STATED,))
    promise = EdgeDifferentialPrivacy(epsilon=1)
    assert check_graph(graph, [promise], mechanism_record=record)[0].holds is None
    (verdict,) = check_graph(graph, [promise], mechanism_record=record.model_copy(update=changed))
    assert verdict.holds is False
    assert reason in verdict.sentence


def test_attributes_carry_no_noise_and_without_a_record_nothing_is_decided():
    graph = Graph.of_codes(np.array([[0, 1]]), 2, attributes=pl.DataFrame({"town": ["a", "b"]}))
    record = MechanismRecord(publishes="graph", unit="one edge", domains={}, spent=(STATED,))
    (verdict,) = check_graph(graph, [EdgeDifferentialPrivacy(epsilon=1)], mechanism_record=record)
    assert verdict.holds is False
    assert "town" in verdict.sentence
    with pytest.raises(Undecidable):
        check_graph(graph, [EdgeDifferentialPrivacy(epsilon=1)])
