"""All graphs of up to six vertices: how far each protection is from the optimum, found by looking at all of them."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations, permutations
from math import comb, log

import networkx as nx
import numpy as np
import numpy.typing as npt

from benchmarks.results import Results
from benchmarks.unit import cpu
from krypsis.algorithms.graphs.base import GraphMethod, GraphTask
from krypsis.algorithms.graphs.k_degree.k_degree import KDegree
from krypsis.algorithms.graphs.k_neighborhood.k_neighborhood import KNeighborhood
from krypsis.algorithms.graphs.vertex_clustering.vertex_clustering import VertexClustering
from krypsis.data.graphs import ClusteredGraph, Graph
from krypsis.models.base import PrivacyModel
from krypsis.models.k_degree_anonymity import KDegreeAnonymity
from krypsis.models.k_neighborhood_anonymity import KNeighborhoodAnonymity
from krypsis.models.supervertex_anonymity import SupervertexAnonymity

LARGEST = 6
Masks = npt.NDArray[np.int64]
Costs = Callable[[Graph, int], tuple[float, float]]
"""Graph and k → our cost and the least possible one."""


def measure(results: Results) -> None:
    cases = {
        "k-degree, edges added": added_edges,
        "k-degree:edits=add-delete, share of edges that differ": different_edges,
        "k-neighborhood, edits": edits_by(KNeighborhood()),
        "k-neighborhood:optimal_up_to=0, edits": edits_by(KNeighborhood(optimal_up_to=0)),
        "vertex-clustering, log |W|": possible_worlds(VertexClustering()),
        "vertex-clustering:strategy=hill, log |W|": possible_worlds(VertexClustering(strategy="hill")),
    }
    for name, costs in cases.items():
        found: list[tuple[float, float]] = []
        seconds = cpu(lambda: found.extend(costs(graph, k) for graph, k in all_graphs()), 1)  # noqa: B023  called at once
        results.add(name, seconds, note=summary(found))


def summary(found: list[tuple[float, float]]) -> str:
    """Return the sums, how often the optimum is missed, and the mean and worst ratio of cases in which it costs."""
    ours, best = (sum(one) for one in zip(*found, strict=True))
    assert all(own >= least - 1e-9 for own, least in found), "nothing is better than the optimum"
    above = sum(own > least + 1e-9 for own, least in found)
    # Where the optimum is free, a ratio says nothing: such cases are counted among those above it.
    ratios = [own / least for own, least in found if least > 1e-9]
    return (
        f"ours {ours:.6g}, optimum {best:.6g}, ratio {ours / best:.4f}, mean ratio {sum(ratios) / len(ratios):.4f}, "
        f"worst {max(ratios):.4f}; above it in {above} of {len(found)} cases"
    )


def all_graphs() -> Iterator[tuple[Graph, int]]:
    """Yield every graph of two to six vertices once up to isomorphism, with each k from two to its size."""
    for drawn in nx.graph_atlas_g():
        for k in range(2, len(drawn) + 1) if len(drawn) <= LARGEST else ():
            yield Graph.of_codes(np.array([*drawn.edges], dtype=np.int64).reshape(-1, 2), len(drawn)), k


def published(graph: Graph, method: GraphMethod, model: PrivacyModel) -> Graph | ClusteredGraph:
    return method.publish(GraphTask(graph, [model]), np.random.default_rng(1)).published


def mask_of(graph: Graph) -> int:
    pairs = [*combinations(range(graph.vertices), 2)]
    return sum(1 << pairs.index((one, other)) for one, other in graph.edges.tolist())


# k-degree anonymity: graphs are numbers of which each bit is a pair of vertices.


def added_edges(graph: Graph, k: int) -> tuple[float, float]:
    own = mask_of(graph)
    anonymous = degree_anonymous(graph.vertices, k)
    above = anonymous[(anonymous & own) == own]
    found = published(graph, KDegree(edits="add"), KDegreeAnonymity(k=k))
    return len(found.edges) - len(graph.edges), int(np.bitwise_count(above).min()) - len(graph.edges)


def different_edges(graph: Graph, k: int) -> tuple[float, float]:
    """Return 1 minus the overlap ``|E ∩ E'| / max(|E|, |E'|)``, which additions and deletions are to make small."""
    own, anonymous = mask_of(graph), degree_anonymous(graph.vertices, k)
    found = published(graph, KDegree(edits="add-delete"), KDegreeAnonymity(k=k))
    return float(1 - overlap(own, np.array([mask_of(found)]))[0]), float(1 - overlap(own, anonymous).max())


def overlap(own: int, others: Masks) -> npt.NDArray[np.float64]:
    largest = np.maximum(np.bitwise_count(others), own.bit_count())
    shared = np.bitwise_count(others & own)
    return np.where(largest > 0, shared / np.maximum(largest, 1), 1.0)


@cache
def degree_anonymous(vertices: int, k: int) -> Masks:
    """Return all graphs in which every degree occurs ``k`` times."""
    pairs = [*combinations(range(vertices), 2)]
    masks = np.arange(1 << len(pairs))
    degrees = np.zeros((vertices, len(masks)), dtype=np.int64)
    for place, ends in enumerate(pairs):
        for end in ends:
            degrees[end] += masks >> place & 1
    return masks[shared_by(degrees, k)]


def shared_by(looks: Masks, k: int) -> npt.NDArray[np.bool_]:
    """Say for each graph (column) whether ``k`` vertices (rows) look like each."""
    return np.asarray(((looks[:, None] == looks[None, :]).sum(axis=1) >= k).all(axis=0))


# k-neighborhood anonymity.


def edits_by(method: KNeighborhood) -> Costs:
    def costs(graph: Graph, k: int) -> tuple[float, float]:
        own, found = mask_of(graph), mask_of(published(graph, method, KNeighborhoodAnonymity(k=k)))
        anonymous = neighborhood_anonymous(graph.vertices, k)
        assert found in anonymous
        return (own ^ found).bit_count(), int(np.bitwise_count(anonymous ^ own).min())

    return costs


@cache
def neighborhood_anonymous(vertices: int, k: int) -> Masks:
    return np.arange(1 << comb(vertices, 2))[shared_by(neighborhoods(vertices), k)]


@cache
def neighborhoods(vertices: int) -> Masks:
    """Return a number for the 1-neighborhood of each vertex (row) in each graph (column), equal where isomorphic."""
    pairs = [*combinations(range(vertices), 2)]
    masks = np.arange(1 << len(pairs))
    has = {pair: (masks >> place & 1).astype(bool) for place, pair in enumerate(pairs)}
    found = np.zeros((vertices, len(masks)), dtype=np.int64)
    for root in range(vertices):
        others = [vertex for vertex in range(vertices) if vertex != root]
        for size in range(vertices):
            for near in combinations(others, size):
                fits = np.ones(len(masks), dtype=bool)
                for other in others:
                    fits &= has[min(root, other), max(root, other)] == (other in near)
                inner = np.zeros(int(fits.sum()), dtype=np.int64)
                for place, pair in enumerate(combinations(near, 2)):
                    inner |= has[pair][fits].astype(np.int64) << place
                found[root, fits] = size << 20 | smallest_alike(size)[inner]
    return found


@cache
def smallest_alike(vertices: int) -> Masks:
    """Return for each graph the smallest number of a graph that is isomorphic to it."""
    pairs = [*combinations(range(vertices), 2)]
    masks = np.arange(1 << len(pairs))
    smallest = masks.copy()
    for order in permutations(range(vertices)):
        moved = np.zeros_like(masks)
        for place, (one, other) in enumerate(pairs):
            ends = sorted((order[one], order[other]))
            moved |= (masks >> place & 1) << pairs.index((ends[0], ends[1]))
        smallest = np.minimum(smallest, moved)
    return smallest


# Super-vertices.


def possible_worlds(method: VertexClustering) -> Costs:
    def costs(graph: Graph, k: int) -> tuple[float, float]:
        found = published(graph, method, SupervertexAnonymity(k=k))
        assert isinstance(found, ClusteredGraph)
        edges = graph.edges.tolist()
        return found.log_worlds, min(log_worlds(edges, groups) for groups in partitions([*range(graph.vertices)], k))

    return costs


def partitions(vertices: list[int], k: int) -> Iterator[list[tuple[int, ...]]]:
    """Yield all partitions into groups of ``k`` or more."""
    if not vertices:
        yield []
        return
    first, *rest = vertices
    for size in range(k - 1, len(rest) + 1):
        for others in combinations(rest, size):
            for groups in partitions([vertex for vertex in rest if vertex not in others], k):
                yield [(first, *others), *groups]


def log_worlds(edges: list[list[int]], groups: list[tuple[int, ...]]) -> float:
    number = {vertex: place for place, group in enumerate(groups) for vertex in group}
    linked = Counter(tuple(sorted(number[end] for end in edge)) for edge in edges)
    sizes = [len(group) for group in groups]
    possible = {(one, two): comb(sizes[one], 2) if one == two else sizes[one] * sizes[two] for one, two in linked}
    return sum(log(comb(possible[pair], count)) for pair, count in linked.items())
