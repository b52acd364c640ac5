"""What is published of tables: one generalized table, tables in groups, linked tables, or the output of a mechanism.

A table in parts is :class:`krypsis.kinds.table.parted_publication.PartedTable`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import polars as pl
from polars import selectors

from krypsis.arrays import IntArray
from krypsis.checker.base import Given
from krypsis.checker.disclosure import Disclosure, disclosures, disclosures_of_links, disclosures_of_subjects
from krypsis.checker.published_tables import PublishedTables, SubjectTable, check_published
from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.data.schema import Role, Schema
from krypsis.format.claims import Claims, PublishedColumn, SensitiveTable, publishable, restore_types
from krypsis.format.files import DATA, PARQUET, SENSITIVE_TABLE, read_data, read_sensitive_table, read_tables
from krypsis.io.coded_table import are_many
from krypsis.io.frames import replaced
from krypsis.io.texts import PLAIN, text_of
from krypsis.kinds.table.hierarchy_rows import rows_in_use
from krypsis.kinds.table.parted_publication import PartedTable
from krypsis.kinds.table.summary import sections
from krypsis.models.base import PrivacyModel, Verdict
from krypsis.models.coverage import rules_out_certainty
from krypsis.models.links import LinkModel
from krypsis.models.mechanisms import MechanismRecord
from krypsis.release.plain_types import with_types_of_texts
from krypsis.release.provenance import MECHANISM, PERTURBATION, Before
from krypsis.release.publication import Publication, PublishedTable, columns_of, write_tables

if TYPE_CHECKING:
    from krypsis.release.release import Release


@dataclass(frozen=True, eq=False, repr=False)
class GeneralizedTable(Publication):
    """One table of records: generalized, perturbed, or with single cells left out.

    Columns whose type does not survive a CSV file are text in it, among them categories, whose list would name values
    of suppressed records.

    Examples
    --------
    >>> table = pl.DataFrame({"age": ["[30-35)"] * 2, "disease": ["Flu", "Fever"]})
    >>> published = GeneralizedTable(table, Schema.of({"age": "quasi-identifier", "disease": "sensitive"}))
    >>> published.records, list(published.tables())
    (2, ['data'])
    """

    kind = "table"
    holds_records: ClassVar[bool] = True
    made_by_chance: ClassVar[bool] = False
    """Whether the values are not those of the records, so that groups of records disclose nothing."""

    coded_table: pl.DataFrame
    """The table as it is kept: many rows with their texts as categories, which take less memory."""
    schema: Schema
    sensitive_hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict, kw_only=True)
    from_text: frozenset[str] = field(default=frozenset(), kw_only=True)
    """Columns that are published as they were in a text file; in Parquet they have the type of their values."""
    is_shuffled: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        if not are_many(self.height):
            object.__setattr__(self, "coded_table", publishable(self.coded_table))

    @property
    def table(self) -> pl.DataFrame:  # type: ignore[override]
        """The published table; of many rows, made anew whenever it is asked for."""
        return publishable(self.coded_table) if are_many(self.height) else self.coded_table

    @property
    def height(self) -> int:
        return self.coded_table.height

    @property
    def columns(self) -> list[str]:
        return self.coded_table.columns

    def rows(self) -> pl.DataFrame:
        return self.coded_table  # the checker takes categories for the texts they are

    @property
    def _no_rows(self) -> pl.DataFrame:
        """The published columns and their types alone."""
        return publishable(self.coded_table.clear())

    def __getstate__(self) -> dict[str, Any]:
        # The list of categories has values that no published record has.
        return super().__getstate__() | {"coded_table": self.table}

    def tables(self) -> dict[str, pl.DataFrame]:
        return {DATA: self.table, **self._further_tables()}

    def _further_tables(self) -> dict[str, pl.DataFrame]:
        """Return the tables that are published with the first one, by the names of their files."""
        return {}

    def files(self, folder: Path, formats: Sequence[str]) -> list[Path]:
        if not are_many(self.height):
            return super().files(folder, formats)
        # Categories become texts while they are written: all at once would take several times as much memory.
        others = publishable(self.coded_table.select(~selectors.by_dtype(pl.Enum)))
        return write_tables({DATA: replaced(self.coded_table, others), **self._further_tables()}, folder, formats)

    def with_plain_types(self) -> Self:
        return replace(self, coded_table=with_types_of_texts(self.coded_table, self._typed_columns))

    @property
    def _typed_columns(self) -> frozenset[str]:
        return self.from_text - self.sensitive_hierarchies.keys()

    def shuffled(self, order: IntArray, seed: str) -> Self:  # noqa: ARG002
        # In many pieces, as files are read, it would take ten times as long.
        return replace(self, coded_table=self.coded_table.rechunk()[order], is_shuffled=True)

    def claims(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "columns": columns_of(self._no_rows, self.schema),
            "weights": {
                name: weight for name, weight in self.schema.weights.items() if name in self.coded_table.columns
            },
            "quasi_identifier_sets": self.schema.sets,
            "rows": self.records,
            "sensitive_hierarchies": self._hierarchy_rows(),
        }

    def _hierarchy_rows(self) -> dict[str, tuple[tuple[Label, ...], ...]]:
        shown = self.coded_table if self.sensitive_table is None else self.sensitive_table
        texts = {name: text_of(shown.get_column(name).rename(PLAIN)) for name in self.sensitive_hierarchies}
        return {
            name: rows_in_use(hierarchy, set(texts[name].unique()))
            for name, hierarchy in self.sensitive_hierarchies.items()
        }

    def without_private_parts(self) -> Self:
        rows = {} if self.coded_table.is_empty() else self._hierarchy_rows()
        known = {name: Hierarchy.from_rows(paths, name) for name, paths in rows.items() if paths}
        return replace(self, sensitive_hierarchies=known)

    def as_checked(self) -> PublishedTables:
        """Return the tables as the checker knows them."""
        return PublishedTables(self.table)

    def check(self, models: Sequence[PrivacyModel], given: Given) -> tuple[Verdict, ...]:
        own = Given(self.schema.sets, self.schema.sensitive, hierarchies=self.sensitive_hierarchies)
        return check_published(self.as_checked(), models, given.or_else(own))

    def disclosures(self, models: Sequence[PrivacyModel], before: Before) -> tuple[Disclosure, ...]:
        if self.made_by_chance:
            return ()
        if any(isinstance(model, LinkModel) for model in models):  # a person's possible records need not look alike
            original = before.original_for(models)
            if original is None or self.table.is_empty():
                return ()
            return disclosures_of_links(original, self.table, self.schema.sets, self.schema.sensitive)
        if any(model.kind != self.kind for model in models):
            return ()
        hidden = [name for name in self.schema.sensitive if not rules_out_certainty(models, name)]
        return disclosures(
            PublishedTables(self.coded_table, self.group_column, self.sensitive_table), self.schema.sets, hidden
        )

    def summary(self, release: "Release") -> Mapping[str, Iterable[str]]:
        return sections(release)

    @classmethod
    def is_described_by(cls, claims: Claims) -> bool:
        is_special = claims.group_column is not None or claims.subject_column is not None
        is_special = is_special or PartedTable.is_described_by(claims)
        return claims.kind == cls.kind and not is_special and claims.scheme not in (PERTURBATION, MECHANISM)

    @classmethod
    def of_files(cls, folder: Path, claims: Claims, schema: Schema) -> Self:
        found = read_data(folder, claims, prefer=PARQUET)
        return cls(
            restore_types(found, claims.columns, found.columns),
            schema,
            sensitive_hierarchies=claims.hierarchies_of_sensitive,
            is_shuffled=True,
            **cls._further_parts(folder, claims),
        )

    @classmethod
    def _further_parts(cls, folder: Path, claims: Claims) -> dict[str, Any]:  # noqa: ARG003
        """Return the fields of this form beyond those of one table, read from its files."""
        return {}


@dataclass(frozen=True, eq=False, repr=False)
class PerturbedTable(GeneralizedTable):
    """One table of records, some of whose values were replaced by others."""

    holds_records: ClassVar[bool] = False
    made_by_chance: ClassVar[bool] = True

    @classmethod
    def is_described_by(cls, claims: Claims) -> bool:
        return claims.kind == cls.kind and claims.scheme == PERTURBATION


@dataclass(frozen=True, eq=False, repr=False)
class BucketedTables(GeneralizedTable):
    """Records in groups; the sensitive values stand in a table of their own, or are shuffled within the groups."""

    group_column: str = field(kw_only=True)
    sensitive_table: pl.DataFrame | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sensitive_table is not None:
            object.__setattr__(self, "sensitive_table", publishable(self.sensitive_table))

    def _further_tables(self) -> dict[str, pl.DataFrame]:
        return {} if self.sensitive_table is None else {SENSITIVE_TABLE: self.sensitive_table}

    def with_plain_types(self) -> Self:
        second = self.sensitive_table
        typed = None if second is None else with_types_of_texts(second, self._typed_columns)
        return replace(super().with_plain_types(), sensitive_table=typed)

    def claims(self) -> dict[str, Any]:
        second = None if self.sensitive_table is None else claim_of_sensitive(self.sensitive_table, self.schema)
        return super().claims() | {"group_column": self.group_column, "sensitive_table": second}

    def as_checked(self) -> PublishedTables:
        return PublishedTables(self.table, self.group_column, self.sensitive_table)

    @classmethod
    def is_described_by(cls, claims: Claims) -> bool:
        return claims.kind == cls.kind and claims.group_column is not None and not claims.tables

    @classmethod
    def _further_parts(cls, folder: Path, claims: Claims) -> dict[str, Any]:
        second = read_sensitive_table(folder, claims, prefer=PARQUET)
        if second is not None and claims.sensitive_table is not None:
            second = restore_types(second, claims.sensitive_table.columns, second.columns)
        return {"group_column": claims.group_column, "sensitive_table": second}


@dataclass(frozen=True, eq=False, repr=False)
class LinkedTables(GeneralizedTable):
    """Several tables, linked by a random number for the subject of each row."""

    holds_records: ClassVar[bool] = False

    subject_column: str = field(kw_only=True)
    further: Mapping[str, PublishedTable] = field(kw_only=True)

    def _further_tables(self) -> dict[str, pl.DataFrame]:
        return {name: one.table for name, one in self.further.items()}

    def with_plain_types(self) -> Self:
        typed = {
            name: replace(one, table=with_types_of_texts(one.table, one.from_text))
            for name, one in self.further.items()
        }
        return replace(super().with_plain_types(), further=typed)

    def claims(self) -> dict[str, Any]:
        tables = {name: one.claim() for name, one in self.further.items()}
        return super().claims() | {"subject_column": self.subject_column, "tables": tables}

    def as_checked(self) -> PublishedTables:
        return PublishedTables(self.table, subjects=self._subjects())

    def _subjects(self) -> dict[str, SubjectTable]:
        column = self.subject_column
        return {
            DATA: SubjectTable(self.table, column, self.schema.quasi_identifiers),
            **{
                name: SubjectTable(one.table, column, one.schema.quasi_identifiers)
                for name, one in self.further.items()
            },
        }

    @property
    def sensitive_names(self) -> tuple[str, ...]:
        return tuple(self._sensitive_columns)

    @property
    def _sensitive_columns(self) -> dict[str, tuple[str, str]]:
        """The sensitive columns of all tables: what to call one → its table and its name there."""
        first = {name: (DATA, name) for name in self.schema.sensitive}
        others = ((table, name) for table, one in self.further.items() for name in one.schema.sensitive)
        return first | {f"{table}.{name}": (table, name) for table, name in others}

    def disclosures(self, models: Sequence[PrivacyModel], before: Before) -> tuple[Disclosure, ...]:  # noqa: ARG002
        return disclosures_of_subjects(self._subjects(), self._sensitive_columns)

    @classmethod
    def is_described_by(cls, claims: Claims) -> bool:
        return claims.kind == cls.kind and claims.subject_column is not None

    @classmethod
    def _further_parts(cls, folder: Path, claims: Claims) -> dict[str, Any]:
        return {"subject_column": claims.subject_column, "further": tables_in(folder, claims)}


@dataclass(frozen=True, eq=False, repr=False)
class MechanismOutput(GeneralizedTable):
    """A table made by chance: none of its rows is a record."""

    holds_records: ClassVar[bool] = False
    made_by_chance: ClassVar[bool] = True

    mechanism_record: MechanismRecord | None = field(default=None, kw_only=True)

    def claims(self) -> dict[str, Any]:
        return super().claims() | {"mechanism_record": self.mechanism_record}

    def as_checked(self) -> PublishedTables:
        return PublishedTables(self.table, mechanism_record=self.mechanism_record)

    @classmethod
    def is_described_by(cls, claims: Claims) -> bool:
        return claims.kind == cls.kind and claims.scheme == MECHANISM

    @classmethod
    def _further_parts(cls, folder: Path, claims: Claims) -> dict[str, Any]:  # noqa: ARG003
        return {"mechanism_record": claims.mechanism_record}


def tables_in(folder: Path, claims: Claims) -> dict[str, PublishedTable]:
    """Read the further tables of a release from its folder."""
    found = read_tables(folder, claims, prefer=PARQUET)
    return {
        name: PublishedTable(
            restore_types(found[name], one.columns, found[name].columns),
            Schema(roles={column.name: column.role for column in one.columns}),
        )
        for name, one in claims.tables.items()
    }


def claim_of_sensitive(table: pl.DataFrame, schema: Schema) -> SensitiveTable:
    """Return what the manifest says about a table of sensitive values, counted by group."""
    group, value, count = ((name, str(dtype)) for name, dtype in table.schema.items())
    return SensitiveTable(
        columns=(
            PublishedColumn(name=group[0], role=Role.INSENSITIVE, type=group[1]),
            PublishedColumn(name=value[0], role=schema.roles[value[0]], type=value[1]),
            PublishedColumn(name=count[0], role=Role.INSENSITIVE, type=count[1]),
        ),
        rows=table.height,
    )
