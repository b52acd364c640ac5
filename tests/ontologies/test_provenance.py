"""Provenance: the firings that a closure shows are those of the rules, and give its subsets, too."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings

from effort import either, examples
from krypsis.algorithms.ontologies.completion.base import closure_of
from krypsis.algorithms.ontologies.provenance import DERIVED, Provenance
from krypsis.data.ontologies.closure import Closure
from krypsis.data.ontologies.normal_forms import NormalForms
from ontologies.naive_closure import firings, naive_closure, saturated, stated, tautologies
from ontologies.random_ontologies import Sizes, forms_of, normal_forms, random_forms

VIRUS, NOT_VACCINATED, ILL, TYPE_X, VACCINATED_1994, JOHN, VA = range(2, 9)


def slow_closure(forms: NormalForms) -> Closure:
    """The closure of the oracle in the form of engines."""
    found = naive_closure(forms)
    widths = (2, 3, 2)
    rows = [
        np.array(sorted(each), dtype=np.int32).reshape(-1, width) for each, width in zip(found, widths, strict=True)
    ]
    return closure_of(forms, *rows)


def vaccination() -> NormalForms:
    """The six axioms of the source's example, in its order but for the tables: 3, 4, 5, 1, 6, 2."""
    tables = {
        "conjunction": [[VIRUS, NOT_VACCINATED, ILL]],
        "some_left": [[0, TYPE_X, NOT_VACCINATED]],
        "sub": [[VA, TYPE_X], [JOHN, VACCINATED_1994], [JOHN, VIRUS]],
        "some_right": [[VACCINATED_1994, 0, VA]],
    }
    return forms_of(tables, classes=5, individuals=2)


def words(provenance: Provenance, fact: int) -> tuple:
    name, row = provenance.table_of(fact)
    return (DERIVED.get(name, name), *row)


def test_the_dependency_graph_of_the_vaccination_example():
    provenance = Provenance(slow_closure(vaccination()))
    goal = provenance.sub_facts([JOHN], [ILL])
    graph = provenance.graph(goal, every_firing=True)
    one, two = ("conjunction", VIRUS, NOT_VACCINATED, ILL), ("some_left", 0, TYPE_X, NOT_VACCINATED)
    three, four, five = ("sub", VA, TYPE_X), ("sub", JOHN, VACCINATED_1994), ("sub", JOHN, VIRUS)
    six = ("some_right", VACCINATED_1994, 0, VA)
    i1, i2 = ("some_right", JOHN, 0, VA), ("sub", VACCINATED_1994, NOT_VACCINATED)
    i3, i4 = ("sub", JOHN, NOT_VACCINATED), ("sub", JOHN, ILL)
    facts = [words(provenance, fact) for fact in graph.facts.tolist()]
    assert set(facts) == {one, two, three, four, five, six, i1, i2, i3, i4}
    assert {words(provenance, fact) for fact in graph.explicit.tolist()} == {one, two, three, four, five, six}
    found = {
        (
            rule,
            frozenset(facts[place] for place in graph.derivations.premises_of(firing).tolist()),
            facts[graph.derivations.conclusions[firing]],
        )
        for firing, rule in enumerate(graph.rules.tolist())
    }
    assert len(graph.rules) == 5
    assert found == {
        (3, frozenset({four, six}), i1),
        (4, frozenset({six, three, two}), i2),
        (1, frozenset({four, i2}), i3),
        (4, frozenset({i1, three, two}), i3),
        (2, frozenset({five, i3, one}), i4),
    }
    axioms = graph.axioms(np.arange(6))
    assert graph.derivations.justification(int(graph.places(goal)[0]), axioms).tolist() == axioms.tolist()


@settings(max_examples=examples(100), deadline=None)
@given(normal_forms())
def test_every_firing_of_the_rules_is_found(forms: NormalForms):
    provenance = Provenance(slow_closure(forms))
    known = saturated(stated(forms), forms)
    free = tautologies(forms)
    expected = set()
    for firing in firings(known, forms):
        premises = frozenset(firing.premises) - free
        if firing.conclusion not in premises and firing.conclusion not in free:
            expected.add((firing.rule, premises, firing.conclusion))
    every = np.arange(provenance.tables["conjunction"].first)
    graph = provenance.graph(every, every_firing=True)
    facts = [words(provenance, fact) for fact in graph.facts.tolist()]
    found = [
        (
            rule,
            frozenset(facts[place] for place in graph.derivations.premises_of(firing).tolist()),
            facts[graph.derivations.conclusions[firing]],
        )
        for firing, rule in enumerate(graph.rules.tolist())
    ]
    assert set(found) == expected
    assert len(found) == len(expected)


FEW = Sizes(
    classes=3, individuals=2, roles=2, sub=3, conjunction=1, some_right=2, some_left=2, self_right=1, self_left=1,
    role_sub=1, role_chain=1,
)  # fmt: skip


@pytest.mark.parametrize("every_firing", [False, True])
def test_chaining_forward_gives_the_closure_of_every_subset(every_firing: bool):
    for seed in range(either(200, 1)):
        forms = random_forms(np.random.default_rng(seed), FEW)
        provenance = Provenance(slow_closure(forms))
        every = np.arange(provenance.tables["conjunction"].first)
        graph = provenance.graph(every, every_firing=every_firing)
        facts = [words(provenance, fact) for fact in graph.facts.tolist()]
        axioms = range(len(forms.ontology))
        for size in range(0, len(axioms) + 1, either(1, 3)):
            for kept in combinations(axioms, size):
                left = naive_closure(forms.without(np.setdiff1d(axioms, kept)))
                expected = {(name, *row) for name, rows in zip(DERIVED.values(), left, strict=True) for row in rows}
                derived = graph.derivations.derivable(graph.axioms(np.array(kept, dtype=np.int64)))
                found = {facts[place] for place in np.flatnonzero(derived[: len(facts)]).tolist()}
                assert {fact for fact in found if fact[0] in DERIVED.values()} == expected, seed


@settings(max_examples=examples(60), deadline=None)
@given(normal_forms())
def test_few_firings_are_enough_for_random_subsets(forms: NormalForms):
    provenance = Provenance(slow_closure(forms))
    if not len(provenance.closure.sub):
        return
    goals = provenance.tables["sub"].first + np.arange(len(provenance.closure.sub))
    graph = provenance.graph(goals)
    rng = np.random.default_rng(0)
    for _ in range(8):
        kept = np.flatnonzero(rng.random(len(forms.ontology)) < 0.7)
        left = naive_closure(forms.without(np.setdiff1d(np.arange(len(forms.ontology)), kept)))
        derived = graph.derivations.derivable(graph.axioms(kept))[graph.places(goals)]
        assert {tuple(row) for row in provenance.closure.sub[derived].tolist()} == left.sub
