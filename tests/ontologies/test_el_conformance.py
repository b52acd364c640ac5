"""The conformance suite of the ELK reasoner: taxonomies of classes and roles, instances, queries, entailed axioms.

Each file says what follows from an ontology. Axioms outside of the language are left out of the ontology, so what
follows from them is not found: these files are listed here, with the construct.
"""

import tarfile
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations, permutations, product

import pytest
from tests.conftest import public_data

from krypsis.algorithms.ontologies.taxonomy import ALL, UNSATISFIABLE, ClassTaxonomy, classify
from krypsis.data.ontologies import AxiomType, Ontology, Operator
from krypsis.data.ontologies.wording import Wording, quoted_name

pytestmark = [pytest.mark.data, pytest.mark.filterwarnings("ignore::krypsis.errors.DataWarning")]

ARCHIVE = public_data() / "ontologies" / "elk-test-input.tar.xz"
WITNESS, RIGHT, TARGET, END = "urn:witness", "urn:right", "urn:target", "urn:end"
TOP, BOTTOM = "owl:Thing", "owl:Nothing"
DATA, UNION, COMPLEMENT = "a data property", "a union on the right", "a complement on the left"
OUTSIDE = {
    "classification/StructuralDataHasValueEquivalence.taxonomy": DATA,
    "classification/StructuralDataHasValueInclusion.taxonomy": DATA,
    "classification/StructuralDisjunctionEquivalence.taxonomy": UNION,
    "classification/StructuralDisjunctionInclusion.taxonomy": UNION,
    "classification/StructuralNegationEquivalence.taxonomy": COMPLEMENT,
    "classification/StructuralNegationInclusion.taxonomy": COMPLEMENT,
    "classification/TopObjectProperty.taxonomy": "the role that relates everything",
    "query/entailment/HasValueRanges.entailed": "∃r.{a} on the right, where r has a range",
    "query/entailment/InconsistentProperties.entailed": "the role that relates everything",
}
"""File → the construct outside of the language that what it says depends on."""

Pairs = set[tuple[str, str]]


@cache
def texts() -> dict[str, str]:
    """Return name → text of all files of the suite."""
    if not ARCHIVE.exists():
        return {}
    with tarfile.open(ARCHIVE) as archive:
        opened = {member.name: archive.extractfile(member) for member in archive if member.isfile()}
        return {name.split("/", 1)[1]: file.read().decode() for name, file in opened.items() if file is not None}


def cases(ending: str) -> list[str]:
    return sorted(name for name in texts() if name.endswith(ending))


def ontology_for(name: str) -> str:
    """Return the text of the ontology that a file says something about."""
    return texts()[name.rpartition(".")[0] + ".owl"]


def expected_of(name: str) -> Ontology:
    return Ontology.of_text(texts()[name], ignore_unsupported=True)


def closed(pairs: Pairs, names: Iterable[str]) -> Pairs:
    """Return the inclusions that follow from others alone, with ⊤ above all and ⊥ below all."""
    known = set(names) | {name for pair in pairs for name in pair} | {TOP, BOTTOM}
    above = {name: {name, TOP} for name in known}
    for left, right in pairs:
        above[left].add(right)
    above[BOTTOM] = set(known)
    while True:
        grown = {name: set().union(*(above[one] for one in above[name])) for name in known}
        if grown == above:
            return {(name, one) for name in known for one in above[name]}
        above = grown


def stated(ontology: Ontology, kinds: tuple[AxiomType, AxiomType], word: dict[int, str]) -> Pairs:
    """Return the inclusions of names that an ontology states by axioms of two types: inclusion, and equivalence."""
    found: Pairs = set()
    for axiom, kind in enumerate(ontology.types.tolist()):
        given = [word[one] for one in ontology.arguments[axiom].tolist()] if kind in kinds else []
        found |= {(given[0], given[1])} if kind == kinds[0] else set(permutations(given, 2))
    return found


def words_of(ontology: Ontology) -> dict[int, str]:
    """Return expression → its text, of all expressions."""
    wording = Wording(ontology)
    return {number: wording.functional_expression(number) for number in range(len(ontology.expressions))}


def found_inclusions(found: ClassTaxonomy) -> Pairs:
    """Return all inclusions of a taxonomy, from its direct ones."""
    names = [quoted_name(name) for name in found.ontology.classes]
    at: dict[int, list[str]] = {ALL: [TOP], UNSATISFIABLE: [BOTTOM]}
    for name, place in zip(names, found.places.tolist(), strict=True):
        at.setdefault(place, []).append(name)
    pairs = {pair for each in at.values() for pair in permutations(each, 2)}
    for lower, upper in found.direct.tolist():
        pairs |= set(product(at[lower], at[upper]))
    return closed(pairs if found.is_consistent else {*pairs, (TOP, BOTTOM)}, names)


