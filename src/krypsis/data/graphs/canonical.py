"""Canonical codes of small graphs with labels: equal codes if and only if one graph can be laid on the other.

The search is individualization and refinement, as in McKay's nauty: vertices are colored by what is around them until
that shows nothing new (refinement); where vertices still look alike, one of them is given a color of its own
(individualization), and the smallest code over all choices is taken. Choices that an automorphism maps to an earlier
one are left out, and vertices that are adjacent to all or none of every color need no choice: in cliques, stars and
among twins there is nothing to search.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from krypsis.arrays import BoolArray, IntArray
from krypsis.kernels._jit import compiled

HashArray = npt.NDArray[np.uint64]


@compiled
def mix(value: np.uint64) -> np.uint64:
    """Return a number all of whose bits depend on all bits of the given one (the finalizer of splitmix64)."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@compiled
def fold(state: np.uint64, value: int) -> np.uint64:
    """Return a hash of a sequence that goes on with a value."""
    return mix(state * np.uint64(0x9E3779B97F4A7C15) + np.uint64(value) + np.uint64(1))


@compiled
def sort_together(keys: npt.NDArray[Any], values: IntArray) -> None:
    """Sort keys in place, and values along with them (Shell's method: short to compile, and lists are short)."""
    gap = 1
    while gap < len(keys) // 3:
        gap = 3 * gap + 1
    while gap:
        for place in range(gap, len(keys)):
            key, value, at = keys[place], values[place], place
            while at >= gap and keys[at - gap] > key:
                keys[at], values[at] = keys[at - gap], values[at - gap]
                at -= gap
            keys[at], values[at] = key, value
        gap //= 3


@compiled
def sort_numbers(numbers: IntArray) -> None:
    """Sort numbers in place."""
    sort_together(numbers, numbers.copy())


@compiled
def _refine(  # noqa: C901, PLR0912  one loop, compiled
    starts: IntArray,
    neighbors: IntArray,
    order: IntArray,
    position: IntArray,
    cell: IntArray,
    size: IntArray,
    queue: IntArray,
    waiting: int,
    queued: BoolArray,
    hits: IntArray,
) -> np.uint64:
    """Split cells until the vertices of each have equally many neighbors in every cell; return a hash of the splits.

    A cell is a run of ``order`` and goes by where it starts. All that is done depends on where cells start, and not on
    the numbers of vertices, so that isomorphic graphs are split alike.
    """
    vertices = len(order)
    touched, cells = np.zeros(vertices, np.bool_), np.empty(vertices, np.int64)
    trace = np.uint64(waiting)
    head = 0
    while waiting:
        splitter = queue[head]
        head = (head + 1) % vertices
        waiting -= 1
        queued[splitter] = False
        members = order[splitter : splitter + size[splitter]].copy()
        # Step 1: count the neighbors that each vertex has in the splitter.
        found = 0
        for member in members:
            for place in range(starts[member], starts[member + 1]):
                other = neighbors[place]
                hits[other] += 1
                if not touched[cell[other]]:
                    touched[cell[other]] = True
                    cells[found] = cell[other]
                    found += 1
        sort_numbers(cells[:found])
        # Step 2: split each cell by these counts.
        for start in cells[:found]:
            touched[start] = False
            run = order[start : start + size[start]].copy()
            counts = hits[run]
            trace = fold(fold(trace, start), counts[0] if len(run) == 1 else len(run))
            if counts.min() == counts.max():
                trace = fold(trace, counts[0])
                continue
            sort_together(counts, run)
            largest, largest_size = start, 0
            begin = 0
            for place in range(len(run)):
                order[start + place] = run[place]
                position[run[place]] = start + place
                cell[run[place]] = start + begin
                if place + 1 == len(run) or counts[place + 1] != counts[place]:
                    size[start + begin] = place + 1 - begin
                    trace = fold(fold(trace, start + begin), counts[place])
                    if place + 1 - begin > largest_size:
                        largest, largest_size = start + begin, place + 1 - begin
                    begin = place + 1
            # Step 3: all fragments split others later, except the largest where the whole cell has done so before.
            was_queued = queued[start]
            fragment = start
            while fragment < start + len(run):
                if not queued[fragment] and (was_queued or fragment != largest):
                    queue[(head + waiting) % vertices] = fragment
                    waiting += 1
                    queued[fragment] = True
                fragment += size[fragment]
        for member in members:
            for place in range(starts[member], starts[member + 1]):
                hits[neighbors[place]] = 0
    return trace


