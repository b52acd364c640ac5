"""Super-vertices while they are searched: how many edges each two share, and what a change does to log |W|.

The logarithm of the number of graphs that super-vertices may stand for is a sum over pairs of super-vertices with edges
between them: ``log C(pairs of vertices, edges)``. A change of a few vertices changes a few of these terms, and only
these are computed again. Pairs without edges contribute nothing.
"""

from math import exp, lgamma
from typing import NamedTuple

import numpy as np

from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.data.graphs import Graph
from krypsis.kernels._jit import compiled

MOST_KEPT_LOGARITHMS = 1 << 20
EMPTY = -1
ROUNDING = 1e-9
"""A smaller gain may be none: hill climbing would go back and forth."""
ANYWHERE = 0.05
"""The share of the trials of annealing with any super-vertex, instead of one that shares a neighbor."""


class Supervertices(NamedTuple):
    """The super-vertex of each vertex, and the number of edges between each two super-vertices.

    These numbers are kept in a hash table; each super-vertex has a chain of its entries. An entry that has become zero
    stays until the table is made anew.
    """

    starts: IntArray
    neighbors: CodeArray
    cluster: IntArray
    """Vertex → its super-vertex."""
    sizes: IntArray
    """Super-vertex → its number of vertices; 0 for numbers that are not used."""
    members: IntArray
    """The vertices of a super-vertex, from the first on: a row of a table; without columns where it is not kept."""
    place: IntArray
    """Vertex → its column in that row."""
    keys: IntArray
    """Of the hash table: a pair of super-vertices as one number."""
    counts: IntArray
    next_low: IntArray
    """Entry → the next one of the super-vertex with the smaller number; ``EMPTY`` at the end."""
    next_high: IntArray
    first: IntArray
    """Super-vertex → the first entry of its chain."""
    used: IntArray
    """How many entries there are, as its only element."""
    logarithms: FloatArray
    """log n! of small n."""
    near: IntArray
    """Scratch: super-vertex → how many neighbors of a vertex are in it; zero between calls."""
    far: IntArray
    touched: IntArray


def supervertices_of(graph: Graph, cluster: IntArray, most: int, room: int) -> Supervertices:
    """Return super-vertices to search from.

    Parameters
    ----------
    graph
        the graph.
    cluster
        the super-vertex of each vertex, at first.
    most
        how many super-vertices there may ever be.
    room
        how many vertices a super-vertex may ever have; 0 where their members need not be kept.
    """
    capacity = 1 << int(4 * len(graph.edges) + 64).bit_length()
    largest = min(MOST_KEPT_LOGARITHMS, graph.vertices**2) + 1
    found = Supervertices(
        starts=graph.starts,
        neighbors=graph.neighbors,
        cluster=cluster.astype(np.int64),
        sizes=np.bincount(cluster, minlength=most).astype(np.int64),
        members=np.full((most, room), EMPTY, dtype=np.int64),
        place=np.zeros(graph.vertices, dtype=np.int64),
        keys=np.full(capacity, EMPTY, dtype=np.int64),
        counts=np.zeros(capacity, dtype=np.int64),
        next_low=np.full(capacity, EMPTY, dtype=np.int64),
        next_high=np.full(capacity, EMPTY, dtype=np.int64),
        first=np.full(most, EMPTY, dtype=np.int64),
        used=np.zeros(1, dtype=np.int64),
        logarithms=np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, largest)))]),
        near=np.zeros(most, dtype=np.int64),
        far=np.zeros(most, dtype=np.int64),
        touched=np.zeros(most, dtype=np.int64),
    )
    if room:
        order = np.argsort(found.cluster, kind="stable")
        turn = np.arange(graph.vertices) - np.repeat(np.cumsum(found.sizes) - found.sizes, found.sizes)
        found.place[order] = turn
        found.members[found.cluster[order], turn] = order
    rebuild(found)
    return found


@compiled
def log_binomial(logarithms: FloatArray, possible: int, chosen: int) -> float:
    """Return the logarithm of the number of choices."""
    if chosen in (0, possible):
        return 0.0
    if possible < len(logarithms):
        return float(logarithms[possible] - logarithms[chosen] - logarithms[possible - chosen])
    return lgamma(possible + 1.0) - lgamma(chosen + 1.0) - lgamma(possible - chosen + 1.0)


