"""Kernels that give the vertices of a graph other degrees, by adding, moving and deleting as few edges as they can."""

from typing import NamedTuple

import numpy as np

from krypsis.algorithms.graphs.edited_graph import EMPTY, EditedGraph, is_adjacent, is_toggled, toggle
from krypsis.arrays import CodeArray, IntArray
from krypsis.kernels._jit import compiled

MOST_FAILURES = 8
"""After so many vain searches of all added edges, no further switch is looked for."""
MOST_NEAR = 2
"""How many neighbors of each neighbor may gain an edge to the same vertex."""
MOST_TRIED = 64
"""How many partners are tried for the end of an edge that moves."""


class DegreeClasses(NamedTuple):
    """How many vertices have each label and degree, so that single vertices may move to a neighboring class."""

    cell_of: IntArray
    """The class of each vertex; the next class of the same label is the next number."""
    counts: IntArray
    k: int


@compiled
def unmet_condition(starts: IntArray, neighbors: CodeArray, residual: IntArray, order: IntArray) -> int:
    """Return by how much a necessary condition is missed for adding edges until every vertex has its residual more.

    ``order`` are the vertices with a residual, the largest first. For each ``l``, the first ``l`` of them can have
    edges among themselves where there are none yet, and with each other vertex at most as many as that one needs and
    as there are pairs without an edge. 0 means that the condition holds.

    References
    ----------
    Liu, Terzi, "Towards identity anonymization on graphs", SIGMOD 2008, Lemma 2.
    """
    n, most = len(starts) - 1, len(order)
    is_taken = np.zeros(n, dtype=np.bool_)
    taken_neighbors = np.zeros(n, dtype=np.int64)
    # A vertex outside contributes min(l - its neighbors inside, its residual). It is open until that is its residual,
    # that is, while l is less than its residual and its neighbors inside together; ``closing[l]`` counts those that
    # close at l.
    closing = np.zeros(most + 2, dtype=np.int64)
    for vertex in order:
        closing[min(residual[vertex], most + 1)] += 1
    opened, outside, inside, needed, missed = most, 0, 0, 0, 0
    for l in range(1, most + 1):  # noqa: E741  the paper's letter
        vertex = order[l - 1]
        closes = residual[vertex] + taken_neighbors[vertex]
        needed += residual[vertex]
        inside += 2 * (l - 1) - 2 * taken_neighbors[vertex]
        # The vertex goes inside.
        outside -= min(l - 1 - taken_neighbors[vertex], residual[vertex])
        if closes > l - 1:
            opened -= 1
            closing[min(closes, most + 1)] -= 1
        is_taken[vertex] = True
        # Every open vertex gains a possible edge, except those that have one to the new vertex already.
        outside += opened
        for other in neighbors[starts[vertex] : starts[vertex + 1]]:
            closes = residual[other] + taken_neighbors[other]
            if residual[other] > 0 and not is_taken[other] and closes > l - 1:
                outside -= 1
                closing[min(closes, most + 1)] -= 1
                closing[min(closes + 1, most + 1)] += 1
            taken_neighbors[other] += 1
        opened -= closing[l]
        missed = max(missed, needed - inside - outside)
    return missed


@compiled
def _queue_up(residual: IntArray, order: IntArray, queue: IntArray, place_of: IntArray) -> IntArray:
    """Queue vertices up, ascending by residual; return where those with at least each residual begin.

    So a residual falls by one in constant time: its vertex changes places with the first of its equals.
    """
    largest = 0
    for vertex in order:
        largest = max(largest, residual[vertex])
    first = np.zeros(largest + 2, dtype=np.int64)
    for vertex in order:
        first[residual[vertex] + 1] += 1
    first = np.cumsum(first)
    filled = first.copy()
    for vertex in order:
        place_of[vertex] = filled[residual[vertex]]
        queue[place_of[vertex]] = vertex
        filled[residual[vertex]] += 1
    return first


@compiled
def join_residuals(graph: EditedGraph, residual: IntArray, order: IntArray) -> int:
    """Add edges between vertices that need some, the largest needs first; return how many were added.

    ``order`` are the vertices with a residual, in any order, which decides among equals. What is left of ``residual``
    found no partner. This is ConstructGraph with forbidden pairs: those that have an edge, or had one.
    """
    most = len(order)
    queue, place_of = np.empty(most, dtype=np.int64), np.empty(len(residual), dtype=np.int64)
    first = _queue_up(residual, order, queue, place_of)
    marked = np.full(len(residual), EMPTY, dtype=np.int64)
    chosen = np.empty(most, dtype=np.int64)
    added = 0
    for top in range(most - 1, -1, -1):
        vertex = queue[top]
        if residual[vertex] == 0:
            break
        for other in graph.neighbors[graph.starts[vertex] : graph.starts[vertex + 1]]:
            marked[other] = vertex
        found = 0
        for place in range(top - 1, -1, -1):
            other = queue[place]
            if found == residual[vertex] or residual[other] == 0:
                break
            if marked[other] != vertex and not is_toggled(graph, vertex, other):
                chosen[found] = other
                found += 1
        for other in chosen[:found]:
            toggle(graph, vertex, other)
            place, start = place_of[other], first[residual[other]]
            swapped = queue[start]
            queue[start], queue[place] = other, swapped
            place_of[other], place_of[swapped] = start, place
            first[residual[other]] += 1
            residual[other] -= 1
        residual[vertex] -= found
        added += found
    return added


