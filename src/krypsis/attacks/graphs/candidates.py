"""Attacks that look for the vertices which fit what is known about a person: degrees around, or the 1-neighborhood."""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, FloatArray, IntArray
from krypsis.attacks.base import AttackSuccess
from krypsis.attacks.graphs.base import GraphAttack, GraphTarget
from krypsis.data.graphs import ClusteredGraph, Graph
from krypsis.data.graphs.knowledge import labels_of
from krypsis.data.graphs.neighborhoods import neighborhood_classes
from krypsis.data.graphs.refinement import refine

HAY = (
    "Hay, Miklau, Jensen, Towsley, Weis, Resisting structural re-identification in anonymized social networks, "
    "PVLDB 1(1), 2008"
)
CHOSEN = (
    "a vertex that is chosen at random among those that fit, or among all where none fits, is the one of the person"
)
IN_GROUPS = (
    "Super-vertices do not show what the attacker knows; it is granted that the attacker finds the super-vertex of the "
    "person, and has to guess among its vertices."
)


@dataclass(frozen=True, eq=False)
class Candidates:
    """For each attacked vertex how many published vertices fit, and whether its own is among them."""

    targets: IntArray
    """Original vertices."""
    counts: IntArray
    found: IntArray
    """1 where the own vertex of the person is among the candidates, else 0."""
    published: int
    """How many vertices are published."""
    is_published: IntArray
    """1 where the person has a published vertex at all, else 0."""

    @property
    def chances(self) -> FloatArray:
        """The chance with which each person is found by a random choice among the candidates.

        Where nothing fits, what the attacker knows is of no use, and the choice is among all published vertices.
        """
        blind = self.is_published / max(self.published, 1)
        return np.where(self.counts > 0, self.found / np.maximum(self.counts, 1), blind)

    @property
    def unique(self) -> int:
        """How many people are found with certainty."""
        return int(((self.counts == 1) & (self.found == 1)).sum())

    def success(self, attack: str, cannot_say: Iterable[str] = ()) -> AttackSuccess:
        """Return how often a random choice among the candidates is right."""
        return AttackSuccess.of(
            attack,
            targets=len(self.targets),
            rate=float(self.chances.mean()) if len(self.targets) else 0.0,
            baseline=1 / max(self.published, 1),
            certain=float(self.unique),
            cannot_say=[*self._misses(), *cannot_say],
        )

    def _misses(self) -> Iterable[str]:
        """Say how many people the attacker does not find among the candidates: a rate may be below the baseline."""
        number = len(self.targets)
        if without := int((self.counts == 0).sum()):
            yield f"For {without:,} of {number:,} targets no published vertex fits; the attacker guesses among all."
        if misled := int(((self.counts > 0) & (self.found == 0)).sum()):
            yield (
                f"For {misled:,} of {number:,} targets only vertices of others fit; an attacker who trusts them is "
                "misled, and does worse than without the release."
            )


class VertexCandidateAttack(GraphAttack):
    """Finds the candidates of a person: published vertices that look as the person does in the graph before."""

    success: ClassVar[str] = CHOSEN
    baseline: ClassVar[str] = "a vertex that is chosen at random among all is the one of the person"

    @abstractmethod
    def classes(self, graph: Graph, labels: IntArray | None) -> IntArray:
        """Return numbers of the vertices of a graph: equal where they look alike to the attacker."""

    def find_in(self, target: GraphTarget) -> Candidates:
        chosen = self.chosen(target)
        if isinstance(target.published, ClusteredGraph):
            places = target.places[chosen]
            counts = np.where(places >= 0, target.published.sizes[places], 0)
            return candidates_of(target, chosen, counts, places >= 0)
        both, labels = joined(target)
        looks = self.classes(both, labels)
        known, seen = looks[: target.original.vertices][chosen], looks[target.original.vertices :]
        counts = np.bincount(seen, minlength=int(looks.max(initial=0)) + 1)[known]
        places = target.places[chosen]
        return candidates_of(target, chosen, counts, (places >= 0) & (seen[places] == known))

    def evaluate_in(self, found: Candidates, target: GraphTarget) -> AttackSuccess:
        return found.success(self.name, [IN_GROUPS] if isinstance(target.published, ClusteredGraph) else ())


