"""Figures of the structure of a graph: triangles, paths, cores, communities, eigenvalues.

All of them walk the lists of neighbors in compiled code. Lengths of paths and betweenness
are estimated from some vertices where there are many.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.data.graphs.graph import Graph
from krypsis.kernels._jit import compiled

SMALLEST_SPARSE = 40
"""Smaller matrices are written out to find their eigenvalues."""
MOST_SOURCES, FEWEST_SOURCES = 200, 16
"""Vertices from which paths are followed: all of them, where there are not more; fewer, where there are many edges."""
MOST_STEPS = 10**8
"""Edges that are followed at most from all of these together, unless they are the fewest."""
ROUNDS, FEWEST_ROUNDS = 30, 10
"""How often every vertex reconsiders its community at most: less often, where there are many edges."""
FEW = 1000
"""One vertex of so many may still move when the search for communities ends."""


def triangles(graph: Graph) -> IntArray:
    """Return the number of triangles that each vertex is part of.

    Examples
    --------
    >>> triangles(Graph.of_codes(np.array([[0, 1], [1, 2], [0, 2], [2, 3]]), 4)).tolist()
    [1, 1, 1, 0]
    """
    return count_triangles(graph.starts, graph.neighbors)


def assortativity(graph: Graph) -> float:
    """Return the correlation of the degrees at the two ends of an edge; 0 where all degrees are the same.

    References
    ----------
    Newman, "Assortative mixing in networks", Physical Review Letters 89, 2002.
    """
    ends = graph.degrees[graph.edges].astype(np.float64)
    both = np.concatenate([ends, ends[:, ::-1]])
    if not len(both) or both[:, 0].std() == 0:
        return 0.0
    return float(np.corrcoef(both.T)[0, 1])


def leading_eigenvalues(graph: Graph, count: int) -> FloatArray:
    """Return the largest eigenvalues of the adjacency matrix, the largest first; the first says how fast things spread.

    Where there are fewer vertices, the rest are 0.

    Examples
    --------
    >>> triangle = Graph.of_codes(np.array([[0, 1], [1, 2], [0, 2]]), 3)
    >>> leading_eigenvalues(triangle, 2).round(6).tolist()
    [2.0, -1.0]
    """
    found = np.zeros(count)
    if not len(graph.edges):
        return found
    from scipy.sparse import csr_array  # noqa: PLC0415  slow to import
    from scipy.sparse.linalg import eigsh  # noqa: PLC0415

    matrix = csr_array((np.ones(len(graph.neighbors)), graph.neighbors, graph.starts), shape=(graph.vertices,) * 2)
    if graph.vertices < SMALLEST_SPARSE + 4 * count:  # too small for the method below
        values = np.linalg.eigvalsh(matrix.toarray())[::-1][:count]
    else:
        start = np.ones(graph.vertices) + np.arange(graph.vertices) % 7  # the same answer every time
        values = np.sort(eigsh(matrix, k=count, which="LA", v0=start, return_eigenvectors=False, tol=1e-6))[::-1]
    found[: len(values)] = values
    return found


@dataclass(frozen=True)
class PathLengths:
    """How far vertices are from each other, among pairs that a path joins.

    Examples
    --------
    >>> path = Graph.of_codes(np.array([[0, 1], [1, 2]]), 3)
    >>> found = PathLengths.of(path, np.arange(3))
    >>> round(found.mean, 4), found.effective_diameter, found.error
    (1.3333, 2.0, 0.0)
    """

    mean: float
    effective_diameter: float
    """The distance within which nine of ten joined pairs are."""
    error: float
    """The standard error of the mean, from the sample of vertices that paths were followed from."""
    sources: int

    @classmethod
    def of(cls, graph: Graph, sources: IntArray) -> PathLengths:
        """Follow the paths from all vertices, or from a random sample of them."""
        if not len(sources) or not len(graph.edges):
            return cls(0.0, 0.0, 0.0, len(sources))
        counts = count_distances(graph.starts, graph.neighbors, sources)
        lengths = np.arange(counts.shape[1])
        reached = counts.sum(axis=1)
        total = counts.sum(axis=0)
        joined = int(total.sum())
        if not joined:
            return cls(0.0, 0.0, 0.0, len(sources))
        mean = float((total * lengths).sum() / joined)
        error = 0.0
        if len(sources) < graph.vertices:
            # The mean is a ratio of two sums over the sources; linearized, its error is that of the residuals.
            residuals = (counts * lengths).sum(axis=1) - mean * reached
            error = float(np.sqrt(len(sources)) * residuals.std(ddof=1) / joined) if len(sources) > 1 else mean
        within = np.cumsum(total) / joined
        return cls(mean, float(lengths[np.searchsorted(within, 0.9)]), error, len(sources))


def betweenness(graph: Graph, sources: IntArray) -> FloatArray:
    """Return how many shortest paths lead through each vertex, estimated from those that begin at some vertices.

    References
    ----------
    Brandes, "A faster algorithm for betweenness centrality", Journal of Mathematical Sociology 25, 2001; Brandes, Pich,
    "Centrality estimation in large networks", International Journal of Bifurcation and Chaos 17, 2007.

    Examples
    --------
    >>> betweenness(Graph.of_codes(np.array([[0, 1], [1, 2]]), 3), np.arange(3)).tolist()
    [0.0, 1.0, 0.0]
    """
    if not len(sources):
        return np.zeros(graph.vertices)
    found = add_dependencies(graph.starts, graph.neighbors, sources)
    return np.asarray(found * (graph.vertices / len(sources)) / 2)


def core_numbers(graph: Graph) -> IntArray:
    """Return the largest k for which each vertex is in the k-core: the part in which everybody has k neighbors.

    References
    ----------
    Batagelj, Zaveršnik, "An O(m) algorithm for cores decomposition of networks", 2003.

    Examples
    --------
    >>> core_numbers(Graph.of_codes(np.array([[0, 1], [1, 2], [0, 2], [2, 3]]), 4)).tolist()
    [2, 2, 2, 1]
    """
    return peel_cores(graph.starts, graph.neighbors)


def communities(graph: Graph, rng: np.random.Generator) -> IntArray:
    """Return the community of each vertex, so that many edges lie inside: the method of Louvain.

    References
    ----------
    Blondel, Guillaume, Lambiotte, Lefebvre, "Fast unfolding of communities in large networks", Journal of Statistical
    Mechanics, 2008.

    Examples
    --------
    >>> two = Graph.of_codes(np.array([[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5], [2, 3]]), 6)
    >>> found = communities(two, np.random.default_rng(1))
    >>> bool(found[0] == found[1] == found[2] != found[3])
    True
    """
    found: IntArray = np.arange(graph.vertices, dtype=np.int64)
    starts, near, weights = graph.starts, graph.neighbors.astype(np.int64), np.ones(len(graph.neighbors))
    inside = np.zeros(graph.vertices)
    while len(graph.edges):
        # Step 1: every vertex moves to the community of its neighbors that gains most, until nobody moves.
        order = rng.permutation(len(starts) - 1)
        moved = np.unique(move_to_communities(starts, near, weights, inside, order), return_inverse=True)[1]
        found = np.asarray(moved, dtype=np.int64)[found]
        if int(moved.max(initial=-1)) + 1 == len(starts) - 1:
            return found
        # Step 2: communities become vertices, and the same begins anew.
        starts, near, weights, inside = _united(starts, near, weights, inside, moved)
    return found


def _united(
    starts: IntArray, near: IntArray, weights: FloatArray, inside: FloatArray, groups: IntArray
) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Return the graph of the groups of vertices: lists of neighbors with weights, and the weight inside each group."""
    count = int(groups.max()) + 1
    own = np.repeat(groups, np.diff(starts))
    other = groups[near]
    is_inside = own == other
    # An edge inside a group stands in the lists of both its ends.
    within = np.bincount(groups, inside, count) + np.bincount(own[is_inside], weights[is_inside], count) / 2
    keys, place = np.unique(own[~is_inside] * count + other[~is_inside], return_inverse=True)
    between = np.bincount(place, weights[~is_inside], len(keys)).astype(np.float64)
    sizes = np.bincount(keys // count, minlength=count)
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), (keys % count).astype(np.int64), between, within


