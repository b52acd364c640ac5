"""The same ontology in all syntaxes has the same axioms."""

import gzip
import lzma
from pathlib import Path

import pyoxigraph
import pytest

from krypsis.data.ontologies import Ontology
from krypsis.io.ontologies import looks_like_ontology

FUNCTIONAL = """
# A hospital, with every construct of the language
Prefix(:=<http://example.org/h#>)
Prefix(owl:=<http://www.w3.org/2002/07/owl#>)
Prefix(rdfs:=<http://www.w3.org/2000/01/rdf-schema#>)
Prefix(xsd:=<http://www.w3.org/2001/XMLSchema#>)
Ontology(<http://example.org/h>
Annotation(rdfs:comment "about :A (and \\"B\\")"@en)
Declaration(Class(:Unused)) Declaration(Class(:Patient)) Declaration(Class(:Doctor)) Declaration(Class(:Drug))
Declaration(Class(:Insulin)) Declaration(Class(:Diabetic)) Declaration(Class(:Ward)) Declaration(Class(:Narcissist))
Declaration(ObjectProperty(:takes)) Declaration(ObjectProperty(:treats)) Declaration(ObjectProperty(:in))
Declaration(ObjectProperty(:knows)) Declaration(ObjectProperty(:meets)) Declaration(ObjectProperty(:lies))
Declaration(NamedIndividual(:ann)) Declaration(NamedIndividual(:bob)) Declaration(NamedIndividual(:cy))
Declaration(AnnotationProperty(:note))
AnnotationAssertion(:note :Drug "a note")
SubClassOf(Annotation(rdfs:comment "sure") :Insulin :Drug)
EquivalentClasses(:Diabetic ObjectIntersectionOf(:Patient ObjectSomeValuesFrom(:takes :Insulin)))
SubClassOf(ObjectSomeValuesFrom(:takes ObjectIntersectionOf(:Drug ObjectSomeValuesFrom(:in :Ward))) :Patient)
SubClassOf(ObjectUnionOf(:Doctor :Diabetic) :Narcissist)
SubClassOf(:Narcissist ObjectHasSelf(:knows))
SubClassOf(:Ward ObjectComplementOf(:Drug))
SubClassOf(:Doctor ObjectHasValue(:knows :ann))
SubClassOf(ObjectOneOf(:ann :bob) :Patient)
SubClassOf(:Doctor ObjectMinCardinality(1 :treats :Patient))
SubClassOf(:Drug ObjectMaxCardinality(0 :lies))
DisjointClasses(:Patient :Drug :Ward)
SubObjectPropertyOf(:treats :knows)
SubObjectPropertyOf(ObjectPropertyChain(:treats :in) :in)
EquivalentObjectProperties(:knows :meets)
TransitiveObjectProperty(:in)
ReflexiveObjectProperty(:meets)
IrreflexiveObjectProperty(:lies)
ObjectPropertyDomain(:treats :Doctor)
ObjectPropertyRange(:treats :Patient)
ClassAssertion(ObjectSomeValuesFrom(:takes :Insulin) :ann)
ClassAssertion(:Doctor :bob)
ObjectPropertyAssertion(:treats :bob :ann)
NegativeObjectPropertyAssertion(:treats :ann :bob)
SameIndividual(:bob :cy)
DifferentIndividuals(:ann :bob :cy)
)
"""
TURTLE = """
@prefix : <http://example.org/h#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<http://example.org/h> a owl:Ontology ; rdfs:comment "about :A (and \\"B\\")"@en .
:Unused a owl:Class . :Patient a owl:Class . :Doctor a owl:Class . :Drug a owl:Class ; :note "a note" .
:Diabetic a owl:Class . :Ward a owl:Class . :Narcissist a owl:Class .
:takes a owl:ObjectProperty . :treats a owl:ObjectProperty . :in a owl:ObjectProperty . :knows a owl:ObjectProperty .
:meets a owl:ObjectProperty . :lies a owl:ObjectProperty . :note a owl:AnnotationProperty .
:ann a owl:NamedIndividual . :bob a owl:NamedIndividual . :cy a owl:NamedIndividual .
:Insulin a owl:Class ; rdfs:subClassOf :Drug .
[] a owl:Axiom ; owl:annotatedSource :Insulin ; owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget :Drug ;
   rdfs:comment "sure" .
:Diabetic owl:equivalentClass [ a owl:Class ; owl:intersectionOf (
  :Patient [ a owl:Restriction ; owl:onProperty :takes ; owl:someValuesFrom :Insulin ] ) ] .
[ a owl:Restriction ; owl:onProperty :takes ; owl:someValuesFrom [ owl:intersectionOf (
  :Drug [ a owl:Restriction ; owl:onProperty :in ; owl:someValuesFrom :Ward ] ) ] ] rdfs:subClassOf :Patient .
[ a owl:Class ; owl:unionOf (:Doctor :Diabetic) ] rdfs:subClassOf :Narcissist .
:Narcissist rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :knows ; owl:hasSelf true ] .
:Ward rdfs:subClassOf [ a owl:Class ; owl:complementOf :Drug ] .
:Doctor rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :knows ; owl:hasValue :ann ] .
[ a owl:Class ; owl:oneOf (:ann :bob) ] rdfs:subClassOf :Patient .
:Doctor rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :treats ; owl:onClass :Patient ;
  owl:minQualifiedCardinality "1"^^xsd:nonNegativeInteger ] .
:Drug rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :lies ;
  owl:maxCardinality "0"^^xsd:nonNegativeInteger ] .
[] a owl:AllDisjointClasses ; owl:members (:Patient :Drug :Ward) .
:treats rdfs:subPropertyOf :knows .
:in owl:propertyChainAxiom (:treats :in) .
:knows owl:equivalentProperty :meets .
:in a owl:TransitiveProperty . :meets a owl:ReflexiveProperty . :lies a owl:IrreflexiveProperty .
:treats rdfs:domain :Doctor ; rdfs:range :Patient .
:ann a [ a owl:Restriction ; owl:onProperty :takes ; owl:someValuesFrom :Insulin ] .
:bob a :Doctor ; :treats :ann ; owl:sameAs :cy .
[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :ann ; owl:assertionProperty :treats ;
   owl:targetIndividual :bob .
[] a owl:AllDifferent ; owl:distinctMembers (:ann :bob :cy) .
"""


