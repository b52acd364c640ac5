"""A walk over nodes of the lattice in which each is rolled up from a node met shortly before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krypsis.algorithms.tables.lattice.rollup import Levels, NodeGroups, Rollup


def walk(rollup: Rollup, nodes: Iterable[Levels]) -> Iterator[NodeGroups]:
    """Yield the groups of each node.

    The nodes are taken in lexical order, attributes with most values first. Then the node before, or one of its
    ancestors, lies below the next one: over a whole lattice each node comes from a direct predecessor, one that
    differs in an attribute with few values and so has merged most of the groups already.

    Memory: the groups of one node per attribute, and those of the bottom.
    """
    order = _most_values_first(rollup)
    path = [rollup.bottom()]
    for levels in sorted(nodes, key=lambda levels: [levels[position] for position in order]):
        while not _lies_below(path[-1].levels, levels):
            path.pop()
        node, _ = rollup.coarsen(path[-1], levels)
        if _is_passed(path[-1].levels, levels, len(path)):
            path.pop()
        path.append(node)
        yield node


def _most_values_first(rollup: Rollup) -> list[int]:
    hierarchies = rollup.frequency.hierarchies
    return sorted(range(len(hierarchies)), key=lambda position: -len(hierarchies[position].values))


def _lies_below(finer: Levels, coarser: Levels) -> bool:
    return all(low <= high for low, high in zip(finer, coarser, strict=True))


def _is_passed(before: Levels, after: Levels, length: int) -> bool:
    """Say whether a node need not be kept: the next one differs in a single attribute that was raised before."""
    raised = [low for low, high in zip(before, after, strict=True) if low != high]
    return length > 1 and len(raised) == 1 and raised[0] > 0
