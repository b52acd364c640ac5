"""Secrets: axioms that must not follow, and the tests by which a closure decides whether they do.

A closure has inclusions between names only, so that a secret is not simply looked up in it. C ⊑ ∃r.E follows from
C ⊑ ∃r.D and D ⊑ E without being in the closure, everything follows for a class without members, and everything at all
from contradictions. Each secret therefore gets a fresh name for a complex left side, and a probe X with ∃r.E ⊑ X for a
complex right side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count, pairwise, product

import numpy as np
import polars as pl

from krypsis.data.ontologies.language import outside_tests
from krypsis.data.ontologies.normal_forms import BOTTOM, TOP, NormalForms, normalize_with_tests
from krypsis.data.ontologies.ontology import AxiomType, Expressions, Ontology, Operator, Ragged
from krypsis.errors import UsageError, did_you_mean, shorten

ANYTHING = re.compile(r"(?<=[\s(])\?(?=[\s)])")
"""A question mark that stands for any individual, or any class."""
PLACEHOLDER = "urn:krypsis:anything:"
ANYBODY = "urn:krypsis:anybody"
"""The name of an individual of whom nothing is said."""
ANY_INDIVIDUAL, ANY_CLASS = -1, -2
"""Instead of an expression on the left of a test."""
MOST_TESTS = 2_000_000
SECRET_TYPES = frozenset(
    {AxiomType.MEMBER, AxiomType.RELATED, AxiomType.SUBCLASS, AxiomType.EQUIVALENT, AxiomType.SAME}
)
EXPECTED = "a secret is a ClassAssertion, ObjectPropertyAssertion, SubClassOf, EquivalentClasses or SameIndividual"


@dataclass(frozen=True)
class Inclusion:
    """Whether an expression, or anything of a kind, is included in one of others that mean the same for it."""

    left: int
    """An expression, :data:`ANY_INDIVIDUAL` or :data:`ANY_CLASS`."""
    rights: tuple[int, ...]


@dataclass(frozen=True)
class SecretTest:
    """A secret, or one instance of a pattern: it follows if all its inclusions do."""

    secret: int
    """Which of the given secrets it belongs to."""
    kind: AxiomType
    arguments: tuple[int, ...]
    """Of the axiom; what may be anything is given as the left side of the inclusion is."""
    inclusions: tuple[Inclusion, ...]

    @property
    def is_pattern(self) -> bool:
        """Whether its left side may be anything."""
        return self.inclusions[0].left < 0


@dataclass(frozen=True, eq=False, repr=False)
class Secrets:
    """Secrets about an ontology, with all that is needed to see whether they follow.

    Examples
    --------
    >>> ontology = Ontology.of_text("ClassAssertion(:Ill :john) ClassAssertion(:Ill :mary) SubClassOf(:Ill :Patient)")
    >>> secrets = Secrets.of(["ClassAssertion(:Patient ?)"], ontology)
    >>> secrets
    Secrets(1 given, 1 test)
    """

    texts: tuple[str, ...]
    """As they were given."""
    ontology: Ontology
    """The axioms of the data and of what is public, with the expressions of the secrets."""
    tests: tuple[SecretTest, ...]
    for_parts: bool = True
    """Whether parts of the ontology are asked, too; see :func:`normalize_with_tests`."""

    def __repr__(self) -> str:
        return f"Secrets({len(self.texts)} given, {len(self.tests)} test{'s' * (len(self.tests) != 1)})"

    @classmethod
    def of(cls, texts: Sequence[str], ontology: Ontology, *, for_parts: bool = True) -> Secrets:
        """Return secrets in functional syntax, with ``?`` in place of individuals or classes that may be any.

        Parameters
        ----------
        texts
            such as ``ClassAssertion(:HIV_Patient ?)``; prefixes are those of the ontology.
        ontology
            the data, and what is public.
        for_parts
            whether parts of the ontology are asked, too, and nothing that follows from one may be missed.

        Raises
        ------
        UsageError
            if a secret cannot be understood, names something that does not occur in the ontology, holds always, or
            cannot be decided in the language.
        """
        is_about_anybody = any(map(ANYTHING.search, texts))
        ontology = _with_anybody(ontology) if is_about_anybody else ontology
        table, names = _ExpressionTable(ontology), _Names(ontology)
        if is_about_anybody:
            table.number(Operator.NOMINAL, len(ontology.individuals) - 1)
        tests: list[SecretTest] = []
        for place, text in enumerate(texts):
            for test in _Parsed(text, names).tests(place, table):
                tests.append(test)
                if len(tests) > MOST_TESTS:
                    raise UsageError(
                        f"{text} stands for more than {MOST_TESTS:,} axioms; name some of what may be anything"
                    )
        extended = replace(ontology, expressions=table.expressions())
        found = cls(tuple(texts), extended, tuple(tests), for_parts)
        found._check_language()
        return found

    def _check_language(self) -> None:
        """Raise where a side cannot have a name."""
        each = [(one, test.secret) for test in self.tests for one in test.inclusions]
        lefts = {one.left: secret for one, secret in each if one.left >= 0}
        rights = {right: secret for one, secret in each for right in one.rights}
        for expression, reason in outside_tests(self.ontology, list(lefts), list(rights)).items():
            text = self.texts[lefts.get(expression, rights.get(expression, 0))]
            raise UsageError(
                f"{text}: whether this secret follows cannot be decided in the language, for it holds {reason}; state "
                "secrets of individuals, or of classes, without it"
            )

    @cached_property
    def normal(self) -> tuple[NormalForms, dict[int, int], dict[int, int]]:
        """The normal forms of the axioms, with the names and probes of all tests: expression → atom, left and right."""
        lefts = list(dict.fromkeys(one.left for test in self.tests for one in test.inclusions if one.left >= 0))
        rights = list(dict.fromkeys(right for test in self.tests for one in test.inclusions for right in one.rights))
        forms, below, above = normalize_with_tests(self.ontology, lefts, rights, for_parts=self.for_parts)
        return (
            forms,
            dict(zip(lefts, below.tolist(), strict=True)),
            dict(zip(rights, above.tolist(), strict=True)),
        )

    def axioms(self, tests: Sequence[tuple[SecretTest, int | None]]) -> Ontology:
        """Return an ontology whose axioms are tests, each with the atom that stands for anything in it."""
        meanings = self.normal[0].meanings
        given = [
            [int(meanings[atom]) if one < 0 and atom is not None else one for one in test.arguments]
            for test, atom in tests
        ]
        kinds = np.array([test.kind for test, _ in tests], dtype=np.int32)
        return replace(self.ontology, types=kinds, arguments=Ragged.of(given), lines=None)


def _with_anybody(ontology: Ontology) -> Ontology:
    """Return an ontology with one more individual, of whom nothing is said: what follows for them does for everybody.

    ⊤ ⊑ C says of whoever will be named one day that they are in C, also where nobody is named yet.
    """
    name = ANYBODY
    while name in ontology.individuals:
        name += "_"
    return replace(ontology, individuals=pl.concat([ontology.individuals, pl.Series("name", [name])]))


class _ExpressionTable:
    """The expressions of an ontology, to which others are added."""

    def __init__(self, ontology: Ontology) -> None:
        self._table = ontology.expressions
        lists = self._table.arguments
        bounds = lists.starts.tolist()
        values, operators = lists.values.tolist(), self._table.operators.tolist()
        self._keys = [(operators[place], *values[bounds[place] : bounds[place + 1]]) for place in range(len(operators))]
        self._known = {key: place for place, key in enumerate(self._keys)}
        self._before = len(self._keys)

    def number(self, operator: int, *arguments: int) -> int:
        """Return the expression with an operator and arguments, which is added if it is new."""
        given = sorted(set(arguments)) if operator in (Operator.AND, Operator.OR) else list(arguments)
        key = (int(operator), *given)
        if key not in self._known:
            self._known[key] = len(self._keys)
            self._keys.append(key)
        return self._known[key]

    def key(self, expression: int) -> tuple[int, ...]:
        """Return the operator and the arguments of an expression."""
        return self._keys[expression]

    def holds_always(self, inclusion: Inclusion) -> bool:
        """Say whether an inclusion is one of those that nothing needs to be known for."""
        left, right = inclusion.left, inclusion.rights[0]
        is_part = left >= 0 and self.key(left)[0] == Operator.AND and right in self.key(left)[1:]
        return right in (left, TOP) or left == BOTTOM or is_part

    def expressions(self) -> Expressions:
        keys = self._keys[self._before :]
        new = Ragged.of([key[1:] for key in keys])
        lists = self._table.arguments
        return Expressions(
            np.concatenate([self._table.operators, np.array([key[0] for key in keys], dtype=np.int32)]),
            Ragged(
                np.concatenate([lists.values, new.values]),
                np.concatenate([lists.starts, new.starts[1:] + lists.starts[-1]]),
            ),
        )


class _Names:
    """The numbers of all names of an ontology."""

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology
        self.known: dict[str, Mapping[str, int]] = {
            noun: {name: place for place, name in enumerate(names.to_list())}
            for noun, names in (
                ("class", ontology.classes),
                ("individual", ontology.individuals),
                ("role", ontology.roles),
            )
        }


class _Parsed:
    """One secret as it was read, in numbers of its own."""

    def __init__(self, text: str, names: _Names) -> None:
        self.text, self.names = text, names
        counter = count(1)
        found = Ontology.of_text(
            ANYTHING.sub(lambda _: f"<{PLACEHOLDER}{next(counter)}>", text),
            prefixes=dict(names.ontology.prefixes),
            where=f"secret {text}",
            repeated=True,
        )
        if len(found) != 1:
            raise UsageError(f"{text!r} holds {len(found)} axioms; {EXPECTED}, one each")
        if any(name.startswith(PLACEHOLDER) for name in found.roles):
            raise UsageError(f"{text}: '?' stands for an individual or a class, and never for a role; name the role")
        self.found = found
        self.kind = AxiomType(int(found.types[0]))
        if self.kind not in SECRET_TYPES:
            raise UsageError(f"{text}: {EXPECTED}; got an axiom of another type")
        self.classes = self._numbers("class", found.classes.to_list())
        self.individuals = self._numbers("individual", found.individuals.to_list())
        self.roles = self._numbers("role", found.roles.to_list())

    def _numbers(self, noun: str, own: list[str]) -> dict[int, int]:
        """Return the numbers of names in the ontology, for all that are no placeholders."""
        known = self.names.known[noun]
        wanted = {place: name for place, name in enumerate(own) if not name.startswith(PLACEHOLDER)}
        missing = next((name for name in wanted.values() if name not in known), None)
        if missing is not None:
            raise UsageError(
                f"{self.text}: the {noun} {missing!r} occurs neither in the data nor in what is public; expected one "
                f"of: {shorten(known, 5) or 'none'}.{did_you_mean(missing, known)}"
            )
        return {place: known[name] for place, name in wanted.items()}

    def tests(self, secret: int, table: _ExpressionTable) -> Iterator[SecretTest]:
        """Return a test for each instance of the secret; what stands alone on the left may be anything in one test."""
        given = self.found.arguments[0].tolist()
        if self.kind is AxiomType.SAME and len(given) == 2 and self._anything(given[0]) is None:
            given = given[::-1]  # identity has no sides
        anything = self._anything(given[1 if self.kind in (AxiomType.MEMBER, AxiomType.RELATED) else 0])
        if self.kind is AxiomType.EQUIVALENT or len(given) > 3 or (self.kind is AxiomType.SAME and len(given) > 2):
            anything = None
        places = self._placeholders(leaving_out=anything)
        known = self.names.known
        choices = [range(len(known["class" if operator == Operator.NAME else "individual"])) for operator, _ in places]
        is_single = not places and anything is None
        for chosen in product(*choices):
            binding = dict(zip(places, chosen, strict=True))
            if anything is not None:
                binding[anything] = ANY_CLASS if anything[0] == Operator.NAME else ANY_INDIVIDUAL
            test = self._test(secret, given, binding, table)
            if all(table.holds_always(one) for one in test.inclusions):
                if is_single or anything is not None:
                    raise UsageError(f"{self.text} holds always, whatever is published; take it out of the secrets")
                continue
            yield test

    def _anything(self, expression: int) -> tuple[int, int] | None:
        """Return operator and number of an expression that is a placeholder and nothing else."""
        operator = int(self.found.expressions.operators[expression])
        if operator not in (Operator.NAME, Operator.NOMINAL):
            return None
        number = int(self.found.expressions.arguments[expression][0])
        known = self.classes if operator == Operator.NAME else self.individuals
        return None if number in known else (operator, number)

    def _placeholders(self, leaving_out: tuple[int, int] | None) -> list[tuple[int, int]]:
        each = map(self._anything, range(len(self.found.expressions)))
        return [one for one in each if one is not None and one != leaving_out]

    def _test(
        self, secret: int, given: list[int], binding: Mapping[tuple[int, int], int], table: _ExpressionTable
    ) -> SecretTest:
        def translated(expression: int) -> int:
            operator = int(self.found.expressions.operators[expression])
            own = self.found.expressions.arguments[expression].tolist()
            match operator:
                case Operator.TOP | Operator.BOTTOM:
                    return int(operator)
                case Operator.NAME | Operator.NOMINAL:
                    numbers = self.classes if operator == Operator.NAME else self.individuals
                    number = numbers.get(own[0], binding.get((operator, own[0]), 0))
                    return number if number < 0 else table.number(operator, number)
                case Operator.SOME:
                    return table.number(operator, self.roles[own[0]], translated(own[1]))
                case Operator.SELF:
                    return table.number(operator, self.roles[own[0]])
            arguments = sorted({translated(one) for one in own})
            return (
                arguments[0] if len(arguments) == 1 and operator != Operator.NOT else table.number(operator, *arguments)
            )

        if self.kind is AxiomType.RELATED:
            role, (one, other) = self.roles[given[0]], map(translated, given[1:])
            arguments: tuple[int, ...] = (role, one, other)
            pairs = [(one, table.number(Operator.SOME, role, other))]
        else:
            arguments = tuple(map(translated, given))
            match self.kind:
                case AxiomType.MEMBER:
                    pairs = [(arguments[1], arguments[0])]
                case AxiomType.EQUIVALENT:
                    pairs = list(zip(arguments, arguments[1:] + arguments[:1], strict=True))
                case _:
                    pairs = list(pairwise(arguments))
        inclusions = [one for left, right in pairs for one in _split(left, right, table)]
        return SecretTest(secret, self.kind, arguments, tuple(inclusions))


def _split(left: int, right: int, table: _ExpressionTable) -> Iterator[Inclusion]:
    """Return inclusions with neither a union on the left nor a complement on the right, which hold if this one does."""
    operator, *parts = table.key(left) if left >= 0 else (-1,)
    if operator == Operator.OR:
        for part in parts:
            yield from _split(part, right, table)
        return
    kind, *others = table.key(right)
    if kind == Operator.NOT and left >= 0:
        yield Inclusion(table.number(Operator.AND, left, *others), (BOTTOM,))
    elif kind == Operator.AND and left >= 0:
        for other in others:
            yield from _split(left, other, table)
    elif operator == Operator.NOMINAL and kind == Operator.SOME and others[1] == left:
        yield Inclusion(left, (right, table.number(Operator.SELF, others[0])))
    elif operator == Operator.NOMINAL and kind == Operator.SELF:
        yield Inclusion(left, (right, table.number(Operator.SOME, others[0], left)))
    else:
        yield Inclusion(left, (right,))
