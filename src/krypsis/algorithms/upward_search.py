"""The best node of an upward closed set of feasible nodes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from krypsis.algorithms import candidates
from krypsis.algorithms.candidates import Index
from krypsis.algorithms.evaluation import Judge, Limits
from krypsis.algorithms.incumbent import Incumbent
from krypsis.algorithms.lattice import Lattice
from krypsis.algorithms.rollup import Levels, NodeGroups
from krypsis.algorithms.scores import Score, lowest_score
from krypsis.algorithms.subset_search import by_height, smallest_below
from krypsis.arrays import BoolArray
from krypsis.metrics.base import Metric
from krypsis.progress import JudgedNode

Assess = Callable[[NodeGroups], JudgedNode]


class UpwardSearch:
    """Judges feasible nodes from low to high and leaves out what lies above a node with a bound that cannot win."""

    def __init__(self, judge: Judge, metric: Metric, limits: Limits, lattice: Lattice, incumbent: Incumbent) -> None:
        self._judge = judge
        self._metric = metric
        self._limits = limits
        self._lattice = lattice
        self._incumbent = incumbent

    def run(self, feasible: BoolArray, minimal: dict[Levels, NodeGroups], assess: Assess) -> None:
        """Assess every node that may be the best; those of ``minimal``, the lowest of them, have been assessed.

        ``assess`` offers what it judges to the incumbent.
        """
        lowest = np.array(self._lattice.lowest, dtype=np.int64)
        open_nodes = feasible.copy()
        here: dict[Index, NodeGroups] = {}
        for nodes in by_height(feasible):
            below, here = here, {}
            for index in nodes:
                if not open_nodes[index]:
                    continue
                levels = tuple((lowest + index).tolist())
                groups = minimal.get(levels) or self._rolled_up(index, levels, below)
                if levels not in minimal:
                    assess(groups)
                if self._incumbent.could_be_beaten_by(self._bound(groups), levels):
                    here[index] = groups
                else:
                    open_nodes[candidates.upward(index)] = False

    def _rolled_up(self, index: Index, levels: Levels, below: dict[Index, NodeGroups]) -> NodeGroups:
        known = (below[lower] for lower in candidates.predecessors(index) if lower in below)
        groups, _ = self._judge.rollup.coarsen(smallest_below(index, below, next(known)), levels)
        return groups

    def _bound(self, groups: NodeGroups) -> Score:
        """Return a score that no node above can beat."""
        highest = self._lattice.highest
        refused = np.zeros(len(groups.sizes), dtype=np.bool_)
        if self._limits.suppressed:
            top, to_top = self._judge.rollup.coarsen(groups, highest)
            refused = self._judge.refused(top, self._judge.lasting)[to_top]
        return lowest_score(self._metric, self._judge.outcome(groups, refused), highest)