def holds_of(individual: str, text: str, axioms: list[str]) -> bool:
    """Say whether an individual is in the class to the right, or nothing is consistent, with some more axioms."""
    opened, rest = text.rstrip().rsplit(")", 1)
    found = classify(Ontology.of_text(f"{opened}\n{' '.join(axioms)}\n){rest}", ignore_unsupported=True))
    if not found.is_consistent:
        return True
    number = found.ontology.individuals.to_list().index(individual)
    pairs = found_inclusions(found)
    first = dict(zip(found.places.tolist(), map(quoted_name, found.ontology.classes), strict=True))
    types = [first.get(place, TOP) for one, place in found.types.tolist() if one == number]
    return any((name, f"<{RIGHT}>") in pairs or (name, RIGHT) in pairs for name in types)


def is_below(text: str, ontology: Ontology, left: list[int], right: str) -> bool:
    """Say whether the conjunction of expressions is included in another, whichever part of a union somebody is in."""
    each = product(*(alternatives(ontology, one) for one in left))
    return all(is_witness_in(text, [one for parts in chosen for one in parts], right) for chosen in each)


def alternatives(ontology: Ontology, expression: int) -> list[list[str]]:
    """Return what somebody in an expression may be in: all texts of one of these lists."""
    table = ontology.expressions
    given = table.arguments[expression].tolist()
    match table.operators[expression]:
        case Operator.OR:
            return [parts for one in given for parts in alternatives(ontology, one)]
        case Operator.AND:
            each = product(*(alternatives(ontology, one) for one in given))
            return [[one for parts in chosen for one in parts] for chosen in each]
        case Operator.SOME:
            role = quoted_name(ontology.roles[given[0]])
            return [
                [f"ObjectSomeValuesFrom({role} {conjunction(parts)})"] for parts in alternatives(ontology, given[1])
            ]
    return [[Wording(ontology).functional_expression(expression)]]


