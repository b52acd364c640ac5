"""The normal forms of axioms, on which the rules of inference work, with the axiom that each comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from krypsis.arrays import CodeArray, IntArray
from krypsis.data.ontologies.ontology import AxiomType, Ontology, Operator

TOP, BOTTOM, FIRST_CLASS = 0, 1, 2
"""The numbers of ⊤, ⊥ and the first class among the atoms."""
DEFINITION = -1
"""The source of normal forms that only say what a fresh name stands for: they hold whatever is published."""
MOST_PAIRS_OF = 100
"""Of more disjoint classes, or different individuals, no pairs are made but a tree of fresh names."""
FORMS = {
    "sub": 2,
    "conjunction": 3,
    "some_right": 3,
    "some_left": 3,
    "self_right": 2,
    "self_left": 2,
    "role_sub": 2,
    "role_chain": 3,
}
"""The tables of normal forms, and how many numbers a row has."""
NOMINAL, AND, SOME, SELF, OR, NOT = (
    int(operator)
    for operator in (Operator.NOMINAL, Operator.AND, Operator.SOME, Operator.SELF, Operator.OR, Operator.NOT)
)
"""As plain numbers, which are compared faster."""


@dataclass(frozen=True, eq=False, repr=False)
class NormalForms:
    """Axioms of twelve types, in eight tables of numbers of atoms and roles; equal rows may come from several axioms.

    Atoms are ⊤ (0), ⊥ (1), the classes, the individuals (as nominals) and fresh names for parts of expressions. Fresh
    roles follow the roles of the ontology.

    Examples
    --------
    >>> ontology = Ontology.of_text("SubClassOf(:A ObjectSomeValuesFrom(:r ObjectIntersectionOf(:B :C)))")
    >>> forms = normalize(ontology)
    >>> forms.some_right.tolist(), forms.sub.tolist(), forms.sources["some_right"].tolist()
    ([[2, 0, 5]], [[5, 3], [5, 4]], [0])
    """

    ontology: Ontology
    atoms: int
    """How many atoms there are."""
    roles: int
    sub: CodeArray
    """C ⊑ D: C, D. Types 1, 5 and 6 (nominals on the left), 9 (⊤ on the left), 10 (⊥ on the right)."""
    conjunction: CodeArray
    """C ⊓ D ⊑ E: C, D, E. Type 2."""
    some_right: CodeArray
    """C ⊑ ∃r.D: C, r, D. Type 3."""
    some_left: CodeArray
    """∃r.C ⊑ D: r, C, D. Type 4."""
    self_right: CodeArray
    """C ⊑ ∃r.Self: C, r. Type 7."""
    self_left: CodeArray
    """∃r.Self ⊑ C: r, C. Type 8."""
    role_sub: CodeArray
    """r ⊑ s: r, s. Type 11."""
    role_chain: CodeArray
    """r ∘ s ⊑ t: r, s, t. Type 12."""
    sources: dict[str, IntArray]
    """Table → the axiom that each row comes from, :data:`DEFINITION` where it only defines a fresh name."""
    meanings: CodeArray
    """The expression that each atom stands for, -1 where it is none of the ontology."""
    ranges: dict[int, int] = field(default_factory=dict)
    """Fresh atom → the role whose targets it holds."""

    @property
    def first_individual(self) -> int:
        """The atom of the first individual; those of classes end here."""
        return FIRST_CLASS + len(self.ontology.classes)

    @property
    def first_fresh(self) -> int:
        """The first fresh atom; those of individuals end here."""
        return self.first_individual + len(self.ontology.individuals)

    def without(self, axioms: IntArray) -> NormalForms:
        """Return the normal forms of all other axioms, with the same atoms."""
        removed = np.zeros(len(self.ontology) + 1, dtype=np.bool_)  # the last place is that of definitions
        removed[axioms] = True
        kept = {name: ~removed[source] for name, source in self.sources.items()}
        return NormalForms(
            self.ontology,
            self.atoms,
            self.roles,
            **{name: getattr(self, name)[kept[name]] for name in FORMS},
            sources={name: source[kept[name]] for name, source in self.sources.items()},
            meanings=self.meanings,
            ranges=self.ranges,
        )


def normalize(ontology: Ontology) -> NormalForms:
    """Return the normal forms of all axioms.

    Nested parts get fresh names, for which inclusions in the needed direction are added. A range is a class that every
    target of a role is in: it is added to what each ∃r.C on the right says of its target.

    References
    ----------
    Kazakov, Krötzsch, Simančík, The incredible ELK, Journal of Automated Reasoning 53, 2014; ranges as in Baader,
    Brandt, Lutz, Pushing the EL envelope further, OWLED 2008.
    """
    return _Normalization(ontology).result()


def normalize_with_tests(
    ontology: Ontology, lefts: Sequence[int], rights: Sequence[int], *, for_parts: bool = False
) -> tuple[NormalForms, IntArray, IntArray]:
    """Return the normal forms of all axioms, and atoms by which inclusions between any expressions can be tested.

    Completion compares atoms only. An expression C on the left of a test gets a fresh name X with X ⊑ C, one on the
    right a fresh name with C ⊑ X, a probe; atoms stand for themselves. Both only define a name, and say nothing else.

    The language demands for r ∘ s ⊑ t that s has the ranges of t. A part of the ontology may lack the inclusion of
    roles by which it has them; ``for_parts`` makes everybody whom s leads to stay in the ranges of t as long as the
    chain is there. That is more than follows from the part, and leaves out nothing that follows.

    Examples
    --------
    >>> ontology = Ontology.of_text("SubClassOf(:A ObjectSomeValuesFrom(:r :B))")
    >>> forms, left, right = normalize_with_tests(ontology, [2], [4])
    >>> left.tolist(), right.tolist(), forms.some_left.tolist(), forms.sources["some_left"].tolist()
    ([2], [4], [[0, 3, 4]], [-1])
    """
    normalization = _Normalization(ontology, for_parts=for_parts)
    atoms = normalization.test_atoms(lefts, rights)
    return normalization.result(), *atoms


@dataclass(eq=False)
class _Normalization:
    """The tables while they are filled; rows that are known to be simple are added many at a time."""

    ontology: Ontology
    for_parts: bool = False
    rows: dict[str, list[tuple[int, ...]]] = field(default_factory=lambda: {name: [] for name in FORMS})
    row_sources: dict[str, list[int]] = field(default_factory=lambda: {name: [] for name in FORMS})
    blocks: dict[str, list[tuple[CodeArray, IntArray]]] = field(default_factory=lambda: {name: [] for name in FORMS})

    def __post_init__(self) -> None:
        found = self.ontology
        operators = found.expressions.operators
        first_of = np.full(len(operators), -1, dtype=np.int32)
        starts, lengths = found.expressions.arguments.starts, found.expressions.arguments.lengths
        first_of[lengths > 0] = found.expressions.arguments.values[starts[:-1][lengths > 0]]
        self.first_individual = FIRST_CLASS + len(found.classes)
        self.atoms = self.first_individual + len(found.individuals)
        self.roles = len(found.roles)
        self.atoms_of = np.full(len(operators), -1, dtype=np.int32)
        """Expression → its atom, where it is one."""
        self.atoms_of[operators == Operator.TOP] = TOP
        self.atoms_of[operators == Operator.BOTTOM] = BOTTOM
        is_name, is_nominal = operators == Operator.NAME, operators == Operator.NOMINAL
        self.atoms_of[is_name] = FIRST_CLASS + first_of[is_name]
        self.atoms_of[is_nominal] = self.first_individual + first_of[is_nominal]
        # The same as lists, of which single numbers are taken faster.
        self.atom_of: list[int] = self.atoms_of.tolist()
        self.operators: list[int] = operators.tolist()
        self.values: list[int] = found.expressions.arguments.values.tolist()
        self.starts: list[int] = starts.tolist()
        self.named: dict[int, int] = {}
        """Complex expression → its fresh atom."""
        self.defined: set[tuple[str, int]] = set()
        """Side and expression whose fresh name has its inclusions on that side."""
        self.pairs: dict[tuple[int, int], int] = {}
        self.chains: dict[tuple[int, int], int] = {}
        self.meanings: dict[int, int] = {}
        self.has_ranges = bool((found.types == AxiomType.RANGE).any())
        self.ranges: dict[int, int] = {}
        """Role → the fresh atom that all targets of it are in."""
        self.targets: dict[tuple[int, int], int] = {}
        self.domains: dict[int, int] = {}

    def test_atoms(self, lefts: Sequence[int], rights: Sequence[int]) -> tuple[IntArray, IntArray]:
        """Return atoms for expressions on the left and on the right of tests."""
        below, above = [self._right(one) for one in lefts], [self._left(one) for one in rights]
        return np.array(below, dtype=np.int64), np.array(above, dtype=np.int64)

    def result(self) -> NormalForms:
        found = self.ontology
        simple = self._add_simple()
        types, kinds = found.types.tolist(), list(AxiomType)
        starts, values = found.arguments.starts.tolist(), found.arguments.values.tolist()
        for place in np.flatnonzero(~simple).tolist():
            self._add(kinds[types[place]], values[starts[place] : starts[place + 1]], place)
        if self.rows["self_left"] and self.rows["self_right"]:
            self._compose_selves()
        if self.has_ranges:
            self._hand_ranges_up()
        tables, sources = {}, {}
        for name, width in FORMS.items():
            block = np.array(self.rows[name], dtype=np.int32).reshape(-1, width)
            source = np.array(self.row_sources[name], dtype=np.int64)
            parts = [*self.blocks[name], (block, source)]
            tables[name] = np.concatenate([rows for rows, _ in parts])
            sources[name] = np.concatenate([each for _, each in parts])
        meanings = np.full(self.atoms, -1, dtype=np.int32)
        is_atom = self.atoms_of >= 0
        meanings[self.atoms_of[is_atom]] = np.flatnonzero(is_atom)
        for atom, expression in self.meanings.items():
            meanings[atom] = expression
        ranges = {atom: role for role, atom in self.ranges.items()}
        return NormalForms(found, self.atoms, self.roles, **tables, sources=sources, meanings=meanings, ranges=ranges)

    def _add_simple(self) -> np.ndarray:
        """Add axioms between atoms many at a time, and say which these are."""
        found = self.ontology
        simple = np.zeros(len(found), dtype=np.bool_)
        starts, values = found.arguments.starts, found.arguments.values
        for kind, order in ((AxiomType.SUBCLASS, (0, 1)), (AxiomType.MEMBER, (1, 0))):
            places = np.flatnonzero(found.types == kind)
            left, right = (self.atoms_of[values[starts[places] + one]] for one in order)
            chosen = (left >= 0) & (right >= 0)
            self.blocks["sub"].append((np.stack([left[chosen], right[chosen]], axis=1), places[chosen]))
            simple[places[chosen]] = True
        places = np.flatnonzero(found.types == AxiomType.RELATED)
        if len(places) and not self.has_ranges:
            role, one, other = (values[starts[places] + place] for place in range(3))
            rows = np.stack([self.atoms_of[one], role, self.atoms_of[other]], axis=1)
            self.blocks["some_right"].append((rows, places))
            simple[places] = True
        return simple

    def _row(self, table: str, row: tuple[int, ...], source: int) -> None:
        self.rows[table].append(row)
        self.row_sources[table].append(source)

    def _fresh(self) -> int:
        self.atoms += 1
        return self.atoms - 1

    def _add(self, kind: AxiomType, given: list[int], source: int) -> None:  # noqa: C901, PLR0912  one for each type
        match kind:
            case AxiomType.SUBCLASS:
                self._include(given[0], given[1], source)
            case AxiomType.MEMBER:
                self._include(given[1], given[0], source)
            case AxiomType.EQUIVALENT | AxiomType.SAME:
                for one, other in zip(given, given[1:] + given[:1], strict=True):
                    self._include(one, other, source)
            case AxiomType.DISJOINT | AxiomType.DIFFERENT:
                self._exclude_each_other([self._left(one) for one in given], source)
            case AxiomType.SUBROLE:
                self._include_role(given, source)
            case AxiomType.EQUIVALENT_ROLES:
                for one, other in zip(given, given[1:] + given[:1], strict=True):
                    self._row("role_sub", (one, other), source)
            case AxiomType.TRANSITIVE:
                self._row("role_chain", (given[0], given[0], given[0]), source)
            case AxiomType.REFLEXIVE:
                self._has_self(TOP, given[0], source)
            case AxiomType.DOMAIN:
                self._add_domain(given[0], given[1], source)
            case AxiomType.RANGE:
                self._say_of(self._range(given[0]), given[1], source)
            case AxiomType.RELATED:
                one, other = self.atom_of[given[1]], self.atom_of[given[2]]
                self._row("some_right", (one, given[0], other), source)
                if self.has_ranges:
                    self._row("sub", (other, self._range(given[0])), source)
            case AxiomType.UNRELATED:
                related = self._fresh()
                self._row("some_left", (given[0], self.atom_of[given[2]], related), DEFINITION)
                self._row("conjunction", (self.atom_of[given[1]], related, BOTTOM), source)

    def _include(self, left: int, right: int, source: int) -> None:
        """Add an inclusion between expressions, with as few fresh names as possible."""
        if self.operators[left] == OR:
            for part in self._given(left):
                self._include(part, right, source)
        elif self.atom_of[left] < 0 <= self.atom_of[right]:
            self._say_left(left, self.atom_of[right], source)
        else:
            self._say_of(self._left(left), right, source)

    def _given(self, expression: int) -> list[int]:
        return self.values[self.starts[expression] : self.starts[expression + 1]]

    def _left(self, expression: int) -> int:
        """Return an atom that includes an expression."""
        atom = self.atom_of[expression]
        if atom >= 0:
            return atom
        name = self._name(expression)
        if ("left", expression) not in self.defined:
            self.defined.add(("left", expression))
            self._say_left(expression, name, DEFINITION)
        return name

    def _right(self, expression: int) -> int:
        """Return an atom that an expression includes."""
        atom = self.atom_of[expression]
        if atom >= 0:
            return atom
        name = self._name(expression)
        if ("right", expression) not in self.defined:
            self.defined.add(("right", expression))
            self._say_of(name, expression, DEFINITION)
        return name

    def _name(self, expression: int) -> int:
        if expression not in self.named:
            self.named[expression] = self._fresh()
            self.meanings[self.named[expression]] = expression
        return self.named[expression]

    def _say_left(self, expression: int, atom: int, source: int) -> None:
        """Add that a complex expression is included in an atom."""
        given, operator = self._given(expression), self.operators[expression]
        if operator == AND:
            *parts, last = (self._left(one) for one in given)
            self._row("conjunction", (self._folded(parts), last, atom), source)
        elif operator == SOME:
            self._row("some_left", (given[0], self._left(given[1]), atom), source)
        elif operator == SELF:
            self._row("self_left", (given[0], atom), source)
        elif operator == OR:
            for one in given:
                self._row("sub", (self._left(one), atom), source)

    def _folded(self, parts: list[int]) -> int:
        """Return an atom that includes the conjunction of atoms, which are taken two at a time."""
        found = parts[0]
        for part in parts[1:]:
            if (found, part) not in self.pairs:
                self.pairs[found, part] = self._fresh()
                self._row("conjunction", (found, part, self.pairs[found, part]), DEFINITION)
            found = self.pairs[found, part]
        return found

    def _say_of(self, atom: int, expression: int, source: int) -> None:
        """Add that an atom is included in an expression."""
        if self.atom_of[expression] >= 0:
            self._row("sub", (atom, self.atom_of[expression]), source)
            return
        given, operator = self._given(expression), self.operators[expression]
        if operator == AND:
            for one in given:
                self._say_of(atom, one, source)
        elif operator == SOME:
            self._row("some_right", (atom, given[0], self._target(given[0], given[1])), source)
            if self.has_ranges and self.operators[given[1]] == NOMINAL:
                # Only an individual is sure to be related: of a class that may be empty the language says nothing.
                self._row("sub", (self.atom_of[given[1]], self._range(given[0])), source)
        elif operator == SELF:
            self._has_self(atom, given[0], source)
        elif operator == NOT:
            self._row("conjunction", (atom, self._left(given[0]), BOTTOM), source)

    def _target(self, role: int, filler: int) -> int:
        """Return the atom of the target of ∃r.C on the right, which is in C and in the range of r."""
        atom = self._right(filler)
        if not self.has_ranges or self.operators[filler] == NOMINAL:
            return atom
        if (role, atom) not in self.targets:
            target = self.targets[role, atom] = self._fresh()
            self._row("sub", (target, atom), DEFINITION)
            self._row("sub", (target, self._range(role)), DEFINITION)
        return self.targets[role, atom]

    def _range(self, role: int) -> int:
        if role not in self.ranges:
            self.ranges[role] = self._fresh()
        return self.ranges[role]

    def _hand_ranges_up(self) -> None:
        """Add that who is a target of a role is one of all roles that include it."""
        for (lower, upper), source in zip(self.rows["role_sub"], self.row_sources["role_sub"], strict=True):
            self._row("sub", (self._range(lower), self._range(upper)), source)
        if not self.for_parts:
            return
        for (_, last, role), source in zip(self.rows["role_chain"], self.row_sources["role_chain"], strict=True):
            if last != role < len(self.ontology.roles):
                self._row("sub", (self._range(last), self._range(role)), source)

    def _compose_selves(self) -> None:
        """Add for r ∘ s ⊑ t that whoever is related to itself by r and by s is so by t, which no rule concludes."""
        related: dict[int, int] = {}
        for (first, second, role), source in zip(self.rows["role_chain"], self.row_sources["role_chain"], strict=True):
            for one in (first, second):
                if one not in related:
                    related[one] = self._fresh()
                    self._row("self_left", (one, related[one]), DEFINITION)
            both = related[first]
            if first != second:
                both = self._fresh()
                self._row("conjunction", (related[first], related[second], both), DEFINITION)
            self._has_self(both, role, source)

    def _has_self(self, atom: int, role: int, source: int) -> None:
        self._row("self_right", (atom, role), source)
        if self.has_ranges:
            self._row("sub", (atom, self._range(role)), source)

    def _add_domain(self, role: int, expression: int, source: int) -> None:
        atom = self.atom_of[expression]
        if atom >= 0:
            self._row("some_left", (role, TOP, atom), source)
            return
        if role not in self.domains:
            self.domains[role] = self._fresh()
            self._row("some_left", (role, TOP, self.domains[role]), DEFINITION)
        self._say_of(self.domains[role], expression, source)

    def _include_role(self, given: list[int], source: int) -> None:
        """Add an inclusion of a role, or of a chain of roles, which are taken two at a time."""
        *chain, role = given
        if len(chain) == 1:
            self._row("role_sub", (chain[0], role), source)
            return
        found = chain[0]
        for one in chain[1:-1]:
            if (found, one) not in self.chains:
                self.chains[found, one] = self.roles
                self.roles += 1
                self._row("role_chain", (found, one, self.chains[found, one]), DEFINITION)
            found = self.chains[found, one]
        self._row("role_chain", (found, chain[-1], role), source)

    def _exclude_each_other(self, atoms: list[int], source: int) -> None:
        """Add that no two atoms have a common member."""
        if len(atoms) <= MOST_PAIRS_OF:
            for one, other in combinations(atoms, 2):
                self._row("conjunction", (one, other, BOTTOM), source)
            return
        # Of many, two at a time are disjoint, and so are fresh names that include them: each is in few of these.
        while len(atoms) > 1:
            joined = atoms[len(atoms) // 2 * 2 :]
            for one, other in zip(atoms[::2], atoms[1::2], strict=False):
                self._row("conjunction", (one, other, BOTTOM), source)
                if len(atoms) > 2:
                    joined.append(self._fresh())
                    self._row("sub", (one, joined[-1]), DEFINITION)
                    self._row("sub", (other, joined[-1]), DEFINITION)
            atoms = joined