@compiled
def _stubs(need: IntArray, order: IntArray) -> IntArray:
    """Return each vertex as often as it needs an edge."""
    stubs = np.empty(need[order].sum(), dtype=np.int64)
    count = 0
    for vertex in order:
        stubs[count : count + need[vertex]] = vertex
        count += need[vertex]
    return stubs


@compiled
def _switch(graph: EditedGraph, edges: IntArray, start: int, one: int, other: int) -> int:
    """Give two vertices the ends of an added edge, looked for from a place on; return how far, or -1 for nowhere."""
    n = len(graph.starts) - 1
    for turn in range(len(edges)):
        entry = edges[(start + turn) % len(edges)]
        x, y = graph.keys[entry] // n, graph.keys[entry] % n
        if not graph.toggled[entry] or one in (x, y) or other in (x, y):
            continue
        if is_adjacent(graph, one, x) or is_adjacent(graph, other, y):
            x, y = y, x
            if is_adjacent(graph, one, x) or is_adjacent(graph, other, y):
                continue
        graph.toggled[entry] = False
        toggle(graph, one, x)
        toggle(graph, other, y)
        return turn + 1
    return -1


@compiled
def switch_into(graph: EditedGraph, residual: IntArray, order: IntArray) -> int:
    """Give two vertices that found no partner the two ends of an edge that was added; return how many edges more.

    With ``u`` and ``v`` in need and an added edge ``x - y``, the edges ``u - x`` and ``v - y`` take its place. Original
    edges stay.
    """
    stubs, edges = _stubs(residual, order), np.flatnonzero(graph.toggled)
    added, failures, start = 0, 0, 0
    left, right = 0, len(stubs) - 1
    while left < right and failures < MOST_FAILURES:
        one, other = stubs[left], stubs[right]
        if one != other and not is_adjacent(graph, one, other):
            toggle(graph, one, other)
            turns = 0
        else:
            turns = _switch(graph, edges, start, one, other)
        if turns >= 0:
            residual[one] -= 1
            residual[other] -= 1
            start, left, right, added = start + turns, left + 1, right - 1, added + 1
            continue
        failures += 1
        # The same vertex is of no use with the next stub either.
        while left < right and stubs[left] == one:
            left += 1
    return added


@compiled
def can_leave(classes: DegreeClasses, vertex: int, step: int) -> bool:
    """Say whether a vertex may have one edge more, or less, and both classes still have ``k`` vertices."""
    cell = classes.cell_of[vertex]
    return bool(classes.counts[cell] > classes.k and classes.counts[cell + step] >= classes.k)


@compiled
def leave(classes: DegreeClasses, vertex: int, step: int) -> None:
    """Count a vertex in the next class."""
    cell = classes.cell_of[vertex]
    classes.counts[cell] -= 1
    classes.counts[cell + step] += 1
    classes.cell_of[vertex] = cell + step


@compiled
def can_any_leave(classes: DegreeClasses) -> bool:
    """Say whether there is a vertex that may have one edge more."""
    for cell in range(len(classes.counts) - 1):
        if classes.counts[cell] > classes.k and classes.counts[cell + 1] >= classes.k:
            return True
    return False


@compiled
def _joins(graph: EditedGraph, vertex: int, other: int, marked: IntArray, classes: DegreeClasses) -> bool:
    """Add an edge to a vertex that may have one more and is no neighbor, which would be marked; say whether it is."""
    if (
        other == vertex
        or marked[other] == vertex
        or not can_leave(classes, other, 1)
        or is_toggled(graph, vertex, other)
    ):
        return False
    leave(classes, other, 1)
    toggle(graph, vertex, other)
    marked[other] = vertex
    return True


@compiled
def _join_near(graph: EditedGraph, vertex: int, most: int, marked: IntArray, classes: DegreeClasses) -> int:
    """Add edges to neighbors of neighbors, from each neighbor one and then another; return how many."""
    added = 0
    for _ in range(MOST_NEAR):
        before = added
        for between in graph.neighbors[graph.starts[vertex] : graph.starts[vertex + 1]]:
            if added == most:
                return added
            for other in graph.neighbors[graph.starts[between] : graph.starts[between + 1]]:
                if _joins(graph, vertex, other, marked, classes):
                    added += 1
                    break
        if added == before:
            break
    return added