def conjunction(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"ObjectIntersectionOf({' '.join(parts)})"


def is_witness_in(text: str, left: list[str], right: str) -> bool:
    """Say whether somebody who is in all expressions is in another; an individual among them is that somebody."""
    same = [one.removeprefix("ObjectOneOf(<").removesuffix(">)") for one in left if one.startswith("ObjectOneOf(<")]
    witness = same[0] if same else WITNESS
    axioms = [f"ClassAssertion({one} <{witness}>)" for one in left if not one.startswith("ObjectOneOf(<")]
    axioms += [f"SameIndividual(<{witness}> <{one}>)" for one in same[1:]]
    known = f"ClassAssertion(owl:Thing <{witness}>)"
    return holds_of(witness, text, [known, *axioms, f"SubClassOf({right} <{RIGHT}>)"])


def inclusions_of(ontology: Ontology, axiom: int) -> Iterator[tuple[list[int], str]]:
    """Return an axiom as inclusions: a conjunction of expressions, and what it is included in."""
    kind, given, word = AxiomType(int(ontology.types[axiom])), ontology.arguments[axiom].tolist(), words_of(ontology)
    match kind:
        case AxiomType.SUBCLASS:
            yield given[:1], word[given[1]]
        case AxiomType.EQUIVALENT | AxiomType.SAME:
            yield from (([one], word[two]) for one, two in permutations(given, 2))
        case AxiomType.DISJOINT | AxiomType.DIFFERENT:
            yield from ((list(pair), BOTTOM) for pair in combinations(given, 2))
        case AxiomType.MEMBER:
            yield given[1:], word[given[0]]
        case AxiomType.RELATED:
            yield given[1:2], f"ObjectSomeValuesFrom({quoted_name(ontology.roles[given[0]])} {word[given[2]]})"
        case _:
            pytest.fail(f"the suite asks for {kind.name}, which no test here can express")


def follows(text: str, ontology: Ontology, axiom: int) -> bool:
    if ontology.types[axiom] == AxiomType.DOMAIN:
        role, domain = ontology.arguments[axiom].tolist()
        related = f"ObjectPropertyAssertion({quoted_name(ontology.roles[role])} <{WITNESS}> <{TARGET}>)"
        return holds_of(WITNESS, text, [related, f"SubClassOf({words_of(ontology)[domain]} <{RIGHT}>)"])
    if ontology.types[axiom] == AxiomType.TRANSITIVE:
        role = quoted_name(ontology.roles[int(ontology.arguments[axiom][0])])
        steps = [f"ObjectPropertyAssertion({role} <{one}> <{two}>)" for one, two in ((WITNESS, TARGET), (TARGET, END))]
        some = f"ObjectSomeValuesFrom({role} ObjectOneOf(<{END}>))"
        return holds_of(WITNESS, text, [*steps, f"SubClassOf({some} <{RIGHT}>)"])
    return all(is_below(text, ontology, left, right) for left, right in inclusions_of(ontology, axiom))


def is_role_below(text: str, left: str, right: str) -> bool:
    """Say whether an inclusion of two roles follows: whoever is related to something by one is so by the other."""
    related = f"ObjectPropertyAssertion({left} <{WITNESS}> <{TARGET}>)"
    some = f"ObjectSomeValuesFrom({right} ObjectOneOf(<{TARGET}>))"
    return holds_of(WITNESS, text, [related, f"SubClassOf({some} <{RIGHT}>)"])


@pytest.mark.parametrize("name", cases(".taxonomy"))
def test_a_taxonomy_of_classes(name: str) -> None:
    expected = expected_of(name)
    pairs = stated(expected, (AxiomType.SUBCLASS, AxiomType.EQUIVALENT), words_of(expected))
    wanted = closed(pairs, map(quoted_name, expected.classes))
    known = {one for pair in wanted for one in pair}
    found = classify(Ontology.of_text(ontology_for(name), ignore_unsupported=True))
    agrees = {pair for pair in found_inclusions(found) if known.issuperset(pair)} == wanted
    assert agrees == (name not in OUTSIDE), OUTSIDE.get(name, "differs")


@pytest.mark.parametrize("name", cases(".instancetaxonomy"))
def test_a_taxonomy_with_instances(name: str) -> None:
    text, expected = ontology_for(name), expected_of(name)
    agrees = all(follows(text, expected, axiom) for axiom in range(len(expected)))
    # Whatever is not stated must not follow.
    wanted = closed(stated(expected, (AxiomType.SUBCLASS, AxiomType.EQUIVALENT), words_of(expected)), [])
    members = stated(expected, (AxiomType.MEMBER, AxiomType.MEMBER), words_of(expected))
    members = {(one, above) for kind, one in members for below, above in wanted | {(kind, kind)} if below == kind}
    found = classify(Ontology.of_text(text, ignore_unsupported=True))
    first = dict(zip(found.places.tolist(), map(quoted_name, found.ontology.classes), strict=True))
    for individual, place in found.types.tolist():
        one = f"ObjectOneOf({quoted_name(found.ontology.individuals[individual])})"
        agrees &= (one, first.get(place, TOP)) in members or place == ALL
    assert agrees == (name not in OUTSIDE), OUTSIDE.get(name, "differs")


@pytest.mark.parametrize("name", cases(".propertytaxonomy"))
def test_a_taxonomy_of_roles(name: str) -> None:
    text, expected = ontology_for(name), expected_of(name)
    word = dict(enumerate(map(quoted_name, expected.roles)))
    pairs = stated(expected, (AxiomType.SUBROLE, AxiomType.EQUIVALENT_ROLES), word)
    # A role that is the empty one is stated as relating nobody; it is below all others.
    said = {expected.functional(axiom) for axiom in range(len(expected))}
    empty = [one for one in word.values() if f"SubClassOf(ObjectSomeValuesFrom({one} {TOP}) {BOTTOM})" in said]
    wanted = closed(pairs | set(product(empty, word.values())), word.values())
    agrees = all(is_role_below(text, *pair) == (pair in wanted) for pair in permutations(word.values(), 2))
    assert agrees == (name not in OUTSIDE), OUTSIDE.get(name, "differs")


@pytest.mark.parametrize("name", [*cases(".classquery"), *cases(".entailed")])
def test_what_is_said_to_follow_follows(name: str) -> None:
    expected = expected_of(name)
    agrees = all(follows(ontology_for(name), expected, axiom) for axiom in range(len(expected)))
    assert agrees == (name not in OUTSIDE), OUTSIDE.get(name, "differs")


@pytest.mark.parametrize("name", cases(".notentailed"))
def test_what_is_said_not_to_follow_does_not(name: str) -> None:
    expected = expected_of(name)
    assert not any(follows(ontology_for(name), expected, axiom) for axiom in range(len(expected)))


def test_the_whole_suite_is_there() -> None:
    counts = {".taxonomy": 66, ".propertytaxonomy": 11, ".instancetaxonomy": 5, ".classquery": 26}
    assert {ending: len(cases(ending)) for ending in counts} == counts
    assert (len(cases(".entailed")), len(cases(".notentailed"))) == (16, 14)
