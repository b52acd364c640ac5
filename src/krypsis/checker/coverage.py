"""Which original values a published label stands for."""

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal

import numpy as np

from krypsis.arrays import BoolArray, CodeArray
from krypsis.data.hierarchies.base import TOP, Hierarchy, Label
from krypsis.data.hierarchies.decimals import parse_number
from krypsis.errors import DataError, shorten

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


class SortedNumbers:
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


KNOWN = "not missing"
"""The label of everything but missing values."""

MEAN = re.compile(r"(?<=\]) \(mean [^()]+\)$")
"""What may stand behind a range: it says more of a group, and nothing else of a value."""

QUOTED = re.compile(r'(?:(?<=, )|^)"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"(?=, |$)')
"""A value in a set that holds a comma, a brace or a quotation mark, written as in JSON."""

CODE = re.compile(r"\s*[+-]?0[0-9]")
"""Codes such as the zip code ``01234`` look like numbers and are none."""


def coverage_of(
    labels: Sequence[Label], values: Sequence[Label], name: str, hierarchy: Hierarchy | None = None
) -> BoolArray:
    """Say for each label of a published column which of the different original values it stands for.

    A label stands for itself, for everything (``*``, or the top of the hierarchy), for what lies below it in the
    hierarchy wherever it stands there, or, if it is none of these, for a range (``[a-b]``, ``[a to b)``, ``(a-b]``,
    ``<a``, ``>=a``, ``[a-b] (mean m)``) of numbers, dates or values in the order of the hierarchy, or for a set
    ``{a, b}``. A missing value is covered by a missing cell, by everything, and by nothing else.

    Returns
    -------
    BoolArray
        ``covered[label, value]``.

    Raises
    ------
    DataError
        that names the labels which cannot be understood.
    HierarchyError
        if the hierarchy lacks an original value.

    Examples
    --------
    >>> coverage_of(["[30-39]", ">=40", "*", "{31, 45}"], ["31", "45", None], "age").astype(int).tolist()
    [[1, 0, 0], [0, 1, 0], [1, 1, 1], [1, 1, 0]]
    """
    reader = _Reader(values, None if hierarchy is None else hierarchy.covering(values, name))
    rows = [reader.covered(label) for label in labels]
    if strange := [label for label, row in zip(labels, rows, strict=True) if row is None]:
        wanted = "give its hierarchy" if hierarchy is None else "give the hierarchy it was published with"
        raise DataError(
            f"column {name!r} publishes {len(strange)} label(s) whose meaning is not known: "
            f"{shorten(map(repr, strange), 5)}; {wanted}"
        )
    return np.array([row for row in rows if row is not None], dtype=np.bool_).reshape(len(labels), len(values))


