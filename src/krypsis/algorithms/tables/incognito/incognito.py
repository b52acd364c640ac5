"""Incognito."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import ClassVar

from pydantic import Field

from krypsis.algorithms.tables.base import Algorithm
from krypsis.algorithms.tables.incognito.subset_search import RootGroups, Searched, SubsetSearch, UpwardSearch
from krypsis.algorithms.tables.infeasible import infeasible, refuse_if_too_large, refuse_unless_monotone
from krypsis.algorithms.tables.lattice.evaluation import Judge
from krypsis.algorithms.tables.lattice.lattice import Lattice, Levels, Limits, NodeGroups, Stopped, stop_if_wanted
from krypsis.algorithms.tables.lattice.scores import Incumbent
from krypsis.data.recoding import FrequencySet, FullDomain
from krypsis.metrics.base import Metric
from krypsis.models.base import GroupModel
from krypsis.progress import NO_PROGRESS, JudgedNode, Progress, StepTable, TraceStep


@dataclass(frozen=True)
class Solutions:
    """Nodes as vectors of levels, in lexicographic order."""

    nodes: tuple[Levels, ...] = ()
    """All that keep the promises within the limits."""
    minimal: tuple[Levels, ...] = ()
    """Those of them that have no other below them."""


MOST_NODES = 100_000_000
"""Nodes over all sets of quasi-identifiers that Incognito is meant for at most; each takes a byte or two."""


class Incognito(Algorithm):
    """Finds all full-domain generalizations that keep the promises, and takes one with the lowest score.

    Notes
    -----
    Sets of quasi-identifiers are searched by size. A node over a set is a candidate only if its part over every smaller
    set kept the promises; candidates are searched breadth first, and what lies above one that keeps the promises
    is not tested. Groups are rolled up from the smallest table known one step below. The paper looks for k-anonymity;
    what it needs is that joining groups breaks no promise:

    - With nothing suppressed any monotone model will do: all groups are accepted, and so are their unions.
    - With suppression every model must be monotone with suppression: then a record that is kept stays kept, and going
      up or leaving out an attribute never suppresses more. Entropy and recursive l-diversity and t-closeness lack
      this: a group that keeps them may break them when records join that were suppressed before. Nor does it hold
      where suppressed records are kept as one group, as fewer of them may be too few.

    Otherwise it refuses. With several quasi-identifier sets a set of attributes is tested on its part of each.

    ``super_roots`` and ``cube`` change the cost and never the result. Edges need no table of their own: what passes is
    upward closed, so every edge of the candidate graph is a single step. Of the solutions, those are judged by the
    metric whose bound allows them to win; ties go to the lowest sum of levels, then to the one met first.
    ``lower_bound`` is the score itself, and the figures count candidates and tests of each iteration.

    Cost: exponential in the number of quasi-identifiers; on Adult (9 of them, 12,960 nodes, k = 5, nothing suppressed)
    3,538 of 12,172 candidates are tested.

    References
    ----------
    LeFevre, DeWitt, Ramakrishnan, "Incognito: efficient full-domain k-anonymity", SIGMOD 2005; with l-diversity as in
    Machanavajjhala et al., "l-diversity: privacy beyond k-anonymity", TKDD 1(1), 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from krypsis.data.hierarchies.base import Hierarchy
    >>> from krypsis.models.k_anonymity import KAnonymity
    >>> sex = Hierarchy.from_rows([["f", "*"], ["m", "*"]])
    >>> frequency = FrequencySet(("sex", "smokes"), (sex, Hierarchy.from_rows([["no", "*"], ["yes", "*"]])),
    ...                          np.array([[0, 0], [0, 1], [1, 0]], dtype=np.int32), np.array([1, 1, 1]))
    >>> Incognito().solutions(frequency, [KAnonymity(k=2)], Limits(suppressed=1))
    Solutions(nodes=((0, 1), (1, 0), (1, 1)), minimal=((0, 1), (1, 0)))
    """

    name: ClassVar[str] = "incognito"
    describes_steps: ClassVar[bool] = True
    scheme: ClassVar[str] = "AG_TS"
    reference: ClassVar[str] = "LeFevre et al., Incognito: efficient full-domain k-anonymity, SIGMOD 2005"

    super_roots: bool = Field(default=True, description="count the combinations of values once per set of attributes")
    cube: bool = Field(default=False, description="count every set of attributes before the search; takes memory")

    def search(
        self,
        frequency: FrequencySet,
        models: Sequence[GroupModel],
        metric: Metric,
        limits: Limits,
        progress: Progress = NO_PROGRESS,
    ) -> FullDomain:
        judge, lattice = self._prepare(frequency, models, limits)
        run = _Run(judge, lattice, metric, limits, progress)
        try:
            run.find(self._search_of(judge, lattice))
            finished = True
        except Stopped:
            finished = False
            run.settle_for_the_top()
        if run.incumbent.levels is None:
            raise infeasible(judge, lattice, limits)
        bound = run.incumbent.score[0] if finished else None
        return replace(judge.recoding(run.incumbent.levels, tuple(run.figures)), lower_bound=bound)

    def solutions(self, frequency: FrequencySet, models: Sequence[GroupModel], limits: Limits) -> Solutions:
        """Return all nodes that keep the promises within the limits, and the minimal ones; none if there is none."""
        everything = frequency.attributes
        for searched in self.iterations(frequency, models, limits):
            if searched[0].attributes == everything:
                return Solutions(searched[0].survivors, searched[0].minimal)
        return Solutions()

    def iterations(
        self, frequency: FrequencySet, models: Sequence[GroupModel], limits: Limits
    ) -> Iterator[list[Searched]]:
        """Yield what each iteration found, for every set of so many attributes; ends early if nothing survives."""
        judge, lattice = self._prepare(frequency, models, limits)

        def test(node: NodeGroups) -> bool:
            return _is_feasible(judge, node, limits)

        for searched in self._search_of(judge, lattice).iterations(test, test):
            yield list(searched.values())

    def _prepare(self, frequency: FrequencySet, models: Sequence[GroupModel], limits: Limits) -> tuple[Judge, Lattice]:
        refuse_unless_monotone(self.name, models, limits)
        lattice = Lattice.of(frequency, limits)
        nodes = prod(high - low + 2 for low, high in zip(lattice.lowest, lattice.highest, strict=True)) - 1
        refuse_if_too_large(self.name, nodes, MOST_NODES, "nodes over all sets of quasi-identifiers")
        return Judge(frequency, models, limits), lattice

    def _search_of(self, judge: Judge, lattice: Lattice) -> SubsetSearch:
        roots = RootGroups(judge.rollup, lattice, super_roots=self.super_roots, cube=self.cube)
        return SubsetSearch(judge.rollup, lattice, roots)


class _Run:
    """One search: what it has found so far, and whom it tells."""

    def __init__(self, judge: Judge, lattice: Lattice, metric: Metric, limits: Limits, progress: Progress) -> None:
        self._judge = judge
        self._lattice = lattice
        self._metric = metric
        self._limits = limits
        self._progress = progress
        self._minimal: dict[Levels, NodeGroups] = {}
        self.incumbent = Incumbent()
        self.figures: list[Mapping[str, object]] = []

    def find(self, search: SubsetSearch) -> None:
        """Find all solutions, then the best of them."""
        everything = tuple(range(len(self._lattice.lowest)))
        # Step 1: all of S_n, iteration by iteration over the size of the attribute sets.
        for searched in search.iterations(self._is_feasible, self._is_solution):
            self.figures.append(_counts(list(searched.values())))
            self._progress.step(partial(_described, list(searched.values())))
            if everything in searched:
                # Step 2: choose among the nodes of S_n by the metric; the minimal ones have been assessed on the way.
                upward = UpwardSearch(self._judge, self._metric, self._limits, self._lattice, self.incumbent)
                upward.run(searched[everything].surviving, self._minimal, self._assess)

    def settle_for_the_top(self) -> None:
        """Judge the most general node if nothing else was found: if any node is feasible, this one is."""
        if self.incumbent.levels is None:
            top, _ = self._judge.rollup.coarsen(self._judge.rollup.bottom(), self._lattice.highest)
            self._report(self._judge.assess(top, self._metric, self._limits))

    def _is_feasible(self, node: NodeGroups) -> bool:
        stop_if_wanted(self._progress)
        return _is_feasible(self._judge, node, self._limits)

    def _is_solution(self, node: NodeGroups) -> bool:
        judged = self._assess(node)
        if judged.feasible:
            self._minimal[node.levels] = node
        return judged.feasible

    def _assess(self, node: NodeGroups) -> JudgedNode:
        stop_if_wanted(self._progress)
        return self._report(self._judge.assess(node, self._metric, self._limits))

    def _report(self, judged: JudgedNode) -> JudgedNode:
        self._progress.judged(judged)
        self.incumbent.offer(judged)
        return judged


def _is_feasible(judge: Judge, node: NodeGroups, limits: Limits) -> bool:
    # k-anonymous(freq, max_suppression): at most so many records are in refused groups.
    suppressed = int(node.sizes[judge.left_out(node)].sum())
    return suppressed <= (limits.suppressed or 0) and suppressed < judge.frequency.rows


MOST_SETS = 20
"""Sets of attributes whose candidates a step shows."""


def _described(searched: list[Searched]) -> TraceStep:
    """Return an iteration: for each set of attributes its candidates, how each was found out, and the edges."""
    number = len(searched[0].attributes)
    candidates, survivors = (sum(len(getattr(one, name)) for one in searched) for name in ("candidates", "survivors"))
    tested = sum(len(one.tested) for one in searched)
    says = f"{candidates} candidates, {tested} of them tested, {survivors} survive."
    if len(searched) > MOST_SETS:
        says += f" Of {len(searched)} sets, the first {MOST_SETS} are shown."
    tables = tuple(table for one in searched[:MOST_SETS] for table in (_candidates(one), _edges(one)))
    return TraceStep(Incognito.name, f"Iteration {number}: sets of {number}", says, tables)


def _candidates(found: Searched) -> StepTable:
    survivors, tested, minimal = set(found.survivors), set(found.tested), set(found.minimal)

    def fate(node: Levels) -> str:
        kept = "survives" if node in survivors else "refused"
        return f"{kept}, tested" if node in tested else f"{kept}, marked"

    rows = ((*node, fate(node), "minimal" if node in minimal else None) for node in found.candidates)
    return StepTable.of((*found.attributes, "found", ""), rows, f"Candidates over {', '.join(found.attributes)}")


def _edges(found: Searched) -> StepTable:
    columns = (*(f"{name} from" for name in found.attributes), *(f"{name} to" for name in found.attributes))
    rows = ((*start, *end) for start, end in found.edges)
    return StepTable.of(columns, rows, f"Edges of the candidate graph over {', '.join(found.attributes)}")


def _counts(searched: list[Searched]) -> Mapping[str, object]:
    return {
        "attributes": len(searched[0].attributes),
        "candidates": sum(int(found.graph.sum()) for found in searched),
        "tested": sum(len(found.tested) for found in searched),
        "survivors": sum(int(found.surviving.sum()) for found in searched),
    }
