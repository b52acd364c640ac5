"""Branch and bound over boxes of the lattice. See ``docs/decisions/0004-search-by-boxes.md``."""

import heapq
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from krypsis.algorithms.tables.lattice.evaluation import Judge
from krypsis.algorithms.tables.lattice.lattice import Lattice, Levels, Limits, NodeGroups, SearchBudget, raised
from krypsis.algorithms.tables.lattice.scores import Incumbent, Score, least_scores, lowest_score
from krypsis.algorithms.tables.optimal.box_walk import BoxWalk, Visited
from krypsis.arrays import BoolArray
from krypsis.kernels.rows import sum_of_chosen
from krypsis.metrics.base import Metric
from krypsis.progress import JudgedNode

SAMPLE = 100
"""After so many nodes it is clear whether looking at the bound of a node before judging it pays."""

WALK_SAMPLE = 48
"""After so many nodes it is clear whether bounds spare most nodes."""

WALK_SHARE = 5
"""A node that is judged takes about so many times as long as one that is visited in a walk."""


@dataclass(frozen=True, eq=False)
class Corner:
    """The groups at the lowest node of a box, and which of them are refused everywhere in it."""

    groups: NodeGroups
    lost: BoolArray

    @property
    def nbytes(self) -> int:
        """The memory that it takes."""
        return self.groups.nbytes + self.lost.nbytes


@dataclass(order=True)
class Box:
    """The nodes between ``lowest`` and ``highest``; none of them has a better score than ``bound``."""

    bound: Score
    number: int
    """Breaks ties by age, so that the order never depends on anything else."""
    lowest: Levels = field(compare=False)
    highest: Levels = field(compare=False)
    corner: Corner | None = field(compare=False, repr=False)
    """At the lowest node, as long as there is memory for it."""
    size: int = field(compare=False, default=0)
    """The memory that was counted for it."""

    @property
    def nodes(self) -> int:
        """How many nodes it holds."""
        return Lattice(self.lowest, self.highest).size


@dataclass(frozen=True)
class Half:
    """What was found out about one half of a box."""

    judged: tuple[JudgedNode, ...] = ()
    passed: int = 0
    """New corners that were not judged, because they cannot be better than what was found."""
    bound: Score | None = None
    """Absent if no node of it can be feasible, or all have been judged."""
    corner: Corner | None = None
    highest: Levels = ()

    @property
    def nodes(self) -> int:
        """How many nodes are left to be explored, corners included."""
        return Lattice(self.corner.groups.levels, self.highest).size if self.corner else 0

    def opened(self, bound: Score, corner: Corner, highest: Levels) -> "Half":
        """Return the same for a box that holds more nodes than its corners."""
        return Half(self.judged, self.passed, bound, corner, highest)


class Sieve:
    """Remembers how many nodes were passed over, to look at cheap bounds of single nodes only where that pays."""

    def __init__(self) -> None:
        self._judged = 0
        self._passed = 0
        self._settled = 0

    def learn(self, judged: int, passed: int) -> None:
        """Hear how many nodes had to be judged, and how many not."""
        self._judged += judged
        self._passed += passed

    def settle(self, nodes: int) -> None:
        """Hear how many nodes a cut has taken out of boxes, judged or not."""
        self._settled += nodes

    @property
    def is_coarse(self) -> bool:
        """Whether so many of the nodes have to be judged that a walk over all of them costs less."""
        return self._judged >= WALK_SAMPLE and self._settled + self._passed < WALK_SHARE * self._judged

    @property
    def pays(self) -> bool:
        """Whether enough nodes are passed over, or too few were seen to tell."""
        return self._judged < SAMPLE or 3 * self._passed > self._judged


def are_settled(lowest: Levels, highest: Levels) -> bool:
    """Say whether a box has no nodes but its corners."""
    return sum(highest) - sum(lowest) <= 1


MEMORY = 96 * 2**20
"""Bytes of groups that open boxes may keep; boxes beyond that make theirs anew when their turn comes."""

PARALLEL_TUPLES = 50_000
"""From so many distinct tuples on, both halves of a box are judged at the same time."""

NODES_AT_ONCE = 1024
"""Nodes that a walk visits before the best of them are judged."""


