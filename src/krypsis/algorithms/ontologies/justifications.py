"""Justifications: the axioms that something follows from, and how it follows from them, step by step in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from krypsis.algorithms.minimal_removal import minimal_justifications
from krypsis.algorithms.ontologies.completion.base import CompletionEngine
from krypsis.algorithms.ontologies.completion.in_memory import InMemoryCompletion
from krypsis.algorithms.ontologies.fact_words import FactWords
from krypsis.algorithms.ontologies.leaks import LeakGraph, find_leaks
from krypsis.algorithms.ontologies.provenance import STATED_ONLY, Provenance
from krypsis.algorithms.ontologies.secrets import ANYTHING, Secrets
from krypsis.arrays import IntArray
from krypsis.data.ontologies.ontology import Ontology
from krypsis.errors import UsageError
from krypsis.progress import NO_PROGRESS, Progress

RULES = {
    1: "inclusion", 2: "conjunction", 3: "inclusion", 4: "existential restriction", 5: "role inclusion",
    6: "role chain", 7: "a target without members", 8: "role chain", 9: "role chain", 10: "role chain", 11: "inclusion",
    12: "role inclusion", 13: "reflexivity", 14: "reflexivity", 15: "an individual related to itself", 16: "identity",
}  # fmt: skip
"""Rule → its name for people."""


@dataclass(frozen=True)
class Premise:
    """What a step needs: an axiom, or the conclusion of an earlier step."""

    text: str
    axiom: int | None = None
    """The axiom that states it, where one of the justification does."""
    step: int | None = None
    """The earlier step that concludes it."""


@dataclass(frozen=True)
class DerivationStep:
    """One step of a derivation.

    Examples
    --------
    >>> DerivationStep("john : Ill", 1, (Premise("john : Infected", axiom=4),), (Premise("Infected ⊑ Ill", axiom=0),))
    DerivationStep('john : Ill, because john : Infected, by Infected ⊑ Ill')
    """

    conclusion: str
    rule: int
    """1 for IR1, and so on; 0 where an axiom states the conclusion."""
    because: tuple[Premise, ...]
    """What is known of the subject of the conclusion."""
    by: tuple[Premise, ...] = ()
    """What is generally known."""

    def __repr__(self) -> str:
        return f"DerivationStep({self.sentence!r})"

    @property
    def sentence(self) -> str:
        """The step in words."""
        because = " and ".join(one.text for one in self.because)
        by = " and ".join(one.text for one in self.by)
        return self.conclusion + f", because {because}" * bool(because) + f", by {by}" * bool(by)


@dataclass(frozen=True)
class Justification:
    """Axioms from which something follows, none of which can be spared, and how it follows."""

    goal: str
    axioms: tuple[int, ...]
    texts: tuple[str, ...]
    """The axioms for people."""
    steps: tuple[DerivationStep, ...]
    """Each after those that it needs; a goal that is an axiom itself has one step."""

    def __str__(self) -> str:
        return "\n".join(
            [f"{self.goal} follows from {', '.join(self.texts)}:", *(f"  {one}" for one in self.sentences)]
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """The steps in words."""
        return tuple(step.sentence for step in self.steps)


def justifications(
    ontology: Ontology,
    axiom: str,
    limit: int | None = 10,
    *,
    engine: CompletionEngine | None = None,
    progress: Progress = NO_PROGRESS,
) -> tuple[Justification, ...]:
    """Return minimal sets of axioms that an axiom follows from, the smallest first; none if it does not follow.

    Parameters
    ----------
    ontology
        the axioms.
    axiom
        in functional syntax, of the types that a secret may have.
    limit
        how many are returned at most; ``None`` for all, of which there may be very many.
    engine
        completes the ontology; in memory unless given.
    progress
        hears of the phases.

    Examples
    --------
    >>> ontology = Ontology.of_text("SubClassOf(:A :B) SubClassOf(:B :C) ClassAssertion(:A :a) ClassAssertion(:B :a)")
    >>> for justification in justifications(ontology, "ClassAssertion(:C :a)"):
    ...     print(justification)
    a : C follows from B ⊑ C, a : B:
      a : C, because a : B, by B ⊑ C
    a : C follows from A ⊑ B, B ⊑ C, a : A:
      a : B, because a : A, by A ⊑ B
      a : C, because a : B, by B ⊑ C
    """
    if ANYTHING.search(axiom):
        raise UsageError(f"{axiom}: '?' stands for anything in secrets; name one axiom to have it explained")
    secrets = Secrets.of([axiom], ontology, for_parts=False)
    progress.phase("complete")
    closure = (engine or InMemoryCompletion()).complete(secrets.normal[0], progress)
    progress.phase("search")
    provenance = Provenance(closure)
    graph = LeakGraph.of(find_leaks(secrets, provenance), provenance)
    found = []
    for place, goal in enumerate(graph.goals.tolist()):
        sets, _ = minimal_justifications(graph.derivations, goal, graph.axioms, limit)
        found += [explain(graph, place, graph.axioms_of(one)) for one in sets]
    return tuple(sorted(found, key=lambda one: (len(one.axioms), one.axioms))[:limit])


def explain(graph: LeakGraph, leak: int, axioms: IntArray | Sequence[int]) -> Justification:
    """Return how a leak follows from axioms."""
    chosen = np.asarray(axioms, dtype=np.int64)
    ontology = graph.dependencies.provenance.forms.ontology
    return Justification(
        graph.leaks[leak].readable,
        tuple(chosen.tolist()),
        tuple(ontology.readable(one) for one in chosen.tolist()),
        tuple(_Steps(graph, chosen).of(int(graph.goals[leak]))),
    )


class _Steps:
    """Puts the firings of one derivation into words; what only defines fresh names is passed over."""

    def __init__(self, graph: LeakGraph, axioms: IntArray) -> None:
        self.graph, self.dependencies = graph, graph.dependencies
        self.given = graph.dependencies.axioms(axioms)
        self.ontology = graph.dependencies.provenance.forms.ontology
        self.words = FactWords(graph.dependencies.provenance.forms)
        self.stated: dict[int, int | None] = {}
        """Statement → the axiom that states it, nothing where it holds always."""
        self.step_of: dict[int, int] = {}

    def of(self, goal: int) -> Iterator[DerivationStep]:
        derivations = self.graph.derivations
        steps: list[DerivationStep] = []
        for firing in derivations.steps(goal, self.given):
            conclusion, premises = int(derivations.conclusions[firing]), derivations.premises_of(firing).tolist()
            if firing < len(self.dependencies.rules):
                step = self._step(int(self.dependencies.rules[firing]), conclusion, premises)
                if step is not None:
                    self.step_of[conclusion] = len(steps)
                    steps.append(step)
            elif conclusion < len(self.dependencies.facts):
                self.stated[conclusion] = int(self.graph.axioms_of(premises)[0]) if premises else None
        if not steps:  # the axiom itself, or a part of it
            by = tuple(
                Premise(self.ontology.readable(one), axiom=one) for one in self.graph.axioms_of(self.given).tolist()
            )
            leak = self.graph.leaks[self.graph.goals.tolist().index(goal)]
            steps.append(DerivationStep(leak.readable, 0, (), by))
        yield from steps

    def _step(self, rule: int, conclusion: int, premises: list[int]) -> DerivationStep | None:
        because: list[Premise] = []
        by: list[Premise] = []
        for one in premises:
            table, row = self._row(one)
            if one in self.stated and self.stated[one] is None and self.words.is_definition(table, row):
                continue
            premise = Premise(self.words.of(table, row), self.stated.get(one), self.step_of.get(one))
            same_subject = table not in STATED_ONLY and row[0] == self._row(conclusion)[1][0]
            (because if same_subject or one in self.step_of else by).append(premise)
        text = self.words.of(*self._row(conclusion))
        if not by and len(because) == 1 and because[0].text == text:  # only another name for the same
            if because[0].step is not None:
                self.step_of[conclusion] = because[0].step
            self.stated[conclusion] = because[0].axiom
            return None
        return DerivationStep(text, rule, tuple(because), tuple(by))

    def _row(self, statement: int) -> tuple[str, list[int]]:
        return self.dependencies.provenance.table_of(int(self.dependencies.facts[statement]))
