"""What attacks on graphs have in common: the graph the attacker knows, what is published, and who is who."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import Field

from krypsis.arrays import IntArray
from krypsis.attacks.base import Attack, AttackSuccess
from krypsis.data.graphs import Graph, PublishedGraph
from krypsis.errors import UsageError


@dataclass(frozen=True, eq=False, repr=False)
class GraphTarget:
    """A published graph, with the one it was made of: an attacker knows parts of that, and ``places`` is the truth.

    Examples
    --------
    >>> friends = Graph.of_edges([("ann", "bob"), ("bob", "cy")])
    >>> GraphTarget.unprotected(friends, np.random.default_rng(1)).published
    Graph(3 vertices; 2 edges)
    """

    original: Graph
    published: PublishedGraph
    places: IntArray
    """Original vertex → its number in the published graph, or of its super-vertex; -1 where it is left out."""
    known: tuple[str, ...] = ()
    """Attributes that the attacker knows of everybody."""
    sensitive: tuple[str, ...] = ()
    republish: Callable[[Graph], GraphTarget] | None = None
    """Publishes another graph by the same method, for attackers who change the graph before it is published."""

    @classmethod
    def unprotected(
        cls, graph: Graph, rng: np.random.Generator, known: tuple[str, ...] = (), sensitive: tuple[str, ...] = ()
    ) -> GraphTarget:
        """Return a graph published as it is, under random numbers: what an attack finds where nothing is protected."""
        order = rng.permutation(graph.vertices)
        return cls(graph, graph.renumbered(order), np.argsort(order), known, sensitive)

    def before(self, seed: int = 1) -> GraphTarget:
        """Return the graph before as a target of the same attackers, published as it is."""
        return self.unprotected(self.original, np.random.default_rng(seed), self.known, self.sensitive)

    @classmethod
    def of(cls, target: object) -> GraphTarget | None:
        """Return the target in a release that still knows the graph before; nothing for anything else."""
        if isinstance(target, GraphTarget):
            return target
        publication: Any = getattr(target, "publication", None)
        before = getattr(target, "before", None)
        if before is None or before.graph is None:
            return None
        known, sensitive = publication.known_names, publication.sensitive_names
        return cls(before.graph, publication.graph, before.places, known, sensitive, _republishing(before.republish))


def _republishing(
    publish: Callable[[Graph], tuple[PublishedGraph, IntArray]] | None,
) -> Callable[[Graph], GraphTarget] | None:
    if publish is None:
        return None

    def republish(graph: Graph) -> GraphTarget:
        return GraphTarget(graph, *publish(graph))

    return republish


class GraphAttack(Attack):
    """An attack on a published graph.

    ``sample`` limits how many vertices are attacked: all where there are not more, else that many drawn at random.
    """

    kind: ClassVar[str] = "graph"
    reported: ClassVar[bool] = True
    """Whether every report shows it; what takes long is tried on request."""

    sample: int = Field(default=2000, ge=1, description="how many vertices are attacked at most")
    seed: int = Field(default=1, ge=0, description="of the random choices of the attack")

    def aimed_at(self, target: object) -> tuple[Self, ...]:
        """Return the attack for graphs that it can be tried on, nothing for anything else."""
        found = GraphTarget.of(target)
        return (self,) if found is not None and self.fits(found) else ()

    def fits(self, target: GraphTarget) -> bool:  # noqa: ARG002  of attacks on some forms only
        """Say whether the attack can be tried on a graph published in this form."""
        return True

    def find(self, target: Any) -> Any:
        """Carry out the attack on a release that was made in this program, or on a :class:`GraphTarget`."""
        return self.find_in(self.target_of(target))

    def evaluate(self, found: Any, target: Any) -> AttackSuccess:
        """Return how often what was found is a success."""
        return self.evaluate_in(found, self.target_of(target))

    def chosen(self, target: GraphTarget) -> IntArray:
        """Return the original vertices that are attacked."""
        count = target.original.vertices
        if count <= self.sample:
            return np.arange(count)
        return np.sort(np.random.default_rng(self.seed).choice(count, self.sample, replace=False))

    def target_of(self, target: object) -> GraphTarget:
        """Return the graph that is attacked.

        Raises
        ------
        UsageError
            if it is none, or the graph before is not known.
        """
        found = GraphTarget.of(target)
        if found is None:
            name = str(target) if isinstance(target, str | Path) else type(target).__name__
            raise UsageError(
                f"{self.name} compares a published graph with the one before, and {name} does not bring it; use the "
                "release as krypsis.anonymize returns it, or give the plan: krypsis attack RELEASE --plan plan.yaml"
            )
        return found

    @abstractmethod
    def find_in(self, target: GraphTarget) -> Any:
        """Carry out the attack and return what is learned."""

    @abstractmethod
    def evaluate_in(self, found: Any, target: GraphTarget) -> AttackSuccess:
        """Return how often what was found is a success."""
