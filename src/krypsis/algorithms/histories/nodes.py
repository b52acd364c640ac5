"""Numbers for the nodes of a hierarchy: level by level, so that a value that is not generalized is its code."""

from __future__ import annotations

import numpy as np

from krypsis.arrays import IntArray
from krypsis.hierarchies.base import Hierarchy


def first_nodes(hierarchy: Hierarchy) -> IntArray:
    """Return the number of the first node of each level, and the number of all nodes at the end.

    The node with the code ``c`` at level ``l`` is ``first_nodes(hierarchy)[l] + c``.

    Examples
    --------
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> first_nodes(disease).tolist()
    [0, 3, 5, 6]
    """
    return np.cumsum([0, *(len(labels) for labels in hierarchy.labels)], dtype=np.int64)


def level_and_code(hierarchy: Hierarchy, nodes: IntArray) -> tuple[IntArray, IntArray]:
    """Return the level and the code there of each node.

    Examples
    --------
    >>> disease = Hierarchy.from_rows([["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["ulcer", "stomach", "*"]])
    >>> [part.tolist() for part in level_and_code(disease, np.array([1, 4, 5]))]
    [[0, 1, 2], [1, 1, 0]]
    """
    first = first_nodes(hierarchy)
    levels = np.searchsorted(first, nodes, side="right") - 1
    return levels, nodes - first[levels]
