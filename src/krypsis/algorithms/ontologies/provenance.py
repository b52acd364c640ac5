"""Provenance: which firings of the rules derive a fact, found backwards from a closure, only where they are asked for.

No log of the completion is needed: a closure has all facts, so that the firings that conclude one of them are those
whose premises are in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from krypsis.algorithms.minimal_removal import Derivations
from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.data.ontologies.closure import Closure
from krypsis.data.ontologies.normal_forms import BOTTOM, DEFINITION, TOP

FREE, ABSENT = -1, -2
"""Instead of a fact: a tautology, which is always a premise; something that does not follow."""
DERIVED = {"sub": "sub", "some": "some_right", "selves": "self_right"}
"""Tables of a closure, and the normal forms that state their rows."""
STATED_ONLY = ("conjunction", "some_left", "self_left", "role_sub", "role_chain")
"""Normal forms that no rule concludes."""
Batch = tuple[int, IntArray, tuple[IntArray, ...]]
"""A rule, the conclusions of some of its firings, and their premises."""


class FactTable:
    """The rows of one table, in ascending order, each of them a fact with a number."""

    def __init__(self, rows: CodeArray, sizes: tuple[int, ...], first: int) -> None:
        self.rows = rows.astype(np.int64)
        self.first = first
        """The number of the first row."""
        self._sizes = sizes

    @cached_property
    def _keys(self) -> IntArray:
        return self._key(*self.rows.T)

    def _key(self, *columns: IntArray) -> IntArray:
        found = np.asarray(columns[0], dtype=np.int64)
        for size, column in zip(self._sizes[1:], columns[1:], strict=False):
            found = found * size + column
        return found

    def find(self, *columns: IntArray) -> IntArray:
        """Return the facts with these rows, :data:`ABSENT` where there is none."""
        wanted = self._key(*columns)
        if not len(self._keys):
            return np.full(len(wanted), ABSENT, dtype=np.int64)
        places = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        return np.where(self._keys[places] == wanted, places + self.first, ABSENT)

    def beginning_with(self, *columns: IntArray) -> tuple[IntArray, IntArray]:
        """Return all places of rows that begin so, with the places of what they were found for."""
        width = int(np.prod(self._sizes[len(columns) :], dtype=np.int64))
        wanted = self._key(*columns) * width
        return _ranges(np.searchsorted(self._keys, wanted), np.searchsorted(self._keys, wanted + width))


class _ByColumn:
    """The places of rows by the value of one column."""

    def __init__(self, column: IntArray) -> None:
        self._order = np.argsort(column, kind="stable")
        self._sorted = column[self._order]

    def find(self, values: IntArray) -> tuple[IntArray, IntArray]:
        """Return the places of all rows with each value, and the place of the value."""
        owners, places = _ranges(
            np.searchsorted(self._sorted, values), np.searchsorted(self._sorted, values, side="right")
        )
        return owners, self._order[places]


def _ranges(starts: IntArray, ends: IntArray) -> tuple[IntArray, IntArray]:
    """Return all numbers from each start to its end, with the place of the start."""
    counts = ends - starts
    owners = np.repeat(np.arange(len(starts)), counts)
    offsets = starts - np.concatenate([[0], np.cumsum(counts)[:-1]]) if len(starts) else starts
    return owners, np.repeat(offsets, counts) + np.arange(len(owners))


@dataclass(frozen=True, eq=False, repr=False)
class DependencyGraph:
    """Facts, the firings of rules that derive them from each other, and the axioms that state them.

    Facts have the numbers of :class:`Provenance`; only some of them are in the graph.
    """

    provenance: Provenance
    facts: IntArray
    """The facts in the graph, in ascending order."""
    rules: IntArray
    """The rule of each firing: 1 for IR1, and so on."""
    derivations: Derivations
    """The same firings; statements are first the facts, by their places here, and then all axioms of the ontology.

    That an axiom states a fact is a firing after those of rules; a fact that only defines a fresh name, and so holds
    always, has one without premises.
    """

    def __repr__(self) -> str:
        return f"DependencyGraph({len(self.facts):,} facts, {len(self.rules):,} firings)"

    def places(self, facts: IntArray) -> IntArray:
        """Return the statements of facts, which must be in the graph."""
        return np.searchsorted(self.facts, facts)

    def axioms(self, axioms: IntArray) -> IntArray:
        """Return the statements of axioms."""
        return len(self.facts) + np.asarray(axioms, dtype=np.int64)

    @property
    def explicit(self) -> IntArray:
        """The facts that an axiom states."""
        stated = np.zeros(self.derivations.statements, dtype=np.bool_)
        stated[self.derivations.conclusions[len(self.rules) :]] = True
        return self.facts[stated[: len(self.facts)]]


class Provenance:
    """Finds firings of the rules IR1 to IR16 in a closure.

    Facts are numbered: the rows of the closure, then the distinct rows of the other normal forms. ``C ⊑ C`` and
    ``C ⊑ ⊤``, which are premises without being stated, are no facts.

    Examples
    --------
    >>> from krypsis.algorithms.ontologies.completion.in_memory import InMemoryCompletion
    >>> from krypsis.data.ontologies import Ontology, normalize
    >>> forms = normalize(Ontology.of_text("SubClassOf(:A :B) SubClassOf(:B :C)"))
    >>> provenance = Provenance(InMemoryCompletion().complete(forms))
    >>> graph = provenance.graph(provenance.sub_facts([2], [4]))
    >>> graph, graph.rules.tolist()
    (DependencyGraph(3 facts, 1 firings), [1])
    """

    def __init__(self, closure: Closure) -> None:
        self.closure = closure
        self.forms = forms = closure.forms
        atoms, roles = forms.atoms, max(forms.roles, 1)
        sizes = {
            "sub": (atoms, atoms),
            "some": (atoms, roles, atoms),
            "selves": (atoms, roles),
            "conjunction": (atoms, atoms, atoms),
            "some_left": (roles, atoms, atoms),
            "self_left": (roles, atoms),
            "role_sub": (roles, roles),
            "role_chain": (roles, roles, roles),
        }
        self.tables: dict[str, FactTable] = {}
        self._stated: dict[str, IntArray] = {}
        """Table of normal forms that no rule concludes → the fact of each of its rows."""
        first = 0
        for name, size in sizes.items():
            if name in DERIVED:
                rows = getattr(closure, name)
            else:
                rows, inverse = np.unique(getattr(forms, name), axis=0, return_inverse=True)
                self._stated[name] = inverse.ravel().astype(np.int64) + first
            self.tables[name] = FactTable(rows, size, first)
            first += len(rows)
        self.count = first
        """How many facts there are."""

    @cached_property
    def statements(self) -> tuple[IntArray, IntArray]:
        """Facts that axioms state, and these axioms; :data:`DEFINITION` for those that hold always."""
        facts, axioms = [], []
        for name, table in self.tables.items():
            form = DERIVED.get(name, name)
            found = self._stated[name] if name in self._stated else table.find(*getattr(self.forms, form).T)
            known = found != ABSENT  # tautologies may be stated, and inclusions of ⊥: neither is a fact
            facts.append(found[known])
            axioms.append(self.forms.sources[form][known])
        return np.concatenate(facts), np.concatenate(axioms)

    @cached_property
    def is_stated(self) -> BoolArray:
        """Which facts an axiom states, or hold always."""
        found = np.zeros(self.count, dtype=np.bool_)
        found[self.statements[0]] = True
        return found

    def sub_facts(self, left: IntArray | list[int], right: IntArray | list[int]) -> IntArray:
        """Return the facts C ⊑ D, :data:`FREE` for tautologies and :data:`ABSENT` where they do not follow."""
        left, right = np.asarray(left, dtype=np.int64), np.asarray(right, dtype=np.int64)
        return np.where((left == right) | (right == TOP), FREE, self.tables["sub"].find(left, right))

    def table_of(self, fact: int) -> tuple[str, list[int]]:
        """Return the table that a fact is in, and its row."""
        name = next(name for name, table in reversed(self.tables.items()) if table.first <= fact)
        return name, self.tables[name].rows[fact - self.tables[name].first].tolist()

    def graph(self, goals: IntArray, *, every_firing: bool = False) -> DependencyGraph:
        """Return the graph of all facts from which goals may be derived.

        Parameters
        ----------
        goals
            facts of the closure.
        every_firing
            return all firings of all rules. Otherwise IR1, IR3 and IR11 are used, where C2 is no individual, only with
            a second premise that is stated: the same facts follow from any set of axioms, by far fewer firings.

        Notes
        -----
        That the fewer firings are enough is shown by induction over the derivation of the second premise, say C2 ⊑ X:
        its last rule can be applied to C1 in place of C2. IR15 and IR16 need an individual, and IR10, which gives
        C2 ⊑ ∃r.C2, is why IR3 is also used with premises of that form.
        """
        seen = np.zeros(self.count, dtype=np.bool_)
        frontier = np.unique(np.asarray(goals, dtype=np.int64))
        seen[frontier] = True
        rules: list[IntArray] = []
        conclusions: list[IntArray] = []
        premises: list[IntArray] = []
        search = _Backwards(self, every_firing=every_firing)
        while len(frontier):
            reached = []
            for rule, concluded, needed in search.firings(frontier):
                columns = np.full((len(concluded), 3), FREE, dtype=np.int64)
                columns[:, : len(needed)] = np.stack(needed, axis=1)
                useful = (columns != ABSENT).all(axis=1) & (columns != concluded[:, None]).all(axis=1)
                conclusions.append(concluded[useful])
                premises.append(columns[useful])
                rules.append(np.full(int(useful.sum()), rule, dtype=np.int64))
                reached.append(columns[useful].ravel())
            new = np.unique(np.concatenate(reached)) if reached else frontier[:0]
            frontier = new[(new >= 0) & ~seen[new]]
            seen[frontier] = True
        none = np.zeros(0, dtype=np.int64)
        return self._assembled(
            np.flatnonzero(seen),
            np.concatenate([none, *rules]),
            np.concatenate([none, *conclusions]),
            np.concatenate([none.reshape(0, 3), *premises]),
        )

    def _assembled(
        self, facts: IntArray, rules: IntArray, conclusions: IntArray, premises: IntArray
    ) -> DependencyGraph:
        """Return the graph, with the axioms that state facts."""
        premises = np.sort(premises, axis=1)
        premises[:, 1:][premises[:, 1:] == premises[:, :-1]] = FREE  # one fact may be two premises
        stated, axioms = self.statements
        number = np.full(self.count + 1, FREE, dtype=np.int64)  # the last place is that of what is free
        number[facts] = np.arange(len(facts))
        within = number[stated] != FREE
        stated, axioms = stated[within], axioms[within]
        columns = number[premises]
        of_axioms = np.full((len(axioms), 3), FREE, dtype=np.int64)
        of_axioms[:, 0] = np.where(axioms == DEFINITION, FREE, len(facts) + axioms)
        columns = np.concatenate([columns, of_axioms])
        counts = (columns != FREE).sum(axis=1)
        derivations = Derivations(
            len(facts) + len(self.forms.ontology),
            number[np.concatenate([conclusions, stated])],
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            columns[columns != FREE],
        )
        return DependencyGraph(self, facts, rules, derivations)


class _Backwards:
    """Finds the firings that conclude given facts, rule by rule, for many facts at once."""

    def __init__(self, provenance: Provenance, *, every_firing: bool) -> None:
        self._all = every_firing
        self._of = provenance
        self._first_individual = provenance.forms.first_individual
        self._first_fresh = provenance.forms.first_fresh
        tables = provenance.tables
        self._sub, self._some, self._selves = tables["sub"], tables["some"], tables["selves"]
        self._conjunction, self._some_left, self._self_left = (tables[name] for name in STATED_ONLY[:3])
        self._role_sub, self._role_chain = tables["role_sub"], tables["role_chain"]
        self._by_conclusion = {name: _ByColumn(tables[name].rows[:, -1]) for name in STATED_ONLY}
        self._individuals = np.flatnonzero(self._is_individual(self._sub.rows).all(axis=1))
        self._by_right = _ByColumn(self._sub.rows[self._individuals, 1])

    def _is_individual(self, atoms: IntArray) -> BoolArray:
        return (atoms >= self._first_individual) & (atoms < self._first_fresh)

    def firings(self, facts: IntArray) -> Iterator[Batch]:
        """Return all firings that conclude facts; premises may be absent, and then it is none."""
        for table, rules in ((self._sub, self._of_sub), (self._some, self._of_some), (self._selves, self._of_selves)):
            own = facts[(facts >= table.first) & (facts < table.first + len(table.rows))]
            if len(own):
                yield from rules(own, *table.rows[own - table.first].T)

    def _supers(self, atoms: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Return for atoms C1 all C2 that include them, ⊤ among them: place of C1, C2, and the fact C1 ⊑ C2."""
        owners, places = self._sub.beginning_with(atoms)
        below_top = np.flatnonzero(atoms != TOP)
        return (
            np.concatenate([owners, below_top]),
            np.concatenate([self._sub.rows[places, 1], np.full(len(below_top), TOP)]),
            np.concatenate([places + self._sub.first, np.full(len(below_top), FREE)]),
        )

    def _second(self, middle: IntArray, facts: IntArray, *, also: BoolArray | bool = False) -> IntArray:
        """Return second premises of IR1, IR3 and IR11, absent where a firing with them is not needed."""
        if self._all:
            return facts
        needed = self._of.is_stated[np.maximum(facts, 0)] | self._is_individual(middle) | also
        return np.where((facts >= 0) & needed, facts, ABSENT)

    def _subs(self, left: IntArray, right: IntArray) -> IntArray:
        return self._of.sub_facts(left, right)

    def _of_sub(self, facts: IntArray, one: IntArray, last: IntArray) -> Iterator[Batch]:
        """C1 ⊑ C: rules IR1, IR2, IR4, IR7, IR13, IR14 and IR16."""
        owner, two, first = self._supers(one)
        second = self._sub.find(two, last[owner])
        yield 1, facts[owner], (first, self._second(two, second))

        owner, row = self._by_conclusion["conjunction"].find(last)
        two, three, _ = self._conjunction.rows[row].T
        left = one[owner]
        yield 2, facts[owner], (self._subs(left, two), self._subs(left, three), row + self._conjunction.first)

        owner, row = self._by_conclusion["some_left"].find(last)
        role, three, _ = self._some_left.rows[row].T
        left, rule = one[owner], row + self._some_left.first
        among, place = self._some.beginning_with(left, role)
        two = self._some.rows[place, 2]
        yield 4, facts[owner[among]], (place + self._some.first, self._subs(two, three[among]), rule[among])
        yield 14, facts[owner], (self._selves.find(left, role), self._subs(left, three), rule)

        empty = np.flatnonzero(last == BOTTOM)
        among, place = self._some.beginning_with(one[empty])
        two = self._some.rows[place, 2]
        yield 7, facts[empty[among]], (place + self._some.first, self._subs(two, np.full(len(two), BOTTOM)))

        owner, row = self._by_conclusion["self_left"].find(last)
        role = self._self_left.rows[row, 0]
        yield 13, facts[owner], (self._selves.find(one[owner], role), row + self._self_left.first)

        same = np.flatnonzero(self._is_individual(one) & self._is_individual(last))
        among, place = self._by_right.find(one[same])
        place = self._individuals[place]
        third = self._sub.rows[place, 0]
        yield 16, facts[same[among]], (place + self._sub.first, self._subs(third, last[same[among]]))

    def _of_some(self, facts: IntArray, one: IntArray, role: IntArray, last: IntArray) -> Iterator[Batch]:
        """C1 ⊑ ∃r.C: rules IR3, IR5, IR6, IR8, IR9 and IR10."""
        owner, two, first = self._supers(one)
        second = self._some.find(two, role[owner], last[owner])
        yield 3, facts[owner], (first, self._second(two, second, also=two == last[owner]))

        owner, row = self._by_conclusion["role_sub"].find(role)
        lower = self._role_sub.rows[row, 0]
        yield 5, facts[owner], (self._some.find(one[owner], lower, last[owner]), row + self._role_sub.first)

        owner, row = self._by_conclusion["role_chain"].find(role)
        before, after, _ = self._role_chain.rows[row].T
        left, right, rule = one[owner], last[owner], row + self._role_chain.first
        among, place = self._some.beginning_with(left, before)
        second = self._some.find(self._some.rows[place, 2], after[among], right[among])
        yield 6, facts[owner[among]], (place + self._some.first, second, rule[among])
        itself = self._selves.find(left, before)
        yield 8, facts[owner], (itself, self._some.find(left, after, right), rule)
        yield 9, facts[owner], (self._some.find(left, before, right), self._selves.find(right, after), rule)
        loops = left == right
        twice = (itself[loops], self._selves.find(left[loops], after[loops]), rule[loops])
        yield 10, facts[owner[loops]], twice

    def _of_selves(self, facts: IntArray, one: IntArray, role: IntArray) -> Iterator[Batch]:
        """C1 ⊑ ∃r.Self: rules IR11, IR12 and IR15."""
        owner, two, first = self._supers(one)
        second = self._selves.find(two, role[owner])
        yield 11, facts[owner], (first, self._second(two, second))

        owner, row = self._by_conclusion["role_sub"].find(role)
        lower = self._role_sub.rows[row, 0]
        yield 12, facts[owner], (self._selves.find(one[owner], lower), row + self._role_sub.first)

        individual = np.flatnonzero(self._is_individual(one))
        among = one[individual]
        yield 15, facts[individual], (self._some.find(among, role[individual], among),)