def candidates_of(target: GraphTarget, chosen: IntArray, counts: IntArray, is_found: BoolArray) -> Candidates:
    """Return the candidates of some original vertices: how many there are, and whether the right one is among them."""
    is_published = target.places[chosen] >= 0
    return Candidates(
        chosen, counts, is_found.astype(np.int64), target.published.vertices, is_published.astype(np.int64)
    )


def joined(target: GraphTarget) -> tuple[Graph, IntArray | None]:
    """Return the graph before and the published one as one graph of two parts, with the attributes that are known.

    What looks alike in both has the same number then, whatever the numbers are.
    """
    before, after = target.original, target.published
    if not isinstance(after, Graph):
        raise TypeError("super-vertices have no vertices to compare")
    edges = np.concatenate([before.edges.astype(np.int64), after.edges.astype(np.int64) + before.vertices])
    both = Graph.of_codes(edges, before.vertices + after.vertices)
    shown = published_labels(target, after)
    return both, None if shown is None else np.concatenate([sought_labels(target, shown), shown])


def published_labels(target: GraphTarget, published: Graph) -> IntArray | None:
    """Return the attributes of published vertices that are known, as numbers; nothing where there are none."""
    return labels_of(published, [name for name in target.known if name in published.attributes.columns])


def sought_labels(target: GraphTarget, shown: IntArray) -> IntArray:
    """Return the published label that each original vertex is looked for by.

    Whoever knows a value and its hierarchy knows what it was generalized to. A vertex that is left out has a label of
    its own.
    """
    return np.where(target.places >= 0, shown[target.places], int(shown.max(initial=0)) + 1)


class VertexRefinementAttack(VertexCandidateAttack):
    """Finds a person by the degrees of the vertices around, as far as the attacker sees.

    With depth 1 the attacker knows the degree of the person, with depth 2 the degrees of all neighbors, and so on.
    Where edges were changed, the person may no longer look as before; the attacker is then misled by others who do, or
    left to guess.

    References
    ----------
    Hay, Miklau, Jensen, Towsley, Weis, "Resisting structural re-identification in anonymized social networks",
    PVLDB 1(1), 2008.

    Examples
    --------
    >>> friends = Graph.of_codes(np.array([[0, 1], [0, 2], [1, 3], [1, 4], [1, 5], [2, 5], [3, 4], [5, 6]]), 7)
    >>> found = VertexRefinementAttack(depth=2).find(GraphTarget.unprotected(friends, np.random.default_rng(1)))
    >>> found.counts.tolist(), found.unique
    ([3, 1, 1, 3, 3, 1, 1], 4)
    """

    name: ClassVar[str] = "vertex-refinement"
    aliases: ClassVar[tuple[str, ...]] = ("h-i",)
    title: ClassVar[str] = "vertex refinement"
    knowledge: ClassVar[str] = "the degree of a person, the degrees of the neighbors, and so on up to a depth"
    reference: ClassVar[str] = HAY

    depth: int | None = Field(default=2, ge=0, description="how far the attacker sees; without, to the end")

    def classes(self, graph: Graph, labels: IntArray | None) -> IntArray:
        return refine(graph, self.depth, labels)


class NeighborhoodAttack(VertexCandidateAttack):
    """Finds a person by the neighbors, their labels and the edges among them.

    References
    ----------
    Zhou, Pei, "Preserving privacy in social networks against neighborhood attacks", ICDE 2008.

    Examples
    --------
    >>> friends = Graph.of_codes(np.array([[0, 1], [0, 2], [1, 2], [2, 3]]), 4)
    >>> NeighborhoodAttack().find(GraphTarget.unprotected(friends, np.random.default_rng(1))).counts.tolist()
    [2, 2, 1, 1]
    """

    name: ClassVar[str] = "neighborhood"
    aliases: ClassVar[tuple[str, ...]] = ("neighbourhood", "1-neighborhood")
    title: ClassVar[str] = "1-neighborhood"
    knowledge: ClassVar[str] = "the neighbors of a person, their labels, and which of them are connected"
    reference: ClassVar[str] = (
        "Zhou, Pei, Preserving privacy in social networks against neighborhood attacks, ICDE 2008"
    )

    def classes(self, graph: Graph, labels: IntArray | None) -> IntArray:
        return neighborhood_classes(graph, labels)