class _Reader:
    """Understands the labels of one column."""

    def __init__(self, values: Sequence[Label], hierarchy: Hierarchy | None) -> None:
        self.values = values
        self.hierarchy = hierarchy
        self.place = {value: place for place, value in enumerate(values)}

    def covered(self, label: Label) -> BoolArray | None:
        """Return the values that a label stands for, ``None`` if it cannot be understood."""
        named = self._named(label)
        if named is not None or label is None:
            return named if named is not None else self._nothing()
        if label == KNOWN:
            return ~self._missing
        text = MEAN.sub("", label)
        return self._between(text) if (span := read_span(text)) is None else self._spanned(text, span)

    def _named(self, label: Label) -> BoolArray | None:
        """Return what a label stands for as a value, as a node of the hierarchy or as everything."""
        if label == TOP:
            return ~self._nothing()
        nodes = self._nodes.get(label) or self._longer(label)
        # A node called 1.0 is no other way to write the value 1.
        same = self._same(label, only_exact=bool(nodes))
        if not nodes and not same:
            return None
        covered = self._nothing()
        covered[same] = True
        for level, code in nodes:
            covered |= self._levels[level] == code
        return covered

    def _longer(self, label: Label) -> list[tuple[int, int]]:
        """Return the nodes that differ from a masked label by more ``*`` at its masked end.

        Masked labels are published no longer than the values that are; those of suppressed records may be longer.
        """
        if label is None or not label.strip(TOP) or not (label.startswith(TOP) or label.endswith(TOP)):
            return []
        known = ((node, node.removeprefix(label), node.removesuffix(label)) for node in self._nodes if node)
        alike = [
            node
            for node, after, ahead in known
            if (label.endswith(TOP) and after != node and not after.strip(TOP))
            or (label.startswith(TOP) and ahead != node and not ahead.strip(TOP))
        ]
        return [place for node in alike for place in self._nodes[node]]

    def _same(self, label: Label, *, only_exact: bool = False) -> list[int]:
        """Return the places of the same text, or of the same number or moment: 9 is 9.0, but 01 is not 1."""
        exact = [self.place[label]] if label in self.place else []
        if only_exact or label is None or CODE.match(label):
            return exact
        if (number := parse_number(label)) is not None:
            alike = self._numbers.within(Span("number", number, number))
            return [*exact, *(place for place in alike if not CODE.match(str(self.values[place])))]
        moment = moment_of(label)
        return exact if moment is None else [*exact, *self._moments.within(Span("moment", moment, moment))]

    def _spanned(self, label: str, span: Span) -> BoolArray | None:
        scale = self._numbers if span.kind == "number" else self._moments
        if span.is_empty:
            return self._between(label)
        covered = self._nothing()
        covered[scale.within(span)] = True
        return covered

    def _between(self, label: str) -> BoolArray | None:
        """Return the values of a range in the order of the hierarchy, or those of a set."""
        if label.startswith("{") and label.endswith("}"):
            return self._set(label[1:-1])
        if not (self.hierarchy and label.startswith("[") and label.endswith("]")):
            return None
        for low, high in _splits(label[1:-1]):
            if low in self.hierarchy.code_of and high in self.hierarchy.code_of:
                first, last = (self._rank[self.hierarchy.code_of[end]] for end in (low, high))
                ranks = self._rank[self._levels[0]]
                return np.asarray((first <= ranks) & (ranks <= last), dtype=np.bool_)
        return None

    def _set(self, inner: str) -> BoolArray | None:
        """Return the union of the parts; parts are separated by a comma, and a part may hold one."""
        found: list[BoolArray] = []
        for text in (json.loads(part) for part in QUOTED.findall(inner)):
            named = self._named(text)
            found.append(self._nothing() if named is None else named)
        parts = [part for part in QUOTED.sub("", inner).split(", ") if part or not found]
        while parts:
            # The shortest part that is known: so no value is taken for covered that the set may not hold.
            known = ((self._named(", ".join(parts[:end])), end) for end in range(1, len(parts) + 1))
            part, end = next(((covered, end) for covered, end in known if covered is not None), (None, 0))
            if part is None:
                part, end = self._nothing(), 1  # a value of the publisher's domain that no original record has
            found.append(part)
            parts = parts[end:]
        covered: BoolArray = np.logical_or.reduce(found)
        return covered if covered.any() else None

    def _nothing(self) -> BoolArray:
        return np.zeros(len(self.values), dtype=np.bool_)

    @cached_property
    def _missing(self) -> BoolArray:
        return np.array([value is None for value in self.values], dtype=np.bool_)

    @cached_property
    def _levels(self) -> CodeArray:
        """``[level, value]``: the codes of the original values in the hierarchy."""
        if self.hierarchy is None:
            return np.zeros((0, len(self.values)), dtype=np.int32)
        return self.hierarchy.table[:, [self.hierarchy.code_of[value] for value in self.values]]

    @cached_property
    def _nodes(self) -> dict[Label, list[tuple[int, int]]]:
        """Label → the levels and codes at which it stands in the hierarchy."""
        found: dict[Label, list[tuple[int, int]]] = {}
        for level, labels in enumerate(self.hierarchy.labels if self.hierarchy else ()):
            for code, label in enumerate(labels):
                found.setdefault(label, []).append((level, code))
        return found

    @cached_property
    def _rank(self) -> CodeArray:
        """The place of each value of the hierarchy among its leaves from left to right, a missing value last."""
        if self.hierarchy is None:
            return np.zeros(0, dtype=np.int32)
        missing = np.array([value is None for value in self.hierarchy.values])
        order = np.lexsort((*self.hierarchy.table, missing))
        rank = np.empty(len(order), dtype=np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        return rank

    @cached_property
    def _numbers(self) -> SortedNumbers:
        return SortedNumbers([None if value is None else parse_number(value) for value in self.values])

    @cached_property
    def _moments(self) -> SortedNumbers:
        return SortedNumbers([None if value is None else moment_of(value) for value in self.values])


def _splits(inner: str) -> list[tuple[str, str]]:
    """Return all ways to read a text as two ends of a range."""
    parts = inner.split(" to ")
    return [(" to ".join(parts[:cut]), " to ".join(parts[cut:])) for cut in range(1, len(parts))]
