"""Which vertices have the same 1-neighborhood: the vertex, its neighbors, the edges among them, and all labels."""

import numpy as np

from krypsis.arrays import CodeArray, IntArray
from krypsis.data.graphs.canonical import HashArray, compare, fold, mix, sort_numbers, sort_together, write_code
from krypsis.data.graphs.graph import Graph
from krypsis.kernels._jit import compiled

ROUNDS = 3
"""Rounds of refinement in a hash of a neighborhood; what it does not tell apart is decided by codes."""
MOST_NUMBERS = 1 << 24
"""How many numbers of codes are kept at a time."""


def neighborhood_classes(graph: Graph, labels: IntArray | None = None) -> IntArray:
    """Return a number for each vertex: equal numbers if and only if the 1-neighborhoods look alike.

    They do if one can be laid on the other, vertex on vertex, neighbors on neighbors, edges on edges and labels on
    equal labels. Classes are numbered by their first vertices.

    Parameters
    ----------
    graph
        the graph.
    labels
        a number per vertex, equal for equal labels; no vertex has a label if there are none.

    Notes
    -----
    A vertex is adjacent to all its neighbors, so what is to be compared are its label and the subgraph of its
    neighbors. A hash distinguishes most of them. Of those with equal hashes, each connected component of the subgraph
    gets its canonical code, and the codes of all components in ascending order decide.

    References
    ----------
    Zhou, Pei, "Preserving privacy in social networks against neighborhood attacks", ICDE 2008, section 3.1; McKay,
    Piperno, "Practical graph isomorphism, II", Journal of Symbolic Computation 60, 2014.

    Examples
    --------
    >>> triangle_and_path = Graph.of_codes(np.array([[0, 1], [1, 2], [0, 2], [3, 4], [4, 5]]), 6)
    >>> neighborhood_classes(triangle_and_path).tolist()
    [0, 0, 0, 1, 2, 1]
    >>> neighborhood_classes(triangle_and_path, np.array([7, 7, 7, 7, 7, 8])).tolist()
    [0, 0, 0, 1, 2, 3]
    """
    given = np.zeros(graph.vertices, dtype=np.int64) if labels is None else np.asarray(labels)
    codes = np.unique(given, return_inverse=True)[1].reshape(-1).astype(np.int64)
    begins, ends, near = graph.starts[:-1], graph.starts[1:], graph.neighbors.astype(np.int64)
    hashes, inner = hash_neighborhoods(begins, ends, near, codes, ROUNDS)
    found, group, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    group = group.reshape(-1).astype(np.int64)
    shared = np.flatnonzero(counts[group] > 1)
    # A hash that nobody shares is a class of its own: isomorphic neighborhoods have the same hash.
    known: dict[bytes, int] = {}
    room = np.cumsum(3 + 4 * graph.degrees[shared] + inner[shared])
    for chunk in np.split(shared, np.flatnonzero(np.diff(room // MOST_NUMBERS)) + 1):
        numbers, ends_of_codes = write_neighborhoods(begins, ends, near, codes, inner, chunk)
        begin = 0
        for vertex, end in zip(chunk.tolist(), ends_of_codes.tolist(), strict=True):
            group[vertex] = len(found) + known.setdefault(numbers[begin:end].tobytes(), len(known))
            begin = end
    return _numbered_by_first(group)


def _numbered_by_first(group: IntArray) -> IntArray:
    _, first, number = np.unique(group, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    numbered: IntArray = rank[number.reshape(-1)]
    return numbered


@compiled
def most_inner(begins: IntArray, ends: IntArray, near: IntArray) -> int:
    """Return a bound on twice the number of edges among the neighbors of any vertex."""
    most = 0
    for vertex in range(len(begins)):
        degree, bound = ends[vertex] - begins[vertex], 0
        for place in range(begins[vertex], ends[vertex]):
            bound += min(degree, ends[near[place]] - begins[near[place]])
        most = max(most, bound)
    return most


@compiled
def list_inner(
    begins: IntArray,
    ends: IntArray,
    near: IntArray,
    vertex: int,
    number: IntArray,
    starts: IntArray,
    inner: IntArray,
) -> int:
    """List the edges among the neighbors of a vertex, by places in its list of neighbors; return twice their number.

    ``number`` is -1 for every vertex, before and after. ``starts`` gets where the list of each neighbor starts in
    ``inner``.
    """
    first, last = begins[vertex], ends[vertex]
    for place in range(first, last):
        number[near[place]] = place - first
    written = 0
    for place in range(first, last):
        starts[place - first] = written
        other = near[place]
        begin, end = begins[other], ends[other]
        if end - begin <= 8 * (last - first):
            for at in range(begin, end):
                if number[near[at]] >= 0:
                    inner[written] = number[near[at]]
                    written += 1
        else:  # the neighbor is a hub: look for each of the few in its long list
            for at in range(first, last):
                if has_neighbor(near, begin, end, near[at]):
                    inner[written] = at - first
                    written += 1
    starts[last - first] = written
    for place in range(first, last):
        number[near[place]] = -1
    return written


@compiled
def has_neighbor(near: IntArray | CodeArray, begin: int, end: int, vertex: int) -> bool:
    """Say whether a vertex is in a list of neighbors, which is ascending."""
    last = end
    while begin < end:
        middle = (begin + end) // 2
        if near[middle] < vertex:
            begin = middle + 1
        else:
            end = middle
    return begin < last and near[begin] == vertex


@compiled
def hash_neighborhood(
    labels: IntArray,
    near: IntArray,
    label: int,
    starts: IntArray,
    inner: IntArray,
    colors: HashArray,
    next_colors: HashArray,
    rounds: int,
) -> np.uint64:
    """Return a hash that isomorphic neighborhoods share: of the colors that a few rounds of refinement give.

    ``near`` are the neighbors of the vertex; ``starts`` and ``inner`` list the edges among them.
    """
    degree = len(near)
    for place in range(degree):
        colors[place] = fold(fold(np.uint64(17), labels[near[place]]), starts[place + 1] - starts[place])
    if starts[degree]:
        for _ in range(rounds):
            for place in range(degree):
                total = np.uint64(0)
                for at in range(starts[place], starts[place + 1]):
                    total += mix(colors[inner[at]])
                next_colors[place] = mix(colors[place] + np.uint64(0x9E3779B97F4A7C15) * (total + np.uint64(1)))
            colors[:degree] = next_colors[:degree]
    total = np.uint64(0)
    for place in range(degree):
        total += mix(colors[place] ^ np.uint64(0x5851F42D4C957F2D))
    return mix(total + fold(fold(fold(np.uint64(3), label), degree), starts[degree]))


@compiled
def hash_neighborhoods(
    begins: IntArray, ends: IntArray, near: IntArray, labels: IntArray, rounds: int
) -> tuple[HashArray, IntArray]:
    """Return a hash of each neighborhood, and the number of edges among the neighbors."""
    vertices = len(begins)
    hashes, sizes = np.empty(vertices, np.uint64), np.empty(vertices, np.int64)
    most_degree = 0
    for vertex in range(vertices):
        most_degree = max(most_degree, ends[vertex] - begins[vertex])
    number = np.full(vertices, -1, np.int64)
    starts, inner = np.empty(most_degree + 1, np.int64), np.empty(most_inner(begins, ends, near), np.int64)
    colors, next_colors = np.empty(most_degree, np.uint64), np.empty(most_degree, np.uint64)
    for vertex in range(vertices):
        sizes[vertex] = list_inner(begins, ends, near, vertex, number, starts, inner) // 2
        around = near[begins[vertex] : ends[vertex]]
        hashes[vertex] = hash_neighborhood(labels, around, labels[vertex], starts, inner, colors, next_colors, rounds)
    return hashes, sizes


@compiled
def write_neighborhoods(
    begins: IntArray, ends: IntArray, near: IntArray, labels: IntArray, sizes: IntArray, chosen: IntArray
) -> tuple[IntArray, IntArray]:
    """Write the codes of some neighborhoods one after the other; return them and where each ends."""
    room, most_degree, most_edges = 0, 0, 0
    for vertex in chosen:
        degree = ends[vertex] - begins[vertex]
        room += 3 + 4 * degree + sizes[vertex]
        most_degree, most_edges = max(most_degree, degree), max(most_edges, sizes[vertex])
    numbers, ends_of_codes = np.empty(room, np.int64), np.empty(len(chosen), np.int64)
    number = np.full(len(begins), -1, np.int64)
    starts, inner = np.empty(most_degree + 1, np.int64), np.empty(2 * most_edges, np.int64)
    written = 0
    for place in range(len(chosen)):
        vertex = chosen[place]
        list_inner(begins, ends, near, vertex, number, starts, inner)
        around = labels[near[begins[vertex] : ends[vertex]]]
        numbers[written], numbers[written + 1] = labels[vertex], len(around)
        written += 2
        written += _write_components(starts, inner, around, numbers[written:])
        ends_of_codes[place] = written
    return numbers, ends_of_codes


@compiled
def _write_components(  # noqa: C901, PLR0912  its steps share their arrays
    starts: IntArray, inner: IntArray, labels: IntArray, numbers: IntArray
) -> int:
    """Write the code of a graph that need not be connected; return its length."""
    vertices = len(labels)
    # Step 1: vertices without edges are their labels.
    alone = 0
    for vertex in range(vertices):
        if starts[vertex + 1] == starts[vertex]:
            numbers[1 + alone] = labels[vertex]
            alone += 1
    numbers[0] = alone
    sort_numbers(numbers[1 : 1 + alone])
    written = 1 + alone
    if alone == vertices:
        return written
    # Step 2: a code for each other component: its numbers of vertices and edges, labels, edges.
    place_of, members = np.full(vertices, -1, np.int64), np.empty(vertices, np.int64)
    bounds, hashes = np.empty(vertices + 1, np.int64), np.empty(vertices, np.uint64)
    codes = np.empty(4 * vertices + starts[vertices] // 2, np.int64)
    components, end = 0, 0
    for seed in range(vertices):
        if place_of[seed] >= 0 or starts[seed + 1] == starts[seed]:
            continue
        found, done, edges = 1, 0, 0
        members[0], place_of[seed] = seed, 0
        while done < found:
            for at in range(starts[members[done]], starts[members[done] + 1]):
                if place_of[inner[at]] < 0:
                    place_of[inner[at]] = found
                    members[found] = inner[at]
                    found += 1
                edges += 1
            done += 1
        own_starts, own = np.empty(found + 1, np.int64), np.empty(edges, np.int64)
        own_starts[0], filled = 0, 0
        for place in range(found):
            for at in range(starts[members[place]], starts[members[place] + 1]):
                own[filled] = place_of[inner[at]]
                filled += 1
            own_starts[place + 1] = filled
        bounds[components] = end
        codes[end], codes[end + 1] = found, edges // 2
        length = 2 + found + edges // 2
        write_code(own_starts, own, labels[members[:found]], codes[end + 2 : end + length])
        state = np.uint64(0)
        for value in codes[end : end + length]:
            state = fold(state, value)
        hashes[components] = state
        components += 1
        end += length
    bounds[components] = end
    # Step 3: in the order of their hashes, and of the codes themselves where hashes are equal.
    order = np.arange(components)
    sort_together(hashes[:components], order)
    for place in range(1, components):
        one, at = order[place], place
        while (
            at
            and hashes[at - 1] == hashes[place]
            and compare(codes[bounds[one] : bounds[one + 1]], codes[bounds[order[at - 1]] : bounds[order[at - 1] + 1]])
            < 0
        ):
            order[at] = order[at - 1]
            at -= 1
        order[at] = one
    for one in order:
        length = bounds[one + 1] - bounds[one]
        numbers[written : written + length] = codes[bounds[one] : bounds[one + 1]]
        written += length
    return written
