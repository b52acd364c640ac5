"""Walking over all nodes of a box of the lattice, each rolled up from the one before it, and gathering their groups."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from krypsis.arrays import CodeArray, IntArray
from krypsis.kernels._jit import compiled
from krypsis.kernels.grouping import SPREAD


class Digits(NamedTuple):
    """Where the label of each attribute stands in a key, and what it becomes one level up."""

    shifts: IntArray
    masks: IntArray
    starts: IntArray
    """``parents[starts[attribute, level] + label]`` is the label above."""
    parents: IntArray


class Stack(NamedTuple):
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
def walk_on(stack: Stack, place: Place, digits: Digits, slots: CodeArray, least: int, harvest: Harvest) -> int:
    """Visit nodes until the harvest is full; return how many.

    Groups of fewer than ``least`` records are not gathered. There is room for the groups of at least one node, and the
    box has as many nodes left as ``harvest.ends`` has places.
    """
    gathered = 0
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
    stack: Stack, source: int, target: int, digits: Digits, position: int, level: int, slots: CodeArray
) -> int:
    """Make the groups one level up in one attribute; return how many there are.

    Source and target may be the same: no group is written before it has been read.
    """
    keys, sizes, words = stack.keys[source], stack.sizes[source], stack.words[source]
    new_keys, new_sizes, new_words = stack.keys[target], stack.sizes[target], stack.words[target]
    shift, mask = digits.shifts[position], digits.masks[position]
    parents = digits.parents[digits.starts[position, level] :]
    bits = 4
    while (1 << bits) < 2 * stack.counts[source]:
        bits += 1
    slots[: 1 << bits] = -1
    found = 0
    for group in range(stack.counts[source]):
        label = (keys[group] >> shift) & mask
        key = keys[group] + ((parents[label] - label) << shift)
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
def _gather(stack: Stack, depth: int, least: int, harvest: Harvest, gathered: int) -> int:
    sizes, words = stack.sizes[depth], stack.words[depth]
    for group in range(stack.counts[depth]):
        if sizes[group] >= least:
            harvest.sizes[gathered] = sizes[group]
            for word in range(words.shape[1]):
                harvest.words[gathered, word] = words[group, word]
            gathered += 1
    return gathered
