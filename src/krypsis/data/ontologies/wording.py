"""Axioms as texts: in functional syntax, and in the notation of description logics for people."""

import re
from collections.abc import Callable
from functools import cached_property
from urllib.parse import quote

import numpy as np

from krypsis.data.ontologies.ontology import ROLES_FIRST, ROLES_ONLY, UNORDERED, AxiomType, Ontology, Operator

FUNCTIONAL_NAMES = {
    AxiomType.SUBCLASS: "SubClassOf",
    AxiomType.EQUIVALENT: "EquivalentClasses",
    AxiomType.DISJOINT: "DisjointClasses",
    AxiomType.SUBROLE: "SubObjectPropertyOf",
    AxiomType.EQUIVALENT_ROLES: "EquivalentObjectProperties",
    AxiomType.TRANSITIVE: "TransitiveObjectProperty",
    AxiomType.REFLEXIVE: "ReflexiveObjectProperty",
    AxiomType.DOMAIN: "ObjectPropertyDomain",
    AxiomType.RANGE: "ObjectPropertyRange",
    AxiomType.MEMBER: "ClassAssertion",
    AxiomType.RELATED: "ObjectPropertyAssertion",
    AxiomType.UNRELATED: "NegativeObjectPropertyAssertion",
    AxiomType.SAME: "SameIndividual",
    AxiomType.DIFFERENT: "DifferentIndividuals",
}
OF_INDIVIDUALS = frozenset(
    {AxiomType.MEMBER, AxiomType.RELATED, AxiomType.UNRELATED, AxiomType.SAME, AxiomType.DIFFERENT}
)
"""Axioms in which an individual stands for itself, not for the class that holds it."""
KINDS = tuple(AxiomType)
NAME, NOMINAL, AND, SOME, SELF, OR, NOT = (
    int(operator)
    for operator in (
        Operator.NAME,
        Operator.NOMINAL,
        Operator.AND,
        Operator.SOME,
        Operator.SELF,
        Operator.OR,
        Operator.NOT,
    )
)
"""As plain numbers, which are compared faster."""
_SHORT = re.compile(r"[^/#:]+$")
_LOCAL = re.compile(r":\w(?:[\w.-]*[\w-])?")
FORBIDDEN = re.compile(r"[<>\"{}|^`\\\x00-\x20]")
"""What may not stand in an IRI."""


def short_name(name: str) -> str:
    """Return the last part of a name, such as ``Drug`` of ``http://example.org/drugs#Drug``.

    Examples
    --------
    >>> short_name("http://example.org/drugs#Drug"), short_name(":Drug"), short_name("http://example.org/")
    ('Drug', 'Drug', 'http://example.org/')
    """
    found = _SHORT.search(name)
    return name if found is None else found.group()


def quoted_name(name: str) -> str:
    """Return a name in functional syntax: in brackets, unless it is one without a namespace, such as ``:Drug``.

    Examples
    --------
    >>> quoted_name("http://example.org/drugs#Drug"), quoted_name(":Drug")
    ('<http://example.org/drugs#Drug>', ':Drug')
    """
    return name if _LOCAL.fullmatch(name) else in_brackets(name)


def in_brackets(name: str) -> str:
    """Return a whole name in functional syntax; what may not stand in an IRI is written as ``%20``."""
    return f"<{FORBIDDEN.sub(lambda found: quote(found.group()), name)}>"


