"""Walking a graph in breadth, from an end of it to the other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from krypsis.arrays import IntArray
from krypsis.kernels._jit import compiled


class Graph(NamedTuple):
    """Vertex ``v`` is joined to ``neighbors[starts[v] : starts[v + 1]]``, those with the fewest neighbors first."""

    starts: IntArray
    neighbors: IntArray


@compiled
def walk_graph(graph: Graph, beginnings: IntArray, order: IntArray) -> None:
    """Write all vertices in the order in which they are met, beginning at the first of ``beginnings`` not met yet.

    Each part of the graph is walked again from the far end of the walk before, as long as that leads farther: so the
    walk begins at an end of the part, and what follows each other in the order is near each other (George, Liu, 1979).
    """
    distances = np.full(len(order), -1)
    first = 0
    for vertex in beginnings:
        if distances[vertex] >= 0:
            continue
        farthest, begin = -1, vertex
        while True:
            end = walk_from(graph, begin, first, order, distances)
            if distances[order[end - 1]] <= farthest:
                break
            farthest, begin = distances[order[end - 1]], far_end(graph, order[first:end], distances)
            distances[order[first:end]] = -1
        first = end


@compiled
def walk_from(graph: Graph, begin: int, first: int, order: IntArray, distances: IntArray) -> int:
    """Write what can be reached from a vertex, itself first, with the distances from it; return where it ends."""
    order[first], distances[begin] = begin, 0
    here, end = first, first + 1
    while here < end:
        vertex = order[here]
        here += 1
        for entry in range(graph.starts[vertex], graph.starts[vertex + 1]):
            neighbor = graph.neighbors[entry]
            if distances[neighbor] < 0:
                distances[neighbor] = distances[vertex] + 1
                order[end] = neighbor
                end += 1
    return end


@compiled
def far_end(graph: Graph, walked: IntArray, distances: IntArray) -> int:
    """Return the vertex with the fewest neighbors of those farthest away, the first of equals."""
    found = walked[-1]
    for vertex in walked[::-1]:
        if distances[vertex] < distances[walked[-1]]:
            break
        fewer = count_neighbors(graph, vertex) - count_neighbors(graph, found)
        if fewer < 0 or (fewer == 0 and vertex < found):
            found = vertex
    return int(found)


@compiled
def count_neighbors(graph: Graph, vertex: int) -> int:
    """Return how many neighbors a vertex has."""
    return int(graph.starts[vertex + 1] - graph.starts[vertex])
