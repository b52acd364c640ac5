"""Derive secrets by logic."""

from dataclasses import dataclass
from typing import ClassVar

from krypsis.algorithms.ontologies.completion.in_memory import InMemoryCompletion
from krypsis.algorithms.ontologies.leaks import find_leaks
from krypsis.algorithms.ontologies.provenance import Provenance
from krypsis.algorithms.ontologies.secrets import Secrets
from krypsis.attacks.base import AttackSuccess
from krypsis.attacks.ontologies.base import OntologyAttack, OntologyTarget
from krypsis.data.ontologies import Ontology
from krypsis.data.ontologies.merging import merged


@dataclass(frozen=True, eq=False)
class DerivedSecrets:
    """The secrets that are true, and those that the attacker derives with and without the release."""

    true: frozenset[str]
    with_release: frozenset[str]
    without_release: frozenset[str]


class DerivationAttack(OntologyAttack):
    """Derives everything that follows from the published axioms together with what is public.

    References
    ----------
    Kazakov, Krötzsch, Simančík, "The incredible ELK", Journal of Automated Reasoning 53, 2014, on the rules.

    Examples
    --------
    >>> facts = Ontology.of_text("ClassAssertion(:Smoker :ann)")
    >>> rules = Ontology.of_text("SubClassOf(:Smoker :AtRisk)")
    >>> print(DerivationAttack().run(OntologyTarget(facts, facts, rules, ("ClassAssertion(:AtRisk ?)",))).rate)
    1.0
    """

    name: ClassVar[str] = "derivation"
    title: ClassVar[str] = "derivation of secrets"
    knowledge: ClassVar[str] = "the axioms that are public, and the rules of logic"
    success: ClassVar[str] = "the attacker derives a secret that is true"
    baseline: ClassVar[str] = "the share of the secrets that follow from what is public alone"
    reference: ClassVar[str] = (
        "Kazakov, Krötzsch, Simančík, The incredible ELK, Journal of Automated Reasoning 53, 2014"
    )

    def find_in(self, target: OntologyTarget) -> DerivedSecrets:
        public = [] if target.public is None else [target.public]
        # All names are known to whoever asks, also where nothing is published about them.
        names = target.original.select([])
        each = ([target.original, *public], [target.published, *public, names], [*public, names])
        return DerivedSecrets(*(_derived(parts, target.secrets) for parts in each))

    def evaluate_in(self, found: DerivedSecrets, target: OntologyTarget) -> AttackSuccess:  # noqa: ARG002
        count = max(len(found.true), 1)
        return AttackSuccess.of(
            self.name,
            targets=len(found.true),
            rate=len(found.with_release & found.true) / count,
            baseline=len(found.without_release & found.true) / count,
            certain=len(found.with_release & found.true),
            cannot_say=("What is likely, and does not follow for certain, is not counted.",),
        )


def _derived(parts: list[Ontology], secrets: tuple[str, ...]) -> frozenset[str]:
    """Return the secrets, those of patterns one by one, that follow from some axioms."""
    asked = Secrets.of(secrets, merged(parts)[0])
    return frozenset(
        leak.text for leak in find_leaks(asked, Provenance(InMemoryCompletion().complete(asked.normal[0])))
    )
