"""Completion in memory, compiled: the engine for everyday use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from krypsis.algorithms.ontologies.completion import saturation
from krypsis.algorithms.ontologies.completion.base import CompletionEngine, closure_of
from krypsis.algorithms.ontologies.completion.role_tables import RoleTables, grouped
from krypsis.arrays import CodeArray, IntArray
from krypsis.data.ontologies.closure import Closure
from krypsis.data.ontologies.normal_forms import BOTTOM, TOP, NormalForms
from krypsis.kernels._jit import for_work
from krypsis.progress import NO_PROGRESS, Interrupted, Progress

AT_ONCE = 50_000
"""So many nodes are looked at before the listener is asked whether to go on."""
LOOKS_FOR_A_NODE = 50
"""About how many turns of innermost loops a node takes."""


class InMemoryCompletion(CompletionEngine):
    """Completes each atom in a list of its own, and each existential once for all that are included in it.

    Notes
    -----
    Equal to applying all rules to the end, but inclusions of atoms are only followed along axioms (IR1, IR3 and IR11
    with an axiom on the right), inclusions of roles are looked up in a table and written out in the end (IR5), and what
    follows from ``∃r.C`` (IR4, IR6, IR7, IR9) is found once for each r and C. What IR10, IR15 and IR16 find about an
    atom is handed on to all that are included in it.

    Targets of existentials are completed first, so that most other atoms are looked at only once.

    References
    ----------
    Kazakov, Krötzsch, Simančík, The incredible ELK: from polynomial procedures to efficient reasoning with EL
    ontologies, Journal of Automated Reasoning 53, 2014.

    Examples
    --------
    >>> from krypsis.data.ontologies import Ontology, normalize
    >>> text = "SubClassOf(:A ObjectSomeValuesFrom(:r :B)) SubClassOf(ObjectSomeValuesFrom(:r :B) :D)"
    >>> InMemoryCompletion().complete(normalize(Ontology.of_text(text))).sub.tolist()
    [[2, 4]]
    """

    engine: ClassVar[str] = "in-memory"

    def complete(self, forms: NormalForms, progress: Progress = NO_PROGRESS) -> Closure:
        """Return everything that the rules derive."""
        found = Saturation.of(forms, progress)
        found.run(np.arange(forms.atoms))
        sub, some, selves = found.rows()
        return closure_of(forms, sub, some, selves, found.figures)


@dataclass(eq=False, repr=False)
class Saturation:
    """The lists of all nodes while they grow; see :mod:`~krypsis.algorithms.ontologies.completion.saturation`."""

    forms: NormalForms
    progress: Progress
    roles: RoleTables
    indexes: saturation.Indexes
    """What the axioms say of each atom, as the loops need it."""
    bounds: IntArray
    state: saturation.State
    counters: IntArray
    unused: IntArray = field(default_factory=lambda: np.full(saturation.SIZE_CLASSES, -1, dtype=np.int64))

    @classmethod
    def of(cls, forms: NormalForms, progress: Progress = NO_PROGRESS) -> Saturation:
        """Return empty lists of all nodes, and what the axioms say as indexes."""
        first_self = forms.atoms
        first_existential = first_self + forms.roles
        existentials, some_right = _existentials(forms)
        roles = RoleTables.of(forms)
        direct, pairs = _direct(forms, some_right + first_existential, first_self)
        uses_top = bool(
            (direct[:, 0] == TOP).any() or (pairs[:, :2] == TOP).any() or (forms.some_left[:, 1] == TOP).any()
        )
        bounds = np.array(
            [first_self, first_existential, forms.first_individual, forms.first_fresh, uses_top, _follows_all(forms)]
        )
        indexes = (*_index(direct, first_existential), *_pair_indexes(pairs, first_self))
        left, left_starts = grouped(forms.some_left[:, 1], forms.some_left[:, ::2], first_self)
        state, counters = _empty_lists(first_existential, existentials)
        return cls(forms, progress, roles, (*indexes, left_starts, left), bounds, state, counters)

    def run(self, atoms: IntArray) -> None:
        """Complete the lists of some atoms, and of all that they need."""
        is_target = np.zeros(self.forms.atoms, dtype=np.bool_)
        nodes = self.state[0]
        is_target[nodes[self.bounds[1] : self.counters[saturation.NODES], saturation.TARGET]] = True
        is_target[BOTTOM] = False  # nothing is said of it
        self._run(np.flatnonzero(is_target))
        self._run(atoms[(atoms != BOTTOM) & ~is_target[atoms]])

    def _run(self, atoms: IntArray) -> None:
        self._queue(atoms)
        tables = self.roles
        roles = (tables.chain_starts, tables.chains, tables.is_second, tables.places, tables.above)
        saturate = for_work(saturation.saturate, LOOKS_FOR_A_NODE * int(self.counters[saturation.NODES]))
        while self.counters[saturation.FRONT] >= 0:
            if self.progress.wants_stop():
                raise Interrupted("the completion was stopped")
            self.state = saturate(self.state, self.counters, self.unused, self.bounds, self.indexes, roles, AT_ONCE)

    def _queue(self, atoms: IntArray) -> None:
        """Have atoms looked at, in their order; nothing waits."""
        if len(atoms):
            nodes = self.state[0]
            nodes[atoms[:-1], saturation.QUEUED] = atoms[1:]
            nodes[atoms[-1], saturation.QUEUED] = -1
            self.counters[saturation.FRONT], self.counters[saturation.BACK] = atoms[0], atoms[-1]

    @property
    def figures(self) -> dict[str, int]:
        """How much there was to do."""
        counters = self.counters
        return {
            "activations": int(counters[saturation.STAMP]),
            "existentials": int(counters[saturation.NODES] - self.bounds[1]),
            "messages": int(counters[saturation.MESSAGES]),
        }

    def lists(self, atoms: IntArray) -> tuple[IntArray, CodeArray]:
        """Return the nodes in the lists of some atoms, one after the other, and how many each has."""
        nodes, _, pool, _, _ = self.state
        lengths = nodes[atoms, saturation.LENGTH].astype(np.int64)
        before = np.cumsum(lengths) - lengths
        places = np.repeat(nodes[atoms, saturation.LIST].astype(np.int64) * 4 - before, lengths)
        return lengths, pool[places + np.arange(len(places))]

    def rows(self) -> tuple[CodeArray, CodeArray, CodeArray]:
        """Return all inclusions of atoms: in atoms, in existentials of all roles above, and in those to itself."""
        nodes, roles = self.state[0], self.roles
        first_self, first_existential = self.bounds[0], self.bounds[1]
        atoms = np.arange(self.forms.atoms)
        lengths, members = self.lists(atoms)
        left = np.repeat(atoms.astype(np.int32), lengths)
        is_atom, is_some = members < first_self, members >= first_existential
        is_self = ~is_atom & ~is_some
        some, left_of_some = members[is_some], left[is_some]
        role = nodes[some, saturation.ROLE]
        counts = np.diff(roles.super_starts)[role]
        offsets = np.repeat(roles.super_starts[role] - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())
        rows = (
            np.repeat(left_of_some, counts),
            roles.supers[offsets],
            np.repeat(nodes[some, saturation.TARGET], counts),
        )
        return (
            np.stack([left[is_atom], members[is_atom]], axis=1),
            np.stack(rows, axis=1),
            np.stack([left[is_self], (members[is_self] - first_self).astype(np.int32)], axis=1),
        )


def _existentials(forms: NormalForms) -> tuple[CodeArray, IntArray]:
    """Return role and target of each existential on the right of an axiom, and which one each of these axioms has."""
    keys = forms.some_right[:, 1].astype(np.int64) * forms.atoms + forms.some_right[:, 2]
    distinct, numbers = np.unique(keys, return_inverse=True)
    return np.stack([distinct // forms.atoms, distinct % forms.atoms], axis=1).astype(np.int32), numbers


def _direct(forms: NormalForms, some_right: IntArray, first_self: int) -> tuple[CodeArray, CodeArray]:
    """Return which nodes are included in which by one axiom, and the conjunctions of two different atoms."""
    one, other, result = forms.conjunction.T
    single = np.where(one == TOP, other, one)
    is_pair = (one != other) & (one != TOP) & (other != TOP)
    parts = (
        (forms.sub[:, 0], forms.sub[:, 1]),
        (forms.some_right[:, 0], some_right),
        (forms.self_right[:, 0], forms.self_right[:, 1] + first_self),
        (forms.role_sub[:, 0] + first_self, forms.role_sub[:, 1] + first_self),
        (forms.self_left[:, 0] + first_self, forms.self_left[:, 1]),
    )
    direct = np.stack([np.concatenate([part[side] for part in parts]) for side in (0, 1)], axis=1).astype(np.int32)
    direct = direct[direct[:, 0] != BOTTOM]  # while ⊥ ⊓ ⊤ ⊑ C says something about all that is included in ⊥
    direct = np.concatenate([direct, np.stack([single[~is_pair], result[~is_pair]], axis=1)])
    return direct[direct[:, 1] != TOP], forms.conjunction[is_pair & (result != TOP)]


def _index(rows: CodeArray, count: int) -> tuple[IntArray, CodeArray]:
    found, starts = grouped(rows[:, 0], rows[:, 1], count)
    return starts, found


def _pair_indexes(pairs: CodeArray, atoms: int) -> tuple[IntArray, CodeArray, IntArray, CodeArray]:
    """Return for each atom the other conjunct and the result of its conjunctions: of all, and where it is the rarer."""
    both = np.concatenate([pairs, pairs[:, [1, 0, 2]]])
    counts = np.bincount(both[:, 0], minlength=atoms)
    of_all, starts = grouped(both[:, 0], both[:, 1:], atoms)
    is_rarer = counts[pairs[:, 0]] <= counts[pairs[:, 1]]
    turned = np.where(is_rarer[:, None], pairs, pairs[:, [1, 0, 2]])
    of_rarer, rare_starts = grouped(turned[:, 0], turned[:, 1:], atoms)
    return starts, of_all, rare_starts, of_rarer


def _follows_all(forms: NormalForms) -> bool:
    """Say whether ∃r.Self may meet chains in the list of any atom: then IR10 has to be handed on to those below it."""
    rights = (forms.sub[:, 1], forms.conjunction[:, 2], forms.some_left[:, 2], forms.self_left[:, 1])
    in_nominals = [(right >= forms.first_individual) & (right < forms.first_fresh) for right in rights]
    lefts = forms.sub[:, 0]
    in_nominals[0] &= ~((lefts >= forms.first_individual) & (lefts < forms.first_fresh))
    return bool(len(forms.role_chain)) and bool(len(forms.self_right) or any(each.any() for each in in_nominals))


def _empty_lists(first_existential: int, existentials: CodeArray) -> tuple[saturation.State, IntArray]:
    """Return empty lists of all nodes, and the counters."""
    count = first_existential + len(existentials)
    room = count + max(count // 4, 16)
    nodes = np.zeros((room, saturation.COLUMNS), dtype=np.int32)
    nodes[:, (saturation.PENDING, saturation.EXISTENTIALS, saturation.LATER)] = -1
    nodes[:, saturation.QUEUED] = saturation.NOT_QUEUED
    slots = np.full(1 << (4 * room).bit_length(), -1, dtype=np.int32)
    pool = np.zeros(8 * count + 64, dtype=np.int32)
    items = np.empty((max(count, 16), 2), dtype=np.int32)
    counters = np.zeros(8, dtype=np.int64)
    counters[[saturation.NODES, saturation.FRONT, saturation.UNUSED]] = first_existential, -1, -1
    saturation.add_existentials(nodes, slots, counters, existentials)
    # ⊥ ⊑ ⊥ and ⊥ ⊑ ⊤ is all that is said of ⊥.
    pool[:2] = BOTTOM, TOP
    counters[saturation.POOL] = 4
    nodes[BOTTOM, [saturation.LENGTH, saturation.CAPACITY, saturation.IS_STARTED]] = 2, 4, 1
    marks = np.zeros(room, dtype=np.int32)
    return (nodes, marks, pool, items, slots), counters
