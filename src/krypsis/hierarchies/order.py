"""Order groups: neighbors in an order become one group, and groups grow from level to level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from pydantic import Field, field_validator

from krypsis.hierarchies.base import TOP
from krypsis.hierarchies.builder import RuleBuilder
from krypsis.hierarchies.decimals import parse_number


class Order(RuleBuilder):
    """Every ``size`` neighbors become one group ``a … d``; each further level merges ``factor`` groups.

    The order is the given one, or the natural one: numbers by size, anything else as text.

    Notes
    -----
    With a given ``order`` the hierarchy holds all of it and its labels do not depend on the data. In natural order the
    ends of a group are values of the data.

    Examples
    --------
    >>> Order(order=["low", "medium", "high", "extreme"]).build(["low", "high"], "risk").rows()[:2]
    [['low', 'low … medium', '*'], ['medium', 'low … medium', '*']]
    """

    kind: ClassVar[str] = "order"

    order: tuple[str, ...] | None = Field(
        default=None, min_length=1, description="all values from first to last; natural order unless given"
    )
    size: int = Field(default=2, ge=2, description="how many neighbors make a group at level 1")
    factor: int = Field(default=2, ge=2, description="how many groups each further level merges")
    levels: int | None = Field(
        default=None, ge=1, description="how many levels of groups, at most; until one group is left unless given"
    )

    @field_validator("order")
    @classmethod
    def _check_distinct(cls, given: tuple[str, ...] | None) -> tuple[str, ...] | None:
        seen: set[str] = set()
        for value in given or ():
            if value in seen:
                raise ValueError(f"order names {value!r} twice; name each value once")
            seen.add(value)
        return given

    def columns(self, values: Sequence[str], name: str) -> Iterator[list[str]]:  # noqa: ARG002
        ordered = list(self.order) if self.order is not None else natural_order(values)
        yield ordered
        size, level = self.size, 1
        while size < len(ordered) and level <= (self.levels or level):
            yield _grouped(ordered, size)
            size, level = size * self.factor, level + 1
        yield [TOP] * len(ordered)


def natural_order(values: Sequence[str]) -> list[str]:
    """Return numbers by size if all values are numbers, otherwise all as text.

    Examples
    --------
    >>> natural_order(["10", "9"]), natural_order(["10", "9", "many"])
    (['9', '10'], ['10', '9', 'many'])
    """
    numbers = [number for value in values if (number := parse_number(value)) is not None]
    if len(numbers) < len(values):
        return sorted(values)
    return [value for _, value in sorted(zip(numbers, values, strict=True))]


def _grouped(ordered: Sequence[str], size: int) -> list[str]:
    labels: list[str] = []
    for start in range(0, len(ordered), size):
        group = ordered[start : start + size]
        label = f"{group[0]} … {group[-1]}" if len(group) > 1 else group[0]
        labels += [label] * len(group)
    return labels
