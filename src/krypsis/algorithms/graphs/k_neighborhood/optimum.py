"""The cheapest edits of a tiny graph, by trying all that cost less than what is known."""

import numpy as np

from krypsis.algorithms.graphs.k_neighborhood.edits import (
    EXACT,
    EditableGraph,
    clear_table,
    count_all,
    flip_edge,
    lift_label,
    undo,
    was_edge,
)
from krypsis.algorithms.graphs.k_neighborhood.repair import EDGE, LABEL, NOTHING_LEFT
from krypsis.arrays import IntArray
from krypsis.kernels._jit import compiled


def all_edits(state: EditableGraph, allow_delete: bool) -> IntArray:
    """Return every edit of the original graph, one row each: its kind, a vertex, another vertex or a column."""
    vertices, columns = len(state.begins), state.label_codes.shape[1]
    edges = [
        (EDGE, one, other)
        for one in range(vertices)
        for other in range(one + 1, vertices)
        if allow_delete or not was_edge(state, one, other)
    ]
    labels = [(LABEL, vertex, column) for vertex in range(vertices) for column in range(1, columns)]
    return np.array(edges + labels, dtype=np.int64).reshape(-1, 3)


@compiled
def cheapest_edits(
    state: EditableGraph, edits: IntArray, k: int, limit: float, most: int, chosen: IntArray
) -> tuple[int, bool]:
    """Find the cheapest set of edits below a limit; return its size, -1 if there is none, and whether all were tried.

    ``state`` is the original graph; ``chosen`` gets the places of the edits.
    """
    count_all(state, k)
    columns = state.label_codes.shape[1]
    path, marks = np.empty(len(edits) + 1, np.int64), np.empty(len(edits) + 1, np.int64)
    size, depth, following, tried = -1, 0, 0, 0
    # Sets of edits in the order of their first, second, … member. An edit costs the same wherever it stands, so that
    # whatever adds to a set that is too expensive is too expensive as well.
    while tried < most:
        if state.energy[EXACT] < NOTHING_LEFT and state.energy[2] < limit - NOTHING_LEFT:
            limit, size = state.energy[2], depth
            chosen[:depth] = path[:depth]
        descended = False
        while following < len(edits) and not descended:
            part, one, other = edits[following, 0], edits[following, 1], edits[following, 2]
            marks[depth] = state.logged[0]
            if part == EDGE:
                descended = flip_edge(state, one, other, k)
            elif state.labels[one] % columns == 0:
                descended = lift_label(state, one, other, k)
            if descended and state.energy[2] >= limit - NOTHING_LEFT:
                undo(state, marks[depth], k)
                descended = False
            path[depth] = following
            following += 1
            tried += 1
        if descended:
            depth += 1
        elif depth == 0:
            return size, True
        else:
            depth -= 1
            undo(state, marks[depth], k)
            following = path[depth] + 1
        clear_table(state, k)
    undo(state, 0, k)
    return size, False