def agreement(first: IntArray, second: IntArray) -> float:
    """Return the normalized mutual information of two partitions, from 0 (independent) to 1 (the same).

    Examples
    --------
    >>> agreement(np.array([0, 0, 1, 1]), np.array([5, 5, 2, 2])), agreement(np.array([0, 0]), np.array([0, 1]))
    (1.0, 0.0)
    """
    if not len(first):
        return 1.0
    one, other = np.unique(first, return_inverse=True)[1], np.unique(second, return_inverse=True)[1]
    entropies = _entropy(np.bincount(one)), _entropy(np.bincount(other))
    width = int(other.max()) + 1
    together = np.unique(one * width + other, return_counts=True)[1]
    shared = sum(entropies) - _entropy(together)
    return min(max(2 * shared / sum(entropies), 0.0), 1.0) if sum(entropies) else 1.0


def _entropy(counts: IntArray) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def most_sources(edges: int) -> int:
    """Return from how many vertices the paths of a graph are followed at most.

    Examples
    --------
    >>> most_sources(100_000), most_sources(10_000_000)
    (200, 16)
    """
    return min(MOST_SOURCES, max(FEWEST_SOURCES, MOST_STEPS // max(edges, 1)))


@compiled
def count_triangles(starts: IntArray, neighbors: CodeArray) -> IntArray:
    """Count the triangles of each vertex: each is found once, from its vertex of the lowest rank."""
    vertices = len(starts) - 1
    found = np.zeros(vertices, dtype=np.int64)
    degrees = starts[1:] - starts[:-1]
    # Ranked by degree, a vertex has at most sqrt(2 m) neighbors of higher rank, whatever the hubs have: only these
    # are kept, so that nobody walks the whole list of a hub.
    begins = np.zeros(vertices + 1, dtype=np.int64)
    above = np.empty(len(neighbors) // 2, dtype=np.int32)
    kept = 0
    for vertex in range(vertices):
        for edge in range(starts[vertex], starts[vertex + 1]):
            near = neighbors[edge]
            if degrees[near] > degrees[vertex] or (degrees[near] == degrees[vertex] and near > vertex):
                above[kept] = near
                kept += 1
        begins[vertex + 1] = kept
    mark = np.full(vertices, -1, dtype=np.int64)
    for vertex in range(vertices):
        for near in above[begins[vertex] : begins[vertex + 1]]:
            mark[near] = vertex
        for near in above[begins[vertex] : begins[vertex + 1]]:
            for third in above[begins[near] : begins[near + 1]]:
                if mark[third] == vertex:
                    found[vertex] += 1
                    found[near] += 1
                    found[third] += 1
    return found


@compiled
def count_distances(  # noqa: C901  one compiled loop
    starts: IntArray, neighbors: CodeArray, sources: IntArray
) -> IntArray:
    """Count for each source how many other vertices are at each distance.

    The paths from 64 sources are followed at once, each by a bit of a word: most of a graph is near all of them at the
    same distance, so that its edges are walked for many at a time.

    References
    ----------
    Then, Kaufmann, Chirigati, Hoang-Vu, Pham, Kemper, Neumann, Vo, "The more the merrier: efficient multi-source graph
    traversal", PVLDB 8(4), 2014.
    """
    vertices, longest = len(starts) - 1, 64
    counts = np.zeros((len(sources), longest), dtype=np.int64)
    seen, now = np.zeros(vertices, dtype=np.uint64), np.zeros(vertices, dtype=np.uint64)
    then = np.zeros(vertices, dtype=np.uint64)
    active, reached = np.empty(vertices, dtype=np.int64), np.empty(vertices, dtype=np.int64)
    for first in range(0, len(sources), 64):
        seen[:] = 0
        waiting = 0
        for place in range(first, min(first + 64, len(sources))):
            bit = np.uint64(1) << np.uint64(place - first)
            if now[sources[place]] == 0:
                active[waiting] = sources[place]
                waiting += 1
            now[sources[place]] |= bit
            seen[sources[place]] |= bit
        distance = 0
        while waiting:
            distance += 1
            # Step 1: whatever has arrived at a vertex goes on to its neighbors.
            found = 0
            for vertex in active[:waiting]:
                for edge in range(starts[vertex], starts[vertex + 1]):
                    near = neighbors[edge]
                    if now[vertex] & ~seen[near]:
                        if then[near] == 0:
                            reached[found] = near
                            found += 1
                        then[near] |= now[vertex]
                now[vertex] = 0
            if found and distance >= longest:
                wider = np.zeros((len(sources), 2 * longest), dtype=np.int64)
                wider[:, :longest] = counts
                counts, longest = wider, 2 * longest
            # Step 2: what arrives somewhere for the first time is counted.
            for vertex in reached[:found]:
                arrived = then[vertex] & ~seen[vertex]
                seen[vertex] |= arrived
                now[vertex], then[vertex] = arrived, 0
                place = first
                while arrived:
                    counts[place, distance] += np.int64(arrived & np.uint64(1))
                    arrived >>= np.uint64(1)
                    place += 1
            active, reached, waiting = reached, active, found
    return counts


@compiled
def add_dependencies(starts: IntArray, neighbors: CodeArray, sources: IntArray) -> FloatArray:
    """Add up for each vertex on what share of the shortest paths from the sources it lies."""
    vertices = len(starts) - 1
    total = np.zeros(vertices)
    distance = np.empty(vertices, dtype=np.int32)
    paths, share = np.empty(vertices), np.empty(vertices)
    queue = np.empty(vertices, dtype=np.int32)
    for source in sources:
        distance[:] = -1
        paths[:] = 0
        share[:] = 0
        distance[source], paths[source], queue[0] = 0, 1, source
        head, tail = 0, 1
        # Step 1: breadth-first search counts the shortest paths to each vertex.
        while head < tail:
            vertex = queue[head]
            head += 1
            for edge in range(starts[vertex], starts[vertex + 1]):
                near = neighbors[edge]
                if distance[near] < 0:
                    distance[near] = distance[vertex] + 1
                    queue[tail] = near
                    tail += 1
                if distance[near] == distance[vertex] + 1:
                    paths[near] += paths[vertex]
        # Step 2: backwards, every vertex passes its share on to those before it.
        for place in range(tail - 1, 0, -1):
            vertex = queue[place]
            for edge in range(starts[vertex], starts[vertex + 1]):
                near = neighbors[edge]
                if distance[near] == distance[vertex] - 1:
                    share[near] += paths[near] / paths[vertex] * (1 + share[vertex])
            total[vertex] += share[vertex]
    return total


@compiled
def peel_cores(starts: IntArray, neighbors: CodeArray) -> IntArray:
    """Remove vertices in the order of their degrees; what is left when one goes is its core."""
    vertices = len(starts) - 1
    left = (starts[1:] - starts[:-1]).copy()
    most = 0
    for vertex in range(vertices):
        most = max(most, left[vertex])
    # Step 1: sort the vertices by degree in linear time; begins[d] is where degree d begins.
    begins = np.zeros(most + 2, dtype=np.int64)
    for vertex in range(vertices):
        begins[left[vertex] + 1] += 1
    for degree in range(1, most + 2):
        begins[degree] += begins[degree - 1]
    order, place = np.empty(vertices, dtype=np.int64), np.empty(vertices, dtype=np.int64)
    fill = begins.copy()
    for vertex in range(vertices):
        place[vertex] = fill[left[vertex]]
        order[place[vertex]] = vertex
        fill[left[vertex]] += 1
    # Step 2: take the vertex with the fewest edges left; its neighbors of higher degree move one place down.
    for step in range(vertices):
        vertex = order[step]
        for edge in range(starts[vertex], starts[vertex + 1]):
            near = neighbors[edge]
            if left[near] > left[vertex]:
                first = begins[left[near]]
                other = order[first]
                if other != near:
                    order[place[near]], place[other] = other, place[near]
                    order[first], place[near] = near, first
                begins[left[near]] += 1
                left[near] -= 1
    return left


@compiled
def move_to_communities(
    starts: IntArray, near: IntArray, weights: FloatArray, inside: FloatArray, order: IntArray
) -> IntArray:
    """Move every vertex to the community of its neighbors with the largest gain of modularity, until few move."""
    vertices = len(starts) - 1
    found = np.arange(vertices)
    strength = 2 * inside
    for vertex in range(vertices):
        strength[vertex] += weights[starts[vertex] : starts[vertex + 1]].sum()
    total, whole = strength.copy(), strength.sum()
    links, joined = np.zeros(vertices), np.empty(vertices, dtype=np.int64)
    for _ in range(min(ROUNDS, max(FEWEST_ROUNDS, MOST_STEPS // max(len(near), 1)))):
        moves = 0
        for vertex in order:
            own = found[vertex]
            total[own] -= strength[vertex]
            count = 0
            for edge in range(starts[vertex], starts[vertex + 1]):
                wanted = found[near[edge]]
                if links[wanted] == 0:
                    joined[count] = wanted
                    count += 1
                links[wanted] += weights[edge]
            # The gain of joining a community: the edges to it, less those that chance alone would give.
            best, most = own, links[own] - total[own] * strength[vertex] / whole
            for wanted in joined[:count]:
                gain = links[wanted] - total[wanted] * strength[vertex] / whole
                if gain > most + 1e-12:
                    best, most = wanted, gain
            for wanted in joined[:count]:
                links[wanted] = 0
            total[best] += strength[vertex]
            found[vertex] = best
            moves += best != own
        if moves <= vertices // FEW:
            break
    return found
