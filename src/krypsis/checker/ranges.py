"""Ranges of numbers and of dates, as published labels write them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Literal

from krypsis.hierarchies.decimals import parse_number

ONE_END = re.compile(r"(?P<sign><=|>=|<|>)\s*(?P<end>.+)", re.DOTALL)
TWO_ENDS = re.compile(r"(?P<left>[\[(])(?P<inner>.+)(?P<right>[\])])", re.DOTALL)
MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ].+)?")


@dataclass(frozen=True)
class Span:
    """From ``low`` to ``high``; ``None`` is an open end."""

    kind: Literal["number", "moment"]
    low: Any
    high: Any
    with_low: bool = True
    with_high: bool = True

    @property
    def is_empty(self) -> bool:
        """Whether the ends are in the wrong order."""
        return self.low is not None and self.high is not None and bool(self.low > self.high)


class Scale:
    """The values of a column by size, to find those within a range."""

    def __init__(self, points: Sequence[Decimal | datetime | None]) -> None:
        known: list[tuple[Any, int]] = [(point, place) for place, point in enumerate(points) if point is not None]
        known.sort()
        self._points = [point for point, _ in known]
        self._places = [place for _, place in known]

    def within(self, span: Span) -> list[int]:
        """Return the places of the values in a range."""
        start, end = 0, len(self._points)
        if span.low is not None:
            start = (bisect_left if span.with_low else bisect_right)(self._points, span.low)
        if span.high is not None:
            end = (bisect_right if span.with_high else bisect_left)(self._points, span.high)
        return self._places[start:end]


def read_span(label: str) -> Span | None:
    """Return the range that a label stands for, ``None`` if it is no range of numbers or dates.

    Examples
    --------
    >>> read_span("[-10 to -5)")
    Span(kind='number', low=Decimal('-10'), high=Decimal('-5'), with_low=True, with_high=False)
    >>> read_span(">=65").low, read_span("[2024-01-31-2024-03-01]").high.isoformat()
    (Decimal('65'), '2024-03-01T00:00:00')
    """
    text = label.strip()
    if one := ONE_END.fullmatch(text):
        return _half(one["sign"], one["end"])
    two = TWO_ENDS.fullmatch(text)
    for low, high in _ends(two["inner"]) if two else ():
        for kind, read in (("number", parse_number), ("moment", moment_of)):
            ends = (read(low), read(high))
            if two and None not in ends:
                return Span(kind, *ends, two["left"] == "[", two["right"] == "]")  # type: ignore[arg-type]
    return None


def moment_of(text: str) -> datetime | None:
    """Return the date, or the date and time, that a text stands for, ``None`` if it is none.

    Examples
    --------
    >>> moment_of("2024-02-29"), moment_of("2023-02-29")
    (datetime.datetime(2024, 2, 29, 0, 0), None)
    """
    if not MOMENT.fullmatch(text.strip()):
        return None
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)


def _half(sign: str, end: str) -> Span | None:
    number, moment = parse_number(end), moment_of(end)
    found = moment if number is None else number
    if found is None:
        return None
    kind: Literal["number", "moment"] = "moment" if number is None else "number"
    included = sign.endswith("=")
    return Span(kind, None, found, with_high=included) if sign[0] == "<" else Span(kind, found, None, included)


def _ends(inner: str) -> Iterator[tuple[str, str]]:
    """Yield the ways to read a text as two ends: around ``to``, else around each hyphen."""
    if " to " in inner:
        low, _, high = inner.partition(" to ")
        yield low, high
        return
    for hyphen in re.finditer("[-–]", inner):
        yield inner[: hyphen.start()], inner[hyphen.end() :]
