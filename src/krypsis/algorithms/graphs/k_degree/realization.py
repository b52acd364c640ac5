"""Graphs that have given degrees and share as many edges with the original one as can be."""

from dataclasses import dataclass

import numpy as np

from krypsis.algorithms.graphs.edited_graph import EditedGraph, edited_graph, were_adjacent
from krypsis.algorithms.graphs.k_degree.degree_sequences import LabelGroups
from krypsis.algorithms.graphs.k_degree.edge_edits import (
    DegreeClasses,
    delete_between,
    join_others,
    join_released,
    join_residuals,
    move_edges,
    part_from_others,
    split_edges,
    switch_into,
    unmet_condition,
)
from krypsis.arrays import CodeArray, IntArray
from krypsis.data.graphs import Graph


@dataclass(frozen=True, eq=False)
class Realization:
    """The edges to add and to delete, and what is left to do where that is not enough."""

    added: CodeArray
    deleted: CodeArray
    left: IntArray
    """How many edges each vertex still needs; none where the degrees are reached."""
    unmet: int = 0
    """By how much the necessary condition for a supergraph was missed, so that further vertices had to gain edges."""
    joined: int = 0
    """How many of the added edges only make up for deleted ones: degrees that are higher could do without."""

    @property
    def is_complete(self) -> bool:
        """Whether all degrees are reached."""
        return not self.left.any()


def supergraph(
    graph: Graph, targets: IntArray, groups: LabelGroups, k: int, order: IntArray, *, may_raise: bool = True
) -> Realization:
    """Add edges until the vertices have their degrees; with ``may_raise``, where that fails, give others one more.

    ``order`` are all vertices in the order in which equals are served.
    """
    need = targets - graph.degrees
    edited = edited_graph(graph.starts, graph.neighbors, 3 * int(need.sum()))
    chosen = order[need[order] > 0]
    largest_first = chosen[np.argsort(-need[chosen], kind="stable")]
    # Step 1: the necessary condition. Where it is missed, no switch can help all.
    unmet = unmet_condition(graph.starts, graph.neighbors, need, largest_first)
    # Step 2: ConstructGraph with forbidden pairs.
    join_residuals(edited, need, chosen)
    # Step 3: whoever is left takes over the ends of edges that were added.
    if need.any():
        switch_into(edited, need, chosen[need[chosen] > 0])
    # Step 4: vertices of large classes move up by one.
    if need.any() and may_raise:
        join_others(edited, need, chosen[need[chosen] > 0], degree_classes(targets, groups, k), order)
    return _realized(edited, need, unmet=unmet)


def nearest_graph(graph: Graph, targets: IntArray, groups: LabelGroups, k: int, order: IntArray) -> Realization:
    """Add, delete and move edges until the vertices have their degrees; where that fails, others gain or lose one."""
    need = targets - graph.degrees
    edited = edited_graph(graph.starts, graph.neighbors, 4 * int(np.abs(need).sum()))
    classes = degree_classes(targets, groups, k)
    # Step 1: one deletion serves two vertices that have too many edges, one addition two that have too few.
    delete_between(edited, need, _neediest(-need, order))
    lack = order[need[order] > 0]
    positive = np.maximum(need, 0)
    join_residuals(edited, positive, lack)
    need[lack] = positive[lack]
    # Step 2: edges move from vertices with too many to vertices with too few; their other ends keep their degrees.
    move_edges(edited, need, _neediest(-need, order), _neediest(need, order))
    # Step 3: too many are left. Two deletions release two ends, which are joined while fewer edges are added than
    # deleted; others may have one less.
    joined = 0
    if len(excess := _neediest(-need, order)):
        so_far = _realized(edited, need)
        spare = len(so_far.deleted) - len(so_far.added) - int(need[excess].sum())
        joined = join_released(edited, need, excess, spare)
        part_from_others(edited, need, excess, classes)
        joined += join_released(edited, need, excess, len(order))
    # Step 4: too few are left. Others may have one more; else an edge is replaced by two.
    if len(lack := _neediest(need, order)):
        join_others(edited, need, lack, classes, order)
        split_edges(edited, need, lack, order)
    return _realized(edited, need, joined=joined)


def degree_classes(degrees: IntArray, groups: LabelGroups, k: int) -> DegreeClasses:
    """Count the vertices of each label group and degree."""
    # Each group has a class for every degree up to its largest, and an empty one at the end.
    widths = np.array([degrees[members].max() + 2 for members in groups.members], dtype=np.int64)
    cells = (np.cumsum(widths) - widths)[groups.number] + degrees
    return DegreeClasses(cells, np.bincount(cells, minlength=int(widths.sum())).astype(np.int64), k)


def _neediest(need: IntArray, order: IntArray) -> IntArray:
    chosen = order[need[order] > 0]
    return chosen[np.argsort(-need[chosen], kind="stable")]


def _realized(edited: EditedGraph, left: IntArray, unmet: int = 0, joined: int = 0) -> Realization:
    n = len(edited.starts) - 1
    keys = np.sort(edited.keys[edited.toggled])
    pairs = np.stack([keys // n, keys % n], axis=1).astype(np.int32)
    was_edge = were_adjacent(edited.starts, edited.neighbors, pairs)
    return Realization(pairs[~was_edge], pairs[was_edge], left, unmet, joined)
