"""Derivations as an AND/OR graph: a statement follows from any one of its rule firings, a firing needs all premises."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from krypsis.arrays import BoolArray, IntArray
from krypsis.kernels._jit import compiled, for_work

UNDERIVED, GIVEN = -1, -2
"""Instead of a firing: the statement is not derived, or it was given."""


class Firings(NamedTuple):
    """Which firings need each statement, with their premises and conclusions, for the compiled loop."""

    conclusions: IntArray
    premise_counts: IntArray
    user_starts: IntArray
    users: IntArray


@dataclass(frozen=True, eq=False, repr=False)
class Derivations:
    """Statements, and firings of rules that conclude one of them from others; how they look inside does not matter.

    Examples
    --------
    >>> graph = Derivations.of(4, [((0, 1), 2), ((3,), 2)])
    >>> graph.derivable([0, 1]).tolist(), graph.derivable([0]).tolist()
    ([True, True, True, False], [True, False, False, False])
    >>> graph.justification(2, [0, 1, 3]).tolist()
    [0, 1]
    """

    statements: int
    conclusions: IntArray
    """The statement that each firing concludes."""
    premise_starts: IntArray
    premises: IntArray
    """The premises of all firings, one after the other; a firing without any holds always."""

    @classmethod
    def of(cls, statements: int, firings: Iterable[tuple[Sequence[int], int]]) -> Derivations:
        """Return the graph of firings, each as its premises and its conclusion."""
        each = list(firings)
        starts = np.cumsum([0, *(len(premises) for premises, _ in each)])
        premises = np.array([one for given, _ in each for one in given], dtype=np.int64)
        return cls(statements, np.array([one for _, one in each], dtype=np.int64), starts.astype(np.int64), premises)

    def __len__(self) -> int:
        return len(self.conclusions)

    def __repr__(self) -> str:
        return f"Derivations({self.statements:,} statements, {len(self):,} firings)"

    @cached_property
    def owners(self) -> IntArray:
        """The firing that each entry of the premises belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.premise_starts))

    @cached_property
    def _firings(self) -> Firings:
        order = np.argsort(self.premises, kind="stable")
        starts = np.searchsorted(self.premises[order], np.arange(self.statements + 1))
        counts = np.diff(self.premise_starts).astype(np.int64)
        return Firings(self.conclusions, counts, starts.astype(np.int64), self.owners[order])

    def first_firings(self, given: IntArray | Sequence[int]) -> tuple[IntArray, IntArray]:
        """Return the firing that derives each statement first, and all derived statements in that order.

        Statements that are given have :data:`GIVEN` instead, and those that do not follow :data:`UNDERIVED`.
        """
        known = np.zeros(self.statements, dtype=np.bool_)
        known[np.asarray(given, dtype=np.int64)] = True
        kernel = for_work(chain_forward, len(self.premises) + len(self) + self.statements)
        return kernel(self._firings, known)

    def derivable(self, given: IntArray | Sequence[int]) -> BoolArray:
        """Return which statements follow from given ones, these among them."""
        by, _ = self.first_firings(given)
        return np.asarray(by != UNDERIVED)

    def support(self, goal: int, given: IntArray | Sequence[int]) -> IntArray:
        """Return given statements from which a goal follows, traced back from its first derivation; ascending.

        Raises
        ------
        ValueError
            if the goal does not follow.
        """
        by, _ = self.first_firings(given)
        return self._traced(goal, by)

    def _traced(self, goal: int, by: IntArray) -> IntArray:
        if by[goal] == UNDERIVED:
            raise ValueError(f"statement {goal} does not follow from what is given")
        seen, waiting, found = {goal}, [goal], []
        while waiting:
            statement = waiting.pop()
            firing = int(by[statement])
            if firing == GIVEN:
                found.append(statement)
                continue
            needed = self.premises[self.premise_starts[firing] : self.premise_starts[firing + 1]].tolist()
            waiting += [one for one in needed if one not in seen]
            seen.update(needed)
        return np.array(sorted(found), dtype=np.int64)

    def justification(self, goal: int, given: IntArray | Sequence[int]) -> IntArray:
        """Return a minimal set of given statements from which a goal follows; ascending.

        One derivation is traced back, then premises are dropped one by one while the goal stays derivable.
        """
        kept = self.support(goal, given)
        for one in kept.tolist():  # whatever is needed now stays needed when there is less
            if one in kept:
                rest = kept[kept != one]
                by, _ = self.first_firings(rest)
                kept = kept if by[goal] == UNDERIVED else self._traced(goal, by)
        return kept

    def steps(self, goal: int, given: IntArray | Sequence[int]) -> list[int]:
        """Return the firings of one derivation of a goal, each after those that it needs."""
        by, order = self.first_firings(given)
        if by[goal] == UNDERIVED:
            raise ValueError(f"statement {goal} does not follow from what is given")
        needed = {goal}
        found: list[int] = []
        for statement in order[::-1].tolist():
            if statement in needed and (firing := int(by[statement])) != GIVEN:
                found.append(firing)
                needed.update(self.premises_of(firing).tolist())
        return found[::-1]

    def premises_of(self, firing: int) -> IntArray:
        """Return the premises of a firing."""
        return self.premises[self.premise_starts[firing] : self.premise_starts[firing + 1]]

    def reduced(self, always: IntArray | Sequence[int], given: IntArray | Sequence[int]) -> Derivations:
        """Return what matters when some statements hold always and others may be removed.

        What follows from the former alone has one firing without premises, and is no premise of others any more;
        firings that cannot happen even if everything is given are left out. Statements keep their numbers.
        """
        holds = self.derivable(always)
        possible = self.derivable(np.concatenate([np.asarray(always, np.int64), np.asarray(given, np.int64)]))
        missing = np.bincount(self.owners, weights=~possible[self.premises], minlength=len(self))
        kept = (missing == 0) & ~holds[self.conclusions]
        entries = kept[self.owners] & ~holds[self.premises]
        counts = np.bincount(self.owners[entries], minlength=len(self))[kept]
        facts = np.flatnonzero(holds)
        conclusions = np.concatenate([self.conclusions[kept], facts])
        starts = np.concatenate([[0], np.cumsum(np.concatenate([counts, np.zeros(len(facts), np.int64)]))])
        return Derivations(self.statements, conclusions, starts.astype(np.int64), self.premises[entries])

    @cached_property
    def _by_conclusion(self) -> tuple[IntArray, IntArray]:
        """All firings in the order of their conclusions, and where those of each statement begin."""
        order = np.argsort(self.conclusions, kind="stable")
        starts = np.searchsorted(self.conclusions[order], np.arange(self.statements + 1))
        return order.astype(np.int64), starts.astype(np.int64)

    def ancestors(self, goals: IntArray | Sequence[int]) -> BoolArray:
        """Return which statements some derivation of a goal may use, the goals among them."""
        is_goal = np.zeros(self.statements, dtype=np.bool_)
        is_goal[np.asarray(goals, dtype=np.int64)] = True
        kernel = for_work(walk_back, len(self.premises) + self.statements)
        return kernel(*self._by_conclusion, self.premise_starts, self.premises, is_goal)

    def firings_of(self, statements: IntArray) -> IntArray:
        """Return the firings that conclude statements, in ascending order."""
        order, starts = self._by_conclusion
        counts = starts[statements + 1] - starts[statements]
        before = np.concatenate([[0], np.cumsum(counts)])[:-1] if len(counts) else counts
        return np.sort(order[np.repeat(starts[statements] - before, counts) + np.arange(counts.sum())])

    def part(self, firings: IntArray, number: IntArray, statements: int) -> Derivations:
        """Return some of the firings, with new numbers of statements: ``number`` has one for each old one."""
        counts = np.diff(self.premise_starts)[firings]
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        places = np.repeat(self.premise_starts[firings] - starts[:-1], counts) + np.arange(starts[-1])
        return Derivations(statements, number[self.conclusions[firings]], starts, number[self.premises[places]])