def in_owl_xml() -> str:
    """The functional text as OWL/XML: constructs are elements, names are attributes."""
    kinds = {"takes", "treats", "in", "knows", "meets", "lies"}

    def name(word: str) -> str:
        local = word.removeprefix(":")
        kind = "ObjectProperty" if local in kinds else "NamedIndividual" if local.islower() else "Class"
        return f'<{kind} IRI="#{local}"/>' if local != "Ward" else '<Class abbreviatedIRI="h:Ward"/>'

    lines = [
        "<?xml version='1.0'?>",
        '<Ontology xmlns="http://www.w3.org/2002/07/owl#" xml:base="http://example.org/h">',
    ]
    lines.append('<Prefix name="h" IRI="http://example.org/h#"/>')
    body = FUNCTIONAL.partition("Annotation(rdfs:comment")[2].partition("\n")[2]
    opened: list[str] = []
    for line in body.replace('Annotation(rdfs:comment "sure")', "").splitlines():
        if line.startswith("AnnotationAssertion") or "AnnotationProperty" in line:
            continue
        text = line.replace("(", "( ").replace(")", " ) ")
        for word in text.split():
            if word.endswith("("):
                opened.append(word[:-1])
                if opened[-1] not in {"Class", "ObjectProperty", "NamedIndividual"}:
                    lines.append(f"<{opened[-1]}>")
            elif word == ")":
                if opened and (closed := opened.pop()) not in {"Class", "ObjectProperty", "NamedIndividual"}:
                    lines.append(f"</{closed}>")
            elif word.isdecimal():
                lines[-1] = f'<{opened[-1]} cardinality="{word}">'
            else:
                lines.append(name(word))
    annotation = '<Annotation><AnnotationProperty IRI="#note"/><Literal>sure &amp; &lt;safe&gt;</Literal></Annotation>'
    return "\n".join([*lines, "</Ontology>"]).replace("<SubClassOf>", f"<SubClassOf>{annotation}", 1)


