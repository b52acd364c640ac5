"""What attacks on ontologies have in common: what is published and public, and what was true before."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from krypsis.attacks.base import Attack, AttackSuccess
from krypsis.data.ontologies import Ontology
from krypsis.errors import UsageError


@dataclass(frozen=True, eq=False, repr=False)
class OntologyTarget:
    """Published axioms with those that are public, and the axioms and secrets that they were made of."""

    original: Ontology
    published: Ontology
    public: Ontology | None
    secrets: tuple[str, ...]

    def before(self) -> OntologyTarget:
        """Return the target as if nothing had been removed."""
        return replace(self, published=self.original)

    @classmethod
    def of(cls, target: object) -> OntologyTarget | None:
        """Return the target in a release that still knows the ontology before; nothing for anything else."""
        if isinstance(target, OntologyTarget):
            return target
        publication: Any = getattr(target, "publication", None)
        before = getattr(target, "before", None)
        if before is None or before.ontology is None:
            return None
        return cls(before.ontology, publication.axioms, publication.public, before.secrets)


class OntologyAttack(Attack):
    """An attack on published axioms."""

    kind: ClassVar[str] = "ontology"

    def aimed_at(self, target: object) -> tuple[Self, ...]:
        """Return the attack for ontologies, nothing for anything else."""
        return (self,) if OntologyTarget.of(target) is not None else ()

    def find(self, target: Any) -> Any:
        """Carry out the attack on a release that was made in this program, or on an :class:`OntologyTarget`."""
        return self.find_in(self.target_of(target))

    def evaluate(self, found: Any, target: Any) -> AttackSuccess:
        """Return how often what was found is a success."""
        return self.evaluate_in(found, self.target_of(target))

    def target_of(self, target: object) -> OntologyTarget:
        """Return what is attacked.

        Raises
        ------
        UsageError
            if there is nothing to compare with.
        """
        found = OntologyTarget.of(target)
        if found is None:
            raise UsageError(
                f"{self.name} compares with the ontology before, which a release that was loaded from its files does "
                "not carry; give the plan it was made by"
            )
        return found

    @abstractmethod
    def find_in(self, target: OntologyTarget) -> Any:
        """Return what the attacker learns."""

    @abstractmethod
    def evaluate_in(self, found: Any, target: OntologyTarget) -> AttackSuccess:
        """Return how often that is right."""
