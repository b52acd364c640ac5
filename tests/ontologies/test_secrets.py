"""Secrets: what is decided with probes, patterns, and what is refused."""

import numpy as np
import pytest

from effort import either
from krypsis.algorithms.ontologies.completion.in_memory import InMemoryCompletion
from krypsis.algorithms.ontologies.leaks import find_leaks
from krypsis.algorithms.ontologies.provenance import Provenance
from krypsis.algorithms.ontologies.secrets import Secrets
from krypsis.data.ontologies import Ontology, normalize
from krypsis.errors import DataError, UsageError
from ontologies.entailment import follows, same
from ontologies.naive_closure import naive_closure
from ontologies.random_ontologies import Sizes, random_ontology


def leaks(axioms: str, *secrets: str) -> list[str]:
    ontology = Ontology.of_text(axioms)
    found = Secrets.of(secrets, ontology)
    return [leak.text for leak in find_leaks(found, Provenance(InMemoryCompletion().complete(found.normal[0])))]


def some(role: str, filler: str) -> str:
    return f"ObjectSomeValuesFrom({role} {filler})"


UNSOUND = {
    "a more general target": (
        [
            f"ClassAssertion({some(':attendedBy', ':Gastroenterologist')} :john)",
            "SubClassOf(:Gastroenterologist :Doctor)",
        ],
        f"ClassAssertion({some(':attendedBy', ':Doctor')} :john)",
    ),
    "a class related to a more general one": (
        [f"SubClassOf(:C {some(':r', ':D')})", "SubClassOf(:D :E)"],
        f"SubClassOf(:C {some(':r', ':E')})",
    ),
    "related to itself": (["ClassAssertion(ObjectHasSelf(:r) :a)"], "ObjectPropertyAssertion(:r :a :a)"),
    "itself as one": (["ObjectPropertyAssertion(:r :a :a)"], "ClassAssertion(ObjectHasSelf(:r) :a)"),
    "the same target": (
        ["ObjectPropertyAssertion(:r :a :c)", "SameIndividual(:c :b)"],
        "ObjectPropertyAssertion(:r :a :b)",
    ),
    "a class without members": (
        ["SubClassOf(:C :D)", "DisjointClasses(:C :D)"],
        "SubClassOf(:C :F)",
    ),
    "a contradiction": (
        ["ClassAssertion(:C :a)", "ClassAssertion(:D :a)", "DisjointClasses(:C :D)"],
        "ClassAssertion(:E :b)",
    ),
    "a conjunction on the left": (
        ["SubClassOf(ObjectIntersectionOf(:C :D) :E)", "SubClassOf(:E :F)"],
        "SubClassOf(ObjectIntersectionOf(:C :D) :F)",
    ),
    "nested on both sides": (
        [f"SubClassOf({some(':r', ':D')} {some(':s', ':E')})", "SubClassOf(:C :D)", "SubClassOf(:E :F)"],
        f"SubClassOf(ObjectIntersectionOf(:B {some(':r', ':C')}) {some(':s', ':F')})",
    ),
    "a union on the left": (
        ["SubClassOf(:A :C)", "SubClassOf(:B :C)"],
        "SubClassOf(ObjectUnionOf(:A :B) :C)",
    ),
    "a complement on the right": (
        ["DisjointClasses(:A :B)", "SubClassOf(:C :B)"],
        "SubClassOf(:A ObjectComplementOf(:C))",
    ),
    "equivalence": (["SubClassOf(:A :B)", "SubClassOf(:B :A)"], "EquivalentClasses(:A :B)"),
    "identity in a chain": (["SameIndividual(:a :b)", "SameIndividual(:c :b)"], "SameIndividual(:a :c)"),
}  # fmt: skip


