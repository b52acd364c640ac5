"""Samarati's binary search."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import ClassVar, Literal, Protocol

import numpy as np
import numpy.typing as npt
from pydantic import Field

from krypsis.algorithms.tables.base import Algorithm
from krypsis.algorithms.tables.infeasible import infeasible, refuse_if_too_large, refuse_unless_monotone
from krypsis.algorithms.tables.lattice.evaluation import Judge
from krypsis.algorithms.tables.lattice.lattice import (
    Lattice,
    Levels,
    Limits,
    NodeGroups,
    Rollup,
    Stopped,
    stop_if_wanted,
)
from krypsis.algorithms.tables.lattice.scores import Incumbent
from krypsis.algorithms.tables.lattice.steps import judged_table
from krypsis.arrays import BoolArray
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import FrequencySet, FullDomain
from krypsis.errors import UsageError
from krypsis.kernels.rows import merge
from krypsis.metrics.base import Metric
from krypsis.models.base import GroupModel
from krypsis.progress import NO_PROGRESS, JudgedNode, Progress, TraceStep

MOST_TUPLES = 2000
"""The matrix has a vector for every pair of tuples; with more of them it would not fit."""


class DistanceVectors:
    """For every two tuples and every attribute, the level at which they become alike.

    A node makes two tuples alike if and only if none of these levels lies above the node's.

    Examples
    --------
    >>> zips = Hierarchy.from_rows([["94138", "9413*", "*"], ["94139", "9413*", "*"], ["94141", "9414*", "*"]])
    >>> frequency = FrequencySet(("zip",), (zips,), np.array([[0], [1], [2]], dtype=np.int32), np.array([1, 3, 2]))
    >>> vectors = DistanceVectors(frequency)
    >>> vectors.matrix[:, :, 0].tolist()
    [[0, 1, 2], [1, 0, 2], [2, 2, 0]]
    >>> vectors.groups((1,)).sizes.tolist()
    [4, 2]
    """

    def __init__(self, frequency: FrequencySet) -> None:
        tuples = len(frequency.counts)
        if tuples > MOST_TUPLES:
            raise UsageError(
                f"the method 'distance-vectors' compares every two combinations of values and is meant for up to "
                f"{MOST_TUPLES:,} of them; here are {tuples:,}. Use the method 'frequency': it finds the same"
            )
        self._frequency = frequency
        self.matrix: npt.NDArray[np.int16] = np.stack(
            [_level_distances(*pair) for pair in zip(frequency.hierarchies, frequency.codes.T, strict=True)], axis=2
        )

    def groups(self, levels: Levels) -> NodeGroups:
        """Return the groups at a node."""
        # A node d merges tuples x and y if and only if V[x, y] <= d in every component.
        alike: BoolArray = np.all(self.matrix <= np.array(levels), axis=2)
        # Every tuple goes by the first one that it is like.
        first, numbers = np.unique(alike.argmax(axis=1), return_inverse=True)
        sizes = (alike[first] @ self._frequency.counts).astype(np.int64)
        sensitive = {
            name: merge(histogram, numbers.astype(np.int32)) for name, histogram in self._frequency.sensitive.items()
        }
        return NodeGroups(levels, first.astype(np.int64), sizes, sensitive)


def _level_distances(hierarchy: Hierarchy, codes: npt.NDArray[np.int32]) -> npt.NDArray[np.int16]:
    # Values that are alike at a level are alike at all above it, so counting where they differ finds the level.
    distances = np.zeros((len(codes), len(codes)), dtype=np.int16)
    for level in hierarchy.table:
        distances += level[codes][:, None] != level[codes]
    return distances


MOST_NODES = 10_000_000
"""The lattice that the search is meant for at most: it goes through all nodes of a height."""


class Samarati(Algorithm):
    """The fewest steps of generalization, over all attributes together, that keep the promises within the limits.

    Notes
    -----
    The height of a node is the sum of its levels. If no node of a height keeps the promises, none below does; so the
    lowest height that has one is found by binary search. All solutions of that height are found; they are k-minimal,
    because anything below them would have a lower height. The chosen metric is the preference among them; ties go to
    the first in lexicographic order of levels. The figures of the recoding list all of them. There may be k-minimal
    nodes of greater heights; algorithm ``incognito`` finds those too.

    At most as many records are suppressed as the limit says, the limit included (``MaxSup``; the lecture notes print
    "fewer", against the definition and their own example), none unless given. The search needs that going up never
    suppresses more: see ``refusals.py`` for when that is so; otherwise it refuses.

    The method ``frequency`` rolls up the groups of a node from those of a node below; ``distance-vectors`` is the
    method of the paper, a matrix with a vector for every two combinations of values, for small tables. Both find the
    same.

    References
    ----------
    Samarati, "Protecting respondents' identities in microdata release", TKDE 13(6), 2001, section 4.

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> ages = pl.DataFrame({"age": ["31", "34", "47", "48"]})
    >>> krypsis.anonymize(ages, {"age": "quasi-identifier"}, models=["k-anonymity:k=2"],
    ...                   hierarchies={"age": {"kind": "intervals", "width": 5}}, algorithm="samarati").levels
    {'age': 1}
    """

    name: ClassVar[str] = "samarati"
    describes_steps: ClassVar[bool] = True
    scheme: ClassVar[str] = "AG_TS"
    reference: ClassVar[str] = "Samarati, Protecting respondents' identities in microdata release, TKDE 13(6), 2001"

    method: Literal["frequency", "distance-vectors"] = Field(
        default="frequency",
        description="how groups are counted: by roll-up, or for small tables by the matrix of distance vectors",
    )

    def search(
        self,
        frequency: FrequencySet,
        models: Sequence[GroupModel],
        metric: Metric,
        limits: Limits,
        progress: Progress = NO_PROGRESS,
    ) -> FullDomain:
        refuse_unless_monotone(self.name, models, limits)
        lattice = Lattice.of(frequency, limits)
        refuse_if_too_large(self.name, lattice.size, MOST_NODES, "nodes of the lattice")
        judge = Judge(frequency, models, limits)
        counts = _RolledUp(judge.rollup, lattice) if self.method == "frequency" else DistanceVectors(frequency)
        search = _Search(judge, metric, limits, lattice, counts, progress)
        # Steps 1-3: binary search for the lowest height with a solution, then all solutions of that height.
        solutions = search.solutions()
        preferred = Incumbent()
        for solution in solutions:
            # Step 4: choose among the k-minimal nodes by the preference criterion, which is the metric.
            preferred.offer(solution)
        if preferred.levels is None:
            raise infeasible(judge, lattice, limits)
        progress.step(partial(search.described, solutions, preferred.levels))
        return judge.recoding(preferred.levels, tuple(_described(solution, search.finished) for solution in solutions))


def _described(solution: JudgedNode, finished: bool) -> Mapping[str, object]:
    return {
        "levels": solution.levels,
        "score": solution.score,
        "suppressed": solution.suppressed,
        # Anything below has a lower height, and no node of a lower height is a solution; unless not all was seen.
        "minimal": True if finished else None,
    }


class _Counts(Protocol):
    def groups(self, levels: Levels) -> NodeGroups:
        """Return the groups at a node."""
        ...


class _Search:
    def __init__(
        self, judge: Judge, metric: Metric, limits: Limits, lattice: Lattice, counts: _Counts, progress: Progress
    ) -> None:
        self._judge = judge
        self._metric = metric
        self._limits = limits
        self._lattice = lattice
        self._counts = counts
        self._progress = progress
        self._judged: dict[Levels, JudgedNode] = {}
        self.finished = True

    def solutions(self) -> list[JudgedNode]:
        """Return all solutions of the lowest height that has one; when stopped, of the lowest height known by then."""
        try:
            return self._lowest_solutions()
        except Stopped:
            self.finished = False
            return self._known_solutions()

    def _lowest_solutions(self) -> list[JudgedNode]:
        # Step 1: the interval of heights that may hold the lowest solution.
        low, high = sum(self._lattice.lowest), sum(self._lattice.highest)
        # Step 2: halve it. Going up never suppresses more, so a height without a solution rules out all heights below.
        while low < high:
            middle = (low + high) // 2
            found = any(judged.feasible for judged in self._of_height(middle))
            self._progress.step(partial(self._tried, low, high, middle, found=found))
            if found:
                high = middle
            else:
                low = middle + 1
        # Step 3: return all satisfying nodes of height ``low``.
        return [judged for judged in self._of_height(low) if judged.feasible]

    def _tried(self, low: int, high: int, middle: int, *, found: bool) -> TraceStep:
        """Return a step of the binary search: the nodes of a height, up to the first solution."""
        nodes = [judged for judged in self._judged.values() if sum(judged.levels) == middle]
        decided = (
            f"has a solution: go on with {low} to {middle}" if found else f"has none: go on with {middle + 1} to {high}"
        )
        table = judged_table(self._judge.frequency.attributes, nodes, "")
        title = f"Height {middle}"
        return TraceStep(
            Samarati.name, title, f"The lowest solution has a height from {low} to {high}. {title} {decided}.", (table,)
        )

    def described(self, solutions: Sequence[JudgedNode], preferred: Levels) -> TraceStep:
        """Return the last step: all solutions of the lowest height, and which of them is preferred."""
        table = judged_table(self._judge.frequency.attributes, solutions, "")
        levels = dict(zip(self._judge.frequency.attributes, preferred, strict=True))
        chosen = ", ".join(f"{name} {level}" for name, level in levels.items())
        says = f"{len(solutions)} of the lowest height, {sum(preferred)}; the metric prefers {chosen}."
        return TraceStep(Samarati.name, "Minimal solutions", says, (table,))

    def _known_solutions(self) -> list[JudgedNode]:
        """Return the lowest solutions so far, or the most general node: if any node is a solution, that one is."""
        known = [judged for judged in self._judged.values() if judged.feasible]
        known = known or [judged for judged in [self._judge_node(self._lattice.highest)] if judged.feasible]
        lowest = min((sum(judged.levels) for judged in known), default=0)
        return [judged for judged in known if sum(judged.levels) == lowest]

    def _of_height(self, height: int) -> Iterator[JudgedNode]:
        for levels in nodes_of_height(self._lattice.lowest, self._lattice.highest, height):
            if levels not in self._judged:
                stop_if_wanted(self._progress)
                self._judge_node(levels)
            yield self._judged[levels]

    def _judge_node(self, levels: Levels) -> JudgedNode:
        judged = self._judge.assess(self._counts.groups(levels), self._metric, self._limits)
        self._progress.judged(judged)
        self._judged[levels] = judged
        return judged


class _RolledUp:
    """Groups by roll-up. Nodes come in lexicographic order, and each starts from what it shares with the one before."""

    def __init__(self, rollup: Rollup, lattice: Lattice) -> None:
        self._rollup = rollup
        self._lowest = lattice.lowest
        lowest, _ = rollup.coarsen(rollup.bottom(), lattice.lowest)
        self._path = [lowest]
        """The groups with the first 0, 1, 2, … attributes at the levels of the last node, the others at the lowest."""

    def groups(self, levels: Levels) -> NodeGroups:
        """Return the groups at a node."""
        last = self._path[-1].levels
        shared = next((n for n in range(len(self._path) - 1) if last[n] != levels[n]), len(self._path) - 1)
        del self._path[shared + 1 :]
        for position in range(shared, len(levels)):
            part = levels[: position + 1] + self._lowest[position + 1 :]
            finer = self._path[-1]
            self._path.append(finer if finer.levels == part else self._rollup.coarsen(finer, part)[0])
        return self._path[-1]


def nodes_of_height(lowest: Levels, highest: Levels, height: int) -> Iterator[Levels]:
    """Yield the nodes whose levels sum up to the height, in lexicographic order.

    Examples
    --------
    >>> list(nodes_of_height((0, 0, 1), (1, 2, 1), 3))
    [(0, 2, 1), (1, 1, 1)]
    """
    if not lowest:
        if height == 0:
            yield ()
        return
    most, least = sum(highest[1:]), sum(lowest[1:])
    # Only levels that leave the other attributes a sum they can reach.
    for level in range(max(lowest[0], height - most), min(highest[0], height - least) + 1):
        for rest in nodes_of_height(lowest[1:], highest[1:], height - level):
            yield (level, *rest)
