"""Classification against the closure of the rules, and against what other reasoners found in public ontologies."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from tests.effort import examples
from tests.ontologies.naive_closure import naive_closure
from tests.ontologies.random_ontologies import random_ontology, seeds

from krypsis.algorithms.ontologies.taxonomy import ALL, UNSATISFIABLE, ClassTaxonomy, classify
from krypsis.data.ontologies import AxiomType, Ontology, Operator, normalize
from krypsis.data.ontologies.normal_forms import BOTTOM, FIRST_CLASS, TOP
from krypsis.errors import UnknownNameError


def inclusions(found: ClassTaxonomy) -> set[tuple[int, int]]:
    """Return all inclusions between two classes that follow from places and direct rows."""
    above: dict[int, set[int]] = {place: {place, ALL} for place in range(found.place_count)}
    for _ in range(found.place_count):
        for lower, upper in found.direct.tolist():
            above[lower] |= above[upper]
    places = found.places.tolist()
    pairs = permutations(range(len(places)), 2)
    return {
        (one, two)
        for one, two in pairs
        if places[one] == UNSATISFIABLE or (places[two] != UNSATISFIABLE and places[two] in above[places[one]])
    }


def expected_inclusions(ontology: Ontology) -> tuple[set[tuple[int, int]], bool]:
    """Return all inclusions between two classes by the naive rules, and whether there is no contradiction."""
    forms = normalize(ontology)
    sub = naive_closure(forms).sub
    consistent = (TOP, BOTTOM) not in sub and not any(
        two == BOTTOM and forms.first_individual <= one < forms.first_fresh for one, two in sub
    )
    count = len(ontology.classes)
    return {
        (one, two)
        for one, two in permutations(range(count), 2)
        if not consistent or not sub.isdisjoint({(one + FIRST_CLASS, two + FIRST_CLASS), (one + FIRST_CLASS, BOTTOM)})
    }, consistent


@given(seeds())
@settings(max_examples=examples(500))
def test_it_orders_classes_as_the_rules_do(rng: np.random.Generator) -> None:
    ontology = random_ontology(rng)
    found = classify(ontology)
    expected, consistent = expected_inclusions(ontology)
    assert found.is_consistent == consistent
    assert inclusions(found) == expected
    assert found.inclusions == len(expected)


@given(seeds())
@settings(max_examples=examples(300))
def test_no_direct_inclusion_follows_from_others(rng: np.random.Generator) -> None:
    rows = classify(random_ontology(rng)).direct.tolist()
    above: dict[int, set[int]] = {}
    for lower, upper in rows:
        above.setdefault(lower, set()).add(upper)
    for lower, upper in rows:
        reached, waiting = set(), list(above[lower] - {upper})
        while waiting:
            one = waiting.pop()
            reached.add(one)
            waiting += above.get(one, set()) - reached
        assert upper not in reached
        assert lower != upper


def test_classes_without_members_stand_apart() -> None:
    found = classify(Ontology.of_text("DisjointClasses(:A :B) SubClassOf(:C :A) SubClassOf(:C :B) SubClassOf(:D :C)"))
    assert found.unsatisfiable == [":C", ":D"]
    assert found.above(":C") == []
    assert found.below(":A") == []
    assert found.inclusions == 2 * 3


def test_classes_that_include_everything_are_above_all() -> None:
    found = classify(Ontology.of_text("SubClassOf(owl:Thing :A) SubClassOf(:B :C) ClassAssertion(:A :a)"))
    assert found.same_as(":A") == [":A"]
    assert found.above(":C") == [":A"]
    assert found.types_of(":a") == [":A"]


def test_everything_follows_from_a_contradiction() -> None:
    found = classify(
        Ontology.of_text("DisjointClasses(:A :B) ClassAssertion(:A :a) ClassAssertion(:B :a) SubClassOf(:C :D)")
    )
    assert not found.is_consistent
    assert sorted(found.unsatisfiable) == [":A", ":B", ":C", ":D"]
    assert found.inclusions == 4 * 3


def test_individuals_are_in_the_lowest_classes_and_may_be_the_same() -> None:
    text = "SubClassOf(:A :B) ClassAssertion(:A :a) ClassAssertion(:C :b) SameIndividual(:a :b) ClassAssertion(:B :c)"
    found = classify(Ontology.of_text(text))
    assert found.types_of(":a") == found.types_of(":b") == [":A", ":C"]
    assert found.types_of(":c") == [":B"]
    names = found.ontology.individuals
    assert [names[int(one)] for one in found.first_same] == [":a", ":a", ":c"]


def test_an_empty_ontology_has_an_empty_taxonomy() -> None:
    found = classify(Ontology.of_text(""))
    assert found.inclusions == 0
    assert found.direct.tolist() == []
    assert found.frame.height == 0


def test_a_name_that_is_not_there_is_named() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean ':Drug'"):
        classify(Ontology.of_text("SubClassOf(:Drug :Thing)")).above(":Drugs")


def test_very_many_individuals_are_put_into_classes() -> None:
    count = 20_000
    text = " ".join(f"ClassAssertion(:C{number % 50} :a{number})" for number in range(count))
    text += " ".join(f" SubClassOf(:C{number} :C{number + 1})" for number in range(49))
    found = classify(Ontology.of_text(text))
    assert len(found.types) == count


GOLD = {
    "galen-el.nt.gz": 453_710,
    "go-2019-01-27.obo.xz": 570_709,
    "hp-pyhpo4.obo.xz": 195_395,
    "galen-small.owl.xz": 27_980,
}
"""Ontology → inclusions between two classes, as three independent reasoners found them."""


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::krypsis.errors.DataWarning")
@pytest.mark.parametrize("file", GOLD)
def test_it_finds_as_many_inclusions_as_other_reasoners(file: str, data_folder: Path) -> None:
    found = classify(Ontology.read(data_folder / "ontologies" / file, ignore_unsupported=True))
    assert found.inclusions == GOLD[file]
    assert found.unsatisfiable == []


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::krypsis.errors.DataWarning")
def test_it_finds_what_is_entailed_in_the_extract_of_the_gene_ontology(data_folder: Path) -> None:
    # What is entailed is stated there between names, and nothing else is between two of them.
    folder = data_folder / "ontologies"
    found = classify(Ontology.read(folder / "go-extract-asserted.owx.xz", ignore_unsupported=True))
    entailed = Ontology.read(folder / "go-extract-entailed.owx.xz", ignore_unsupported=True)
    is_name = entailed.expressions.operators == Operator.NAME
    kinds = (AxiomType.SUBCLASS, AxiomType.EQUIVALENT)
    chosen = [
        axiom
        for axiom, kind in enumerate(entailed.types.tolist())
        if kind in kinds and is_name[entailed.arguments[axiom]].all()
    ]
    assert len(chosen) > 690
    assert named_inclusions(found) == named_inclusions(classify(entailed.select(chosen)))


def named_inclusions(found: ClassTaxonomy) -> set[tuple[str, str]]:
    names = found.ontology.classes.to_list()
    return {(names[one], names[two]) for one, two in inclusions(found)}


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::krypsis.errors.DataWarning")
def test_it_finds_as_many_inclusions_in_univ_bench_as_its_authors_count(data_folder: Path) -> None:
    found = classify(Ontology.read(data_folder / "ontologies" / "UNIV-BENCH-OWL2EL.ofn.gz", ignore_unsupported=True))
    # They count ⊤ as a class, and each class as included in itself.
    classes = len(found.places)
    assert found.inclusions + classes + (classes + 1) == 504
