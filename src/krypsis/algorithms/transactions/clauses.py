"""Clauses: sets of inner nodes of an item tree of which at least one has to be closed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from krypsis.algorithms.transactions.item_tree import ItemTree
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
        >>> from krypsis.hierarchies.base import Hierarchy
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
