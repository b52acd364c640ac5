"""Boxes of the lattice: what a branch and bound knows of the nodes between a lowest and a highest one."""

from __future__ import annotations

from dataclasses import dataclass, field

from krypsis.algorithms.tables.lattice.lattice import Lattice
from krypsis.algorithms.tables.lattice.rollup import Levels, NodeGroups
from krypsis.algorithms.tables.lattice.scores import Score
from krypsis.arrays import BoolArray
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

    def opened(self, bound: Score, corner: Corner, highest: Levels) -> Half:
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
