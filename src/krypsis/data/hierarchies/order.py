"""Order groups: neighbors in an order become one group, and groups grow from level to level."""

from collections.abc import Iterator, Sequence
from math import ceil
from typing import ClassVar

import numpy as np
from pydantic import Field, field_validator

from krypsis.arrays import BoolArray
from krypsis.data.hierarchies.base import TOP, Hierarchy, Label, RuleBuilder
from krypsis.data.hierarchies.decimals import parse_number


class Order(RuleBuilder):
    """Every ``size`` neighbors become one group; each further level merges ``factor`` groups.

    The order is the given one, or the natural one: numbers by size, anything else as text.

    Notes
    -----
    With a given ``order`` the hierarchy holds all of it, and a label names the ends of its group: ``low … medium``.
    The natural order is made of the values of the data, also of those of records that are suppressed later; naming
    the ends of a group would publish them. So these labels only count: ``part 1 of 2``. The published ones count the
    parts with published values: see :meth:`published`.

    Examples
    --------
    >>> Order(order=["low", "medium", "high", "extreme"]).build(["low", "high"], "risk").rows()[:2]
    [['low', 'low … medium', '*'], ['medium', 'low … medium', '*']]
    >>> Order().build(["7", "31", "29"], "visits").rows()
    [['7', 'part 1 of 2', '*'], ['29', 'part 1 of 2', '*'], ['31', 'part 2 of 2', '*']]
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
        label = _numbered if self.order is None else _named
        yield ordered
        size, level = self.size, 1
        while size < len(ordered) and level <= (self.levels or level):
            yield label(ordered, size)
            size, level = size * self.factor, level + 1
        yield [TOP] * len(ordered)

    @property
    def depends_on_all_values(self) -> bool:
        return self.order is None

    def published(self, hierarchy: Hierarchy, shown: BoolArray) -> Hierarchy:
        """Return the hierarchy with labels that count the parts of the values that are shown.

        Examples
        --------
        >>> built = Order().build(["7", "29", "31", "46", "99"], "visits")
        >>> Order().published(built, np.array([True, True, True, True, False])).rows()[2]
        ['31', 'part 2 of 2', '*', '*']
        """
        if self.order is not None or shown.all():
            return hierarchy
        labels = list(hierarchy.labels)
        for level in range(1, hierarchy.height):
            labels[level] = _counted(hierarchy, level, shown)
        return Hierarchy(hierarchy.table, tuple(labels))


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


def _named(ordered: Sequence[str], size: int) -> list[str]:
    labels: list[str] = []
    for start in range(0, len(ordered), size):
        group = ordered[start : start + size]
        label = f"{group[0]} … {group[-1]}" if len(group) > 1 else group[0]
        labels += [label] * len(group)
    return labels


def _numbered(ordered: Sequence[str], size: int) -> list[str]:
    parts = ceil(len(ordered) / size)
    return [f"part {position // size + 1} of {parts}" for position in range(len(ordered))]


def _counted(hierarchy: Hierarchy, level: int, shown: BoolArray) -> tuple[Label, ...]:
    """Return labels that number the parts with a value that is shown; those of other parts differ from all of these."""
    labels: list[Label] = [None if label is None else f"further {label}" for label in hierarchy.labels[level]]
    in_use = [code for code in np.unique(hierarchy.table[level][shown]).tolist() if labels[code] is not None]
    for place, code in enumerate(in_use, start=1):
        labels[code] = f"part {place} of {len(in_use)}" if len(in_use) > 1 else TOP
    return tuple(labels)
