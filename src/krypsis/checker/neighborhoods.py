"""Which vertices of a published graph have the same 1-neighborhood: invariants first, then an exact search.

The root of a neighborhood is connected to all others in it, so that two are the same if their roots have the same
label and what is left without the roots can be laid on each other. That falls into connected components, most of them
small; neighborhoods are the same if they consist of the same ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from krypsis.arrays import BoolArray, IntArray
from krypsis.checker.color_refinement import joined, multisets, numbered_runs
from krypsis.data.graphs import Graph

WORK = 40_000_000
"""How many comparisons the exact search may make: about ten seconds."""
AT_ONCE = 4_000_000
"""About how many pairs of neighbors are held in memory at a time."""


def neighborhood_classes(graph: Graph, labels: IntArray, work: int = WORK) -> tuple[IntArray, IntArray]:
    """Return classes of vertices that have the same 1-neighborhood for certain, and classes of those that may have.

    The two are the same array unless the exact search has run out of work.

    Examples
    --------
    >>> friends = Graph.of_codes(np.array([[0, 1], [0, 2], [1, 2], [2, 3]]), 4)
    >>> neighborhood_classes(friends, np.zeros(4, dtype=np.int64))[0].tolist()
    [0, 0, 1, 2]
    """
    similar = _similar_neighborhoods(VertexNeighborhoods.of(graph, labels), labels)
    pieces = Pieces.of(similar)
    certain, possible = _exact_kinds(pieces, Effort(work))

    def numbered(kinds: IntArray) -> IntArray:
        found = np.arange(graph.vertices) + graph.vertices  # different from all others
        found[similar.roots] = joined(pieces.of_roots(kinds, similar), labels[similar.roots])
        return joined(found, np.zeros(graph.vertices, dtype=np.int64))

    finest = numbered(certain)
    return finest, finest if possible is certain else numbered(possible)


@dataclass(frozen=True, eq=False)
class VertexNeighborhoods:
    """VertexNeighborhoods of some vertices, without these: a neighbor of a root is a node."""

    roots: IntArray
    """The vertices whose neighborhoods they are."""
    firsts: IntArray
    """Where the nodes of each root start; one more entry than roots."""
    vertices: IntArray
    """Node → the vertex it is."""
    colors: IntArray
    starts: IntArray
    neighbors: IntArray
    """The nodes that are connected to each node, in the same neighborhood."""

    @classmethod
    def of(cls, graph: Graph, labels: IntArray) -> VertexNeighborhoods:
        """Return the neighborhoods of all vertices, with the labels of their nodes as colors."""
        keys = np.repeat(np.arange(graph.vertices), graph.degrees) * graph.vertices + graph.neighbors
        ends = [np.empty((0, 2), dtype=np.int64)]
        for one, two, three in _triangles(graph, keys):
            for root, left, right in ((one, two, three), (two, one, three), (three, one, two)):
                pair = np.stack([np.searchsorted(keys, root * graph.vertices + end) for end in (left, right)], axis=1)
                ends += [pair, pair[:, ::-1]]
        arcs = np.concatenate(ends)
        starts = _starts(np.bincount(arcs[:, 0], minlength=len(keys)))
        neighbors = arcs[np.argsort(arcs[:, 0], kind="stable"), 1]
        vertices = graph.neighbors.astype(np.int64)
        return cls(np.arange(graph.vertices), graph.starts, vertices, labels[vertices], starts, neighbors)

    def kinds(self, labels: IntArray) -> IntArray:
        """Give the same number to roots with the same label and the same colors around them."""
        return joined(multisets(self.firsts, self.colors), labels[self.roots])

    def of_some(self, kept: BoolArray) -> VertexNeighborhoods:
        """Return the neighborhoods of some of the roots."""
        sizes, degrees = np.diff(self.firsts), np.diff(self.starts)
        nodes = np.repeat(kept, sizes)
        number = np.cumsum(nodes) - 1
        return VertexNeighborhoods(
            self.roots[kept],
            _starts(sizes[kept]),
            self.vertices[nodes],
            self.colors[nodes],
            _starts(degrees[nodes]),
            number[self.neighbors[np.repeat(nodes, degrees)]],
        )


def _starts(counts: IntArray) -> IntArray:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _similar_neighborhoods(found: VertexNeighborhoods, labels: IntArray) -> VertexNeighborhoods:
    """Return the neighborhoods that color refinement does not tell from all others, with stable colors."""
    while True:
        kinds = found.kinds(labels)
        found = found.of_some(np.bincount(kinds)[kinds] > 1)  # most are soon alone, and large ones first
        before = len(np.unique(found.colors))
        colors = joined(found.colors, multisets(found.starts, found.colors[found.neighbors]))
        found = replace(found, colors=colors)
        if int(colors.max(initial=-1)) + 1 == before:
            return found


@dataclass(eq=False)
class Effort:
    """How much work is left."""

    left: int

    def spend(self, work: int) -> bool:
        """Take some of it; say whether there was enough."""
        self.left -= work
        return self.left >= 0


@dataclass(frozen=True, eq=False)
class Pieces:
    """The connected components of neighborhoods without their roots."""

    neighborhoods: VertexNeighborhoods
    members: IntArray
    """All nodes, piece after piece, by color."""
    firsts: IntArray
    """Where the members of each piece start; one more entry than pieces."""

    @classmethod
    def of(cls, found: VertexNeighborhoods) -> Pieces:
        """Return the pieces of neighborhoods with stable colors."""
        from scipy.sparse import csr_array  # noqa: PLC0415  slow to import, and few need it
        from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

        nodes = len(found.vertices)
        ones = np.ones(len(found.neighbors), dtype=np.int8)
        links = csr_array((ones, found.neighbors, found.starts), shape=(nodes, nodes))
        number, piece = connected_components(links, directed=False) if nodes else (0, np.empty(0, dtype=np.int64))
        return cls(found, np.lexsort((found.colors, piece)), _starts(np.bincount(piece, minlength=number)))

    def of_roots(self, kinds: IntArray, found: VertexNeighborhoods) -> IntArray:
        """Give the same number to roots with the same kinds of pieces."""
        # A piece belongs to the root of any of its nodes.
        roots = np.searchsorted(found.firsts, self.members[self.firsts[:-1]], side="right") - 1
        counts = np.bincount(roots, minlength=len(found.roots))
        return numbered_runs(_starts(counts), kinds[np.lexsort((kinds, roots))])

    def signatures(self) -> IntArray:
        """Give a number to each multiset of colors: pieces of different numbers are different for certain."""
        return numbered_runs(self.firsts, self.neighborhoods.colors[self.members])

    def decided(self) -> BoolArray:
        """Return the pieces that are the same as all others of their signature: color refinement decides them.

        These are trees, complete graphs, and pieces in which no color occurs twice.
        """
        sizes = np.diff(self.firsts)
        degrees = np.diff(self.neighborhoods.starts)[self.members]
        edges = np.add.reduceat(degrees, self.firsts[:-1]) // 2 if len(sizes) else sizes
        again = np.diff(self.neighborhoods.colors[self.members], prepend=-1) == 0
        again[self.firsts[:-1]] = False
        repeated = np.add.reduceat(again.astype(np.int64), self.firsts[:-1]) if len(sizes) else sizes
        decided: BoolArray = (edges == sizes - 1) | (edges == sizes * (sizes - 1) // 2) | (repeated == 0)
        return decided

    def piece(self, number: int) -> Piece:
        """Return one of them, to search in."""
        nodes = self.members[self.firsts[number] : self.firsts[number + 1]]
        place = {node: position for position, node in enumerate(nodes.tolist())}
        masks = []
        for node in nodes.tolist():
            mask = 0
            for other in self.neighborhoods.neighbors[
                self.neighborhoods.starts[node] : self.neighborhoods.starts[node + 1]
            ].tolist():
                mask |= 1 << place[other]
            masks.append(mask)
        return Piece(self.neighborhoods.colors[nodes].tolist(), masks)

    def vertex_set(self, number: int) -> bytes:
        """Return which vertices a piece consists of: of the same ones there is only one."""
        return np.sort(
            self.neighborhoods.vertices[self.members[self.firsts[number] : self.firsts[number + 1]]]
        ).tobytes()


def _triangles(graph: Graph, keys: IntArray) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
    """Yield all triples of vertices that are connected with each other, each once, some at a time."""
    # Every edge points to the end of the higher degree; few point away from any vertex, and two of them may close.
    rank = np.empty(graph.vertices, dtype=np.int64)
    rank[np.argsort(graph.degrees, kind="stable")] = np.arange(graph.vertices)
    ends = graph.edges.astype(np.int64)
    swapped = rank[ends[:, 0]] > rank[ends[:, 1]]
    ends[swapped] = ends[swapped][:, ::-1]
    ends = ends[np.argsort(ends[:, 0], kind="stable")]
    lasts = np.cumsum(np.bincount(ends[:, 0], minlength=graph.vertices))[ends[:, 0]]
    later = lasts - np.arange(len(ends)) - 1  # edges of the same vertex that come after each
    done = np.concatenate([[0], np.cumsum(later)])
    first = 0
    while first < len(ends):
        last = max(first + 1, int(np.searchsorted(done, done[first] + AT_ONCE, side="right")) - 1)
        edge = np.repeat(np.arange(first, last), later[first:last])
        other = edge + 1 + np.arange(len(edge)) - (done[edge] - done[first])
        left, right = ends[edge, 1], ends[other, 1]
        wanted = left * graph.vertices + right
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        closed = keys[place] == wanted
        yield ends[edge[closed], 0], left[closed], right[closed]
        first = last


def _exact_kinds(pieces: Pieces, effort: Effort) -> tuple[IntArray, IntArray]:
    """Give pieces numbers of which equal ones mean the same for certain, and numbers of which others mean different."""
    signatures, decided = pieces.signatures(), pieces.decided()
    certain = signatures.copy()
    open_groups: dict[int, list[int]] = defaultdict(list)
    for number in np.flatnonzero(~decided).tolist():
        open_groups[int(signatures[number])].append(number)
    undecided, fresh = [], int(signatures.max(initial=-1)) + 1
    for group in (group for group in open_groups.values() if len(group) > 1):
        kinds, all_decided = _kinds_of(pieces, group, effort)
        undecided += [] if all_decided else group
        for number, kind in zip(group, kinds, strict=True):
            certain[number] = signatures[number] if not kind else fresh + kind - 1
        fresh += max(kinds)
    if not undecided:
        return certain, certain
    possible = certain.copy()
    possible[undecided] = signatures[undecided]
    return certain, possible


def _kinds_of(pieces: Pieces, group: list[int], effort: Effort) -> tuple[list[int], bool]:
    """Compare pieces of the same signature with representatives, and say whether all comparisons came to an end."""
    known: dict[bytes, int] = {}
    representatives: list[Piece] = []
    kinds, all_decided = [], True
    for number in group:
        vertices = pieces.vertex_set(number)
        if vertices not in known:
            piece = pieces.piece(number)
            answers = (can_be_laid_on(piece, other, effort) for other in representatives)
            found = None
            for place, answer in enumerate(answers):
                if answer:
                    found = place
                    break
                all_decided &= answer is not None
            if found is None:
                found = len(representatives)
                representatives.append(piece)
            known[vertices] = found
        kinds.append(known[vertices])
    return kinds, all_decided


@dataclass(frozen=True, eq=False)
class Piece:
    """A connected graph with colors: for each node, the others it is connected to as bits of a number."""

    colors: list[int]
    masks: list[int]

    def twins(self) -> list[int]:
        """Give the same number to nodes that can be exchanged: they have the same color and the same others."""
        numbers: dict[tuple[int, int, bool], int] = {}
        open_numbers = [numbers.setdefault((color, mask, False), len(numbers)) for color, mask in self._pairs()]
        shared = [
            numbers.setdefault((color, mask | 1 << node, True), len(numbers))
            for node, (color, mask) in enumerate(self._pairs())
        ]
        # A node with twins that it is connected to has none that it is not connected to.
        closed = np.bincount(shared, minlength=len(numbers)) > 1
        return [two if closed[two] else one for one, two in zip(open_numbers, shared, strict=True)]

    def _pairs(self) -> Iterator[tuple[int, int]]:
        return zip(self.colors, self.masks, strict=True)

    def cells(self) -> dict[int, int]:
        """Return the nodes of each color, as bits."""
        found: dict[int, int] = defaultdict(int)
        for node, color in enumerate(self.colors):
            found[color] |= 1 << node
        return found

    def search_order(self) -> list[int]:
        """Return all nodes, each connected to an earlier one; nodes of rare colors first."""
        rarity = {color: cell.bit_count() for color, cell in self.cells().items()}
        order = [min(range(len(self.colors)), key=lambda node: rarity[self.colors[node]])]
        seen = 1 << order[0]
        for node in order:
            fresh = sorted(_bits(self.masks[node] & ~seen), key=lambda one: rarity[self.colors[one]])
            order += fresh
            seen |= self.masks[node]
        return order


def can_be_laid_on(piece: Piece, other: Piece, effort: Effort) -> bool | None:
    """Say whether there is an isomorphism between two pieces of the same signature; ``None`` where work runs out.

    Nodes are placed one after the other, each where it has the right color and is connected to the right ones of
    those placed before. Where a place leads to nothing, those of its twins need not be tried.
    """
    order, cells, twins = piece.search_order(), other.cells(), other.twins()
    places: list[int] = []
    tries: list[Iterator[int]] = []
    used = 0
    while len(places) < len(order):
        if len(tries) == len(places):  # the next node is new: where may it go?
            if not effort.spend(len(places) + 1):
                return None
            node = order[len(places)]
            fitting = cells[piece.colors[node]] & ~used
            for earlier, place in zip(order, places, strict=False):
                fitting &= other.masks[place] if piece.masks[node] >> earlier & 1 else ~other.masks[place]
                if not fitting:
                    break
            tries.append(_one_of_each(fitting, twins))
        place = next(tries[-1], -1)
        if place >= 0:
            places.append(place)
            used |= 1 << place
        else:
            tries.pop()
            if not places:
                return False
            used &= ~(1 << places.pop())
    return True


def _one_of_each(mask: int, twins: list[int]) -> Iterator[int]:
    """Yield the nodes of a mask, of those that can be exchanged only one."""
    seen = set()
    for node in _bits(mask):
        if twins[node] not in seen:
            seen.add(twins[node])
            yield node


def _bits(mask: int) -> Iterator[int]:
    """Yield the places of the bits of a number, ascending."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
