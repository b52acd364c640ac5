"""The checker judges published graphs from what is published alone."""

from collections import Counter, defaultdict
from itertools import combinations
from math import exp, log

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from graphs.checker.naive_graphs import FIGURE_4_2, FIGURE_LABELS, graph_of, labeled_graphs, naive_classes
from krypsis.checker import neighborhoods
from krypsis.checker.graphs import check_graph
from krypsis.data.graphs import ClusteredGraph, Graph
from krypsis.errors import ColumnError, DataError, UsageError
from krypsis.models.candidate_anonymity import CandidateAnonymity
from krypsis.models.edge_confidence import EdgeConfidence
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.k_degree_anonymity import KDegreeAnonymity
from krypsis.models.k_neighborhood_anonymity import KNeighborhoodAnonymity
from krypsis.models.supervertex_anonymity import SupervertexAnonymity
from krypsis.models.vertex_l_diversity import VertexLDiversity

KNOWLEDGE = ("h0", "h1", "h2", "refinement", "neighborhood")


def verdict_on(published, model, **given_):
    (verdict,) = check_graph(published, [model], **given_)
    return verdict


def candidate_models(k):
    depths = [CandidateAnonymity(k=k, depth=depth) for depth in (0, 2, None)]
    return [KDegreeAnonymity(k=k), KNeighborhoodAnonymity(k=k), *depths]


@settings(max_examples=examples(200))
@given(drawn=labeled_graphs(7), k=st.integers(1, 4))
def test_candidates_are_counted_by_definition(drawn, k):
    edges, vertices, labels = drawn
    graph = graph_of(edges, vertices, labels)
    for model in candidate_models(k):
        sizes = Counter(naive_classes(edges, vertices, labels, model.knowledge))
        verdict = verdict_on(graph, model, known=["label"])
        assert (verdict.achieved, verdict.holds) == (min(sizes.values()), min(sizes.values()) >= k)
        assert sorted(one["size"] for one in verdict.offending) == sorted(n for n in sizes.values() if n < k)[:5]


@settings(max_examples=examples(200))
@given(drawn=labeled_graphs(7), l=st.sampled_from([1, 1.5, 2, 3]), knowledge=st.sampled_from(KNOWLEDGE))
def test_diversity_is_measured_by_definition(drawn, l, knowledge):  # noqa: E741  the name in the literature
    edges, vertices, labels = drawn
    graph = graph_of(edges, vertices, party=labels)
    values = defaultdict(Counter)
    for number, value in zip(naive_classes(edges, vertices, ["a"] * vertices, knowledge), labels, strict=True):
        values[number][value] += 1
    entropies = [
        sum(-n / counts.total() * log(n / counts.total()) for n in counts.values()) for counts in values.values()
    ]
    for measure, expected in {"distinct": min(map(len, values.values())), "entropy": exp(min(entropies))}.items():
        model = VertexLDiversity(l=l, attribute="party", measure=measure, knowledge=knowledge)
        verdict = verdict_on(graph, model)
        assert verdict.achieved == pytest.approx(expected)
        assert verdict.holds == (expected >= l - 1e-9)


@settings(max_examples=examples(200))
@given(drawn=labeled_graphs(7), p=st.sampled_from([0, 0.25, 0.5, 1]), knowledge=st.sampled_from(KNOWLEDGE))
def test_edges_are_as_probable_as_their_share_of_the_pairs_of_two_classes(drawn, p, knowledge):
    edges, vertices, labels = drawn
    classes = naive_classes(edges, vertices, labels, knowledge)
    pairs = Counter(tuple(sorted((classes[one], classes[two]))) for one, two in combinations(range(vertices), 2))
    linked = Counter(tuple(sorted((classes[one], classes[two]))) for one, two in edges)
    expected = max((linked[pair] / pairs[pair] for pair in pairs), default=0)
    verdict = verdict_on(graph_of(edges, vertices, labels), EdgeConfidence(p=p, knowledge=knowledge), known=["label"])
    assert verdict.achieved == pytest.approx(expected)
    assert verdict.holds == (expected <= p + 1e-9)


def test_only_edges_of_sensitive_types_are_judged_where_types_are_published():
    typed = Graph.of_codes(np.array([[0, 1], [2, 3]]), 4, types=("works with", "loves"), type_codes=np.array([0, 1]))
    untyped = graph_of([(0, 1), (2, 3)], 4)
    model = EdgeConfidence(p=0.2, knowledge="h0")
    found = {
        "all": verdict_on(typed, model).achieved,
        "one": verdict_on(typed, model, sensitive_types=frozenset({"loves"})).achieved,
        "gone": verdict_on(typed, model, sensitive_types=frozenset({"hates"})).achieved,
        "unseen": verdict_on(untyped, model, sensitive_types=frozenset({"loves"})).achieved,
    }
    assert found == pytest.approx({"all": 1 / 3, "one": 1 / 6, "gone": 0, "unseen": 1 / 3})


