"""What is written in functional syntax is read back."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.data.ontologies import AxiomType, Ontology, OntologyBuilder, normalize
from krypsis.format.functional_document import functional_document
from ontologies.random_ontologies import random_ontology, seeds


def axioms(ontology: Ontology) -> set[str]:
    return {ontology.functional(place) for place in range(len(ontology))}


@given(seeds())
def test_a_document_holds_the_same_axioms(rng: np.random.Generator) -> None:
    ontology = random_ontology(rng, axioms=25)
    again = Ontology.of_text(functional_document(ontology))
    assert axioms(again) == axioms(ontology)
    assert functional_document(again) == functional_document(ontology)


@given(seeds())
def test_the_order_of_axioms_does_not_show(rng: np.random.Generator) -> None:
    ontology = random_ontology(rng)
    order = rng.permutation(len(ontology))
    builder = OntologyBuilder()  # names get other numbers
    for name in rng.permutation(ontology.classes.to_list()):
        builder.class_named(str(name))
    shuffled = Ontology.of_text("\n".join(ontology.functional(int(place)) for place in order))
    assert functional_document(ontology.select(order)) == functional_document(ontology)
    assert functional_document(shuffled) == functional_document(ontology)


NAMES = st.one_of(
    st.sampled_from(
        [":A", ":a.b", ":-x", "http://e.org/A", "http://e.org/a/b", "urn:x:1", "john", "http://e.org/", ":x.", ":"]
    ),
    st.text(
        st.characters(exclude_categories=["Cs", "Cc", "Z"], exclude_characters='<>"{}|^`\\'), min_size=1, max_size=8
    ),
).filter(lambda name: not name.startswith("_:"))  # which are nodes without a name


@given(st.lists(NAMES, min_size=2, max_size=5, unique=True), st.sampled_from(["", "http://e.org/", "http://e.org/a"]))
def test_any_name_is_read_back(names: list[str], prefix: str) -> None:
    builder = OntologyBuilder(prefixes={":": prefix, "e:": "http://e.org/"} if prefix else {})
    role = builder.role(names[0])
    for name in names:
        builder.axiom(AxiomType.MEMBER, builder.some(role, builder.class_named(name)), builder.nominal(name))
    ontology = builder.build()
    again = Ontology.of_text(functional_document(ontology))
    assert axioms(again) == axioms(ontology)


def test_what_may_not_stand_in_a_name_is_written_otherwise() -> None:
    builder = OntologyBuilder()
    builder.axiom(AxiomType.MEMBER, builder.class_named("in <ward> 5"), builder.nominal('"'))
    again = Ontology.of_text(functional_document(builder.build()))
    assert again.functional(0) == "ClassAssertion(<in%20%3Cward%3E%205> <%22>)"


def test_names_of_removed_axioms_and_their_prefixes_are_not_in_the_document() -> None:
    ontology = Ontology.of_text(
        "Prefix(s:=<http://secret.org/>) Prefix(:=<http://e.org/>)"
        "SubClassOf(:A ObjectSomeValuesFrom(:r :B)) ClassAssertion(s:HIV s:ann) SubObjectPropertyOf(s:r :r)"
    )
    document = functional_document(ontology.select([0]))
    assert "secret" not in document
    assert "Declaration(ObjectProperty(e:r))" in document
    assert "<http://secret.org/" in functional_document(replace(ontology, prefixes={}))


def test_repeated_axioms_stand_there_once() -> None:
    ontology = Ontology.of_text("DisjointClasses(:A :B) DisjointClasses(:B :A)", repeated=True)
    assert len(ontology) == 2
    assert functional_document(ontology).count("DisjointClasses") == 1
    assert len(Ontology.of_text("DisjointClasses(:A :B) DisjointClasses(:B :A)")) == 1


@pytest.mark.parametrize("axiom", ["DisjointClasses(:A :A)", "SameIndividual(:a :a)", "EquivalentClasses(:A :A)"])
def test_arguments_may_repeat(axiom: str) -> None:
    ontology = Ontology.of_text(axiom)
    assert axioms(Ontology.of_text(functional_document(ontology))) == {axiom}
    assert len(normalize(ontology).sources["sub"]) + len(normalize(ontology).sources["conjunction"]) > 0
