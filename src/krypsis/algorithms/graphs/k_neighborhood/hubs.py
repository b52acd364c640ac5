"""Where a network has hubs, whose neighborhoods nobody shares: they become stars, and k stars each get as many rays.

Edges among hundreds of neighbors are unlike anywhere else, and each edit of them is slow to judge. A star is known by
the number of its rays alone, so that hubs can be made alike as degrees are.
"""

from dataclasses import dataclass

import numpy as np

from krypsis.algorithms.graphs.k_degree.degree_sequences import group_around_medians
from krypsis.arrays import BoolArray, IntArray
from krypsis.data.graphs.graph import Graph
from krypsis.data.graphs.neighborhoods import has_neighbor
from krypsis.kernels._jit import compiled

STAR = 10
"""Vertices with so many neighbors become stars: those with fewer are often like others as they are."""
TRIALS = 50
"""How many vertices are looked at as the end of an edge that is added, and how many stars as its beginning."""


@dataclass(frozen=True, eq=False)
class Stars:
    """A network in which vertices with many neighbors are centers of stars."""

    edges: IntArray
    settled: BoolArray
    """Vertices that were given as many neighbors as k - 1 others: they should not be edited any more."""


def with_stars(graph: Graph, k: int, rng: np.random.Generator) -> Stars:
    """Return the network with stars at vertices of many neighbors, k of each number of rays that only such have.

    Examples
    --------
    >>> wheel = np.array([[0, v] for v in range(1, 13)] + [[v, v % 12 + 1] for v in range(1, 13)])
    >>> len(with_stars(Graph.of_codes(wheel, 13), 1, np.random.default_rng(1)).edges)
    18
    """
    is_center = graph.degrees >= STAR
    kept = keep_stars(graph.starts, graph.neighbors.astype(np.int64), graph.edges.astype(np.int64), is_center)
    thinned = graph.with_edges(graph.edges[kept])
    near = [set(part.tolist()) for part in np.split(thinned.neighbors, thinned.starts[1:-1])]
    aligned, targets = _aligned(thinned.degrees, is_center, k)
    _give_rays(near, aligned, targets, rng)
    settled = np.zeros(graph.vertices, dtype=np.bool_)
    settled[aligned] = [len(near[center]) == rays for center, rays in zip(aligned.tolist(), targets, strict=True)]
    low = np.repeat(np.arange(graph.vertices), [len(ends) for ends in near])
    high = np.array([end for ends in near for end in ends], dtype=np.int64)
    return Stars(np.stack([low, high], axis=1)[low < high], settled)


@compiled
def keep_stars(  # noqa: C901, PLR0912  steps of one greedy choice on shared arrays
    starts: IntArray, near: IntArray, edges: IntArray, is_center: BoolArray
) -> BoolArray:
    """Return which edges stay so that no two neighbors of a center are adjacent.

    Of the edges of centers, the one in most triangles is deleted again and again, until none is in any.
    """
    # Step 1: number the edges in the lists of neighbors.
    number = np.empty(len(near), np.int64)
    for edge in range(len(edges)):
        for side in range(2):
            one, other = edges[edge, side], edges[edge, 1 - side]
            number[place_in(near, starts[one], starts[one + 1], other)] = edge
    # Step 2: count the triangles of each edge.
    triangles = np.zeros(len(edges), np.int64)
    kept = np.ones(len(edges), np.bool_)
    for edge in range(len(edges)):
        one, other = edges[edge]
        if is_center[one] or is_center[other]:
            if starts[one + 1] - starts[one] > starts[other + 1] - starts[other]:
                one, other = other, one
            for place in range(starts[one], starts[one + 1]):
                triangles[edge] += has_neighbor(near, starts[other], starts[other + 1], near[place])
    # Step 3: sort the edges by these counts; ``first[t]`` is where those of t triangles start.
    first = np.zeros(triangles.max() + 2 if len(edges) else 2, np.int64)
    for count in triangles:
        first[count + 1] += 1
    for place in range(1, len(first)):
        first[place] += first[place - 1]
    order, position = np.empty(len(edges), np.int64), np.empty(len(edges), np.int64)
    filled = first.copy()
    for edge in range(len(edges)):
        position[edge] = filled[triangles[edge]]
        order[position[edge]] = edge
        filled[triangles[edge]] += 1
    # Step 4: delete the last; the others of its triangles move to the front of their run, into the one before.
    deleted, left = np.empty(len(edges), np.int64), len(edges)
    while left and triangles[order[left - 1]]:
        left -= 1
        edge = order[left]
        kept[edge] = False
        deleted[len(edges) - 1 - left] = edge
        one, other = edges[edge]
        if starts[one + 1] - starts[one] > starts[other + 1] - starts[other]:
            one, other = other, one
        for place in range(starts[one], starts[one + 1]):
            if not kept[number[place]]:
                continue
            there = place_in(near, starts[other], starts[other + 1], near[place])
            if there < 0 or not kept[number[there]]:
                continue
            for side in (number[place], number[there]):
                if triangles[side]:
                    front = first[triangles[side]]
                    moved = order[front]
                    order[front], order[position[side]] = side, moved
                    position[moved], position[side] = position[side], front
                    first[triangles[side]] += 1
                    triangles[side] -= 1
    # Step 5: take back what is in no triangle after all that was deleted later.
    for turn in range(len(edges) - 1 - left, -1, -1):
        edge = deleted[turn]
        one, other = edges[edge]
        closes = False
        for place in range(starts[one], starts[one + 1]):
            if kept[number[place]]:
                there = place_in(near, starts[other], starts[other + 1], near[place])
                closes = closes or (there >= 0 and kept[number[there]])
        kept[edge] = not closes
    return kept


