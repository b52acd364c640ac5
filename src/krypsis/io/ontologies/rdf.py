"""The axioms that the triples of an RDF graph stand for."""

from collections.abc import Callable, Mapping

import numpy as np

from krypsis.data.ontologies import AxiomType, Ontology, OntologyBuilder
from krypsis.io.ontologies.constructs import (
    BOTTOM_ROLE,
    NOTHING,
    THING,
    TOP_ROLE,
    Construct,
    OutsideLanguageError,
)
from krypsis.io.ontologies.interpreter import Interpreter
from krypsis.io.ontologies.notes import note_names
from krypsis.io.ontologies.rdf_nodes import ANNOTATION, DATA, OBJECT, RdfNodes
from krypsis.io.ontologies.triples import Triples
from krypsis.io.ontologies.vocabulary import (
    CHARACTERISTICS,
    CLASS_AXIOMS,
    COMBINATIONS,
    DECLARATIONS,
    END_AXIOMS,
    GROUPS,
    INDIVIDUAL_AXIOMS,
    LIST_AXIOMS,
    PROPERTY_AXIOMS,
)

SHORT_WAY = {"rdfs:subClassOf": AxiomType.SUBCLASS, "owl:equivalentClass": AxiomType.EQUIVALENT}
"""Frequent axioms, which are built without a detour."""
DEFINING = (*COMBINATIONS, "owl:onProperty")
"""Parts of expressions; one that belongs to a name says what the class of that name is."""


def ontology_of_triples(
    triples: Triples, where: str, *, ignore_unsupported: bool = False, prefixes: Mapping[str, str] | None = None
) -> Ontology:
    """Return the ontology that the triples of an RDF graph stand for; secrets about it may use its prefixes.

    A property is a role if it is declared as one, or is neither declared otherwise nor related to literals.

    Raises
    ------
    DataError
        if triples that belong together do not fit, such as a list without an end, with the node; or if an axiom lies
        outside of the language.

    References
    ----------
    Patel-Schneider, Motik, "OWL 2 Web Ontology Language: mapping to RDF graphs", W3C Recommendation, 2012, section 3.
    """
    builder = OntologyBuilder(prefixes=dict(prefixes or {}))
    interpreter = Interpreter(builder, where)
    _Axioms(RdfNodes(triples, where), interpreter).add_all()
    note_names(interpreter)
    return builder.build(ignore_unsupported=ignore_unsupported)


