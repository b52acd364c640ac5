"""Re-identify people by another network in which they are known, starting from a few who are recognized."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from pydantic import Field

from krypsis.arrays import CodeArray, FloatArray, IntArray
from krypsis.attacks.base import AttackSuccess
from krypsis.attacks.graphs.base import GraphAttack, GraphTarget
from krypsis.data.graphs import Graph
from krypsis.kernels._jit import compiled

UNMAPPED = -1


@dataclass(frozen=True, eq=False)
class Mapping:
    """Which published vertex the attacker takes each person for; people who were recognized before are left out."""

    people: IntArray
    """Original vertices that the attacker knows from the other network."""
    claimed: IntArray
    """The published vertex each is taken for, -1 where the attacker does not decide."""
    right: int


class PropagationAttack(GraphAttack):
    """Maps another network, in which people are known by name, onto the published one (seed and propagate).

    The other network is simulated: it has the people of the graph before, and each edge with probability ``overlap``.
    The attacker recognizes ``seeds`` people with many connections. From there the mapping grows: somebody is mapped to
    the published vertex that is joined to most of those to whom acquaintances were mapped, where that one stands out.

    Notes
    -----
    Cost: a pass over all paths of two edges from mapped people, until a pass maps nobody.

    References
    ----------
    Narayanan, Shmatikov, "De-anonymizing social networks", IEEE Symposium on Security and Privacy 2009.

    Examples
    --------
    >>> rng = np.random.default_rng(7)
    >>> pairs = rng.integers(0, 60, (400, 2))
    >>> target = GraphTarget.unprotected(Graph.of_codes(pairs, 60), rng)
    >>> PropagationAttack(seeds=8, overlap=1).run(target).rate > 0.5
    True
    """

    name: ClassVar[str] = "seed-and-propagate"
    aliases: ClassVar[tuple[str, ...]] = ("propagation",)
    title: ClassVar[str] = "seed and propagate"
    knowledge: ClassVar[str] = "another network of the same people with most of the edges, and who a few of them are"
    success: ClassVar[str] = "a person is mapped to the right published vertex"
    baseline: ClassVar[str] = "a vertex that is chosen at random among all is the one of the person"
    reference: ClassVar[str] = "Narayanan, Shmatikov, De-anonymizing social networks, IEEE S&P 2009"

    seeds: int | None = Field(
        default=None,
        ge=1,
        description="how many people the attacker recognizes; 1 %, but 20 to 200, unless given",
    )
    overlap: float = Field(default=0.8, ge=0, le=1, description="the share of edges that the other network has, too")
    eccentricity: float = Field(default=0.5, ge=0, description="how far the best match must stand out")
    rounds: int = Field(default=20, ge=1, description="how often all people are visited at most")

    def fits(self, target: GraphTarget) -> bool:
        return isinstance(target.published, Graph)

    def find_in(self, target: GraphTarget) -> Mapping:
        published, rng = target.published, np.random.default_rng(self.seed)
        if not isinstance(published, Graph):
            raise TypeError("super-vertices have no vertices to map")
        edges = target.original.edges
        other = target.original.with_edges(edges[rng.random(len(edges)) < self.overlap])
        # Step 1: seeds, people with many connections whom the attacker recognizes in both networks.
        known = np.flatnonzero(target.places >= 0)
        count = min(max(len(known) // 100, 20), 200) if self.seeds is None else self.seeds
        seeds = known[np.argsort(-target.original.degrees[known], kind="stable")[:count]]
        mapped = np.full(other.vertices, UNMAPPED, dtype=np.int64)
        mapped[seeds] = target.places[seeds]
        # Step 2: propagation.
        propagate(
            *(other.starts, other.neighbors, published.starts, published.neighbors),
            *(mapped, self.eccentricity, self.rounds),
        )
        people = np.setdiff1d(np.flatnonzero(other.degrees > 0), seeds)
        claimed = mapped[people]
        right = int(((claimed >= 0) & (claimed == target.places[people])).sum())
        return Mapping(people, claimed, right)

    def evaluate_in(self, found: Mapping, target: GraphTarget) -> AttackSuccess:
        mapped = int((found.claimed >= 0).sum())
        wrong, left = mapped - found.right, len(found.people) - mapped
        return AttackSuccess.of(
            self.name,
            targets=len(found.people),
            rate=found.right / len(found.people) if len(found.people) else 0.0,
            baseline=1 / max(target.published.vertices, 1),
            cannot_say=[
                f"People who are mapped to a wrong vertex, without the attacker knowing which: {wrong:,}.",
                f"People who are not mapped to any: {left:,}." if left else "",
            ],
        )


@compiled
def propagate(
    starts: IntArray,
    neighbors: CodeArray,
    other_starts: IntArray,
    other_neighbors: CodeArray,
    mapped: IntArray,
    eccentricity: float,
    rounds: int,
) -> int:
    """Extend a mapping of the vertices of one graph to those of another in place; return how many were mapped."""
    vertices, others = len(starts) - 1, len(other_starts) - 1
    back = np.full(others, -1, dtype=np.int64)
    for vertex in range(vertices):
        if mapped[vertex] >= 0:
            back[mapped[vertex]] = vertex
    scores, touched = np.zeros(others), np.empty(others, dtype=np.int64)
    own_scores, own_touched = np.zeros(vertices), np.empty(vertices, dtype=np.int64)
    total = 0
    for _ in range(rounds):
        changed = 0
        for vertex in range(vertices):
            if mapped[vertex] >= 0:
                continue
            best = best_match(
                vertex, starts, neighbors, other_starts, other_neighbors, mapped, back, eccentricity, scores, touched
            )
            if best < 0:
                continue
            # The match must also be the best one the other way round.
            if (
                best_match(
                    best,
                    other_starts,
                    other_neighbors,
                    starts,
                    neighbors,
                    back,
                    mapped,
                    eccentricity,
                    own_scores,
                    own_touched,
                )
                == vertex
            ):
                mapped[vertex], back[best] = best, vertex
                changed += 1
        total += changed
        if not changed:
            break
    return total


@compiled
def best_match(
    vertex: int,
    starts: IntArray,
    neighbors: CodeArray,
    other_starts: IntArray,
    other_neighbors: CodeArray,
    mapped: IntArray,
    back: IntArray,
    eccentricity: float,
    scores: FloatArray,
    touched: IntArray,
) -> int:
    """Return the vertex of the other graph that stands out as the match of a vertex; -1 where none does.

    ``scores`` are all 0 before and after.
    """
    count = 0
    for edge in range(starts[vertex], starts[vertex + 1]):
        image = mapped[neighbors[edge]]
        if image < 0:
            continue
        for other_edge in range(other_starts[image], other_starts[image + 1]):
            other = other_neighbors[other_edge]
            if back[other] >= 0:
                continue
            if scores[other] == 0:
                touched[count] = other
                count += 1
            # A vertex with many edges is joined to many by chance.
            scores[other] += 1 / np.sqrt(other_starts[other + 1] - other_starts[other])
    best, first, second, total, squares = -1, 0.0, 0.0, 0.0, 0.0
    for place in range(count):
        score = scores[touched[place]]
        total += score
        squares += score * score
        if score > first:
            best, first, second = touched[place], score, first
        elif score > second:
            second = score
        scores[touched[place]] = 0
    if best < 0:
        return -1
    size = len(other_starts) - 1
    spread = np.sqrt(max(squares / size - (total / size) ** 2, 0.0))
    return best if spread > 0 and (first - second) / spread >= eccentricity else -1