@compiled
def join_others(
    graph: EditedGraph, residual: IntArray, order: IntArray, classes: DegreeClasses, tried: IntArray
) -> int:
    """Add edges to vertices that need none but may have one more; return how many were added.

    Neighbors of neighbors come first: such edges change distances least. ``tried`` are all vertices in the order in
    which they are asked then.
    """
    n = len(tried)
    marked = np.full(n, EMPTY, dtype=np.int64)
    added, start = 0, 0
    for vertex in order:
        if not can_any_leave(classes):
            break
        needed = residual[vertex]
        for other in graph.neighbors[graph.starts[vertex] : graph.starts[vertex + 1]]:
            marked[other] = vertex
        needed -= _join_near(graph, vertex, needed, marked, classes)
        for turn in range(n):
            if needed == 0:
                break
            if _joins(graph, vertex, tried[(start + turn) % n], marked, classes):
                needed -= 1
                if needed == 0:
                    start += turn + 1
        added += residual[vertex] - needed
        residual[vertex] = needed
    return added


@compiled
def delete_between(graph: EditedGraph, need: IntArray, order: IntArray) -> None:
    """Delete edges between vertices that have too many; ``order`` are these, those with most too many first."""
    for vertex in order:
        if need[vertex] >= 0:
            continue
        own = graph.neighbors[graph.starts[vertex] : graph.starts[vertex + 1]]
        excess = own[need[own] < 0]
        for other in excess[np.argsort(need[excess], kind="mergesort")]:
            if need[vertex] == 0:
                break
            if not is_toggled(graph, vertex, other):
                toggle(graph, vertex, other)
                need[vertex] += 1
                need[other] += 1


@compiled
def move_edges(graph: EditedGraph, need: IntArray, excess: IntArray, lack: IntArray) -> None:
    """Move ends of edges from vertices that have too many to vertices that have too few."""
    first = 0
    for vertex in excess:
        for other in graph.neighbors[graph.starts[vertex] : graph.starts[vertex + 1]]:
            if need[vertex] == 0:
                break
            while first < len(lack) and need[lack[first]] <= 0:
                first += 1
            if is_toggled(graph, vertex, other):
                continue
            for place in range(first, min(first + MOST_TRIED, len(lack))):
                taker = lack[place]
                if need[taker] > 0 and taker != other and not is_adjacent(graph, other, taker):
                    toggle(graph, vertex, other)
                    toggle(graph, other, taker)
                    need[vertex] += 1
                    need[taker] -= 1
                    break


@compiled
def _join_ends(graph: EditedGraph, one: int, other: int) -> bool:
    """Delete an edge of each of two vertices and join the other ends; say whether there were such edges."""
    for x in graph.neighbors[graph.starts[one] : graph.starts[one + 1]]:
        if x == other or is_toggled(graph, one, x):
            continue
        tried = 0
        for y in graph.neighbors[graph.starts[other] : graph.starts[other + 1]]:
            if tried == MOST_TRIED:
                break
            if y in (np.int64(x), one) or is_toggled(graph, other, y):
                continue
            tried += 1
            if not is_adjacent(graph, x, y):
                toggle(graph, one, x)
                toggle(graph, other, y)
                toggle(graph, x, y)
                return True
    return False


@compiled
def join_released(graph: EditedGraph, need: IntArray, excess: IntArray, most: int) -> int:
    """Delete two edges of vertices that have too many, and join their other ends, which keep their degrees.

    Returns how many pairs of ends were joined, no more than ``most``.
    """
    stubs = _stubs(-need, excess)
    joined, left, right = 0, 0, len(stubs) - 1
    while left < right and joined < most:
        one, other = stubs[left], stubs[right]
        if _join_ends(graph, one, other):
            need[one] += 1
            need[other] += 1
            joined, right = joined + 1, right - 1
        left += 1
    return joined


@compiled
def part_from_others(graph: EditedGraph, need: IntArray, excess: IntArray, classes: DegreeClasses) -> None:
    """Delete edges to vertices that have not too many but may have one less."""
    for vertex in excess:
        for other in graph.neighbors[graph.starts[vertex] : graph.starts[vertex + 1]]:
            if need[vertex] == 0:
                break
            cell = classes.cell_of[other]
            if cell > 0 and need[other] == 0 and can_leave(classes, other, -1) and not is_toggled(graph, vertex, other):
                leave(classes, other, -1)
                toggle(graph, vertex, other)
                need[vertex] += 1


@compiled
def _split_edge(graph: EditedGraph, one: int, other: int, tried: IntArray) -> bool:
    """Delete an edge and join its ends to two vertices; say whether there was one that can be deleted."""
    for x in tried:
        if x in (one, other) or is_adjacent(graph, one, x):
            continue
        for y in graph.neighbors[graph.starts[x] : graph.starts[x + 1]]:
            if y not in (one, other) and not is_toggled(graph, x, y) and not is_adjacent(graph, other, y):
                toggle(graph, x, y)
                toggle(graph, one, x)
                toggle(graph, other, y)
                return True
    return False


@compiled
def split_edges(graph: EditedGraph, need: IntArray, lack: IntArray, tried: IntArray) -> None:
    """Delete an edge between vertices that are as they should be, and join its ends to two that have too few."""
    stubs = _stubs(need, lack)
    for place in range(0, len(stubs) - 1, 2):
        one, other = stubs[place], stubs[place + 1]
        if not _split_edge(graph, one, other, tried):
            return
        need[one] -= 1
        need[other] -= 1
