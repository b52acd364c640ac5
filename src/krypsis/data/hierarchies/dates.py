"""Dates become months, quarters, years and decades."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from typing import ClassVar, Literal

from pydantic import Field, field_validator

from krypsis.data.hierarchies.base import TOP, RuleBuilder
from krypsis.errors import HierarchyError, shorten

DateLevel = Literal["day", "month", "quarter", "year", "decade"]

LABELS: dict[DateLevel, Callable[[date], str]] = {
    "day": lambda day: f"{day.year:04}-{day.month:02}-{day.day:02}",
    "month": lambda day: f"{day.year:04}-{day.month:02}",
    "quarter": lambda day: f"{day.year:04}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04}",
    "decade": lambda day: f"{day.year // 10 * 10:04}s",
}

ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ].+)?")
WORDS = {"yyyy": "%Y", "mm": "%m", "dd": "%d"}


class Dates(RuleBuilder):
    """Dates become less exact: day, month ``2024-03``, quarter ``2024-Q1``, year ``2024``, decade ``2020s``, ``*``.

    Values are ISO dates (``2024-03-15``, also with a time) unless ``format`` says otherwise. A time of day or a time
    zone is not converted: the day counts as it is written.

    Examples
    --------
    >>> Dates(levels=["month", "year"]).build(["2024-03-15"], "admitted").rows()
    [['2024-03-15', '2024-03', '2024', '*']]
    >>> Dates(format="dd/mm/yyyy", levels=["quarter"]).build(["01/12/1999"], "born").rows()
    [['01/12/1999', '1999-Q4', '*']]
    """

    kind: ClassVar[str] = "dates"

    format: str | None = Field(
        default=None,
        description="how dates are written, such as 'dd/mm/yyyy', 'mm/dd/yyyy' or '%d %B %Y'; ISO unless given",
    )
    levels: tuple[DateLevel, ...] | None = Field(
        default=None,
        min_length=1,
        description="which of day, month, quarter, year, decade; all of them unless given, day only if there are times",
    )

    @field_validator("levels", mode="before")
    @classmethod
    def _accept_one(cls, given: object) -> object:
        return [given] if isinstance(given, str) else given

    @field_validator("levels")
    @classmethod
    def _check_order(cls, given: tuple[DateLevel, ...] | None) -> tuple[DateLevel, ...] | None:
        ascending = tuple(level for level in LABELS if given is not None and level in given)
        if given is not None and given != ascending:
            raise ValueError(f"levels must go from fine to coarse, each once: {', '.join(ascending)}")
        return given

    @field_validator("format")
    @classmethod
    def _check_format(cls, given: str | None) -> str | None:
        if given is None:
            return None
        pattern = _strptime_pattern(given)
        for part, directives in {"year": "Yy", "month": "mbB", "day": "d"}.items():
            if not any(f"%{letter}" in pattern for letter in directives):
                raise ValueError(f"format must say where the {part} stands, for example 'dd/mm/yyyy'; got {given!r}")
        _check_readable(pattern)
        return given

    def columns(self, values: Sequence[str], name: str) -> Iterator[list[str]]:
        days = self._parse(values, name)
        yield list(values)
        for level in self.levels or self._levels(values):
            yield [LABELS[level](day) for day in days]
        yield [TOP] * len(values)

    def _levels(self, values: Sequence[str]) -> tuple[DateLevel, ...]:
        """Leave the day out where the values are days already."""
        timed = (
            re.search("%[HIMSfXc]", self.format) if self.format else any(len(value.strip()) > 10 for value in values)
        )
        return tuple(level for level in LABELS if timed or level != "day")

    def _parse(self, values: Sequence[str], name: str) -> list[date]:
        pattern = _strptime_pattern(self.format) if self.format else None
        parsed = [_parse(value.strip(), pattern) for value in values]
        days = [day for day in parsed if day is not None]
        if len(days) < len(values):
            strangers = [value for value, day in zip(values, parsed, strict=True) if day is None]
            wanted = f"dates like {self.format!r}" if self.format else "ISO dates like 2024-03-15"
            raise HierarchyError(
                f"hierarchy of {name!r}: {len(strangers)} of {len(values)} value(s) are not {wanted}: "
                f"{shorten(map(repr, strangers))}; correct them, or give the 'format' they are written in"
            )
        return days


def _parse(text: str, pattern: str | None) -> date | None:
    try:
        if pattern:
            return datetime.strptime(text, pattern).date()  # noqa: DTZ007
        return datetime.fromisoformat(text).date() if ISO.fullmatch(text) else None
    except ValueError:
        return None


def _strptime_pattern(text: str) -> str:
    """Translate ``dd/mm/yyyy``; a pattern with ``%`` is taken as it is."""
    if "%" in text:
        return text
    return re.sub("yyyy|mm|dd", lambda word: WORDS[word.group().lower()], text, flags=re.IGNORECASE)


def _check_readable(pattern: str) -> None:
    sample = datetime(2001, 2, 3)  # noqa: DTZ001
    try:
        understood = datetime.strptime(sample.strftime(pattern), pattern).date() == sample.date()  # noqa: DTZ007
    except ValueError:
        understood = False
    if not understood:
        raise ValueError(f"format {pattern!r} cannot be read; use 'dd/mm/yyyy' or the directives of Python's strptime")
