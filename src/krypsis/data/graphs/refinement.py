"""Vertex refinement: which vertices look alike to somebody who knows the degrees around them, to any depth."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from krypsis.arrays import CodeArray, IntArray
from krypsis.data.graphs.graph import Graph
from krypsis.errors import UsageError
from krypsis.kernels._jit import compiled
from krypsis.kernels.rows import SPREAD

WITHOUT_END = 2**31
"""More rounds than any graph needs: each splits a class, and there are no more classes than vertices."""
MANY, DIGIT = 10_000, 11
"""So many keys are sorted by their digits, each of so many bits."""


def refine(graph: Graph, depth: int | None = None, labels: IntArray | None = None) -> IntArray:
    """Return the class of each vertex: those with the same ``H_depth``, and with the same label, share one.

    ``H_1`` is the degree of a vertex and ``H_i`` what ``H_{i-1}`` says of all its neighbors. The label of a vertex is
    known in addition; labels of its neighbors are not.

    Parameters
    ----------
    depth
        how far the attacker sees: 0 for the label alone, ``None`` until nothing new is found (color refinement).
    labels
        a number for what is known about each vertex, such as its published attributes.

    Returns
    -------
    IntArray
        numbers of classes, from 0 without gaps.

    Notes
    -----
    Exact: classes are split by comparing what their vertices see, and hashes only say what need not be compared.
    A round looks at the neighbors of vertices that left the largest part of their class in the round before, so the
    fixpoint takes ``O(edges · log vertices)`` time, also on a path with as many rounds as vertices.

    References
    ----------
    Hay, Miklau, Jensen, Towsley, Weis, "Resisting structural re-identification in anonymized social networks",
    PVLDB 1(1), 2008. Cardon, Crochemore, "Partitioning a graph in O(|A| log2 |V|)", Theoretical Computer Science
    19(1), 1982.

    Examples
    --------
    >>> friends = Graph.of_edges([("x1", "x2"), ("x1", "x3"), ("x2", "x4"), ("x2", "x5"), ("x2", "x6"), ("x3", "x6"),
    ...                           ("x4", "x5"), ("x6", "x7")])
    >>> candidates(refine(friends, depth=1)).tolist(), candidates(refine(friends, depth=2)).tolist()
    ([4, 1, 4, 4, 4, 1, 1], [3, 1, 1, 3, 3, 1, 1])
    """
    if depth is not None and depth < 0:
        raise UsageError(f"depth must be 0 or more, or None for refinement to the end; got {depth}")
    refinement = VertexRefinement.of(graph)
    refinement.advance(depth)
    return refinement.classes_with(labels)


def candidates(classes: IntArray) -> IntArray:
    """Return for each vertex how many look like it, itself included.

    Examples
    --------
    >>> candidates(np.array([0, 1, 0])).tolist()
    [2, 1, 2]
    """
    return np.bincount(classes)[classes] if len(classes) else classes


def unique_vertices(classes: IntArray) -> int:
    """Return how many vertices look like no other.

    Examples
    --------
    >>> unique_vertices(np.array([0, 1, 0]))
    1
    """
    return int((np.bincount(classes) == 1).sum()) if len(classes) else 0


@dataclass(eq=False, repr=False)
class VertexRefinement:
    """The classes of the vertices of a graph, refined round by round.

    Examples
    --------
    >>> path = Graph.of_codes(np.array([[0, 1], [1, 2], [2, 3], [3, 4]]), 5)
    >>> found = VertexRefinement.of(path)
    >>> [(found.advance(depth), found.classes.tolist())[1] for depth in (0, 1, 2)]
    [[0, 0, 0, 0, 0], [1, 0, 0, 0, 1], [1, 0, 2, 0, 1]]
    >>> found.advance(None)
    >>> found.depth
    2
    """

    graph: Graph
    depth: int
    """How many rounds changed something so far."""
    is_final: bool
    """Whether a further round would change nothing."""
    classes: CodeArray
    """The class of each vertex, without labels."""
    _order: CodeArray
    """The vertices, class after class."""
    _place: CodeArray
    """Where each vertex stands in the order."""
    _firsts: CodeArray
    """Where each class begins in the order."""
    _sizes: CodeArray
    """The number of vertices of each class; of classes that do not exist yet, 0."""
    _moved: CodeArray
    """The vertices that got a new class in the last round, class after class."""

    @classmethod
    def of(cls, graph: Graph) -> Self:
        """Return all vertices of a graph in one class: ``H_0`` without labels."""
        count = graph.vertices
        firsts, sizes = np.zeros(count, dtype=np.int32), np.zeros(count, dtype=np.int32)
        sizes[:1] = count
        numbers = np.arange(count, dtype=np.int32)
        classes = np.zeros(count, dtype=np.int32)
        return cls(graph, 0, not count, classes, numbers, numbers.copy(), firsts, sizes, numbers[:0].copy())

    def advance(self, depth: int | None) -> None:
        """Refine until the classes are those of ``H_depth``; with ``None`` until nothing changes any more."""
        wanted = WITHOUT_END if depth is None else depth
        if self.is_final or wanted <= self.depth:
            return
        if not self.depth:
            self._split_by_degree()
        if self.is_final or wanted <= self.depth:
            return
        state = (self.classes, self._order, self._place, self._firsts, self._sizes)
        starts, neighbors = self.graph.starts, self.graph.neighbors
        rounds, self._moved = refine_rounds(starts, neighbors, *state, self._moved, wanted - self.depth)
        self.depth += rounds
        self.is_final = not len(self._moved)

    def _split_by_degree(self) -> None:
        """Go from ``H_0`` to ``H_1``."""
        degrees = self.graph.degrees
        order = np.argsort(degrees, kind="stable")
        values, firsts, sizes = np.unique(degrees[order], return_index=True, return_counts=True)
        # The largest class is the one that counts as not new: nobody looks at the neighbors of its vertices.
        largest = int(np.argmax(sizes))
        numbers = np.arange(len(values))
        numbers[0], numbers[largest] = numbers[largest], 0
        self.classes[order] = np.repeat(numbers, sizes)
        self._order[:] = order
        self._place[order] = np.arange(len(order))
        self._firsts[numbers], self._sizes[numbers] = firsts, sizes
        moved = order[self.classes[order] != 0]
        self._moved = moved[np.argsort(self.classes[moved], kind="stable")].astype(np.int32)
        self.depth, self.is_final = (1, False) if len(values) > 1 else (0, True)

    def classes_with(self, labels: IntArray | None) -> IntArray:
        """Return classes of the same refinement and the same label, numbered without gaps."""
        if labels is None:
            return self.classes.astype(np.int64)
        if len(labels) != self.graph.vertices:
            raise UsageError(f"expected one label for each of {self.graph.vertices} vertices, got {len(labels)}")
        known = np.unique(labels, return_inverse=True)[1].astype(np.int64)
        pairs = self.classes * (known.max(initial=0) + 1) + known
        return np.unique(pairs, return_inverse=True)[1].astype(np.int64)


@compiled
def refine_rounds(
    starts: IntArray,
    neighbors: CodeArray,
    classes: CodeArray,
    order: CodeArray,
    place: CodeArray,
    firsts: CodeArray,
    sizes: CodeArray,
    moved: CodeArray,
    rounds: int,
) -> tuple[int, CodeArray]:
    """Refine so many times, or until nothing changes; return how often it changed, and who moved in the last round.

    The vertices of class ``c`` are ``order[firsts[c] : firsts[c] + sizes[c]]``, and ``place`` is the inverse of
    ``order``. ``moved`` lists the vertices with new classes, class after class.

    Two vertices of one class had the same number of neighbors in every class of the round before. A class that was
    split since then kept its number for its largest part, so they still look alike if they have the same number of
    neighbors in each of the *new* classes: what is listed for them below.
    """
    count = len(classes)
    number = 0
    while number < count and sizes[number] > 0:
        number += 1
    # How many moved neighbors a vertex has; -1 if it is alone in its class, for then it stays so.
    seen, begins = np.zeros(count, dtype=np.int32), np.zeros(count, dtype=np.int64)
    for own in range(number):
        if sizes[own] == 1:
            seen[order[firsts[own]]] = -1
    touched = np.empty(count, dtype=np.int32)
    in_class, best = np.zeros(count, dtype=np.int32), np.full(count, -1, dtype=np.int32)
    done = 0
    while done < rounds and len(moved) > 0:
        reached, listed = list_new_classes(starts, neighbors, classes, moved, seen, begins, touched)
        members, runs = equal_runs(touched[:reached], classes, listed, begins, seen)
        for vertex in members:
            seen[vertex] = 0
        moved = split_classes(members, runs, classes, order, place, firsts, sizes, in_class, best, number, seen)
        if len(moved) > 0:
            number = classes[moved[-1]] + 1
            done += 1
    return done, moved


@compiled
def list_new_classes(
    starts: IntArray,
    neighbors: CodeArray,
    classes: CodeArray,
    moved: CodeArray,
    seen: CodeArray,
    begins: IntArray,
    touched: CodeArray,
) -> tuple[int, CodeArray]:
    """List for all neighbors of moved vertices the new classes next to them; return how many, and the lists.

    Who is alone in a class is left out. The list of a vertex is ``seen`` long, and begins at ``begins``.
    """
    # Step 1: count the moved neighbors of each vertex.
    reached = 0
    for vertex in moved:
        for at in range(starts[vertex], starts[vertex + 1]):
            other = neighbors[at]
            if seen[other] >= 0:
                if seen[other] == 0:
                    touched[reached] = other
                    reached += 1
                seen[other] += 1
    total = 0
    for position in range(reached):
        begins[touched[position]] = total
        total += seen[touched[position]]
    # Step 2: write down their classes; ascending, for moved vertices stand class after class.
    listed = np.empty(total, dtype=np.int32)
    for vertex in moved:
        for at in range(starts[vertex], starts[vertex + 1]):
            other = neighbors[at]
            if seen[other] > 0:
                listed[begins[other]] = classes[vertex]
                begins[other] += 1
    for position in range(reached):
        begins[touched[position]] -= seen[touched[position]]
    return reached, listed


@compiled
def equal_runs(
    touched: CodeArray, classes: CodeArray, listed: CodeArray, begins: IntArray, seen: CodeArray
) -> tuple[CodeArray, IntArray]:
    """Return vertices of one class with equal lists next to each other, and where each run of them begins."""
    keys = np.empty(len(touched), dtype=np.uint64)
    for position in range(len(touched)):
        vertex = touched[position]
        keys[position] = hash_of(classes[vertex], listed[begins[vertex] : begins[vertex] + seen[vertex]])
    sorting = order_of(keys)
    members = touched[sorting]
    run_starts = np.empty(len(touched) + 1, dtype=np.int64)
    runs, first = 0, 0
    while first < len(members):
        end = first + 1
        while end < len(members) and keys[sorting[end]] == keys[sorting[first]]:
            end += 1
        # Equal hashes prove nothing: every list is compared, and those that differ form runs of their own.
        while first < end:
            run_starts[runs] = first
            runs += 1
            first = gather_equal(members, first, end, classes, listed, begins, seen)
    run_starts[runs] = len(members)
    return members, run_starts[: runs + 1]


@compiled
def split_classes(  # noqa: C901  one compiled loop
    members: CodeArray,
    run_starts: IntArray,
    classes: CodeArray,
    order: CodeArray,
    place: CodeArray,
    firsts: CodeArray,
    sizes: CodeArray,
    in_class: CodeArray,
    best: CodeArray,
    number: int,
    seen: CodeArray,
) -> CodeArray:
    """Make every run a class, and return the vertices whose class is new; the largest part of a class keeps its number.

    The vertices of a class that are in no run are a part of it as well. ``in_class`` and ``best`` hold nothing between
    the rounds: how many vertices of a class are in runs, and which run is the largest. Of vertices that are alone now,
    ``seen`` becomes -1.
    """
    runs = len(run_starts) - 1
    owners = np.empty(runs, dtype=np.int32)
    for run in range(runs):
        own = classes[members[run_starts[run]]]
        owners[run] = own
        size = run_starts[run + 1] - run_starts[run]
        in_class[own] += size
        if best[own] < 0 or size > run_starts[best[own] + 1] - run_starts[best[own]]:
            best[own] = run
    gone = np.empty(min(2 * len(members), len(classes)), dtype=np.int32)
    leaving = 0
    for run in range(runs):
        own, size = owners[run], run_starts[run + 1] - run_starts[run]
        rest = sizes[own] - in_class[own]
        if best[own] == run and rest < size:
            continue
        # The vertices of the run go to the end of their class, and become one of their own there.
        in_class[own] -= size
        for position in range(run_starts[run], run_starts[run + 1]):
            sizes[own] -= 1
            swap(order, place, place[members[position]], firsts[own] + sizes[own])
        firsts[number], sizes[number] = firsts[own] + sizes[own], size
        leaving = enter(number, order, firsts, sizes, classes, gone, leaving)
        number += 1
    for run in range(runs):
        own = owners[run]
        if best[own] == run and 0 < in_class[own] < sizes[own]:
            # The run keeps the number of its class: those that are in no run leave it.
            for position in range(run_starts[run], run_starts[run + 1]):
                swap(order, place, place[members[position]], firsts[own] + position - run_starts[run])
            firsts[number], sizes[number] = firsts[own] + in_class[own], sizes[own] - in_class[own]
            sizes[own] = in_class[own]
            leaving = enter(number, order, firsts, sizes, classes, gone, leaving)
            number += 1
    for own in owners:
        in_class[own] = 0
        best[own] = -1
        if sizes[own] == 1:
            seen[order[firsts[own]]] = -1
    for vertex in gone[:leaving]:
        if sizes[classes[vertex]] == 1:
            seen[vertex] = -1
    return gone[:leaving].copy()


@compiled
def enter(
    number: int,
    order: CodeArray,
    firsts: CodeArray,
    sizes: CodeArray,
    classes: CodeArray,
    gone: CodeArray,
    leaving: int,
) -> int:
    """Give the vertices of a new class its number, and append them to those that have left their class."""
    for position in range(firsts[number], firsts[number] + sizes[number]):
        classes[order[position]] = number
        gone[leaving] = order[position]
        leaving += 1
    return leaving


@compiled
def hash_of(own: int, listed: CodeArray) -> np.uint64:
    """Return a number of 32 bits that is the same for equal lists of one class."""
    key = np.uint64(own + 1) * SPREAD
    for entry in listed:
        key = (key ^ (key >> np.uint64(29)) ^ np.uint64(entry)) * SPREAD
    return key >> np.uint64(32)


@compiled
def order_of(keys: npt.NDArray[np.uint64]) -> IntArray:
    """Return the order in which keys of 32 bits ascend: by their digits where there are many."""
    if len(keys) < MANY:
        return np.argsort(keys)
    order, turned = np.arange(len(keys)), np.empty(len(keys), dtype=np.int64)
    mask = np.uint64((1 << DIGIT) - 1)
    for shift in range(0, 32, DIGIT):
        places = np.zeros((1 << DIGIT) + 1, dtype=np.int64)
        for key in keys:
            places[((key >> np.uint64(shift)) & mask) + np.uint64(1)] += 1
        for before in range(1 << DIGIT):
            places[before + 1] += places[before]
        for entry in order:
            own = np.int64((keys[entry] >> np.uint64(shift)) & mask)
            turned[places[own]] = entry
            places[own] += 1
        order, turned = turned, order
    return order


@compiled
def gather_equal(
    members: CodeArray, first: int, end: int, classes: CodeArray, listed: CodeArray, begins: IntArray, seen: CodeArray
) -> int:
    """Bring those of ``members[first:end]`` that are like the first one next to it; return where they end."""
    head = members[first]
    same = first + 1
    for position in range(first + 1, end):
        vertex = members[position]
        alike = classes[vertex] == classes[head] and seen[vertex] == seen[head]
        entry = 0
        while alike and entry < seen[head]:
            alike = listed[begins[vertex] + entry] == listed[begins[head] + entry]
            entry += 1
        if alike:
            members[position], members[same] = members[same], members[position]
            same += 1
    return same


@compiled
def swap(order: CodeArray, place: CodeArray, position: int, other: int) -> None:
    """Exchange the vertices at two places of the order."""
    first, second = order[position], order[other]
    order[position], order[other] = second, first
    place[first], place[second] = other, position
