"""The nodes of an RDF graph: what is declared of them, lists, and the class expressions that they stand for."""

import re
from collections.abc import Iterable
from functools import cached_property

import numpy as np

from krypsis.arrays import IntArray
from krypsis.errors import DataError, did_you_mean
from krypsis.io.ontologies.constructs import DEEPEST, Construct, Literal
from krypsis.io.ontologies.triples import Triples
from krypsis.io.ontologies.vocabulary import (
    COMBINATIONS,
    DATATYPE_NAMES,
    NUMBERS,
    OBJECT_ONLY,
    RESTRICTIONS,
    STRUCTURE,
    VOCABULARIES,
    VOCABULARY,
)

OBJECT, DATA, ANNOTATION = "Object", "Data", "Annotation"
"""The kinds of properties; the first two are how the names of constructs begin."""
DATA_RANGE = Construct("DataSomeValuesFrom", [])
"""Stands for any set of data, none of which the language has."""


class RdfNodes:
    """The nodes of a graph, which are numbers of terms."""

    def __init__(self, triples: Triples, where: str) -> None:
        self.triples, self.where = triples, where
        self.names: list[str] = triples.terms.to_list()
        self.blank: list[bool] = triples.terms.str.starts_with("_:").to_list()
        """Which nodes have no name."""
        known = triples.terms.is_in(list(VOCABULARY)).to_numpy()
        self.term_of = {int(code): VOCABULARY[self.names[code]] for code in np.flatnonzero(known)}
        """The number of a term of the vocabularies → its short name, such as ``rdfs:subClassOf``."""
        self.code_of = {term: code for code, term in self.term_of.items()}
        self.rows = self._rows_by_predicate()
        self.values = {term: self._values_of_nodes(term) for term in STRUCTURE}
        """Predicate → node without a name → its value."""
        self._find_kinds()

    def _rows_by_predicate(self) -> dict[int, IntArray]:
        order = np.argsort(self.triples.predicates, kind="stable")
        codes, starts = np.unique(self.triples.predicates[order], return_index=True)
        return dict(zip(codes.tolist(), np.split(order, starts[1:]), strict=True)) if len(codes) else {}

    def rows_of(self, term: str) -> IntArray:
        """Return the triples with a predicate, in their order."""
        return self.rows.get(self.code_of.get(term, -1), np.empty(0, dtype=np.int64))

    def _values_of_nodes(self, term: str) -> dict[int, int]:
        rows = self.rows_of(term)
        subjects, objects = self.triples.subjects[rows].tolist(), self.triples.objects[rows].tolist()
        found = dict(zip(subjects, objects, strict=True))
        if len(found) < len(subjects):
            for subject, value in zip(subjects, objects, strict=True):
                if found[subject] != value and self.blank[subject]:
                    raise self.malformed(subject, f"has several {term}; expected one")
        return found

    def malformed(self, node: int, what: str) -> DataError:
        """Return the error for triples that do not fit together."""
        return DataError(f"{self.where}: the node {self.names[node][:200]} {what}")

    # What is declared

    def _find_kinds(self) -> None:
        """Find out which names stand for classes, individuals, and properties of which kind."""
        rows = self.rows_of("rdf:type")
        subjects, objects = self.triples.subjects[rows], self.triples.objects[rows]
        is_known = np.zeros(len(rows), dtype=np.bool_)
        self.typed: dict[str, list[int]] = {}
        """Type → the nodes of it, in the order of the triples."""
        for code in np.unique(objects).tolist():
            term = self.term_of.get(code)
            if term is None:
                self.check_vocabulary(code, "a class")
            elif term not in {"owl:Thing", "owl:Nothing", "rdfs:Resource"}:
                chosen = objects == code
                self.typed[term] = list(dict.fromkeys(subjects[chosen].tolist()))
                is_known |= chosen
        self.memberships = rows[~is_known]
        """The triples that say which class an individual is in."""
        self.kind: dict[int, str] = {}
        kinds = {"owl:OntologyProperty": ANNOTATION, "owl:AnnotationProperty": ANNOTATION, "owl:DatatypeProperty": DATA}
        for term, kind in (kinds | dict.fromkeys(OBJECT_ONLY, OBJECT)).items():
            self.kind.update(dict.fromkeys(self.typed.get(term, ()), kind))
        self.individuals = {
            *self.triples.subjects[self.memberships].tolist(),
            *self.typed.get("owl:NamedIndividual", ()),
        }
        self.others = {
            node for term, nodes in self.typed.items() if term != "owl:NamedIndividual" for node in nodes
        } - self.individuals
        """Classes, properties, ontologies, and parts of axioms."""

    def check_vocabulary(self, node: int, what: str) -> None:
        """Raise if a name lies in a vocabulary of W3C, and is none that is known: it may be misspelled."""
        name = self.names[node]
        prefix = next((one for one in ("owl:", "rdfs:") if name.startswith(VOCABULARIES[one])), None)
        if prefix is not None:
            local = name.removeprefix(VOCABULARIES[prefix])
            short, known = prefix + local, list(VOCABULARY.values())
            elsewhere = [term for term in known if term.endswith(f":{local}")]
            hint = did_you_mean(elsewhere[0] if elsewhere else short, known)
            raise DataError(f"{self.where}: {short!r} is used as {what}, and is no such term of OWL 2.{hint}")

    @cached_property
    def datatypes(self) -> set[int]:
        """Names and nodes that stand for sets of data."""
        terms = self.triples.terms
        named = terms.str.starts_with(VOCABULARIES["xsd:"]) | terms.is_in(list(DATATYPE_NAMES))
        declared = (*self.typed.get("rdfs:Datatype", ()), *self.typed.get("owl:DataRange", ()))
        return {*declared, *np.flatnonzero(named.to_numpy()).tolist()}

    def is_data(self, node: int) -> bool:
        """Whether a node is a literal, or stands for a set of data."""
        return self.names[node].startswith('"') or node in self.datatypes

    def kind_of(self, properties: Iterable[int], values: Iterable[int] = ()) -> str:
        """Return the kind of properties that go together: the one declared, or that of what they are related to."""
        kinds = {self.kind[node] for node in properties if node in self.kind}
        for kind in (OBJECT, DATA, ANNOTATION):
            if kind in kinds:
                return kind
        return DATA if any(map(self.is_data, values)) else OBJECT

    # Lists and class expressions

    def items(self, node: int) -> list[int]:
        """Return the items of a list."""
        firsts, rests, end = self.values["rdf:first"], self.values["rdf:rest"], self.code_of.get("rdf:nil", -1)
        found: list[int] = []
        while node != end:
            if node not in firsts or node not in rests:
                lacks = "rdf:first" if node not in firsts else "rdf:rest"
                raise self.malformed(node, f"is used as a list and has no {lacks}; a list ends with rdf:nil")
            if len(found) > len(firsts):
                raise self.malformed(node, "is a list that comes back to itself; expected an end with rdf:nil")
            found.append(firsts[node])
            node = rests[node]
        return found

    def role(self, node: int) -> Construct | str:
        """Return a property: its name, or the inverse of another."""
        if not self.blank[node]:
            return self.names[node]
        if node not in self.values["owl:inverseOf"]:
            raise self.malformed(node, "is used as a property; expected a name, or owl:inverseOf")
        return Construct("ObjectInverseOf", [self.names[self.values["owl:inverseOf"][node]]])

    def class_expression(self, node: int, depth: int = 0) -> Construct | str:
        """Return the class expression that a node stands for."""
        if node in self.datatypes:
            return DATA_RANGE
        if not self.blank[node]:
            return self.names[node]
        self.check_depth(node, depth)
        if node in self.values["owl:onProperty"] or node in self.values["owl:onProperties"]:
            return self.restriction(node, depth)
        term = next((one for one in COMBINATIONS if node in self.values[one]), None)
        if term is None:
            expected = f"owl:onProperty or {', '.join(COMBINATIONS)}"
            raise self.malformed(node, f"is used as a class; expected one with {expected}")
        return self.combination(term, self.values[term][node], depth)

    def check_depth(self, node: int, depth: int) -> None:
        """Raise if expressions stand in each other without an end."""
        if depth > DEEPEST:
            raise self.malformed(node, f"holds itself, or more than {DEEPEST} expressions stand in each other")

    def combination(self, term: str, value: int, depth: int = 0) -> Construct:
        """Return an expression made of others."""
        if term == "owl:complementOf":
            return Construct(COMBINATIONS[term], [self.class_expression(value, depth + 1)])
        items = self.items(value)
        if term == "owl:oneOf":
            names: list[Construct | str] = [self.names[one] for one in items]
            is_data = any(self.is_data(one) for one in items)
            return DATA_RANGE if is_data else Construct(COMBINATIONS[term], names)
        return Construct(COMBINATIONS[term], [self.class_expression(one, depth + 1) for one in items])

    def restriction(self, node: int, depth: int = 0) -> Construct:
        """Return an expression made of a property."""
        values = self.values
        if node in values["owl:onProperties"]:
            return DATA_RANGE
        on = values["owl:onProperty"][node]
        term = next((one for one in (*RESTRICTIONS, *NUMBERS) if node in values[one]), None)
        if term is None:
            raise self.malformed(node, f"has owl:onProperty and none of {', '.join((*RESTRICTIONS, *NUMBERS))}")
        value = values[term][node]
        if term in NUMBERS:
            return self._number(node, term, on, depth)
        if term == "owl:hasSelf":
            return Construct("ObjectHasSelf", [self.role(on)])
        if self.kind_of([on], [value]) == DATA:
            return Construct("Data" + RESTRICTIONS[term], [self.names[on], self.names[value]])
        filler = self.names[value] if term == "owl:hasValue" else self.class_expression(value, depth + 1)
        return Construct("Object" + RESTRICTIONS[term], [self.role(on), filler])

    def _number(self, node: int, term: str, on: int, depth: int) -> Construct:
        values = self.values
        counted = re.match(r'"\s*\+?(\d+)\s*"', self.names[values[term][node]])
        if counted is None:
            raise self.malformed(node, f"has {term} {self.names[values[term][node]][:60]}; expected a number")
        if self.kind_of([on]) == DATA or node in values["owl:onDataRange"]:
            return Construct("Data" + NUMBERS[term], [Literal(counted[1]), self.names[on]])
        found: list[Construct | str] = [Literal(counted[1]), self.role(on)]
        if node in values["owl:onClass"]:
            found.append(self.class_expression(values["owl:onClass"][node], depth + 1))
        return Construct("Object" + NUMBERS[term], found)
