"""Sub-trees: the smallest parts of the sensitive attribute's hierarchy whose records can form groups by themselves."""

from __future__ import annotations

import numpy as np

from krypsis.algorithms.histories.families import Families
from krypsis.algorithms.histories.nodes import first_nodes
from krypsis.arrays import BoolArray, IntArray


def subtrees(families: Families, counts: IntArray, m: int) -> IntArray:
    """Return for each family the node of the hierarchy whose records form groups with its own.

    The parts are as small as they can be: a node is cut into its children if the records below each of them, where
    there are any, are eligible by themselves. The sensitive values of a group are then as closely related as they may
    be, which tells more of the original table. Families without records go wherever their neighbors go.

    Notes
    -----
    It is printed as a search from the leaves up that, when it takes a node, drops the node's *children* from what it
    took before; parts deeper below would stay and overlap. All *descendants* are meant. Walking down from the top finds
    the same parts, level by level and without a list.

    Parameters
    ----------
    counts
        the records of each family, eligible as a whole.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from krypsis.algorithms.histories.families import families_of
    >>> from krypsis.hierarchies.base import Hierarchy
    >>> tree = Hierarchy.from_rows([["a1", "A", "*"], ["a2", "A", "*"], ["b1", "B", "*"], ["b2", "B", "*"]])
    >>> families = families_of(tree, Fraction(2))
    >>> subtrees(families, np.array([3, 3, 1, 1]), 2).tolist(), subtrees(families, np.array([3, 2, 1, 1]), 2).tolist()
    ([4, 4, 5, 5], [6, 6, 6, 6])
    """
    ancestors = _ancestors(families)
    parts: IntArray = ancestors[-1]
    settled = np.zeros(len(families), dtype=np.bool_)
    for children in ancestors[-2::-1]:
        refused = counts > 0
        refused &= ~_eligible(children, counts, m)
        settled |= np.isin(parts, parts[refused])
        parts = np.where(settled, parts, children)
    return parts


def _ancestors(families: Families) -> IntArray:
    """Return ``[level, family]``: the node above a family, the family itself at and below its own level."""
    table, first = families.taxonomy.table, first_nodes(families.taxonomy)
    example = np.zeros(len(families), dtype=np.int64)
    example[families.of_value] = np.arange(len(families.of_value))
    above: IntArray = np.maximum(first[:-1, None] + table[:, example], families.nodes)
    return above


def _eligible(nodes: IntArray, counts: IntArray, m: int) -> BoolArray:
    """Say for each family whether the records below its node can form groups."""
    _, numbers = np.unique(nodes, return_inverse=True)
    total = np.bincount(numbers, counts).astype(np.int64)
    most = np.zeros_like(total)
    np.maximum.at(most, numbers, counts)
    found: BoolArray = (most * m <= total)[numbers]
    return found
