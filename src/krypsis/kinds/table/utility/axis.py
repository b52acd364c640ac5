"""The different values of an attribute, and which of them a condition chooses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from krypsis.arrays import BoolArray
from krypsis.checker.coverage import SortedNumbers, Span, moment_of
from krypsis.data.hierarchies.base import Label
from krypsis.data.hierarchies.decimals import parse_number
from krypsis.errors import DataError, UsageError
from krypsis.io.texts import text_of

EXPECTED = "a condition is a value, a list or set of values, or a range such as (30, 40)"


class OrderedValues:
    """The values of an attribute as text, in their order.

    Examples
    --------
    >>> age = OrderedValues(["31", "45", None], "age")
    >>> [age.chosen(wanted).tolist() for wanted in ((30, 40), (40, None), "31", {31, 45}, None)]
    [[True, False, False], [False, True, False], [True, False, False], [True, True, False], [False, False, True]]
    """

    def __init__(self, values: Sequence[Label], name: str) -> None:
        self.values = tuple(values)
        self.name = name

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def is_numeric(self) -> bool:
        """Whether every value that is not missing is a number."""
        return all(value is None or parse_number(value) is not None for value in self.values)

    def chosen(self, condition: object) -> BoolArray:
        """Say for each value whether it meets a condition: a value, several, or a range with both ends included."""
        found = np.zeros(len(self), dtype=np.bool_)
        if isinstance(condition, tuple):
            found[self._within(condition)] = True
        else:
            wanted = [condition] if isinstance(condition, str) or not isinstance(condition, Iterable) else condition
            found[[self._place[text] for text in texts_of(wanted) if text in self._place]] = True
        return found

    def _within(self, ends: tuple[Any, ...]) -> list[int]:
        if len(ends) != 2:
            raise UsageError(f"{self.name}: {EXPECTED}; got {ends!r}. Write several values as a list")
        given = [end for end in ends if end is not None]
        numbers = [_number_of(end) for end in given]
        if all(number is not None for number in numbers):
            return self._numbers.within(_span("number", ends, numbers))
        moments = [_moment_of(end) for end in given]
        if all(moment is not None for moment in moments):
            return self._moments.within(_span("moment", ends, moments))
        raise UsageError(f"{self.name}: the ends of a range are numbers or dates, got {ends!r}")

    @cached_property
    def _place(self) -> dict[Label, int]:
        return {value: place for place, value in enumerate(self.values)}

    @cached_property
    def _numbers(self) -> SortedNumbers:
        return SortedNumbers([None if value is None else parse_number(value) for value in self.values])

    @cached_property
    def _moments(self) -> SortedNumbers:
        return SortedNumbers([None if value is None else moment_of(value) for value in self.values])


def texts_of(values: Iterable[object]) -> list[Label]:
    """Return values as texts, as tables and hierarchies write them.

    Examples
    --------
    >>> texts_of([31, "F", 2.0, True, date(2024, 2, 29), None])
    ['31', 'F', '2', 'true', '2024-02-29', None]
    """
    return [_text(value) for value in values]


def _text(value: object) -> Label:
    if value is None or isinstance(value, str):
        return value
    try:
        return str(text_of(pl.Series([value]))[0])
    except (TypeError, DataError, pl.exceptions.PolarsError):
        raise UsageError(f"{EXPECTED}; got {value!r} ({type(value).__name__})") from None


def _number_of(end: object) -> Decimal | None:
    return None if isinstance(end, bool | date) else parse_number(str(end))


def _moment_of(end: object) -> datetime | None:
    return moment_of(end.isoformat() if isinstance(end, date) else str(end))


def _span(kind: Any, ends: tuple[Any, ...], given: Sequence[Any]) -> Span:
    known = iter(given)
    low, high = (None if end is None else next(known) for end in ends)
    return Span(kind, low, high)
