"""Where the search of a family takes its first groups from."""

from __future__ import annotations

from itertools import combinations

from krypsis.algorithms import candidates
from krypsis.algorithms.candidates import Family, Index
from krypsis.algorithms.lattice import Lattice
from krypsis.algorithms.rollup import Levels, NodeGroups, Rollup
from krypsis.arrays import BoolArray


class RootGroups:
    """The groups from which the roots of a family are rolled up.

    The plain way counts them from all distinct tuples. A super-root is a node below all roots of the family: the
    tuples are counted once for it, and the roots are rolled up from there. The cube holds the groups of every family at
    its lowest levels, made before the search, each from the smallest of the families with one attribute more.
    """

    def __init__(self, rollup: Rollup, lattice: Lattice, *, super_roots: bool, cube: bool) -> None:
        self._rollup = rollup
        self._lattice = lattice
        self._super_roots = super_roots
        self._tuples = rollup.bottom()
        self._cube = self._make_cube() if cube else {}

    def below(self, family: Family, graph: BoolArray) -> NodeGroups:
        """Return groups at a node below all candidates of a family."""
        start = self._cube.get(family, self._tuples)
        if self._super_roots and graph.any():
            start, _ = self._rollup.coarsen(start, self.levels(family, candidates.super_root(graph)))
        return start

    def levels(self, family: Family, index: Index) -> Levels:
        """Return the node over all attributes that stands for a node of a family: all others are at the top."""
        levels = list(self._rollup.frequency.heights)
        for position, step in zip(family, index, strict=True):
            levels[position] = self._lattice.lowest[position] + step
        return tuple(levels)

    def _make_cube(self) -> dict[Family, NodeGroups]:
        size = len(self._lattice.lowest)
        everything = tuple(range(size))
        lowest, _ = self._rollup.coarsen(self._tuples, self._lattice.lowest)
        cube = {everything: lowest}
        for width in range(size - 1, 0, -1):
            for family in combinations(everything, width):
                wider = [cube[tuple(sorted((*family, other)))] for other in everything if other not in family]
                smallest = min(wider, key=lambda node: len(node.sizes))
                cube[family], _ = self._rollup.coarsen(smallest, self.levels(family, (0,) * width))
        return cube
