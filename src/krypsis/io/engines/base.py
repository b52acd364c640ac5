"""The seam between the toolkit and the place where data lies: memory, files, a database, a cluster."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

if TYPE_CHECKING:
    import polars as pl

    from krypsis.arrays import IntArray
    from krypsis.data.frequency import FrequencySet, Grain
    from krypsis.data.hierarchies.base import Hierarchy, Label
    from krypsis.data.recoding import Recoding
    from krypsis.data.schema import Schema

Suppressed = Literal["remove", "keep"]
"""What becomes of suppressed records: they leave the table, or stay with every quasi-identifier at the top."""


class Engine(ABC):
    """One table where it lies, and the few questions that are asked about it.

    Searches work on the distinct tuples that :meth:`count_tuples` returns. Rows come into memory by :meth:`collect`
    and :meth:`collect_sample` only, so that a reader sees where they do. An engine holds nothing of a single run:
    several may ask the same one.
    """

    name: ClassVar[str]
    """As plans and messages call it; its module has the same name."""

    @abstractmethod
    def __init__(self, source: Any) -> None:
        """Take what :meth:`source_of` returns: a frame, the path of a file, the address of a table."""

    @classmethod
    @abstractmethod
    def source_of(cls, data: object, what: str) -> Any:
        """Return what this engine works on, from data in any form that it takes; ``what`` is its name in messages.

        Raises
        ------
        UsageError
            if the engine does not take data in this form.
        DataError
            if it has no records, or columns without a name of their own.
        """

    @property
    @abstractmethod
    def columns(self) -> list[str]:
        """The names of the columns, in their order."""

    @property
    @abstractmethod
    def types(self) -> dict[str, pl.DataType]:
        """The type of each column, as polars calls it."""

    @property
    @abstractmethod
    def rows(self) -> int:
        """The number of records."""

    @abstractmethod
    def collect(self, columns: Iterable[str] | None = None) -> pl.DataFrame:
        """Bring the rows into memory, all columns or some; names are taken exactly, never as patterns."""

    @abstractmethod
    def collect_sample(self, step: int) -> pl.DataFrame:
        """Bring every ``step``-th row into memory, from the first on."""

    @abstractmethod
    def distinct(self, column: str) -> list[Label]:
        """Return the distinct values of a column as text, in natural order, missing last.

        Raises
        ------
        ColumnError
            if there is no such column.
        """

    @abstractmethod
    def count_tuples(
        self,
        schema: Schema,
        hierarchies: Mapping[str, Hierarchy],
        grain: Grain = "tuple",
        population: Engine | None = None,
        combinations: Sequence[tuple[str, ...]] = (),
    ) -> CountedTable:
        """Count the distinct tuples of quasi-identifiers, with the sensitive values in each.

        With the grain ``record`` every record is a tuple of its own, in ascending order of all its codes, for
        algorithms that publish records with equal quasi-identifiers differently. With a ``population`` its tuples are
        counted, too, also those that no record of the table has. ``combinations`` are columns, of any role, whose
        values are counted together.
        """


class CountedTable(ABC):
    """A table whose tuples are counted: what a search works on, and how its answer gets back to the records.

    The tuple of each record is known where the data lies, and stays there.
    """

    frequency: FrequencySet
    """The distinct tuples in ascending order of their codes, with their counts."""

    @abstractmethod
    def apply(self, recoding: Recoding, suppressed: Suppressed) -> pl.DataFrame:
        """Return the recoded table: the columns that may be published, in their order."""

    @abstractmethod
    def with_groups(self, groups: IntArray, name: str, givers: IntArray | None = None) -> pl.DataFrame:
        """Return the columns that may be published, with the group of each record in a further column.

        ``groups`` has the group of each record of a frequency set of the grain ``record``. Everything else stays as it
        is, but where ``givers`` are given, a record gets the sensitive values of its giver.
        """

    @abstractmethod
    def suppressed_rows(self, recoding: Recoding) -> list[int]:
        """Return the row numbers of the suppressed records, in ascending order."""
