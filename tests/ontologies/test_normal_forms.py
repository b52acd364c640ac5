"""Axioms as normal forms: each type alone, fresh names, ranges, and the axioms that rows come from."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

from krypsis.data.ontologies import Ontology, normalize
from krypsis.data.ontologies.merging import merged
from krypsis.data.ontologies.normal_forms import DEFINITION, FORMS, MOST_PAIRS_OF, NormalForms
from ontologies.naive_closure import naive_closure
from ontologies.random_ontologies import random_ontology, seeds


def rows(text: str) -> dict[str, list[tuple[str, ...]]]:
    """Return the tables that have rows, with names: those of fresh atoms and roles are X0, X1, … and R0, R1, …"""
    forms = normalize(Ontology.of_text(text))
    return {
        name: [named(forms, name, row) for row in getattr(forms, name).tolist()]
        for name in FORMS
        if len(getattr(forms, name))
    }


ROLE_PLACES = {
    "some_right": (1,),
    "some_left": (0,),
    "self_right": (1,),
    "self_left": (0,),
    "role_sub": (0, 1),
    "role_chain": (0, 1, 2),
}


def named(forms: NormalForms, table: str, row: list[int]) -> tuple[str, ...]:
    ontology = forms.ontology
    atoms = ["⊤", "⊥", *ontology.classes, *(f"{{{one}}}" for one in ontology.individuals)]
    atoms += [f"X{place}" for place in range(forms.atoms - len(atoms))]
    roles = [*ontology.roles, *(f"R{place}" for place in range(forms.roles - len(ontology.roles)))]
    places = ROLE_PLACES.get(table, ())
    return tuple((roles[one] if place in places else atoms[one]).replace(":", "") for place, one in enumerate(row))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The twelve types of Figure 5.2, in the order of the table.
        ("SubClassOf(:A :B)", {"sub": [("A", "B")]}),
        ("SubClassOf(ObjectIntersectionOf(:A :B) :C)", {"conjunction": [("A", "B", "C")]}),
        ("SubClassOf(:A ObjectSomeValuesFrom(:r :B))", {"some_right": [("A", "r", "B")]}),
        ("SubClassOf(ObjectSomeValuesFrom(:r :A) :B)", {"some_left": [("r", "A", "B")]}),
        ("SameIndividual(:a :b)", {"sub": [("{a}", "{b}"), ("{b}", "{a}")]}),
        ("ClassAssertion(:A :a)", {"sub": [("{a}", "A")]}),
        ("SubClassOf(:A ObjectHasSelf(:r))", {"self_right": [("A", "r")]}),
        ("SubClassOf(ObjectHasSelf(:r) :A)", {"self_left": [("r", "A")]}),
        ("SubClassOf(owl:Thing :A)", {"sub": [("⊤", "A")]}),
        ("SubClassOf(:A owl:Nothing)", {"sub": [("A", "⊥")]}),
        ("SubObjectPropertyOf(:r :s)", {"role_sub": [("r", "s")]}),
        ("SubObjectPropertyOf(ObjectPropertyChain(:r :s) :t)", {"role_chain": [("r", "s", "t")]}),
        # What stands for them: role assertions, domains, disjointness, transitivity, and the rest of the rewriting.
        ("ObjectPropertyAssertion(:r :a :b)", {"some_right": [("{a}", "r", "{b}")]}),
        ("ObjectPropertyDomain(:r :A)", {"some_left": [("r", "⊤", "A")]}),
        ("DisjointClasses(:A :B)", {"conjunction": [("A", "B", "⊥")]}),
        ("SubClassOf(:A ObjectComplementOf(:B))", {"conjunction": [("A", "B", "⊥")]}),
        ("DifferentIndividuals(:a :b)", {"conjunction": [("{a}", "{b}", "⊥")]}),
        ("TransitiveObjectProperty(:r)", {"role_chain": [("r", "r", "r")]}),
        ("ReflexiveObjectProperty(:r)", {"self_right": [("⊤", "r")]}),
        ("EquivalentObjectProperties(:r :s)", {"role_sub": [("r", "s"), ("s", "r")]}),
        ("EquivalentClasses(:A :B)", {"sub": [("A", "B"), ("B", "A")]}),
        ("SubClassOf(:A ObjectIntersectionOf(:B :C))", {"sub": [("A", "B"), ("A", "C")]}),
        ("SubClassOf(ObjectUnionOf(:A :B) :C)", {"sub": [("A", "C"), ("B", "C")]}),
        ("SubClassOf(:A ObjectHasValue(:r :a))", {"some_right": [("A", "r", "{a}")]}),
        (
            "NegativeObjectPropertyAssertion(:r :a :b)",
            {"conjunction": [("{a}", "X0", "⊥")], "some_left": [("r", "{b}", "X0")]},
        ),
        # Fresh names for nested parts, in the direction that is needed.
        (
            "SubClassOf(ObjectSomeValuesFrom(:r ObjectSomeValuesFrom(:s :A)) :B)",
            {"some_left": [("s", "A", "X0"), ("r", "X0", "B")]},
        ),
        (
            "SubClassOf(:A ObjectSomeValuesFrom(:r ObjectSomeValuesFrom(:s :B)))",
            {"some_right": [("X0", "s", "B"), ("A", "r", "X0")]},
        ),
        (
            "SubClassOf(ObjectIntersectionOf(:B ObjectSomeValuesFrom(:r :A)) :C)",
            {"conjunction": [("B", "X0", "C")], "some_left": [("r", "A", "X0")]},
        ),
        # Long conjunctions and chains are folded into binary ones.
        ("SubClassOf(ObjectIntersectionOf(:A :B :C) :D)", {"conjunction": [("A", "B", "X0"), ("X0", "C", "D")]}),
        ("SubObjectPropertyOf(ObjectPropertyChain(:r :s :t) :u)", {"role_chain": [("r", "s", "R0"), ("R0", "t", "u")]}),
    ],
)
def test_each_axiom_alone(text: str, expected: dict[str, list[tuple[str, ...]]]) -> None:
    found = rows(text)
    assert {name: sorted(each) for name, each in found.items()} == {
        name: sorted(each) for name, each in expected.items()
    }


def test_rows_know_the_axiom_that_they_come_from() -> None:
    ontology = Ontology.of_text(
        "SubClassOf(:A :B) SubClassOf(ObjectSomeValuesFrom(:r ObjectSomeValuesFrom(:s :A)) :B)"
        "SubClassOf(ObjectSomeValuesFrom(:s :A) :C) ObjectPropertyAssertion(:r :a :b)"
    )
    forms = normalize(ontology)
    assert forms.sources["sub"].tolist() == [0]
    by_row = dict(zip(map(tuple, forms.some_left.tolist()), forms.sources["some_left"].tolist(), strict=True))
    assert sorted(by_row.values()) == [DEFINITION, 1, 2]
    assert forms.sources["some_right"].tolist() == [3]
    without = forms.without(np.array([1]))
    assert without.sources["some_left"].tolist() == [source for source in forms.sources["some_left"] if source != 1]
    assert len(without.some_left) == 2, "what a fresh name stands for stays"


def test_a_fresh_name_stands_for_one_expression() -> None:
    shared = "ObjectIntersectionOf(:A ObjectSomeValuesFrom(:r :B))"
    forms = normalize(
        Ontology.of_text(
            f"SubClassOf(ObjectSomeValuesFrom(:s {shared}) :C) SubClassOf(ObjectSomeValuesFrom(:t {shared}) :D)"
        )
    )
    assert forms.atoms - forms.first_fresh == 2
    assert [forms.ontology.expressions.operators[one] for one in forms.meanings[forms.first_fresh :]] == [4, 5]


def subsumptions(text: str) -> set[tuple[str, str]]:
    """Return the inclusions between names that follow, by the rules in plain Python."""
    forms = normalize(Ontology.of_text(text))
    closure = naive_closure(forms)
    pairs = [named(forms, "sub", list(pair)) for pair in sorted(closure.sub) if max(pair) < forms.first_fresh]
    return {pair for pair in pairs if pair[0] != pair[1] and pair[1] != "⊤"}


def test_a_range_holds_for_targets_of_all_narrower_roles() -> None:
    ranges = "ObjectPropertyRange(:s :R) SubObjectPropertyOf(:r :s) "
    assert ("A", "C") in subsumptions(
        ranges + "SubClassOf(:A ObjectSomeValuesFrom(:r :B)) "
        "SubClassOf(ObjectSomeValuesFrom(:r ObjectIntersectionOf(:B :R)) :C)"
    )
    assert ("B", "R") not in subsumptions(ranges + "SubClassOf(:A ObjectSomeValuesFrom(:r :B))")
    assert ("{b}", "R") in subsumptions(ranges + "ObjectPropertyAssertion(:r :a :b)")
    assert ("A", "R") in subsumptions(ranges + "SubClassOf(:A ObjectHasSelf(:r))")
    assert ("{b}", "R") in subsumptions(ranges + "ClassAssertion(ObjectHasValue(:r :b) :a)")
    assert ("⊤", "R") in subsumptions(ranges + "ReflexiveObjectProperty(:r)")


def test_many_disjoint_classes_need_no_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f":C{place}" for place in range(MOST_PAIRS_OF + 20)]
    assert len(normalize(Ontology.of_text(f"DisjointClasses({' '.join(names)})")).conjunction) == len(names) - 1
    monkeypatch.setattr("krypsis.data.ontologies.normal_forms.MOST_PAIRS_OF", 3)
    text = f"DisjointClasses({' '.join(names[:5])})"
    for one, other in combinations(names[:5], 2):
        assert ("A", "⊥") in subsumptions(f"{text} SubClassOf(:A {one}) SubClassOf(:A {other})")
    assert ("A", "⊥") not in subsumptions(f"{text} SubClassOf(:A :C2)")


@given(seeds())
def test_two_parts_have_the_normal_forms_of_the_whole(rng: np.random.Generator) -> None:
    ontology = random_ontology(rng)
    texts = [ontology.functional(place) for place in range(len(ontology))]
    middle = len(texts) // 2
    both, origin = merged(
        [Ontology.of_text("\n".join(part), repeated=True) for part in (texts[:middle], texts[middle:])]
    )
    assert [both.functional(place) for place in range(len(both))] == texts
    assert origin.tolist() == [0] * middle + [1] * (len(texts) - middle)
    counts = [{name: len(getattr(normalize(each), name)) for name in FORMS} for each in (both, ontology)]
    assert counts[0] == counts[1]
