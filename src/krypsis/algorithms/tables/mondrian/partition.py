"""The partition: all parts are cut in two, level by level, until none can be."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from krypsis.algorithms.tables.base import Promises, part_numbers
from krypsis.algorithms.tables.boxes import Axis, Boxes
from krypsis.algorithms.tables.mondrian.kernels import Classes, CutRule, Parts, Points, cut_best, cut_widest
from krypsis.algorithms.tables.mondrian.steps import LayerNotes, note_layer
from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.data.groups import Histogram
from krypsis.kernels._jit import for_work
from krypsis.kernels.parts import measure_boxes
from krypsis.kernels.runs import AxisTable
from krypsis.progress import Progress


def pack_axes(axes: Sequence[Axis], precedence: Sequence[int]) -> AxisTable:
    """Return the axes one after the other; ``precedence`` lists them in the order in which ties are broken."""
    lengths = np.array([len(axis.code_at) for axis in axes], dtype=np.int64)
    heights = np.array([axis.hierarchy.height for axis in axes], dtype=np.int64)
    by_node = np.array([axis.form == "node" for axis in axes], dtype=np.bool_)
    return AxisTable(
        by_node=by_node,
        is_tree=by_node & np.array([axis.kind != "ordered" for axis in axes], dtype=np.bool_),
        known=np.array([axis.known for axis in axes], dtype=np.int64),
        lengths=lengths,
        heights=heights,
        places=_starts(lengths),
        positions=np.concatenate([axis.position for axis in axes]),
        tables=_starts(lengths * (heights + 1)),
        nodes=np.concatenate([axis.nodes.ravel() for axis in axes]),
        costs=np.concatenate([axis.node_costs.ravel() for axis in axes]),
        weights=np.array([axis.weight for axis in axes], dtype=np.float64),
        spans=np.array([axis.span for axis in axes], dtype=np.float64),
        precedence=np.array(precedence, dtype=np.int64),
    )


def pack_classes(histogram: Histogram | None, tuples: int) -> Classes | None:
    """Return the classes of each tuple; none where they play no part."""
    if histogram is None:
        return None
    by_tuple = np.argsort(histogram.group, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(histogram.group, minlength=tuples))]).astype(np.int64)
    return Classes(starts, histogram.value[by_tuple], histogram.count[by_tuple], len(histogram.domain))


def _starts(lengths: IntArray) -> IntArray:
    return np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)


WORTH_A_THREAD = 100_000
"""Tuples in parts that are still cut, from which on several threads are worth their start."""


@dataclass(frozen=True, eq=False)
class Layer:
    """Parts of a table: runs of points, with the region each was given and the cuts that were refused."""

    starts: IntArray
    ends: IntArray
    low: CodeArray
    high: CodeArray
    """``low[part, axis]`` and ``high[part, axis]``: the region as ranks, both included."""
    refused: IntArray
    """``refused[part, axis]``: how many cuts of the axis the models refused."""

    def __len__(self) -> int:
        return len(self.starts)

    def chosen(self, chosen: BoolArray | IntArray) -> "Layer":
        """Return some of the parts, or all in another order."""
        return Layer(self.starts[chosen], self.ends[chosen], self.low[chosen], self.high[chosen], self.refused[chosen])

    def with_others(self, *others: "Layer") -> "Layer":
        """Return these parts and more."""
        layers = (self, *others)
        return Layer(
            np.concatenate([layer.starts for layer in layers]),
            np.concatenate([layer.ends for layer in layers]),
            np.concatenate([layer.low for layer in layers]),
            np.concatenate([layer.high for layer in layers]),
            np.concatenate([layer.refused for layer in layers]),
        )


@dataclass(frozen=True, eq=False)
class Partition:
    """The groups that were found: the number of the group of each tuple, their boxes, and their regions."""

    group_of: CodeArray
    boxes: Boxes
    regions: Boxes
    notes: tuple[LayerNotes, ...] = ()
    """How the parts were cut, where a trace is kept."""


@dataclass(frozen=True, eq=False)
class Partitioner:
    """Cuts a table in two as long as both parts keep the promises.

    All parts of a level are cut, and judged, together: on their widest axis, or on the one where the cut lowers the
    loss most, or distinguishes classes best. ``by_region`` measures the width of a part on its region.
    """

    axes: AxisTable
    widest: bool
    classes: Classes | None
    rule: CutRule
    promises: Promises
    threads: int
    by_region: bool

    def run(self, ranks: CodeArray, progress: Progress) -> Partition:
        """Return the parts that cannot be cut any more; when the listener asks to stop, those found so far.

        ``ranks`` are rearranged.
        """
        points = Points(ranks, self.promises.frequency.counts.copy(), np.arange(len(ranks), dtype=np.int32))
        layer, done = self._whole(len(ranks)), []
        notes: list[LayerNotes] = []
        with ThreadPoolExecutor(self.threads) as pool:
            # ANONYMIZE(P), layer by layer instead of recursively: the parts of a layer are judged in one call.
            while len(layer) and not progress.wants_stop():
                parts, keeps, finished, layer = self._cut(points, layer, pool)
                done.append(finished)
                if progress.keeps_steps:
                    now = layer.with_others(*done)
                    notes.append(note_layer(points, self.axes, self.rule, parts, keeps, (now.low, now.high)))
        return replace(_gathered(points, layer.with_others(*done)), notes=tuple(notes))

    def _whole(self, tuples: int) -> Layer:
        axes = len(self.axes.lengths)
        return Layer(
            np.zeros(1, dtype=np.int64),
            np.full(1, tuples, dtype=np.int64),
            np.zeros((1, axes), dtype=np.int32),
            (self.axes.lengths - 1).astype(np.int32).reshape(1, axes),
            np.zeros((1, axes), dtype=np.int64),
        )

    def _cut(self, points: Points, layer: Layer, pool: ThreadPoolExecutor) -> tuple[Parts, BoolArray, Layer, Layer]:
        """Cut every part; return how, which cuts keep the promises, parts without a cut, and those to go on with."""
        parts = _parts(layer, by_region=self.by_region)
        # Steps 1-3 for every part of the layer (choose dimension, median, lhs and rhs); see the kernels.
        list(pool.map(lambda share: self._cut_some(points, parts, share), _shares(layer, self.threads)))
        was_cut = parts.middle >= 0
        # Beyond the paper: both sides must keep all promises, not only have k records.
        keeps = np.zeros(len(layer), dtype=np.bool_)
        keeps[was_cut] = self._keep(points, layer.starts[was_cut], parts.middle[was_cut], layer.ends[was_cut])
        again = layer.chosen(was_cut & ~keeps)
        if len(again):
            # A refused cut is passed over next time, so another cut of the axis, or another axis, gets its turn.
            again.refused[np.arange(len(again)), parts.axis[was_cut & ~keeps]] += 1
        # Step 4: a part without an allowable cut is a group; the others go on.
        return parts, keeps, layer.chosen(~was_cut), again.with_others(*self._sides(layer, parts, keeps))

    def _cut_some(self, points: Points, parts: Parts, share: slice) -> None:
        some = Parts._make(column[share] for column in parts)
        cells = int((some.ends - some.starts).sum()) * points.ranks.shape[1]
        if self.widest:
            for_work(cut_widest, cells)(points, self.axes, self.rule, some)
        else:
            for_work(cut_best, cells)(points, self.axes, self.classes, self.rule, some)

    def _keep(self, points: Points, starts: IntArray, middles: IntArray, ends: IntArray) -> BoolArray:
        """Say for each cut whether both sides keep the promises."""
        if not self.promises.beyond_size or not len(starts):
            return np.ones(len(starts), dtype=np.bool_)
        sides = part_numbers(points.order, np.concatenate([starts, middles]), np.concatenate([middles, ends]))
        kept = self.promises.keep(sides, 2 * len(starts))
        return np.asarray(kept[: len(starts)] & kept[len(starts) :])

    def _sides(self, layer: Layer, parts: Parts, chosen: BoolArray) -> Iterator[Layer]:
        """Return the two sides of the chosen parts, with their regions."""
        cut = layer.chosen(chosen)
        rows, axis = np.arange(len(cut)), parts.axis[chosen]
        lowest, highest = parts.lowest[chosen], parts.highest[chosen]
        refused = np.zeros_like(cut.refused)
        low, high = cut.low.copy(), cut.high.copy()
        low[rows, axis] = np.maximum(low[rows, axis], lowest)
        high[rows, axis] = highest
        yield replace(cut, ends=parts.middle[chosen], low=low, high=high, refused=refused)
        low = cut.low.copy()
        beyond = highest + (not self.rule.relaxed or self.rule.separating)
        # What is left around a child of a tree is no run of ranks: it keeps the region it was cut out of.
        low[rows, axis] = np.where(lowest == 0, beyond, low[rows, axis])
        yield replace(cut, starts=parts.middle[chosen], low=low, refused=refused)


def _parts(layer: Layer, *, by_region: bool) -> Parts:
    """Return the parts with room for what is found."""
    columns = (np.zeros(len(layer), dtype=np.int64) for _ in range(4))
    regions = (layer.low, layer.high) if by_region else (layer.low[:0], layer.high[:0])
    return Parts(layer.starts, layer.ends, layer.refused, *regions, *columns)


def _shares(layer: Layer, threads: int) -> list[slice]:
    """Return one run of parts for each thread, with about as many tuples each."""
    sizes = np.cumsum(layer.ends - layer.starts)
    if threads == 1 or sizes[-1] < WORTH_A_THREAD:
        return [slice(0, len(layer))]
    edges = np.searchsorted(sizes, sizes[-1] * np.arange(1, threads) / threads, side="right")
    return [slice(first, end) for first, end in pairwise([0, *edges.tolist(), len(layer)])]


def _gathered(points: Points, layer: Layer) -> Partition:
    """Return the parts as groups, numbered in the order in which they lie."""
    layer = layer.chosen(np.argsort(layer.starts).astype(np.int64))
    low, high = np.empty_like(layer.low), np.empty_like(layer.high)
    # Summary of a group: the min-max range of its records.
    for_work(measure_boxes, points.ranks.size)(points.ranks, layer.starts, layer.ends, low, high)
    group_of = part_numbers(points.order, layer.starts, layer.ends)
    return Partition(group_of, Boxes(low, high), Boxes(layer.low, layer.high))