class _Axioms:
    """Adds the axioms of a graph, in the order of the triples that they begin with."""

    def __init__(self, nodes: RdfNodes, interpreter: Interpreter) -> None:
        self.nodes, self.names, self.interpreter = nodes, nodes.names, interpreter
        self.builder = interpreter.builder
        self._known: dict[int, int] = {}
        """Node → its expression."""
        self._refused: dict[int, str] = {}
        """Node → why it has none."""
        self._roles: dict[int, int | None] = {}
        self._somes = nodes.values["owl:someValuesFrom"]
        self._intersections = nodes.values["owl:intersectionOf"]
        self._properties = nodes.values["owl:onProperty"]

    def add_all(self) -> None:
        """Add everything that the graph says."""
        triples, nodes = self.nodes.triples, self.nodes
        self._declare()
        adding = self._adding()
        rows = [nodes.rows_of(term) for term in adding if term != "rdf:type" and term not in DEFINING]
        rows += [self._of_names(nodes.rows_of(term)) for term in DEFINING]
        ordered = np.sort(np.concatenate([*rows, self._type_rows()]))
        lines = np.zeros(len(ordered), dtype=np.int64) if triples.lines is None else triples.lines[ordered]
        parts = (triples.subjects[ordered], triples.predicates[ordered], triples.objects[ordered], lines)
        for subject, predicate, value, line in zip(*(one.tolist() for one in parts), strict=True):
            term = nodes.term_of[predicate]
            adding[term](subject, term, value, line)
        self._add_assertions()

    def _declare(self) -> None:
        """Add the names that are declared, also if nothing else is said of them."""
        nodes, names = self.nodes, self.names
        self.interpreter.declared["ObjectProperty"].update(
            names[node] for node, kind in nodes.kind.items() if kind == OBJECT
        )
        for term, name in DECLARATIONS.items():
            for node in nodes.typed.get(term, ()):
                if nodes.blank[node]:
                    continue
                if name == "Class" and names[node] not in {THING, NOTHING} and node not in nodes.datatypes:
                    self._known[node] = self.builder.class_named(names[node])
                    self.interpreter.declared[name].add(names[node])
                else:
                    self.interpreter.add(Construct("Declaration", [Construct(name, [names[node]])]))

    def _adding(self) -> dict[str, Callable[[int, str, int, int], None]]:
        """Return what adds the axiom of a triple, by its predicate."""
        return {
            **dict.fromkeys(CLASS_AXIOMS, self._class_axiom),
            **dict.fromkeys(DEFINING, self._definition),
            **dict.fromkeys(PROPERTY_AXIOMS, self._property_axiom),
            **dict.fromkeys(END_AXIOMS, self._end_axiom),
            **dict.fromkeys(INDIVIDUAL_AXIOMS, self._individual_axiom),
            **dict.fromkeys(LIST_AXIOMS, self._list_axiom),
            "rdf:type": self._type,
            "owl:imports": lambda _, __, value, line: self._add("Import", [self.names[value]], line),
        }

    def _of_names(self, rows: np.ndarray) -> np.ndarray:
        """Return the triples whose subject has a name."""
        blank = self.nodes.blank
        chosen = [not blank[subject] for subject in self.nodes.triples.subjects[rows].tolist()]
        return rows[np.array(chosen, dtype=np.bool_)]

    def _type_rows(self) -> np.ndarray:
        """Return the triples of types that are more than a declaration."""
        nodes = self.nodes
        rows = nodes.rows_of("rdf:type")
        codes = [nodes.code_of[term] for term in (*CHARACTERISTICS, *GROUPS) if term in nodes.code_of]
        return np.concatenate([nodes.memberships, rows[np.isin(nodes.triples.objects[rows], codes)]])

    def _add(self, name: str, arguments: list[Construct | str], line: int) -> None:
        self.interpreter.add(Construct(name, arguments, line))

    # Classes

    def _class_axiom(self, subject: int, term: str, value: int, line: int) -> None:
        kind = SHORT_WAY.get(term)
        if kind is not None:
            try:
                self.builder.axiom(kind, self._expression(subject), self._expression(value), line=line)
            except OutsideLanguageError:
                pass  # the long way leaves it out
            else:
                return
        expressions = [self.nodes.class_expression(one) for one in (subject, value)]
        self._add(CLASS_AXIOMS[term], expressions, line)

    def _expression(self, node: int, depth: int = 0) -> int:
        """Return the number of the class expression that a node stands for."""
        found = self._known.get(node)
        if found is not None:
            return found
        if node in self._refused:
            raise OutsideLanguageError(self._refused[node])
        nodes = self.nodes
        nodes.check_depth(node, depth)
        try:
            if node in self._somes and nodes.blank[node] and (role := self._usual_role(node)) is not None:
                found = self.builder.some(role, self._expression(self._somes[node], depth + 1))
            elif node in self._intersections and nodes.blank[node] and node not in nodes.datatypes:
                items = nodes.items(self._intersections[node])
                found = self.builder.conjunction([self._expression(one, depth + 1) for one in items])
            else:
                found = self.interpreter.expression(nodes.class_expression(node, depth))
        except OutsideLanguageError as error:
            self._refused[node] = str(error)
            raise
        self._known[node] = found
        return found

    def _usual_role(self, node: int) -> int | None:
        """Return the role of a restriction, if it is declared as one."""
        on = self._properties.get(node, -1)
        if on not in self._roles:
            is_declared = self.nodes.kind.get(on) == OBJECT and not self.nodes.blank[on]
            is_usual = is_declared and self.names[on] not in {TOP_ROLE, BOTTOM_ROLE}
            self._roles[on] = self.builder.role(self.names[on]) if is_usual else None
        return self._roles[on]

    def _definition(self, subject: int, term: str, value: int, line: int) -> None:
        """Add that a class is the same as an expression: the expression is attached to the name itself."""
        if subject in self.nodes.datatypes:
            self._add("DatatypeDefinition", [self.names[subject]], line)
        else:
            is_combined = term in COMBINATIONS
            expression = self.nodes.combination(term, value) if is_combined else self.nodes.restriction(subject)
            self._add("EquivalentClasses", [self.names[subject], expression], line)

    # Properties

    def _property_axiom(self, subject: int, term: str, value: int, line: int) -> None:
        if term == "owl:inverseOf" and self.nodes.blank[subject]:
            return  # a property without a name, which others refer to
        kind = self.nodes.kind_of([subject, value])
        if kind != ANNOTATION:
            name = PROPERTY_AXIOMS[term][kind == DATA]
            self._add(name, [self.nodes.role(subject), self.nodes.role(value)], line)

    def _end_axiom(self, subject: int, term: str, value: int, line: int) -> None:
        kind = self.nodes.kind_of([subject], [value])
        if kind == DATA:
            self._add(END_AXIOMS[term][1], [self.names[subject], self.names[value]], line)
        elif kind == OBJECT:
            self._add(END_AXIOMS[term][0], [self.nodes.role(subject), self.nodes.class_expression(value)], line)

    def _list_axiom(self, subject: int, term: str, value: int, line: int) -> None:
        items = self.nodes.items(value)
        if term == "owl:propertyChainAxiom":
            chain = Construct("ObjectPropertyChain", [self.nodes.role(one) for one in items])
            self._add(LIST_AXIOMS[term], [chain, self.nodes.role(subject)], line)
        elif term == "owl:hasKey":
            self._add(LIST_AXIOMS[term], [self.names[one] for one in (subject, *items)], line)
        else:
            expressions = [self.nodes.class_expression(one) for one in (subject, *items)]
            self._add(LIST_AXIOMS[term], expressions, line)

    # Individuals, and types of all others

    def _individual_axiom(self, subject: int, term: str, value: int, line: int) -> None:
        self._add(INDIVIDUAL_AXIOMS[term], [self.names[subject], self.names[value]], line)

    def _type(self, subject: int, term: str, value: int, line: int) -> None:
        term = self.nodes.term_of.get(value, "")
        if term in CHARACTERISTICS:
            is_data = self.nodes.kind_of([subject]) == DATA
            name = "FunctionalDataProperty" if is_data else CHARACTERISTICS[term]
            self._add(name, [self.nodes.role(subject)], line)
        elif term in GROUPS:
            self._group(subject, term, line)
        else:
            try:
                expression = self._expression(value)
                self.builder.axiom(
                    AxiomType.MEMBER, expression, self.interpreter.individual(self.names[subject]), line=line
                )
            except OutsideLanguageError:
                self._add("ClassAssertion", [self.nodes.class_expression(value), self.names[subject]], line)

    def _group(self, node: int, term: str, line: int) -> None:
        """Add an axiom that a node stands for."""
        nodes, values = self.nodes, self.nodes.values
        if term == "owl:NegativePropertyAssertion":
            self._negative(node, line)
            return
        members = values["owl:members"].get(node, values["owl:distinctMembers"].get(node))
        if members is None:
            raise nodes.malformed(node, f"is of type {term} and has no owl:members")
        items = nodes.items(members)
        if term == "owl:AllDisjointClasses":
            self._add(GROUPS[term], [nodes.class_expression(one) for one in items], line)
        else:
            self._add(GROUPS[term], [self.names[one] for one in items], line)

    def _negative(self, node: int, line: int) -> None:
        values, terms = self.nodes.values, ["owl:assertionProperty", "owl:sourceIndividual", "owl:targetIndividual"]
        name = "NegativeObjectPropertyAssertion"
        if node in values["owl:targetValue"]:
            terms[2], name = "owl:targetValue", "NegativeDataPropertyAssertion"
        if lacks := [one for one in terms if node not in values[one]]:
            raise self.nodes.malformed(node, f"is an owl:NegativePropertyAssertion and has no {lacks[0]}")
        self._add(name, [self.names[values[one][node]] for one in terms], line)

    def _add_assertions(self) -> None:
        """Add the triples with other predicates: who is related to whom."""
        nodes = self.nodes
        for predicate, rows in nodes.rows.items():
            term = nodes.term_of.get(predicate)
            if term is None and nodes.kind.get(predicate) != ANNOTATION:
                nodes.check_vocabulary(predicate, "a property")
                self._add_related(predicate, rows)

    def _add_related(self, predicate: int, rows: np.ndarray) -> None:
        nodes, triples = self.nodes, self.nodes.triples
        declared = nodes.kind.get(predicate)
        name = self.names[predicate]
        lines = np.zeros(len(rows), dtype=np.int64) if triples.lines is None else triples.lines[rows]
        parts = (triples.subjects[rows], triples.objects[rows], lines)
        for subject, value, line in zip(*(one.tolist() for one in parts), strict=True):
            if subject in nodes.others and (declared is None or nodes.blank[subject]):
                continue  # an annotation of a class, a property, an ontology or an axiom
            kind = declared or (DATA if nodes.is_data(value) else OBJECT)
            arguments: list[Construct | str] = [name, self.names[subject], self.names[value]]
            self._add("ObjectPropertyAssertion" if kind == OBJECT else "DataPropertyAssertion", arguments, line)