@compiled
def entry_of(state: Supervertices, one: int, two: int) -> int:
    """Return where the number of edges between two super-vertices is, or would be, in the hash table."""
    low, high = min(one, two), max(one, two)
    key = low * len(state.sizes) + high
    mask = len(state.keys) - 1
    # Large odd factors spread neighboring pairs over the table.
    place = ((low * 0x9E3779B1 + high * 0x85EBCA6B) >> 8) & mask
    while state.keys[place] != EMPTY and state.keys[place] != key:
        place = (place + 1) & mask
    return place


@compiled
def edges_between(state: Supervertices, one: int, two: int) -> int:
    """Return the number of edges between two super-vertices."""
    return int(state.counts[entry_of(state, one, two)])


@compiled
def add_edges(state: Supervertices, one: int, two: int, more: int) -> None:
    """Change the number of edges between two super-vertices."""
    place = entry_of(state, one, two)
    if state.keys[place] == EMPTY:
        low, high = min(one, two), max(one, two)
        state.keys[place] = low * len(state.sizes) + high
        state.next_low[place] = state.first[low]
        state.first[low] = place
        if low != high:
            state.next_high[place] = state.first[high]
            state.first[high] = place
        state.used[0] += 1
    state.counts[place] += more


@compiled
def rebuild(state: Supervertices) -> None:
    """Count all edges anew, which leaves out entries that have become zero."""
    state.keys[:] = EMPTY
    state.counts[:] = 0
    state.first[:] = EMPTY
    state.used[0] = 0
    for vertex in range(len(state.cluster)):
        for edge in range(state.starts[vertex], state.starts[vertex + 1]):
            if state.neighbors[edge] > vertex:
                add_edges(state, state.cluster[vertex], state.cluster[state.neighbors[edge]], 1)


