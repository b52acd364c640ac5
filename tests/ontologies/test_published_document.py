"""The published document is a function of its axioms: neither prefixes of the data nor their order are in it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from krypsis.data.ontologies import AxiomType, Ontology, OntologyBuilder
from krypsis.format.functional_document import functional_document

NAMES = st.one_of(
    st.sampled_from(
        [
            *("http://e.org/drugs.owl#Drug", "http://e.org/drugs.owl#a b", "http://f.org/drugs#Drug", "a#"),
            *("http://f.org/drugs#x.y", "http://www.U1.edu", "urn:x:y", "urn:x:z", ":Drug", ":a b", "Drug", "http://e.org/2004/0401/A"),
            *("http://e.org/2004/0401/B", "http://www.w3.org/2002/07/owl#Odd", "owl:Drug", "http://e.org/<a>", "::x"),
        ]
    ),
    st.text(st.sampled_from("ab/:#. <>%-_é1"), min_size=1, max_size=8),
)  # fmt: skip


def ontology_of(names: list[str]) -> Ontology:
    builder = OntologyBuilder()
    person = builder.nominal("http://e.org/ann")
    for name in names:
        builder.axiom(AxiomType.MEMBER, builder.class_named(name), person)
    return builder.build()


@settings(max_examples=examples(500))
@given(st.lists(NAMES, min_size=1, max_size=8, unique=True))
def test_it_is_read_back_and_written_again_byte_by_byte(names: list[str]):
    ontology = ontology_of(names)
    text = functional_document(ontology)
    again = Ontology.of_text(text)
    assert functional_document(again) == text
    assert len(again) == len({ontology.functional(place) for place in range(len(ontology))})


@settings(max_examples=examples(100))
@given(st.lists(NAMES, min_size=1, max_size=6, unique=True), st.randoms())
def test_neither_prefixes_nor_order_of_the_data_change_it(names: list[str], random):
    named = replace(ontology_of(names), prefixes={"john-has-hiv:": "http://e.org/", ":": "urn:x:"})
    random.shuffle(names)
    assert functional_document(named) == functional_document(ontology_of(names))


def test_prefixes_are_called_by_what_they_stand_for():
    first, other = "http://www.example.org/drugs.owl#", "http://example.com/drugs/"
    lines = functional_document(ontology_of([first + "A", first + "B", other + "C", other + "D"])).splitlines()
    assert lines[0] == f"Prefix(drugs2:=<{first}>)"
    assert lines[1] == f"Prefix(drugs:=<{other}>)"
    assert "ClassAssertion(drugs2:A <http://e.org/ann>)" in lines


@pytest.mark.parametrize("prefix", ["john-has-hiv", ""])
def test_a_document_with_prefixes_of_its_own_is_another_one(prefix: str):
    text = functional_document(ontology_of(["http://e.org/A", "http://e.org/B"]))
    changed = text.replace("(e:", f"({prefix}:").replace(" e:", f" {prefix}:")
    assert changed != text
    assert functional_document(Ontology.of_text(changed)) == text


def test_very_many_names_are_written_quickly():
    numbers = np.arange(20_000)
    text = functional_document(ontology_of([f"http://e.org/{one % 500}/x{one}" for one in numbers]))
    assert text.count("ClassAssertion(") == len(numbers)
