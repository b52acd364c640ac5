"""A hierarchy as a tree, the form in which people change it, and the changes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.errors import HierarchyError

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
    children: "tuple[Node, ...]" = ()

    @property
    def is_group(self) -> bool:
        """Whether there are nodes below."""
        return bool(self.children)

    @property
    def leaves(self) -> int:
        """How many values lie below; a value is one itself."""
        return sum(child.leaves for child in self.children) or 1

    def walk(self, above: Path = ()) -> "Iterator[tuple[Path, Node]]":
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


def grouped(root: Node, chosen: Iterable[Path], label: str) -> Node:
    """Return the tree with the chosen nodes in a group of their own, below what they had in common.

    A group of that name that is there already takes them in.

    Examples
    --------
    >>> tree = Node("*", (Node("flu"), Node("cold"), Node("hiv")))
    >>> [child.label for child in grouped(tree, [("*", "flu"), ("*", "cold")], "lung").children]
    ['lung', 'hiv']
    """
    paths = _outermost(root, chosen)
    nodes = tuple(_node(root, path) for path in paths)
    return _checked(_rebuilt(root, paths, _common(paths), [Node(_label(label), nodes)], in_front=True))


def moved(root: Node, chosen: Iterable[Path], target: Path) -> Node:
    """Return the tree with the chosen nodes below another group.

    Examples
    --------
    >>> tree = Node("*", (Node("lung", (Node("flu"), Node("cold"))), Node("asthma")))
    >>> moved(tree, [("*", "asthma")], ("*", "lung")).children[0].leaves
    3
    """
    paths = _outermost(root, chosen)
    if not _node(root, target).is_group:
        raise HierarchyError(f"{target[-1]!r} is a value and takes no other in; choose a group, or make a new one")
    if any(target[: len(path)] == path for path in paths):
        raise HierarchyError(f"{target[-1]!r} cannot become a part of itself; choose another group")
    arriving = [_node(root, path) for path in paths if path[:-1] != target]
    staying = [path for path in paths if path[:-1] != target]
    return _checked(_rebuilt(root, staying, target, arriving))


def renamed(root: Node, path: Path, label: str) -> Node:
    """Return the tree with another name of a group.

    Examples
    --------
    >>> renamed(Node("*", (Node("flu"),)), ("*",), "any").label
    'any'
    """
    group = _group(root, path)
    if len(path) == 1:
        return _checked(replace(root, label=_label(label)))
    return _checked(_exchanged(root, path, [replace(group, label=_label(label))]))


def dissolved(root: Node, path: Path) -> Node:
    """Return the tree without a group; what was in it is below what the group was below.

    Examples
    --------
    >>> tree = Node("*", (Node("lung", (Node("flu"), Node("cold"))), Node("hiv")))
    >>> [child.label for child in dissolved(tree, ("*", "lung")).children]
    ['flu', 'cold', 'hiv']
    """
    if len(path) == 1:
        raise HierarchyError(f"{root.label!r} is the top, in which all values end; choose a group below it")
    return _checked(_exchanged(root, path, _group(root, path).children))


def _rebuilt(
    root: Node, gone: Sequence[Path], target: Path, arriving: Sequence[Node], *, in_front: bool = False
) -> Node:
    """Return the tree without some nodes and with others below the target."""

    def rebuilt(node: Node, path: Path) -> Node | None:
        below = [(child, (*path, child.label)) for child in node.children]
        found = [rebuilt(child, place) for child, place in below if place not in gone]
        children = [child for child in found if child is not None]
        if path == target:
            children = [*arriving, *children] if in_front else [*children, *arriving]
        return replace(node, children=tuple(children)) if children or not node.is_group else None

    return rebuilt(root, (root.label,)) or root


def _exchanged(node: Node, path: Path, others: Sequence[Node]) -> Node:
    """Return the tree with other nodes in the place of one."""
    below = path[1:]
    children: list[Node] = []
    for child in node.children:
        if child.label != below[0]:
            children.append(child)
        else:
            children += others if len(below) == 1 else [_exchanged(child, below, others)]
    return replace(node, children=tuple(children))


def _outermost(root: Node, chosen: Iterable[Path]) -> list[Path]:
    """Return the chosen nodes that lie in no other chosen one, after making sure that they can go elsewhere."""
    paths = list(dict.fromkeys(chosen))
    if not paths:
        raise HierarchyError("nothing is chosen; choose the values or groups first")
    for path in paths:
        if _node(root, path) is root:
            raise HierarchyError(f"{root.label!r} is the top, in which all values end; choose something below it")
        if path[-1] is None:
            raise HierarchyError("the missing value stays by itself until the top; choose other values")
    return [path for path in paths if not any(path[:end] in paths for end in range(1, len(path)))]


def _common(paths: Sequence[Path]) -> Path:
    """Return the lowest group that holds all nodes."""
    homes = [path[:-1] for path in paths]
    shared = 0
    while all(len(home) > shared and home[: shared + 1] == homes[0][: shared + 1] for home in homes):
        shared += 1
    return homes[0][:shared]


def _node(root: Node, path: Path) -> Node:
    node: Node | None = root if path[:1] == (root.label,) else None
    for label in path[1:]:
        node = next((child for child in (node.children if node else ()) if child.label == label), None)
    if node is None:
        raise HierarchyError(f"there is no {path[-1] if path else ''!r} in the tree; it has changed meanwhile")
    return node


def _group(root: Node, path: Path) -> Node:
    node = _node(root, path)
    if not node.is_group:
        raise HierarchyError(f"{path[-1]!r} is a value of the data and stays what it is; choose a group")
    return node


def _label(text: str) -> str:
    label = text.strip()
    if not label:
        raise HierarchyError("a group needs a name; write one, such as 'other'")
    return label


def _checked(root: Node) -> Node:
    """Return the tree as it is read back from a hierarchy: what has one name in one place is one node."""
    return tree_of(hierarchy_of(root, "the tree"))


EXAMPLES = 4


@dataclass(frozen=True)
class LevelEffect:
    """A column at one level of its hierarchy."""

    level: int
    distinct: int
    """How many different values are left."""
    smallest: int
    """How many records share the rarest of them."""
    alone: int
    """How many records have a value that no other record has."""
    examples: tuple[Label, ...]
    """The most frequent ones."""


def effects(hierarchy: Hierarchy, counts: Mapping[Label, int]) -> tuple[LevelEffect, ...]:
    """Return what is left of a column at each level.

    Parameters
    ----------
    hierarchy
        of the column; it holds all its values, and may hold more.
    counts
        how many records have each value.

    Examples
    --------
    >>> age = Hierarchy.from_rows([["31", "[30-35)", "*"], ["33", "[30-35)", "*"], ["38", "[35-40)", "*"]])
    >>> [(one.distinct, one.smallest, one.alone) for one in effects(age, {"31": 1, "33": 1, "38": 4})]
    [(3, 1, 2), (2, 2, 0), (1, 6, 0)]
    """
    codes = np.array([hierarchy.code_of[value] for value in counts], dtype=np.int64)
    weights = np.fromiter(counts.values(), dtype=np.int64, count=len(counts))
    return tuple(_effect(hierarchy, level, codes, weights) for level in range(hierarchy.height + 1))


def _effect(
    hierarchy: Hierarchy, level: int, codes: np.ndarray[tuple[int], np.dtype[np.int64]], weights: np.ndarray
) -> LevelEffect:
    labels = hierarchy.labels[level]
    # Counts of records stay exact as floating point numbers far beyond any table.
    records = np.bincount(hierarchy.table[level, codes], weights, minlength=len(labels)).astype(np.int64)
    there = np.flatnonzero(records)
    frequent = there[np.argsort(-records[there], kind="stable")][:EXAMPLES]
    return LevelEffect(
        level=level,
        distinct=len(there),
        smallest=int(records[there].min(initial=int(weights.sum()))),
        alone=int((records == 1).sum()),
        examples=tuple(labels[code] for code in frequent.tolist()),
    )
