"""Find a person by a pattern of connections around, such as "knows four people, two of whom know each other"."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.attacks.base import AttackSuccess
from krypsis.attacks.graphs.base import GraphAttack, GraphTarget
from krypsis.attacks.graphs.candidates import CHOSEN, HAY, Candidates, candidates_of, published_labels, sought_labels
from krypsis.attacks.graphs.laying import continues
from krypsis.data.graphs import Graph
from krypsis.errors import DataError, UsageError
from krypsis.io.graphs import read_graph
from krypsis.io.texts import text_of
from krypsis.kernels._jit import compiled

ANY_LABEL = -1
MATCHES, DIFFERS, UNDECIDED = 1, 0, -1


@dataclass(frozen=True, eq=False)
class Pattern:
    """A connected graph with a root, its vertices in an order in which each but the root has an earlier neighbor."""

    parents: IntArray
    """The place of an earlier neighbor of each vertex; of the root it is not used."""
    is_edge: BoolArray
    """Which pairs of places are connected."""
    labels: IntArray

    @classmethod
    def of(cls, graph: Graph, root: int, labels: IntArray | None = None) -> Self:
        """Return the pattern of a graph.

        Raises
        ------
        DataError
            if some vertex is not connected with the root: what is not is no knowledge about it.
        """
        order, parents, place = [root], [0], {root: 0}
        for vertex in order:  # grows while it is walked
            for near in graph.neighbors_of(vertex).tolist():
                if near not in place:
                    place[near] = len(order)
                    parents.append(place[vertex])
                    order.append(near)
        if len(order) < graph.vertices:
            raise DataError(
                f"the pattern has {graph.vertices - len(order)} vertices that are not connected with its root; leave "
                "them out"
            )
        is_edge = np.zeros((len(order), len(order)), dtype=np.bool_)
        for low, high in graph.edges.tolist():
            is_edge[place[low], place[high]] = is_edge[place[high], place[low]] = True
        own = np.full(len(order), ANY_LABEL, dtype=np.int64) if labels is None else labels[np.array(order)]
        return cls(np.array(parents, dtype=np.int64), is_edge, own)

    @property
    def facts(self) -> int:
        """How many edges the attacker knows."""
        return int(self.is_edge.sum()) // 2

    def roots_in(
        self, graph: Graph, labels: IntArray | None = None, *, induced: bool = False, budget: int = 100_000
    ) -> npt.NDArray[np.int8]:
        """Return for each vertex whether the pattern fits with its root there; undecided where the budget ran out.

        Parameters
        ----------
        graph
            where to look.
        labels
            of its vertices, in the numbers that the pattern uses.
        induced
            whether the attacker also knows which vertices of the pattern are not connected.
        budget
            how many vertices are tried at most for each root.
        """
        own = np.full(graph.vertices, ANY_LABEL, dtype=np.int64) if labels is None else labels
        shape = (self.parents, self.is_edge, self.labels)
        return match_roots(graph.starts, graph.neighbors, own, *shape, induced, budget)


class SubgraphAttack(GraphAttack):
    """Finds a person by the edges around that the attacker knows.

    Without a pattern, ``facts`` edges around each attacked person are known, found by asking acquaintances at random.
    With a pattern file, the one person is sought whom its root stands for.

    References
    ----------
    Hay, Miklau, Jensen, Towsley, Weis, "Resisting structural re-identification in anonymized social networks",
    PVLDB 1(1), 2008, section 2.1.

    Examples
    --------
    >>> friends = Graph.of_codes(np.array([[0, 1], [0, 2], [1, 3], [1, 4], [1, 5], [2, 5], [3, 4], [5, 6]]), 7)
    >>> star = Graph.of_codes(np.array([[0, 1], [0, 2], [0, 3], [0, 4]]), 5)
    >>> np.flatnonzero(Pattern.of(star, 0).roots_in(friends)).tolist()
    [1]
    """

    name: ClassVar[str] = "subgraph"
    title: ClassVar[str] = "subgraph knowledge"
    knowledge: ClassVar[str] = "some edges around a person, and between the people there"
    success: ClassVar[str] = CHOSEN
    baseline: ClassVar[str] = "a vertex that is chosen at random among all is the one of the person"
    reference: ClassVar[str] = HAY

    sample: int = Field(default=50, ge=1, description="how many vertices are attacked at most")
    facts: int = Field(default=8, ge=0, description="how many edges the attacker knows")
    pattern: str | None = Field(
        default=None, description="a file with a graph, whose root is the person; its labels as published"
    )
    root: str | None = Field(
        default=None, description="the vertex of the pattern that is the person; the first unless given"
    )
    induced: bool = Field(default=False, description="whether the attacker knows that there are no other edges")
    budget: int = Field(default=5_000, ge=1, description="how many vertices are tried at most for each candidate")

    def fits(self, target: GraphTarget) -> bool:
        return isinstance(target.published, Graph)

    def find_in(self, target: GraphTarget) -> Candidates:
        published = target.published
        if not isinstance(published, Graph):
            raise TypeError("super-vertices have no edges to compare")
        if self.pattern is not None:
            fitting = self._given(target).roots_in(
                published, self._labels(target, published), induced=self.induced, budget=self.budget
            )
            count = int((fitting != DIFFERS).sum())
            # Who it is, nobody says: the person is taken to be published, and to be found if anybody is.
            seen = np.array([int(count > 0)])
            return Candidates(np.array([-1]), np.array([count]), seen, published.vertices, np.array([1]))
        rng, chosen = np.random.default_rng(self.seed), self.chosen(target)
        shown = published_labels(target, published)
        known = None if shown is None else sought_labels(target, shown)
        counts, own = np.zeros(len(chosen), dtype=np.int64), np.zeros(len(chosen), dtype=np.bool_)
        for place, vertex in enumerate(chosen.tolist()):
            pattern = known_edges(target.original, vertex, self.facts, rng, known, induced=self.induced)
            # What is not decided within the budget stays a candidate: the attacker cannot rule it out.
            fitting = pattern.roots_in(published, shown, induced=self.induced, budget=self.budget) != DIFFERS
            counts[place] = int(fitting.sum())
            if (home := int(target.places[vertex])) >= 0:
                own[place] = fitting[home]
        return candidates_of(target, chosen, counts, own)

    def _labels(self, target: GraphTarget, graph: Graph) -> IntArray | None:
        """Return the known attributes of the vertices as numbers that are the same in all graphs."""
        names = [name for name in target.known if name in graph.attributes.columns]
        if not names:
            return None
        rows = list(zip(*(text_of(graph.attributes[name]).to_list() for name in names), strict=True))
        return np.array([_number_of(repr(row)) for row in rows], dtype=np.int64)

    def _given(self, target: GraphTarget) -> Pattern:
        graph = read_graph(str(self.pattern))
        names = [graph.name_of(vertex) for vertex in range(graph.vertices)]
        if self.root is not None and self.root not in names:
            raise UsageError(f"the pattern has no vertex {self.root!r}; vertices: {', '.join(names[:20])}")
        root = 0 if self.root is None else names.index(self.root)
        return Pattern.of(graph, root, self._labels(target, graph))

    def evaluate_in(self, found: Candidates, target: GraphTarget) -> AttackSuccess:  # noqa: ARG002
        doubt = "" if self.pattern is None else "Whether the person is among the candidates is not known."
        return found.success(self.name, [doubt])


def _number_of(text: str) -> int:
    """Return a number for a label: equal for equal labels, in every graph."""
    from hashlib import sha256  # noqa: PLC0415

    return int.from_bytes(sha256(text.encode()).digest()[:7], "little")


def known_edges(
    graph: Graph, vertex: int, facts: int, rng: np.random.Generator, labels: IntArray | None, *, induced: bool
) -> Pattern:
    """Return what an attacker knows who learned some edges around a vertex, one after the other at random."""
    seen, edges = [vertex], set[tuple[int, int]]()
    for _ in range(50 * facts):
        if len(edges) == facts:
            break
        asked = seen[int(rng.integers(len(seen)))]
        near = graph.neighbors_of(asked)
        if not len(near):
            break
        other = int(near[int(rng.integers(len(near)))])
        edges.add((min(asked, other), max(asked, other)))
        if other not in seen:
            seen.append(other)
    place = {one: number for number, one in enumerate(seen)}
    if induced:
        inside = [(one, int(other)) for one in seen for other in graph.neighbors_of(one) if int(other) in place]
        edges = {(min(pair), max(pair)) for pair in inside}
    pairs = np.array([(place[low], place[high]) for low, high in sorted(edges)], dtype=np.int64).reshape(-1, 2)
    return Pattern.of(Graph.of_codes(pairs, len(seen)), 0, None if labels is None else labels[np.array(seen)])


@compiled
def match_roots(
    starts: IntArray,
    neighbors: CodeArray,
    labels: IntArray,
    parents: IntArray,
    is_edge: BoolArray,
    wanted: IntArray,
    induced: bool,
    budget: int,
) -> npt.NDArray[np.int8]:
    """Say for each vertex whether a pattern can be laid on the graph with its root there, by depth-first search."""
    vertices, size = len(starts) - 1, len(parents)
    found = np.zeros(vertices, dtype=np.int8)
    degrees = np.zeros(size, dtype=np.int64)
    for place in range(size):
        degrees[place] = is_edge[place].sum()
    fits = places_by_branches(starts, neighbors, labels, parents, degrees, wanted)
    likely = by_degree(starts, neighbors)
    laid = np.zeros(size, dtype=np.int64)
    turn = np.zeros(size, dtype=np.int64)
    for root in range(vertices):
        if not fits[0, root]:
            continue
        laid[0], place, tried = root, 1, 0
        if size == 1:
            found[root] = 1
            continue
        turn[1] = starts[laid[parents[1]]]
        while place > 0:
            # Step 1: the next neighbor of the vertex on which the earlier neighbor lies; those with most edges first.
            if turn[place] == starts[laid[parents[place]] + 1]:
                place -= 1
                continue
            vertex = likely[turn[place]]
            turn[place] += 1
            tried += 1
            if tried > budget:
                found[root] = -1
                break
            # Step 2: it must be free, have enough edges and the right label, and the edges of the pattern.
            if not fits[place, vertex] or not continues(starts, neighbors, is_edge, laid, place, vertex, induced):
                continue
            laid[place] = vertex
            place += 1
            if place == size:
                found[root] = 1
                break
            turn[place] = starts[laid[parents[place]]]
    return found


@compiled
def places_by_branches(
    starts: IntArray, neighbors: CodeArray, labels: IntArray, parents: IntArray, degrees: IntArray, wanted: IntArray
) -> BoolArray:
    """Say which vertices each place of a pattern may lie on, as far as the branches that hang from the place show.

    A vertex needs enough edges, the right label, and for each place that follows a neighbor which that may lie on.
    Most vertices are ruled out by this, so that no search begins at them.
    """
    vertices, size = len(starts) - 1, len(parents)
    fits = np.empty((size, vertices), dtype=np.bool_)
    for place in range(size):
        for vertex in range(vertices):
            has_label = wanted[place] == -1 or labels[vertex] == wanted[place]
            fits[place, vertex] = has_label and starts[vertex + 1] - starts[vertex] >= degrees[place]
    # From the last place to the first: what follows a place comes later in the order.
    for place in range(size - 1, 0, -1):
        before = parents[place]
        for vertex in range(vertices):
            if fits[before, vertex]:
                is_followed = False
                for edge in range(starts[vertex], starts[vertex + 1]):
                    if fits[place, neighbors[edge]]:
                        is_followed = True
                        break
                fits[before, vertex] = is_followed
    return fits


@compiled
def by_degree(starts: IntArray, neighbors: CodeArray) -> CodeArray:
    """Return lists of neighbors, those with most edges first: there the rest of a pattern fits soonest."""
    vertices = len(starts) - 1
    most = 0
    for vertex in range(vertices):
        most = max(most, starts[vertex + 1] - starts[vertex])
    # Step 1: sort the vertices by their degrees, by counting.
    begins = np.zeros(most + 2, dtype=np.int64)
    for vertex in range(vertices):
        begins[most - (starts[vertex + 1] - starts[vertex]) + 1] += 1
    for place in range(most + 1):
        begins[place + 1] += begins[place]
    order = np.empty(vertices, dtype=np.int64)
    for vertex in range(vertices):
        rank = most - (starts[vertex + 1] - starts[vertex])
        order[begins[rank]] = vertex
        begins[rank] += 1
    # Step 2: in this order, each is written into the lists of its neighbors.
    found, filled = np.empty_like(neighbors), starts.copy()
    for written in order:
        for edge in range(starts[written], starts[written + 1]):
            found[filled[neighbors[edge]]] = written
            filled[neighbors[edge]] += 1
    return found