def in_rdf(format: pyoxigraph.RdfFormat) -> bytes:  # noqa: A002
    triples = (quad.triple for quad in pyoxigraph.parse(TURTLE.encode(), format=pyoxigraph.RdfFormat.TURTLE))
    return pyoxigraph.serialize(triples, format=format)


TEXTS = {
    "hospital.ofn": FUNCTIONAL.encode(),
    "hospital.ttl": TURTLE.encode(),
    "hospital.nt": in_rdf(pyoxigraph.RdfFormat.N_TRIPLES),
    "hospital.rdf": in_rdf(pyoxigraph.RdfFormat.RDF_XML),
    "hospital.owx": in_owl_xml().encode(),
}


def axioms(ontology: Ontology) -> set[str]:
    return {ontology.functional(place) for place in range(len(ontology))}


@pytest.fixture(scope="module")
def expected() -> set[str]:
    found = axioms(Ontology.of_text(FUNCTIONAL))
    assert len(found) == 25
    return found


@pytest.mark.parametrize("name", TEXTS)
def test_each_syntax_gives_the_same_axioms_and_names(name: str, tmp_path: Path, expected: set[str]) -> None:
    file = tmp_path / name
    file.write_bytes(TEXTS[name])
    ontology = Ontology.read(file)
    assert axioms(ontology) == expected
    assert "http://example.org/h#Unused" in ontology.classes.to_list()
    assert sorted(one.rpartition("#")[2] for one in ontology.individuals) == ["ann", "bob", "cy"]
    assert sorted(one.rpartition("#")[2] for one in ontology.roles) == [
        "in",
        "knows",
        "lies",
        "meets",
        "takes",
        "treats",
    ]


@pytest.mark.parametrize("name", TEXTS)
def test_the_content_says_which_syntax_it_is(name: str, tmp_path: Path, expected: set[str]) -> None:
    file = tmp_path / "hospital.owl"
    file.write_bytes(TEXTS[name])
    assert looks_like_ontology(file)
    assert axioms(Ontology.read(file)) == expected