def test_a_promise_is_undecided_where_the_exact_search_takes_too_long(monkeypatch):
    ring = [(0, 1), (1, 2), (2, 3), (0, 3)]
    edges = [(shift + one, shift + two) for shift in (0, 4, 8, 12, 16) for one, two in ring]
    edges += [(vertex, 16 + vertex // 4) for vertex in range(16)]
    square_wheels = graph_of(edges, 20)  # four of them, and their hubs form a ring
    assert verdict_on(square_wheels, KNeighborhoodAnonymity(k=2)).holds
    monkeypatch.setattr(neighborhoods.neighborhood_classes, "__defaults__", (2,))
    models = [
        KNeighborhoodAnonymity(k=2),
        KNeighborhoodAnonymity(k=1),
        KNeighborhoodAnonymity(k=9),
        EdgeConfidence(p=0.8, knowledge="neighborhood"),
    ]
    verdicts = check_graph(square_wheels, models)
    assert [verdict.holds for verdict in verdicts] == [None, True, False, None]
    assert verdicts[0].sentence.startswith("Undecided: every vertex has the same 1-neighborhood")


def test_what_a_verdict_shows_are_published_numbers_and_never_names():
    graph = Graph.of_edges([("ann", "bob"), ("bob", "cy")])
    verdict = verdict_on(graph, KDegreeAnonymity(k=2))
    assert verdict.offending == ({"values": {"vertex": 1, "degree": 2}, "size": 1},)
    assert "bob" not in verdict.model_dump_json()


def test_promises_that_a_form_cannot_keep_are_refused_in_words():
    graph = graph_of(FIGURE_4_2, 7, FIGURE_LABELS)
    with pytest.raises(UsageError, match="publish it by the algorithm 'vertex-clustering'"):
        check_graph(graph, [SupervertexAnonymity(k=2)])
    with pytest.raises(UsageError, match="promises about graphs are such as"):
        check_graph(graph, [KAnonymity(k=2)])
    with pytest.raises(UsageError, match="none is named"):
        check_graph(graph, [VertexLDiversity(l=2)])
    with pytest.raises(ColumnError, match="column 'party' not found"):
        check_graph(graph, [VertexLDiversity(l=2, attribute="party")])
    with pytest.raises(ColumnError, match="column 'job' not found"):
        check_graph(graph, [KDegreeAnonymity(k=2)], known=["job"])


# Super-vertices.


def figure(attributes=None) -> ClusteredGraph:
    return ClusteredGraph.of(graph_of(FIGURE_4_2, 7), np.array([0, 0, 0, 1, 1, 2, 2]), attributes)


def histogram(*rows) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["supervertex", "attribute", "value", "count"], orient="row")


@pytest.mark.parametrize("model", [SupervertexAnonymity(k=2), *candidate_models(2)], ids=lambda model: model.spec)
def test_a_super_vertex_has_as_many_candidates_as_vertices_whatever_is_known(model):
    assert verdict_on(figure(), model).achieved == 2
    broken = verdict_on(figure(), model.model_copy(update={"k": 3}))
    assert (broken.holds, [one["values"] for one in broken.offending]) == (
        False,
        [{"supervertex": 1}, {"supervertex": 2}],
    )


def test_known_values_that_are_counted_leave_fewer_candidates():
    rare = figure(histogram((0, "job", "cook", 1), (0, "job", "smith", 2)))
    assert verdict_on(rare, SupervertexAnonymity(k=2)).achieved == 2
    verdict = verdict_on(rare, SupervertexAnonymity(k=2), known=["job"])
    assert verdict.offending == ({"values": {"supervertex": 0, "attribute": "job", "value": "cook"}, "size": 1},)


def test_vertices_whose_known_value_is_not_counted_are_a_group_as_well():
    verdict = verdict_on(figure(histogram((0, "job", "smith", 2))), SupervertexAnonymity(k=2), known=["job"])
    assert verdict.offending == ({"values": {"supervertex": 0, "attribute": "job"}, "size": 1},)


def test_diversity_of_super_vertices_is_that_of_their_counts():
    rows = [
        (0, "party", "red", 1),
        (0, "party", "blue", 2),
        *((n, "party", value, 1) for n in (1, 2) for value in "xy"),
    ]
    published = figure(histogram(*rows))
    distinct = verdict_on(published, VertexLDiversity(l=2), sensitive=["party"])
    entropy = verdict_on(published, VertexLDiversity(l=2, measure="entropy"), sensitive=["party"])
    assert (distinct.achieved, distinct.holds) == (2, True)
    assert entropy.achieved == pytest.approx(exp(-log(1 / 3) / 3 - 2 / 3 * log(2 / 3)))
    assert [one["values"] for one in entropy.offending] == [{"supervertex": 0}]


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        (None, "no values of 'party' are counted"),
        (histogram((0, "job", "cook", 1)), "no values of 'party' are counted"),
        (histogram((0, "party", "red", 1), (0, "party", "blue", 1)), "not counted for all vertices"),
    ],
)
def test_diversity_is_undecided_where_not_all_values_are_counted(attributes, reason):
    verdict = verdict_on(figure(attributes), VertexLDiversity(l=2, attribute="party"))
    assert verdict.holds is None
    assert reason in verdict.sentence


