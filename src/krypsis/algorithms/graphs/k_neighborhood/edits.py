"""A graph that is edited and undone again, with the number of vertices of each neighborhood class kept up to date."""

from typing import NamedTuple

import numpy as np

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.data.graphs.canonical import HashArray, fold
from krypsis.data.graphs.graph import Graph
from krypsis.data.graphs.neighborhoods import ROUNDS, has_neighbor, hash_neighborhood, list_inner
from krypsis.kernels._jit import compiled

EXACT, COARSE = 0, 1
"""Two kinds of classes: by a hash of the neighborhood; by its numbers of vertices and edges alone."""
FLIPS, HASHES, LABELS = 0, 1, 2
"""What the log remembers."""


class EditableGraph(NamedTuple):
    """A graph with room for more edges, the original one, the classes of its vertices, and a log to undo by."""

    begins: IntArray
    ends: IntArray
    limits: IntArray
    """Where the room of each list of neighbors ends."""
    near: IntArray
    original_starts: IntArray
    original_near: IntArray
    labels: IntArray
    """The label of each vertex, as a row of ``label_codes`` and a column: ``row * columns + column``."""
    label_codes: IntArray
    """Row: an original label; column: what it can be lifted to, the first being itself. The published label."""
    label_costs: FloatArray
    shown: IntArray
    """The published label of each vertex."""
    settled: BoolArray
    """Vertices whose neighborhoods must not change: edits that would change one are refused."""
    hashes: HashArray
    """Row: exact or coarse; column: vertex."""
    keys: HashArray
    counts: IntArray
    """An open hash table: how many vertices have each hash."""
    used: IntArray
    """How many places of the table are used."""
    energy: FloatArray
    """Exact and coarse: how far classes are from having k vertices, 0 if all have; last: what the edits cost."""
    weights: FloatArray
    """α, β, γ: the costs of labels, edges and vertices pulled into a neighborhood."""
    log: IntArray
    """Row: a change; columns: what it is, and two numbers."""
    old: HashArray
    """Row: a change of hashes; columns: the hashes before."""
    logged: IntArray
    number: IntArray
    starts: IntArray
    inner: IntArray
    colors: HashArray
    next_colors: HashArray


MOST_CHANGES = 1 << 14
"""Changes that the log can remember where degrees are not larger; whatever changes more is not tried."""
MOST_FULL_ROOM = 1500
"""Graphs of at most so many vertices have room for every edge."""


def edited_graph(
    graph: Graph,
    labels: IntArray,
    label_codes: IntArray,
    label_costs: FloatArray,
    weights: FloatArray,
    start: Graph | None = None,
) -> EditableGraph:
    """Return a graph to be edited, whose classes have to be counted. ``labels`` are rows of ``label_codes``.

    Its edges are those of ``start``, where one is given; edits are counted from the original graph in any case.
    """
    now = graph if start is None else start
    degrees, vertices = now.degrees, graph.vertices
    room = np.minimum(vertices - 1, 2 * np.maximum(degrees, graph.degrees) + 64)
    if vertices <= MOST_FULL_ROOM:
        room[:] = vertices - 1
    begins = np.cumsum(room) - room
    near = np.zeros(int(room.sum()), dtype=np.int64)
    places = np.arange(len(now.neighbors)) - np.repeat(now.starts[:-1], degrees) + np.repeat(begins, degrees)
    near[places] = now.neighbors
    most = int(room.max(initial=0))
    changes = max(4 * most, min(MOST_CHANGES, 64 * (vertices + 2)))
    table = 1 << max(16 * vertices, 8 * changes).bit_length()
    return EditableGraph(
        begins=begins,
        ends=begins + degrees,
        limits=begins + room,
        near=near,
        original_starts=graph.starts,
        original_near=graph.neighbors.astype(np.int64),
        labels=labels * label_codes.shape[1],
        label_codes=label_codes,
        label_costs=label_costs,
        shown=label_codes[labels, 0],
        settled=np.zeros(vertices, dtype=np.bool_),
        hashes=np.zeros((2, vertices), dtype=np.uint64),
        keys=np.zeros(table, dtype=np.uint64),
        counts=np.zeros(table, dtype=np.int64),
        used=np.zeros(1, dtype=np.int64),
        energy=np.zeros(3),
        weights=weights,
        log=np.zeros((changes, 3), dtype=np.int64),
        old=np.zeros((changes, 2), dtype=np.uint64),
        logged=np.zeros(1, dtype=np.int64),
        number=np.full(vertices, -1, dtype=np.int64),
        starts=np.empty(most + 1, dtype=np.int64),
        inner=np.empty(min(most * most, int(room.sum())), dtype=np.int64),
        colors=np.empty(most, dtype=np.uint64),
        next_colors=np.empty(most, dtype=np.uint64),
    )