@compiled
def pairs_of(state: Supervertices, one: int, two: int) -> int:
    """Return the number of pairs of vertices of two super-vertices."""
    if one == two:
        return int(state.sizes[one] * (state.sizes[one] - 1) // 2)
    return int(state.sizes[one] * state.sizes[two])


@compiled
def log_worlds(state: Supervertices) -> float:
    """Return log |W|, of all pairs."""
    total = 0.0
    for place in range(len(state.keys)):
        if state.counts[place]:
            one, two = state.keys[place] // len(state.sizes), state.keys[place] % len(state.sizes)
            total += log_binomial(state.logarithms, pairs_of(state, one, two), state.counts[place])
    return total


@compiled
def count_near(state: Supervertices, vertex: int, excepted: int, near: IntArray, touched: int) -> int:
    """Count the neighbors of a vertex by super-vertex, and return how many super-vertices were touched by now."""
    for edge in range(state.starts[vertex], state.starts[vertex + 1]):
        other = state.neighbors[edge]
        if other != excepted:
            cluster = state.cluster[other]
            if state.near[cluster] == 0 and state.far[cluster] == 0:
                state.touched[touched] = cluster
                touched += 1
            near[cluster] += 1
    return touched


@compiled
def forget_near(state: Supervertices, touched: int) -> None:
    """Set what was counted to zero again."""
    for turn in range(touched):
        state.near[state.touched[turn]] = 0
        state.far[state.touched[turn]] = 0


@compiled
def change(state: Supervertices, one: int, two: int, more: int) -> float:
    """Return what log |W| gains if two super-vertices of the same sizes share more edges, or fewer."""
    if more == 0:
        return 0.0
    count, possible = edges_between(state, one, two), pairs_of(state, one, two)
    before = log_binomial(state.logarithms, possible, count)
    return log_binomial(state.logarithms, possible, count + more) - before


@compiled
def gain_of_swap(state: Supervertices, one: int, two: int) -> float:
    """Return what log |W| gains if two vertices of different super-vertices change places; sizes stay the same."""
    low, high = state.cluster[one], state.cluster[two]
    touched = count_near(state, one, two, state.near, 0)
    touched = count_near(state, two, one, state.far, touched)
    gain = change(state, low, low, state.far[low] - state.near[low])
    gain += change(state, high, high, state.near[high] - state.far[high])
    gain += change(state, low, high, state.near[low] + state.far[high] - state.near[high] - state.far[low])
    for turn in range(touched):
        other = state.touched[turn]
        more = state.far[other] - state.near[other]
        if more != 0 and other not in (low, high):
            gain += change(state, low, other, more) + change(state, high, other, -more)
    forget_near(state, touched)
    return gain


@compiled
def gain_of_move(state: Supervertices, vertex: int, target: int) -> float:
    """Return what log |W| gains if a vertex goes to another super-vertex: sizes of both change in all their terms."""
    source = state.cluster[vertex]
    touched = count_near(state, vertex, EMPTY, state.near, 0)
    less, more = state.sizes[source] - 1, state.sizes[target] + 1
    logarithms, near = state.logarithms, state.near
    within, inside = edges_between(state, source, source), edges_between(state, target, target)
    across = edges_between(state, source, target)
    gain = log_binomial(logarithms, less * (less - 1) // 2, within - near[source])
    gain -= log_binomial(logarithms, pairs_of(state, source, source), within)
    gain += log_binomial(logarithms, more * (more - 1) // 2, inside + near[target])
    gain -= log_binomial(logarithms, pairs_of(state, target, target), inside)
    gain += log_binomial(logarithms, less * more, across + near[source] - near[target])
    gain -= log_binomial(logarithms, pairs_of(state, source, target), across)
    for cluster, size, sign in ((source, less, -1), (target, more, 1)):
        entry = state.first[cluster]
        while entry != EMPTY:
            low, high = state.keys[entry] // len(state.sizes), state.keys[entry] % len(state.sizes)
            other = low + high - cluster
            if other not in (source, target):
                count = state.counts[entry]
                gain += log_binomial(logarithms, size * state.sizes[other], count + sign * near[other])
                gain -= log_binomial(logarithms, state.sizes[cluster] * state.sizes[other], count)
            entry = state.next_low[entry] if cluster == low else state.next_high[entry]
    # Super-vertices that the target shares its first edges with have no entry yet.
    for turn in range(touched):
        other = state.touched[turn]
        if other not in (source, target) and state.keys[entry_of(state, target, other)] == EMPTY:
            gain += log_binomial(logarithms, more * state.sizes[other], near[other])
    forget_near(state, touched)
    return gain


@compiled
def move(state: Supervertices, vertex: int, target: int) -> None:
    """Let a vertex go to another super-vertex."""
    source = state.cluster[vertex]
    for edge in range(state.starts[vertex], state.starts[vertex + 1]):
        other = state.cluster[state.neighbors[edge]]
        add_edges(state, source, other, -1)
        add_edges(state, target, other, 1)
    if state.members.shape[1]:
        last = state.members[source, state.sizes[source] - 1]
        state.members[source, state.place[vertex]] = last
        state.place[last] = state.place[vertex]
        state.members[target, state.sizes[target]] = vertex
        state.place[vertex] = state.sizes[target]
    state.cluster[vertex] = target
    state.sizes[source] -= 1
    state.sizes[target] += 1
    if 2 * state.used[0] > len(state.keys):
        rebuild(state)


@compiled
def anneal(state: Supervertices, k: int, temperatures: FloatArray, choices: FloatArray) -> float:
    """Try a swap or a move per temperature, accept it by the rule of Metropolis, and return what log |W| has gained.

    Most vertices are tried with the super-vertex of a vertex that shares a neighbor with them, for these look alike;
    a few with any. Sizes stay between ``k`` and ``2 k - 1``.
    """
    total, vertices = 0.0, len(state.cluster)
    for turn in range(len(temperatures)):
        vertex = int(choices[turn, 0] * vertices)
        target = near_cluster(state, vertex, choices[turn, 1], choices[turn, 2])
        source = state.cluster[vertex]
        if target == source:
            continue
        place = int(choices[turn, 3] * (state.sizes[target] + 1))
        is_move = place == state.sizes[target]  # as if it were swapped for nothing
        if is_move and (state.sizes[source] <= k or state.sizes[target] >= 2 * k - 1):
            continue
        other = vertex if is_move else state.members[target, place]
        gain = gain_of_move(state, vertex, target) if is_move else gain_of_swap(state, vertex, other)
        if gain <= 0.0 or choices[turn, 4] < exp(-gain / temperatures[turn]):
            total += gain
            move(state, vertex, target)
            if not is_move:
                move(state, other, source)
    return total


@compiled
def near_cluster(state: Supervertices, vertex: int, step: float, second: float) -> int:
    """Return the super-vertex of a vertex two steps away; sometimes of any vertex."""
    degree = state.starts[vertex + 1] - state.starts[vertex]
    if degree == 0 or step < ANYWHERE:
        return int(state.cluster[int(second * len(state.cluster))])
    between = state.neighbors[state.starts[vertex] + int((step - ANYWHERE) / (1.0 - ANYWHERE) * degree)]
    number = state.starts[between + 1] - state.starts[between]
    return int(state.cluster[state.neighbors[state.starts[between] + int(second * number)]])


# Hill climbing, as in the source.


@compiled
def climb(state: Supervertices, k: int, count: int, choices: FloatArray) -> tuple[int, int, int]:
    """Try a split, a merger or a move per choice; accept it if log |W| falls.

    Returns how many super-vertices there are then, how many changes were possible, and how many were accepted.
    """
    tried, accepted, vertices = 0, 0, len(state.cluster)
    for turn in range(len(choices)):
        change = int(choices[turn, 0] * 3)
        one = int(choices[turn, 1] * count)
        if change == 0 and state.sizes[one] >= 2 * k:
            tried += 1
            accepted += try_split(state, k, one, count, choices[turn, 2])
            count += state.sizes[count] > 0 if count < len(state.sizes) else 0
        elif change == 1 and count > 1:
            # A merger never lowers log |W|: C(a, x) C(b, y) <= C(a + b, x + y), by Vandermonde's identity.
            tried += 1
        elif change == 2 and count > 1:
            vertex = int(choices[turn, 2] * vertices)
            if state.sizes[state.cluster[vertex]] > k and state.cluster[vertex] != one:
                tried += 1
                if gain_of_move(state, vertex, one) < -ROUNDING:
                    move(state, vertex, one)
                    accepted += 1
    return count, tried, accepted


@compiled
def try_split(state: Supervertices, k: int, cluster: int, fresh: int, choice: float) -> int:
    """Give a random part of a super-vertex a number of its own, and say whether that was accepted."""
    size = state.sizes[cluster]
    before = terms_of(state, cluster)
    if before < ROUNDING:
        return 0  # nothing to gain: trying it takes as long as the graph is large
    # A generator of Lehmer draws the size of the part and then its members, by selection sampling.
    drawn = (1 + int(choice * 2147483645)) * 48271 % 2147483647
    wanted = k + drawn % (size - 2 * k + 1)
    left = size
    for vertex in range(len(state.cluster)):
        if state.cluster[vertex] == cluster:
            drawn = drawn * 48271 % 2147483647
            if drawn % left < wanted:
                move(state, vertex, fresh)
                wanted -= 1
            left -= 1
    shared = log_binomial(state.logarithms, pairs_of(state, cluster, fresh), edges_between(state, cluster, fresh))
    if terms_of(state, cluster) + terms_of(state, fresh) - shared < before - ROUNDING:
        return 1
    for vertex in range(len(state.cluster)):
        if state.cluster[vertex] == fresh:
            move(state, vertex, cluster)
    return 0


@compiled
def terms_of(state: Supervertices, cluster: int) -> float:
    """Return the part of log |W| that a super-vertex has a share in."""
    total, entry = 0.0, state.first[cluster]
    while entry != EMPTY:
        low, high = state.keys[entry] // len(state.sizes), state.keys[entry] % len(state.sizes)
        total += log_binomial(state.logarithms, pairs_of(state, low, high), state.counts[entry])
        entry = state.next_low[entry] if cluster == low else state.next_high[entry]
    return total
