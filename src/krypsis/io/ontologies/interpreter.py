"""What the constructs of OWL 2 say, as axioms of the language; what it has no expression for is left to the builder."""

from collections.abc import Callable, Sequence

from krypsis.data.ontologies.builder import BOTTOM, TOP, OntologyBuilder
from krypsis.data.ontologies.ontology import AxiomType
from krypsis.errors import DataError, did_you_mean
from krypsis.io.ontologies.constructs import (
    ANONYMOUS,
    BOTTOM_ROLE,
    NOT_LOGICAL,
    NOTHING,
    THING,
    TOP_ROLE,
    UNIVERSAL_ROLE,
    UNORDERED,
    UNSUPPORTED,
    Construct,
    Literal,
    OutsideLanguageError,
)


class Interpreter:
    """Turns constructs of OWL 2 into calls of a builder."""

    def __init__(self, builder: OntologyBuilder, where: str = "") -> None:
        self.builder = builder
        self.where = where
        """What to call the document in messages."""
        self.imports: list[str] = []
        self.declared: dict[str, set[str]] = {"Class": set(), "ObjectProperty": set(), "NamedIndividual": set()}
        self._current = Construct("", [])
        self._left_out: set[tuple[str, ...]] = set()
        self._expressions: dict[str, Callable[[Construct], int]] = {
            "ObjectIntersectionOf": lambda given: builder.conjunction(self._each(given)),
            "ObjectUnionOf": lambda given: builder.union(self._each(given)),
            "ObjectComplementOf": self._complement,
            "ObjectOneOf": self._one_of,
            "ObjectSomeValuesFrom": self._some,
            "ObjectHasValue": self._value,
            "ObjectHasSelf": self._self,
            "ObjectAllValuesFrom": self._only,
            "ObjectMinCardinality": self._number,
            "ObjectMaxCardinality": self._number,
            "ObjectExactCardinality": self._number,
        }
        self._axioms: dict[str, Callable[[Construct, Sequence[Construct | str]], None]] = {
            "SubClassOf": self._subclass,
            "EquivalentClasses": self._classes(AxiomType.EQUIVALENT),
            "DisjointClasses": self._classes(AxiomType.DISJOINT),
            "DisjointUnion": self._disjoint_union,
            "SubObjectPropertyOf": self._sub_role,
            "EquivalentObjectProperties": self._equivalent_roles,
            "TransitiveObjectProperty": self._role_axiom,
            "ReflexiveObjectProperty": self._role_axiom,
            "IrreflexiveObjectProperty": self._role_axiom,
            "ObjectPropertyDomain": self._ends(AxiomType.DOMAIN),
            "ObjectPropertyRange": self._ends(AxiomType.RANGE),
            "ClassAssertion": self._member,
            "ObjectPropertyAssertion": self._related(AxiomType.RELATED),
            "NegativeObjectPropertyAssertion": self._related(AxiomType.UNRELATED),
            "SameIndividual": self._individuals(AxiomType.SAME),
            "DifferentIndividuals": self._individuals(AxiomType.DIFFERENT),
        }

    def add(self, construct: Construct) -> None:
        """Add an axiom, a declaration or an import; annotations say nothing that matters here."""
        name, self._current = construct.name, construct
        if name in NOT_LOGICAL or name == "Annotation":
            return
        if name == "Import":
            self.imports += [one for one in construct.arguments if isinstance(one, str)]
            return
        given = [one for one in construct.arguments if isinstance(one, str) or one.name != "Annotation"]
        if name == "Declaration":
            self._declare(construct, given)
            return
        adding = self._axioms.get(name)
        if adding is None and name not in UNSUPPORTED:
            known = [*self._axioms, *UNSUPPORTED]
            raise self.wrong(construct, f"{name!r} is no axiom of OWL 2.{did_you_mean(name, known)}")
        if adding is None:
            self._leave_out(construct, given)
            return
        try:
            adding(construct, given)
        except OutsideLanguageError as error:
            self.builder.leave_out(str(error), construct.text(), construct.line)

    def _leave_out(self, construct: Construct, given: Sequence[Construct | str]) -> None:
        """Note an axiom for which there is no expression; the same in another order is the same."""
        words = [one if isinstance(one, str) else one.text() for one in given]
        key = (construct.name, *(sorted(words) if construct.name in UNORDERED else words))
        if key not in self._left_out:
            self._left_out.add(key)
            self.builder.leave_out(UNSUPPORTED[construct.name], construct.text(), construct.line)

    def wrong(self, construct: Construct, message: str) -> DataError:
        """Return an error with the place of a construct."""
        place = ", ".join(filter(None, (self.where, f"line {construct.line}" if construct.line else "")))
        return DataError(f"{place}: {message}" if place else message)

    # Names

    def _declare(self, construct: Construct, given: Sequence[Construct | str]) -> None:
        for one in given:
            if isinstance(one, str) or len(one.arguments) != 1 or not isinstance(one.arguments[0], str):
                raise self.wrong(construct, "expected a declaration such as Declaration(Class(:A))")
            name = one.arguments[0]
            if one.name == "Class" and name not in {THING, NOTHING}:
                self.builder.class_named(name)
            elif one.name == "ObjectProperty" and name not in {TOP_ROLE, BOTTOM_ROLE}:
                self.builder.role(name)
            elif one.name == "NamedIndividual":
                self.builder.nominal(name)
            elif one.name not in {"Class", "ObjectProperty", "DataProperty", "AnnotationProperty", "Datatype"}:
                raise self.wrong(construct, f"{one.name!r} cannot be declared; expected Class, ObjectProperty, …")
            if one.name in self.declared:
                self.declared[one.name].add(name)

    def _role(self, given: Construct | str) -> int:
        name = self.role_name(given)
        if name == TOP_ROLE:
            raise OutsideLanguageError(UNIVERSAL_ROLE)
        return self.builder.role(name)

    def role_name(self, given: Construct | str) -> str:
        """Return the name of a role."""
        if isinstance(given, str):
            return self._named(given, "a role")
        if given.name == "ObjectInverseOf":
            raise OutsideLanguageError(UNSUPPORTED["ObjectInverseOf"])
        raise self.wrong(given, f"expected a role, got {given.text()}")

    def individual(self, given: Construct | str) -> int:
        """Return the nominal of an individual."""
        if not isinstance(given, str):
            raise self.wrong(given, f"expected an individual, got {given.text()}")
        if given.startswith("_:"):
            raise OutsideLanguageError(ANONYMOUS)
        return self.builder.nominal(self._named(given, "an individual"))

    def _named(self, given: str, expected: str) -> str:
        if isinstance(given, Literal) or given.startswith('"'):
            raise self.wrong(self._current, f"expected the name of {expected}, got {given[:60]}")
        return given

    # Class expressions

    def expression(self, given: Construct | str) -> int:
        """Return the number of a class expression."""
        if isinstance(given, str):
            if given == THING:
                return TOP
            return BOTTOM if given == NOTHING else self.builder.class_named(self._named(given, "a class"))
        building = self._expressions.get(given.name)
        if building is None:
            if given.name in UNSUPPORTED:
                raise OutsideLanguageError(UNSUPPORTED[given.name])
            hint = did_you_mean(given.name, [*self._expressions, *UNSUPPORTED])
            raise self.wrong(given, f"{given.name!r} is no class expression of OWL 2.{hint}")
        return building(given)

    def _each(self, given: Construct) -> list[int]:
        self._check_count(given, given.arguments, 1, None)
        return [self.expression(one) for one in given.arguments]

    def _one_of(self, given: Construct) -> int:
        self._check_count(given, given.arguments, 1, None)
        return self.builder.union([self.individual(one) for one in given.arguments])

    def _complement(self, given: Construct) -> int:
        self._check_count(given, given.arguments, 1, 1)
        return self.builder.complement(self.expression(given.arguments[0]))

    def _some(self, given: Construct) -> int:
        self._check_count(given, given.arguments, 2, 2)
        return self._related_to(given.arguments[0], self.expression(given.arguments[1]))

    def _value(self, given: Construct) -> int:
        self._check_count(given, given.arguments, 2, 2)
        return self._related_to(given.arguments[0], self.individual(given.arguments[1]))

    def _self(self, given: Construct) -> int:
        self._check_count(given, given.arguments, 1, 1)
        if self.role_name(given.arguments[0]) == BOTTOM_ROLE:
            return BOTTOM
        return self.builder.has_self(self._role(given.arguments[0]))

    def _related_to(self, role: Construct | str, filler: int) -> int:
        """Return ∃r.C; the role that relates nothing leaves nobody."""
        return BOTTOM if self.role_name(role) == BOTTOM_ROLE else self.builder.some(self._role(role), filler)

    def _only(self, given: Construct) -> int:
        """Return ∀r.⊥, which is ¬∃r.⊤; no other universal restriction can be expressed."""
        self._check_count(given, given.arguments, 2, 2)
        if given.arguments[1] != NOTHING:
            raise OutsideLanguageError(UNSUPPORTED[given.name])
        return self.builder.complement(self._related_to(given.arguments[0], TOP))

    def _number(self, given: Construct) -> int:
        """Return what a number of related individuals says: at least one is ∃r.C, and at most none is ¬∃r.C."""
        self._check_count(given, given.arguments, 2, 3)
        count, role, *filler = given.arguments
        if not isinstance(count, Literal) or not count.isdecimal():
            raise self.wrong(given, f"expected a number first in {given.text()}")
        is_least = given.name == "ObjectMinCardinality"
        if int(count) > int(is_least):
            raise OutsideLanguageError(UNSUPPORTED[given.name])
        related = self._related_to(role, self.expression(filler[0]) if filler else TOP)
        if is_least:
            return related if int(count) else TOP
        return self.builder.complement(related)

    # Axioms

    def _check_count(
        self, construct: Construct, given: Sequence[Construct | str], least: int, most: int | None
    ) -> None:
        if len(given) < least or (most is not None and len(given) > most):
            wanted = f"at least {least}" if most is None else str(least) if most == least else f"{least} to {most}"
            raise self.wrong(
                construct, f"{construct.name} has {wanted} arguments, got {len(given)}: {construct.text()}"
            )

    def axiom(self, kind: AxiomType, line: int, *arguments: int) -> None:
        """Add an axiom."""
        self.builder.axiom(kind, *arguments, line=line)

    def _subclass(self, construct: Construct, given: Sequence[Construct | str]) -> None:
        self._check_count(construct, given, 2, 2)
        self.axiom(AxiomType.SUBCLASS, construct.line, self.expression(given[0]), self.expression(given[1]))

    def _classes(self, kind: AxiomType) -> Callable[[Construct, Sequence[Construct | str]], None]:
        def adding(construct: Construct, given: Sequence[Construct | str]) -> None:
            self._check_count(construct, given, 1, None)
            expressions = [self.expression(one) for one in given]
            if len(expressions) > 1:  # of one alone nothing is said
                self.axiom(kind, construct.line, *expressions)

        return adding

    def _disjoint_union(self, construct: Construct, given: Sequence[Construct | str]) -> None:
        """Add what a disjoint union says; that each member is in one of the parts lies outside of the language."""
        self._check_count(construct, given, 2, None)
        whole, *parts = (self.expression(one) for one in given)
        union = self.builder.union(parts)
        self.axiom(AxiomType.SUBCLASS, construct.line, union, whole)
        self.axiom(AxiomType.SUBCLASS, construct.line, whole, union)
        if len(parts) > 1:
            self.axiom(AxiomType.DISJOINT, construct.line, *parts)

    def _individuals(self, kind: AxiomType) -> Callable[[Construct, Sequence[Construct | str]], None]:
        def adding(construct: Construct, given: Sequence[Construct | str]) -> None:
            self._check_count(construct, given, 1, None)
            individuals = [self.individual(one) for one in given]
            if len(individuals) > 1:
                self.axiom(kind, construct.line, *individuals)

        return adding

    def _member(self, construct: Construct, given: Sequence[Construct | str]) -> None:
        self._check_count(construct, given, 2, 2)
        self.axiom(AxiomType.MEMBER, construct.line, self.expression(given[0]), self.individual(given[1]))

    def _sub_role(self, construct: Construct, given: Sequence[Construct | str]) -> None:
        self._check_count(construct, given, 2, 2)
        lower = given[0]
        chain = [lower]
        if not isinstance(lower, str) and lower.name == "ObjectPropertyChain":
            self._check_count(lower, lower.arguments, 1, None)
            chain = list(lower.arguments)
        self.include_role([self.role_name(one) for one in chain], self.role_name(given[1]), construct.line)

    def include_role(self, chain: Sequence[str], role: str, line: int) -> None:
        """Add that a chain of roles is included in a role."""
        if role == TOP_ROLE or BOTTOM_ROLE in chain:
            return  # always true
        if role == BOTTOM_ROLE:
            # Nobody is related by the chain: ∃r.∃s.⊤ ⊑ ⊥.
            related = TOP
            for one in reversed(chain):
                related = self.builder.some(self._role(one), related)
            self.axiom(AxiomType.SUBCLASS, line, related, BOTTOM)
        else:
            self.axiom(AxiomType.SUBROLE, line, *(self._role(one) for one in chain), self._role(role))

    def _equivalent_roles(self, construct: Construct, given: Sequence[Construct | str]) -> None:
        self._check_count(construct, given, 1, None)
        names = [self.role_name(one) for one in given]
        if BOTTOM_ROLE in names:
            for one in names:
                self.include_role([one], BOTTOM_ROLE, construct.line)
        elif len(names) > 1:
            self.axiom(AxiomType.EQUIVALENT_ROLES, construct.line, *map(self._role, names))

    def _role_axiom(self, construct: Construct, given: Sequence[Construct | str]) -> None:
        """Add that a role is transitive, reflexive or irreflexive."""
        self._check_count(construct, given, 1, 1)
        name = self.role_name(given[0])
        is_trivial = name == TOP_ROLE if construct.name == "ReflexiveObjectProperty" else name == BOTTOM_ROLE
        if is_trivial or (name == TOP_ROLE and construct.name == "TransitiveObjectProperty"):
            return
        if construct.name == "TransitiveObjectProperty":
            self.axiom(AxiomType.TRANSITIVE, construct.line, self._role(name))
        elif construct.name == "IrreflexiveObjectProperty":
            self.axiom(AxiomType.SUBCLASS, construct.line, self.builder.has_self(self._role(name)), BOTTOM)
        elif name == BOTTOM_ROLE:
            self.axiom(AxiomType.SUBCLASS, construct.line, TOP, BOTTOM)
        else:
            self.axiom(AxiomType.REFLEXIVE, construct.line, self._role(name))

    def _ends(self, kind: AxiomType) -> Callable[[Construct, Sequence[Construct | str]], None]:
        """Add the domain or the range of a role."""

        def adding(construct: Construct, given: Sequence[Construct | str]) -> None:
            self._check_count(construct, given, 2, 2)
            expression = self.expression(given[1])
            if self.role_name(given[0]) == TOP_ROLE:  # everybody is related
                self.axiom(AxiomType.SUBCLASS, construct.line, TOP, expression)
            elif self.role_name(given[0]) != BOTTOM_ROLE:
                self.axiom(kind, construct.line, self._role(given[0]), expression)

        return adding

    def _related(self, kind: AxiomType) -> Callable[[Construct, Sequence[Construct | str]], None]:
        """Add that two individuals are related, or are not."""

        def adding(construct: Construct, given: Sequence[Construct | str]) -> None:
            self._check_count(construct, given, 3, 3)
            role = self.role_name(given[0])
            one, other = self.individual(given[1]), self.individual(given[2])
            always = TOP_ROLE if kind is AxiomType.RELATED else BOTTOM_ROLE
            if role in {TOP_ROLE, BOTTOM_ROLE}:
                if role != always:  # a contradiction
                    self.axiom(AxiomType.MEMBER, construct.line, BOTTOM, one)
            else:
                self.axiom(kind, construct.line, self._role(role), one, other)

        return adding
