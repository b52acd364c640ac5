"""Climbing to a good set of cuts: a start for an exact search, and the result where there is no time for one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from krypsis.algorithms.tables.k_optimize.appraisal import Appraisal, Appraiser
from krypsis.algorithms.tables.k_optimize.space import Cuts, IntervalDigits, Refinement
from krypsis.algorithms.tables.lattice.budget import SearchBudget
from krypsis.arrays import FloatArray

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
