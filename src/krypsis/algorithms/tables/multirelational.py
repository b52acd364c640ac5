"""Levels for the quasi-identifiers of several tables."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from typing import ClassVar

import numpy as np
from pydantic import Field

from krypsis.algorithms.tables.base import Method
from krypsis.algorithms.tables.lattice.lattice import Lattice, Limits, SearchBudget
from krypsis.arrays import BoolArray, CodeArray, FloatArray, IntArray
from krypsis.data.recoding import FullDomain
from krypsis.data.relations import Relations, SubjectRows
from krypsis.errors import Infeasible, SearchWarning
from krypsis.kernels.rows import number, number_rows
from krypsis.metrics.cells import CellMetric
from krypsis.models.multirelational_k_anonymity import MultirelationalKAnonymity
from krypsis.progress import NO_PROGRESS, JudgedNode, Progress


class Costs:
    """The score of levels with some subjects suppressed, by a metric that charges each cell for itself."""

    def __init__(self, relations: Relations, counts: IntArray, metric: CellMetric) -> None:
        self._relations, self._metric = relations, metric
        self._row_counts = [counts[table.subjects] for table in relations.tables]
        self._penalties = [self._by_level(position) for position in range(len(relations.attributes))]

    def score(self, levels: Sequence[int], suppressed: BoolArray) -> float:
        """Return the score when the subjects that are suppressed lose all their rows."""
        means = np.zeros(len(self._relations.attributes))
        for table, weights in zip(self._relations.tables, self._row_counts, strict=True):
            gone = suppressed[table.subjects]
            for place, attribute in enumerate(table.attributes):
                cost = self._penalties[attribute][levels[attribute]][table.codes[:, place]]
                cost = np.where(gone, cost + self._metric.suppression * (1 - cost), cost)
                means[attribute] = cost @ weights / weights.sum()
        return float(self._metric.combine(means, self._relations.attribute_weights))

    def _by_level(self, position: int) -> list[FloatArray]:
        """Return the penalty of each value at each level."""
        hierarchy = self._relations.hierarchies[position]
        return [
            self._metric.generalization
            * self._metric.penalty(
                leaves, len(hierarchy.values), np.full(len(leaves), level / max(hierarchy.height, 1))
            )
            for level, leaves in enumerate(hierarchy.leaves)
        ]


def number_views(relations: Relations, levels: Sequence[int]) -> CodeArray:
    """Return a number for each subject: the same where the quasi-identifiers of their rows are, in every table.

    Exact: per table, the rows of a subject are sorted and read one after the other; subjects with as many rows that
    agreed so far stay together while their next rows agree.
    """
    columns: list[CodeArray] = []
    for table in relations.tables:
        sizes = np.bincount(table.subjects, minlength=relations.subjects).astype(np.int32)
        columns += [sizes, _contents(table, sizes, _classes(table, relations, levels))]
    radices = [int(column.max(initial=0)) + 1 for column in columns]
    return number_rows(columns, radices, relations.subjects)[0]


def _classes(table: SubjectRows, relations: Relations, levels: Sequence[int]) -> CodeArray:
    """Return a number for each row of a table, the same for rows that look alike."""
    columns, radices = [], []
    for place, attribute in enumerate(table.attributes):
        hierarchy, level = relations.hierarchies[attribute], levels[attribute]
        columns.append(hierarchy.table[level][table.codes[:, place]])
        radices.append(len(hierarchy.labels[level]))
    return number_rows(columns, radices, len(table.subjects))[0]


def _contents(table: SubjectRows, sizes: CodeArray, classes: CodeArray) -> CodeArray:
    """Return a number for the rows of each subject; it compares only subjects with as many rows."""
    width = int(classes.max(initial=0)) + 1
    ordered = np.sort(table.subjects * np.int64(width) + classes) % width
    starts = np.cumsum(sizes) - sizes
    found = np.zeros(len(sizes), dtype=np.int64)
    active = np.flatnonzero(sizes)
    for row in range(int(sizes.max(initial=0))):
        active = active[sizes[active] > row]
        found[active] = number(found[active] * width + ordered[starts[active] + row])[0]
    return found.astype(np.int32)


def one_per_view(relations: Relations, views: CodeArray) -> tuple[Relations, IntArray]:
    """Return the relations of one subject of each view, and how many subjects it stands for."""
    counts = np.bincount(views).astype(np.int64)
    chosen = np.zeros(relations.subjects, dtype=np.bool_)
    chosen[np.unique(views, return_index=True)[1]] = True
    tables = tuple(_only(table, chosen, views) for table in relations.tables)
    return replace(relations, tables=tables, subjects=len(counts)), counts


def _only(table: SubjectRows, chosen: BoolArray, views: CodeArray) -> SubjectRows:
    kept = chosen[table.subjects]
    return SubjectRows(views[table.subjects[kept]].astype(np.int64), table.attributes, table.codes[kept])


Levels = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _Node:
    levels: Levels
    score: float
    suppressed: BoolArray
    """Per kind of subject, those that were alike from the start."""
    subjects: int
    smallest: int


class Multirelational(Method):
    """Finds the levels of all tables with the lowest loss under which every view is shared by enough subjects.

    Notes
    -----
    Every quasi-identifier of every table has a level of its own; subjects whose view is too rare are suppressed with
    all their rows. Views that are alike stay alike at higher levels, so a node cannot cost less than its cells without
    any suppression but that of the highest levels; nodes are judged in the order of this bound, until it reaches the
    best score found. The result is the optimum unless the time is up.

    References
    ----------
    Nergiz, Clifton, Nergiz, "Multirelational k-anonymity", ICDE 2007, for what is promised; the search is best first.
    """

    name: ClassVar[str] = "multirelational"
    kind: ClassVar[str] = "tables"
    scheme: ClassVar[str] = "AG_TS"
    family: ClassVar[str] = "linked"
    reference: ClassVar[str] = "Nergiz, Clifton, Nergiz, Multirelational k-anonymity, ICDE 2007"

    seconds: float = Field(default=60, gt=0, description="how long to search before the best found so far is taken")

    def search(
        self,
        relations: Relations,
        models: Sequence[MultirelationalKAnonymity],
        metric: CellMetric,
        limits: Limits,
        progress: Progress = NO_PROGRESS,
    ) -> FullDomain:
        """Return the levels, and which subjects are suppressed.

        Raises
        ------
        Infeasible
            if even the highest levels leave too many subjects with a view of their own.
        """
        lattice = Lattice(limits.lowest or (0,) * len(relations.heights), limits.highest or relations.heights)
        # view(o) = the multiset of quasi-identifier tuples of subject o, in every table.
        views = number_views(relations, lattice.lowest)
        # Subjects with equal views stay alike at all higher levels, so one of each kind is enough.
        kinds, counts = one_per_view(relations, views)
        judge = _Judge(kinds, counts, max(model.k for model in models), Costs(kinds, counts, metric))
        highest = judge.node(lattice.highest)
        if not judge.is_feasible(highest, limits):
            raise _infeasible(highest, models, limits, relations.subjects)
        best, bound = _best_first(judge, lattice, limits, highest, SearchBudget(progress, self.seconds))
        return FullDomain(best.levels, best.suppressed[views], lower_bound=bound)

    @staticmethod
    def score(relations: Relations, recoding: FullDomain, metric: CellMetric) -> float:
        """Return what a recoding costs."""
        each = np.ones(relations.subjects, dtype=np.int64)
        return Costs(relations, each, metric).score(recoding.levels, recoding.suppressed)


class _Judge:
    def __init__(self, kinds: Relations, counts: IntArray, k: int, costs: Costs) -> None:
        self.kinds, self.counts, self.k, self.costs = kinds, counts, k, costs

    def node(self, levels: Levels) -> _Node:
        views = number_views(self.kinds, levels)
        shared = np.bincount(views, self.counts).astype(np.int64)
        # Promised: every distinct view is shared by at least k subjects, not rows.
        suppressed = (shared < self.k)[views]
        gone = int(self.counts[suppressed].sum())
        return _Node(levels, self.costs.score(levels, suppressed), suppressed, gone, int(shared.min()))

    def is_feasible(self, node: _Node, limits: Limits) -> bool:
        return node.subjects <= (limits.suppressed or 0) and node.subjects < self.counts.sum()


def _best_first(
    judge: _Judge, lattice: Lattice, limits: Limits, highest: _Node, budget: SearchBudget
) -> tuple[_Node, float]:
    """Return the best node, and a score that no node can beat."""

    def bound(levels: Levels) -> float:
        return judge.costs.score(levels, highest.suppressed)

    best, open_nodes, seen = highest, [(bound(lattice.lowest), lattice.lowest)], {lattice.lowest}
    while open_nodes and open_nodes[0][0] < best.score:
        if budget.is_spent():
            warnings.warn(
                f"the search ended after {budget.judged} of {lattice.size} nodes; the result keeps its promises, but a "
                "better one may exist: choose 'multirelational:seconds=600' to search longer",
                SearchWarning,
                stacklevel=6,
            )
            return best, open_nodes[0][0]
        node = judge.node(heappop(open_nodes)[1])
        feasible = judge.is_feasible(node, limits)
        budget.spend(JudgedNode(node.levels, feasible, node.score if feasible else None, node.subjects, 0))
        best = node if feasible and (node.score, node.levels) < (best.score, best.levels) else best
        if not feasible or node.subjects > highest.subjects:  # else nothing above costs less
            for above in lattice.successors(node.levels):
                if above not in seen:
                    seen.add(above)
                    heappush(open_nodes, (bound(above), above))
    return best, best.score


def _infeasible(
    highest: _Node, models: Sequence[MultirelationalKAnonymity], limits: Limits, subjects: int
) -> Infeasible:
    promises = " and ".join(model.spec for model in models)
    allowed = f"{limits.suppressed or 0} of {subjects} subjects suppressed"
    advice = (
        "no number of suppressed subjects is enough; promise a smaller k"
        if highest.subjects == subjects
        else f"{highest.subjects} suppressed subjects would be enough; allow them with suppression={highest.subjects}"
    )
    return Infeasible(
        f"no levels keep {promises} with {allowed}: at the most general levels, the rarest view has {highest.smallest} "
        f"subject(s). How many rows somebody has in each table is part of the view and is not generalized. {advice}",
        {"suppression": highest.subjects, "achievable": highest.smallest, "rows": subjects},
    )
