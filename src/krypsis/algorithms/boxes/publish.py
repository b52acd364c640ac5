"""What groups are published as: ranges, sets of values, or nodes of a hierarchy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from krypsis.algorithms.boxes.axes import Axis
from krypsis.algorithms.boxes.boxes import Boxes, boxes_of, ranks_of
from krypsis.frequency import FrequencySet
from krypsis.groups import IntArray
from krypsis.hierarchies.base import TOP, CodeArray, Label
from krypsis.recoding import CellRecoding, Codebook

Coded = tuple[Codebook, CodeArray]
"""A codebook, and the code of each group in it."""


def publish_groups(
    frequency: FrequencySet,
    axes: Sequence[Axis],
    group_of: IntArray | CodeArray,
    boxes: Boxes | None = None,
    trace: Sequence[Mapping[str, Any]] = (),
) -> CellRecoding:
    """Return the recoding that publishes every tuple as its group; ``group_of`` numbers the groups from 0 on.

    ``boxes`` are those around the tuples of each group unless given.

    Examples
    --------
    >>> from krypsis.algorithms.boxes import axes_of
    >>> from krypsis.hierarchies.base import Hierarchy
    >>> from krypsis.metrics.ncp import NormalizedCertaintyPenalty
    >>> age = Hierarchy.from_rows([[str(age), "*"] for age in (9, 11, 31)])
    >>> people = FrequencySet(("age",), (age,), np.array([[0], [1], [2]], dtype=np.int32), np.ones(3, dtype=np.int64))
    >>> recoding = publish_groups(people, axes_of(people, NormalizedCertaintyPenalty()), np.array([0, 0, 1]))
    >>> [recoding.codebooks[0].labels[code] for code in recoding.released[:, 0]]
    ['[9-11]', '[9-11]', '31']
    """
    ranks = ranks_of(frequency.codes, axes)
    found = boxes or boxes_of(ranks, group_of, int(group_of.max(initial=-1)) + 1)
    coded = [
        _sets(axis, ranks[:, place], group_of) if axis.form == "set" else _runs(axis, found, place)
        for place, axis in enumerate(axes)
    ]
    released = np.stack([codes[group_of] for _, codes in coded], axis=1).astype(np.int32)
    suppressed = np.zeros(len(frequency.counts), dtype=np.bool_)
    return CellRecoding(released, tuple(book for book, _ in coded), suppressed, tuple(trace))


def range_label(axis: Axis, low: int, high: int) -> Label:
    """Return the text of a range; both ends belong to it."""
    first, last = (axis.hierarchy.values[int(axis.code_at[rank])] for rank in (low, high))
    if low == high or (axis.kind == "numeric" and axis.position[low] == axis.position[high]):
        return first
    between = " to " if "-" in f"{first}{last}" or axis.kind != "numeric" else "-"
    return f"[{first}{between}{last}]"


def _runs(axis: Axis, boxes: Boxes, place: int) -> Coded:
    """Return the labels of runs of ranks: ranges, or the lowest common ancestors."""
    low, high = boxes.low[:, place].astype(np.int64), boxes.high[:, place].astype(np.int64)
    keys, codes = np.unique(low * len(axis.code_at) + high, return_inverse=True)
    low, high = keys // len(axis.code_at), keys % len(axis.code_at)
    book = _nodes_book(axis, low, high) if axis.form == "node" else _ranges_book(axis, low, high)
    return _joined(book, codes.astype(np.int32))


def _ranges_book(axis: Axis, low: IntArray, high: IntArray) -> Codebook:
    mixed = (high >= axis.known) & (low < axis.known)
    labels = [
        _top(axis) if top else range_label(axis, first, last)
        for first, last, top in zip(low.tolist(), high.tolist(), mixed.tolist(), strict=True)
    ]
    starts, ends = np.where(mixed, 0, low), np.where(mixed, len(axis.code_at), high + 1)
    climbed = axis.level(low.astype(np.int32), high.astype(np.int32)) / max(axis.hierarchy.height, 1)
    return Codebook(tuple(labels), starts, ends, axis.code_at.astype(np.int64), np.where(mixed, 1.0, climbed))


def _nodes_book(axis: Axis, low: IntArray, high: IntArray) -> Codebook:
    level = axis.level(low.astype(np.int32), high.astype(np.int32))
    node = axis.nodes[level, low]
    labels = [axis.hierarchy.labels[at][code] for at, code in zip(level.tolist(), node.tolist(), strict=True)]
    starts, ends = np.empty_like(low), np.empty_like(low)
    for at in np.unique(level).tolist():
        first = np.flatnonzero(np.diff(axis.nodes[at], prepend=-1))
        run = np.searchsorted(first, low[level == at], side="right") - 1
        starts[level == at], ends[level == at] = first[run], np.append(first, len(axis.code_at))[run + 1]
    return Codebook(tuple(labels), starts, ends, axis.code_at.astype(np.int64), level / max(axis.hierarchy.height, 1))


def _sets(axis: Axis, ranks: CodeArray, group_of: IntArray | CodeArray) -> Coded:
    keys = np.unique(group_of.astype(np.int64) * len(axis.code_at) + ranks)
    groups, members = keys // len(axis.code_at), axis.code_at[keys % len(axis.code_at)]
    parts = [part.tolist() for part in np.split(members, np.flatnonzero(np.diff(groups)) + 1)]
    labels = [_set_label(axis, part) for part in parts]
    everything = {_top(axis): axis.code_at.tolist()}
    below = {label: everything.get(label, part) for label, part in zip(labels, parts, strict=True)}
    code_of = {label: code for code, label in enumerate(below)}
    climbed = [0.0 if len(part) == 1 else 1.0 for part in below.values()]
    return Codebook.of(below, climbed), np.array([code_of[label] for label in labels], dtype=np.int32)


def _set_label(axis: Axis, codes: Sequence[int]) -> Label:
    """Return the set as text; a missing value among others makes it everything."""
    values = [axis.hierarchy.values[code] for code in codes]
    if len(values) == 1:
        return values[0]
    if None in values or len(values) == len(axis.code_at):
        return _top(axis)
    return "{" + ", ".join(map(str, values)) + "}"


def _top(axis: Axis) -> Label:
    return axis.hierarchy.labels[-1][0] if axis.hierarchy.height else TOP


def _joined(book: Codebook, codes: CodeArray) -> Coded:
    """Return the codebook with every label once: of two that look alike the wider one counts."""
    if len(set(book.labels)) == len(book.labels):
        return book, codes
    widest: dict[Label, int] = {}
    for code in np.argsort(book.leaves, kind="stable").tolist():
        widest[book.labels[code]] = code
    chosen = np.array(sorted(widest.values()), dtype=np.int64)
    place = {book.labels[code]: at for at, code in enumerate(chosen.tolist())}
    again = np.array([place[label] for label in book.labels], dtype=np.int32)
    labels = tuple(book.labels[code] for code in chosen.tolist())
    return Codebook(labels, book.starts[chosen], book.ends[chosen], book.values, book.climbed[chosen]), again[codes]
