"""Local search: edits near vertices whose neighborhoods are too rare, until none is."""

from typing import NamedTuple

import numpy as np

from krypsis.algorithms.graphs.k_neighborhood.edits import (
    COARSE,
    EXACT,
    EditableGraph,
    accept,
    class_size,
    count_all,
    flip_edge,
    is_edge,
    lift_label,
    undo,
    was_edge,
)
from krypsis.arrays import FloatArray, IntArray
from krypsis.data.graphs.canonical import HashArray, mix, sort_together
from krypsis.data.graphs.neighborhoods import list_inner
from krypsis.kernels._jit import compiled
from krypsis.progress import NO_PROGRESS, Progress

EDGE, LABEL = 0, 1
"""Kinds of edits: an edge is added or deleted; a label is lifted."""
NOTHING_LEFT = 1e-6
"""Less than what any class that is too small is short of."""
MOST_IN_ONE = 64
"""Edits that are tried as one."""
DENSE = 300
"""Twice the number of edges among neighbors from which on fewer edits are tried."""
PEELED_SHARE = 3
"""Of the vertices for which nothing helps, one in three loses edges before the others are visited again."""
FEW = 10
"""A pass in which no more than one vertex in ten was helped is not worth repeating."""
REFUSED = 1e18
LOWEST_WEIGHT, HIGHEST_WEIGHT = 2.0, 8.0
"""What a vertex with a rare neighborhood is worth, in costs of edits: at first, and when nothing else helps."""


class Options(NamedTuple):
    """How the local search works."""

    k: int
    allow_delete: bool
    samples: int
    """How many edits of each kind are tried per step."""
    coarse: float
    """How much the coarse classes count, compared with the exact ones."""
    steps: int
    """After how many steps the search gives up: all edges of what is left are deleted."""
    shaken: bool
    """Whether most edits near a random vertex are undone first, so that the search may find cheaper ones."""


class Moves(NamedTuple):
    """The edits that are tried in a step, and the best of them."""

    edits: IntArray
    """Row: an edit; columns: its kind, a vertex, and another vertex or the column of a label."""
    bounds: IntArray
    """Where each set of edits starts that is tried as one."""
    sizes: IntArray
    """How many edits there are, and how many sets of them."""
    change: FloatArray
    """How the best changes the energy; the weight of rare neighborhoods."""
    best: IntArray
    """Which set is the best."""
    random: HashArray


