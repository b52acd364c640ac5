"""An ontology: names, class expressions built of them, and axioms about these, all as arrays of numbers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.texts.cards import Bars, Card


class Operator(IntEnum):
    """How a class expression is built, with its arguments."""

    TOP = 0
    """All individuals; no arguments."""
    BOTTOM = 1
    """No individual; no arguments."""
    NAME = 2
    """A class: its number."""
    NOMINAL = 3
    """The class that holds one individual: the number of the individual."""
    AND = 4
    """The conjunction of expressions."""
    SOME = 5
    """Those related by a role to some member of a class: the role, the expression."""
    SELF = 6
    """Those related by a role to themselves: the role."""
    OR = 7
    """The union of expressions; in the language only on the left of an inclusion."""
    NOT = 8
    """The complement of an expression; in the language only on the right of an inclusion."""


class AxiomType(IntEnum):
    """What an axiom says, with its arguments: expressions (C), roles (r), or nominals, which are expressions (a)."""

    SUBCLASS = 0
    """C is included in D: C, D."""
    EQUIVALENT = 1
    """All are the same: C, D, …"""
    DISJOINT = 2
    """No two have a common member: C, D, …"""
    SUBROLE = 3
    """What is related by a chain of roles is related by the last one: r, …, s. Two roles: r is included in s."""
    EQUIVALENT_ROLES = 4
    """All are the same: r, s, …"""
    TRANSITIVE = 5
    """A role: r."""
    REFLEXIVE = 6
    """A role: r."""
    DOMAIN = 7
    """Whoever is related by a role is in a class: r, C."""
    RANGE = 8
    """Whoever others are related to by a role is in a class: r, C."""
    MEMBER = 9
    """An individual is in a class: C, a."""
    RELATED = 10
    """Two individuals are related: r, a, b."""
    UNRELATED = 11
    """Two individuals are not related: r, a, b."""
    SAME = 12
    """All are the same individual: a, b, …"""
    DIFFERENT = 13
    """No two are the same individual: a, b, …"""


ROLES_ONLY = frozenset({AxiomType.SUBROLE, AxiomType.EQUIVALENT_ROLES, AxiomType.TRANSITIVE, AxiomType.REFLEXIVE})
"""Axioms whose arguments are all roles."""
ROLES_FIRST = frozenset({AxiomType.DOMAIN, AxiomType.RANGE, AxiomType.RELATED, AxiomType.UNRELATED})
"""Axioms whose first argument is a role, and all others are expressions."""
UNORDERED = frozenset(
    {
        AxiomType.EQUIVALENT,
        AxiomType.DISJOINT,
        AxiomType.EQUIVALENT_ROLES,
        AxiomType.SAME,
        AxiomType.DIFFERENT,
    }
)
"""Axioms that say the same in any order of their arguments."""


@dataclass(frozen=True, eq=False, repr=False)
class Ragged:
    """Lists of numbers of any length, one after the other.

    Examples
    --------
    >>> lists = Ragged.of([[4, 5], [], [6]])
    >>> len(lists), lists[0].tolist(), lists.lengths.tolist()
    (3, [4, 5], [2, 0, 1])
    """

    values: CodeArray
    starts: IntArray

    @classmethod
    def of(cls, lists: Sequence[Sequence[int]]) -> Ragged:
        """Return lists of numbers in this form."""
        lengths = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        values = np.fromiter((one for part in lists for one in part), dtype=np.int32, count=int(starts[-1]))
        return cls(values, starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, place: int) -> CodeArray:
        return self.values[self.starts[place] : self.starts[place + 1]]

    @property
    def lengths(self) -> IntArray:
        """How many numbers each list has."""
        return np.diff(self.starts)

    def taken(self, places: IntArray) -> Ragged:
        """Return some of the lists."""
        lengths = self.lengths[places]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        offsets = np.repeat(self.starts[places] - starts[:-1], lengths)
        return Ragged(self.values[offsets + np.arange(starts[-1])], starts)


@dataclass(frozen=True, eq=False, repr=False)
class Expressions:
    """Class expressions, each once; the arguments of an expression come before it. 0 is ⊤, and 1 is ⊥."""

    operators: CodeArray
    arguments: Ragged

    def __len__(self) -> int:
        return len(self.operators)


@dataclass(frozen=True, eq=False, repr=False)
class Ontology:
    """Axioms about classes, individuals and the roles that relate them.

    Names are IRIs, or any other texts. Axioms are numbered from 0, in the order in which they were read.

    Examples
    --------
    >>> ontology = Ontology.of_text("SubClassOf(:Insulin :Drug) ClassAssertion(:Insulin :a)")
    >>> ontology
    Ontology(2 axioms; 2 classes, 1 individual, 0 roles)
    >>> ontology.readable(0)
    'Insulin ⊑ Drug'
    """

    classes: pl.Series
    individuals: pl.Series
    roles: pl.Series
    """The names of each, in the order of their numbers."""
    expressions: Expressions
    types: CodeArray
    """What each axiom says: an :class:`AxiomType`."""
    arguments: Ragged
    """The arguments of each axiom."""
    prefixes: Mapping[str, str] = field(default_factory=dict)
    """Prefix with its colon → the beginning of names that it stands for."""
    lines: IntArray | None = None
    """The line of the file that each axiom begins in, where it was read from one; 0 where that is not known."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Construct outside of the language → how many axioms with it were left out, on request."""

    @classmethod
    def read(cls, path: str | os.PathLike[str], **reading: Any) -> Ontology:
        """Read an ontology from a file; see :func:`krypsis.io.ontologies.read_ontology` for formats and keywords."""
        readers = import_module("krypsis.io.ontologies")
        found: Ontology = readers.read_ontology(path, **reading)
        return found

    @classmethod
    def of_text(cls, text: str, **reading: Any) -> Ontology:
        """Return the ontology of a text in functional syntax, with or without prefixes and the frame around it."""
        readers = import_module("krypsis.io.ontologies")
        found: Ontology = readers.read_functional_text(text, **reading)
        return found

    def complete(self, **options: Any) -> Any:
        """Return everything that follows; see :mod:`krypsis.algorithms.ontologies.completion.in_memory`."""
        engine = import_module("krypsis.algorithms.ontologies.completion.in_memory").InMemoryCompletion()
        return engine.complete(import_module("krypsis.data.ontologies.normal_forms").normalize(self), **options)

    def classify(self, **options: Any) -> Any:
        """Return the order of the classes; see :func:`krypsis.algorithms.ontologies.taxonomy.classify`."""
        return import_module("krypsis.algorithms.ontologies.taxonomy").classify(self, **options)

    def __len__(self) -> int:
        return len(self.types)

    def __or__(self, other: Ontology) -> Ontology:
        """Return the axioms of both.

        Examples
        --------
        >>> Ontology.of_text("ClassAssertion(:Smoker :ann)") | Ontology.of_text("SubClassOf(:Smoker :AtRisk)")
        Ontology(2 axioms; 2 classes, 1 individual, 0 roles)
        """
        both: Ontology = import_module("krypsis.data.ontologies.merging").merged([self, other])[0]
        return both

    def __repr__(self) -> str:
        counts = (_counted(len(self), "axiom"), _counted(len(self.classes), "class"))
        rest = (_counted(len(self.individuals), "individual"), _counted(len(self.roles), "role"))
        return f"Ontology({counts[0]}; {', '.join((counts[1], *rest))})"

    def _repr_html_(self) -> str:
        return Card("Ontology", facts={"holds": repr(self)[9:-1]}, bars=Bars("axioms by type", self.counts)).html()

    @property
    def counts(self) -> dict[str, int]:
        """How many axioms there are of each type that occurs."""
        found = np.bincount(self.types, minlength=len(AxiomType))
        return {kind.name.lower(): int(found[kind]) for kind in AxiomType if found[kind]}

    def select(self, chosen: IntArray | BoolArray | Iterable[int]) -> Ontology:
        """Return some of the axioms; names and expressions keep their numbers."""
        places = np.asarray(chosen if isinstance(chosen, np.ndarray) else list(chosen))
        if places.dtype == np.bool_:
            places = np.flatnonzero(places)
        places = places.astype(np.int64)
        lines = None if self.lines is None else self.lines[places]
        return replace(self, types=self.types[places], arguments=self.arguments.taken(places), lines=lines)

    def justifications(self, axiom: str, limit: int | None = 10) -> tuple[Any, ...]:
        """Return minimal sets of axioms that an axiom in functional syntax follows from, the smallest first.

        Each is a :class:`krypsis.algorithms.ontologies.justifications.Justification`, which says how it follows, step
        by step; there are none if it does not follow.

        Parameters
        ----------
        axiom
            such as ``ClassAssertion(:Ill :john)``.
        limit
            how many are returned at most; ``None`` for all, of which there may be very many.

        Examples
        --------
        >>> ontology = Ontology.of_text("ClassAssertion(:Infected :john) SubClassOf(:Infected :Ill)")
        >>> print(ontology.justifications("ClassAssertion(:Ill :john)")[0])
        john : Ill follows from john : Infected, Infected ⊑ Ill:
          john : Ill, because john : Infected, by Infected ⊑ Ill
        """
        reasoning = import_module("krypsis.algorithms.ontologies.justifications")
        found: tuple[Any, ...] = reasoning.justifications(self, axiom, limit)
        return found

    def without_unused_names(self) -> Ontology:
        """Return the same axioms with no names and expressions but those that they hold."""
        used = import_module("krypsis.data.ontologies.merging").used_part
        found: Ontology = used(self)
        return found

    @cached_property
    def names_individuals(self) -> BoolArray:
        """Which axioms name an individual, also inside of an expression."""
        is_nominal = self.expressions.operators == Operator.NOMINAL
        return self._of_axioms(self._inside(is_nominal), np.zeros(len(self.roles), dtype=np.bool_))

    def mentions(self, beginning: str) -> BoolArray:
        """Return which axioms hold a name that begins so."""
        named, roles = self._names_that(lambda names: names.str.starts_with(self._whole(beginning)))
        return self._of_axioms(self._inside(named), roles)

    def names_only(self, beginnings: Iterable[str]) -> BoolArray:
        """Return which axioms hold no name but those that begin in one of some ways."""
        whole = [self._whole(one) for one in beginnings]

        def are_others(names: pl.Series) -> pl.Series:
            found = pl.Series(np.ones(len(names), dtype=np.bool_))
            for one in whole:
                found &= ~names.str.starts_with(one)
            return found

        named, roles = self._names_that(are_others)
        return ~self._of_axioms(self._inside(named), roles)

    def _whole(self, beginning: str) -> str:
        """Return the beginning of a name with its prefix written out."""
        prefix, colon, rest = beginning.partition(":")
        known = self.prefixes.get(prefix + colon)
        return beginning if known is None else known + rest

    def _names_that(self, chosen: Callable[[pl.Series], pl.Series]) -> tuple[BoolArray, BoolArray]:
        """Return which expressions are chosen names, and which roles are."""
        named = np.zeros(len(self.expressions), dtype=np.bool_)
        arguments = self.expressions.arguments
        for operator, names in ((Operator.NAME, self.classes), (Operator.NOMINAL, self.individuals)):
            places = np.flatnonzero(self.expressions.operators == operator)
            named[places] = chosen(names).to_numpy()[arguments.values[arguments.starts[places]]]
        roles = chosen(self.roles).to_numpy() if len(self.roles) else np.zeros(0, dtype=np.bool_)
        for operator in (Operator.SOME, Operator.SELF):
            places = np.flatnonzero(self.expressions.operators == operator)
            named[places] = roles[arguments.values[arguments.starts[places]]]
        return named, roles

    def _inside(self, chosen: BoolArray) -> BoolArray:
        """Return which expressions are chosen or have a chosen one inside."""
        found = chosen.copy()
        for place in np.flatnonzero(self.expressions.operators >= Operator.AND).tolist():
            given = self.expressions.arguments[place]
            if self.expressions.operators[place] == Operator.SOME:
                given = given[1:]
            elif self.expressions.operators[place] == Operator.SELF:
                continue
            found[place] |= found[given].any()
        return found

    def _of_axioms(self, expressions: BoolArray, roles: BoolArray) -> BoolArray:
        """Return which axioms have a chosen expression or role among their arguments."""
        values, lengths = self.arguments.values, self.arguments.lengths
        is_role = np.repeat(np.isin(self.types, [int(kind) for kind in ROLES_ONLY]), lengths)
        is_role[self.arguments.starts[:-1][np.isin(self.types, [int(kind) for kind in ROLES_FIRST])]] = True
        chosen = np.zeros(len(values), dtype=np.bool_)
        chosen[is_role], chosen[~is_role] = roles[values[is_role]], expressions[values[~is_role]]
        found = np.zeros(len(self), dtype=np.bool_)
        np.logical_or.at(found, np.repeat(np.arange(len(self)), lengths), chosen)
        return found

    @cached_property
    def _wording(self) -> Any:
        return import_module("krypsis.data.ontologies.wording").Wording(self)

    def functional(self, axiom: int) -> str:
        """Return an axiom in functional syntax, with whole names."""
        found: str = self._wording.functional(axiom)
        return found

    def readable(self, axiom: int) -> str:
        """Return an axiom for people: in the notation of description logics, with short names."""
        found: str = self._wording.readable(axiom)
        return found


def _counted(count: int, noun: str) -> str:
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{count:,} {noun if count == 1 else plural}"
