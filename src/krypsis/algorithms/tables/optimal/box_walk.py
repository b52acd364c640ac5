"""Visiting every node of a box where bounds spare few of them: only how much is suppressed there is found out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from krypsis.algorithms.tables.lattice.evaluation import CountTable, Judge, accepted_in_tables
from krypsis.algorithms.tables.lattice.lattice import Lattice, Levels, NodeGroups
from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.data.groups import Histogram
from krypsis.kernels._jit import compiled
from krypsis.kernels.rows import SPREAD


class KeyDigits(NamedTuple):
    """Where the label of each attribute stands in a key, and what it becomes one level up."""

    shifts: IntArray
    masks: IntArray
    starts: IntArray
    """``parents[starts[attribute, level] + label]`` is the label above."""
    parents: IntArray


class NodeStack(NamedTuple):
    """The groups at several nodes; ``[depth, group]`` each, so many as ``counts[depth]`` says.

    The words of a group are its counts of sensitive values, several in a word: adding words adds all of them at once.
    """

    keys: IntArray
    sizes: IntArray
    words: IntArray
    counts: IntArray


class Place(NamedTuple):
    """How far a walk has come. The last attribute goes up first, as the last digit of a counter does."""

    lowest: IntArray
    highest: IntArray
    levels: IntArray
    made: IntArray
    """The depth at which the groups lie that an attribute is raised from: those after it are at their lowest levels."""


class Harvest(NamedTuple):
    """The groups of all nodes visited, one node after the other, and where those of each node end."""

    sizes: IntArray
    words: IntArray
    levels: IntArray
    ends: IntArray


@compiled
def walk_on(stack: NodeStack, place: Place, digits: KeyDigits, slots: CodeArray, least: int, harvest: Harvest) -> int:
    """Visit nodes until the harvest is full; return how many.

    Groups of fewer than ``least`` records are not gathered. There is room for the groups of at least one node, and the
    box has as many nodes left as ``harvest.ends`` has places.
    """
    gathered = 0
    # One node per iteration, as a counter goes through its numbers; each is rolled up from a node one level below.
    for node in range(len(harvest.ends)):
        position = _next_to_rise(place)
        source, target = place.made[position], position + 1
        if gathered + stack.counts[source] > len(harvest.sizes):
            return node
        stack.counts[target] = _roll_up(stack, source, target, digits, position, place.levels[position], slots)
        _rise(place, position)
        gathered = _gather(stack, target, least, harvest, gathered)
        harvest.levels[node] = place.levels
        harvest.ends[node] = gathered
    return len(harvest.ends)


@compiled
def _next_to_rise(place: Place) -> int:
    position = len(place.levels) - 1
    while place.levels[position] == place.highest[position]:
        position -= 1
    return position


@compiled
def _rise(place: Place, position: int) -> None:
    place.levels[position] += 1
    place.levels[position + 1 :] = place.lowest[position + 1 :]
    place.made[position:] = position + 1


@compiled
def _roll_up(
    stack: NodeStack, source: int, target: int, digits: KeyDigits, position: int, level: int, slots: CodeArray
) -> int:
    """Make the groups one level up in one attribute; return how many there are.

    Source and target may be the same: no group is written before it has been read.
    """
    keys, sizes, words = stack.keys[source], stack.sizes[source], stack.words[source]
    new_keys, new_sizes, new_words = stack.keys[target], stack.sizes[target], stack.words[target]
    shift, mask = digits.shifts[position], digits.masks[position]
    parents = digits.parents[digits.starts[position, level] :]
    bits = 4
    # At most half full, so that probing stays short.
    while (1 << bits) < 2 * stack.counts[source]:
        bits += 1
    slots[: 1 << bits] = -1
    found = 0
    for group in range(stack.counts[source]):
        label = (keys[group] >> shift) & mask
        # Replace the label of one attribute by its parent; all other digits of the key stay.
        key = keys[group] + ((parents[label] - label) << shift)
        # Multiplicative hashing; groups that get the same key are one group at the new node.
        slot = np.int64((np.uint64(key) * SPREAD) >> np.uint64(64 - bits))
        while slots[slot] >= 0 and new_keys[slots[slot]] != key:
            slot = (slot + 1) & ((1 << bits) - 1)
        number = slots[slot]
        if number < 0:
            slots[slot] = found
            new_keys[found], new_sizes[found] = key, sizes[group]
            for word in range(words.shape[1]):
                new_words[found, word] = words[group, word]
            found += 1
        else:
            new_sizes[number] += sizes[group]
            for word in range(words.shape[1]):
                new_words[number, word] += words[group, word]
    return found


@compiled
def _gather(stack: NodeStack, depth: int, least: int, harvest: Harvest, gathered: int) -> int:
    sizes, words = stack.sizes[depth], stack.words[depth]
    for group in range(stack.counts[depth]):
        if sizes[group] >= least:
            harvest.sizes[gathered] = sizes[group]
            for word in range(words.shape[1]):
                harvest.words[gathered, word] = words[group, word]
            gathered += 1
    return gathered


MOST_NODES = 100_000
"""Larger boxes are cut first: their bounds say more about where to look than the order of a walk."""

MEMORY = 64 * 2**20
"""Bytes that the groups of a walk may take; boxes with more are cut first."""

KEY_BITS = 62
WORD = 8
GROUPS = 2**16
"""So many groups are judged at once: enough to make a call pay, few enough to stay in the cache."""


@dataclass(frozen=True, eq=False)
class Visited:
    """Some nodes of a box, and how many records are suppressed at each."""

    levels: IntArray
    """``levels[node, attribute]``"""
    suppressed: IntArray

    def part(self, chosen: BoolArray) -> "Visited":
        """Return the chosen nodes only."""
        return Visited(self.levels[chosen], self.suppressed[chosen])


class BoxWalk:
    """Visits the nodes between the corners of a box, each rolled up from a node one level below in one attribute.

    The sensitive values of a group are counted value by value in a few words, so that a group is merged by a few
    additions; all groups of many nodes are judged together.
    """

    def __init__(self, judge: Judge, lowest: NodeGroups, highest: Levels) -> None:
        self._judge = judge
        self._order = _order(judge, lowest.levels, highest)
        self._start = np.array(lowest.levels, dtype=np.int64)
        self._layout = _Layout(lowest.sensitive, judge.frequency.rows)
        self._least = max((model.least_size for model in judge.models), default=1)
        self._digits, keys = _digits(judge, lowest, self._order)
        self._stack = _stack(keys, lowest.sizes, self._layout.words(lowest), len(self._order))
        levels = self._start[self._order]
        made = np.zeros(len(levels), dtype=np.int64)
        self._place = Place(levels, np.array(highest)[self._order], levels.copy(), made)
        self._slots = np.empty(max(4 * len(keys), 16), dtype=np.int32)
        room = max(GROUPS, len(keys))
        self._sizes = np.empty(room, dtype=np.int64)
        self._words = np.empty((room, self._layout.width), dtype=np.int64)
        self.left = Lattice(lowest.levels, highest).size - 2
        """How many nodes have not been visited yet; the corners of a box are known."""

    @staticmethod
    def is_possible(judge: Judge, lowest: NodeGroups, highest: Levels) -> bool:
        """Say whether the promises are about each group for itself, and the box is small enough."""
        if not judge.judges_groups or Lattice(lowest.levels, highest).size > MOST_NODES:
            return False
        depths = len(_order(judge, lowest.levels, highest)) + 1
        words = _Layout(lowest.sensitive, judge.frequency.rows).width
        memory = WORD * depths * len(lowest.sizes) * (2 + words)
        return memory <= MEMORY and sum(_bits(judge, lowest.levels)) <= KEY_BITS

    def visit(self, most: int) -> Visited:
        """Visit the next nodes, at most so many."""
        most = min(most, self.left, len(self._sizes))
        levels = np.empty((most, len(self._order)), dtype=np.int64)
        harvest = Harvest(self._sizes, self._words, levels, np.empty(most, dtype=np.int64))
        count = walk_on(self._stack, self._place, self._digits, self._slots, self._least, harvest)
        self.left -= count
        visited = np.tile(self._start, (count, 1))
        visited[:, self._order] = levels[:count]
        return Visited(visited, self._suppressed(harvest.ends[:count]))

    def _suppressed(self, ends: IntArray) -> IntArray:
        groups = int(ends[-1])
        sizes = self._sizes[:groups]
        tables = self._layout.tables(self._words[:groups])
        kept = np.append(0, np.cumsum(sizes * accepted_in_tables(self._judge.models, sizes, tables)))
        return np.asarray(self._judge.frequency.rows - np.diff(kept[ends], prepend=0))


class _Layout:
    """Where the counts of each sensitive value lie in the words of a group.

    A count has 16 bits where that is enough for all records, so that no sum ever spills into the next one.
    """

    def __init__(self, histograms: Mapping[str, Histogram], rows: int) -> None:
        self._histograms = histograms
        self._type = np.uint16 if rows < 2**16 else np.uint32 if rows < 2**32 else np.uint64
        share = WORD // np.dtype(self._type).itemsize
        ends = np.cumsum([0, *(-(-len(histograms[name].domain) // share) for name in histograms)])
        self._parts = dict(zip(histograms, map(slice, ends[:-1], ends[1:]), strict=True))
        self.width = int(ends[-1])

    def words(self, groups: NodeGroups) -> IntArray:
        """Return the counts of all groups as words."""
        words = np.zeros((len(groups.sizes), self.width), dtype=np.int64)
        for name, part in self._parts.items():
            histogram = groups.sensitive[name]
            words[:, part].view(self._type)[histogram.group, histogram.value] = histogram.count
        return words

    def tables(self, words: IntArray) -> dict[str, CountTable]:
        """Return the counts that words hold, attribute by attribute."""
        return {
            name: CountTable(words[:, self._parts[name]].view(self._type), histogram.whole, histogram.domain)
            for name, histogram in self._histograms.items()
        }


def _order(judge: Judge, lowest: Levels, highest: Levels) -> list[int]:
    """Return the attributes that can be raised, those first that have most values and merge most groups."""
    free = [position for position, level in enumerate(lowest) if level < highest[position]]
    return sorted(free, key=lambda position: -len(judge.frequency.hierarchies[position].labels[lowest[position]]))


def _bits(judge: Judge, levels: Levels) -> list[int]:
    """Return how many bits the labels of each attribute need at a node; those above need no more."""
    trees = zip(judge.frequency.hierarchies, levels, strict=True)
    return [(len(tree.labels[level]) - 1).bit_length() for tree, level in trees]


def _digits(judge: Judge, lowest: NodeGroups, order: list[int]) -> tuple[KeyDigits, IntArray]:
    """Return how labels go up in the attributes of a walk, and the keys of the groups it begins with."""
    frequency, bits = judge.frequency, np.array(_bits(judge, lowest.levels))
    shifts = np.cumsum(bits) - bits
    keys = np.zeros(len(lowest.sizes), dtype=np.int64)
    for position, (tree, level) in enumerate(zip(frequency.hierarchies, lowest.levels, strict=True)):
        labels = tree.table[level][frequency.codes[lowest.tuples, position]]
        keys |= labels.astype(np.int64) << shifts[position]
    parents, starts = judge.rollup.steps
    return KeyDigits(shifts[order], (1 << bits[order]) - 1, starts[order], parents), keys


def _stack(keys: IntArray, sizes: IntArray, words: IntArray, attributes: int) -> NodeStack:
    """Return a stack with the groups at the bottom, and room for those after each attribute."""
    depths, groups = attributes + 1, len(keys)
    stack = NodeStack(
        np.empty((depths, groups), dtype=np.int64),
        np.empty((depths, groups), dtype=np.int64),
        np.empty((depths, groups, words.shape[1]), dtype=np.int64),
        np.zeros(depths, dtype=np.int64),
    )
    stack.keys[0], stack.sizes[0], stack.words[0], stack.counts[0] = keys, sizes, words, groups
    return stack