@pytest.mark.parametrize(("axioms", "secret"), UNSOUND.values(), ids=list(UNSOUND))
def test_a_secret_that_follows_is_found_and_none_of_its_premises_can_be_spared(axioms: list[str], secret: str):
    names = [f"SubClassOf(:{name} owl:Thing)" for name in "ABCDEF"]
    names += [f"ClassAssertion(owl:Thing :{name})" for name in ("a", "b", "c", "john")]
    names += ["SubClassOf(:Gastroenterologist owl:Thing)", "SubClassOf(:Doctor owl:Thing)"]
    names += [f"SubObjectPropertyOf(:{role} :{role})" for role in ("r", "s", "attendedBy")]
    assert leaks("\n".join([*axioms, *names]), secret)
    for left_out in axioms:
        rest = [axiom for axiom in axioms if axiom != left_out]
        assert leaks("\n".join([*rest, *names]), secret) == []


def test_the_plain_closure_does_not_have_what_the_probe_finds():
    axioms, secret = UNSOUND["a more general target"]
    ontology = Ontology.of_text("\n".join(axioms))
    forms = normalize(ontology)
    doctor = 2 + ontology.classes.to_list().index(":Doctor")
    assert not any(row[2] == doctor for row in naive_closure(forms).some)
    assert len(leaks("\n".join(axioms), secret)) == 1


HOSPITAL = """
    ClassAssertion(:HIV_Patient :ann) ClassAssertion(:Child :bob) ObjectPropertyAssertion(:treatedBy :ann :house)
    ObjectPropertyAssertion(:treatedBy :bob :house) ObjectPropertyAssertion(:treatedBy :bob :cuddy)
    SubClassOf(:HIV_Patient :Patient) SubClassOf(ObjectSomeValuesFrom(:treatedBy owl:Thing) :Patient)
"""


def test_a_pattern_stands_for_every_name():
    assert leaks(HOSPITAL, "ClassAssertion(:HIV_Patient ?)") == ["ClassAssertion(:HIV_Patient :ann)"]
    assert leaks(HOSPITAL, "ClassAssertion(:Patient ?)") == [
        "ClassAssertion(:Patient :ann)", "ClassAssertion(:Patient :bob)",
    ]  # fmt: skip
    assert leaks(HOSPITAL, "ObjectPropertyAssertion(:treatedBy ? :house)") == [
        "ObjectPropertyAssertion(:treatedBy :ann :house)", "ObjectPropertyAssertion(:treatedBy :bob :house)",
    ]  # fmt: skip
    assert len(leaks(HOSPITAL, "ObjectPropertyAssertion(:treatedBy ? ?)")) == 3
    assert leaks(HOSPITAL, "ObjectPropertyAssertion(:treatedBy :ann ?)") == [
        "ObjectPropertyAssertion(:treatedBy :ann :house)"
    ]
    assert leaks(HOSPITAL, "SubClassOf(? :Patient)") == ["SubClassOf(:HIV_Patient :Patient)"]
    assert set(leaks(HOSPITAL, "ClassAssertion(? :ann)")) == {
        "ClassAssertion(:HIV_Patient :ann)", "ClassAssertion(:Patient :ann)",
    }  # fmt: skip
    (conjunction,) = leaks(HOSPITAL, "SubClassOf(ObjectIntersectionOf(? :Child) :Patient)")
    assert ":HIV_Patient" in conjunction  # that of Patient and Child holds always, and is no secret


def written(ontology: Ontology) -> list[str]:
    """Return the axioms in functional syntax, and one that says nothing for each name."""
    found = [ontology.functional(place) for place in range(len(ontology))]
    found += [f"SubClassOf(<{name}> owl:Thing)" for name in ontology.classes]
    found += [f"ClassAssertion(owl:Thing <{name}>)" for name in ontology.individuals]
    return found + [f"SubObjectPropertyOf(<{name}> <{name}>)" for name in ontology.roles]


def test_a_pattern_gives_what_its_instances_give():
    for seed in range(either(100, 6)):
        ontology = random_ontology(np.random.default_rng(seed), Sizes(classes=4, individuals=3, roles=2), 12)
        text = "\n".join(written(ontology))
        # A pattern is also about somebody of whom nothing is said.
        individuals = [*ontology.individuals.to_list(), "urn:krypsis:anybody"]
        with_anybody = f"{text}\nDeclaration(NamedIndividual(<{individuals[-1]}>))"
        role, one = ontology.roles[0], f"<{ontology.classes[0]}>"
        each = [f"ClassAssertion({one} <{name}>)" for name in individuals]
        assert leaks(text, f"ClassAssertion({one} ?)") == leaks(with_anybody, *each)
        pairs = [f"ObjectPropertyAssertion(<{role}> <{a}> <{b}>)" for b in individuals for a in individuals]
        assert leaks(text, f"ObjectPropertyAssertion(<{role}> ? ?)") == leaks(with_anybody, *pairs)


