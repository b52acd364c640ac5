"""The cuts of Mondrian, layer by layer, as a trace shows them: a table of the cuts, and a picture of the boxes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from krypsis.algorithms.tables.boxes import Axis
from krypsis.algorithms.tables.mondrian.kernels import CutRule, Parts, Points, measure_widths
from krypsis.arrays import BoolArray, CodeArray, FloatArray, IntArray
from krypsis.kernels._jit import for_work
from krypsis.kernels.runs import AxisTable
from krypsis.progress import StepPicture, StepTable, TraceStep

MOST_DOTS = 1000
"""Points of a picture; more would hide each other."""
MOST_BOXES = 500
DIGITS = 4
"""Of coordinates: less than a tenth of a pixel."""


@dataclass(frozen=True, eq=False)
class LayerNotes:
    """What is kept of a layer of parts: how each was cut, and the regions of all parts afterwards."""

    low: CodeArray
    high: CodeArray
    """The ranks that the width of each part was measured on."""
    records: IntArray
    taken: IntArray
    """How many records of a part are on the first side of its cut."""
    axis: IntArray
    lowest: IntArray
    highest: IntArray
    was_cut: BoolArray
    keeps: BoolArray
    """Whether both sides keep the promises."""
    widths: FloatArray
    """``widths[part, axis]``: as shares of the whole axis; -1 where all records of the part are alike."""
    regions: tuple[CodeArray, CodeArray]
    """The lowest and highest ranks of the regions after the layer."""


def note_layer(
    points: Points, axes: AxisTable, rule: CutRule, parts: Parts, keeps: BoolArray, regions: tuple[CodeArray, CodeArray]
) -> LayerNotes:
    """Return the notes on parts that were cut; what is inside a part was rearranged, but stayed inside."""
    count, dimensions = len(parts.starts), points.ranks.shape[1]
    low, high = np.empty((count, dimensions), np.int32), np.empty((count, dimensions), np.int32)
    widths, was_cut = np.full((count, dimensions), -1.0), parts.middle >= 0
    records, taken = np.zeros(count, np.int64), np.zeros(count, np.int64)
    for part in range(count):
        inside = slice(parts.starts[part], parts.ends[part])
        low[part], high[part] = points.ranks[inside].min(axis=0), points.ranks[inside].max(axis=0)
        records[part] = points.weights[inside].sum()
        if was_cut[part]:
            taken[part] = points.weights[parts.starts[part] : parts.middle[part]].sum()
        for_work(measure_widths, dimensions)(axes, rule, parts, part, low[part], high[part], widths[part])
    if len(parts.region_low):
        low, high = parts.region_low.copy(), parts.region_high.copy()
    return LayerNotes(
        low, high, records, taken, parts.axis, parts.lowest, parts.highest, was_cut, keeps, widths, regions
    )


def layer_steps(
    algorithm: str, axes: Sequence[Axis], ranks: CodeArray, notes: Sequence[LayerNotes]
) -> Iterator[TraceStep]:
    """Yield what there was before the first cut, then one step per layer with cuts."""
    plane = _plane(len(axes), notes)
    everything = np.zeros((1, len(axes)), np.int32), np.array([[len(axis.code_at) - 1 for axis in axes]], np.int32)
    picture = _picture("Before the first cut", axes, plane, ranks, *everything)
    yield TraceStep(
        algorithm, "The whole table", f"{len(ranks)} points; each attribute is an axis.", pictures=(picture,)
    )
    for number, layer in enumerate(notes, 1):
        if not layer.was_cut.any():
            continue
        refused = int((layer.was_cut & ~layer.keeps).sum())
        says = f"{int((layer.was_cut & layer.keeps).sum())} of {len(layer.axis)} open parts are cut in two."
        says += f" {refused} cuts are refused: a side would break a promise." if refused else ""
        drawn = _picture(f"After layer {number}", axes, plane, ranks, *layer.regions)
        yield TraceStep(algorithm, f"Layer {number}", says, (_cuts(axes, layer),), (drawn,))


def _cuts(axes: Sequence[Axis], layer: LayerNotes) -> StepTable:
    widths = (f"width of {axis.name}" for axis in axes)
    columns = ("records", *widths, "cut on", "one side", "records there", "records on the other side", "")
    return StepTable.of(columns, (_cut(axes, layer, part) for part in range(len(layer.axis))), total=len(layer.axis))


def _cut(axes: Sequence[Axis], layer: LayerNotes, part: int) -> tuple[object, ...]:
    records, taken = int(layer.records[part]), int(layer.taken[part])
    widths = (round(width, 4) if width >= 0 else 0 for width in layer.widths[part].tolist())
    if not layer.was_cut[part]:
        return (records, *widths, None, None, None, None, "no cut leaves enough on both sides: a group")
    axis = axes[layer.axis[part]]
    first, last = max(layer.lowest[part], layer.low[part, layer.axis[part]]), layer.highest[part]
    side = f"{_label(axis, first)} to {_label(axis, last)}" if first < last else _label(axis, last)
    verdict = None if layer.keeps[part] else "refused: a side would break a promise"
    return (records, *widths, axis.name, side, taken, records - taken, verdict)


def _label(axis: Axis, rank: int) -> str:
    value = axis.hierarchy.values[int(axis.code_at[rank])]
    return "(missing)" if value is None else str(value)


def _plane(axes: int, notes: Sequence[LayerNotes]) -> tuple[int, int]:
    """Return the two axes that are cut most often, the first of equals."""
    often = np.zeros(axes, np.int64)
    for layer in notes:
        np.add.at(often, layer.axis[layer.was_cut], 1)
    order = np.argsort(-often, kind="stable").tolist()
    one, other = sorted((order[0], order[min(1, axes - 1)]))
    return one, other


def _picture(
    title: str, axes: Sequence[Axis], plane: tuple[int, int], ranks: CodeArray, low: CodeArray, high: CodeArray
) -> StepPicture:
    """Return a picture in which every value has the same room, so that boxes end between values."""
    chosen = np.unique(np.linspace(0, len(ranks) - 1, min(len(ranks), MOST_DOTS)).astype(np.int64))
    room = np.array([len(axes[place].code_at) for place in plane], dtype=np.float64)
    dots = (ranks[chosen][:, plane] + 0.5) / room
    bottom, top = low[:MOST_BOXES, plane] / room, (high[:MOST_BOXES, plane] + 1) / room
    boxes = np.stack([bottom[:, 0], top[:, 0], bottom[:, 1], top[:, 1]], axis=1).round(DIGITS)
    return StepPicture(
        title,
        axes[plane[0]].name,
        axes[plane[1]].name,
        tuple((x, y) for x, y in dots.round(DIGITS).tolist()),
        tuple((left, right, below, above) for left, right, below, above in boxes.tolist()),
    )