def new_moves(seed: int, edges: int) -> Moves:
    """Return room for moves in a graph of so many edges, and a random state."""
    room = (1 << 14) + 4 * edges
    return Moves(
        np.zeros((room, 3), dtype=np.int64),
        np.zeros(room, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
        np.zeros(2),
        np.zeros(1, dtype=np.int64),
        np.array([seed], dtype=np.uint64),
    )


@compiled
def draw(random: HashArray, bound: int) -> int:
    """Return a random number below a bound."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    return int(np.int64(mix(random[0]) >> np.uint64(33)) % bound)


@compiled
def _put(moves: Moves, kind: int, one: int, other: int) -> None:
    """Add an edit to the set that is being put together."""
    at = moves.sizes[0]
    if at < len(moves.edits):
        moves.edits[at, 0], moves.edits[at, 1], moves.edits[at, 2] = kind, one, other
        moves.sizes[0] = at + 1


@compiled
def _close(moves: Moves, most: int) -> None:
    """End a set of edits; it is forgotten if it is empty or has too many."""
    begin, end = moves.bounds[moves.sizes[1]], moves.sizes[0]
    if 0 < end - begin <= most and moves.sizes[1] + 2 < len(moves.bounds) and end < len(moves.edits):
        moves.sizes[1] += 1
        moves.bounds[moves.sizes[1]] = end
    else:
        moves.sizes[0] = begin


@compiled
def _carry_out(state: EditableGraph, moves: Moves, chosen: int, options: Options) -> bool:
    """Carry out a set of edits; return whether all of them are allowed and there was room."""
    for at in range(moves.bounds[chosen], moves.bounds[chosen + 1]):
        part, one, other = moves.edits[at, 0], moves.edits[at, 1], moves.edits[at, 2]
        if part == LABEL:
            done = lift_label(state, one, other, options.k)
        else:
            allowed = options.allow_delete or not (was_edge(state, one, other) and is_edge(state, one, other))
            done = allowed and flip_edge(state, one, other, options.k)
        if not done:
            return False
    return True


@compiled
def _try_all(state: EditableGraph, moves: Moves, options: Options) -> None:
    """Carry out each set of edits and undo it; keep in mind which lowers costs and rare neighborhoods most."""
    moves.change[0] = REFUSED
    weight = moves.change[1]
    exact, coarse, cost = state.energy[EXACT], state.energy[COARSE], state.energy[2]
    for chosen in range(moves.sizes[1]):
        done = _carry_out(state, moves, chosen, options)
        rare = state.energy[EXACT] - exact + options.coarse * (state.energy[COARSE] - coarse)
        change = state.energy[2] - cost + weight * rare
        undo(state, 0, options.k)
        accept(state, options.k)
        if done and change < moves.change[0]:
            moves.change[0], moves.best[0] = change, chosen


@compiled
def _rare_vertices(state: EditableGraph, k: int) -> IntArray:
    """Return the vertices whose classes are too small, those with most neighbors first."""
    vertices = len(state.begins)
    rare, order = np.empty(vertices, np.int64), np.empty(vertices, np.int64)
    found = 0
    for vertex in range(vertices):
        if class_size(state, vertex) < k:
            rare[found] = vertex
            order[found] = state.begins[vertex] - state.ends[vertex]
            found += 1
    sort_together(order[:found], rare[:found])
    return rare[:found]


@compiled
def _put_random(
    state: EditableGraph, vertex: int, near: IntArray, pairs: IntArray, rare: IntArray, moves: Moves
) -> None:
    """Put a random edit near a vertex: an edge of it, or one among its neighbors, is added or deleted."""
    degree, kind = len(near), draw(moves.random, 8)
    one, other = vertex, vertex
    if kind < 2 and degree:
        other = near[draw(moves.random, degree)]
    elif kind < 4 and len(pairs):
        at = draw(moves.random, len(pairs))
        one, other = pairs[at, 0], pairs[at, 1]
    elif kind < 5 and degree > 1:
        one, other = near[draw(moves.random, degree)], near[draw(moves.random, degree)]
    elif kind < 6 and degree:
        via = near[draw(moves.random, degree)]
        other = state.near[state.begins[via] + draw(moves.random, state.ends[via] - state.begins[via])]
    elif len(rare):
        other = rare[draw(moves.random, len(rare))]
    if one != other:
        _put(moves, EDGE, one, other)


@compiled
def _put_components(  # noqa: C901  a search of components
    vertex: int, near: IntArray, starts: IntArray, inner: IntArray, moves: Moves, samples: int, most: int
) -> None:
    """Leave out one component of the neighbors, or all but one."""
    degree = len(near)
    component, stack = np.full(degree, -1, np.int64), np.empty(degree, np.int64)
    components = 0
    for seed in range(degree):
        if component[seed] >= 0:
            continue
        component[seed], stack[0], waiting = components, seed, 1
        while waiting:
            waiting -= 1
            place = stack[waiting]
            for at in range(starts[place], starts[place + 1]):
                if component[inner[at]] < 0:
                    component[inner[at]] = components
                    stack[waiting] = inner[at]
                    waiting += 1
        components += 1
    if components > 1:
        for chosen in range(min(components, samples)):
            for leave_out in range(2):
                for place in range(degree):
                    if (component[place] == chosen) == (leave_out == 1):
                        _put(moves, EDGE, vertex, near[place])
                _close(moves, most)


@compiled
def _put_twin(state: EditableGraph, vertex: int, twin: int, moves: Moves, most: int) -> None:
    """Give a vertex the same neighbors as another: then both have the same neighborhood."""
    for source, target in ((vertex, twin), (twin, vertex)):
        for place in range(state.begins[source], state.ends[source]):
            other = state.near[place]
            if other != target and not is_edge(state, target, other):
                _put(moves, EDGE, vertex, other)
    _close(moves, most)


@compiled
def _put_near(  # noqa: C901, PLR0912  one kind of edits after the other
    state: EditableGraph, vertex: int, rare: IntArray, moves: Moves, options: Options, only_delete: bool
) -> None:
    """Put together the sets of edits that are tried near a vertex."""
    moves.sizes[:] = 0
    samples = options.samples
    count = list_inner(state.begins, state.ends, state.near, vertex, state.number, state.starts, state.inner)
    near = state.near[state.begins[vertex] : state.ends[vertex]].copy()
    degree = len(near)
    starts, inner = state.starts[: degree + 1], state.inner
    pairs = np.empty((count // 2, 2), np.int64)
    found = 0
    for place in range(degree):
        for at in range(starts[place], starts[place + 1]):
            if inner[at] > place:
                pairs[found, 0], pairs[found, 1] = near[place], near[inner[at]]
                found += 1
    # An edit among many edges changes the neighborhoods of many vertices, and takes long.
    dense = count > DENSE
    samples, most = max(2, samples // 2) if dense else samples, MOST_IN_ONE // 8 if dense else MOST_IN_ONE
    # Edges of the vertex, and edges among its neighbors: all of them where they are few.
    for turn in range(min(degree, 2 * samples)):
        _put(moves, EDGE, vertex, near[turn if degree <= 2 * samples else draw(moves.random, degree)])
        _close(moves, 1)
    for turn in range(min(found, 2 * samples)):
        at = turn if found <= 2 * samples else draw(moves.random, found)
        _put(moves, EDGE, pairs[at, 0], pairs[at, 1])
        _close(moves, 1)
    if only_delete:
        return
    # Edges of the original graph come back.
    for place in range(state.original_starts[vertex], state.original_starts[vertex + 1]):
        if not is_edge(state, vertex, state.original_near[place]):
            _put(moves, EDGE, vertex, state.original_near[place])
            _close(moves, 1)
    # All edges among the neighbors go, so that a star is left; or components of them.
    for at in range(found):
        _put(moves, EDGE, pairs[at, 0], pairs[at, 1])
    _close(moves, most)
    _put_components(vertex, near, starts, inner, moves, samples, most)
    # Random edits, alone or by two and three.
    for turn in range(3 * samples):
        for _ in range(1 + turn % 3):
            _put_random(state, vertex, near, pairs, rare, moves)
        _close(moves, 3)
    for turn in range(min(degree, samples)):
        twin = near[draw(moves.random, degree)]
        if turn % 2:
            twin = state.near[state.begins[twin] + draw(moves.random, state.ends[twin] - state.begins[twin])]
        if twin != vertex:
            _put_twin(state, vertex, twin, moves, most // 4)
    # Labels: of the vertex, of a neighbor, of all that are too rare in the neighborhood.
    for column in range(state.label_codes.shape[1] if state.label_codes.shape[1] > 1 else 0):
        _put(moves, LABEL, vertex, column)
        _close(moves, 1)
        _put(moves, LABEL, vertex, column)
        _put_random(state, vertex, near, pairs, rare, moves)
        _close(moves, 2)
        for turn in range(min(degree, samples)):
            _put(moves, LABEL, near[turn if degree <= samples else draw(moves.random, degree)], column)
            _close(moves, 1)
        for place in range(degree):
            _put(moves, LABEL, near[place], column)
        _close(moves, MOST_IN_ONE)


@compiled
def _isolate(state: EditableGraph, vertex: int, moves: Moves, options: Options) -> bool:
    """Delete the edges of a vertex and publish its most general label; return whether that changed anything."""
    changed = False
    top = state.label_codes.shape[1] - 1
    while state.ends[vertex] > state.begins[vertex] or state.labels[vertex] % (top + 1) != top:
        moves.sizes[:] = 0
        if state.ends[vertex] > state.begins[vertex]:
            _put(moves, EDGE, vertex, state.near[state.begins[vertex]])
        else:
            _put(moves, LABEL, vertex, top)
        _close(moves, 1)
        _carry_out(state, moves, 0, options)
        accept(state, options.k)
        changed = True
    return changed


@compiled
def _isolate_rare(state: EditableGraph, moves: Moves, options: Options) -> int:
    """Isolate vertices until no class is too small, or all have been; return how many.

    Isolated vertices look alike. If they are too few, the vertex with fewest neighbors joins them.
    """
    isolated = 0
    columns = state.label_codes.shape[1]
    while True:
        rare = _rare_vertices(state, options.k)
        if len(rare) == 0:
            return isolated
        before = isolated
        for vertex in rare:
            isolated += _isolate(state, vertex, moves, options)
        if isolated > before:
            continue
        top = state.label_codes[state.labels[rare[0]] // columns, columns - 1]
        chosen, fewest = -1, len(state.begins)
        for vertex in range(len(state.begins)):
            degree = state.ends[vertex] - state.begins[vertex]
            alike = state.label_codes[state.labels[vertex] // columns, columns - 1] == top
            done = degree == 0 and state.labels[vertex] % columns == columns - 1
            if alike and not done and degree < fewest:
                chosen, fewest = vertex, degree
        if chosen < 0:
            return isolated
        isolated += _isolate(state, chosen, moves, options)


@compiled
def _put_edits(state: EditableGraph, moves: Moves, near: int) -> None:
    """Put the undoing of each edit, of all vertices or of one and its original neighbors."""
    moves.sizes[:] = 0
    columns = state.label_codes.shape[1]
    for vertex in range(len(state.begins)):
        if near >= 0 and vertex != near and not was_edge(state, vertex, near):
            continue
        for place in range(state.original_starts[vertex], state.original_starts[vertex + 1]):
            other = state.original_near[place]
            if (other > vertex or near >= 0) and not is_edge(state, vertex, other):
                _put(moves, EDGE, vertex, other)
                _close(moves, 1)
        for place in range(state.begins[vertex], state.ends[vertex]):
            other = state.near[place]
            if (other > vertex or near >= 0) and not was_edge(state, vertex, other):
                _put(moves, EDGE, vertex, other)
                _close(moves, 1)
        if state.labels[vertex] % columns:
            _put(moves, LABEL, vertex, 0)
            _close(moves, 1)


@compiled
def _take_back(state: EditableGraph, near: int, moves: Moves, options: Options) -> bool:
    """Undo edits one by one where that makes no class too small; return whether there were any.

    All edits are tried, or those near a vertex.
    """
    taken = False
    _put_edits(state, moves, near)
    for chosen in range(moves.sizes[1]):
        before = state.energy[2]
        _carry_out(state, moves, chosen, options)
        if state.energy[EXACT] > NOTHING_LEFT or state.energy[2] >= before:
            undo(state, 0, options.k)
        else:
            taken = True
        accept(state, options.k)
    return taken


@compiled
def _shake(state: EditableGraph, moves: Moves, options: Options) -> int:
    """Undo most edits near a random vertex, which is returned."""
    vertex = draw(moves.random, len(state.begins))
    _put_edits(state, moves, vertex)
    if moves.sizes[1] == 0:  # rather near an end of some edit
        _put_edits(state, moves, -1)
        if moves.sizes[1]:
            vertex = moves.edits[draw(moves.random, moves.sizes[0]), 1]
            _put_edits(state, moves, vertex)
    for chosen in range(moves.sizes[1]):
        at = moves.bounds[chosen]
        one, other = moves.edits[at, 1], moves.edits[at, 2]
        is_undone = moves.edits[at, 0] == EDGE and was_edge(state, one, other) == is_edge(state, one, other)
        if draw(moves.random, 4) and not is_undone:
            _carry_out(state, moves, chosen, options)
            accept(state, options.k)
    return vertex


@compiled
def _edit_near(
    state: EditableGraph, vertex: int, rare: IntArray, moves: Moves, options: Options, only_delete: bool
) -> bool:
    """Carry out the best edits near a vertex if they are worth it, deletions in any case; return whether they were."""
    _put_near(state, vertex, rare, moves, options, only_delete)
    _try_all(state, moves, options)
    if moves.change[0] >= REFUSED or (not only_delete and moves.change[0] > -NOTHING_LEFT):
        return False
    _carry_out(state, moves, moves.best[0], options)
    accept(state, options.k)
    return True


STEPS, PEELED, ISOLATED = 0, 1, 2
"""What the search reports: its steps; vertices that lost edges until they looked like others; those that lost all."""


@compiled
def start(state: EditableGraph, moves: Moves, options: Options) -> int:
    """Count all classes, and undo edits near a random vertex, which is returned, where the options say so."""
    count_all(state, options.k)
    moves.change[1] = LOWEST_WEIGHT
    return _shake(state, moves, options) if options.shaken else -1


@compiled
def _unsettle_around(state: EditableGraph, vertex: int) -> bool:
    """Allow edits of all neighbors of a vertex; return whether there were any that did not allow them."""
    around = state.near[state.begins[vertex] : state.ends[vertex]]
    were_settled = state.settled[around].any()
    for other in around:
        state.settled[other] = False
    return bool(were_settled)


@compiled
def visit(state: EditableGraph, moves: Moves, options: Options, report: IntArray, last: int) -> int:
    """Visit all vertices of small classes once; return how many there were, 0 if nothing more can be done."""
    rare = _rare_vertices(state, options.k)
    # Step 1: visit the vertices of small classes, those with many neighbors first.
    improved = 0
    for vertex in rare:
        if report[STEPS] < last and class_size(state, vertex) < options.k:
            improved += _edit_near(state, vertex, rare, moves, options, False)
            report[STEPS] += 1
    if FEW * improved > len(rare):
        return len(rare)
    # Step 2: if hardly an edit was worth its cost, rare neighborhoods become worth more.
    if moves.change[1] < HIGHEST_WEIGHT:
        moves.change[1] *= 2.0
        return len(rare)
    if not options.allow_delete:
        return 0
    # Step 3: if no edit helps at all, the largest neighborhoods lose edges until they look like others.
    for vertex in rare[: 1 + len(rare) // PEELED_SHARE]:
        report[PEELED] += state.ends[vertex] > state.begins[vertex]
        while class_size(state, vertex) < options.k and state.ends[vertex] > state.begins[vertex]:
            report[STEPS] += 1
            if not _edit_near(state, vertex, rare, moves, options, True) and not _unsettle_around(state, vertex):
                break
    return len(rare) if report[STEPS] < last else 0


@compiled
def finish(state: EditableGraph, moves: Moves, options: Options, report: IntArray, shaken: int) -> None:
    """Isolate what is left, and undo what turned out to be needless."""
    # Step 4: what is left after all steps loses all edges and its label.
    if options.allow_delete and len(_rare_vertices(state, options.k)):
        state.settled[:] = False
        report[ISOLATED] += _isolate_rare(state, moves, options)
    # Step 5: undo what turned out to be needless.
    while state.energy[EXACT] < NOTHING_LEFT and _take_back(state, shaken, moves, options):
        pass


def repair(
    state: EditableGraph, moves: Moves, options: Options, report: IntArray, progress: Progress = NO_PROGRESS
) -> None:
    """Edit the graph until every class has k vertices; ``report`` gets what was done."""
    shaken = start(state, moves, options)
    last = int(report[STEPS]) + options.steps
    while report[STEPS] < last and (left := visit(state, moves, options, report, last)):
        progress.remaining(left)
        if progress.wants_stop():
            break
    finish(state, moves, options, report, shaken)