def test_all_leaks_of_random_ontologies_and_no_others_are_found():
    found_some = 0
    for seed in range(either(400, 12)):
        rng = np.random.default_rng(seed)
        ontology = random_ontology(rng, Sizes(classes=4, individuals=2, roles=2), 12)
        axioms = written(ontology)
        names = (ontology.classes.to_list(), ontology.individuals.to_list(), ontology.roles.to_list())
        classes, individuals, roles = ([f"<{name}>" for name in each] for each in names)
        a, b = rng.choice(individuals, 2).tolist()
        one, two, three = rng.choice(classes, 3).tolist()
        role = rng.choice(roles)
        both, related = f"ObjectIntersectionOf({one} {two})", some(role, three)
        questions = {
            f"ClassAssertion({one} {a})": (f"ObjectOneOf({a})", one),
            f"ClassAssertion({related} {a})": (f"ObjectOneOf({a})", related),
            f"ObjectPropertyAssertion({role} {a} {b})": (f"ObjectOneOf({a})", some(role, f"ObjectOneOf({b})")),
            f"ClassAssertion(ObjectHasSelf({role}) {a})": (f"ObjectOneOf({a})", f"ObjectHasSelf({role})"),
            f"SubClassOf({two} {related})": (two, related),
            f"SubClassOf({both} {related})": (both, related),
            f"SubClassOf({related} {both})": (related, both),
        }
        for secret, (left, right) in questions.items():
            if one == two and both in (left, right):
                continue
            expected = follows(axioms, left, right)
            assert bool(leaks("\n".join(axioms), secret)) == expected, (seed, secret)
            found_some += expected
        if a != b:
            plain = [name.strip("<>") for name in (a, b)]
            assert bool(leaks("\n".join(axioms), f"SameIndividual({a} {b})")) == same(axioms, *plain)
    assert found_some > 5


@pytest.mark.parametrize(
    ("secret", "message"),
    [
        ("ClassAssertion(:HIV_Pateint :ann)", "':HIV_Pateint' occurs neither.*Did you mean ':HIV_Patient'"),
        ("ClassAssertion(:Patient :nobody)", "individual ':nobody' occurs neither"),
        ("ObjectPropertyAssertion(:knows :ann :bob)", "role ':knows' occurs neither"),
        ("ObjectPropertyAssertion(? :ann :bob)", "never for a role"),
        ("SubClassOf(:Child :Patient) SubClassOf(:Child :Child)", "holds 2 axioms"),
        ("DisjointClasses(:Child :Patient)", "a secret is a ClassAssertion"),
        ("SubClassOf(:Child :Child)", "holds always"),
        ("ClassAssertion(owl:Thing ?)", "holds always"),
        ("SubClassOf(ObjectIntersectionOf(:Child :Patient) :Patient)", "holds always"),
        ("SubClassOf(ObjectIntersectionOf(:Child ObjectOneOf(:bob)) :Patient)", "cannot be decided in the language"),
    ],
)
def test_what_is_no_secret_is_refused_with_a_reason(secret: str, message: str):
    with pytest.raises(UsageError, match=message):
        leaks(HOSPITAL, secret)


def test_what_lies_outside_of_the_language_is_refused():
    with pytest.raises(DataError, match="outside of the language"):
        leaks(HOSPITAL, "SubClassOf(:Child ObjectUnionOf(:Patient :HIV_Patient))")


def test_secrets_come_in_the_order_in_which_they_were_given():
    given = ["ClassAssertion(:Patient :bob)", "ClassAssertion(:HIV_Patient ?)", "ClassAssertion(:Patient :ann)"]
    found = Secrets.of(given, Ontology.of_text(HOSPITAL))
    places = [leak.secret for leak in find_leaks(found, Provenance(InMemoryCompletion().complete(found.normal[0])))]
    assert places == [0, 1, 2]
