"""Builds an ontology, axiom by axiom or many assertions at once, and refuses what lies outside of the language."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations

import numpy as np
import polars as pl

from krypsis.arrays import CodeArray, IntArray
from krypsis.data.ontologies.language import outside_language
from krypsis.data.ontologies.ontology import UNORDERED, AxiomType, Expressions, Ontology, Operator, Ragged
from krypsis.errors import DataError

TOP, BOTTOM = 0, 1
"""The numbers of these two expressions."""
LONGEST_SHOWN = 200


@dataclass(eq=False)
class OntologyBuilder:
    """Collects names, expressions and axioms; equal expressions get the same number.

    Examples
    --------
    >>> builder = OntologyBuilder()
    >>> attended = builder.some(builder.role("attendedBy"), builder.class_named("Psychiatrist"))
    >>> builder.axiom(AxiomType.SUBCLASS, attended, builder.class_named("MentalDisorder"))
    >>> builder.build().readable(0)
    '∃attendedBy.Psychiatrist ⊑ MentalDisorder'
    """

    prefixes: dict[str, str] = field(default_factory=dict)
    _classes: dict[str, int] = field(default_factory=dict)
    _individuals: dict[str, int] = field(default_factory=dict)
    _roles: dict[str, int] = field(default_factory=dict)
    _known: dict[tuple[int, ...], int] = field(default_factory=lambda: {(0,): TOP, (1,): BOTTOM})
    """Operator and arguments → the number of the expression."""
    _types: list[int] = field(default_factory=list)
    _arguments: list[tuple[int, ...]] = field(default_factory=list)
    _lines: list[int] = field(default_factory=list)
    _outside: list[tuple[str, str, int]] = field(default_factory=list)

    @property
    def names(self) -> dict[str, Collection[str]]:
        """All names so far, by what they are declared as."""
        return {"Class": self._classes, "ObjectProperty": self._roles, "NamedIndividual": self._individuals}

    def role(self, name: str) -> int:
        """Return the number of a role."""
        return self._roles.setdefault(name, len(self._roles))

    def class_named(self, name: str) -> int:
        """Return the expression of a class."""
        return self._expression(Operator.NAME, self._classes.setdefault(name, len(self._classes)))

    def nominal(self, name: str) -> int:
        """Return the expression of the class that holds one individual."""
        return self._expression(Operator.NOMINAL, self._individuals.setdefault(name, len(self._individuals)))

    def conjunction(self, parts: Sequence[int]) -> int:
        """Return the conjunction of expressions; one alone is itself."""
        return self._combined(Operator.AND, parts)

    def union(self, parts: Sequence[int]) -> int:
        """Return the union of expressions; one alone is itself."""
        return self._combined(Operator.OR, parts)

    def complement(self, part: int) -> int:
        """Return the complement of an expression."""
        return self._expression(Operator.NOT, part)

    def some(self, role: int, filler: int) -> int:
        """Return those related by a role to some member of an expression."""
        return self._expression(Operator.SOME, role, filler)

    def has_self(self, role: int) -> int:
        """Return those related by a role to themselves."""
        return self._expression(Operator.SELF, role)

    def _combined(self, operator: Operator, parts: Sequence[int]) -> int:
        each = sorted(set(parts))
        return each[0] if len(each) == 1 else self._expression(operator, *each)

    def _expression(self, operator: Operator, *arguments: int) -> int:
        return self._known.setdefault((operator, *arguments), len(self._known))

    def axiom(self, kind: AxiomType, *arguments: int, line: int = 0) -> None:
        """Add an axiom."""
        self._types.append(kind)
        self._arguments.append(arguments)
        self._lines.append(line)

    def leave_out(self, construct: str, text: str, line: int = 0) -> None:
        """Note an axiom with a construct for which there is no expression, such as a key or a data property.

        Parameters
        ----------
        construct
            what lies outside of the language, in a few words.
        text
            the axiom, as far as it can be shown.
        line
            where it stands; 0 where that is not known.
        """
        self._outside.append((construct, text, line))

    def build(self, *, ignore_unsupported: bool = False, repeated: bool = False) -> Ontology:
        """Return the ontology.

        Parameters
        ----------
        ignore_unsupported
            leave out and count axioms outside of the language, instead of refusing them.
        repeated
            keep axioms that stand there more than once; otherwise the first of them counts.

        Raises
        ------
        DataError
            if an axiom lies outside of the language: the first one is named.
        """
        keys = list(self._known)
        expressions = Expressions(
            np.fromiter((key[0] for key in keys), dtype=np.int32, count=len(keys)), Ragged.of([key[1:] for key in keys])
        )
        found = Ontology(
            classes=_series(self._classes),
            individuals=_series(self._individuals),
            roles=_series(self._roles),
            expressions=expressions,
            types=np.array(self._types, dtype=np.int32),
            arguments=Ragged.of(self._arguments),
            prefixes=dict(self.prefixes),
            lines=np.array(self._lines, dtype=np.int64),
        )
        if not repeated:
            found = found.select(_first_of_each(found.types, self._arguments))
        return _in_language(found, self._outside, ignore=ignore_unsupported)


def _series(names: Mapping[str, int]) -> pl.Series:
    return pl.Series("name", list(names), dtype=pl.String)


def _first_of_each(types: CodeArray, arguments: Sequence[tuple[int, ...]]) -> IntArray:
    """Return the places of axioms that have not been there before, in whatever order of equal arguments."""
    first: dict[tuple[int, ...], int] = {}
    for place, (kind, given) in enumerate(zip(types.tolist(), arguments, strict=True)):
        first.setdefault((kind, *(sorted(given) if kind in UNORDERED else given)), place)
    return np.fromiter(first.values(), dtype=np.int64, count=len(first))


def _in_language(found: Ontology, outside: Sequence[tuple[str, str, int]], *, ignore: bool) -> Ontology:
    """Return the axioms in the language, with how many others there were; raise where those are not to be ignored."""
    reasons = outside_language(found)
    lines = found.lines
    refused = [
        (why, found.readable(place), 0 if lines is None else int(lines[place])) for place, why in reasons.items()
    ]
    everything = [*outside, *refused]
    if everything and not ignore:
        construct, text, line = min(everything, key=lambda one: one[2])
        where = f"line {line}: " if line else ""
        shown = text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"
        raise DataError(
            f"{where}{shown} is outside of the language: {construct}. {len(everything):,} axiom(s) are; take them out, "
            "or ignore them (--ignore-unsupported), which leaves out what follows from them"
        )
    if refused:
        found = _with_halves(found, list(reasons))
    counted = Counter(construct for construct, _, _ in everything)
    object.__setattr__(found, "left_out", dict(counted))
    return found


def _with_halves(found: Ontology, refused: Sequence[int]) -> Ontology:
    """Return the axioms without those refused, and of equivalences among these the inclusions that are in the language.

    That C ⊔ D is included in A still follows from A ≡ C ⊔ D, and others know it, too.
    """
    halves = [
        (pair, place)
        for place in refused
        if found.types[place] == AxiomType.EQUIVALENT
        for pair in permutations(found.arguments[place].tolist(), 2)
    ]
    kept = np.setdiff1d(np.arange(len(found)), refused)
    places = np.concatenate([kept, np.array([place for _, place in halves], dtype=np.int64)])
    types = np.concatenate([found.types[kept], np.full(len(halves), AxiomType.SUBCLASS, dtype=np.int32)])
    arguments = Ragged.of(
        [*(found.arguments[place].tolist() for place in kept.tolist()), *(pair for pair, _ in halves)]
    )
    lines = None if found.lines is None else found.lines[places]
    joined = replace(found, types=types, arguments=arguments, lines=lines)
    outside = outside_language(joined)
    order = np.argsort(places, kind="stable")
    return joined.select(order[~np.isin(order, list(outside))])