@compiled
def _cell_to_split(
    starts: IntArray, neighbors: IntArray, order: IntArray, cell: IntArray, size: IntArray, hits: IntArray
) -> int:
    """Return the first of the smallest cells in which the order matters, -1 if there is none.

    It does not matter where every vertex of the cell is adjacent to all or none of each cell, its own included.
    """
    chosen, start = -1, 0
    while start < len(order):
        if size[start] > 1 and (chosen < 0 or size[start] < size[chosen]):
            member = order[start]
            for place in range(starts[member], starts[member + 1]):
                hits[cell[neighbors[place]]] += 1
            for place in range(starts[member], starts[member + 1]):
                near = cell[neighbors[place]]
                if hits[near] and hits[near] != size[near] - (near == start):
                    chosen = start
                hits[near] = 0
        start += size[start]
    return chosen


@compiled
def _root(orbit: IntArray, vertex: int) -> int:
    while orbit[vertex] != vertex:
        orbit[vertex] = orbit[orbit[vertex]]
        vertex = orbit[vertex]
    return vertex


@compiled
def _write_edges(starts: IntArray, neighbors: IntArray, order: IntArray, position: IntArray, code: IntArray) -> None:
    """Write the edges by the positions of their ends, in ascending order."""
    written = 0
    for place in range(len(order)):
        begin = written
        for at in range(starts[order[place]], starts[order[place] + 1]):
            if position[neighbors[at]] > place:
                code[written] = place * len(order) + position[neighbors[at]]
                written += 1
        sort_numbers(code[begin:written])


@compiled
def compare(first: IntArray, second: IntArray) -> int:
    """Return -1, 0 or 1 as the first of two sequences is smaller than the second, equal to it or larger."""
    for place in range(min(len(first), len(second))):
        if first[place] != second[place]:
            return -1 if first[place] < second[place] else 1
    return int(len(first) > len(second)) - int(len(first) < len(second))


