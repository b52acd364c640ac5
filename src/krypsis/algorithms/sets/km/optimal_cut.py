"""The cut through an item tree that loses least, found by integer programming."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from krypsis.algorithms.sets.km.greedy_cut import apriori_cut, reopened
from krypsis.algorithms.sets.km.item_tree import ItemTree
from krypsis.algorithms.sets.km.published_sets import LeafSets
from krypsis.arrays import BoolArray, IntArray

KEY_SPACE = 2**62
"""Numbers of clauses stay below this."""


@dataclass(frozen=True, eq=False)
class Clauses:
    """What every cut must do so that nothing known to be rare is left.

    A set of nodes that is rare stays rare, in what lies below it, until one of its nodes becomes more general: the
    parent of one of them has to be closed. A node that is closed closes everything below it.
    """

    tree: ItemTree
    closed: BoolArray
    """Inner nodes that every cut closes."""
    sets: IntArray
    """One clause per row, ascending, filled up with -1 in front; none has a node that is closed anyway."""

    @classmethod
    def of(cls, tree: ItemTree, sets: IntArray) -> Clauses:
        """Return clauses given one per row, filled up with -1: each once, with as few nodes as possible.

        Examples
        --------
        >>> from krypsis.data.hierarchies.base import Hierarchy
        >>> tree = ItemTree.of(Hierarchy.from_rows([[item, kind, "*"] for item, kind in zip("abcd", "XXYY")]))
        >>> tree.labels
        ('*', 'X', 'a', 'b', 'Y', 'c', 'd')
        >>> Clauses.of(tree, np.array([[4, 1], [1, 4]])).sets.tolist()
        [[1, 4]]
        >>> np.flatnonzero(Clauses.of(tree, np.array([[0, 4], [1, 4]])).closed).tolist()
        [4]
        """
        sets = _lowest_only(_distinct(np.sort(sets, axis=1), len(tree)), tree)
        single = np.count_nonzero(sets >= 0, axis=1) == 1
        forced = np.zeros(len(tree), dtype=np.bool_)
        forced[sets[single].max(axis=1, initial=0)] = True
        closed = tree.closed_below(forced)
        kept = sets[~(closed[sets] & (sets >= 0)).any(axis=1)]
        return cls(tree, closed, _distinct(np.sort(kept, axis=1), len(tree)))

    def with_rare(self, rare: IntArray) -> Clauses:
        """Return the clauses with those of more rare sets, given one per row and filled up with -1."""
        parents = np.where(rare >= 0, self.tree.parent[rare], -1)
        forced = np.flatnonzero(self.closed).reshape(-1, 1)
        width = max(one.shape[1] for one in (self.sets, parents, forced))
        return Clauses.of(self.tree, np.concatenate([_wide(one, width) for one in (self.sets, parents, forced)]))


def _wide(sets: IntArray, width: int) -> IntArray:
    return np.pad(sets, ((0, 0), (width - sets.shape[1], 0)), constant_values=-1)


def _distinct(sets: IntArray, nodes: int) -> IntArray:
    """Return different rows, in ascending order."""
    radix = (nodes + 1) ** np.arange(sets.shape[1] - 1, -1, -1, dtype=object)
    if (nodes + 1) ** sets.shape[1] >= KEY_SPACE:
        return np.unique(sets, axis=0)
    _, first = np.unique((sets + 1) @ radix.astype(np.int64), return_index=True)
    return sets[first]


def _lowest_only(sets: IntArray, tree: ItemTree) -> IntArray:
    """Return ascending sets without nodes that stand above others of the same set: closing them closes those, too."""
    sets = sets.copy()
    for upper in range(sets.shape[1]):
        for lower in range(upper + 1, sets.shape[1]):
            above = (sets[:, upper] >= 0) & (sets[:, lower] <= tree.last[sets[:, upper]])
            sets[above, upper] = -1
    return sets


PER_ROUND = 20_000
"""How many rare sets become clauses between two programs."""

ROUNDS = 500
"""How many programs are solved before what is still rare is settled as the Apriori algorithm does."""

NODES = 1000
"""How far a program is branched; all that were met are solved without branching."""

SCALE = 1e6
"""The loss of closing everything, in the program: its solver takes differences below 1e-6 for nothing."""


@dataclass(frozen=True, eq=False)
class FoundCut:
    """A cut without rare sets."""

    closed: BoolArray
    cost: int
    optimal: bool
    """Whether no other cut loses less."""


def optimal_cut(leaf_sets: LeafSets, k: int, m: int) -> FoundCut:
    """Return the cut with the lowest loss among those without rare sets.

    Notes
    -----
    A cut is given by the inner nodes that it closes, with each all below it, and its loss is a sum over them. A rare
    set of nodes asks for the parent of one of its nodes to be closed. So the cheapest cut is a linear program in
    variables that are 0 or 1, with one row per rare set and one per edge of the tree. For pairs of nodes only the
    highest rare ones matter and all of them are known at once. Of larger sets those become rows that are rare at the
    cut found last, lifted as high as they stay rare; then a cheapest cut is found again, which can only lose more. Once
    nothing is rare the cut is the best there is.
    """
    # Step 1: all clauses of rare nodes and pairs.
    clauses = Clauses.of(leaf_sets.tree, leaf_sets.settled_pairs(k) if m > 1 else np.empty((0, 1), dtype=np.int64))
    exact, rounds = True, 0
    for size in range(min(m, 2), m + 1):
        while True:
            # Step 2: the cheapest cut that fulfils the clauses known so far: a lower bound of the loss.
            closed, solved = cheapest_cut(clauses, leaf_sets.closing_costs)
            exact, rounds = exact and solved, rounds + 1
            # Step 3: what is still rare at this cut becomes further clauses; none left means that the bound is reached.
            rare = leaf_sets.rare_at(closed, k, size, most=PER_ROUND)
            if not len(rare):
                break
            if rounds >= ROUNDS:
                return _settled_greedily(leaf_sets, closed, k, m)
            clauses = clauses.with_rare(leaf_sets.lifted(rare, k))
    closed = closed if exact else reopened(leaf_sets, closed, k, m)
    return FoundCut(closed, leaf_sets.cost(closed), optimal=exact)


def cheapest_cut(clauses: Clauses, costs: IntArray) -> tuple[BoolArray, bool]:
    """Return the cheapest closed nodes that make all clauses true, and whether they are proven to be the cheapest."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415  slow to import
    from scipy.sparse import coo_array  # noqa: PLC0415

    if not len(clauses.sets):
        return clauses.closed, True
    free = np.flatnonzero(clauses.tree.inner & ~clauses.closed)
    entries, rows, columns, least = _program(clauses, free)
    matrix = coo_array((entries, (rows, columns)), shape=(len(least), len(free))).tocsr()
    solution = milp(
        costs[free] * (SCALE / max(int(costs.sum()), 1)),
        constraints=LinearConstraint(matrix, least),
        bounds=Bounds(0, 1),
        integrality=np.ones(len(free), dtype=np.int64),
        options={"mip_rel_gap": 0, "node_limit": NODES},
    )
    closed = clauses.closed.copy()
    closed[free] = True if solution.x is None else solution.x > 0.5
    return closed, solution.status == 0


def _program(clauses: Clauses, free: IntArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return the entries of the program with their rows and columns, and the least value of each row."""
    parent = clauses.tree.parent
    place = np.full(len(clauses.tree) + 1, -1)
    place[free] = np.arange(len(free))
    rows, columns = np.nonzero(clauses.sets >= 0)
    below = free[place[parent[free]] >= 0]  # a closed node closes those below: below - above >= 0
    edges = len(clauses.sets) + np.arange(len(below))
    return (
        np.concatenate([np.ones(len(rows), dtype=np.int64), np.ones_like(below), -np.ones_like(below)]),
        np.concatenate([rows, edges, edges]),
        np.concatenate([place[clauses.sets[rows, columns]], place[below], place[parent[below]]]),
        np.repeat([1, 0], [len(clauses.sets), len(below)]),
    )


def _settled_greedily(leaf_sets: LeafSets, closed: BoolArray, k: int, m: int) -> FoundCut:
    settled = reopened(leaf_sets, apriori_cut(leaf_sets, k, m, closed), k, m)
    return FoundCut(settled, leaf_sets.cost(settled), optimal=False)