@compiled
def place_in(near: IntArray, begin: int, end: int, vertex: int) -> int:
    """Return the place of a vertex in a list of neighbors, which is ascending; -1 if it is not there."""
    last = end
    while begin < end:
        middle = (begin + end) // 2
        if near[middle] < vertex:
            begin = middle + 1
        else:
            end = middle
    return begin if begin < last and near[begin] == vertex else -1


def _aligned(degrees: IntArray, is_center: BoolArray, k: int) -> tuple[IntArray, list[int]]:
    """Return the centers that need as many rays as k - 1 others, and how many; the largest first."""
    centers = np.flatnonzero(is_center)
    centers = centers[np.argsort(-degrees[centers], kind="stable")]
    is_rare = np.bincount(degrees)[degrees[centers]] < k
    last = max(int(np.flatnonzero(is_rare).max(initial=-1)) + 1, k if is_rare.any() else 0)
    # Whoever has as many rays as the last of them belongs to them.
    chosen = centers[degrees[centers] >= degrees[centers[last - 1]]] if 0 < last <= len(centers) else centers[:0]
    group = np.zeros(len(chosen), dtype=np.int64)
    if len(chosen):
        group_around_medians(degrees[chosen], k, group)
    medians = {one: int(np.median(degrees[chosen[group == one]])) for one in np.unique(group).tolist()}
    return chosen, [medians[one] for one in group.tolist()]


def _give_rays(near: list[set[int]], centers: IntArray, targets: list[int], rng: np.random.Generator) -> None:
    """Move rays from centers with too many to those with too few, so that their other ends look as before.

    What is too much even then is deleted, and what is too little is added.
    """
    missing = {center: rays - len(near[center]) for center, rays in zip(centers.tolist(), targets, strict=True)}
    short = [center for center, rays in missing.items() if rays > 0]
    for center in [center for center, rays in missing.items() if rays < 0]:
        ends = sorted(near[center] - missing.keys(), key=lambda end: (len(near[end]), end))
        for end in ends[: -missing[center]]:
            _disconnect(near, center, end)
            missing[center] += 1
            taker = next((one for one in short[:TRIALS] if missing[one] and _fits(near, one, end)), None)
            if taker is not None:
                _connect(near, taker, end)
                missing[taker] -= 1
                short = [one for one in short if missing[one]]
    for center in short:
        for end in rng.integers(len(near), size=TRIALS * missing[center]).tolist():
            if missing[center] and end not in missing and len(near[end]) < STAR and _fits(near, center, end):
                _connect(near, center, end)
                missing[center] -= 1


def _fits(near: list[set[int]], center: int, end: int) -> bool:
    """Say whether an edge is new and in no triangle."""
    return center != end and end not in near[center] and near[center].isdisjoint(near[end])


def _connect(near: list[set[int]], one: int, other: int) -> None:
    near[one].add(other)
    near[other].add(one)


def _disconnect(near: list[set[int]], one: int, other: int) -> None:
    near[one].discard(other)
    near[other].discard(one)