def test_a_super_vertex_without_counts_shows_nothing():
    shown = figure(histogram((2, "party", "red", 1), (2, "party", "blue", 1)))
    assert verdict_on(shown, VertexLDiversity(l=2, attribute="party")).holds
    broken = verdict_on(shown, VertexLDiversity(l=3, attribute="party"))
    assert [one["values"] for one in broken.offending] == [{"supervertex": 2}]


def test_certain_links_of_the_fixture_are_found():
    verdict = verdict_on(figure(), EdgeConfidence(p=0.7))
    assert verdict.achieved == 1
    assert [one["values"]["supervertices"] for one in verdict.offending] == ["1 and 1", "2 and 2"]


# What contradicts itself.


def clustered(sizes=(3, 2), pairs=((0, 0), (0, 1)), counts=(2, 6), attributes=None) -> ClusteredGraph:
    pairs = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    return ClusteredGraph(
        np.array(sizes), pairs, np.array(counts), pl.DataFrame() if attributes is None else attributes
    )


@pytest.mark.parametrize(
    ("forged", "reason"),
    [
        (clustered(sizes=(3, 0)), "super-vertex 1 stands for 0 vertices"),
        (clustered(sizes=(2**40, 1)), "too many"),
        (clustered(sizes=(), pairs=(), counts=()), "no super-vertex"),
        (clustered(counts=(4, 6)), "stands for 4 edges; expected 1 to 3"),
        (clustered(counts=(2, 7)), "stands for 7 edges; expected 1 to 6"),
        (clustered(counts=(0, 6)), "stands for 0 edges"),
        (clustered(counts=(2,)), "expected one for each"),
        (clustered(pairs=((0, 1), (0, 1))), "twice"),
        (clustered(pairs=((0, 1), (0, 0))), "ascending"),
        (clustered(pairs=((0, 0), (1, 0))), "smaller number first"),
        (clustered(pairs=((0, 0), (0, 2))), "name super-vertex 2"),
        (clustered(attributes=histogram((2, "job", "cook", 1))), "super-vertex 2"),
        (clustered(attributes=histogram((0, "job", "cook", 0))), "0 times"),
        (clustered(attributes=histogram((0, "job", "cook", 1), (0, "job", "cook", 1))), "twice"),
        (clustered(attributes=histogram((1, "job", "cook", 1), (1, "job", "smith", 2))), "counted 3 times"),
        (clustered(attributes=pl.DataFrame({"supervertex": [0], "name": ["ann"]})), "no column 'attribute'"),
        (Graph(0, np.empty((0, 2), dtype=np.int32)), "no vertices"),
        (Graph(2, np.array([[0, 2]], dtype=np.int32)), "name vertex 2"),
        (Graph(3, np.array([[1, 0]], dtype=np.int32)), "smaller number first"),
        (Graph(3, np.array([[1, 1]], dtype=np.int32)), "loop"),
        (Graph(3, np.array([[0, 1], [0, 1]], dtype=np.int32)), "twice"),
        (Graph(3, np.array([[1, 2], [0, 1]], dtype=np.int32)), "ascending"),
        (Graph(3, np.array([0, 1], dtype=np.int32)), "must be pairs"),
        (Graph(3, np.array([[0, 1]], dtype=np.int32), attributes=pl.DataFrame({"job": ["cook"]})), "attributes of 1"),
    ],
)
def test_what_contradicts_itself_is_refused(forged, reason):
    with pytest.raises(DataError, match=reason):
        check_graph(forged, [KDegreeAnonymity(k=1)])
