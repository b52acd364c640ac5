"""The numbers, or the dates as numbers, that the values of an attribute stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import polars as pl

from krypsis.arrays import BoolArray, FloatArray
from krypsis.errors import UsageError, shorten
from krypsis.hierarchies.base import Hierarchy

NUMBER = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?\s*$"
CODE = r"^\s*[+-]?0[0-9]"
"""Codes such as the zip code ``01234`` look like numbers, but their distance means nothing."""
DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?$"
NOT_FINITE = r"^(?i)\s*[+-]?(inf|infinity|nan)\s*$"


TimeUnit = Literal["D", "us"]
_DAYS: TimeUnit = "D"
_MICROSECONDS: TimeUnit = "us"


@dataclass(frozen=True, eq=False)
class Coordinates:
    """The number of each level-0 code; 0 where the value is missing."""

    numbers: FloatArray
    is_missing: BoolArray
    unit: TimeUnit | None
    """What dates (days) and times (microseconds) are counted in since 1970."""


def coordinates_of(hierarchy: Hierarchy, name: str, *, required: bool = False) -> Coordinates | None:
    """Return the numbers of an attribute whose values are all numbers, all dates or all times, else nothing.

    Dates and times are written year first.

    Raises
    ------
    UsageError
        if the values are numbers but for some that are infinite or "not a number"; or if numbers are ``required`` and
        there are other values.
    """
    values = pl.Series(hierarchy.values, dtype=pl.String)
    known = values.drop_nulls()
    are_numbers = known.str.contains(NUMBER) & ~known.str.contains(CODE)
    odd = known.str.contains(NOT_FINITE)
    if are_numbers.any() and (are_numbers | odd).all():
        _refuse_infinite(known, odd, name)
    unit, moments = _moments(values)
    if len(known) and (are_numbers.all() or (required and known.str.contains(NUMBER).all())):
        numbers = values.str.strip_chars().cast(pl.Float64)
    elif moments is not None:
        numbers = moments.cast(pl.Float64)
    elif required and len(known):
        raise UsageError(
            f"{name!r} is called numeric and holds values that are no numbers: "
            f"{shorten(map(repr, known.filter(~known.str.contains(NUMBER)).to_list()))}; "
            "correct them, leave the cells empty, or call it ordered"
        )
    else:
        return None
    _refuse_infinite(known, numbers.drop_nulls().is_infinite(), name)
    return Coordinates(numbers.fill_null(0.0).to_numpy(), values.is_null().to_numpy(), unit)


def _refuse_infinite(known: pl.Series, odd: pl.Series, name: str) -> None:
    if odd.any():
        raise UsageError(
            f"{name!r} holds {shorten(map(repr, known.filter(odd).to_list()))} among its numbers, which has no place "
            "on an axis; leave these cells empty, or remove the records"
        )


def _moments(values: pl.Series) -> tuple[TimeUnit | None, pl.Series | None]:
    """Return the days or microseconds since 1970 where all values that are not missing are dates, or all are times."""
    known, unit = values.drop_nulls(), None
    if len(known) and known.str.contains(DATE).all():
        unit, moments = _DAYS, values.str.to_date("%Y-%m-%d", strict=False).cast(pl.Int32)
    elif len(known) and known.str.contains(MOMENT).all():
        texts = values.str.replace(" ", "T", literal=True).str.replace(r"T(\d\d:\d\d)$", "T${1}:00")
        read = texts.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", time_unit="us", strict=False)
        unit, moments = _MICROSECONDS, read.cast(pl.Int64)
    if unit is None or moments.null_count() > values.null_count():
        return None, None
    return unit, moments