@compiled
def chain_forward(firings: Firings, given: BoolArray) -> tuple[IntArray, IntArray]:
    """Return for each statement the firing that derives it first, and the derived statements in order."""
    by = np.full(len(given), -1, dtype=np.int64)
    order = np.empty(len(given), dtype=np.int64)
    missing = firings.premise_counts.copy()
    reached = 0
    for statement in range(len(given)):
        if given[statement]:
            by[statement] = -2
            order[reached] = statement
            reached += 1
    for firing in range(len(missing)):
        conclusion = firings.conclusions[firing]
        if missing[firing] == 0 and by[conclusion] == -1:
            by[conclusion] = firing
            order[reached] = conclusion
            reached += 1
    done = 0
    while done < reached:
        statement = order[done]
        done += 1
        for place in range(firings.user_starts[statement], firings.user_starts[statement + 1]):
            firing = firings.users[place]
            missing[firing] -= 1
            conclusion = firings.conclusions[firing]
            if missing[firing] == 0 and by[conclusion] == -1:
                by[conclusion] = firing
                order[reached] = conclusion
                reached += 1
    return by, order[:reached]


@compiled
def walk_back(
    order: IntArray, starts: IntArray, premise_starts: IntArray, premises: IntArray, is_goal: BoolArray
) -> BoolArray:
    """Return which statements are goals or premises of firings that conclude one of these; firings by conclusion."""
    seen = is_goal.copy()
    waiting = np.empty(len(seen), dtype=np.int64)
    count = 0
    for statement in range(len(seen)):
        if seen[statement]:
            waiting[count] = statement
            count += 1
    while count:
        count -= 1
        statement = waiting[count]
        for place in range(starts[statement], starts[statement + 1]):
            firing = order[place]
            for entry in range(premise_starts[firing], premise_starts[firing + 1]):
                premise = premises[entry]
                if not seen[premise]:
                    seen[premise] = True
                    waiting[count] = premise
                    count += 1
    return seen
