"""The checker's own reasoning: against all rules on normal forms, which it does not use."""

from time import process_time

from hypothesis import given
from tests.ontologies.naive_closure import naive_closure
from tests.ontologies.random_ontologies import random_ontology, seeds

from krypsis.checker.subsumption import Subsumption
from krypsis.data.ontologies import AxiomType, Ontology, OntologyBuilder, normalize


@given(seeds())
def test_it_finds_what_the_rules_on_normal_forms_find(rng):
    ontology = random_ontology(rng)
    forms = normalize(ontology)
    expected = naive_closure(forms)
    atom_of = {int(forms.meanings[atom]): atom for atom in range(2, forms.first_fresh) if forms.meanings[atom] >= 0}
    found = reasoning_about(ontology, [0, *atom_of])
    for expression, atom in atom_of.items():
        is_empty = (atom, 1) in expected.sub or (0, 1) in expected.sub
        assert found.is_empty((expression,)) == is_empty
        if not is_empty:  # of nothing, everything may be said
            including = {atom_of[one] for one in found.including((expression,)) if one in atom_of} - {atom}
            assert including == {above for one, above in expected.sub if one == atom and 1 < above < forms.first_fresh}


def reasoning_about(ontology: Ontology, expressions: list[int]) -> Subsumption:
    found = Subsumption(ontology)
    for one in expressions:
        found.ask(one)
    for one in expressions:
        found.include((one,))
    return found


def test_a_member_of_a_more_general_class_is_related_to():
    """The first counterexample to the plain closure: C ⊑ ∃r.D and D ⊑ E give C ⊑ ∃r.E."""
    builder = OntologyBuilder()
    john, role = builder.nominal("john"), builder.role("attendedBy")
    gastroenterologist, doctor = builder.class_named("Gastroenterologist"), builder.class_named("Doctor")
    asked = builder.some(role, doctor)
    builder.axiom(AxiomType.SUBCLASS, john, builder.some(role, gastroenterologist))
    builder.axiom(AxiomType.SUBCLASS, gastroenterologist, doctor)
    assert asked in reasoning_about(builder.build(), [john, asked]).including((john,))


def test_who_is_related_to_itself_is_related_to_its_name_and_to_its_other_names():
    builder = OntologyBuilder()
    ann, anna, role = builder.nominal("ann"), builder.nominal("anna"), builder.role("knows")
    asked = [builder.some(role, ann), builder.some(role, anna)]
    builder.axiom(AxiomType.MEMBER, builder.has_self(role), ann)
    builder.axiom(AxiomType.SAME, anna, ann)
    found = reasoning_about(builder.build(), [ann, *asked])
    assert set(asked) <= found.including((ann,))


def test_targets_are_in_the_range_of_every_role_that_includes_theirs():
    builder = OntologyBuilder()
    parent, human, mammal = (builder.class_named(name) for name in ("Parent", "Human", "Mammal"))
    has_child, has_son = builder.role("hasChild"), builder.role("hasSon")
    asked = builder.some(has_child, builder.conjunction([human, mammal]))
    builder.axiom(AxiomType.RANGE, has_child, human)
    builder.axiom(AxiomType.SUBCLASS, human, mammal)
    builder.axiom(AxiomType.SUBROLE, has_son, has_child)
    builder.axiom(AxiomType.SUBCLASS, parent, builder.some(has_son, 0))
    assert asked in reasoning_about(builder.build(), [parent, asked]).including((parent,))


def test_individuals_that_must_not_be_related_contradict_each_other():
    builder = OntologyBuilder()
    ann, bob, robert, knows, likes = (
        *map(builder.nominal, ("ann", "bob", "robert")),
        *map(builder.role, ("knows", "likes")),
    )
    builder.axiom(AxiomType.RELATED, likes, ann, bob)
    builder.axiom(AxiomType.SUBROLE, likes, knows)
    builder.axiom(AxiomType.SAME, bob, robert)
    builder.axiom(AxiomType.UNRELATED, knows, ann, robert)
    assert reasoning_about(builder.build(), [ann]).is_empty((ann,))


def test_a_conjunction_of_many_parts_is_found():
    """Each part but one leaves it open; the order in which they are added does not matter."""
    builder = OntologyBuilder()
    parts = [builder.class_named(f"Part{place}") for place in range(2_000)]
    whole, everybody, almost = (builder.class_named(name) for name in ("Whole", "Everybody", "Almost"))
    builder.axiom(AxiomType.SUBCLASS, builder.conjunction(parts), whole)
    for part in reversed(parts):
        builder.axiom(AxiomType.SUBCLASS, everybody, part)
    for part in [*parts[:1_000], *parts[1_001:]]:
        builder.axiom(AxiomType.SUBCLASS, almost, part)
    found = reasoning_about(builder.build(), [everybody, almost])
    assert whole in found.including((everybody,))
    assert whole not in found.including((almost,))


def test_conjunctions_whose_other_part_is_missing_cost_nothing():
    """In large ontologies, thousands of definitions begin with the same class."""
    few, many = (cpu_of_members(conjunctions) for conjunctions in (10, 5_000))
    assert many < 10 * few


def cpu_of_members(conjunctions: int) -> float:
    """Return how long it takes to find what includes many members of a class that is a part of conjunctions."""
    builder = OntologyBuilder()
    common = builder.class_named("Common")
    for place in range(conjunctions):
        both = builder.conjunction([common, builder.class_named(f"Special{place}")])
        builder.axiom(AxiomType.SUBCLASS, both, builder.class_named(f"Both{place}"))
    members = [builder.nominal(f"member{place}") for place in range(1_000)]
    for one in members:
        builder.axiom(AxiomType.MEMBER, common, one)
    reasoning = Subsumption(builder.build())
    begin = process_time()
    for one in members:
        reasoning.include((one,))
    return process_time() - begin
