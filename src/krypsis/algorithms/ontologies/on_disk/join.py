"""The join of edges that end in a node with those that begin there, which applies all active rules in one scan."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field

import numpy as np

from krypsis.algorithms.ontologies.on_disk.conclusions import Conclusions
from krypsis.algorithms.ontologies.on_disk.pages import PageFile, PageFolder, Stream
from krypsis.algorithms.ontologies.on_disk.rules import (
    ATOM_BITS,
    LABEL_BITS,
    RULES,
    Target,
    apply_to_edge,
    apply_to_pairs,
    apply_to_paths,
    first_edge_at_least,
    has_room,
)
from krypsis.arrays import IntArray
from krypsis.kernels._jit import compiled

GROUP, GROUP_END, SEEN_START, PHASE, LEFT, PLACE, LEFT_DONE, SEEN = range(8)
"""Places in the state of a join: the unseen part of the current group, where it stands, and what was seen before."""
NEXT_GROUP, EDGES, AMONG_UNSEEN, SEEN_WITH_UNSEEN, UNSEEN_WITH_SEEN, PATHS = range(6)
"""What is done with a group, in this order."""
EDGE_ROW, PAIR_ROW, PATH_ROW = range(3)
"""Rows of the table of active rules."""
ALL_DONE, NO_ROOM, LEFT_NEEDED = range(3)
Rules = tuple[int, ...]

SHARE_LEFT, SHARE_RIGHT, SHARE_GROUP = 8, 8, 32
"""A join takes one part out of so many of the memory that is free for the buffers U and Q, and for large groups."""


@dataclass(eq=False)
class JoinFigures:
    """What happened in joins."""

    shifted: int = 0
    """How often the last group of a full buffer was shifted to its front."""
    spilled: int = 0
    """How often a group was too large for its buffer, and was compared with itself block by block."""


@dataclass(eq=False)
class ElJoin:
    """Joins relations, and hands over what follows to ``conclusions``.

    ``left`` is sorted by the right end (buffer U), ``right`` by the left end (buffer Q). For each node in ascending
    order: rules for one edge, rules for two edges that begin in the node, rules for paths through the node. Where a
    group of edges is larger than the buffer, the last group is shifted to the front before more is read; where it
    fills the buffer, it is written to a file of its own, and compared block by block.
    """

    workspace: PageFolder
    conclusions: Conclusions
    left_size: int
    """How many edges the buffers U and Q hold, and that for groups which fill them."""
    right_size: int
    group_size: int
    figures: JoinFigures = field(default_factory=JoinFigures)

    @classmethod
    def within(cls, workspace: PageFolder, conclusions: Conclusions, memory: int, figures: JoinFigures) -> ElJoin:
        """Return a join whose buffers take part of so many bytes."""
        left, right, group = (
            workspace.whole_pages(memory // share, at_least)
            for share, at_least in ((SHARE_LEFT, 1), (SHARE_RIGHT, 2), (SHARE_GROUP, 1))
        )
        return cls(workspace, conclusions, left, right, group, figures=figures)

    def run(
        self,
        left: Stream | None,
        right: Stream,
        *,
        edges: Rules = (),
        pairs: Rules = (),
        paths: Rules = (),
        kept: Callable[[IntArray], None] | None = None,
    ) -> None:
        """Join two streams, and close them.

        Parameters
        ----------
        left
            edges sorted by their right end; ``None`` if no rule for paths is active.
        right
            edges sorted by their left end.
        edges
            the rules that are applied to single new edges of the right stream.
        pairs
            the rules that are applied to two of its edges with the same left end, at least one of them new.
        paths
            the rules that are applied to an edge of the left stream followed by one of the right stream.
        kept
            takes the edges of the right stream block by block.
        """
        active = np.zeros((3, RULES), dtype=np.int64)
        for place, rules in enumerate((edges, pairs, paths)):
            active[place, list(rules)] = 1
        with ExitStack() as stack:
            stack.callback(right.close)
            if left is not None:
                stack.callback(left.close)
            _Scan(self, left, right, active, stack).run(kept)


@dataclass(eq=False)
class _Scan:
    """One scan of two streams."""

    join: ElJoin
    left: Stream | None
    right: Stream
    active: IntArray
    """Which rules are applied to edges, to pairs and to paths: a row for each."""
    stack: ExitStack

    def __post_init__(self) -> None:
        memory = self.join.workspace.memory
        self.for_edges, self.for_pairs, self.for_paths = (bool(rules.any()) for rules in self.active)
        self.u = self.stack.enter_context(memory.buffer(self.join.left_size if self.for_paths else 0))
        self.q = self.stack.enter_context(memory.buffer(self.join.right_size))
        self.v = self.stack.enter_context(memory.buffer(self.join.group_size))
        self.u_count = self.q_count = 0
        self.state = np.zeros(8, dtype=np.int64)
        self.resume = np.zeros(3, dtype=np.int64)
        self.state[LEFT_DONE] = not self.for_paths
        numbers = self.join.conclusions.numbers
        self.shift = int(numbers[ATOM_BITS] + numbers[LABEL_BITS] + 1)
        self.spilled_left: PageFile | None = None
        """Edges that end in the last node of Q, and are no longer in U."""
        self.spilled_right: PageFile | None = None
        """Edges that begin in the last node of Q, and are no longer in Q."""

    def run(self, kept: Callable[[IntArray], None] | None) -> None:
        """Read the right stream block by block, as long as something can follow."""
        seen = 0
        node = -1
        while kept is not None or self.for_edges or self.for_pairs or not self._is_left_read():
            got = self.right.read_into(self.q, seen)
            if not got:
                break
            self.q_count = seen + got
            if int(self.q[seen]) >> self.shift == node:
                self._join_with_spilled(seen)
            last = int(self.q[self.q_count - 1]) >> self.shift
            if last != node:  # the group that went on has come to its end
                self._drop_spilled()
            node = last
            self.state[[GROUP_END, SEEN, PHASE]] = seen, seen, NEXT_GROUP
            self._scan_window(node)
            if kept is not None:
                kept(self.q[seen : self.q_count])
            seen = self._shift_last_group(node)
        self._drop_spilled()

    def _is_left_read(self) -> bool:
        """Whether no edge is left that could be the first of a path."""
        return bool(self.state[LEFT_DONE]) and int(self.state[LEFT]) >= self.u_count and self.spilled_left is None

    def _scan_window(self, node: int) -> None:
        """Apply the rules to all groups in Q."""
        conclusions = self.join.conclusions
        while True:
            status = scan_groups(
                self.u, self.u_count, self.q, self.q_count, self.state, self.resume, self.active,
                conclusions.target,
            )  # fmt: skip
            if status == NO_ROOM:
                conclusions.make_room()
            elif status == LEFT_NEEDED:
                self._reload_left(node)
            else:
                break
        if self.for_paths and not self.right.at_end:  # the last group may go on: its left edges are needed again
            wanted = node << (self.shift - 1)
            self.state[LEFT] = first_edge_at_least(self.u, 0, self.u_count, wanted)

    def _reload_left(self, node: int) -> None:
        """Read more left edges; those of a node whose right edges are not all there yet are put aside."""
        assert self.left is not None
        if not self.right.at_end:
            start = int(first_edge_at_least(self.u, 0, self.u_count, node << (self.shift - 1)))
            if start < self.u_count:
                if self.spilled_left is None:
                    self.spilled_left = PageFile(self.join.workspace)
                    self.join.figures.spilled += 1
                self.spilled_left.append(self.u[start : self.u_count])
        self.u_count = self.left.read_into(self.u, 0)
        self.state[LEFT] = 0
        self.state[LEFT_DONE] = self.left.at_end

    def _shift_last_group(self, node: int) -> int:
        """Move the last group of Q to the front if it goes on, and return how many edges that are."""
        if self.right.at_end or not self.for_pairs:
            return 0
        start = int(first_edge_at_least(self.q, 0, self.q_count, node << (self.shift - 1)))
        count = self.q_count - start
        if count + self.join.workspace.page > len(self.q) or 2 * count > len(self.q):
            if self.spilled_right is None:
                self.spilled_right = PageFile(self.join.workspace)
                self.join.figures.spilled += 1
            self.spilled_right.append(self.q[start : self.q_count])
            return 0
        self.q[:count] = self.q[start : self.q_count].copy() if start < count else self.q[start : self.q_count]
        self.join.figures.shifted += 1
        return count

    def _join_with_spilled(self, seen: int) -> None:
        """Compare the unseen edges of a group with all those that no longer are in the buffers, block by block."""
        node = int(self.q[seen]) >> self.shift
        end = int(first_edge_at_least(self.q, seen, self.q_count, (node + 1) << (self.shift - 1)))
        if self.spilled_right is not None:
            stream = self.spilled_right.read()
            while count := stream.read_into(self.v, 0):
                self._apply_to_pairs(self.v, 0, count, seen, end)
            stream.close()
        if self.spilled_left is not None:
            stream = self.spilled_left.read()
            while count := stream.read_into(self.v, 0):
                self._apply_to_paths(count, seen, end)
            stream.close()

    def _apply_to_pairs(self, block: IntArray, start: int, stop: int, seen: int, end: int) -> None:
        conclusions = self.join.conclusions
        for sides in ((block, start, stop, self.q, seen, end), (self.q, seen, end, block, start, stop)):
            self.resume[:] = 0
            while not apply_to_pairs(*sides, self.resume, self.active[PAIR_ROW], conclusions.target):
                conclusions.make_room()

    def _apply_to_paths(self, count: int, seen: int, end: int) -> None:
        conclusions = self.join.conclusions
        self.resume[:] = 0
        sides = (self.v, 0, count, self.q, seen, end)
        while not apply_to_paths(*sides, self.resume, self.active[PATH_ROW], conclusions.target):
            conclusions.make_room()

    def _drop_spilled(self) -> None:
        for file in (self.spilled_left, self.spilled_right):
            if file is not None:
                file.delete()
        self.spilled_left = self.spilled_right = None


def load_kernels_of_large_groups(target: Target) -> None:
    """Load, or compile, what is called where a group does not fit into its buffer, before the buffers are filled.

    Making machine code takes memory, which would otherwise come on top of theirs in the middle of a run.
    """
    empty, active = np.empty(0, dtype=np.int64), np.zeros(RULES, dtype=np.int64)
    first_edge_at_least(empty, 0, 0, 0)
    for apply in (apply_to_pairs, apply_to_paths):
        apply(empty, 0, 0, empty, 0, 0, np.zeros(3, dtype=np.int64), active, target)


@compiled
def scan_groups(
    u: IntArray,
    u_count: int,
    q: IntArray,
    q_count: int,
    state: IntArray,
    resume: IntArray,
    active: IntArray,
    target: Target,
) -> int:
    """Apply the rules to the groups of Q, node by node, until there is no room or more left edges are needed."""
    shift = target[0][ATOM_BITS] + target[0][LABEL_BITS] + 1
    while state[PHASE] != NEXT_GROUP or state[GROUP_END] < q_count:
        if state[PHASE] == NEXT_GROUP:
            find_group(q, q_count, shift, state)
        if state[PHASE] < PATHS and not scan_group(q, state, resume, active, target):
            return NO_ROOM
        node = q[state[GROUP]] >> shift
        while state[LEFT] < u_count and u[state[LEFT]] >> shift < node:
            state[LEFT] += 1
        end = first_edge_at_least(u, state[LEFT], u_count, (node + 1) << (shift - 1))
        if not apply_to_paths(u, state[LEFT], end, q, state[GROUP], state[GROUP_END], resume, active[PATH_ROW], target):
            return NO_ROOM
        state[LEFT] = end
        if end >= u_count and not state[LEFT_DONE]:
            return LEFT_NEEDED
        state[PHASE] = NEXT_GROUP
    return ALL_DONE


@compiled
def find_group(q: IntArray, q_count: int, shift: int, state: IntArray) -> None:
    """Find the unseen edges of the next node."""
    start = state[GROUP_END]
    node = q[start] >> shift
    end = start + 1
    while end < q_count and q[end] >> shift == node:
        end += 1
    state[GROUP] = start
    state[GROUP_END] = end
    # Edges that were shifted to the front have been seen: only pairs with others remain.
    state[SEEN_START] = 0 if start == state[SEEN] and start > 0 and q[0] >> shift == node else start
    state[PLACE] = start
    state[PHASE] = EDGES


@compiled
def scan_group(q: IntArray, state: IntArray, resume: IntArray, active: IntArray, target: Target) -> bool:
    """Apply the rules for single edges and for pairs to the edges of a node; return whether all is done."""
    start, end, seen = state[GROUP], state[GROUP_END], state[SEEN_START]
    if state[PHASE] == EDGES:
        if active[EDGE_ROW].any():
            while state[PLACE] < end:
                if q[state[PLACE]] & 1:
                    if not has_room(target):
                        return False
                    apply_to_edge(q[state[PLACE]], active[EDGE_ROW], target)
                state[PLACE] += 1
        state[PHASE] = AMONG_UNSEEN if active[PAIR_ROW].any() else PATHS
    while state[PHASE] < PATHS:
        # Unseen edges with each other, seen ones with unseen ones, and the other way around.
        first, first_end = (seen, start) if state[PHASE] == SEEN_WITH_UNSEEN else (start, end)
        other, other_end = (seen, start) if state[PHASE] == UNSEEN_WITH_SEEN else (start, end)
        if not apply_to_pairs(q, first, first_end, q, other, other_end, resume, active[PAIR_ROW], target):
            return False
        state[PHASE] += 1
    return True
