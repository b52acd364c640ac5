"""Reading OBO: each clause against what the mapping of OBO to OWL says."""

import pytest

from krypsis.data.ontologies import AxiomType, Ontology
from krypsis.errors import DataError, DataWarning
from krypsis.io.ontologies.obo import read_obo_text

TERM = "[Term]\nid: X:1\n"
ROLE = "[Typedef]\nid: r\n"


def readable(text: str, *, ignore: bool = False) -> list[str]:
    ontology = read_obo_text(text, ignore_unsupported=ignore)
    return [ontology.readable(axiom) for axiom in range(len(ontology))]


@pytest.mark.parametrize(
    ("clauses", "expected"),
    [
        ("is_a: X:2", ["X_1 ⊑ X_2"]),
        ("is_a: X:2 ! another {one}", ["X_1 ⊑ X_2"]),
        ('is_a: X:2 {source="a ! b", other="}"} ! another', ["X_1 ⊑ X_2"]),
        ("relationship: r X:2", ["X_1 ⊑ ∃r.X_2"]),
        ("equivalent_to: X:2", ["X_1 ≡ X_2"]),
        ("disjoint_from: X:2", ["disjoint: X_1, X_2"]),
        ("intersection_of: X:2\nintersection_of: r X:3", ["X_1 ≡ X_2 ⊓ ∃r.X_3"]),
        ('is_a: X:2 {gci_relation="r", gci_filler="X:3"}', ["X_1 ⊓ ∃r.X_3 ⊑ X_2"]),
        ('relationship: r X:2 {minCardinality="1"}', ["X_1 ⊑ ∃r.X_2"]),
        ('relationship: r X:2 {minCardinality="0"}', []),
        ("is_a: X:2\nis_obsolete: true", []),
        ("is_a: X:2\nis_obsolete: false", ["X_1 ⊑ X_2"]),
        ('name: a name: with colons\ndef: "[Term]" []', []),
    ],
)
def test_a_clause_about_a_class(clauses: str, expected: list[str]) -> None:
    assert readable(TERM + clauses) == expected


@pytest.mark.parametrize(
    ("clauses", "expected"),
    [
        ("is_a: s", ["r ⊑ s"]),
        ("is_transitive: true", ["r is transitive"]),
        ("is_transitive: false", []),
        ("is_reflexive: true", ["r is reflexive"]),
        ("transitive_over: s", ["r ∘ s ⊑ r"]),
        ("holds_over_chain: s t", ["s ∘ t ⊑ r"]),
        ("equivalent_to_chain: s t", ["s ∘ t ⊑ r"]),
        ("equivalent_to: s", ["r ≡ s"]),
        ("domain: X:2", ["domain of r: X_2"]),
        ("range: X:2", ["range of r: X_2"]),
        ("is_a: s\nis_metadata_tag: true", []),
    ],
)
def test_a_clause_about_a_role(clauses: str, expected: list[str]) -> None:
    assert readable(ROLE + clauses) == expected


@pytest.mark.parametrize(
    ("text", "construct", "rest"),
    [
        (ROLE + "inverse_of: s", "the inverse of a role", 0),
        (ROLE + "is_symmetric: true", "a symmetric role", 0),
        (ROLE + "is_functional: true", "a functional role", 0),
        (TERM + 'relationship: r X:2 {minCardinality="2"}', "a number of relations", 1),
        (TERM + 'relationship: r X:2 {all_only="true"}', "all relations of a role", 0),
        (TERM + "union_of: X:2\nunion_of: X:3", "a union on the right of an inclusion", 1),
    ],
)
def test_what_lies_outside_of_the_language_is_refused_or_counted(text: str, construct: str, rest: int) -> None:
    with pytest.raises(DataError, match=construct):
        read_obo_text(text)
    ontology = read_obo_text(text, ignore_unsupported=True)
    assert ontology.left_out == {construct: 1}
    assert len(ontology) == rest


def test_relations_of_classes_as_such_say_nothing_about_individuals() -> None:
    assert readable(ROLE + "is_class_level: true\n\n" + TERM + "relationship: r X:2") == []


def test_individuals_have_classes_and_relations() -> None:
    text = ROLE + '\n[Instance]\nid: X:9\ninstance_of: X:1\nproperty_value: r X:8\nproperty_value: note "x" xsd:string'
    assert readable(text) == ["X_9 : X_1", "r(X_9, X_8)"]


def names(text: str) -> Ontology:
    return read_obo_text(text)


def test_names_are_those_of_the_mapping_to_owl() -> None:
    text = (
        "ontology: pets\nidspace: MY http://example.org/my#\n"
        "[Typedef]\nid: part_of\nxref: BFO:0000050\n[Typedef]\nid: near\n"
        "[Term]\nid: GO:0000001\n[Term]\nid: GO:cat\n[Term]\nid: dog\n[Term]\nid: MY:bird\n"
        "[Term]\nid: http://example.org/fish\n[Term]\nid: a\\:b\n"
    )
    ontology = read_obo_text(text)
    obo = "http://purl.obolibrary.org/obo/"
    assert ontology.roles.to_list() == [f"{obo}BFO_0000050", f"{obo}pets#near"]
    assert ontology.classes.to_list() == [
        f"{obo}GO_0000001",
        f"{obo}GO#_cat",
        f"{obo}pets#dog",
        "http://example.org/my#bird",
        "http://example.org/fish",
        f"{obo}a#_b",
    ]


def test_lines_of_axioms_are_known_also_behind_a_line_that_goes_on() -> None:
    ontology = read_obo_text("[Term]\r\nid: X:1\r\nname: a long \\\r\nname\r\nis_a: X:2\r\n")
    assert ontology.lines is not None
    assert ontology.lines.tolist() == [5]
    assert ontology.types.tolist() == [AxiomType.SUBCLASS]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[Term]\nid: X:1\nis_a X:2", r"line 3: expected a clause such as"),
        ("[Term\nid: X:1", r"line 1: expected a frame such as \[Term\]"),
        ("\n[Term]\nname: x\n", r"line 2: a frame \[Term\] without an id"),
        ("[Term]\nid: X:1\nintersection_of: X:2", r"line 3: X:1 has one intersection_of clause"),
        ("[Term]\nid: X:1\nrelationship: r", r"line 3: relationship needs 2 names, got 1"),
        ("[Term]\nid: X:1\nis_a: ! nothing", r"line 3: a clause without a value"),
        ('[Term]\nid: X:1\nis_a: X:2 {source="a', r"line 3: a '{' without its partner"),
        ("[Typedef]\nid: r\nholds_over_chain: s", r"line 3: holds_over_chain needs 2 names"),
    ],
)
def test_an_error_names_the_line(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_obo_text(text)


def test_an_import_is_warned_of() -> None:
    with pytest.warns(DataWarning, match=r"pets\.obo imports http://example\.org/x\.obo"):
        read_obo_text("ontology: pets\nimport: http://example.org/x.obo\n", where="pets.obo")
