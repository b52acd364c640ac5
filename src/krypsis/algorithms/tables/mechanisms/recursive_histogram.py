"""The recursive histogram: boxes are halved until few records are left in each, and counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import floor, log2, log10
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field, PlainSerializer, PlainValidator

from krypsis.algorithms.tables.mechanisms.base import Mechanism, MechanismInput, MechanismResult
from krypsis.algorithms.tables.mechanisms.noise import RandomSource
from krypsis.arrays import FloatArray, IntArray
from krypsis.data.columns import AnyColumn, CategoryColumn, NumericColumn
from krypsis.data.hierarchies.intervals import interval_text
from krypsis.errors import DataError, Infeasible, UsageError, column_not_found
from krypsis.models.base import PrivacyModel
from krypsis.models.ct_isolation import Audit, CTIsolation
from krypsis.specs import split_list

DEEPEST = 16
"""How often a box is halved at most; equal records would be halved for ever."""


@dataclass(frozen=True, eq=False)
class HistogramBoxes:
    """Boxes by number: their ends in each column, and the box of each record."""

    lows: Sequence[Sequence[Decimal]]
    highs: Sequence[Sequence[Decimal]]
    box_of: IntArray

    @property
    def centers(self) -> FloatArray:
        """The middle of each box, one row each."""
        return np.array(
            [
                [float(low + high) / 2 for low, high in zip(*ends, strict=True)]
                for ends in zip(self.lows, self.highs, strict=True)
            ]
        )


def halved(
    points: FloatArray, ends: Sequence[tuple[Decimal, Decimal]], fewest: int, limits: Sequence[int] | None = None
) -> HistogramBoxes:
    """Return the boxes after halving, in every column at once, those with at least ``fewest`` records.

    ``limits`` are how often each column may be halved.

    Examples
    --------
    >>> boxes = halved(np.array([[1.0], [2.0], [7.0]]), [(Decimal(0), Decimal(8))], 2)
    >>> boxes.box_of.tolist(), [int(low) for low, in boxes.lows], [int(high) for high, in boxes.highs]
    ([1, 2, 0], [4, 0, 2], [8, 2, 4])
    """
    most = np.array([DEEPEST] * len(ends) if limits is None else limits)
    lows = np.array([float(low) for low, _ in ends])
    widths = np.array([float(high - low) for low, high in ends])
    finest = np.clip((points - lows) / widths * 2**DEEPEST, 0, 2**DEEPEST - 1).astype(np.int64)
    box_of, places = np.empty(len(points), dtype=np.int64), list[tuple[list[int], list[int]]]()
    open_records = np.arange(len(points))
    # Halve all open boxes in every dimension at once; a box is done with fewer than ``fewest`` records.
    for depth in range(int(most.max()) + 1):
        depths = np.minimum(depth, most)
        cells, number, sizes = _cells(finest[open_records] >> (DEEPEST - depths))
        is_done = (sizes < fewest) | (depth == most.max())
        box_of[open_records] = (np.cumsum(is_done) - 1 + len(places))[number]
        places += [(depths.tolist(), cell) for cell in cells[is_done].tolist()]
        open_records = open_records[~is_done[number]]
    return HistogramBoxes(_edges(places, ends, 0), _edges(places, ends, 1), box_of)


def _cells(codes: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    cells, number, sizes = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    return cells, number.reshape(-1), sizes


def _edges(
    places: Sequence[tuple[list[int], list[int]]], ends: Sequence[tuple[Decimal, Decimal]], step: int
) -> list[list[Decimal]]:
    """Return where the boxes begin (``step`` 0) or end (1), exactly: halves of decimals are decimals."""
    return [
        [
            low + (high - low) * (number + step) / 2**depth
            for depth, number, (low, high) in zip(depths, cell, ends, strict=True)
        ]
        for depths, cell in places
    ]


def useful_halvings(column: NumericColumn, ends: tuple[Decimal, Decimal]) -> int:
    """Return how often a column can be halved until its boxes are about as narrow as its numbers are written."""
    steps = float(ends[1] - ends[0]) * 10**column.decimals
    return min(DEEPEST, max(0, floor(log2(steps))))


def rounded_ends(numbers: FloatArray) -> tuple[Decimal, Decimal]:
    """Return round numbers around all of these, so that nobody's own number is published.

    Examples
    --------
    >>> rounded_ends(np.array([17.0, 90.0]))
    (Decimal('10'), Decimal('100'))
    """
    low, high = float(numbers.min()), float(numbers.max())
    size = max(high - low, abs(low) * 1e-6, 1e-6)
    step = Decimal(10) ** floor(log10(size))
    first, last = (Decimal(floor(Decimal(end) / step)) for end in (low, high))
    return (first * step).normalize() + 0, ((last + 1) * step).normalize() + 0


Bounds = dict[str, tuple[Decimal, Decimal]]


def read_bounds(given: object) -> Bounds:
    """Return the ends of columns from a mapping or a text.

    Examples
    --------
    >>> read_bounds("age=0 to 120")["age"]
    (Decimal('0'), Decimal('120'))
    """
    if isinstance(given, str):
        given = {name: ends.split(" to ") for name, _, ends in (part.partition("=") for part in split_list(given))}
    try:
        pairs = dict(given).items()  # type: ignore[call-overload] # what is no mapping is reported below
        bounds = {str(name): (Decimal(str(low)), Decimal(str(high))) for name, (low, high) in pairs}
    except (TypeError, ValueError, ArithmeticError):
        raise ValueError("bounds are two numbers for each column such as 'age=0 to 120'") from None
    if wrong := [
        name for name, (low, high) in bounds.items() if not (low.is_finite() and high.is_finite() and low < high)
    ]:
        raise ValueError(f"the bounds of {wrong[0]!r} must ascend")
    return bounds


class RecursiveHistogram(Mechanism):
    """Halves the space of numbers, in every column at once, where many records are, and publishes counts of boxes.

    Notes
    -----
    A box is halved while it holds ``2t`` records or more. If guesses from these boxes isolate more than the promise
    allows, boxes must hold twice as many, and so on, until at last one box holds all. Only boxes with records are
    published. With ``publish=points``, instead of its count a box gives as many points drawn evenly in it.

    The outermost box has the ``bounds`` that are given. Unless given, the smallest and largest number are rounded
    outwards, since they belong to somebody.

    References
    ----------
    Chawla, Dwork, McSherry, Smith, Wee, "Toward privacy in public databases", TCC 2005, Section 4.

    Examples
    --------
    >>> import krypsis, polars as pl
    >>> ages = pl.DataFrame({"age": [30] * 20 + [50] * 20 + [52] * 20})
    >>> release = krypsis.anonymize(ages, {"age": "quasi-identifier"}, models="ct-isolation:c=2,t=10",
    ...                             algorithm='recursive-histogram:bounds="age=0 to 80"')
    >>> sorted(release.table.rows())[:2]
    [('[30-31.25)', 20), ('[50-51.25)', 20)]
    """

    name: ClassVar[str] = "recursive-histogram"
    keeps: ClassVar[type[PrivacyModel]] = CTIsolation
    guarantee: ClassVar[str] = (
        "No published row is a record of the data: boxes of numbers are published with the number of records in them, "
        "or points drawn anew in these boxes. The promise says nothing about groups of records and holds for the "
        "guesses that were tried; a small box still reveals that somebody with such numbers is in the data."
    )
    reference: ClassVar[str] = "Chawla, Dwork, McSherry, Smith, Wee, Toward privacy in public databases, TCC 2005"

    publish: Literal["counts", "points"] = Field(default="counts", description="counts of boxes, or points in them")
    bounds: Annotated[
        Bounds,
        PlainValidator(read_bounds),
        PlainSerializer(lambda bounds: ",".join(f"{name}={low} to {high}" for name, (low, high) in bounds.items())),
    ] = Field(
        default_factory=dict, description="the ends of each column, such as 'age=0 to 120'; rounded ones unless given"
    )

    def make(self, records: MechanismInput, promise: CTIsolation, source: RandomSource) -> MechanismResult:
        columns = {name: column for name, column in records.columns.items() if isinstance(column, NumericColumn)}
        points = np.stack([_complete(column) for column in columns.values()], axis=1)
        ends = self._ends(columns, points)
        limits = [useful_halvings(column, own) for column, own in zip(columns.values(), ends, strict=True)]
        rng = np.random.default_rng(source.below(2**128))
        # Step 1: split while a cell has 2t points or more.
        fewest = 2 * promise.t
        while True:
            boxes = halved(points, ends, fewest, limits)
            drawn = _drawn(boxes, list(columns.values()), rng)
            # Step 2: audit with the guesses that follow from the release; larger cells if they isolate too many.
            found = promise.audit(points, boxes.centers if self.publish == "counts" else drawn)
            if found.share <= promise.share:
                return self._made(boxes, drawn, columns)
            if fewest > len(points):
                raise _infeasible(promise, found)
            fewest *= 2

    def _ends(self, columns: Mapping[str, NumericColumn], points: FloatArray) -> list[tuple[Decimal, Decimal]]:
        for name in self.bounds:
            if name not in columns:
                raise column_not_found(name, columns)
        ends = [self.bounds.get(name) or rounded_ends(points[:, place]) for place, name in enumerate(columns)]
        for (low, high), name, numbers in zip(ends, columns, points.T, strict=True):
            if numbers.min() < low or numbers.max() >= high:
                raise UsageError(
                    f"column {name!r} has numbers outside of its bounds {low} to {high}, of which the last does not "
                    "belong to it; give bounds that hold all numbers that could be"
                )
        return ends

    def _made(self, boxes: HistogramBoxes, drawn: FloatArray, columns: Mapping[str, NumericColumn]) -> MechanismResult:
        if self.publish == "counts":
            return MechanismResult(_labels(boxes, list(columns)), np.bincount(boxes.box_of, minlength=len(boxes.lows)))
        moved: dict[str, AnyColumn] = {
            name: NumericColumn(name, drawn[:, place], column.decimals)
            for place, (name, column) in enumerate(columns.items())
        }
        return MechanismResult(moved)


def _drawn(boxes: HistogramBoxes, columns: Sequence[NumericColumn], rng: np.random.Generator) -> FloatArray:
    """Return a point for each record, drawn evenly in its box and rounded as its column is."""
    lows, highs = (np.array(ends, dtype=np.float64)[boxes.box_of] for ends in (boxes.lows, boxes.highs))
    drawn = rng.uniform(lows, highs)
    return np.stack([np.round(drawn[:, place], column.decimals) for place, column in enumerate(columns)], axis=1)


def _labels(boxes: HistogramBoxes, names: Sequence[str]) -> dict[str, AnyColumn]:
    columns: dict[str, AnyColumn] = {}
    for place, name in enumerate(names):
        texts = [interval_text(low[place], high[place]) for low, high in zip(boxes.lows, boxes.highs, strict=True)]
        labels = {text: code for code, text in enumerate(dict.fromkeys(texts))}
        columns[name] = CategoryColumn(name, np.array([labels[text] for text in texts], dtype=np.int32), tuple(labels))
    return columns


def _complete(column: NumericColumn) -> FloatArray:
    if missing := int(np.isnan(column.values).sum()):
        raise DataError(
            f"column {column.name!r} lacks a number in {missing} record(s), which then belong to no box; leave these "
            "records or this column out"
        )
    return column.values


def _infeasible(promise: CTIsolation, found: Audit) -> Infeasible:
    return Infeasible(
        f"even with all records in one box, or points drawn from it, {found.guesses} guesses isolate {found.isolated} "
        f"of {found.records} records, a share of {found.share:.4g}, and {promise.spec} allows {promise.share:.4g}; as "
        f"many blind guesses isolate {found.by_chance}. Allow that share, choose a larger c or a smaller t, or publish "
        "counts",
        {"share": found.share},
    )
