"""Nodes of the lattice as the steps of an algorithm show them."""

from collections.abc import Iterable, Iterator, Sequence

from krypsis.algorithms.tables.lattice.lattice import Levels, NodeGroups
from krypsis.data.recoding import FrequencySet
from krypsis.progress import JudgedNode, StepTable


def groups_table(frequency: FrequencySet, node: NodeGroups) -> StepTable:
    """Return the groups at a node as they would be published, with the number ``s`` of records of each."""
    return StepTable.of((*frequency.attributes, "s"), _labeled(frequency, node), total=len(node.sizes))


def _labeled(frequency: FrequencySet, node: NodeGroups) -> Iterator[tuple[object, ...]]:
    for tuple_, size in zip(node.tuples, node.sizes.tolist(), strict=True):
        labels = (
            hierarchy.labels[level][int(hierarchy.table[level, code])]
            for hierarchy, level, code in zip(frequency.hierarchies, node.levels, frequency.codes[tuple_], strict=True)
        )
        yield (*("(missing)" if label is None else label for label in labels), size)


def nodes_table(attributes: Sequence[str], nodes: Iterable[Levels], title: str) -> StepTable:
    """Return nodes by the level of each attribute."""
    return StepTable.of(attributes, nodes, title)


def judged_table(attributes: Sequence[str], nodes: Iterable[JudgedNode], title: str) -> StepTable:
    """Return nodes that were judged: the level of each attribute, the height, and what was found out."""
    columns = (*attributes, "height", "suppressed", "keeps the promises", "loss")
    rows = (
        (*node.levels, sum(node.levels), node.suppressed, "yes" if node.feasible else "no", node.score)
        for node in nodes
    )
    return StepTable.of(columns, rows, title)
