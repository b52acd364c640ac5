"""Intervals: numbers become ranges that grow from level to level."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import ClassVar, Self

from pydantic import Field, field_validator, model_validator

from krypsis.data.hierarchies.base import TOP, RuleBuilder
from krypsis.data.hierarchies.decimals import EXACT, is_ordinary, number_text, parse_numbers


class Intervals(RuleBuilder):
    """Numbers become half-open intervals ``[a-b)``; each further level merges ``factor`` neighbors.

    Give one of ``width``, ``cuts`` and ``quantiles``. With ``cuts``, the numbers below the first are ``<a`` and those
    from the last on are ``>=b``; ``quantiles`` chooses the cuts so that each interval holds about the same number of
    distinct values.

    Notes
    -----
    Computed in exact decimals, so 0.1 + 0.2 is 0.3. A label depends on the options alone, except with ``quantiles``,
    whose cuts are values of the data; the smallest and the largest value are never shown.

    An interval that begins below zero is written ``[-10 to -5)``, because ``[-10--5)`` is hard to read.

    Examples
    --------
    >>> Intervals(width=5, levels=2).build(["31", "38"], "age").rows()
    [['31', '[30-35)', '[30-40)', '*'], ['38', '[35-40)', '[30-40)', '*']]
    >>> Intervals(cuts=[18, 65]).build(["7", "18", "80"], "age").column(1)
    ['<18', '[18-65)', '>=65']
    """

    kind: ClassVar[str] = "intervals"

    width: Decimal | None = Field(default=None, gt=0, description="the width of each interval at level 1")
    origin: Decimal | None = Field(default=None, description="where an interval of equal width begins; 0 unless given")
    cuts: tuple[Decimal, ...] | None = Field(
        default=None, min_length=1, description="the numbers at which one interval ends and the next begins, ascending"
    )
    quantiles: int | None = Field(
        default=None, ge=2, le=1000, description="how many intervals of about equally many distinct values"
    )
    factor: int = Field(default=2, ge=2, le=1000, description="how many neighbors each further level merges")
    levels: int = Field(
        default=3, ge=1, le=32, description="how many levels of intervals, at most, before everything becomes '*'"
    )

    @field_validator("width", "origin", "cuts")
    @classmethod
    def _check_size(cls, given: Decimal | tuple[Decimal, ...] | None) -> Decimal | tuple[Decimal, ...] | None:
        numbers = given if isinstance(given, tuple) else () if given is None else (given,)
        if not all(map(is_ordinary, numbers)):
            raise ValueError("width, origin and cuts must lie between 1e-400 and 1e400")
        return given

    @model_validator(mode="after")
    def _check_choice(self) -> Self:
        given = [key for key in ("width", "cuts", "quantiles") if getattr(self, key) is not None]
        if len(given) != 1:
            came = " and ".join(given) or "none of them"
            raise ValueError(f"intervals need exactly one of width, cuts and quantiles; got {came}")
        if self.origin is not None and self.width is None:
            raise ValueError(f"origin belongs to width; intervals by {given[0]} have none")
        if self.cuts and any(left >= right for left, right in pairwise(self.cuts)):
            raise ValueError(f"cuts must ascend, got {', '.join(map(number_text, self.cuts))}")
        return self

    def columns(self, values: Sequence[str], name: str) -> Iterator[list[str]]:
        numbers = parse_numbers(values, name)
        scale = self._scale(numbers)
        places = [scale.place(number) for number in numbers]
        yield list(values)
        for level in range(self.levels):
            merged = self.factor**level
            if not scale.is_worth(merged):
                break
            blocks = [place // merged for place in places]
            label = {block: scale.label(block * merged, (block + 1) * merged) for block in set(blocks)}
            yield [label[block] for block in blocks]
        yield [TOP] * len(values)

    def _scale(self, numbers: Sequence[Decimal]) -> "_EqualWidth | _Cuts":
        if self.width is not None:
            return _EqualWidth(self.width, self.origin or Decimal(0))
        if self.cuts is not None:
            return _Cuts(self.cuts, first=0)
        return _Cuts(_quantile_cuts(numbers, self.quantiles or 2), first=1)


@dataclass(frozen=True)
class _EqualWidth:
    """Interval ``i`` goes from ``origin + i·width`` to ``origin + (i+1)·width``."""

    width: Decimal
    origin: Decimal

    def place(self, number: Decimal) -> int:
        distance = EXACT.subtract(number, self.origin)
        whole, rest = EXACT.divmod(distance, self.width)
        return int(whole) - (1 if rest < 0 else 0)  # decimals divide towards zero, intervals downwards

    def is_worth(self, merged: int) -> bool:  # noqa: ARG002
        return True

    def label(self, start: int, end: int) -> str:
        return interval_text(self._edge(start), self._edge(end))

    def _edge(self, place: int) -> Decimal:
        return EXACT.add(self.origin, EXACT.multiply(Decimal(place), self.width))


@dataclass(frozen=True)
class _Cuts:
    """Interval ``i`` begins at ``cuts[i - first]``; below the first cut and from the last on they are open.

    Counting from the first given interval (``first=0``) keeps ``<a`` from being merged into the given intervals.
    """

    cuts: Sequence[Decimal]
    first: int

    def place(self, number: Decimal) -> int:
        return bisect_right(self.cuts, number) - 1 + self.first

    def is_worth(self, merged: int) -> bool:
        """Say whether merging so many leaves more than one interval; the first level is always worth having."""
        return bool(self.cuts) and (merged == 1 or merged < len(self.cuts) + self.first)

    def label(self, start: int, end: int) -> str:
        return interval_text(self._edge(start), self._edge(end))

    def _edge(self, place: int) -> Decimal | None:
        position = place - self.first
        return self.cuts[position] if 0 <= position < len(self.cuts) else None


def interval_text(lower: Decimal | None, upper: Decimal | None) -> str:
    """Return the label of a half-open interval; ``None`` is an open end.

    Examples
    --------
    >>> interval_text(Decimal(30), Decimal("32.5")), interval_text(Decimal(-10), Decimal(0))
    ('[30-32.5)', '[-10 to 0)')
    >>> interval_text(None, Decimal(18)), interval_text(Decimal(65), None)
    ('<18', '>=65')
    """
    if lower is None:
        return TOP if upper is None else f"<{number_text(upper)}"
    if upper is None:
        return f">={number_text(lower)}"
    between = " to " if lower < 0 else "-"
    return f"[{number_text(lower)}{between}{number_text(upper)})"


def _quantile_cuts(numbers: Sequence[Decimal], count: int) -> list[Decimal]:
    ordered = sorted(set(numbers))
    places = {part * len(ordered) // count for part in range(1, count)} - {0}
    return [ordered[place] for place in sorted(places)]
