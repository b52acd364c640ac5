"""What is published: one of a small family of forms, each with its files, its order, its claims and its summary."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import isabstract
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import polars as pl

from krypsis.arrays import IntArray
from krypsis.checker.base import Given
from krypsis.checker.disclosure import Disclosure
from krypsis.checker.parted_rows import PartedRows
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.schema import Role, Schema
from krypsis.errors import DataError, OutputError, UsageError, did_you_mean
from krypsis.format import files
from krypsis.format.claims import Claims, PublishedColumn, TableClaim, publishable
from krypsis.io.write import write_csv, write_parquet
from krypsis.models.base import PrivacyModel, Verdict
from krypsis.registry import parts_of_kinds
from krypsis.release.provenance import Before

if TYPE_CHECKING:
    from krypsis.models.mechanisms import MechanismRecord
    from krypsis.release.release import Release


PARQUET = "parquet"
WRITERS = {"csv": (files.CSV, write_csv), PARQUET: (files.PARQUET, write_parquet)}
UNTOUCHED = "nothing that was there has changed"


def known_formats(formats: Sequence[str]) -> tuple[str, ...]:
    """Return the names of formats, after making sure that each is known."""
    if not isinstance(formats, Iterable):
        raise UsageError(f"formats must be a list of {' and '.join(map(repr, WRITERS))}, got {formats!r}")
    names = (formats,) if isinstance(formats, str) else tuple(dict.fromkeys(formats))
    if not names:
        raise UsageError(f"no format is given; formats: {', '.join(WRITERS)}")
    for name in names:
        if name not in WRITERS:
            raise UsageError(
                f"format {name!r} is not known; formats: {', '.join(WRITERS)}.{did_you_mean(str(name), WRITERS)}"
            )
    return names


def write_tables(tables: Mapping[str, pl.DataFrame], folder: Path, formats: Sequence[str]) -> list[Path]:
    """Write tables into a folder, each by its name and in each format, and return the files."""
    return [write_table(table, folder / stem, name) for stem, table in tables.items() for name in formats]


def write_table(table: pl.DataFrame, stem: Path, name: str) -> Path:
    """Write a table in a format and return the file."""
    path, write = stem.with_suffix(WRITERS[name][0]), WRITERS[name][1]
    try:
        write(table, path, as_texts=True)
    except OutputError as error:
        raise OutputError(f"{path.name} of the release cannot be written: {error.__cause__}; {UNTOUCHED}") from error
    return path


@dataclass(frozen=True, eq=False)
class PublishedTable:
    """A further table of a release, with the roles of its columns."""

    table: pl.DataFrame
    schema: Schema
    from_text: frozenset[str] = frozenset()
    """Columns that are published as they were in a text file; in Parquet they have the type of their values."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", publishable(self.table))

    def claim(self) -> TableClaim:
        """Return what the manifest says about the table."""
        return TableClaim(columns=columns_of(self.table, self.schema), rows=self.table.height)


