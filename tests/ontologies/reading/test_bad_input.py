"""Files that hold no ontology, or a hostile one: what is said of them."""

import builtins
import contextlib
import gzip
import logging
import sys
from pathlib import Path
from time import process_time

import pytest

from krypsis.data.ontologies import Ontology
from krypsis.errors import DataError, DataWarning, UsageError
from krypsis.io.ontologies import looks_like_ontology, read_ontology

OWL, RDF, RDFS = (
    "http://www.w3.org/2002/07/owl#",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "http://www.w3.org/2000/01/rdf-schema#",
)
PREFIXES = f"@prefix owl: <{OWL}> . @prefix rdf: <{RDF}> . @prefix rdfs: <{RDFS}> . @prefix : <http://e.org/> .\n"
OPENING = f'<rdf:RDF xmlns:rdf="{RDF}" xmlns:rdfs="{RDFS}" xmlns:owl="{OWL}" xml:base="http://e.org/">'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SubClassOf(:A :B", r"line 1: SubClassOf\( is not closed; expected '\)' before the end"),
        ("\nSubClassOf(:A :B))", r"line 2: expected an axiom such as SubClassOf\(:A :B\), got '\)'"),
        ("SubClasOf(:A :B)", r"line 1: 'SubClasOf' is no axiom of OWL 2. Did you mean 'SubClassOf'\?"),
        (
            "SubClassOf(:A ObjectSomeValueFrom(:r :B))",
            r"no class expression of OWL 2. Did you mean 'ObjectSomeValuesFrom'",
        ),
        ("SubClassOf(:A)", r"line 1: SubClassOf has 2 arguments, got 1: SubClassOf\(:A\)"),
        ("SubClassOf(:A :B :C)", "SubClassOf has 2 arguments, got 3"),
        ("SubClassOf(:A ObjectIntersectionOf())", "ObjectIntersectionOf has at least 1 arguments, got 0"),
        ("SubClassOf(A :B)", r"line 1: expected '\(' after 'A', or a name with a prefix such as :A"),
        ("SubClassOf(:A (:B))", r"expected the name of a construct before '\('"),
        (":A", r"expected an axiom such as SubClassOf\(:A :B\), got ':A'"),
        ('SubClassOf(:A "x)', "line 1: a text in quotes is not closed"),
        ("\n\nSubClassOf(<http://a b> :B)", "line 3: a name in angle brackets is not closed, or holds a blank"),
        ("SubClassOf(:A = :B)", r"'=' stands only in Prefix"),
        ("Prefix(a <http://e.org/>)", r"expected '\(' after 'a'"),
        ("Prefix(a: <http://e.org/>)", r"expected Prefix\(name:=<IRI>\)"),
        (
            "Ontology(SubClassOf(:A :B))",
            r"line 1: the prefix of ':A' is not declared; expected a line such as Prefix\(:=",
        ),
        ("SubClassOf(ex:A ex:B)", r"the prefix of 'ex:A' is not declared.*Declared: owl:, rdf:"),
        ("Ontology() Ontology()", "a file holds one ontology"),
        ('SubClassOf(:A "text")', 'line 1: expected the name of a class, got "text"'),
        ("ClassAssertion(:A ObjectOneOf(:a))", "expected an individual, got ObjectOneOf"),
        ("ObjectPropertyDomain(ObjectOneOf(:a) :A)", "expected a role, got ObjectOneOf"),
        ("Declaration(:A)", r"expected a declaration such as Declaration\(Class\(:A\)\)"),
        ("Declaration(Clas(:A))", "'Clas' cannot be declared"),
        ("SubClassOf(:A ObjectMinCardinality(:r :B))", "expected a number first"),
        ("SubClassOf(:A ;)", "unexpected ';'"),
        ("SubClassOf(" + "ObjectComplementOf(" * 300 + ":A" + ")" * 300 + " :B)", "more than 200 constructs"),
    ],
)
def test_functional_syntax_that_is_wrong(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Ontology.of_text(text)


@pytest.mark.parametrize(
    ("text", "construct"),
    [
        ("SubClassOf(:A ObjectUnionOf(:B :C))", "a union on the right"),
        ("SubClassOf(ObjectComplementOf(:A) :B)", "a complement on the left"),
        ("EquivalentClasses(:A ObjectComplementOf(:B))", "a complement on the left"),
        ("SubClassOf(:A ObjectOneOf(:a))", "not nominal-safe"),
        ("SubClassOf(:A ObjectAllValuesFrom(:r :B))", "a universal restriction"),
        ("SubClassOf(:A ObjectMinCardinality(2 :r :B))", "at least two"),
        ("SubClassOf(:A ObjectMaxCardinality(1 :r))", "a highest number"),
        ("SubClassOf(:A ObjectExactCardinality(1 :r))", "an exact number"),
        ("SubClassOf(:A ObjectSomeValuesFrom(ObjectInverseOf(:r) :B))", "an inverse role"),
        ("SubClassOf(ObjectSomeValuesFrom(owl:topObjectProperty :A) :B)", "relates everything"),
        ("SubClassOf(:A DataSomeValuesFrom(:p xsd:string))", "a data property"),
        ('DataPropertyAssertion(:p :a "1"^^xsd:integer)', "a data property"),
        ("DatatypeDefinition(:d xsd:string)", "a data type"),
        ("FunctionalObjectProperty(:r)", "a functional role"),
        ("InverseFunctionalObjectProperty(:r)", "an inverse functional role"),
        ("SymmetricObjectProperty(:r)", "a symmetric role"),
        ("AsymmetricObjectProperty(:r)", "an asymmetric role"),
        ("InverseObjectProperties(:r :s)", "an inverse role"),
        ("DisjointObjectProperties(:r :s)", "disjoint roles"),
        ("HasKey(:A () (:p))", "a key"),
        ("ClassAssertion(:A _:x)", "an individual without a name"),
        ("DisjointUnion(:A :B :C)", "a union on the right"),
        ("ObjectPropertyRange(:s :A) SubObjectPropertyOf(ObjectPropertyChain(:q :r) :s)", "the range of a role"),
        ("ObjectPropertyRange(:r :A) SubClassOf(:B ObjectHasValue(:r :a))", "related to one individual"),
    ],
)
def test_what_lies_outside_of_the_language_is_refused_or_counted(text: str, construct: str) -> None:
    with pytest.raises(DataError, match=rf"line 1: .*is outside of the language: .*{construct}.*--ignore-unsupported"):
        Ontology.of_text(text)
    ontology = Ontology.of_text(text + "\nSubClassOf(:X :Y)", ignore_unsupported=True)
    assert [name for name in ontology.left_out if construct in name]
    assert sum(ontology.left_out.values()) == 1
    assert "SubClassOf(:X :Y)" in {ontology.functional(place) for place in range(len(ontology))}


def test_the_expressible_half_of_a_disjoint_union_is_kept() -> None:
    ontology = Ontology.of_text("DisjointUnion(:A :B :C)", ignore_unsupported=True)
    assert {ontology.functional(place) for place in range(len(ontology))} == {
        "SubClassOf(ObjectUnionOf(:B :C) :A)",
        "DisjointClasses(:B :C)",
    }


@pytest.mark.parametrize(
    ("text", "axioms"),
    [
        ("SubClassOf(:A ObjectSomeValuesFrom(owl:bottomObjectProperty :B))", ["SubClassOf(:A owl:Nothing)"]),
        ("SubObjectPropertyOf(:r owl:topObjectProperty) SubObjectPropertyOf(owl:bottomObjectProperty :r)", []),
        (
            "SubObjectPropertyOf(ObjectPropertyChain(:r :s) owl:bottomObjectProperty)",
            ["SubClassOf(ObjectSomeValuesFrom(:r ObjectSomeValuesFrom(:s owl:Thing)) owl:Nothing)"],
        ),
        ("ObjectPropertyDomain(owl:topObjectProperty :A)", ["SubClassOf(owl:Thing :A)"]),
        ("ObjectPropertyAssertion(owl:bottomObjectProperty :a :b)", ["ClassAssertion(owl:Nothing :a)"]),
        ("NegativeObjectPropertyAssertion(owl:bottomObjectProperty :a :b)", []),
        ("ReflexiveObjectProperty(owl:bottomObjectProperty)", ["SubClassOf(owl:Thing owl:Nothing)"]),
        (
            "EquivalentObjectProperties(:r owl:bottomObjectProperty)",
            ["SubClassOf(ObjectSomeValuesFrom(:r owl:Thing) owl:Nothing)"],
        ),
        ("EquivalentClasses(:A) SameIndividual(:a)", []),
    ],
)
def test_the_roles_of_nothing_and_everything_are_rewritten(text: str, axioms: list[str]) -> None:
    ontology = Ontology.of_text(text)
    assert [ontology.functional(place) for place in range(len(ontology))] == axioms


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "a.nt",
            f"<a:A> <{RDFS}subClassOf> <a:B> .\n<a:A> <{RDFS}subClassOf .\n",
            "a.nt, line 2: expected a triple such as",
        ),
        ("a.nt", f"<a:A> <{RDFS}subClassOf> <a:B", "a.nt, line 1: expected a triple"),
        ("a.nt", f'<a:A> <{RDFS}label> "unfinished .\n', "a.nt, line 1: expected a triple"),
        (
            "a.ttl",
            PREFIXES + ":A rdfs:subClassOf x:B .",
            "a.ttl, line 2 is not Turtle: .*prefix x: has not been declared",
        ),
        (
            "a.ttl",
            PREFIXES + ":A rdfs:subClassOf [ owl:intersectionOf [ rdf:first :B ] ] .",
            "used as a list and has no rdf:rest",
        ),
        ("a.ttl", PREFIXES + ":A owl:unionOf _:x . _:x rdf:first :B ; rdf:rest _:x .", "comes back to itself"),
        ("a.ttl", PREFIXES + ":A rdfs:subClassOf _:x . _:x owl:complementOf _:x .", "holds itself"),
        (
            "a.ttl",
            PREFIXES + ":A rdfs:subClassOf _:x . _:x owl:onProperty :r ; owl:someValuesFrom _:x .",
            "holds itself",
        ),
        (
            "a.ttl",
            PREFIXES + ":A rdfs:subClassOf [ a owl:Class ] .",
            "the node _:.* is used as a class; expected one with",
        ),
        (
            "a.ttl",
            PREFIXES + ":A rdfs:subClassOf [ owl:onProperty :r ] .",
            "has owl:onProperty and none of owl:someValuesFrom",
        ),
        (
            "a.ttl",
            PREFIXES + ":A rdfs:subClassOf [ owl:onProperty :r, :s ; owl:someValuesFrom :B ] .",
            "several owl:onProperty",
        ),
        ("a.ttl", PREFIXES + ":A owl:subClassOf :B .", "'owl:subClassOf' is used as a property.*'rdfs:subClassOf'"),
        ("a.ttl", PREFIXES + ":a a owl:Clas .", "'owl:Clas' is used as a class.*Did you mean 'owl:Class'"),
        ("a.ttl", PREFIXES + ':A rdfs:subClassOf "B" .', "expected the name of a class"),
        ("a.ttl", PREFIXES + "[] a owl:AllDifferent .", "is of type owl:AllDifferent and has no owl:members"),
        ("a.ttl", PREFIXES + "[] a owl:NegativePropertyAssertion .", "has no owl:assertionProperty"),
        ("a.rdf", OPENING + "<owl:Class rdf:about='#A'>", "a.rdf is not XML to its end: .*line 1"),
        ("a.rdf", OPENING + "<owl:Class></owl:Thing></rdf:RDF>", "mismatched tag"),
        (
            "a.rdf",
            "<!DOCTYPE a SYSTEM 'file:///etc/passwd'>" + OPENING + "</rdf:RDF>",
            "lies in another file, which nothing fetches",
        ),
        (
            "a.rdf",
            "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>" + OPENING + "&x;</rdf:RDF>",
            "neither from other files nor with %",
        ),
        (
            "a.rdf",
            "<!DOCTYPE a [<!ENTITY % x 'y'> %x;]>" + OPENING + "</rdf:RDF>",
            "neither from other files nor with %",
        ),
        (
            "a.rdf",
            "<!DOCTYPE a [<!ENTITY x '<b/>'>]>" + OPENING + "&x;</rdf:RDF>",
            "an entity may stand for text alone",
        ),
        ("a.rdf", "<!DOCTYPE a [<!ENTITY x 'y'>]>" + OPENING + "&z;</rdf:RDF>", "the entity '&z;' is not declared"),
        (
            "a.owx",
            f'<Ontology xmlns="{OWL}"><SubClassOf><Class IRI="a:A"/></SubClassOf></Ontology>',
            "line 1: SubClassOf has 2",
        ),
        ("a.owx", f'<Ontology xmlns="{OWL}"><SubClassOf>', "a.owx is not OWL/XML: .*no element found"),
        ("a.owx", f'<Ontology xmlns="{OWL}"><SubClassOf><Class/></SubClassOf></Ontology>', "<Class> has no 'IRI'"),
        (
            "a.owx",
            f'<Ontology xmlns="{OWL}"><SubClassOf><Class abbreviatedIRI="x:A"/></SubClassOf></Ontology>',
            "prefix of 'x:A'",
        ),
        ("a.owx", f'<Ontology xmlns="{OWL}">' + "<ObjectComplementOf>" * 300, "more than 200 elements"),
        ("a.owx", "<graphml/>", "expected <Ontology"),
        ("a.owl", "age,sex\n40,f\n", "does not begin as an ontology does"),
        ("a.csv", "ann,Patient\nbob\n", "a.csv, line 2: expected individual and class"),
        ("a.csv", "ann,Patient\nbob,knows,ann,x\n", "a.csv, line 2: expected individual and class, or .* got 4"),
        ("a.csv", "ann,Patient\n,Patient\n", "a.csv, line 2: .*a name is missing"),
        ("a.csv", "ann,owl:topObjectProperty,bob\n", "relates everything or nothing"),
        ("a.ofn", " \n", "a.ofn is empty; expected an ontology"),
    ],
)
def test_files_that_are_wrong(name: str, text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read_ontology(file)


def entity_bomb(levels: int) -> str:
    entities = ["<!ENTITY e0 'http://e.org/'>"]
    entities += [f"<!ENTITY e{level} '{f'&e{level - 1};' * 10}'>" for level in range(1, levels)]
    return f"<!DOCTYPE rdf:RDF [{''.join(entities)}]>"


@pytest.mark.parametrize("name", ["bomb.rdf", "bomb.owx"])
def test_entities_that_grow_without_end_are_refused(name: str, tmp_path: Path) -> None:
    body = OPENING + "&e8;</rdf:RDF>" if name.endswith("rdf") else f'<Ontology xmlns="{OWL}">&e8;</Ontology>'
    file = tmp_path / name
    file.write_text(entity_bomb(9) + body)
    with pytest.raises(DataError, match="an entity stands for more than 10,000 characters"):
        read_ontology(file)
    file.write_text(entity_bomb(3).replace("]", f"<!ENTITY e8 '{'&e2;' * 7}'>]") + body.replace("&e8;", "&e8;" * 300))
    with pytest.raises(DataError, match="more than 100 times as long"):
        read_ontology(file)


@pytest.mark.parametrize(
    "text",
    [
        "<!DOCTYPE a [<!ENTITY x 'y'>]><a>" + "<!-- x " * 20_000,
        "<!DOCTYPE a [<!ENTITY x 'y'>]><a>" + "<![CDATA[ " * 20_000,
        "<?a ?>" * 10_000 + "<!DOCTYPE a [ ]" * 3_000,
        "<!-- a --> " * 5_000 + "<!-- " * 5_000,
        "<!DOCTYPE a " + "[" * 20_000,
        "# a\n" * 20_000 + "#",
        "! a\n" * 20_000 + "!",
        "Ontology(" + 'Annotation("' * 20_000,
        "<a:b> " * 20_000,
    ],
    ids=range(9),
)
def test_no_text_takes_long_to_refuse(text: str, tmp_path: Path) -> None:
    file = tmp_path / "hostile.owl"
    file.write_text(text)
    began = process_time()
    looks_like_ontology(file)
    for name in (None, "functional", "rdf-xml", "owl-xml", "n-triples"):
        with contextlib.suppress(DataError):
            read_ontology(file, format=name)
    assert process_time() - began < 3


def test_a_list_of_a_thousand_items_is_no_deep_nesting(tmp_path: Path) -> None:
    file = tmp_path / "many.ttl"
    file.write_text(PREFIXES + f"[] a owl:AllDifferent ; owl:members ({' '.join(f':a{n}' for n in range(3000))}) .")
    assert len(read_ontology(file).individuals) == 3000


def test_brackets_that_never_close_are_no_recursion(tmp_path: Path) -> None:
    file = tmp_path / "deep.ttl"
    file.write_text(PREFIXES + ":A rdfs:subClassOf " + "[ owl:complementOf " * 1000 + ":B" + "]" * 1000 + " .")
    with pytest.raises(DataError, match="more than 200 expressions stand in each other"):
        read_ontology(file)
    assert sys.getrecursionlimit() >= 1000


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a folder; expected the file of an ontology"):
        read_ontology(tmp_path)
    with pytest.raises(DataError, match="does not exist; expected the file of an ontology"):
        read_ontology(tmp_path / "none.ofn")
    (tmp_path / "cut.ofn.gz").write_bytes(gzip.compress(b"Ontology()" * 1000)[:-20])
    with pytest.raises(DataError, match="damaged gzip file"):
        read_ontology(tmp_path / "cut.ofn.gz")
    (tmp_path / "latin.ofn").write_bytes("Ontology(\nSubClassOf(<a:Müller> <a:B>))".encode("latin-1"))
    with pytest.raises(DataError, match=r"latin\.ofn, line 2: byte 0xfc .* is not utf-8"):
        read_ontology(tmp_path / "latin.ofn")
    (tmp_path / "latin.nt").write_bytes(f"<a:M\xfcller> <{RDFS}subClassOf> <a:B> .".encode("latin-1"))
    with pytest.raises(DataError, match="is not utf-8"):
        read_ontology(tmp_path / "latin.nt")
    with pytest.raises(UsageError, match="format must be 'functional' or"):
        read_ontology(tmp_path / "latin.ofn", format="word")


def test_an_empty_ontology_is_one(tmp_path: Path) -> None:
    for name, text in (("a.ofn", "Ontology()"), ("a.nt", "# nothing\n"), ("a.rdf", OPENING + "</rdf:RDF>")):
        (tmp_path / name).write_text(text)
        assert len(read_ontology(tmp_path / name)) == 0


def test_imports_are_named_and_not_fetched(tmp_path: Path) -> None:
    file = tmp_path / "small.ofn"
    file.write_text("Ontology(<http://e.org/small> Import(<http://e.org/large>))")
    with pytest.warns(DataWarning, match=r"small.ofn imports http://e.org/large, which nothing fetches"):
        read_ontology(file)


def test_names_without_a_declaration_are_noted_where_others_have_one(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        Ontology.of_text("Declaration(Class(:Drug)) SubClassOf(:Drgu :Drug)")
    assert "1 class(es) without a declaration, while others have one: :Drgu" in caplog.text
    caplog.clear()
    Ontology.of_text("SubClassOf(:A :B)")
    assert not caplog.text


def test_without_pyoxigraph_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    importing = builtins.__import__

    def without(name, *rest, **options):
        if name == "pyoxigraph":
            raise ImportError(name)
        return importing(name, *rest, **options)

    (tmp_path / "a.ttl").write_text(PREFIXES)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UsageError, match=r"pip install 'krypsis\[ontologies\]'"):
        read_ontology(tmp_path / "a.ttl")
