"""The recursive histogram: boxes are halved until few records are left in each, and counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field, PlainSerializer, PlainValidator

from krypsis.algorithms.mechanisms.base import Made, Mechanism, Records
from krypsis.algorithms.mechanisms.halving import Boxes, halved, rounded_ends, useful_halvings
from krypsis.algorithms.mechanisms.source import Source
from krypsis.arrays import FloatArray
from krypsis.columns import AnyColumn, CategoryColumn, NumericColumn
from krypsis.errors import DataError, Infeasible, UsageError, column_not_found
from krypsis.hierarchies.intervals import interval_text
from krypsis.models.base import PrivacyModel
from krypsis.models.ct_isolation import Audit, CTIsolation
from krypsis.specs import split_list

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
        pairs = dict(given).items()  # type: ignore[call-overload] # what is no mapping is told below
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
        "guesses that were tried; a small box still tells that somebody with such numbers is in the data."
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

    def make(self, records: Records, promise: CTIsolation, source: Source) -> Made:
        columns = {name: column for name, column in records.columns.items() if isinstance(column, NumericColumn)}
        points = np.stack([_complete(column) for column in columns.values()], axis=1)
        ends = self._ends(columns, points)
        limits = [useful_halvings(column, own) for column, own in zip(columns.values(), ends, strict=True)]
        rng = np.random.default_rng(source.below(2**128))
        fewest = 2 * promise.t
        while True:
            boxes = halved(points, ends, fewest, limits)
            drawn = _drawn(boxes, list(columns.values()), rng)
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

    def _made(self, boxes: Boxes, drawn: FloatArray, columns: Mapping[str, NumericColumn]) -> Made:
        if self.publish == "counts":
            return Made(_labels(boxes, list(columns)), np.bincount(boxes.box_of, minlength=len(boxes.lows)))
        moved: dict[str, AnyColumn] = {
            name: NumericColumn(name, drawn[:, place], column.decimals)
            for place, (name, column) in enumerate(columns.items())
        }
        return Made(moved)


def _drawn(boxes: Boxes, columns: Sequence[NumericColumn], rng: np.random.Generator) -> FloatArray:
    """Return a point for each record, drawn evenly in its box and rounded as its column is."""
    lows, highs = (np.array(ends, dtype=np.float64)[boxes.box_of] for ends in (boxes.lows, boxes.highs))
    drawn = rng.uniform(lows, highs)
    return np.stack([np.round(drawn[:, place], column.decimals) for place, column in enumerate(columns)], axis=1)


def _labels(boxes: Boxes, names: Sequence[str]) -> dict[str, AnyColumn]:
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
