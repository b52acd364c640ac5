"""The search of Incognito: sets of attributes from small to large, each with what the smaller ones left.

Incognito's candidates: the nodes over a set of attributes that may keep the promises, by what smaller sets showed.

A *family* is a set of attributes, as ascending positions. Its nodes are a Boolean array with one axis per attribute; an
index counts levels from the lowest that is allowed. Nodes that keep the promises lie above each other: if one does, so
do all above it. Such an upward closed set is closed under all that is done here, and so every edge of the candidate
graph is a single step.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from krypsis.algorithms.tables.lattice.evaluation import Judge
from krypsis.algorithms.tables.lattice.lattice import Lattice, Levels, Limits, NodeGroups, Rollup
from krypsis.algorithms.tables.lattice.scores import Incumbent, Score, lowest_score
from krypsis.arrays import BoolArray, IntArray
from krypsis.data.recoding import FrequencySet
from krypsis.metrics.base import Metric
from krypsis.progress import JudgedNode

Family = tuple[int, ...]
Index = tuple[int, ...]


def join_and_prune(family: Family, survivors: Mapping[Family, BoolArray], levels: tuple[int, ...]) -> BoolArray:
    """Return the candidates of a family: every node whose part over one attribute less survived, whichever is left out.

    The paper joins the parts without the last and without the last but one attribute, which agree in all others, and
    then prunes by the other parts. On Boolean arrays both are the same operation. ``levels`` are the numbers of levels
    of the family's attributes.

    Examples
    --------
    >>> sex, zip = np.array([True, True]), np.array([False, True, True])
    >>> join_and_prune((0, 1), {(0,): sex, (1,): zip}, (2, 3)).astype(int)
    array([[0, 1, 1],
           [0, 1, 1]])
    """
    candidates = np.ones(levels, dtype=np.bool_)
    for axis in reversed(range(len(family))):
        part = survivors[family[:axis] + family[axis + 1 :]]
        # Join and prune phase: the sub-node without this attribute must be in S_(i-1), whatever its level here.
        candidates &= np.expand_dims(part, axis)
    return candidates


def edges(nodes: BoolArray) -> list[tuple[Index, Index]]:
    """Return the direct generalizations among the nodes of an upward closed set, in lexicographic order.

    Examples
    --------
    >>> edges(np.array([[False, True], [True, True]]))
    [((0, 1), (1, 1)), ((1, 0), (1, 1))]
    """
    steps = np.eye(nodes.ndim, dtype=np.int64)
    # Edge generation: the set is upward closed, so a direct generalization changes one attribute by one level.
    found = [
        (tuple(start), tuple(end))
        for axis in range(nodes.ndim)
        for start in indexes(nodes).tolist()
        if (end := (start + steps[axis]).tolist())[axis] < nodes.shape[axis]
    ]
    return sorted(found)


def predecessors(index: Index) -> list[Index]:
    """Return where the edges to a node may come from."""
    return [(*index[:axis], level - 1, *index[axis + 1 :]) for axis, level in enumerate(index) if level]


def minimal(nodes: BoolArray) -> BoolArray:
    """Return the nodes of an upward closed set that have none of it below: the roots of a candidate graph.

    Examples
    --------
    >>> minimal(np.array([[False, True, True], [True, True, True]])).astype(int)
    array([[0, 1, 0],
           [1, 0, 0]])
    """
    found = nodes.copy()
    # A node with a predecessor in the set on any axis is not minimal; upward closed, so one step below is enough.
    for axis in range(nodes.ndim):
        lower = np.moveaxis(nodes, axis, 0)[:-1]
        np.moveaxis(found, axis, 0)[1:] &= ~lower
    return found


def super_root(nodes: BoolArray) -> Index:
    """Return the highest node below all nodes of a set that is not empty, which need not belong to it."""
    return tuple(indexes(nodes).min(axis=0).tolist())


def upward(index: Index) -> tuple[slice, ...]:
    """Return what selects a node and all above it."""
    return tuple(slice(level, None) for level in index)


def indexes(nodes: BoolArray) -> IntArray:
    """Return the index of each node, in lexicographic order."""
    return np.argwhere(nodes).astype(np.int64, copy=False)


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
            # Super-roots: count the family's super-root once, then roll up to each root.
            start, _ = self._rollup.coarsen(start, self.levels(family, super_root(graph)))
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
        # Bottom-up pre-computation (cube): one scan for the full quasi-identifier, …
        lowest, _ = self._rollup.coarsen(self._tuples, self._lattice.lowest)
        cube = {everything: lowest}
        for width in range(size - 1, 0, -1):
            for family in combinations(everything, width):
                wider = [cube[tuple(sorted((*family, other)))] for other in everything if other not in family]
                # … then each subset from its smallest superset that is already there, by summing out one attribute.
                smallest = min(wider, key=lambda node: len(node.sizes))
                cube[family], _ = self._rollup.coarsen(smallest, self.levels(family, (0,) * width))
        return cube


Test = Callable[[NodeGroups], bool]
"""Says of the groups at a node whether they keep the promises within the limits."""


@dataclass(frozen=True, eq=False)
class Searched:
    """What the search of one family began with, what it tested, and what survived.

    Nodes are vectors of levels, one per attribute of the family.
    """

    attributes: tuple[str, ...]
    lowest: Levels
    graph: BoolArray
    """The candidates."""
    tested: tuple[Levels, ...]
    """In the order of the search."""
    surviving: BoolArray

    @property
    def candidates(self) -> tuple[Levels, ...]:
        """The nodes that smaller families left, in lexicographic order."""
        return self.nodes_of(self.graph)

    @property
    def edges(self) -> tuple[tuple[Levels, Levels], ...]:
        """The direct generalizations among the candidates."""
        return tuple((self._levels(start), self._levels(end)) for start, end in edges(self.graph))

    @property
    def roots(self) -> tuple[Levels, ...]:
        """The candidates that no edge leads to."""
        return self.nodes_of(minimal(self.graph))

    @property
    def super_root(self) -> Levels:
        """The highest node below all roots."""
        return self._levels(super_root(self.graph))

    @cached_property
    def survivors(self) -> tuple[Levels, ...]:
        """The candidates that keep the promises within the limits."""
        return self.nodes_of(self.surviving)

    @property
    def minimal(self) -> tuple[Levels, ...]:
        """The survivors that have no survivor below them."""
        return self.nodes_of(minimal(self.surviving))

    def nodes_of(self, chosen: BoolArray) -> tuple[Levels, ...]:
        """Return the levels of chosen nodes, in lexicographic order."""
        return tuple(map(tuple, (indexes(chosen) + np.array(self.lowest, dtype=np.int64)).tolist()))

    def _levels(self, index: Index) -> Levels:
        return tuple(low + step for low, step in zip(self.lowest, index, strict=True))


class SubsetSearch:
    """Goes through the families by size. A node over some attributes has the others at the top, where all is one value.

    Dropping an attribute joins groups as generalizing does, so what is tested of the smaller families is implied by the
    promises on the larger ones; see ``refusals.py``. With several quasi-identifier sets a family is tested on
    its part of every set.
    """

    def __init__(self, rollup: Rollup, lattice: Lattice, roots: RootGroups) -> None:
        self._rollup = rollup
        self._lattice = lattice
        self._roots = roots

    def iterations(self, test: Test, test_all: Test) -> Iterator[dict[Family, Searched]]:
        """Yield the searched families of each size; ``test_all`` tests the nodes over all attributes.

        Ends early where nothing of a family survives, because then nothing over all attributes does.
        """
        size = len(self._lattice.lowest)
        survivors: dict[Family, BoolArray] = {(): np.array(True)}
        # Algorithm 1, iteration i: search C_i for S_i, then generate C_(i+1) from it.
        for width in range(1, size + 1):
            chosen = test_all if width == size else test
            searched = {
                # The graph of the next iteration: join phase, prune phase and edges, per set of attributes.
                family: self._search(family, join_and_prune(family, survivors, self._shape(family)), chosen)
                for family in combinations(range(size), width)
            }
            yield searched
            survivors = {family: found.surviving for family, found in searched.items()}
            # S_i of some subset is empty: by the subset property no node over all attributes can pass.
            if not all(found.any() for found in survivors.values()):
                return

    def _search(self, family: Family, graph: BoolArray, test: Test) -> Searched:
        """Search the graph breadth first, by height; what lies above a node that passes is not tested."""
        passed = np.zeros(graph.shape, dtype=np.bool_)
        tested: list[Index] = []
        start = self._roots.below(family, graph)
        failed: dict[Index, NodeGroups] = {}
        # The priority queue by height: what lies above a passing node is marked, so all other candidates are reached.
        for nodes in by_height(graph):
            below, failed = failed, {}
            for index in nodes:
                if passed[index]:
                    continue
                # Rollup property: from the smallest failing node one step below; roots from the scan or the cube.
                finer = smallest_below(index, below, start)
                groups, _ = self._rollup.coarsen(finer, self._roots.levels(family, index))
                tested.append(index)
                if test(groups):
                    # Generalization property: mark all generalizations, not only the direct ones.
                    passed[upward(index)] = True
                else:
                    # Not in S_i: keep its frequency set for the generalizations of the next height.
                    failed[index] = groups
        # S_i: marked candidates, tested or not.
        return self._searched(family, graph, tested, passed)

    def _searched(self, family: Family, graph: BoolArray, tested: list[Index], passed: BoolArray) -> Searched:
        frequency: FrequencySet = self._rollup.frequency
        names = tuple(frequency.attributes[position] for position in family)
        lowest = tuple(self._lattice.lowest[position] for position in family)
        levels = (tuple(low + step for low, step in zip(lowest, index, strict=True)) for index in tested)
        return Searched(names, lowest, graph, tuple(levels), graph & passed)

    def _shape(self, family: Family) -> tuple[int, ...]:
        lattice = self._lattice
        return tuple(lattice.highest[position] - lattice.lowest[position] + 1 for position in family)


def by_height(nodes: BoolArray) -> Iterator[list[Index]]:
    """Yield the nodes of each height, from low to high, heights without a node included."""
    found = indexes(nodes)
    heights = found.sum(axis=1)
    for height in range(int(heights.min(initial=0)), int(heights.max(initial=-1)) + 1):
        yield list(map(tuple, found[heights == height].tolist()))


def smallest_below(index: Index, below: dict[Index, NodeGroups], start: NodeGroups) -> NodeGroups:
    """Return the smallest groups known one step below a node, or those to start from."""
    known = [below[lower] for lower in predecessors(index) if lower in below]
    return min([*known, start], key=lambda node: len(node.sizes))


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
        # Beyond the paper, which returns all of S_n: pick the best by the metric, from low to high.
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
                    # The bound holds for all nodes above: none of them can win.
                    open_nodes[upward(index)] = False

    def _rolled_up(self, index: Index, levels: Levels, below: dict[Index, NodeGroups]) -> NodeGroups:
        known = (below[lower] for lower in predecessors(index) if lower in below)
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