@pytest.mark.parametrize(("ending", "packed"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_files_may_be_packed(ending: str, packed, tmp_path: Path, expected: set[str]) -> None:
    file = tmp_path / f"hospital.ofn{ending}"
    file.write_bytes(packed(TEXTS["hospital.ofn"]))
    assert looks_like_ontology(file)
    assert axioms(Ontology.read(file)) == expected


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1"])
def test_xml_is_decoded_as_it_says(encoding: str, tmp_path: Path) -> None:
    file = tmp_path / "names.rdf"
    text = f"""<?xml version="1.0" encoding="{encoding}"?>
    <!DOCTYPE rdf:RDF [<!ENTITY owl 'http://www.w3.org/2002/07/owl#'><!ENTITY e "http://é.org/">]>
    <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:owl="&owl;"
      xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#">
    <owl:Class rdf:about="&e;Müller"><rdfs:subClassOf rdf:resource="&owl;Thing"/></owl:Class></rdf:RDF>"""
    file.write_bytes(text.encode(encoding))
    assert Ontology.read(file).classes.to_list() == ["http://é.org/Müller"]


def test_lines_are_kept_for_n_triples_and_functional_syntax(tmp_path: Path) -> None:
    file = tmp_path / "few.nt"
    sub = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
    file.write_text(f"# few\n\n<a:A> {sub} <a:B> .\r\n<a:B>\t{sub}  <a:\\u0043>. # spelled otherwise\n")
    ontology = Ontology.read(file)
    assert ontology.lines is not None
    assert ontology.lines.tolist() == [3, 4]
    assert ontology.classes.to_list() == ["a:A", "a:B", "a:C"]
    assert Ontology.of_text("SubClassOf(:A :B)\n\nSubClassOf(\n:B :C)").lines.tolist() == [1, 3]


def test_names_of_properties_are_roles_by_use(tmp_path: Path) -> None:
    file = tmp_path / "people.ttl"
    file.write_text(
        "@prefix : <a:> . :ann a :Person ; :knows :bob ; :age 7 . :Person :seeAlso :Web . "
        "<http://www.w3.org/2002/07/owl#Class> a <http://www.w3.org/2000/01/rdf-schema#Class> ."
    )
    ontology = Ontology.read(file, ignore_unsupported=True)
    assert axioms(ontology) == {
        "ClassAssertion(<a:Person> <a:ann>)",
        "ObjectPropertyAssertion(<a:knows> <a:ann> <a:bob>)",
        "ObjectPropertyAssertion(<a:seeAlso> <a:Person> <a:Web>)",
    }
    assert ontology.left_out == {"a data property": 1}


def test_classes_with_a_definition_of_their_own_are_equivalent_to_it(tmp_path: Path) -> None:
    file = tmp_path / "old.ttl"
    file.write_text(
        "@prefix : <a:> . @prefix owl: <http://www.w3.org/2002/07/owl#> . :A a owl:Class ; owl:intersectionOf (:B :C) ."
        ":D a owl:Restriction ; owl:onProperty :r ; owl:someValuesFrom :B . "
        ":E <http://www.w3.org/2000/01/rdf-schema#subClassOf> :D ."
    )
    assert axioms(Ontology.read(file)) == {
        "EquivalentClasses(<a:A> ObjectIntersectionOf(<a:B> <a:C>))",
        "EquivalentClasses(<a:D> ObjectSomeValuesFrom(<a:r> <a:B>))",
        "SubClassOf(<a:E> <a:D>)",
    }


DECLARED = {
    "prefixes.ttl": "@prefix ub: <http://ub.org/#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . "
    "ub:Student rdfs:subClassOf ub:Person .",
    "prefixes.owl": """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:ub="http://ub.org/#"
        xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#"><rdf:Description rdf:about="http://ub.org/#Student">
        <rdfs:subClassOf rdf:resource="http://ub.org/#Person"/></rdf:Description></rdf:RDF>""",
    "prefixes.owx": """<Ontology xmlns="http://www.w3.org/2002/07/owl#"><Prefix name="ub" IRI="http://ub.org/#"/>
        <SubClassOf><Class abbreviatedIRI="ub:Student"/><Class IRI="http://ub.org/#Person"/></SubClassOf></Ontology>""",
    "prefixes.obo": "format-version: 1.2\nidspace: ub http://ub.org/#\n\n[Term]\nid: ub:Student\nis_a: ub:Person\n",
}


@pytest.mark.parametrize("name", DECLARED)
def test_secrets_may_use_the_prefixes_that_a_file_declares(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(DECLARED[name], encoding="utf-8")
    found = Ontology.read(tmp_path / name, prefixes={"x:": "http://x.org/"})
    assert found.prefixes["ub:"] == "http://ub.org/#"
    assert found.prefixes["x:"] == "http://x.org/"
    assert len(found.justifications("SubClassOf(ub:Student ub:Person)")) == 1


def test_identifiers_of_obo_are_names_with_prefixes(tmp_path: Path) -> None:
    path = tmp_path / "go.obo"
    path.write_text("format-version: 1.2\n\n[Term]\nid: GO:0000002\nis_a: GO:0000001\n", encoding="utf-8")
    assert len(Ontology.read(path).justifications("SubClassOf(GO:0000002 GO:0000001)")) == 1
