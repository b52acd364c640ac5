"""External merge sort: runs of sorted axioms, merged as they are read, without repetitions and without known ones."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

import numpy as np

from krypsis.algorithms.ontologies.on_disk.pages import AXIOM_BYTES, PageFile, PageFolder, Stream
from krypsis.arrays import IntArray
from krypsis.kernels._jit import compiled

KEEP_BIT = -1
"""What a merged stream does to the lowest bit of axioms, other than setting it to 0 or 1."""
_OUTPUT_FULL, _ALL_READ = -1, -2
_HEAP, _OUTPUT, _HELD, _HELD_IS_KNOWN, _HAS_HELD = range(5)


@dataclass(eq=False)
class Source:
    """One stream among those that are merged."""

    stream: Stream
    bit: int = KEEP_BIT
    """What the lowest bit of its axioms becomes."""
    is_known: bool = False
    """Whether its axioms are to be left out of the result, wherever else they come from."""


@dataclass(eq=False)
class MergedStream:
    """The axioms of several streams in ascending order, each once.

    Axioms that differ in the lowest bit only count as the same; which of them is returned is that of the first stream.
    """

    workspace: PageFolder
    sources: Sequence[Source]
    memory: int
    """How many bytes its buffers may take."""

    def __post_init__(self) -> None:
        count = len(self.sources)
        self.slot = self.workspace.whole_pages(self.memory // max(count, 1))
        self.buffer = self.workspace.memory.take(count * self.slot)
        self.places = np.zeros(count, dtype=np.int64)
        self.ends = np.zeros(count, dtype=np.int64)
        self.bits = np.array([source.bit for source in self.sources], dtype=np.int64)
        self.known = np.array([source.is_known for source in self.sources], dtype=np.int64)
        self.heap = np.zeros(count, dtype=np.int64)
        self.state = np.zeros(5, dtype=np.int64)
        self._closed = False
        for place in range(count):
            self._refill(place)

    @property
    def at_end(self) -> bool:
        return not self.state[_HEAP] and not self.state[_HAS_HELD]

    def _refill(self, place: int) -> None:
        """Read more of a stream and put it among those that have axioms."""
        start = place * self.slot
        got = self.sources[place].stream.read_into(self.buffer[: start + self.slot], start)
        self.places[place], self.ends[place] = start, start + got
        if got:
            push_source(self.heap, self.state, self.buffer, self.places, place)

    def read_into(self, buffer: IntArray, start: int) -> int:
        self.state[_OUTPUT] = start
        while True:
            found = merge_sources(
                self.heap, self.state, self.buffer, self.places, self.ends, self.bits, self.known, buffer
            )
            if found >= 0:
                self._refill(int(found))
            else:
                return int(self.state[_OUTPUT]) - start

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self.workspace.memory.give_back(self.buffer)
            self.buffer = np.empty(0, dtype=np.int64)  # or it would stay in memory
            self.state[:] = 0
            for source in self.sources:
                source.stream.close()


@compiled
def push_source(heap: IntArray, state: IntArray, buffer: IntArray, places: IntArray, place: int) -> None:
    """Put a stream into the heap, which has the one with the smallest axiom on top."""
    child = state[_HEAP]
    state[_HEAP] += 1
    key = buffer[places[place]] >> 1
    while child > 0:
        parent = (child - 1) >> 1
        other = heap[parent]
        other_key = buffer[places[other]] >> 1
        if other_key < key or (other_key == key and other < place):
            break
        heap[child] = other
        child = parent
    heap[child] = place


@compiled
def sift_top(heap: IntArray, count: int, buffer: IntArray, places: IntArray) -> None:
    """Let the stream on top of the heap sink to its place."""
    place = heap[0]
    key = buffer[places[place]] >> 1
    parent = 0
    while True:
        child = 2 * parent + 1
        if child >= count:
            break
        chosen = heap[child]
        chosen_key = buffer[places[chosen]] >> 1
        if child + 1 < count:
            other = heap[child + 1]
            other_key = buffer[places[other]] >> 1
            if other_key < chosen_key or (other_key == chosen_key and other < chosen):
                child += 1
                chosen = other
                chosen_key = other_key
        if key < chosen_key or (key == chosen_key and place < chosen):
            break
        heap[parent] = chosen
        parent = child
    heap[parent] = place


@compiled
def merge_sources(
    heap: IntArray,
    state: IntArray,
    buffer: IntArray,
    places: IntArray,
    ends: IntArray,
    bits: IntArray,
    known: IntArray,
    output: IntArray,
) -> int:
    """Merge until the output is full, all is read, or a stream has to be read on, whose number is returned then.

    An axiom is held back until a different one comes: only then is it clear that it is not a known one.
    """
    while state[_HEAP] > 0:
        place = heap[0]
        key = buffer[places[place]]
        if not state[_HAS_HELD] or (state[_HELD] >> 1) != (key >> 1):
            if not release_held(state, output):
                return _OUTPUT_FULL
            state[_HAS_HELD] = 1
            state[_HELD] = key if bits[place] == KEEP_BIT else (key >> 1 << 1) | bits[place]
            state[_HELD_IS_KNOWN] = known[place]
        elif known[place]:
            state[_HELD_IS_KNOWN] = 1
        places[place] += 1
        if places[place] < ends[place]:
            sift_top(heap, state[_HEAP], buffer, places)
        else:
            state[_HEAP] -= 1
            heap[0] = heap[state[_HEAP]]
            if state[_HEAP] > 0:
                sift_top(heap, state[_HEAP], buffer, places)
            return int(place)
    return _ALL_READ if release_held(state, output) else _OUTPUT_FULL


@compiled
def release_held(state: IntArray, output: IntArray) -> bool:
    """Write the axiom that was held back unless it is known; return whether there was room."""
    if state[_HAS_HELD] and not state[_HELD_IS_KNOWN]:
        if state[_OUTPUT] >= output.shape[0]:
            return False
        output[state[_OUTPUT]] = state[_HELD]
        state[_OUTPUT] += 1
    state[_HAS_HELD] = 0
    return True


@compiled
def keep_distinct(axioms: IntArray, count: int) -> int:
    """Move each of the first sorted axioms to the front once, and return how many these are."""
    kept = 0
    for place in range(count):
        if place == 0 or axioms[place] != axioms[kept - 1]:
            axioms[kept] = axioms[place]
            kept += 1
    return kept


@dataclass(eq=False)
class RunSorter:
    """Takes axioms in any order, and writes sorted runs of them without repetitions whenever its buffer is full."""

    workspace: PageFolder
    buffer: IntArray
    runs: list[PageFile] = field(default_factory=list)

    def make_room(self, count: int, *, at_end: bool = False) -> int:
        """Sort the first axioms of the buffer, write them if that frees too little, and return how many remain."""
        if not count:
            return 0
        self.buffer[:count].sort()
        kept = int(keep_distinct(self.buffer, count))
        if kept <= len(self.buffer) // 2 and not at_end:
            return kept
        run = PageFile(self.workspace)
        run.append(self.buffer[:kept])
        self.runs.append(run.finish())
        return 0


def merged_runs(workspace: PageFolder, runs: list[PageFile], most: int) -> list[PageFile]:
    """Merge runs to at most so many, in as few passes as possible."""
    runs = list(runs)
    while len(runs) > most:
        count = min(most, len(runs) - most + 1)
        chosen, runs = sorted(runs, key=len)[:count], sorted(runs, key=len)[count:]
        runs.append(written(workspace, [Source(run.read()) for run in chosen]))
        for run in chosen:
            run.delete()
    return runs


def most_sources(workspace: PageFolder, others: int = 0) -> int:
    """Return how many streams can be merged at a time, with one page each: no fewer than two."""
    return max(workspace.memory.free // workspace.page_bytes * 3 // 4 - others - 2, 2)


def written(workspace: PageFolder, sources: Sequence[Source]) -> PageFile:
    """Write the axioms of several streams to a new file, with all memory that is free."""
    found = PageFile(workspace)
    with ExitStack() as stack:
        memory = workspace.memory.free - workspace.page_bytes  # the last page of the file
        stream = MergedStream(workspace, sources, memory * 3 // 4)
        stack.callback(stream.close)
        output = stack.enter_context(workspace.memory.buffer(_rest(workspace)))
        while count := stream.read_into(output, 0):
            found.append(output[:count])
    return found.finish()


def _rest(workspace: PageFolder) -> int:
    return max(workspace.memory.free - workspace.page_bytes, workspace.page_bytes) // AXIOM_BYTES
