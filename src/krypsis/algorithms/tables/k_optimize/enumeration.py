"""Search through all sets of cuts by set enumeration, with a bound for all that is left of a branch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from krypsis.algorithms.tables.k_optimize.appraisal import Appraiser, Weighed
from krypsis.algorithms.tables.k_optimize.space import Cuts, Refinement
from krypsis.algorithms.tables.lattice.budget import SearchBudget
from krypsis.arrays import IntArray

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


class SetEnumeration:
    """Visits sets of cuts depth-first; what is known of a branch tells which cuts it can do without.

    A cut is dropped from the tail of a branch

    - if no set with it can be cheaper than the best, or all suppress more than the limit allows,
    - if no group falls apart by it,
    - if it is useless: splitting any group leaves at most one part that may be published, and suppressing the others is
      no gain.

    Every cut dropped makes the cells larger and so the bounds higher, hence this is repeated until nothing changes. Of
    the cuts that are left, the one that splits most groups is tried first: its branch ends soonest, and all others then
    do without it.
    """

    def __init__(self, appraiser: Appraiser, budget: SearchBudget) -> None:
        self._appraiser = appraiser
        self._space = appraiser.space
        self._best = appraiser.best
        self._budget = budget

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
        if appraisal.is_hopeless or not tail.any():
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
