"""Kernels of k-degree anonymity: the same answers as their plain forms, and as slow definitions."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from krypsis.algorithms.graphs.edge_switching import switch_edges
from krypsis.algorithms.graphs.edited_graph import edited_graph, is_adjacent, toggle
from krypsis.algorithms.graphs.k_degree import edge_edits
from krypsis.algorithms.graphs.k_degree.degree_sequences import (
    UNREACHABLE,
    LabelGroups,
    balanced_degrees,
    group_around_medians,
    least_distance,
    raise_groups,
    raised_degrees,
)
from krypsis.algorithms.graphs.k_degree.realization import degree_classes
from krypsis.algorithms.graphs.private_degrees import repair_pairs
from krypsis.data.graphs import Graph


@st.composite
def graphs(draw, least=2, most=9):
    n = draw(st.integers(least, most))
    pairs = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=3 * n))
    return Graph.of_codes(np.array(pairs, dtype=np.int64).reshape(-1, 2), n)


def residuals(n, least=0):
    return st.lists(st.integers(least, 5), min_size=n, max_size=n).map(lambda found: np.array(found, dtype=np.int64))


def largest_first(residual):
    chosen = np.flatnonzero(residual > 0)
    return chosen[np.argsort(-residual[chosen], kind="stable")]


@given(graph=graphs(), data=st.data())
def test_the_necessary_condition_is_that_of_the_definition(graph, data):
    a = data.draw(residuals(graph.vertices))
    order = largest_first(a)
    missed = 0
    for l in range(1, len(order) + 1):  # noqa: E741
        inside = set(order[:l].tolist())
        near = [sum(other in inside for other in graph.neighbors_of(v).tolist()) for v in range(graph.vertices)]
        bound = sum(l - 1 - near[v] for v in inside)
        bound += sum(min(l - near[v], int(a[v])) for v in range(graph.vertices) if v not in inside)
        missed = max(missed, sum(int(a[v]) for v in inside) - bound)
    assert edge_edits.unmet_condition(graph.starts, graph.neighbors, a, order) == missed


@given(graph=graphs(), pairs=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=20))
def test_an_edited_graph_knows_its_edges(graph, pairs):
    edited = edited_graph(graph.starts, graph.neighbors, 40)
    now = {frozenset(pair) for pair in graph.edges.tolist()}
    for one, other in pairs:
        if one != other and max(one, other) < graph.vertices:
            toggle(edited, one, other)
            now ^= {frozenset((one, other))}
    for one, other in product(range(graph.vertices), repeat=2):
        assert is_adjacent(edited, one, other) == (frozenset((one, other)) in now)


@st.composite
def sequences(draw):
    k = draw(st.integers(1, 3))
    return k, np.sort(np.array(draw(st.lists(st.integers(0, 6), min_size=k, max_size=6)), dtype=np.int64))[::-1].copy()


def anonymous_sequences(length, k, most):
    """Yield all sequences in which every value occurs k times."""
    for values in product(range(most + 1), repeat=length):
        if all(values.count(value) >= k for value in set(values)):
            yield np.array(values)


@settings(max_examples=examples(120))
@given(case=sequences())
def test_no_anonymous_sequence_of_the_same_parity_costs_less(case):
    k, degrees = case
    costs, targets = np.empty(2, dtype=np.int64), np.zeros((2, len(degrees)), dtype=np.int64)
    raise_groups(degrees, k, 7, len(degrees), costs, targets)
    above = [found for found in anonymous_sequences(len(degrees), k, 7) if (found >= degrees).all()]
    for parity in range(2):
        sums = [int((found - degrees).sum()) for found in above if (found - degrees).sum() % 2 == parity]
        assert (costs[parity] < UNREACHABLE) == bool(sums)
        if sums:
            assert costs[parity] == min(sums) == (targets[parity] - degrees).sum()
            assert np.unique(targets[parity], return_counts=True)[1].min() >= k
            assert (targets[parity] >= degrees).all()


@settings(max_examples=examples(120))
@given(case=sequences())
def test_groups_around_medians_cost_least(case):
    k, degrees = case
    group_of = np.empty(len(degrees), dtype=np.int64)
    count = group_around_medians(degrees, k, group_of)
    groups = [degrees[group_of == number] for number in range(count)]
    assert min(map(len, groups)) >= k
    ours = sum(np.abs(group - np.median(group).astype(int)).sum() for group in groups)
    assert ours == min(np.abs(found - degrees).sum() for found in anonymous_sequences(len(degrees), k, 6))
    assert least_distance(degrees[::-1], k) == ours


@given(data=st.data())
def test_degrees_of_label_groups_are_alike_with_an_even_sum(data):
    graph = data.draw(graphs(least=6))
    number = np.arange(graph.vertices) % 2
    groups, k = LabelGroups.of(number), data.draw(st.integers(1, 3))
    for found in (raised_degrees(graph.degrees, groups, k), balanced_degrees(graph.degrees, groups, k)):
        for members in groups.members:
            assert np.unique(found[members], return_counts=True)[1].min() >= k
        assert 0 <= found.min() <= found.max() < graph.vertices
    assert balanced_degrees(graph.degrees, groups, k).sum() % 2 == 0


@given(degrees=st.lists(st.integers(0, 5), min_size=3, max_size=12))
def test_raised_degrees_have_an_even_sum_whatever_they_start_from(degrees):
    """Noise may make the sum odd; the degrees that come out must be those of a graph."""
    degrees = np.minimum(degrees, len(degrees) - 2)
    assert raised_degrees(degrees, LabelGroups.of(np.zeros(len(degrees), dtype=np.int64)), 2).sum() % 2 == 0


def copied(argument):
    """Copy arrays, also those in a state of several."""
    if isinstance(argument, tuple):
        return type(argument)(*map(copied, argument))
    return argument.copy() if isinstance(argument, np.ndarray) else argument


def both_forms(kernel, *arguments):
    """Run a kernel and its plain form on copies, and find the same in all arrays afterwards."""
    compiled_on, plain_on = ([copied(argument) for argument in arguments] for _ in range(2))
    found = [kernel(*compiled_on), kernel.reference(*plain_on)]
    flat = [
        [part for argument in on for part in (argument if isinstance(argument, tuple) else (argument,))]
        for on in (compiled_on, plain_on)
    ]
    for one, other in zip(*flat, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(*found)
    return compiled_on


@settings(max_examples=examples(60))
@given(data=st.data())
def test_compiled_and_plain_kernels_do_the_same(data):
    graph = data.draw(graphs())
    n = graph.vertices
    need = data.draw(residuals(n, least=-4))
    need = np.maximum(need, -graph.degrees)
    order = data.draw(st.permutations(range(n)).map(np.array))
    groups = LabelGroups.of(np.zeros(n, dtype=np.int64))
    classes = degree_classes(graph.degrees, groups, 1)
    state = edited_graph(graph.starts, graph.neighbors, 200)
    positive, lack, excess = np.maximum(need, 0), largest_first(need), largest_first(-need)
    both_forms(edge_edits.unmet_condition, graph.starts, graph.neighbors, positive, lack)
    joined, left, _ = both_forms(edge_edits.join_residuals, state, positive, order[positive[order] > 0])
    stuck = largest_first(left)
    switched, left, _ = both_forms(edge_edits.switch_into, joined, left, stuck)
    both_forms(edge_edits.join_others, switched, left, largest_first(left), classes, order)
    deleted, rest, _ = both_forms(edge_edits.delete_between, state, need, excess)
    moved, rest, *_ = both_forms(edge_edits.move_edges, deleted, rest, largest_first(-rest), lack)
    released, rest, *_ = both_forms(edge_edits.join_released, moved, rest, largest_first(-rest), n)
    both_forms(edge_edits.part_from_others, released, rest, largest_first(-rest), classes)
    both_forms(edge_edits.split_edges, released, rest, largest_first(rest), order)


@pytest.mark.parametrize("seed", [1, 2])
def test_compiled_and_plain_kernels_draw_the_same_edges(seed):
    rng = np.random.default_rng(seed)
    graph = Graph.of_codes(rng.integers(0, 12, (20, 2)), 12)
    drawn = rng.integers(0, [len(graph.edges), len(graph.edges), 2], (40, 3))
    both_forms(switch_edges, edited_graph(graph.starts, graph.neighbors, 160), graph.edges, drawn, 30)
    ends = rng.integers(0, 6, (8, 2))
    _, firsts = np.unique(np.sort(ends, axis=1), axis=0, return_index=True)
    is_good = np.isin(np.arange(8), firsts) & (ends[:, 0] != ends[:, 1])
    empty = edited_graph(np.zeros(7, dtype=np.int64), np.empty(0, dtype=np.int32), 60)
    bad = np.flatnonzero(~is_good)
    both_forms(repair_pairs, empty, ends, is_good, bad, rng.integers(0, 8, (len(bad), 20)))