class Wording:
    """Puts the axioms of one ontology into words.

    In functional syntax, arguments whose order says nothing are sorted: equal axioms of two ontologies read the same.

    Parameters
    ----------
    ontology
        whose axioms.
    quoted
        how to write a name in functional syntax.

    Examples
    --------
    >>> ontology = Ontology.of_text("SubClassOf(ObjectSomeValuesFrom(:takes :Insulin) :Diabetic)")
    >>> Wording(ontology).functional(0)
    'SubClassOf(ObjectSomeValuesFrom(:takes :Insulin) :Diabetic)'
    >>> Wording(ontology).readable(0)
    '∃takes.Insulin ⊑ Diabetic'
    """

    def __init__(self, ontology: Ontology, quoted: Callable[[str], str] = quoted_name) -> None:
        self._ontology = ontology
        self._quoted = quoted
        self._expressions: dict[int, str] = {}

    @cached_property
    def _axioms(self) -> tuple[list[int], list[int], list[int]]:
        """Types, and where the arguments of each axiom begin among all arguments, as lists, which are read faster."""
        found = self._ontology
        return found.types.tolist(), found.arguments.starts.tolist(), found.arguments.values.tolist()

    def _axiom(self, axiom: int) -> tuple[AxiomType, list[int]]:
        types, starts, values = self._axioms
        place = range(len(types))[axiom]
        return KINDS[types[place]], values[starts[place] : starts[place + 1]]

    @cached_property
    def _table(self) -> tuple[list[int], list[int], list[int]]:
        """The same of expressions: operators, and where the arguments of each begin among all."""
        table = self._ontology.expressions
        return table.operators.tolist(), table.arguments.starts.tolist(), table.arguments.values.tolist()

    @cached_property
    def _individual_of(self) -> dict[int, int]:
        """Nominal → its individual."""
        table = self._ontology.expressions
        places = np.flatnonzero(table.operators == Operator.NOMINAL)
        individuals = table.arguments.values[table.arguments.starts[places]]
        return dict(zip(places.tolist(), individuals.tolist(), strict=True))

    @cached_property
    def _classes(self) -> list[str]:
        return self._ontology.classes.to_list()

    @cached_property
    def _individuals(self) -> list[str]:
        return self._ontology.individuals.to_list()

    @cached_property
    def _roles(self) -> list[str]:
        return self._ontology.roles.to_list()

    def functional(self, axiom: int) -> str:
        """Return an axiom in functional syntax."""
        kind, given = self._axiom(axiom)
        if kind in ROLES_ONLY:
            words = [self._quoted(self._roles[one]) for one in given]
            if kind is AxiomType.SUBROLE and len(words) > 2:
                words = [f"ObjectPropertyChain({' '.join(words[:-1])})", words[-1]]
        elif kind in ROLES_FIRST:
            words = [self._quoted(self._roles[given[0]]), *(self._functional_part(one, kind) for one in given[1:])]
        else:
            words = [self._functional_part(one, kind) for one in given]
            if kind is AxiomType.MEMBER:
                words[0] = self.functional_expression(given[0])
        if kind in UNORDERED:
            words.sort()
        return f"{FUNCTIONAL_NAMES[kind]}({' '.join(words)})"

    def _functional_part(self, expression: int, kind: AxiomType) -> str:
        if kind in OF_INDIVIDUALS and (individual := self._individual_of.get(expression)) is not None:
            return self._quoted(self._individuals[individual])
        return self.functional_expression(expression)

    def functional_expression(self, expression: int) -> str:
        """Return a class expression in functional syntax."""
        if expression not in self._expressions:
            self._expressions[expression] = self._functional_expression(expression)
        return self._expressions[expression]

    def _functional_expression(self, expression: int) -> str:  # noqa: PLR0911  one for each operator
        operators, starts, values = self._table
        operator, given = operators[expression], values[starts[expression] : starts[expression + 1]]
        words = self.functional_expression
        if operator == NAME:
            return self._quoted(self._classes[given[0]])
        if operator == SOME:
            return f"ObjectSomeValuesFrom({self._quoted(self._roles[given[0]])} {words(given[1])})"
        if operator == NOMINAL:
            return f"ObjectOneOf({self._quoted(self._individuals[given[0]])})"
        if operator == SELF:
            return f"ObjectHasSelf({self._quoted(self._roles[given[0]])})"
        if operator == NOT:
            return f"ObjectComplementOf({words(given[0])})"
        if operator in (AND, OR):
            name = "ObjectIntersectionOf" if operator == AND else "ObjectUnionOf"
            return f"{name}({' '.join(sorted(map(words, given)))})"
        return "owl:Nothing" if operator else "owl:Thing"

    def readable(self, axiom: int) -> str:
        """Return an axiom in the notation of description logics, with short names."""
        kind, given = self._axiom(axiom)
        role_count = len(given) if kind in ROLES_ONLY else int(kind in ROLES_FIRST)
        roles = [short_name(self._roles[one]) for one in given[:role_count]]
        rest = [self.readable_expression(one) for one in given[role_count:]]
        individuals = [one.strip("{}") for one in rest]
        forms: dict[AxiomType, Callable[[], str]] = {
            AxiomType.SUBCLASS: lambda: f"{rest[0]} ⊑ {rest[1]}",
            AxiomType.EQUIVALENT: lambda: " ≡ ".join(rest),
            AxiomType.DISJOINT: lambda: f"disjoint: {', '.join(rest)}",
            AxiomType.SUBROLE: lambda: f"{' ∘ '.join(roles[:-1])} ⊑ {roles[-1]}",
            AxiomType.EQUIVALENT_ROLES: lambda: " ≡ ".join(roles),
            AxiomType.TRANSITIVE: lambda: f"{roles[0]} is transitive",
            AxiomType.REFLEXIVE: lambda: f"{roles[0]} is reflexive",
            AxiomType.DOMAIN: lambda: f"domain of {roles[0]}: {rest[0]}",
            AxiomType.RANGE: lambda: f"range of {roles[0]}: {rest[0]}",
            AxiomType.MEMBER: lambda: f"{individuals[1]} : {rest[0]}",
            AxiomType.RELATED: lambda: f"{roles[0]}({', '.join(individuals)})",
            AxiomType.UNRELATED: lambda: f"not {roles[0]}({', '.join(individuals)})",
            AxiomType.SAME: lambda: " = ".join(individuals),
            AxiomType.DIFFERENT: lambda: " ≠ ".join(individuals),
        }
        return forms[kind]()

    def readable_expression(self, expression: int) -> str:  # noqa: PLR0911  one for each operator
        """Return a class expression in the notation of description logics, with short names."""
        table = self._ontology.expressions
        given = table.arguments[expression].tolist()
        match table.operators[expression]:
            case Operator.TOP:
                return "⊤"
            case Operator.BOTTOM:
                return "⊥"
            case Operator.NAME:
                return short_name(self._classes[given[0]])
            case Operator.NOMINAL:
                return "{" + short_name(self._individuals[given[0]]) + "}"
            case Operator.SOME:
                return f"∃{short_name(self._roles[given[0]])}.{self._in_brackets(given[1])}"
            case Operator.SELF:
                return f"∃{short_name(self._roles[given[0]])}.Self"
            case Operator.NOT:
                return f"¬{self._in_brackets(given[0])}"
            case operator:
                return (" ⊓ " if operator == Operator.AND else " ⊔ ").join(self._in_brackets(one) for one in given)

    def _in_brackets(self, expression: int) -> str:
        words = self.readable_expression(expression)
        return (
            f"({words})" if self._ontology.expressions.operators[expression] in (Operator.AND, Operator.OR) else words
        )
