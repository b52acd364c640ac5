"""The fourth kind of method: a table of its own, made by chance."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, PlainValidator

from krypsis.algorithms.tables.base import Method
from krypsis.algorithms.tables.fixed import ChosenLevels, read_levels
from krypsis.algorithms.tables.mechanisms.noise import RandomSource
from krypsis.arrays import IntArray
from krypsis.data.columns import AnyColumn, CategoryColumn
from krypsis.errors import UsageError, column_not_found
from krypsis.models.base import Names, PrivacyModel
from krypsis.models.mechanisms import MechanismRecord


def cell_count(columns: Mapping[str, CategoryColumn]) -> int:
    """Return how many combinations of values there could be.

    Raises
    ------
    UsageError
        if a column has no values, or there are too many combinations to go through.
    """
    for name, column in columns.items():
        if not column.labels:
            raise UsageError(f"no value is declared for {name!r}, so nothing could be published; declare its values")
    cells = prod(len(column.labels) for column in columns.values())
    if cells > MOST_CELLS:
        sizes = " × ".join(f"{len(column.labels)} of {name}" for name, column in columns.items())
        raise UsageError(
            f"{cells} combinations of values could occur ({sizes}), more than the {MOST_CELLS} that can be gone "
            'through; publish fewer columns, or choose higher levels: levels="age=2,zip=3"'
        )
    return cells


def cells_of(columns: Mapping[str, CategoryColumn]) -> IntArray:
    """Return the cell of each record.

    Examples
    --------
    >>> sex = CategoryColumn("sex", np.array([0, 1, 1], dtype=np.int32), ("f", "m"))
    >>> ill = CategoryColumn("ill", np.array([2, 0, 2], dtype=np.int32), ("flu", "no", None))
    >>> cells_of({"sex": sex, "ill": ill}).tolist()
    [2, 3, 5]
    """
    radices = [len(column.labels) for column in columns.values()]
    return np.asarray(np.ravel_multi_index([column.codes for column in columns.values()], radices), dtype=np.int64)


def columns_of(cells: IntArray, columns: Mapping[str, CategoryColumn]) -> dict[str, CategoryColumn]:
    """Return the values of cells, as columns."""
    codes = np.unravel_index(cells, [len(column.labels) for column in columns.values()])
    return {
        name: CategoryColumn(name, found.astype(np.int32), column.labels)
        for (name, column), found in zip(columns.items(), codes, strict=True)
    }


def bounded(records: "MechanismInput", most: int, source: RandomSource) -> IntArray:
    """Return which records count: of everybody at most ``most``, drawn by chance, and all if nobody is distinguished.

    Whoever has fewer records keeps all of them, and what is drawn for one person does not depend on the others.
    """
    count = len(next(iter(records.columns.values())).codes) if records.columns else 0  # type: ignore[union-attr]
    if records.persons is None:
        return np.arange(count)
    order = np.argsort(records.persons, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(records.persons[order]) != 0]) if count else np.zeros(0, dtype=np.int64)
    kept = [_drawn(own, most, source) for own in np.split(order, starts[1:])]
    return np.sort(np.concatenate(kept)) if kept else order


def _drawn(own: IntArray, most: int, source: RandomSource) -> IntArray:
    """Return ``most`` of the records, every choice of them equally likely."""
    if len(own) <= most:
        return own
    left = own.tolist()
    for place in range(most):  # the first steps of a shuffle
        other = place + source.below(len(left) - place)
        left[place], left[other] = left[other], left[place]
    return np.array(left[:most], dtype=np.int64)


MOST_CELLS = 1_000_000
"""How many combinations of values a mechanism goes through, at most; each takes some microseconds."""


@dataclass(frozen=True, eq=False)
class MechanismInput:
    """What a mechanism sees of a table: the chosen columns, and whom each record belongs to, where that is known.

    A column of categories has every value that was declared as a label, whether it occurs or not.
    """

    columns: Mapping[str, AnyColumn]
    persons: IntArray | None = None


@dataclass(frozen=True, eq=False)
class MechanismResult:
    """What a mechanism publishes: columns, how often each row of them counts, and how it was made."""

    columns: Mapping[str, AnyColumn]
    counts: IntArray | None = None
    mechanism_record: MechanismRecord | None = None
    private: Mapping[str, Any] = field(default_factory=dict)


class Mechanism(Method):
    """Makes a table of its own by chance. What it keeps is a promise about that, not about groups of records."""

    scheme: ClassVar[str] = "mechanism"
    family: ClassVar[str] = "mechanism"
    guarantee: ClassVar[str]
    """What a release by this method promises, and what it does not, in plain words."""
    keeps: ClassVar[type[PrivacyModel]]
    """The promise that it can keep."""

    columns: Names = Field(default=(), description="the columns to publish; unless given, all that have a fitting role")

    @property
    def person_column(self) -> str | None:
        """The column that says whom a record belongs to, where the method has to know it."""
        return None

    @abstractmethod
    def make(self, records: MechanismInput, promise: Any, source: RandomSource) -> MechanismResult:
        """Return what is published, so that the promise is kept.

        All chance comes from ``source``.

        Raises
        ------
        Infeasible
            if nothing keeps the promise.
        """


class DomainMechanism(Mechanism):
    """A mechanism over all combinations of declared values, whether they occur in the data or not."""

    levels: Annotated[ChosenLevels, PlainValidator(read_levels)] = Field(
        default_factory=dict,
        description="the level of each column in its hierarchy, by name or in their order; the lowest unless given",
    )
    missing: Literal["value", "leave out"] = Field(
        default="value", description="whether a missing value is a value of its own, or its record is left out"
    )

    def level_of(self, name: str, columns: Sequence[str]) -> int | None:
        """Return the level chosen for a column, ``None`` where none is."""
        if isinstance(self.levels, tuple):
            if len(self.levels) != len(columns):
                raise UsageError(
                    f"{len(self.levels)} level(s) chosen for {len(columns)} column(s); "
                    f"give one for each, in this order: {', '.join(columns)}"
                )
            return self.levels[list(columns).index(name)]
        for chosen in self.levels:
            if chosen not in columns:
                raise column_not_found(chosen, columns)
        return self.levels.get(name)


def categories_of(records: MechanismInput) -> dict[str, CategoryColumn]:
    """Return the columns of declared values."""
    return {name: column for name, column in records.columns.items() if isinstance(column, CategoryColumn)}
