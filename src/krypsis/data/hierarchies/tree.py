"""A hierarchy as a tree, the form in which people change it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from krypsis.data.hierarchies.base import Hierarchy, Label

Path = tuple[Label, ...]
"""The labels from the root down to a node; no two nodes have the same."""


@dataclass(frozen=True)
class Node:
    """A value of the data, or a group of values with its children.

    Examples
    --------
    >>> Node("*", (Node("flu"), Node("cold"))).leaves
    2
    """

    label: Label
    children: tuple[Node, ...] = ()

    @property
    def is_group(self) -> bool:
        """Whether there are nodes below."""
        return bool(self.children)

    @property
    def leaves(self) -> int:
        """How many values lie below; a value is one itself."""
        return sum(child.leaves for child in self.children) or 1

    def walk(self, above: Path = ()) -> Iterator[tuple[Path, Node]]:
        """Yield every node with its path, parents before their children."""
        path = (*above, self.label)
        yield path, self
        for child in self.children:
            yield from child.walk(path)


def tree_of(hierarchy: Hierarchy) -> Node:
    """Return a hierarchy as a tree; a value that stays itself for some levels is one node.

    Examples
    --------
    >>> tree = tree_of(Hierarchy.from_rows([["flu", "lung", "*"], ["cold", "lung", "*"], ["hiv", "hiv", "*"]]))
    >>> [(child.label, child.leaves) for child in tree.children]
    [('lung', 2), ('hiv', 1)]
    """
    nodes = [Node(value) for value in hierarchy.values]
    for level in range(1, hierarchy.height + 1):
        children: list[list[Node]] = [[] for _ in hierarchy.labels[level]]
        below, first = np.unique(hierarchy.table[level - 1], return_index=True)
        for code, value in zip(below.tolist(), first.tolist(), strict=True):
            children[hierarchy.table[level, value]].append(nodes[code])
        nodes = [_joined(label, found) for label, found in zip(hierarchy.labels[level], children, strict=True)]
    return nodes[0]


def _joined(label: Label, children: list[Node]) -> Node:
    is_repeated = len(children) == 1 and not children[0].is_group and children[0].label == label
    return children[0] if is_repeated else Node(label, tuple(children))


def hierarchy_of(root: Node, name: str = "hierarchy") -> Hierarchy:
    """Return a tree as a hierarchy; a value that lies less deep than others stays itself until it meets its parent.

    Raises
    ------
    HierarchyError
        if a value stands twice, or if nodes of one name would have to be the same and are not.

    Examples
    --------
    >>> hierarchy_of(Node("*", (Node("lung", (Node("flu"), Node("cold"))), Node("hiv")))).rows()
    [['flu', 'lung', '*'], ['cold', 'lung', '*'], ['hiv', 'hiv', '*']]
    """
    paths = [path for path, node in root.walk() if not node.is_group]
    depth = max(map(len, paths))
    return Hierarchy.from_rows([(path[-1],) * (depth - len(path)) + path[::-1] for path in paths], name)