def edges_of(state: EditableGraph) -> IntArray:
    """Return the edges as they are now, one row for each, in ascending order."""
    sizes = state.ends - state.begins
    low = np.repeat(np.arange(len(sizes)), sizes)
    places = np.arange(len(low)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(state.begins, sizes)
    high = state.near[places]
    kept = low < high
    return np.stack([low[kept], high[kept]], axis=1)


def saved(state: EditableGraph) -> tuple[IntArray, IntArray, IntArray]:
    """Return what is needed to come back to this state."""
    return state.ends.copy(), state.near.copy(), state.labels.copy()


def restore(state: EditableGraph, before: tuple[IntArray, IntArray, IntArray]) -> None:
    """Come back to a state; its classes have to be counted anew."""
    for array, values in zip((state.ends, state.near, state.labels), before, strict=True):
        array[:] = values
    state.shown[:] = state.label_codes.ravel()[state.labels]


@compiled
def shortfall(count: int, k: int) -> float:
    """Return how far a class is from having no vertex or ``k``: two small classes are worse than one of both."""
    return count * (k - count) / max(k - 1, 1) if count < k else 0.0


@compiled
def place_of(state: EditableGraph, key: np.uint64) -> int:
    """Return the place of a hash in the table; it is written there if it is new."""
    mask = len(state.keys) - 1
    place = np.int64(key & np.uint64(mask))
    while state.keys[place] != key:
        if state.keys[place] == np.uint64(0):
            state.keys[place] = key
            state.used[0] += 1
            break
        place = (place + 1) & mask
    return int(place)


@compiled
def _tally(state: EditableGraph, vertex: int, change: int, k: int) -> None:
    """Count a vertex in its classes, or out of them."""
    for kind in range(2):
        place = place_of(state, state.hashes[kind, vertex])
        before = state.counts[place]
        state.counts[place] = before + change
        state.energy[kind] += shortfall(before + change, k) - shortfall(before, k)


@compiled
def _hash(state: EditableGraph, vertex: int) -> tuple[np.uint64, np.uint64]:
    list_inner(state.begins, state.ends, state.near, vertex, state.number, state.starts, state.inner)
    around = state.near[state.begins[vertex] : state.ends[vertex]]
    exact = hash_neighborhood(
        state.shown, around, state.shown[vertex], state.starts, state.inner, state.colors, state.next_colors, ROUNDS
    )
    coarse = fold(fold(fold(np.uint64(5), state.shown[vertex]), len(around)), state.starts[len(around)])
    return exact | np.uint64(1), coarse | np.uint64(1)  # 0 is an empty place of the table


@compiled
def _count_hashes(state: EditableGraph, k: int) -> None:
    state.keys[:] = np.uint64(0)
    state.counts[:] = 0
    state.used[0] = 0
    for kind in range(2):
        state.energy[kind] = 0.0
        for vertex in range(len(state.begins)):
            state.counts[place_of(state, state.hashes[kind, vertex])] += 1
        for vertex in range(len(state.begins)):
            count = state.counts[place_of(state, state.hashes[kind, vertex])]
            state.energy[kind] += shortfall(count, k) / count


@compiled
def count_all(state: EditableGraph, k: int) -> None:
    """Count all classes and all costs anew, and forget the log."""
    state.logged[0] = 0
    for vertex in range(len(state.begins)):
        state.hashes[EXACT, vertex], state.hashes[COARSE, vertex] = _hash(state, vertex)
    _count_hashes(state, k)
    cost = 0.0
    for vertex in range(len(state.begins)):
        row, column = divmod(state.labels[vertex], state.label_codes.shape[1])
        cost += state.weights[0] * state.label_costs[row, column]
        for place in range(state.begins[vertex], state.ends[vertex]):
            if state.near[place] > vertex and not was_edge(state, vertex, state.near[place]):
                cost += state.weights[1] + 2 * state.weights[2]
        for place in range(state.original_starts[vertex], state.original_starts[vertex + 1]):
            if state.original_near[place] > vertex and not is_edge(state, vertex, state.original_near[place]):
                cost += state.weights[1]
    state.energy[2] = cost


@compiled
def is_edge(state: EditableGraph, one: int, other: int) -> bool:
    """Say whether two vertices are adjacent now."""
    return has_neighbor(state.near, state.begins[one], state.ends[one], other)


@compiled
def was_edge(state: EditableGraph, one: int, other: int) -> bool:
    """Say whether two vertices are adjacent in the original graph."""
    return has_neighbor(state.original_near, state.original_starts[one], state.original_starts[one + 1], other)


@compiled
def class_size(state: EditableGraph, vertex: int) -> int:
    """Return how many vertices have a neighborhood of the same hash."""
    return int(state.counts[place_of(state, state.hashes[EXACT, vertex])])


@compiled
def _flip(state: EditableGraph, one: int, other: int) -> None:
    """Write a vertex into a list of neighbors, or take it out."""
    place, end = state.begins[one], state.ends[one]
    while place < end and state.near[place] < other:
        place += 1
    if place < end and state.near[place] == other:
        for at in range(place, end - 1):
            state.near[at] = state.near[at + 1]
        state.ends[one] = end - 1
    else:
        for at in range(end, place, -1):
            state.near[at] = state.near[at - 1]
        state.near[place] = other
        state.ends[one] = end + 1


@compiled
def _remember(state: EditableGraph, what: int, one: int, other: int) -> None:
    at = state.logged[0]
    state.log[at, 0], state.log[at, 1], state.log[at, 2] = what, one, other
    state.logged[0] = at + 1


@compiled
def _hash_again(state: EditableGraph, vertices: IntArray, k: int) -> None:
    for vertex in vertices:
        exact, coarse = _hash(state, vertex)
        if exact != state.hashes[EXACT, vertex] or coarse != state.hashes[COARSE, vertex]:
            at = state.logged[0]
            state.old[at] = state.hashes[:, vertex]
            _remember(state, HASHES, vertex, 0)
            _set_hashes(state, vertex, exact, coarse, k)


@compiled
def _set_hashes(state: EditableGraph, vertex: int, exact: np.uint64, coarse: np.uint64, k: int) -> None:
    _tally(state, vertex, -1, k)
    state.hashes[EXACT, vertex], state.hashes[COARSE, vertex] = exact, coarse
    _tally(state, vertex, 1, k)


@compiled
def flip_cost(state: EditableGraph, one: int, other: int) -> float:
    """Return what it costs to add or delete an edge; less than nothing where that undoes an edit."""
    if was_edge(state, one, other):
        cost = state.weights[1]
        return float(cost if is_edge(state, one, other) else -cost)
    cost = state.weights[1] + 2 * state.weights[2]
    return float(-cost if is_edge(state, one, other) else cost)


@compiled
def flip_edge(state: EditableGraph, one: int, other: int, k: int) -> bool:
    """Add an edge or delete it; return whether there was room, and no settled neighborhood would change."""
    if state.settled[one] or state.settled[other]:
        return False
    if is_edge(state, one, other):
        pass
    elif state.ends[one] == state.limits[one] or state.ends[other] == state.limits[other]:
        return False
    if state.logged[0] + len(state.starts) + 4 > len(state.log):
        return False
    # Of all others, only common neighbors see this edge.
    few, many = one, other
    if state.ends[one] - state.begins[one] > state.ends[other] - state.begins[other]:
        few, many = other, one
    affected = np.empty(2 + state.ends[few] - state.begins[few], np.int64)
    affected[0], affected[1], found = few, many, 2
    for place in range(state.begins[few], state.ends[few]):
        if state.near[place] != many and is_edge(state, many, state.near[place]):
            affected[found] = state.near[place]
            found += 1
    if state.settled[affected[:found]].any():
        return False
    state.energy[2] += flip_cost(state, one, other)
    _flip(state, one, other)
    _flip(state, other, one)
    _remember(state, FLIPS, one, other)
    _hash_again(state, affected[:found], k)
    return True


@compiled
def lift_label(state: EditableGraph, vertex: int, column: int, k: int) -> bool:
    """Publish another label of a vertex; return whether there was room, and no settled neighborhood would change."""
    if state.logged[0] + len(state.starts) + 4 > len(state.log) or state.settled[vertex]:
        return False
    if state.settled[state.near[state.begins[vertex] : state.ends[vertex]]].any():
        return False
    columns = state.label_codes.shape[1]
    row, before = divmod(state.labels[vertex], columns)
    _remember(state, LABELS, vertex, state.labels[vertex])
    state.energy[2] += state.weights[0] * (state.label_costs[row, column] - state.label_costs[row, before])
    state.labels[vertex] = row * columns + column
    state.shown[vertex] = state.label_codes[row, column]
    affected = np.empty(1 + state.ends[vertex] - state.begins[vertex], np.int64)
    affected[0] = vertex
    affected[1:] = state.near[state.begins[vertex] : state.ends[vertex]]
    _hash_again(state, affected, k)
    return True


@compiled
def undo(state: EditableGraph, mark: int, k: int) -> None:
    """Undo all that was logged after a mark."""
    columns = state.label_codes.shape[1]
    while state.logged[0] > mark:
        at = state.logged[0] - 1
        state.logged[0] = at
        what, one, other = state.log[at, 0], state.log[at, 1], state.log[at, 2]
        if what == HASHES:
            _set_hashes(state, one, state.old[at, EXACT], state.old[at, COARSE], k)
        elif what == FLIPS:
            state.energy[2] += flip_cost(state, one, other)
            _flip(state, one, other)
            _flip(state, other, one)
        else:
            row, column = divmod(other, columns)
            before = state.labels[one] - row * columns
            state.energy[2] += state.weights[0] * (state.label_costs[row, column] - state.label_costs[row, before])
            state.labels[one] = other
            state.shown[one] = state.label_codes[row, column]


@compiled
def clear_table(state: EditableGraph, k: int) -> None:
    """Take hashes that nobody has any more out of the table when it fills up."""
    if 4 * state.used[0] > len(state.keys):
        _count_hashes(state, k)


@compiled
def accept(state: EditableGraph, k: int) -> None:
    """Keep what was done, and forget the log."""
    state.logged[0] = 0
    clear_table(state, k)
