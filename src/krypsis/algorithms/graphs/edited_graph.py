"""A graph whose edges are changed by kernels, without copying it.

The neighbors of all vertices stay as they were. A hash table holds the pairs whose edge was toggled, that is, added
where there was none or deleted where there was one.
"""

from typing import NamedTuple

import numpy as np

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.kernels._jit import compiled

EMPTY = -1


class EditedGraph(NamedTuple):
    """A graph, and the pairs of vertices whose edge was toggled."""

    starts: IntArray
    neighbors: CodeArray
    keys: IntArray
    """The hash table: the number of a pair, or :data:`EMPTY`."""
    toggled: BoolArray
    """Of each entry, whether its edge differs from the original graph."""


def edited_graph(starts: IntArray, neighbors: CodeArray, pairs: int) -> EditedGraph:
    """Return a graph without edits, with room for some pairs."""
    size = 2 * pairs + 61
    return EditedGraph(starts, neighbors, np.full(size, EMPTY, dtype=np.int64), np.zeros(size, dtype=np.bool_))


@compiled
def find_entry(graph: EditedGraph, low: int, high: int) -> int:
    """Return the entry of a pair in the hash table, or the empty one where it belongs."""
    key = low * (len(graph.starts) - 1) + high
    size = len(graph.keys)
    entry = (low * 10368889 + high * 7368787) % size
    while graph.keys[entry] != EMPTY and graph.keys[entry] != key:
        entry = entry + 1 if entry + 1 < size else 0
    return entry


@compiled
def is_toggled(graph: EditedGraph, one: int, other: int) -> bool:
    """Say whether the edge of a pair was added or deleted."""
    entry = find_entry(graph, min(one, other), max(one, other))
    return bool(graph.keys[entry] != EMPTY and graph.toggled[entry])


@compiled
def toggle(graph: EditedGraph, one: int, other: int) -> None:
    """Add the edge of a pair, or delete it."""
    low, high = min(one, other), max(one, other)
    entry = find_entry(graph, low, high)
    graph.keys[entry] = low * (len(graph.starts) - 1) + high
    graph.toggled[entry] = not graph.toggled[entry]


@compiled
def was_adjacent(starts: IntArray, neighbors: CodeArray, one: int, other: int) -> bool:
    """Say whether two vertices have an edge in the original graph."""
    if starts[one + 1] - starts[one] > starts[other + 1] - starts[other]:
        one, other = other, one
    low, end = starts[one], starts[one + 1]
    stop = end
    while low < end:
        middle = (low + end) // 2
        if neighbors[middle] < other:
            low = middle + 1
        else:
            end = middle
    return bool(low < stop and neighbors[low] == other)


@compiled
def were_adjacent(starts: IntArray, neighbors: CodeArray, pairs: CodeArray) -> BoolArray:
    """Say for each pair whether it has an edge in the original graph."""
    found = np.empty(len(pairs), dtype=np.bool_)
    for place in range(len(pairs)):
        found[place] = was_adjacent(starts, neighbors, pairs[place, 0], pairs[place, 1])
    return found


@compiled
def is_adjacent(graph: EditedGraph, one: int, other: int) -> bool:
    """Say whether two vertices have an edge now."""
    return was_adjacent(graph.starts, graph.neighbors, one, other) != is_toggled(graph, one, other)