@compiled
def write_code(  # noqa: C901, PLR0912, PLR0915  one search, compiled; its arrays belong together
    starts: IntArray, neighbors: IntArray, labels: IntArray, code: IntArray
) -> None:
    """Write the canonical code of a graph: the label at each position, then the edges between positions.

    ``code`` has room for one number per vertex and one per edge; graphs with different numbers of them are not
    isomorphic anyway.
    """
    vertices = len(labels)
    order, sorted_labels = np.arange(vertices), labels.copy()
    sort_together(sorted_labels, order)
    position, cell = np.empty(vertices, np.int64), np.empty(vertices, np.int64)
    size, hits = np.zeros(vertices, np.int64), np.zeros(vertices, np.int64)
    queue, queued = np.empty(vertices, np.int64), np.zeros(vertices, np.bool_)
    # Step 1: cells of equal labels, refined.
    waiting, begin = 0, 0
    for place in range(vertices):
        code[place] = labels[order[place]]
        if labels[order[place]] != labels[order[begin]]:
            begin = place
        if begin == place:
            queue[waiting] = place
            queued[place] = True
            waiting += 1
        position[order[place]] = place
        cell[order[place]] = begin
        size[begin] += 1
    _refine(starts, neighbors, order, position, cell, size, queue, waiting, queued, hits)
    target = _cell_to_split(starts, neighbors, order, cell, size, hits)
    best_code = code[vertices:]
    if target < 0:
        _write_edges(starts, neighbors, order, position, best_code)
        return
    # Step 2: depth-first search over individualized vertices. Each level remembers its partition, the cell to choose
    # from, how far it has chosen, and orbits of automorphisms that fix what was chosen above it.
    room = 4
    orders, cells = np.empty((room, vertices), np.int64), np.empty((room, vertices), np.int64)
    orbits, tried = np.empty((room, vertices), np.int64), np.zeros((room, vertices), np.bool_)
    targets, cursors = np.empty(vertices + 1, np.int64), np.zeros(vertices + 1, np.int64)
    path, best_path = np.empty(vertices + 1, np.int64), np.empty(vertices + 1, np.int64)
    best_traces = np.empty(vertices + 1, np.uint64)
    traces = np.empty(vertices + 1, np.uint64)
    smaller = np.ones(vertices + 1, np.bool_)
    """Whether the way to a level has a smaller trace than the best; otherwise it has the same."""
    best_order = np.empty(vertices, np.int64)
    new_code = np.empty(len(best_code), np.int64)
    best_depth = -1
    level = 0
    orders[0], cells[0], orbits[0] = order, cell, np.arange(vertices)
    targets[0] = target
    while level >= 0:
        start = targets[level]
        end = start
        while end < vertices and cells[level, orders[level, end]] == start:
            end += 1
        if cursors[level] == end - start:
            level -= 1
            continue
        vertex = orders[level, start + cursors[level]]
        cursors[level] += 1
        root = _root(orbits[level], vertex)
        if tried[level, root]:  # an automorphism maps it to a choice that was tried
            continue
        tried[level, root] = True
        order[:], cell[:] = orders[level], cells[level]
        size[:] = 0
        for place in range(vertices):
            position[order[place]] = place
            size[cell[order[place]]] += 1
        # Step 3: individualize the vertex, refine, and leave out what cannot become the smallest.
        swapped, there = order[start], position[vertex]
        order[start], order[there] = vertex, swapped
        position[vertex], position[swapped] = start, there
        size[start + 1], size[start] = size[start] - 1, 1
        for place in range(start + 1, end):
            cell[order[place]] = start + 1
        queue[0], queued[start] = start, True
        trace = _refine(starts, neighbors, order, position, cell, size, queue, 1, queued, hits)
        depth = level + 1
        if not smaller[level]:
            if depth > best_depth or trace > best_traces[depth]:
                continue
            smaller[depth] = trace < best_traces[depth]
        else:
            smaller[depth] = True
        path[level], traces[depth] = vertex, trace
        target = _cell_to_split(starts, neighbors, order, cell, size, hits)
        if target >= 0:
            if depth == len(orders):
                more = 2 * depth
                orders, cells = _grown(orders, more), _grown(cells, more)
                orbits = _grown(orbits, more)
                flags = np.zeros((more, vertices), np.bool_)
                flags[:depth] = tried
                tried = flags
            orders[depth], cells[depth], orbits[depth] = order, cell, np.arange(vertices)
            tried[depth] = False
            targets[depth], cursors[depth] = target, 0
            level = depth
            continue
        # Step 4: a leaf. A smaller code is the new best; an equal one is an automorphism.
        _write_edges(starts, neighbors, order, position, new_code)
        order_of_codes = -1
        if not smaller[depth] and depth == best_depth:
            order_of_codes = compare(new_code, best_code)
        if order_of_codes < 0:
            best_code[:] = new_code
            best_order[:] = order
            best_path[:depth], best_traces[: depth + 1] = path[:depth], traces[: depth + 1]
            best_depth = depth
            smaller[: depth + 1] = False
        elif order_of_codes == 0:
            common = 0
            while path[common] == best_path[common]:
                common += 1
            for above in range(common + 1):
                for place in range(vertices):
                    one, other = _root(orbits[above], best_order[place]), _root(orbits[above], order[place])
                    if one != other:
                        orbits[above, other] = one
                        tried[above, one] = tried[above, one] or tried[above, other]
            level = common  # all below the sibling looks like what is below the choice of the best path


@compiled
def _grown(table: IntArray, rows: int) -> IntArray:
    grown = np.empty((rows, table.shape[1]), np.int64)
    grown[: len(table)] = table
    return grown
