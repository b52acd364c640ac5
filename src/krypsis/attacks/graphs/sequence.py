"""Find a person in several releases of a graph that changes, by what is known of each."""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import Field

from krypsis.arrays import IntArray
from krypsis.attacks.base import AttackSuccess
from krypsis.attacks.graphs.base import GraphAttack, GraphTarget
from krypsis.attacks.graphs.candidates import Candidates, candidates_of, joined
from krypsis.data.graphs.refinement import refine
from krypsis.errors import UsageError


class CandidateIntersectionAttack(GraphAttack):
    """Intersects the candidates of a person over several releases in which everybody keeps the same number.

    Each release alone may promise k candidates. Who keeps the number must be among the candidates of every release, and
    few are: the promises of single releases do not add up.

    References
    ----------
    The gap is named by Zhou, Pei, Luk, "A brief survey on anonymization techniques for privacy preserving publishing of
    social network data", SIGKDD Explorations 10(2), 2008, section 6; the intersection is that of Ganta,
    Kasiviswanathan, Smith, "Composition attacks and auxiliary information in data privacy", KDD 2008.

    Examples
    --------
    >>> from krypsis.data.graphs import Graph
    >>> weeks = [Graph.of_codes(np.array(edges), 4) for edges in ([[0, 1], [2, 3]], [[0, 2], [1, 3]], [[0, 1], [0, 2]])]
    >>> targets = [GraphTarget(week, week, np.arange(4)) for week in weeks]
    >>> CandidateIntersectionAttack().find(targets).counts.tolist()
    [1, 2, 2, 1]
    """

    name: ClassVar[str] = "candidate-intersection"
    title: ClassVar[str] = "intersection of candidates"
    knowledge: ClassVar[str] = "the degree of a person in each release, or the degrees around up to a depth"
    success: ClassVar[str] = (
        "a vertex that is chosen at random among those that fit all releases, or among all where none does, is the "
        "one of the person"
    )
    baseline: ClassVar[str] = "a vertex that is chosen at random among all is the one of the person"
    reference: ClassVar[str] = (
        "Ganta, Kasiviswanathan, Smith, Composition attacks and auxiliary information in data privacy, KDD 2008"
    )

    depth: int = Field(default=1, ge=0, description="how far the attacker sees")

    def aimed_at(self, target: object) -> tuple[Self, ...]:
        """Return the attack for several releases, nothing for one."""
        return (self,) if isinstance(target, Sequence) and not isinstance(target, str) else ()

    def find(self, target: Any) -> Candidates:
        """Intersect the candidates of all releases.

        Parameters
        ----------
        target
            releases of the same people under the same numbers, each a :class:`GraphTarget` or a release.
        """
        if not self.aimed_at(target):
            raise UsageError(f"{self.name} compares several releases; give a list of them")
        releases = [self.target_of(one) for one in target]
        if not releases:
            raise UsageError("there is no release to attack; give at least one")
        first = releases[0]
        if any(
            len(one.published) != len(first.published) or len(one.original) != len(first.original) for one in releases
        ):
            raise UsageError("releases of different people cannot be compared; give graphs with the same vertices")
        chosen = self.chosen(first)
        fitting = np.ones((len(chosen), len(first.published)), dtype=np.bool_)
        for one in releases:
            both, labels = joined(one)
            looks = refine(both, self.depth, labels)
            known, seen = looks[: len(one.original)][chosen], looks[len(one.original) :]
            fitting &= known[:, None] == seen[None, :]
        places: IntArray = first.places[chosen]
        own = fitting[np.arange(len(chosen)), places] & (places >= 0)
        return candidates_of(first, chosen, fitting.sum(axis=1), own)

    def evaluate(self, found: Candidates, target: Any) -> AttackSuccess:  # noqa: ARG002
        """Return how often a guess among the candidates is right."""
        return found.success(self.name)

    def find_in(self, target: GraphTarget) -> Candidates:
        return self.find([target])

    def evaluate_in(self, found: Candidates, target: GraphTarget) -> AttackSuccess:
        return self.evaluate(found, [target])
