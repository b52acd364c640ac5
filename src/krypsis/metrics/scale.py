"""Labels read as intervals of numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import inf, isfinite

import numpy as np

from krypsis.groups import FloatArray
from krypsis.hierarchies.base import Hierarchy, Label
from krypsis.hierarchies.decimals import NUMBER, parse_number

_RANGE = re.compile(rf"[\[(]?\s*({NUMBER.pattern})\s*(?:-|–|,|to)\s*({NUMBER.pattern})\s*[\])]?")
_BELOW = re.compile(rf"<=?\s*({NUMBER.pattern})")
_ABOVE = re.compile(rf">=?\s*({NUMBER.pattern})")
_CODE = re.compile(r"\s*[+-]?0\d")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")

Bounds = tuple[float, float]


@dataclass(frozen=True)
class Scale:
    """The numbers that an attribute covers, from the lowest to the highest bound of any of its labels."""

    lowest: float
    highest: float

    @classmethod
    def of(cls, hierarchy: Hierarchy, domain: Scale | None = None) -> Scale | None:
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

    def width(self, bounds: Bounds) -> float:
        """Return the share of the scale that lies between bounds; an open end reaches to the end of the scale."""
        lower, upper = (min(max(bound, self.lowest), self.highest) for bound in bounds)
        return (upper - lower) / (self.highest - self.lowest)


def bounds_of(label: Label) -> Bounds | None:
    """Return the lower and the upper bound of a label, or ``None`` if it is no interval. An open end is infinite.

    A mean that is told beside an interval is not looked at.

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
    present = [value for value in values if value is not None]
    for read in (_plain_number, _moment):
        numbers = {value: read(value) for value in present}
        if numbers and None not in numbers.values():
            return np.array([np.nan if value is None else numbers[value] for value in values], dtype=np.float64)
    return None


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
    bounds = [(0.0, 0.0) if label is None else bounds_of(label) for label in labels]
    found = [pair for pair in bounds if pair is not None]
    return np.array(found).reshape(-1, 2) if len(found) == len(bounds) else None


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
