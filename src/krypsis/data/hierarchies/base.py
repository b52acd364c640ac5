"""A hierarchy maps a value to its more general value at a level.

A hierarchy builder makes the hierarchy of a column from its values.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from pydantic import BaseModel, ConfigDict

from krypsis.arrays import BoolArray, CodeArray, IntArray
from krypsis.errors import HierarchyError, shorten

Label = str | None
"""A value as text; ``None`` is a missing value."""

TOP = "*"


@dataclass(frozen=True, eq=False, repr=False)
class Hierarchy:
    """All levels of one attribute as integer codes, with the labels next to them.

    ``table[level, value]`` is the code of ``value`` at ``level``; ``labels[level][code]`` is its text. Level 0 holds
    the values themselves, so ``table[0]`` counts up from 0; the last level has a single code.

    A missing value keeps to itself below the top: it never matches anything but another missing value until all
    values become one.

    Examples
    --------
    >>> sex = Hierarchy.from_rows([["male", "*"], ["female", "*"]])
    >>> sex.height, sex.label("male", 1)
    (1, '*')
    >>> sex
    Hierarchy(2 values, height 1)
    """

    table: CodeArray
    labels: tuple[tuple[Label, ...], ...]

    def __repr__(self) -> str:
        """Count the values: many a hierarchy is made of those of a private table."""
        return f"Hierarchy({len(self.values)} values, height {self.height})"

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[Label]], name: str = "hierarchy") -> "Hierarchy":
        """Build a hierarchy from one row per value: the value, then its generalizations.

        A row that stands twice counts once. A single row with a single cell is a constant column: its value is its
        own top and the height is 0.

        Raises
        ------
        HierarchyError
            if rows differ in length, a value stands twice with different parents, a level is not a coarsening of the
            one below, or the last level has more than one value.
        """
        unique = _unique_rows(rows, name)
        return cls.from_columns(list(zip(*unique, strict=True)), name)

    @classmethod
    def from_columns(cls, columns: Iterable[Sequence[Label]], name: str = "hierarchy") -> "Hierarchy":
        """Build a hierarchy from one column per level, from the distinct values up to the top.

        Examples
        --------
        >>> Hierarchy.from_columns([["31", "38"], ["[30-35)", "[35-40)"], ["*", "*"]]).label("38", 1)
        '[35-40)'
        """
        encoded = [_encode(column, name) for column in columns]
        if not encoded or not encoded[0][0]:
            raise HierarchyError(f"{name} has no values; give one row per value: the value, then its generalizations")
        for level, (codes, _) in enumerate(encoded):
            if len(codes) != len(encoded[0][0]):
                raise HierarchyError(
                    f"{name}: level {level} has {len(codes)} cell(s) for {len(encoded[0][0])} value(s)"
                )
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
    def leaves(self) -> IntArray:
        """``leaves[level, value]``: how many values look like ``value`` at ``level``."""
        return np.stack([np.bincount(codes, minlength=1)[codes] for codes in self.table])

    def label(self, value: Label, level: int) -> Label:
        """Return the text of ``value`` at ``level``."""
        return self.labels[level][int(self.table[level, self.code_of[value]])]

    def column(self, level: int) -> list[Label]:
        """Return the text of every value at ``level``, in the order of the values."""
        labels = self.labels[level]
        return [labels[code] for code in self.table[level].tolist()]

    def rows(self) -> list[list[Label]]:
        """Return one row per value, the inverse of :meth:`from_rows`."""
        return [list(row) for row in zip(*map(self.column, range(len(self.labels))), strict=True)]

    def with_missing(self) -> "Hierarchy":
        """Return the hierarchy with a missing value added, unless it has one already.

        A constant column has room for a second value only below a top, so it gains a level.
        """
        if None in self.code_of:
            return self
        columns = [self.column(level) for level in range(len(self.labels))]
        below, top = (columns[:-1], self.labels[-1][0]) if self.height else (columns, TOP)
        return Hierarchy.from_columns([*([*column, None] for column in below), [top] * (len(self.values) + 1)])

    def covering(self, values: Iterable[Label], name: str) -> "Hierarchy":
        """Return the hierarchy, with a missing value if needed, after checking that it holds all ``values``."""
        wanted = dict.fromkeys(values)
        hierarchy = self.with_missing() if None in wanted else self
        if strangers := [value for value in wanted if value not in hierarchy.code_of]:
            raise HierarchyError(
                f"hierarchy of {name!r} lacks {len(strangers)} value(s) of the data: "
                f"{shorten(map(repr, strangers))}; add them to the hierarchy.{_spelling_hint(strangers, self.values)}"
            )
        return hierarchy

    def _check(self, name: str) -> None:
        if len(self.values) != self.table.shape[1]:
            raise HierarchyError(f"{name}: a value stands twice at level 0; give each value once")
        for level in range(1, len(self.labels)):
            self._check_present(level, name)
        for level in range(1, self.height):
            self._check_coarsening(level, name)
        if len(self.labels[-1]) > 1:
            raise HierarchyError(
                f"{name} has no single top: its last level has {len(self.labels[-1])} values "
                f"({shorten(map(repr, self.labels[-1]), 5)}); end every row with the same value, such as '{TOP}'"
            )

    def _check_present(self, level: int, name: str) -> None:
        # A value that generalized to "missing" would look like the records whose value is not known.
        if None not in self.labels[level]:
            return
        empty = np.flatnonzero(self.table[level] == self.labels[level].index(None)).tolist()
        if wrong := [value for code in empty if (value := self.values[code]) is not None or level == self.height]:
            raise HierarchyError(
                f"{name}: {wrong[0]!r} has no generalization at level {level}; "
                f"give it one, '{TOP}' if there is nothing better"
            )

    def _check_coarsening(self, level: int, name: str) -> None:
        below, here = self.table[level - 1], self.table[level]
        children, first_seen = np.unique(below, return_index=True)
        example = np.empty(len(self.labels[level - 1]), dtype=np.int64)
        example[children] = first_seen
        wrong = np.flatnonzero(here[example[below]] != here)
        if wrong.size:
            second = int(wrong[0])
            raise HierarchyError(
                f"{name}: level {level} is not a coarsening of level {level - 1}: "
                + self._two_parents(int(example[below[second]]), second, level)
                + "; give each value one parent"
            )

    def _two_parents(self, first: int, second: int, level: int) -> str:
        child = self.labels[level - 1][self.table[level - 1, first]]
        parents = [self.labels[level][self.table[level, value]] for value in (first, second)]
        return (
            f"{child!r} becomes {parents[0]!r} for the value {self.values[first]!r} "
            f"and {parents[1]!r} for the value {self.values[second]!r}"
        )


def _unique_rows(rows: Iterable[Sequence[Label]], name: str) -> list[tuple[Label, ...]]:
    by_value: dict[Label, tuple[Label, ...]] = {}
    length: int | None = None
    for number, row in enumerate(rows, start=1):
        cells = _cells(row, number, name)
        length = len(cells) if length is None else length
        if len(cells) != length:
            raise HierarchyError(f"{name}: row {number} has {len(cells)} cell(s), expected {length} as in row 1")
        known = by_value.setdefault(cells[0], cells)
        if known != cells:
            raise HierarchyError(
                f"{name}: row {number}: value {cells[0]!r} stands twice with different generalizations: "
                f"{shorten(known[1:])} and {shorten(cells[1:])}; keep one of the rows"
            )
    return list(by_value.values())


def _cells(row: Sequence[Label], number: int, name: str) -> tuple[Label, ...]:
    if isinstance(row, str):
        raise HierarchyError(f"{name}: row {number} is the text {row!r}; a row is a list: the value, then its parents")
    if not row:
        raise HierarchyError(f"{name}: row {number} is empty; a row is the value, then its generalizations")
    return tuple(row)


def _encode(column: Sequence[Label], name: str) -> tuple[list[int], tuple[Label, ...]]:
    codes: dict[Label, int] = {}
    encoded = [codes.setdefault(label, len(codes)) for label in column]
    if strangers := [label for label in codes if not (label is None or isinstance(label, str))]:
        kind = type(strangers[0]).__name__
        raise HierarchyError(f"{name}: values are text or None, got {strangers[0]!r} ({kind}); write it as text")
    return encoded, tuple(codes)


def _spelling_hint(strangers: Sequence[Label], known: Iterable[Label]) -> str:
    """Point at values that are there in another spelling: the most common cause and hard to see."""
    plain = {value.strip().casefold(): value for value in known if value is not None}
    for stranger in strangers:
        if stranger is not None and (near := plain.get(stranger.strip().casefold())) is not None:
            return f" It has {near!r}, which differs from {stranger!r} only by spaces or upper and lower case."
    return ""


class HierarchyBuilder(BaseModel, ABC):
    """Makes the hierarchy of a column, with its options declared as fields.

    A subclass in its own file under ``krypsis/data/hierarchies`` can be named in a plan by its ``kind``; nothing else
    has to be changed. Plans hand every option over as text, so fields accept ``"5"`` where they mean 5.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True)

    kind: ClassVar[str]

    @abstractmethod
    def build(self, values: Sequence[Label], name: str) -> Hierarchy:
        """Return the hierarchy of the column ``name`` with these distinct values.

        The result holds all of them. A missing value (``None``) keeps to itself until it becomes the top with all
        others.

        Raises
        ------
        HierarchyError
            if the values are not of the kind that this builder understands.
        """

    @property
    def depends_on_all_values(self) -> bool:
        """Whether labels or height of one value depend on the other values of the data."""
        return False

    def published(self, hierarchy: Hierarchy, shown: BoolArray) -> Hierarchy:  # noqa: ARG002
        """Return the hierarchy that was built, with labels that depend on the values that are ``shown`` only.

        Values and codes stay the same. Labels above values that are not shown are never published.
        """
        return hierarchy


class RuleBuilder(HierarchyBuilder):
    """A builder with a rule for the values that are there; missing values are cared for here."""

    def build(self, values: Sequence[Label], name: str) -> Hierarchy:
        values = list(values)
        if not values:
            raise HierarchyError(f"hierarchy of {name!r}: the column has no values to build from")
        columns = list(self.columns(_present(values, name), name))
        if not columns[0]:
            columns = [[None], [TOP]]
        return Hierarchy.from_columns(columns, f"hierarchy of {name!r}").covering(values, name)

    @abstractmethod
    def columns(self, values: Sequence[str], name: str) -> Iterable[Sequence[Label]]:
        """Return one column per level, from the values themselves up to the top.

        ``values`` are distinct and none is missing. The first column may hold more than them: a taxonomy knows its
        whole domain.
        """


def _present(values: Sequence[Label], name: str) -> list[str]:
    distinct = dict.fromkeys(values)
    if strangers := [value for value in distinct if not (value is None or isinstance(value, str))]:
        raise HierarchyError(
            f"hierarchy of {name!r}: values are text, or None where missing; got {shorten(map(repr, strangers), 5)}"
        )
    return [value for value in distinct if value is not None]