class BranchAndBound:
    """Takes boxes in order of their bound and cuts them in two until none can hold anything better."""

    def __init__(
        self, judge: Judge, metric: Metric, limits: Limits, budget: SearchBudget, incumbent: Incumbent
    ) -> None:
        self._judge = judge
        self._metric = metric
        self._limits = limits
        self._budget = budget
        self._incumbent = incumbent
        self._allowed = min(limits.suppressed or 0, judge.frequency.rows)
        self._relaxed = len(judge.lasting) < len(judge.models)
        nowhere, nobody = np.empty((0, len(judge.frequency.attributes)), np.int64), np.empty(0, np.int64)
        self._knows_least = least_scores(metric, judge.frequency, nowhere, nobody) is not None
        self._sieve = Sieve()
        self._open: list[Box] = []
        self._boxes = 0
        self._bytes = 0

    def run(self, lattice: Lattice) -> Score | None:
        """Search until the incumbent is the optimum or the budget is spent.

        Returns a score that no node can beat: that of the incumbent if it is the optimum. Nothing if there is no
        feasible node.
        """
        rollup = self._judge.rollup
        lowest, _ = rollup.coarsen(rollup.bottom(), lattice.lowest)
        # Step 1: the whole lattice is the first box; both its corners are judged.
        self._take(self._below(lowest, lattice.highest, new_lowest=True))
        with _workers(len(lowest.sizes)) as both:
            # Step 2: best bound first. Once it is no better than the incumbent, no open box is.
            while self._open and not self._incumbent.is_better_than(self._open[0].bound):
                if self._budget.is_spent():
                    return self._proven()
                self._cut(self._pop(), both)
        return self._incumbent.score or None

    def _proven(self) -> Score:
        bound = self._open[0].bound
        return self._incumbent.score if self._incumbent.is_better_than(bound) else bound

    def _pop(self) -> Box:
        box = heapq.heappop(self._open)
        self._bytes -= box.size
        return box

    def _cut(self, box: Box, both: "_Both") -> None:
        if not self._incumbent.could_be_beaten_by(box.bound, box.lowest):
            return
        corner = box.corner or self._corner(box)
        if self._walks(corner, box.highest):
            self._walk(box, corner)
            return
        # Step 3: split off the lowest level of one attribute; the halves are disjoint and cover the box.
        position = self._widest(box.lowest, box.highest)
        only_lowest = (*box.highest[:position], box.lowest[position], *box.highest[position + 1 :])
        raised_once = raised(box.lowest, position)

        def lower_half() -> Half:
            return self._below(corner.groups, only_lowest) if box.lowest != only_lowest else Half()

        def upper_half() -> Half:
            return self._above(corner, raised_once, box.highest) if box.highest != raised_once else Half()

        halves = both(lower_half, upper_half)
        for half in halves:
            self._take(half)
        if self._relaxed:
            self._sieve.settle(box.nodes - sum(half.nodes for half in halves))

    def _walks(self, corner: Corner, highest: Levels) -> bool:
        """Say whether it is faster to visit every node of a box than to bound parts of it."""
        walks = self._relaxed and self._knows_least and self._sieve.is_coarse
        return walks and BoxWalk.is_possible(self._judge, corner.groups, highest)

    def _walk(self, box: Box, corner: Corner) -> None:
        """Visit all nodes of a box and judge those that suppress little enough; open it again if there is no time."""
        walk = BoxWalk(self._judge, corner.groups, box.highest)
        while walk.left:
            if self._budget.is_spent():
                heapq.heappush(self._open, replace(box, corner=None, size=0))
                return
            self._judge_best(walk.visit(self._budget.at_most(NODES_AT_ONCE)), corner.groups)

    def _judge_best(self, visited: Visited, finer: NodeGroups) -> None:
        """Judge visited nodes in order of the least score that they can have, as long as one could be better."""
        rows = self._judge.frequency.rows
        # The walk knows exactly how much each node suppresses; only nodes within the limit can be solutions.
        within = visited.part((visited.suppressed <= self._allowed) & (visited.suppressed < rows))
        bounds = least_scores(self._metric, self._judge.frequency, within.levels, within.suppressed) or []
        passed = len(visited.suppressed)
        for number in sorted(range(len(bounds)), key=bounds.__getitem__):
            if self._incumbent.is_better_than(bounds[number]):
                break
            levels = tuple(within.levels[number].tolist())
            if self._incumbent.could_be_beaten_by(bounds[number], levels):
                node, _ = self._judge.rollup.coarsen(finer, levels)
                self._take(self._settled([node]))
                passed -= 1
        self._budget.pass_over(passed)

    def _widest(self, lowest: Levels, highest: Levels) -> int:
        """Return the attribute with most values at the lowest level; splitting that level off settles most."""
        hierarchies = self._judge.frequency.hierarchies
        free = [position for position, level in enumerate(lowest) if level < highest[position]]
        return max(free, key=lambda position: len(hierarchies[position].labels[lowest[position]]))

    def _corner(self, box: Box) -> Corner:
        """Make the corner of a box anew."""
        rollup = self._judge.rollup
        groups, _ = rollup.coarsen(rollup.bottom(), box.lowest)
        top, to_top = rollup.coarsen(groups, box.highest)
        return Corner(groups, self._judge.refused(top, self._judge.lasting)[to_top])

    # What explores a half changes nothing, so that two may run at once. One corner of a half is that of the whole box
    # and has been judged; a half that is a single node has been judged, too.

    def _below(self, lowest: NodeGroups, highest: Levels, *, new_lowest: bool = False) -> Half:
        """Explore the nodes from known groups up to a highest node that is new."""
        judge = self._judge
        top, to_top = judge.rollup.coarsen(lowest, highest)
        new = [top, lowest] if new_lowest and lowest.levels != highest else [top]
        if are_settled(lowest.levels, highest):
            return self._settled(new)
        # What a model that is monotone with suppression refuses at the highest node is refused in every node below it.
        lost = judge.refused(top, judge.lasting)
        # Step 4: drop the half if more is surely suppressed than allowed, …
        left = self._allowed - sum_of_chosen(top.sizes, lost)
        if left < 0:
            return Half()
        corner = Corner(lowest, lost[to_top])
        # … or if its bound cannot beat the incumbent.
        bound = self._bound(corner, highest)
        if not self._incumbent.could_be_beaten_by(bound, lowest.levels):
            return Half(passed=len(new))
        refused = None
        if self._relaxed and self._allowed < judge.frequency.rows:
            refused = judge.refused(top, judge.models)
            # Also what the other models must at least suppress in each group, however it is cut.
            if judge.lost_besides(top, lost, refused) > left:
                return Half()
        return self._settled(new, refused).opened(bound, corner, highest)

    def _above(self, corner: Corner, lowest: Levels, highest: Levels) -> Half:
        """Explore the nodes from a lowest node that is new up to the highest node of the box."""
        # The highest node is that of the box, so what is lost there carries over.
        groups, numbers = self._judge.rollup.coarsen(corner.groups, lowest)
        if are_settled(lowest, highest):
            return self._settled([groups])
        lost = np.empty(len(groups.sizes), dtype=np.bool_)
        lost[numbers] = corner.lost  # groups that are one here are one at the highest node
        rest = Corner(groups, lost)
        bound = self._bound(rest, highest)
        if not self._incumbent.could_be_beaten_by(bound, lowest):
            return Half(passed=1)
        return self._settled([groups]).opened(bound, rest, highest)

    def _bound(self, corner: Corner, highest: Levels) -> Score:
        return lowest_score(self._metric, self._judge.outcome(corner.groups, corner.lost), highest)

    def _settled(self, new: list[NodeGroups], refused: BoolArray | None = None) -> Half:
        """Judge new corners; ``refused`` is what the models refuse at the first, where that is known."""
        nodes = [self._judged(node, None if number else refused) for number, node in enumerate(new)]
        judged = tuple(node for node in nodes if node is not None)
        return Half(judged, len(nodes) - len(judged))

    def _judged(self, node: NodeGroups, refused: BoolArray | None) -> JudgedNode | None:
        """Judge a node, unless the models that cost least show already that it cannot be better."""
        if refused is None and self._relaxed and self._sieve.pays and self._is_hopeless(node):
            return None
        return self._judge.assess(node, self._metric, self._limits, refused)

    def _is_hopeless(self, node: NodeGroups) -> bool:
        """Say whether a node would be too bad even if nothing else were promised than what is lasting."""
        relaxed = self._judge.outcome(node, self._judge.refused(node, self._judge.lasting))
        if relaxed.suppressed > self._allowed:
            return True
        if self._incumbent.levels is None:
            return False
        return not self._incumbent.could_be_beaten_by(lowest_score(self._metric, relaxed, node.levels), node.levels)

    def _take(self, half: Half) -> None:
        """Learn from a half, and keep it open if it may hold something better."""
        self._budget.pass_over(half.passed)
        self._sieve.learn(len(half.judged), half.passed)
        for node in half.judged:
            self._budget.spend(node)
            self._incumbent.offer(node)
        if half.bound is None or half.corner is None:
            return
        lowest = half.corner.groups.levels
        if not self._incumbent.could_be_beaten_by(half.bound, lowest):
            return
        fits = self._bytes + half.corner.nbytes <= MEMORY
        corner, size = (half.corner, half.corner.nbytes) if fits else (None, 0)
        self._bytes += size
        self._boxes += 1
        heapq.heappush(self._open, Box(half.bound, self._boxes, lowest, half.highest, corner, size))


_Both = Callable[[Callable[[], Half], Callable[[], Half]], tuple[Half, Half]]
"""Calls two functions, one after the other or at the same time, and returns both results in order."""


@contextmanager
def _workers(tuples: int) -> Iterator[_Both]:
    if tuples < PARALLEL_TUPLES:
        yield lambda first, second: (first(), second())
        return
    with ThreadPoolExecutor(1) as pool:

        def both(first: Callable[[], Half], second: Callable[[], Half]) -> tuple[Half, Half]:
            running = pool.submit(second)
            return first(), running.result()

        yield both