class Publication(ABC):
    """The data of a release, in whichever form it is published.

    A form is a frozen data class in ``kinds/<kind>/publication.py``. What only some forms have is ``None`` or empty in
    all others, so that whoever shows a release need not know its form.
    """

    kind: ClassVar[str]
    """The kind of data, as plans and manifests name it."""

    table: pl.DataFrame
    """The first table, or a view of what is published as a table for people."""
    schema: Schema
    is_shuffled: bool = False
    """Whether the records are in published order."""
    group_column: str | None = None
    """The column of the table that says which records form a group, where the quasi-identifiers do not."""
    sensitive_table: pl.DataFrame | None = None
    """The sensitive values of a release that publishes them in a table of their own: group, value, count."""
    further: Mapping[str, PublishedTable] = {}
    """The further tables of a release of several, by name."""
    subject_column: str | None = None
    """The column of every table that says whose row it is, in a release of several: a random number."""
    mechanism_record: "MechanismRecord | None" = None
    """How the table was made by chance, where a promise is about that."""
    sensitive_hierarchies: Mapping[str, Hierarchy] = {}
    """Sensitive attribute → its hierarchy, where a promise measures distance in it."""

    is_in_memory: ClassVar[bool] = True
    """Whether the rows are in memory; otherwise asking for a table brings them there, if they fit."""
    is_tabular: ClassVar[bool] = True
    """Whether the data has columns; sets of items have none, and their table is a view."""
    holds_records: ClassVar[bool] = False
    """Whether the rows of the first table, and of no other, are records of people with their values or more general
    ones."""

    @property
    def records(self) -> int:
        """How many records are published."""
        return self.height

    @property
    def height(self) -> int:
        """How many rows the first table has."""
        return self.table.height

    @property
    def columns(self) -> list[str]:
        """The columns of the first table."""
        return self.table.columns

    def rows(self) -> pl.DataFrame | PartedRows:
        """Return the rows of the first table as the checker reads them: in memory, or one part at a time."""
        return self.table

    def frames(self) -> Iterator[pl.DataFrame]:
        """Yield the rows of the first table in published order, as many at a time as fit into memory."""
        yield self.table

    def first_rows(self, most: int) -> dict[str, tuple[pl.DataFrame, int]]:
        """Return at most so many rows of each table by name, with how many there are."""
        return {name: (table.head(most), table.height) for name, table in self.tables().items()}

    @property
    def sensitive_names(self) -> tuple[str, ...]:
        """The sensitive columns of all tables, as messages call them."""
        return self.schema.sensitive

    def __repr__(self) -> str:
        """Name the form and its size: hierarchies may name values that nobody has published."""
        return f"{type(self).__name__}({self.records} records; {', '.join(self.columns)})"

    def __getstate__(self) -> dict[str, Any]:
        return vars(self.without_private_parts())

    @abstractmethod
    def tables(self) -> dict[str, pl.DataFrame]:
        """Return the tables that become files, by the names of the files without ending."""

    def files(self, folder: Path, formats: Sequence[str]) -> list[Path]:
        """Write what is published into a folder and return the files."""
        return write_tables(self.tables(), folder, formats)

    def with_plain_types(self) -> Self:
        """Return the same with the types that texts of untouched columns have, as a Parquet file holds them."""
        return self

    @abstractmethod
    def shuffled(self, order: IntArray, seed: str) -> Self:
        """Return the same in random order: that of the input reveals who is who.

        Parameters
        ----------
        order
            place → the row of the table that goes there.
        seed
            what the order follows from, for forms that have more to shuffle than rows.
        """

    @abstractmethod
    def claims(self) -> dict[str, Any]:
        """Return what the manifest says about the data."""

    @abstractmethod
    def check(self, models: Sequence[PrivacyModel], given: Given) -> tuple[Verdict, ...]:
        """Ask the independent checker about the data, as it would be published; roles are its own unless given."""

    def disclosures(self, models: Sequence[PrivacyModel], before: Before) -> tuple[Disclosure, ...]:  # noqa: ARG002
        """Return what groups disclose about sensitive columns that no promise protects."""
        return ()

    @abstractmethod
    def summary(self, release: "Release") -> Mapping[str, Iterable[str]]:
        """Return what became of the data in plain words: headlines, each with its lines."""

    def without_private_parts(self) -> Self:
        """Return what the published files state and nothing more."""
        return self

    @classmethod
    @abstractmethod
    def is_described_by(cls, claims: Claims) -> bool:
        """Say whether a manifest describes this form."""

    @classmethod
    @abstractmethod
    def of_files(cls, folder: Path, claims: Claims, schema: Schema) -> Self:
        """Read the form from verified files."""


def publication_in(folder: Path, claims: Claims, schema: Schema) -> Publication:
    """Read what a folder publishes, in the form that its manifest describes."""
    for form in _forms():
        if form.is_described_by(claims):
            found: Publication = form.of_files(folder, claims, schema)
            return found
    raise DataError(f"{folder} publishes data of the kind {claims.kind!r}, which this version of krypsis cannot read")


def _forms() -> list[type[Publication]]:
    found = [cls for module in parts_of_kinds("publication") for cls in vars(module).values()]
    return [cls for cls in found if isinstance(cls, type) and issubclass(cls, Publication) and not isabstract(cls)]


def columns_of(table: pl.DataFrame, schema: Schema) -> tuple[PublishedColumn, ...]:
    """Return the columns of a table as a manifest names them.

    Raises
    ------
    UsageError
        if a column has no role, or is an identifier.
    """
    return columns_of_types(table.schema, schema)


def columns_of_types(types: Mapping[str, pl.DataType], schema: Schema) -> tuple[PublishedColumn, ...]:
    """Return the same of a table of which only the types of its columns are known."""
    for name in types:
        if name not in schema.roles:
            raise UsageError(f"column {name!r} has no role; give every column that is published a role")
        if schema.roles[name] is Role.IDENTIFIER:
            raise UsageError(f"column {name!r} is an identifier and must not be published; remove it from the table")
    return tuple(PublishedColumn(name=name, role=schema.roles[name], type=str(dtype)) for name, dtype in types.items())
