"""Labels read as intervals of numbers."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import inf, isfinite

import numpy as np
import polars as pl

from krypsis.arrays import FloatArray
from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.data.hierarchies.decimals import NUMBER, parse_number

_RANGE = re.compile(rf"[\[(]?\s*({NUMBER.pattern})\s*(?:-|–|,|to)\s*({NUMBER.pattern})\s*[\])]?")
_BELOW = re.compile(rf"<=?\s*({NUMBER.pattern})")
_ABOVE = re.compile(rf">=?\s*({NUMBER.pattern})")
_CODE = re.compile(r"\s*[+-]?0\d")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")

# What nearly all labels look like. These are read all at once, and the others one by one.
_USUAL = r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))"
_USUAL_RANGE = rf"^[\[(]?{_USUAL}(?:-|, | to ){_USUAL}[\])]?$"
_USUAL_DAY = r"^[12][0-9]{3}-[0-9]{2}-[0-9]{2}$"
_USUAL_MOMENT = r"^[12][0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-5][0-9]:[0-5][0-9]$"
_USUAL_LENGTH = 100

Bounds = tuple[float, float]


@dataclass(frozen=True)
class Scale:
    """The numbers that an attribute covers, from the lowest to the highest bound of any of its labels."""

    lowest: float
    highest: float

    @classmethod
    def of(cls, hierarchy: Hierarchy, domain: "Scale | None" = None) -> "Scale | None":
        """Return the scale of an attribute whose values are numbers and whose labels are intervals of them.

        It reaches over all labels, unless a ``domain`` is given: then they are judged by what lies inside of it.

        Every label between the values and the top must be an interval, or a number, that holds its values, and must not
        be narrower than the one below. ``None`` if that is not so, as for zip codes masked from the right, or if there
        are less than two numbers.

        Examples
        --------
        >>> age = Hierarchy.from_rows([["31", "[30-35)", "[30-40)"], ["38", "[35-40)", "[30-40)"]])
        >>> Scale.of(age)
        Scale(lowest=30.0, highest=40.0)
        >>> Scale.of(Hierarchy.from_rows([["32021", "3202*", "*"], ["32042", "3204*", "*"]])) is None
        True
        """
        present = np.array([value is not None for value in hierarchy.values])
        levels = [_bounds_of_level(labels) for labels in hierarchy.labels]
        if levels[-1] is None:
            levels.pop()  # the top may be called anything
        if present.sum() < 2 or any(bounds is None for bounds in levels):
            return None
        cells = [
            bounds[codes][present] for bounds, codes in zip(levels, hierarchy.table, strict=False) if bounds is not None
        ]
        return _scale_of(np.stack(cells), domain)

    def widths(self, bounds: FloatArray) -> FloatArray:
        """Return for ``bounds[label, side]`` the share of the scale between them; an open end reaches to its end.

        Examples
        --------
        >>> Scale(0, 40).widths(np.array([[10, 20], [30, np.inf]]))
        array([0.25, 0.25])
        """
        halves = np.clip(bounds, self.lowest, self.highest) / 2  # the span of the largest numbers would be too large
        span = self.highest / 2 - self.lowest / 2
        return (halves[:, 1] - halves[:, 0]) / span if span else np.zeros(len(bounds))


def bounds_of(label: Label) -> Bounds | None:
    """Return the lower and the upper bound of a label, or ``None`` if it is no interval. An open end is infinite.

    A mean that is published next to an interval is not looked at.

    Examples
    --------
    >>> [bounds_of(label) for label in ("[30-35)", "[-10 to -5)", "0-4", "31", ">=65", "3202*", "[1-3] (mean 2)")]
    [(30.0, 35.0), (-10.0, -5.0), (0.0, 4.0), (31.0, 31.0), (65.0, inf), None, (1.0, 3.0)]
    """
    text = "" if label is None else label.partition(" (mean ")[0].strip()
    if (number := _number(text)) is not None:
        return (number, number)
    for pattern, open_below, open_above in ((_RANGE, False, False), (_BELOW, True, False), (_ABOVE, False, True)):
        if match := pattern.fullmatch(text):
            lower = -inf if open_below else _number(match[1])
            upper = inf if open_above else _number(match[match.lastindex or 1])
            return None if lower is None or upper is None or lower > upper else (lower, upper)
    return None


def bounds_of_labels(labels: Sequence[Label]) -> FloatArray:
    """Return ``bounds[label, side]``, "not a number" where a label is no interval.

    Examples
    --------
    >>> bounds_of_labels(["[30-35)", "31", "flu"]).tolist()
    [[30.0, 35.0], [31.0, 31.0], [nan, nan]]
    """
    bounds = _usual_bounds(labels)
    for place in np.flatnonzero(np.isnan(bounds[:, 0])).tolist():
        bounds[place] = bounds_of(labels[place]) or np.nan
    return bounds


def numbers_of(values: Sequence[Label]) -> FloatArray | None:
    """Return values as numbers, dates and times in seconds, missing ones as "not a number"; nothing if others occur.

    Codes with leading zeros, such as ``01234``, look like numbers, but their distance means nothing.

    Examples
    --------
    >>> numbers_of(["20", None, "22.5"]), numbers_of(["01234", "98765"]), numbers_of(["flu"])
    (array([20. ,  nan, 22.5]), None, None)
    >>> np.diff(numbers_of(["2024-02-28", "2024-03-01"])) / 86400
    array([2.])
    """
    texts = pl.Series(values, dtype=pl.String)
    for usual, read in ((_usual_numbers, _plain_number), (_usual_moments, _moment)):
        numbers = _completed(values, usual(texts), read)
        if numbers is not None and not np.isnan(numbers).all():
            return numbers
    return None


def _completed(values: Sequence[Label], numbers: FloatArray, read: Callable[[str], float | None]) -> FloatArray | None:
    """Read what is not read yet, or return nothing as soon as a value is no number."""
    for place in np.flatnonzero(np.isnan(numbers)).tolist():
        value = values[place]
        if value is not None:
            number = read(value)
            if number is None:
                return None
            numbers[place] = number
    return numbers


def _usual_numbers(texts: pl.Series) -> FloatArray:
    """Return texts as numbers, "not a number" for those that must be looked at one by one."""
    is_usual = texts.str.contains(rf"^{_USUAL}$") & ~texts.str.contains(_CODE.pattern) & _is_short(texts)
    return _floats(texts.set(~is_usual, None))


def _usual_moments(texts: pl.Series) -> FloatArray:
    """Return dates and times in seconds, "not a number" for those that must be looked at one by one."""
    days = texts.set(~texts.str.contains(_USUAL_DAY), None).str.to_date("%Y-%m-%d", strict=False)
    written = texts.str.replace(" ", "T", literal=True)
    times = written.set(~written.str.contains(_USUAL_MOMENT), None)
    moments = times.str.to_datetime("%Y-%m-%dT%H:%M:%S", time_unit="ms", strict=False)
    return _floats(days.cast(pl.Datetime("ms")).zip_with(days.is_not_null(), moments).dt.timestamp("ms")) / 1000


def _usual_bounds(labels: Sequence[Label]) -> FloatArray:
    """Return the bounds of labels, "not a number" for those that must be looked at one by one."""
    texts = pl.Series(labels, dtype=pl.String)
    short = texts.set(~_is_short(texts), None)
    numbers = _floats(short.set(~short.str.contains(rf"^{_USUAL}$"), None))
    if not np.isnan(numbers).any():
        return np.stack([numbers, numbers], axis=1)
    ends = np.stack([_floats(short.str.extract(_USUAL_RANGE, side)) for side in (1, 2)], axis=1)
    ends[ends[:, 0] > ends[:, 1]] = np.nan
    return np.where(np.isnan(numbers)[:, None], ends, numbers[:, None])


def _is_short(texts: pl.Series) -> pl.Series:
    return texts.str.len_bytes() <= _USUAL_LENGTH


def _floats(texts: pl.Series) -> FloatArray:
    return texts.cast(pl.Float64).fill_null(np.nan).to_numpy(writable=True)


def _plain_number(text: str) -> float | None:
    return None if _CODE.match(text) else _number(text)


def _moment(text: str) -> float | None:
    if not _DATE.match(text):
        return None
    try:
        return datetime.fromisoformat(text.strip()).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def _bounds_of_level(labels: Sequence[Label]) -> FloatArray | None:
    """Return the bounds of all labels, or ``None`` if one of them is no interval; missing values are left to others."""
    bounds = _usual_bounds(labels)
    for place in np.flatnonzero(np.isnan(bounds[:, 0])).tolist():
        pair = (0.0, 0.0) if labels[place] is None else bounds_of(labels[place])
        if pair is None:
            return None
        bounds[place] = pair
    return bounds


def _number(text: str) -> float | None:
    number = parse_number(text)
    return None if number is None or not isfinite(float(number)) else float(number)


def _scale_of(cells: FloatArray, domain: Scale | None) -> Scale | None:
    """Return the scale of ``cells[level, value, side]`` if each level holds the values and none is narrower."""
    finite = cells[np.isfinite(cells)]
    scale = Scale(float(finite.min()), float(finite.max())) if domain is None else domain
    inside = np.clip(cells, scale.lowest, scale.highest)
    widths = inside[..., 1] - inside[..., 0]
    holds = (inside[..., 0] <= inside[0, :, 0]).all() and (inside[0, :, 0] <= inside[..., 1]).all()
    exact = (widths[0] == 0).all()
    grows = (np.diff(widths, axis=0) >= 0).all()
    return scale if exact and holds and grows and scale.lowest < scale.highest else None
