"""The values of an attribute in a total order, and the places where it may be cut into intervals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

import numpy as np

from krypsis.arrays import CodeArray, IntArray
from krypsis.hierarchies.base import Hierarchy
from krypsis.hierarchies.decimals import parse_number

_CODE = re.compile(r"[+-]?0[0-9]")


@dataclass(frozen=True, eq=False)
class OrderedDomain:
    """An attribute as a row of *units*, each with a rank: intervals are runs of neighboring ranks.

    A unit holds the values that look alike at ``level`` of the hierarchy; at level 0 that is one value. Numbers are in
    order of size, other values as the leaves of the hierarchy's tree, from left to right. ``units`` holds the level-0
    codes of every unit, also of those without records, which have no rank of their own. Missing comes last and has
    the rank ``missing``.

    Examples
    --------
    >>> hierarchy = Hierarchy.from_rows([["10", "x", "*"], ["9", "x", "*"], ["20", "y", "*"], [None, None, "*"]])
    >>> domain = OrderedDomain.of(hierarchy, np.array([3, 1, 0, 2]))
    >>> domain.units, domain.ranks.tolist(), domain.missing, domain.size
    (((1,), (0,), (2,)), [1, 0, 1, 2], 2, 3)
    """

    hierarchy: Hierarchy
    level: int
    units: tuple[tuple[int, ...], ...]
    numbers: tuple[Decimal, ...] | None
    """The number of each value, where all are numbers; 0 for a missing one."""
    present: tuple[int, ...]
    """The units that hold records, in their order."""
    missing: int | None

    @classmethod
    def of(cls, hierarchy: Hierarchy, marginal: IntArray, level: int = 0) -> OrderedDomain:
        """Return the order of a hierarchy's values, of which ``marginal`` counts the records."""
        apart = hierarchy.code_of.get(None) if level < hierarchy.height else None
        codes = [code for code in range(len(hierarchy.values)) if code != apart]
        numbers = _numbers(hierarchy)
        units = None if numbers is None else _by_size(codes, hierarchy, level, numbers)
        if units is None:
            numbers, units = None, _as_leaves(codes, hierarchy, level)
        present = tuple(place for place, unit in enumerate(units) if marginal[list(unit)].any())
        missing = len(present) if apart is not None and marginal[apart] else None
        return cls(hierarchy, level, units, numbers, present, missing)

    @property
    def size(self) -> int:
        """The number of ranks; it may be cut before each but the first."""
        return len(self.present) + (self.missing is not None)

    @cached_property
    def ranks(self) -> CodeArray:
        """The rank of each level-0 code; a unit without records has that of the unit before it, or the first."""
        ranks = np.zeros(len(self.hierarchy.values), dtype=np.int32)
        for place, unit in enumerate(self.units):
            ranks[list(unit)] = max(int(np.searchsorted(self.present, place, side="right")) - 1, 0)
        if self.missing is not None:
            ranks[self.hierarchy.code_of[None]] = self.missing
        return ranks

    def changes(self, rank: int) -> int:
        """Return the highest level at which the values on the two sides of a cut differ, at least 0."""
        if rank == self.missing:
            return max(self.hierarchy.height - 1, 0)
        before, after = self.units[self.present[rank - 1]][-1], self.units[self.present[rank]][0]
        differs = self.hierarchy.table[:, before] != self.hierarchy.table[:, after]
        return int(np.flatnonzero(differs).max(initial=0))


def _numbers(hierarchy: Hierarchy) -> tuple[Decimal, ...] | None:
    """Return the numbers the values stand for, or nothing if some is none: text, or a code such as ``01234``."""
    numbers: list[Decimal] = []
    for value in hierarchy.values:
        number = Decimal(0) if value is None else parse_number(value)
        if number is None or (value is not None and _CODE.match(value.strip())):
            return None
        numbers.append(number)
    return tuple(numbers)


def _by_size(
    codes: Sequence[int], hierarchy: Hierarchy, level: int, numbers: Sequence[Decimal]
) -> tuple[tuple[int, ...], ...] | None:
    """Return units in order of size, or nothing if the level joins numbers that are not side by side.

    At level 0 a unit is a number, however it is written: ``5`` and ``5.0`` are one.
    """
    looks: list[object] = [*hierarchy.table[level].tolist()] if level else [*numbers]
    units: dict[object, list[int]] = {}
    last: object = None
    for code in sorted(codes, key=numbers.__getitem__):
        if looks[code] in units and looks[code] != last:
            return None
        last = looks[code]
        units.setdefault(last, []).append(code)
    return tuple(map(tuple, units.values()))


def _as_leaves(codes: Sequence[int], hierarchy: Hierarchy, level: int) -> tuple[tuple[int, ...], ...]:
    """Return units in the order of the tree's leaves, so that values below one parent are side by side."""
    paths = hierarchy.table[::-1].T.tolist()
    units: dict[int, list[int]] = {}
    for code in sorted(codes, key=paths.__getitem__):
        units.setdefault(int(hierarchy.table[level, code]), []).append(code)
    return tuple(map(tuple, units.values()))
