"""Which axioms the language has, where individuals, unions and complements may stand, and how axioms read."""

import pytest

from krypsis.data.ontologies import AxiomType, Ontology, OntologyBuilder
from krypsis.data.ontologies.language import outside_language
from krypsis.errors import DataError


@pytest.mark.parametrize(
    "axiom",
    [
        "SubClassOf(ObjectOneOf(:a) :A)",
        "SubClassOf(ObjectOneOf(:a) ObjectOneOf(:b))",
        "SubClassOf(:A ObjectSomeValuesFrom(:r ObjectOneOf(:a)))",
        "SubClassOf(ObjectSomeValuesFrom(:r ObjectOneOf(:a)) :A)",
        "SubClassOf(ObjectIntersectionOf(:A ObjectOneOf(:a)) :B)",
        "SubClassOf(ObjectSomeValuesFrom(:r ObjectUnionOf(:A :B)) :C)",
        "SubClassOf(:A ObjectComplementOf(ObjectUnionOf(:B ObjectOneOf(:a))))",
        "SubClassOf(:A ObjectSomeValuesFrom(:r ObjectComplementOf(:B)))",
        "DisjointClasses(ObjectUnionOf(:A :B) ObjectOneOf(:a))",
        "ClassAssertion(ObjectOneOf(:b) :a)",
        "EquivalentClasses(ObjectOneOf(:a) ObjectOneOf(:b))",
        "ObjectPropertyRange(:r :A) ClassAssertion(ObjectHasValue(:r :b) :a)",
        "ObjectPropertyRange(:r :A) ObjectPropertyRange(:s :A) SubObjectPropertyOf(ObjectPropertyChain(:q :s) :r)",
        "ObjectPropertyRange(:r :A) TransitiveObjectProperty(:r)",
    ],
)
def test_what_the_language_has(axiom: str) -> None:
    assert outside_language(Ontology.of_text(axiom)) == {}


@pytest.mark.parametrize(
    "axiom",
    [
        "SubClassOf(:A ObjectOneOf(:a))",
        "SubClassOf(:A ObjectIntersectionOf(:B ObjectOneOf(:a)))",
        "SubClassOf(:A ObjectSomeValuesFrom(:r ObjectIntersectionOf(:B ObjectOneOf(:a))))",
        "EquivalentClasses(:A ObjectOneOf(:a))",
        "ObjectPropertyDomain(:r ObjectOneOf(:a))",
        "ObjectPropertyRange(:r ObjectUnionOf(:A :B))",
        "ClassAssertion(ObjectUnionOf(:A :B) :a)",
        "DisjointClasses(:A ObjectComplementOf(:B))",
        "SubClassOf(:A ObjectComplementOf(ObjectComplementOf(:B)))",
        "SubClassOf(ObjectSomeValuesFrom(:r ObjectComplementOf(:A)) :B)",
    ],
)
def test_what_it_has_not(axiom: str) -> None:
    with pytest.raises(DataError, match="is outside of the language"):
        Ontology.of_text(axiom)


def test_the_first_axiom_outside_is_named_with_its_line_and_the_number_of_all() -> None:
    with pytest.raises(DataError, match=r"line 2: A ⊑ B ⊔ C is outside of the language: .* 2 axiom\(s\) are"):
        Ontology.of_text("SubClassOf(:A :B)\nSubClassOf(:A ObjectUnionOf(:B :C))\nSymmetricObjectProperty(:r)")


def test_ignored_axioms_are_counted_by_construct() -> None:
    ontology = Ontology.of_text(
        "SubClassOf(:A :B) SubClassOf(:A ObjectUnionOf(:B :C)) SubClassOf(:A ObjectUnionOf(:B :D)) HasKey(:A () (:p))",
        ignore_unsupported=True,
    )
    assert ontology.left_out == {"a union on the right of an inclusion": 2, "a key": 1}
    assert len(ontology) == 1


def test_of_an_equivalence_the_half_in_the_language_is_kept() -> None:
    ontology = Ontology.of_text(
        "SubClassOf(:X :Y)\nEquivalentClasses(:A ObjectUnionOf(:B :C))\nObjectPropertyRange(:r :R)\n"
        "EquivalentClasses(:D ObjectHasValue(:r :a))\nEquivalentClasses(:E ObjectComplementOf(:F))",
        ignore_unsupported=True,
    )
    assert [ontology.functional(place) for place in range(len(ontology))] == [
        "SubClassOf(:X :Y)",
        "SubClassOf(ObjectUnionOf(:B :C) :A)",
        "ObjectPropertyRange(:r :R)",
        "SubClassOf(ObjectSomeValuesFrom(:r ObjectOneOf(:a)) :D)",
        "SubClassOf(:E ObjectComplementOf(:F))",
    ]
    assert ontology.lines is not None
    assert ontology.lines.tolist() == [1, 2, 3, 4, 5]
    assert sum(ontology.left_out.values()) == 3


def test_a_name_may_stand_for_a_class_an_individual_and_a_role() -> None:
    ontology = Ontology.of_text("ClassAssertion(:A :A) ObjectPropertyAssertion(:A :A :A)")
    assert [len(names) for names in (ontology.classes, ontology.individuals, ontology.roles)] == [1, 1, 1]


def test_equal_expressions_have_one_number_whatever_the_order() -> None:
    builder = OntologyBuilder()
    a, b = builder.class_named("A"), builder.class_named("B")
    assert builder.conjunction([a, b]) == builder.conjunction([b, a, b])
    assert builder.conjunction([a, a]) == a
    assert builder.union([b]) == b


def test_axioms_that_repeat_count_once_unless_asked() -> None:
    text = "SubClassOf(:A :B) SubClassOf(:B :A) SubClassOf(:A :B)"
    assert len(Ontology.of_text(text)) == 2
    assert len(Ontology.of_text(text, repeated=True)) == 3


@pytest.mark.parametrize(
    ("axiom", "words"),
    [
        ("SubClassOf(:A ObjectSomeValuesFrom(:r ObjectIntersectionOf(:B :C)))", "A ⊑ ∃r.(B ⊓ C)"),
        ("EquivalentClasses(:A ObjectHasSelf(:r))", "A ≡ ∃r.Self"),
        ("SubObjectPropertyOf(ObjectPropertyChain(:r :s) :t)", "r ∘ s ⊑ t"),
        ("ClassAssertion(:A :a)", "a : A"),
        ("ObjectPropertyAssertion(:r :a :b)", "r(a, b)"),
        ("NegativeObjectPropertyAssertion(:r :a :b)", "not r(a, b)"),
        ("DifferentIndividuals(:a :b)", "a ≠ b"),
        ("SubClassOf(:A ObjectComplementOf(:B))", "A ⊑ ¬B"),
        ("ObjectPropertyRange(:r :A)", "range of r: A"),
    ],
)
def test_how_axioms_read(axiom: str, words: str) -> None:
    ontology = Ontology.of_text(axiom)
    assert ontology.readable(0) == words
    assert ontology.functional(0) == axiom


def test_select_keeps_names_lines_and_numbers() -> None:
    ontology = Ontology.of_text("SubClassOf(:A :B)\nSubClassOf(:B :C)\nClassAssertion(:A :a)")
    part = ontology.select([2, 0])
    assert [part.functional(place) for place in range(2)] == ["ClassAssertion(:A :a)", "SubClassOf(:A :B)"]
    assert part.lines is not None
    assert part.lines.tolist() == [3, 1]
    assert part.classes.to_list() == [":A", ":B", ":C"]
    assert part.counts == {"subclass": 1, "member": 1}
    assert AxiomType(int(part.types[0])) is AxiomType.MEMBER
