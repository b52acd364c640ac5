"""Learn whether two people are connected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from pydantic import Field

from krypsis.arrays import BoolArray, CodeArray, FloatArray, IntArray
from krypsis.attacks.base import AttackSuccess
from krypsis.attacks.graphs.base import GraphAttack, GraphTarget
from krypsis.attacks.graphs.candidates import joined
from krypsis.data.graphs import ClusteredGraph
from krypsis.data.graphs.refinement import refine

UNSEEN = (
    "For {:,} of the pairs nobody published looks like one of the two people; the attacker believes what holds for all "
    "pairs."
)


@dataclass(frozen=True, eq=False)
class LearnedLinks:
    """The probability of an edge, as the attacker sees it, for pairs that are connected and for pairs that are not."""

    linked: FloatArray
    unlinked: FloatArray
    baseline: float
    unseen: int = 0
    """Connected pairs of which nobody published looks like one of the two: the attacker believes the baseline."""

    @property
    def certain_links(self) -> int:
        """Connected pairs whose edge is certain."""
        return int((self.linked >= 1).sum())

    @property
    def certain_non_links(self) -> int:
        """Pairs without an edge of which that is certain."""
        return int((self.unlinked <= 0).sum())


class LinkDisclosureAttack(GraphAttack):
    """Learns with which probability two people are connected, from how many pairs that look like them are.

    The attacker knows something about both people, and so two groups of published vertices. The probability of an edge
    is the share of the pairs of these groups that are connected.

    References
    ----------
    Hay, Miklau, Jensen, Towsley, Weis, "Resisting structural re-identification in anonymized social networks",
    PVLDB 1(1), 2008, on edge disclosure.

    Examples
    --------
    >>> from krypsis.data.graphs import Graph
    >>> square = Graph.of_codes(np.array([[0, 1], [1, 2], [2, 3], [3, 0]]), 4)
    >>> found = LinkDisclosureAttack().find(GraphTarget.unprotected(square, np.random.default_rng(1)))
    >>> round(found.linked[0], 3), found.certain_links
    (np.float64(0.667), 0)
    """

    name: ClassVar[str] = "link-disclosure"
    title: ClassVar[str] = "link disclosure"
    knowledge: ClassVar[str] = "the degrees of two people, or the degrees around them up to a depth"
    success: ClassVar[str] = (
        "the attacker, who believes in an edge as often as pairs that look like the two people have one, is right "
        "about two who are connected"
    )
    baseline: ClassVar[str] = "the share of all pairs that are connected"
    reference: ClassVar[str] = (
        "Hay, Miklau, Jensen, Towsley, Weis, Resisting structural re-identification in anonymized social networks, "
        "PVLDB 1(1), 2008"
    )

    depth: int = Field(default=1, ge=0, description="how far the attacker sees")

    def find_in(self, target: GraphTarget) -> LearnedLinks:
        rng, before = np.random.default_rng(self.seed), target.original
        linked = before.edges.astype(np.int64)
        if len(linked) > self.sample:
            linked = linked[rng.choice(len(linked), self.sample, replace=False)]
        pairs = rng.integers(0, max(before.vertices, 1), (self.sample, 2))
        is_edge = np.isin(_keys(np.sort(pairs, axis=1), before.vertices), _keys(before.edges, before.vertices))
        unlinked = pairs[(pairs[:, 0] != pairs[:, 1]) & ~is_edge]
        chance = _Chances.of(target, self.depth)
        possible = before.vertices * (before.vertices - 1) / 2
        baseline = len(before.edges) / max(possible, 1)
        unseen = int((~chance.is_seen(linked)).sum())
        return LearnedLinks(chance.of_pairs(linked, baseline), chance.of_pairs(unlinked, baseline), baseline, unseen)

    def evaluate_in(self, found: LearnedLinks, target: GraphTarget) -> AttackSuccess:  # noqa: ARG002
        return AttackSuccess.of(
            self.name,
            targets=len(found.linked),
            rate=float(found.linked.mean()) if len(found.linked) else 0.0,
            baseline=found.baseline,
            certain=float(found.certain_links),
            cannot_say=[
                UNSEEN.format(found.unseen) if found.unseen else "",
                f"Of {len(found.unlinked):,} pairs without an edge, {found.certain_non_links:,} certainly have none.",
            ],
        )


def _keys(pairs: IntArray | CodeArray, vertices: int) -> IntArray:
    return np.asarray(pairs[:, 0].astype(np.int64) * max(vertices, 1) + pairs[:, 1])


@dataclass(frozen=True, eq=False)
class _Chances:
    """The share of connected pairs between each two groups of published vertices."""

    groups: IntArray
    """Where each person of the graph before is looked for; -1 where nobody published looks like it."""
    sizes: IntArray
    keys: IntArray
    counts: IntArray

    @classmethod
    def of(cls, target: GraphTarget, depth: int) -> _Chances:
        published = target.published
        if isinstance(published, ClusteredGraph):
            order = np.argsort(keys := _keys(published.superedges, len(published)))
            return cls(target.places, published.sizes, keys[order], published.counts[order])
        both, labels = joined(target)
        looks = refine(both, depth, labels)
        known, seen = looks[: target.original.vertices], looks[target.original.vertices :]
        sizes = np.bincount(seen, minlength=int(looks.max(initial=0)) + 1)
        ends = np.sort(seen[published.edges], axis=1)
        keys, counts = np.unique(_keys(ends, len(sizes)), return_counts=True)
        return cls(np.where(sizes[known] > 0, known, -1), sizes, keys, counts)

    def is_seen(self, pairs: IntArray) -> BoolArray:
        """Say for which pairs somebody published looks like each of the two."""
        return np.asarray((self.groups[pairs] >= 0).all(axis=1))

    def of_pairs(self, pairs: IntArray, unseen: float) -> FloatArray:
        """Return the chance of an edge of each pair; ``unseen`` where nobody looks like one of the two."""
        groups = np.sort(self.groups[pairs], axis=1)
        first, second = self.sizes[groups[:, 0]], self.sizes[groups[:, 1]]
        possible = np.where(groups[:, 0] == groups[:, 1], first * (first - 1) // 2, first * second)
        wanted = _keys(groups, len(self.sizes))
        place = np.minimum(np.searchsorted(self.keys, wanted), max(len(self.keys) - 1, 0))
        there = np.zeros(len(pairs), dtype=np.bool_) if not len(self.keys) else self.keys[place] == wanted
        counts = np.where(there, self.counts[place], 0) if len(self.keys) else np.zeros(len(pairs), dtype=np.int64)
        return np.where(self.is_seen(pairs), counts / np.maximum(possible, 1), unseen)
