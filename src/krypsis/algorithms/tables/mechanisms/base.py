"""The fourth kind of method: a table of its own, made by chance."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, PlainValidator

from krypsis.algorithms.tables.base import Method
from krypsis.algorithms.tables.fixed import ChosenLevels, read_levels
from krypsis.algorithms.tables.mechanisms.source import RandomSource
from krypsis.arrays import IntArray
from krypsis.data.columns import AnyColumn, CategoryColumn
from krypsis.errors import UsageError, column_not_found
from krypsis.models.base import Names, PrivacyModel
from krypsis.models.mechanisms import MechanismRecord

MOST_CELLS = 1_000_000
"""How many combinations of values a mechanism goes through, at most; each takes some microseconds."""


@dataclass(frozen=True, eq=False)
class MechanismInput:
    """What a mechanism sees of a table: the chosen columns, and whom each record belongs to, where that is told.

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
