"""Leaks: the secrets that follow from an ontology, and everything they can be derived from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from krypsis.algorithms.minimal_removal import Derivations
from krypsis.algorithms.ontologies.provenance import ABSENT, FREE, DependencyGraph, Provenance
from krypsis.algorithms.ontologies.secrets import ANY_INDIVIDUAL, Secrets, SecretTest
from krypsis.arrays import BoolArray, IntArray
from krypsis.data.ontologies.normal_forms import BOTTOM, FIRST_CLASS, TOP
from krypsis.data.ontologies.ontology import AxiomType, Ontology

Alternatives = tuple[int, ...]
"""Facts, any one of which is enough; empty where nothing is needed."""


@dataclass(frozen=True, eq=False)
class Leak:
    """A secret that follows."""

    secret: int
    """Which of the given secrets it is, or is an instance of; -1 for a contradiction, by which all of them follow."""
    axioms: Ontology
    """All secrets that follow, as axioms."""
    place: int
    """Which of these axioms it is."""
    needed: tuple[Alternatives, ...]
    """It follows where one fact of each of these does."""

    @property
    def text(self) -> str:
        """The secret in functional syntax."""
        return "a contradiction" if self.secret < 0 else self.axioms.functional(self.place)

    @property
    def readable(self) -> str:
        """The secret for people."""
        return "a contradiction" if self.secret < 0 else self.axioms.readable(self.place)


def find_leaks(secrets: Secrets, provenance: Provenance) -> list[Leak]:
    """Return all secrets that follow, in the order in which they were given.

    The closure is that of the normal forms of the secrets. A contradiction is one leak, for all secrets together.

    Examples
    --------
    >>> from krypsis.algorithms.ontologies.completion.in_memory import InMemoryCompletion
    >>> ontology = Ontology.of_text("ClassAssertion(:Ill :john) SubClassOf(:Ill :Patient)")
    >>> secrets = Secrets.of(["ClassAssertion(:Patient ?)"], ontology)
    >>> closure = InMemoryCompletion().complete(secrets.normal[0])
    >>> [leak.readable for leak in find_leaks(secrets, Provenance(closure))]
    ['john : Patient']
    """
    each = list(_Search(secrets, provenance).leaks())
    axioms = secrets.axioms([(test, atom) for test, atom, _ in each])
    found = [Leak(test.secret, axioms, place, needed) for place, (test, _, needed) in enumerate(each)]
    contradictions = contradictory_facts(provenance)
    if len(contradictions) and secrets.tests:
        found.append(Leak(-1, axioms, -1, (tuple(contradictions.tolist()),)))
    return found


def contradictory_facts(provenance: Provenance) -> IntArray:
    """Return the facts that say of ⊤, or of an individual, that it has no members."""
    forms, rows = provenance.forms, provenance.tables["sub"].rows
    is_there = (rows[:, 0] == TOP) | ((rows[:, 0] >= forms.first_individual) & (rows[:, 0] < forms.first_fresh))
    return np.flatnonzero((rows[:, 1] == BOTTOM) & is_there) + provenance.tables["sub"].first


class _Search:
    def __init__(self, secrets: Secrets, provenance: Provenance) -> None:
        self.secrets, self.provenance = secrets, provenance
        self.forms, self.lefts, self.rights = secrets.normal
        self.rows = provenance.tables["sub"].rows

    def leaks(self) -> Iterator[tuple[SecretTest, int | None, tuple[Alternatives, ...]]]:
        """Return tests that succeed, what stands for anything in them, and what is needed for it."""
        single = self._single_facts()
        for test in self.secrets.tests:
            if test.is_pattern:
                yield from self._instances(test)
            else:
                needed = [next(single) for _ in test.inclusions]
                if None not in needed:
                    yield test, None, tuple(one for one in needed if one)

    def _single_facts(self) -> Iterator[Alternatives | None]:
        """Return for each inclusion of tests that are no patterns the facts that decide it, nothing if it fails."""
        each = [one for test in self.secrets.tests if not test.is_pattern for one in test.inclusions]
        # An individual that is included in ⊥ is a contradiction, which is a leak of its own; and so is ⊤.
        asked = [
            (place, right)
            for place, one in enumerate(each)
            for right in (one.rights if self._is_there(self.lefts[one.left]) else (*one.rights, None))
        ]
        left = np.array([self.lefts[each[place].left] for place, _ in asked], dtype=np.int64)
        right = np.array([BOTTOM if one is None else self.rights[one] for _, one in asked], dtype=np.int64)
        facts: list[list[int]] = [[] for _ in each]
        for (place, _), fact in zip(asked, self.provenance.sub_facts(left, right).tolist(), strict=True):
            facts[place].append(fact)
        for own in facts:
            if FREE in own:
                yield ()
            else:
                yield tuple(sorted({fact for fact in own if fact != ABSENT})) or None

    def _is_there(self, atom: int) -> bool:
        """Say whether an atom has members if there is no contradiction."""
        return atom == TOP or self.forms.first_individual <= atom < self.forms.first_fresh

    @cached_property
    def _by_right(self) -> tuple[IntArray, IntArray]:
        order = np.argsort(self.rows[:, 1], kind="stable")
        return order, self.rows[order, 1]

    def _instances(self, test: SecretTest) -> Iterator[tuple[SecretTest, int, tuple[Alternatives, ...]]]:
        """Return a leak for whatever is included in the right side of a pattern, or is empty."""
        (inclusion,) = test.inclusions
        is_individual = inclusion.left == ANY_INDIVIDUAL
        first, last = (
            (self.forms.first_individual, self.forms.first_fresh)
            if is_individual
            else (FIRST_CLASS, self.forms.first_individual)
        )
        facts: dict[int, list[int]] = {}
        order, rights = self._by_right
        targets = [self.rights[right] for right in inclusion.rights] + [BOTTOM] * (not is_individual)
        for target in dict.fromkeys(targets):
            low, high = np.searchsorted(rights, [target, target + 1]).tolist()
            for place in order[low:high].tolist():
                atom = int(self.rows[place, 0])
                if first <= atom < last and atom != target:
                    facts.setdefault(atom, []).append(place + self.provenance.tables["sub"].first)
        for atom, own in sorted(facts.items()):
            yield test, atom, (tuple(own),)


@dataclass(frozen=True, eq=False, repr=False)
class LeakGraph:
    """All derivations of leaks: a graph whose last statements are the leaks themselves."""

    leaks: Sequence[Leak]
    dependencies: DependencyGraph
    derivations: Derivations
    goals: IntArray
    """The statements of the leaks."""

    @classmethod
    def of(cls, leaks: Sequence[Leak], provenance: Provenance, more: IntArray | None = None) -> LeakGraph:
        """Return the derivations of leaks.

        Parameters
        ----------
        leaks, provenance
            what was found, and where.
        more
            other facts whose derivations are wanted, too.
        """
        facts = [fact for leak in leaks for alternatives in leak.needed for fact in alternatives]
        others = np.zeros(0, dtype=np.int64) if more is None else more
        wanted = np.unique(np.concatenate([np.array(facts, dtype=np.int64), others]))
        graph = provenance.graph(wanted)
        base = graph.derivations
        place_of = dict(zip(wanted.tolist(), graph.places(wanted).tolist(), strict=True))
        firings: list[tuple[list[int], int]] = []
        goals = []
        statements = base.statements
        for leak in leaks:
            parts = []
            for alternatives in leak.needed:
                parts.append(statements)
                firings += [([place_of[fact]], statements) for fact in alternatives]
                statements += 1
            goals.append(statements)
            firings.append((parts, statements))
            statements += 1
        added = Derivations.of(statements, firings)
        derivations = Derivations(
            statements,
            np.concatenate([base.conclusions, added.conclusions]),
            np.concatenate([base.premise_starts, added.premise_starts[1:] + base.premise_starts[-1]]),
            np.concatenate([base.premises, added.premises]),
        )
        return cls(leaks, graph, derivations, np.array(goals, dtype=np.int64))

    def around(self, place: int) -> LeakGraph:
        """Return the derivations of one leak alone."""
        goal, facts = int(self.goals[place]), len(self.dependencies.facts)
        mask = self.derivations.ancestors([goal])
        reached = np.flatnonzero(mask)
        own = reached[reached < facts]
        # All axioms keep their place after the facts; what tests add follows.
        kept = np.concatenate([own, self.axioms, reached[reached >= facts + len(self.axioms)]])
        number = np.full(self.derivations.statements, -1, dtype=np.int64)
        number[kept] = np.arange(len(kept))
        firings = self.derivations.firings_of(reached)
        rules = self.dependencies.rules[firings[firings < len(self.dependencies.rules)]]
        part = self.derivations.part(firings, number, len(kept))
        base = replace(self.dependencies, facts=self.dependencies.facts[own], rules=rules, derivations=part)
        return LeakGraph([self.leaks[place]], base, part, number[[goal]])

    @property
    def axioms(self) -> IntArray:
        """The statements of all axioms, in their order."""
        return self.dependencies.axioms(np.arange(len(self.dependencies.provenance.forms.ontology)))

    def axioms_of(self, statements: IntArray | Sequence[int]) -> IntArray:
        """Return the axioms that statements stand for."""
        return np.asarray(statements, dtype=np.int64) - len(self.dependencies.facts)

    @property
    def is_consequence(self) -> BoolArray:
        """Which statements are inclusions between names of the ontology, and no fresh names or parts of tests."""
        provenance = self.dependencies.provenance
        first_fresh, roles = provenance.forms.first_fresh, len(provenance.forms.ontology.roles)
        counted = [
            (provenance.tables["sub"].rows < first_fresh).all(axis=1),
            (provenance.tables["some"].rows < [first_fresh, roles, first_fresh]).all(axis=1),
            (provenance.tables["selves"].rows < [first_fresh, roles]).all(axis=1),
        ]
        every = np.concatenate([*counted, np.zeros(provenance.count, dtype=np.bool_)])
        found = np.zeros(self.derivations.statements, dtype=np.bool_)
        found[: len(self.dependencies.facts)] = every[self.dependencies.facts]
        return found


def axiom_key(ontology: Ontology, axiom: int) -> tuple[int, ...]:
    """Return what two axioms that say the same have in common."""
    kind, given = int(ontology.types[axiom]), ontology.arguments[axiom].tolist()
    return (kind, *(sorted(given) if kind in (AxiomType.SAME, AxiomType.EQUIVALENT) else given))
