"""The boxes of groups: the lowest and the highest rank of each group on each axis."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator

from krypsis.algorithms.tables.boxes.axes import Axis, AxisKind, Publish
from krypsis.arrays import BoolArray, CodeArray, FloatArray, IntArray
from krypsis.data.hierarchies.base import TOP, Label
from krypsis.data.hierarchies.decimals import parse_number
from krypsis.data.recoding import CellRecoding, Codebook, FrequencySet
from krypsis.kernels.rows import number
from krypsis.specs import split_list, unquoted


def by_attribute(given: object) -> object:
    """Return a mapping from text such as ``age=numeric, zip=ordered``; anything else stays as it is.

    Examples
    --------
    >>> by_attribute("age=numeric, zip=ordered")
    {'age': 'numeric', 'zip': 'ordered'}
    >>> by_attribute("ranges")
    'ranges'
    """
    if not isinstance(given, str) or "=" not in given:
        return given
    pairs = (unquoted(part).rpartition("=") for part in split_list(given))
    return {name.strip(): value.strip() for name, _, value in pairs}


def listed(given: object) -> object:
    """Return a list from text with commas; anything else stays as it is.

    Examples
    --------
    >>> listed("sex, age")
    ['sex', 'age']
    """
    return [unquoted(part) for part in split_list(given)] if isinstance(given, str) else given


Kinds = Annotated[Mapping[str, AxisKind], BeforeValidator(by_attribute)]
Publishing = Annotated[Publish | Mapping[str, Publish], BeforeValidator(by_attribute)]
Names = Annotated[tuple[str, ...], BeforeValidator(listed)]


@dataclass(frozen=True, eq=False)
class Boxes:
    """``low[group, axis]`` and ``high[group, axis]`` are ranks, both inclusive."""

    low: CodeArray
    high: CodeArray
    is_region: bool = False
    """Whether a group is published as all of its box, also where sets of values are published."""
    opened: BoolArray | None = None
    """``opened[group, axis]``: the box begins just after the value before ``low``, and is written so: ``(a-b]``."""

    def costs(self, axes: Sequence[Axis]) -> FloatArray:
        """Return ``costs[group, axis]``: what one record of the group pays on each axis, without weights."""
        columns = [axis.cost(self.low[:, place], self.high[:, place]) for place, axis in enumerate(axes)]
        return np.stack(columns, axis=1) if columns else np.zeros((len(self.low), 0))


def ranks_of(codes: CodeArray, axes: Sequence[Axis]) -> CodeArray:
    """Return ``ranks[tuple, axis]`` of tuples given by their level-0 codes."""
    return np.ascontiguousarray(np.stack([axis.rank_of[codes[:, place]] for place, axis in enumerate(axes)], axis=1))


def boxes_of(ranks: CodeArray, group_of: IntArray | CodeArray, groups: int) -> Boxes:
    """Return the smallest box around each group; every group has at least one tuple.

    Examples
    --------
    >>> boxes = boxes_of(np.array([[3], [1], [2]], dtype=np.int32), np.array([0, 0, 1]), 2)
    >>> boxes.low.tolist(), boxes.high.tolist()
    ([[1], [2]], [[3], [2]])
    """
    order = np.argsort(group_of, kind="stable")
    starts = np.searchsorted(group_of[order], np.arange(groups))
    sorted_ranks = ranks[order]
    return Boxes(np.minimum.reduceat(sorted_ranks, starts), np.maximum.reduceat(sorted_ranks, starts))


UNCLEAR = re.compile(r'[,{}"]|^\s|\s$|^$')
"""What a value may hold so that nobody could tell where it ends in a set."""


def set_label(values: Iterable[object]) -> str:
    """Return a set as text; a value that would be unclear among others stands in quotation marks, as in JSON.

    Examples
    --------
    >>> set_label(["cook", "waiter"]), set_label(["cook", "craft, repair"])
    ('{cook, waiter}', '{cook, "craft, repair"}')
    """
    return "{" + ", ".join(map(_clear, map(str, values))) + "}"


def _clear(value: str) -> str:
    return json.dumps(value, ensure_ascii=False) if UNCLEAR.search(value) else value


Coded = tuple[Codebook, CodeArray]
"""A codebook, and the code of each group in it."""

BITS = 63
"""A set of so many values fits into one number."""


def publish_groups(
    frequency: FrequencySet,
    axes: Sequence[Axis],
    group_of: IntArray | CodeArray,
    boxes: Boxes | None = None,
    figures: Sequence[Mapping[str, Any]] = (),
) -> CellRecoding:
    """Return the recoding that publishes every tuple as its group; ``group_of`` numbers the groups from 0 on.

    ``boxes`` are those around the tuples of each group unless given.

    Examples
    --------
    >>> from krypsis.algorithms.tables.boxes import axes_of
    >>> from krypsis.data.hierarchies.base import Hierarchy
    >>> from krypsis.metrics.ncp import NormalizedCertaintyPenalty
    >>> age = Hierarchy.from_rows([[str(age), "*"] for age in (9, 11, 31)])
    >>> people = FrequencySet(("age",), (age,), np.array([[0], [1], [2]], dtype=np.int32), np.ones(3, dtype=np.int64))
    >>> recoding = publish_groups(people, axes_of(people, NormalizedCertaintyPenalty()), np.array([0, 0, 1]))
    >>> [recoding.codebooks[0].labels[code] for code in recoding.released[:, 0]]
    ['[9-11]', '[9-11]', '31']
    """
    found = boxes or boxes_of(ranks_of(frequency.codes, axes), group_of, int(group_of.max(initial=-1)) + 1)
    coded = [
        _sets(axis, axis.rank_of[frequency.codes[:, place]], group_of)
        if axis.form == "set" and not found.is_region
        else _runs(axis, found, place)
        for place, axis in enumerate(axes)
    ]
    released = np.stack([codes[group_of] for _, codes in coded], axis=1)
    suppressed = np.zeros(len(frequency.counts), dtype=np.bool_)
    return CellRecoding(released, tuple(book for book, _ in coded), suppressed, tuple(figures))


def range_label(axis: Axis, low: int, high: int, *, opened: bool = False) -> Label:
    """Return the text of a range; both ends belong to it, or with ``opened`` it begins after the value before."""
    first, last = (axis.hierarchy.values[int(axis.code_at[rank])] for rank in (low - opened, high))
    if low == high and not opened:
        return first
    if not opened and axis.numbers is not None and axis.numbers[low] == axis.numbers[high] and _is_same(first, last):
        return first
    between = " to " if "-" in f"{first}{last}" or axis.kind != "numeric" else "-"
    return f"{'(' if opened else '['}{first}{between}{last}]"


def _is_same(first: Label, last: Label) -> bool:
    """Say whether two texts are one number, written differently; numbers of many digits may only be close."""
    return parse_number(str(first)) == parse_number(str(last))


def _runs(axis: Axis, boxes: Boxes, place: int) -> Coded:
    """Return the labels of runs of ranks: ranges, sets of all values in them, or the lowest common ancestors."""
    low, high = boxes.low[:, place].astype(np.int64), boxes.high[:, place].astype(np.int64)
    opened = np.zeros(len(low), dtype=np.int64) if boxes.opened is None else boxes.opened[:, place].astype(np.int64)
    keys, codes = np.unique((low * len(axis.code_at) + high) * 2 + opened, return_inverse=True)
    (low, high), opened = np.divmod(keys // 2, len(axis.code_at)), keys % 2
    book = _nodes_book(axis, low, high) if axis.form == "node" else _ranges_book(axis, low, high, opened)
    return _joined(book, codes.astype(np.int32))


def _ranges_book(axis: Axis, low: IntArray, high: IntArray, opened: IntArray) -> Codebook:
    mixed = (high >= axis.known) & (low < axis.known)
    labels = [
        _top(axis) if top else _run_label(axis, first, last, opened=bool(after))
        for first, last, after, top in zip(low.tolist(), high.tolist(), opened.tolist(), mixed.tolist(), strict=True)
    ]
    starts, ends = np.where(mixed, 0, low), np.where(mixed, len(axis.code_at), high + 1)
    climbed = axis.level(low.astype(np.int32), high.astype(np.int32)) / max(axis.hierarchy.height, 1)
    return Codebook(tuple(labels), starts, ends, axis.code_at.astype(np.int64), np.where(mixed, 1.0, climbed))


def _run_label(axis: Axis, low: int, high: int, *, opened: bool) -> Label:
    if axis.form == "set":
        return _set_label(axis, axis.code_at[low : high + 1].tolist())
    return range_label(axis, low, high, opened=opened and low < axis.known)


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
    """Return the labels of the sets of values that occur in each group."""
    sets, set_of = _distinct_sets(ranks, group_of, len(axis.code_at))
    parts = [axis.code_at[list(found)].tolist() for found in sets]
    labels = [_set_label(axis, part) for part in parts]
    below: dict[Label, set[int]] = {}
    for label, part in zip(labels, parts, strict=True):
        joined = axis.code_at.tolist() if label == _top(axis) and len(part) > 1 else part
        below.setdefault(label, set()).update(joined)
    code_of = {label: code for code, label in enumerate(below)}
    climbed = [0.0 if len(part) == 1 else 1.0 for part in below.values()]
    codes = np.array([code_of[label] for label in labels], dtype=np.int32)
    return Codebook.of({label: sorted(part) for label, part in below.items()}, climbed), codes[set_of]


def _distinct_sets(
    ranks: CodeArray, group_of: IntArray | CodeArray, length: int
) -> tuple[list[tuple[int, ...]], IntArray]:
    """Return the different sets of ranks that groups have, and the number of the set of each group."""
    keys = group_of.astype(np.int64) * length + ranks
    keys = np.sort(keys[number(keys)[1]])
    starts = np.flatnonzero(np.diff(keys // length, prepend=-1))
    members = keys % length
    if length <= BITS:
        bits, set_of = np.unique(np.bitwise_or.reduceat(np.int64(1) << members, starts), return_inverse=True)
        return [tuple(rank for rank in range(length) if mask >> rank & 1) for mask in bits.tolist()], set_of
    numbers: dict[tuple[int, ...], int] = {}
    parts = (tuple(part.tolist()) for part in np.split(members, starts[1:]))
    set_numbers = [numbers.setdefault(part, len(numbers)) for part in parts]
    return list(numbers), np.array(set_numbers, dtype=np.int64)


def _set_label(axis: Axis, codes: Sequence[int]) -> Label:
    """Return the set as text; a missing value among others makes it everything."""
    values = [axis.hierarchy.values[code] for code in codes]
    if len(values) == 1:
        return values[0]
    if None in values or len(values) == len(axis.code_at):
        return _top(axis)
    return set_label(values)


def _top(axis: Axis) -> Label:
    return axis.hierarchy.labels[-1][0] if axis.hierarchy.height else TOP


def _joined(book: Codebook, codes: CodeArray) -> Coded:
    """Return the codebook with every label once: of two that look alike the wider one counts."""
    if len(set(book.labels)) == len(book.labels):
        return book, codes
    widest: dict[Label, int] = {}
    # In ascending order of width, so that of equal labels the widest is noted last and counts.
    for code in np.argsort(book.leaves, kind="stable").tolist():
        widest[book.labels[code]] = code
    chosen = np.array(sorted(widest.values()), dtype=np.int64)
    place = {book.labels[code]: at for at, code in enumerate(chosen.tolist())}
    again = np.array([place[label] for label in book.labels], dtype=np.int32)
    labels = tuple(book.labels[code] for code in chosen.tolist())
    return Codebook(labels, book.starts[chosen], book.ends[chosen], book.values, book.climbed[chosen]), again[codes]
