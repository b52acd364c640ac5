"""Find a person by the distances to well-known vertices."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, IntArray
from krypsis.attacks.base import AttackSuccess
from krypsis.attacks.graphs.base import GraphAttack, GraphTarget
from krypsis.attacks.graphs.candidates import CHOSEN, HAY, Candidates, candidates_of
from krypsis.data.graphs import Graph

UNKNOWN = -1
"""The distance to a hub that is further away than the attacker sees, or that no path leads to."""


class HubFingerprintAttack(GraphAttack):
    """Finds a person by the shortest paths to hubs, the vertices with the highest degrees, which everybody recognizes.

    In a closed world a hub that the attacker does not see is known to be further away; in an open world it may be
    anywhere, for the attacker's knowledge is incomplete.

    References
    ----------
    Hay, Miklau, Jensen, Towsley, Weis, "Resisting structural re-identification in anonymized social networks",
    PVLDB 1(1), 2008, section 2.2.

    Examples
    --------
    >>> path = Graph.of_codes(np.array([[0, 1], [1, 2], [2, 3], [3, 4], [1, 5]]), 6)
    >>> attack = HubFingerprintAttack(hubs=1, reach=2)
    >>> attack.find(GraphTarget.unprotected(path, np.random.default_rng(1))).counts.tolist()
    [3, 1, 3, 1, 1, 3]
    """

    name: ClassVar[str] = "hub-fingerprint"
    title: ClassVar[str] = "hub fingerprint"
    knowledge: ClassVar[str] = "which vertices are the hubs, and the distances of a person to those that are near"
    success: ClassVar[str] = CHOSEN
    baseline: ClassVar[str] = "a vertex that is chosen at random among all is the one of the person"
    reference: ClassVar[str] = HAY

    hubs: int = Field(default=5, ge=1, le=64, description="how many hubs the attacker recognizes")
    reach: int = Field(default=2, ge=1, description="up to which distance the attacker knows it")
    world: Literal["closed", "open"] = Field(default="closed", description="what a hub out of reach says")

    def fits(self, target: GraphTarget) -> bool:
        return isinstance(target.published, Graph)

    def find_in(self, target: GraphTarget) -> Candidates:
        before, after, chosen = target.original, target.published, self.chosen(target)
        if not isinstance(after, Graph):
            raise TypeError("super-vertices have no distances")
        # Step 1: the hubs are recognized, so the attacker knows where they are published.
        hubs = np.argsort(-before.degrees, kind="stable")[: self.hubs]
        hubs = hubs[target.places[hubs] >= 0]
        known = distances(before, hubs, self.reach)[chosen]
        seen = distances(after, target.places[hubs], self.reach)
        # Step 2: published vertices with the same distances are candidates; each fingerprint is compared once.
        prints, print_of, sizes = np.unique(seen, axis=0, return_inverse=True, return_counts=True)
        print_of = print_of.reshape(-1)
        counts, own = np.empty(len(chosen), dtype=np.int64), np.zeros(len(chosen), dtype=np.bool_)
        for place, vertex in enumerate(chosen.tolist()):
            fitting = self._fitting(known[place], prints)
            counts[place] = int(sizes[fitting].sum())
            if (home := int(target.places[vertex])) >= 0:
                own[place] = fitting[print_of[home]]
        return candidates_of(target, chosen, counts, own)

    def _fitting(self, known: IntArray, seen: IntArray) -> BoolArray:
        same = seen == known
        if self.world == "open":
            same |= known == UNKNOWN
        return np.asarray(same.all(axis=1))

    def evaluate_in(self, found: Candidates, target: GraphTarget) -> AttackSuccess:  # noqa: ARG002
        return found.success(self.name)


def distances(graph: Graph, sources: IntArray, reach: int) -> IntArray:
    """Return the distance of each vertex to each source, up to a reach; :data:`UNKNOWN` beyond.

    Examples
    --------
    >>> distances(Graph.of_codes(np.array([[0, 1], [1, 2]]), 3), np.array([0]), 1).ravel().tolist()
    [0, 1, -1]
    """
    found = np.full((graph.vertices, len(sources)), UNKNOWN, dtype=np.int64)
    for column, source in enumerate(sources.tolist()):
        found[source, column] = 0
        front = np.array([source])
        for step in range(1, reach + 1):
            lists = [graph.neighbors_of(int(vertex)) for vertex in front]
            reached = np.unique(np.concatenate(lists)) if lists else front
            front = reached[found[reached, column] == UNKNOWN]
            found[front, column] = step
            if not len(front):
                break
    return found
