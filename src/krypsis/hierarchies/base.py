"""A hierarchy maps a value to its more general value at a level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from krypsis.errors import HierarchyError, shorten

CodeArray = npt.NDArray[np.int32]
Label = str | None
"""A value as text; ``None`` is a missing value."""

TOP = "*"


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """All levels of one attribute as integer codes, with the labels beside them.

    ``table[level, value]`` is the code of ``value`` at ``level``; ``labels[level][code]`` is its text. Level 0 holds
    the values themselves, so ``table[0]`` counts up from 0; the last level has a single code.

    A missing value keeps to itself below the top: it never matches anything but another missing value until all
    values become one.

    Examples
    --------
    >>> sex = Hierarchy.from_rows([["male", "*"], ["female", "*"]])
    >>> sex.height, sex.label("male", 1)
    (1, '*')
    """

    table: CodeArray
    labels: tuple[tuple[Label, ...], ...]

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[Label]], name: str = "hierarchy") -> Hierarchy:
        """Build a hierarchy from one row per value: the value, then its generalizations.

        Raises
        ------
        HierarchyError
            if rows differ in length, a value stands twice with different parents, a level is not a coarsening of the
            one below, or the last level has more than one value.
        """
        unique = _unique_rows(rows, name)
        if not unique:
            raise HierarchyError(f"{name} has no values; give one row per value: the value, then its generalizations")
        columns = list(zip(*unique, strict=True))
        encoded = [_encode(column) for column in columns]
        table = np.array([codes for codes, _ in encoded], dtype=np.int32)
        hierarchy = cls(table, tuple(labels for _, labels in encoded))
        hierarchy._check(name)
        return hierarchy

    @property
    def height(self) -> int:
        """The highest level; level 0 is the original value."""
        return len(self.labels) - 1

    @property
    def values(self) -> tuple[Label, ...]:
        """The values at level 0."""
        return self.labels[0]

    @cached_property
    def code_of(self) -> dict[Label, int]:
        """The code of each value at level 0."""
        return {value: code for code, value in enumerate(self.values)}

    @cached_property
    def leaves(self) -> npt.NDArray[np.int64]:
        """``leaves[level, value]``: how many values look like ``value`` at ``level``."""
        return np.stack([np.bincount(codes, minlength=1)[codes] for codes in self.table])

    def label(self, value: Label, level: int) -> Label:
        """Return the text of ``value`` at ``level``."""
        return self.labels[level][self.table[level, self.code_of[value]]]

    def rows(self) -> list[list[Label]]:
        """Return one row per value, the inverse of :meth:`from_rows`."""
        return [[self.labels[level][codes[value]] for level, codes in enumerate(self.table)]
                for value in range(len(self.values))]

    def with_missing(self) -> Hierarchy:
        """Return the hierarchy with a missing value added, unless it has one already."""
        if None in self.code_of:
            return self
        missing: list[Label] = [None] * self.height + [self.labels[-1][0]] if self.height else [None]
        if not self.height:
            return Hierarchy.from_rows([[value, TOP] for value in (*self.values, None)])
        return Hierarchy.from_rows([*self.rows(), missing])

    def covering(self, values: Iterable[Label], name: str) -> Hierarchy:
        """Return the hierarchy, with a missing value if needed, after checking that it holds all ``values``."""
        wanted = list(dict.fromkeys(values))
        hierarchy = self.with_missing() if None in wanted else self
        if strangers := [value for value in wanted if value not in hierarchy.code_of]:
            raise HierarchyError(
                f"hierarchy of {name!r} lacks {len(strangers)} value(s) of the data: {shorten(strangers)}; "
                "add a row for each, or remove the hierarchy to have one proposed"
            )
        return hierarchy

    def _check(self, name: str) -> None:
        for level in range(1, len(self.labels)):
            self._check_coarsening(level, name)
        if len(self.labels[-1]) > 1:
            raise HierarchyError(
                f"{name} has no single top: its last level has {len(self.labels[-1])} values "
                f"({shorten(self.labels[-1], 5)}); end every row with the same value, such as '{TOP}'"
            )

    def _check_coarsening(self, level: int, name: str) -> None:
        below, here = self.table[level - 1], self.table[level]
        first_parent = np.full(len(self.labels[level - 1]), -1, dtype=np.int32)
        first_parent[below[::-1]] = here[::-1]
        wrong = np.flatnonzero(first_parent[below] != here)
        if wrong.size:
            child = below[wrong[0]]
            parents = [self.labels[level][first_parent[child]], self.labels[level][here[wrong[0]]]]
            raise HierarchyError(
                f"{name}: level {level} is not a coarsening of level {level - 1}: "
                f"{self.labels[level - 1][child]!r} becomes both {parents[0]!r} and {parents[1]!r}; "
                "give each value one parent"
            )


def _unique_rows(rows: Iterable[Sequence[Label]], name: str) -> list[tuple[Label, ...]]:
    by_value: dict[Label, tuple[Label, ...]] = {}
    length: int | None = None
    for number, row in enumerate(rows, start=1):
        cells = tuple(row)
        length = len(cells) if length is None else length
        if len(cells) != length or not cells:
            raise HierarchyError(f"{name}: row {number} has {len(cells)} cell(s), expected {length} as in row 1")
        known = by_value.setdefault(cells[0], cells)
        if known != cells:
            raise HierarchyError(
                f"{name}: value {cells[0]!r} stands twice with different generalizations: "
                f"{shorten(known[1:])} and {shorten(cells[1:])}; keep one of the rows"
            )
    return list(by_value.values())


def _encode(column: Sequence[Label]) -> tuple[list[int], tuple[Label, ...]]:
    codes: dict[Label, int] = {}
    encoded = [codes.setdefault(label, len(codes)) for label in column]
    return encoded, tuple(codes)
