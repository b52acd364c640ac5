"""The seam between the toolkit and the place where data lies: memory, files, a database, a cluster."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from krypsis.data.cuts import PartCounts
from krypsis.errors import InternalError, UsageError

if TYPE_CHECKING:
    import polars as pl

    from krypsis.arrays import CodeArray, IntArray
    from krypsis.data.cuts import PartCut
    from krypsis.data.groups import Histogram
    from krypsis.data.hierarchies.base import Hierarchy, Label
    from krypsis.data.recoding import FrequencySet, Grain, Recoding
    from krypsis.data.schema import Schema
    from krypsis.io.parts import TableParts
    from krypsis.io.targets import TableTarget

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
    keeps_rows: ClassVar[bool] = True
    """Whether the rows stay where they lie: what is published of them comes in :class:`krypsis.io.parts.TableParts`."""

    @abstractmethod
    def __init__(self, source: Any, memory: int | None = None) -> None:
        """Take what :meth:`source_of` returns: a frame, the path of a file, the address of a table.

        ``memory`` is how many bytes the engine may take; half of what is available unless given.
        """

    @classmethod
    @abstractmethod
    def source_of(cls, data: object, what: str, **reading: str | None) -> Any:
        """Return what this engine works on, from data in any form that it takes; ``what`` is its name in messages.

        ``reading`` says how to read a file where the usual guess fails: ``delimiter``, ``encoding``, ``sheet``.

        Raises
        ------
        UsageError
            if the engine does not take data in this form.
        DataError
            if it has no records, or columns without a name of their own.
        """

    @classmethod
    def takes(cls, data: object) -> bool:  # noqa: ARG003
        """Say whether data in this form lies where this engine works, so that it need not be named."""
        return False

    @classmethod
    def knows_by_name(cls, text: str) -> bool:  # noqa: ARG003
        """Say whether a text is the name of a table where this engine works, and not the path of a file."""
        return False

    @classmethod
    def target(cls, table: str, source: object) -> TableTarget:  # noqa: ARG003
        """Return a table to write a release to, by its address, or by its name where the source lies.

        Raises
        ------
        UsageError
            if the engine has no tables of its own.
        """
        raise UsageError(
            f"{table!r} is the name of a table, and the data lies in files; name the database as well: "
            "postgresql://host/database?table=public.visits"
        )

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
    def collect_sample(self, rows: IntArray, columns: Iterable[str] | None = None) -> pl.DataFrame:
        """Bring some rows into memory, by their numbers in ascending order; all columns or some."""

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

    def divided(self, schema: Schema, hierarchies: Mapping[str, Hierarchy]) -> DividedTable:  # noqa: ARG002
        """Return the table for being counted part by part, where its distinct tuples do not fit into memory."""
        raise InternalError(f"the engine {self.name} has all tuples in memory; please report this")


class CountedTable(ABC):
    """A table whose tuples are counted: what a search works on.

    The tuple of each record is known where the data lies, and stays there. How the answer of a search gets back to the
    records is what the two forms below differ in.
    """

    frequency: FrequencySet
    """The distinct tuples in ascending order of their codes, with their counts."""


class CountedRows(CountedTable):
    """A counted table whose rows are in memory."""

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


def in_memory(counted: CountedTable) -> CountedRows:
    """Return a counted table whose rows are in memory, for methods that work on no other."""
    if not isinstance(counted, CountedRows):
        raise InternalError("the rows should have been brought into memory first; please report this")
    return counted


class CountedElsewhere(CountedTable):
    """A counted table whose rows stay where they lie."""

    @abstractmethod
    def publish(self, recoding: Recoding, suppressed: Suppressed, seed: str) -> TableParts:
        """Return the recoded table in published order: the columns that may be published, in their order.

        The order follows from what is published and from the seed, never from the order of the input: groups of equal
        quasi-identifiers are in random order, the records of a group in that of their other columns.

        Raises
        ------
        DataError
            if the table has changed since it was counted.
        """


@dataclass(frozen=True, eq=False)
class PartGroups:
    """The groups that a part of a table is published in."""

    codes: CodeArray
    """The codes of each distinct tuple of the part."""
    group_of: CodeArray
    """The group of each tuple."""
    sizes: IntArray
    labels: pl.DataFrame
    """The quasi-identifiers of each group, as texts."""


class DividedTable(PartCounts):
    """A table that is counted and published in parts, because its distinct tuples do not fit into memory."""

    empty: FrequencySet
    """The frequency set without its tuples and what they contain."""
    rows: int
    """The number of records."""

    @property
    @abstractmethod
    def fits(self) -> bool:
        """Whether the distinct tuples fit into memory, so that the table need not be divided."""

    @property
    @abstractmethod
    def most_tuples(self) -> int:
        """The most distinct tuples that fit into memory."""

    @property
    @abstractmethod
    def distinct(self) -> int:
        """The number of distinct tuples."""

    @property
    @abstractmethod
    def contents(self) -> Mapping[str, Histogram]:
        """The sensitive values of the whole table, as those of one group."""

    @property
    @abstractmethod
    def most_rows(self) -> int:
        """The most records that a part may have to be worked on in memory."""

    @abstractmethod
    def ranked(self, ranks: Sequence[CodeArray]) -> DividedTable:
        """Return the table with other numbers for the values of attributes: ``ranks[attribute][code]``."""

    @abstractmethod
    def parts_of(self, cuts: Sequence[PartCut], codes: CodeArray) -> IntArray:
        """Return the part that each tuple of codes lies in."""

    @abstractmethod
    def tuples(self, cuts: Sequence[PartCut]) -> Iterator[FrequencySet]:
        """Yield the tuples of each part, part 0 first; promises are compared with the whole table."""

    @abstractmethod
    def publish(
        self, cuts: Sequence[PartCut], groups_of: Callable[[int], PartGroups], unchanged: frozenset[str], seed: str
    ) -> TableParts:
        """Return the table with the labels of the groups of each part, in published order.

        The attributes in ``unchanged`` keep their own values everywhere, and so their types. The order follows from
        what is published and from the seed: parts are in random order, the groups of a part too, and the records of a
        group in that of their other columns.

        Raises
        ------
        DataError
            if the table has changed since it was counted.
        """
