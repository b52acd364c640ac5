"""Search through all sets of cuts by set enumeration, with a bound for all that is left of a branch."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from krypsis.algorithms.tables.k_optimize.appraisal import Appraisal, Appraiser, Weighed
from krypsis.algorithms.tables.k_optimize.space import Cuts, IntervalDigits, Refinement, SplitSpace
from krypsis.algorithms.tables.lattice.lattice import SearchBudget
from krypsis.arrays import FloatArray, IntArray
from krypsis.progress import MOST_ROWS, StepTable

UNBOUNDED = np.iinfo(np.int64).max


@dataclass(eq=False)
class _Branch:
    """All sets that contain the ``head`` and any of the ``tail``; those with a cut already tried are gone from it."""

    head: Cuts
    tail: Cuts
    refinement: Refinement
    """The groups of the head that may still be published, as cells of head and tail."""
    lost: int
    """The records that are suppressed in the whole branch."""
    bound: int
    """No set of the branch but the head itself costs less."""


class EnumerationNotes:
    """What a trace keeps of an enumeration: the sets that were judged, and what their branches could do without."""

    def __init__(self, space: SplitSpace) -> None:
        self._space = space
        self._rows: list[tuple[object, ...]] = []
        self._more = 0

    def judged(self, head: Cuts, appraisal: Appraisal, best: int | None, what: str) -> None:
        """Note a set that was judged."""
        cost = appraisal.cost if appraisal.feasible else None
        self._add(lambda: (self._named(head), cost, best, what, None))

    def dropped(self, head: Cuts, cuts: Cuts, best: int | None, least: int) -> None:
        """Note cuts that no better set below a head has."""
        reason = f"pruned: no set with one of them costs less than {best}, or it would suppress too much or be useless"
        self._add(lambda: (self._named(head), None, best, f"{reason}; lowest bound {least}", self._named(cuts)))

    def table(self) -> StepTable:
        """Return what was noted, in the order of the search."""
        columns = ("cuts", "cost", "best so far", "what follows", "pruned")
        return StepTable(columns, tuple(self._rows), more=self._more)

    def _add(self, make: Callable[[], tuple[object, ...]]) -> None:
        if len(self._rows) < MOST_ROWS:
            self._rows.append(make())
        else:
            self._more += 1

    def _named(self, cuts: Cuts) -> str:
        return ", ".join(self._space.name_of(int(cut)) for cut in np.flatnonzero(cuts)) or "none"


class SetEnumeration:
    """Visits sets of cuts depth-first; what is known of a branch says which cuts it can do without.

    A cut is dropped from the tail of a branch

    - if no set with it can be cheaper than the best, or all suppress more than the limit allows,
    - if no group falls apart by it,
    - if it is useless: splitting any group leaves at most one part that may be published, and suppressing the others is
      no gain.

    Every cut dropped makes the cells larger and so the bounds higher, hence this is repeated until nothing changes. Of
    the cuts that are left, the one that splits most groups is tried first: its branch ends soonest, and all others then
    do without it.
    """

    def __init__(self, appraiser: Appraiser, budget: SearchBudget, notes: EnumerationNotes | None = None) -> None:
        self._appraiser = appraiser
        self._space = appraiser.space
        self._best = appraiser.best
        self._budget = budget
        self._notes = notes

    def run(self) -> int | None:
        """Search until the best is the cheapest of all, or the budget is spent.

        Returns a cost that no set falls below: that of the best if all were searched. Nothing if none is feasible.
        """
        # Step 1: head = {} (or the forced cuts), tail = all other values that may start an interval.
        root = self._root()
        stack = [] if root is None else [root]
        while stack:
            if self._budget.is_spent():
                return min([branch.bound for branch in stack] + ([] if self._best.cost is None else [self._best.cost]))
            branch = stack[-1]
            # Steps 3-4: prune the tail, then take the next value out of it; siblings visited later do without it.
            cut, bound = self._next_cut(branch)
            if cut is None:
                stack.pop()
                continue
            refinement = self._space.refine(branch.refinement, cut)
            # Step 2 for the child: head + {v} with what is left of the tail; it only splits what its parent joined.
            child = self._visit(_with(branch.head, cut), branch.tail.copy(), refinement, branch.lost, bound)
            if child is not None:
                stack.append(child)
        return self._best.cost

    def _root(self) -> _Branch | None:
        refinement = self._appraiser.everything()
        for cut in np.flatnonzero(self._space.forced):
            refinement = self._space.refine(refinement, int(cut))
        return self._visit(self._space.forced, ~self._space.forced, refinement, 0, 0)

    def _visit(self, head: Cuts, tail: Cuts, refinement: Refinement, lost: int, bound: int) -> _Branch | None:
        """Judge a set and return the branch below it, unless that is known to hold nothing."""
        # Step 2: compute the cost of the head, and keep it if it is the best so far.
        appraisal = self._appraiser.judge(refinement.groups(), lost, head, self._budget)
        # Not k-anonymous prunes the branch only where nothing may be suppressed; else the limit or the bound does.
        is_leaf = appraisal.is_hopeless or not tail.any()
        if self._notes is not None:
            follows = (
                "no set below keeps the promises" if appraisal.is_hopeless else "no cut is left" if is_leaf else None
            )
            self._notes.judged(head, appraisal, self._best.cost, follows or "its branch is searched")
        if is_leaf:
            return None
        # These groups stay suppressed in every descendant and cost their full price there.
        lost += int(refinement.sizes[appraisal.lasting].sum())
        return _Branch(head, tail, refinement.only(~appraisal.lasting), lost, bound)

    def _next_cut(self, branch: _Branch) -> tuple[int | None, int]:
        """Drop what the branch can do without; take the next cut out of its tail and bound the sets with it."""
        while branch.tail.any():
            # Step 3: lower bound of the subtree for each tail value.
            weighed = self._weigh(branch)
            bounds = weighed.least + branch.lost * self._appraiser.cost.price + weighed.bounds
            # Prune values whose subtrees cannot win; a smaller tail raises the bounds, so repeat until nothing changes.
            left = branch.tail & self._promising(branch, weighed, bounds)
            if (left == branch.tail).all():
                # Step 4: reorder the tail, the value that refines most groups first; its subtree is pruned soonest.
                cut = int(np.argmax(np.where(left, weighed.refined, -1)))
                left[cut] = False
                branch.tail, branch.bound = left, int(bounds[left].min(initial=UNBOUNDED))
                return cut, int(bounds[cut])
            if self._notes is not None:
                gone = branch.tail & ~left
                self._notes.dropped(branch.head, gone, self._best.cost, int(bounds[gone].min()))
            branch.tail = left
        branch.bound = UNBOUNDED
        return None, UNBOUNDED

    def _weigh(self, branch: _Branch) -> Weighed:
        """Return what each cut would do, after judging the set of all cuts of the branch at once."""
        all_cuts = branch.head | branch.tail
        digits = self._space.digits(all_cuts)
        # Cells under head and whole tail: no descendant splits further, so they bound group sizes from below.
        branch.refinement = self._space.coarsen(branch.refinement, digits)
        # Beyond the paper: the set of all remaining cuts is a candidate itself.
        self._appraiser.judge(branch.refinement.cells(), branch.lost, all_cuts, self._budget)
        return self._appraiser.weigh(branch.refinement, digits)

    def _promising(self, branch: _Branch, weighed: Weighed, bounds: IntArray) -> Cuts:
        promising: Cuts = (weighed.refined > 0) & (branch.lost + weighed.lost <= self._appraiser.limit)
        if self._best.cost is not None:
            promising &= bounds < self._best.cost
        if self._appraiser.may_drop_useless:
            promising &= weighed.useful
        return promising


def _with(cuts: Cuts, cut: int) -> Cuts:
    more = cuts.copy()
    more[cut] = True
    return more


TRIES = 3
"""How many of the cuts that look best are tried, as models other than k-anonymity may refuse what they lead to."""


@dataclass(frozen=True, eq=False)
class _View:
    """A set of cuts as seen from inside a climb: what it is worth and what further cuts would make of it."""

    cuts: Cuts
    appraisal: Appraisal
    worth: float
    """Its cost; among equals, the smaller groups count."""
    estimates: FloatArray
    """The same with each further cut."""


class SplitClimber:
    """Adds, removes and exchanges single cuts as long as the cost falls.

    It starts with the cuts where the hierarchies change at their highest levels and goes down level by level, so that
    cuts which matter are found among few. Then, attribute by attribute, it gives up all cuts of one and climbs again:
    a single step cannot make room for another attribute. It depends on nothing but the space, so a run can be repeated.
    """

    def __init__(self, appraiser: Appraiser, budget: SearchBudget) -> None:
        self._appraiser = appraiser
        self._space = appraiser.space
        self._best = appraiser.best
        self._budget = budget

    def run(self) -> None:
        """Climb until nothing helps or the budget is spent; the best set found is remembered by the appraiser."""
        for level in range(max(self._space.frequency.heights), -1, -1):
            self._climb(self._best_cuts(), self._space.changing_at(level))
        while not self._budget.is_spent() and self._give_up_an_attribute():
            pass

    def _best_cuts(self) -> Cuts:
        return self._space.forced if self._best.cuts is None else self._best.cuts

    def _give_up_an_attribute(self) -> bool:
        """Say whether climbing without the cuts of some attribute has led to something better."""
        before, cuts = self._best.cost, self._best_cuts()
        for column in range(len(self._space.domains)):
            without = cuts & ((self._space.columns != column) | self._space.forced)
            if (without != cuts).any():
                self._climb(without, ~self._space.none())
            if self._best.cost != before:
                return True
        return False

    def _climb(self, cuts: Cuts, allowed: Cuts) -> None:
        climb = _Climb(self._appraiser, self._budget, allowed | cuts)
        here = climb.view(cuts)
        while not self._budget.is_spent():
            there = climb.step(here)
            if there is None:
                return
            here = there


class _Climb:
    """One climb among some of the cuts."""

    def __init__(self, appraiser: Appraiser, budget: SearchBudget, allowed: Cuts) -> None:
        self._appraiser = appraiser
        self._space = appraiser.space
        self._budget = budget
        self._allowed = allowed
        self._digits: IntervalDigits = self._space.digits(allowed)
        self._cells: Refinement = self._space.coarsen(appraiser.everything(), self._digits)

    def view(self, cuts: Cuts) -> _View:
        """Return what a set of cuts is worth and where to go from it."""
        refinement = self._space.regroup(self._cells, self._space.digits(cuts))
        appraisal = self._appraiser.judge(refinement.groups(), 0, cuts, self._budget)
        weighed = self._appraiser.weigh(refinement.only(~appraisal.lasting), self._digits)
        possible = self._allowed & ~cuts & (appraisal.suppressed + weighed.lost <= self._appraiser.limit)
        tie = self._appraiser.cost.tie
        worth = appraisal.cost + tie * appraisal.squares
        return _View(
            cuts, appraisal, worth, np.where(possible, worth + weighed.changes + tie * weighed.squares, np.inf)
        )

    def step(self, here: _View) -> _View | None:
        """Return a cheaper set one step away: with a cut more, or else the best with one fewer or another."""
        ceiling = here.worth
        found = self._with_one_more(here, ceiling)
        if found is not None:
            return found
        # No single cut helps: try each set with one cut fewer, and with that one exchanged for another.
        for cut in np.flatnonzero(here.cuts & ~self._space.forced):
            if self._budget.is_spent():
                break
            fewer = self.view(here.cuts & (np.arange(len(here.cuts)) != cut))
            for there in (fewer, self._with_one_more(fewer, ceiling)):
                if there is not None and there.appraisal.feasible and there.worth < ceiling:
                    found, ceiling = there, there.worth
        return found

    def _with_one_more(self, view: _View, ceiling: float) -> _View | None:
        """Return the set with the cut that makes it cheapest, if that is below the ceiling."""
        for cut in np.argsort(view.estimates, kind="stable")[:TRIES]:
            if view.estimates[cut] >= ceiling:
                break
            there = self.view(view.cuts | (np.arange(len(view.cuts)) == cut))
            if there.appraisal.feasible and there.worth < ceiling:
                return there
        return None
