"""What is published of sets of items: sets, sets in groups, or clusters of pieces."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import polars as pl

from krypsis.arrays import IntArray
from krypsis.checker.base import Given, names_of
from krypsis.checker.sets import check_sets
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.schema import Schema
from krypsis.data.transactions import Disassociated, GroupedSets, PublishedSets
from krypsis.errors import InternalError
from krypsis.format.chunks_file import write_chunks
from krypsis.format.claims import Claims
from krypsis.format.files import CHUNKS, DATA, SENSITIVE_TABLE
from krypsis.io.item_sets import GROUP, ITEM, RECORD, sensitive_table_of_groups, table_of
from krypsis.kinds.sets.check import load_sets
from krypsis.kinds.sets.summary import sections
from krypsis.kinds.table.publication import claim_of_sensitive
from krypsis.models.base import PrivacyModel, Verdict
from krypsis.release.publication import Publication, columns_of

if TYPE_CHECKING:
    from krypsis.release.release import Release

ROLES = {RECORD: "insensitive", GROUP: "insensitive", ITEM: "quasi-identifier", "count": "insensitive"}
"""What the columns of published sets are; somebody may know items of a person."""


@dataclass(frozen=True, eq=False, repr=False)
class SetsPublication(Publication):
    """Sets of items, in whichever form a method publishes them; a method shuffles them itself."""

    kind = "transactions"
    is_tabular = False
    is_shuffled = True

    sets: PublishedSets
    sensitive_items: frozenset[str] = frozenset()
    """Items that nobody should be able to attach to a person."""
    item_hierarchy: Hierarchy | None = field(default=None)
    """Of the items, where some sets show an item and others something more general above it."""

    @cached_property
    def table(self) -> pl.DataFrame:  # type: ignore[override]  # computed once
        return table_of(self.sets)

    @cached_property
    def sensitive_table(self) -> pl.DataFrame | None:  # type: ignore[override]
        return sensitive_table_of_groups(self.sets)

    @property
    def group_column(self) -> str | None:  # type: ignore[override]
        return GROUP if isinstance(self.sets, GroupedSets) else None

    @property
    def schema(self) -> Schema:  # type: ignore[override]
        return Schema.of({name: ROLES.get(name, "insensitive") for name in self.table.columns})

    @property
    def chunks(self) -> Disassociated | None:
        """The clusters of pieces, where sets are disassociated."""
        return self.sets if isinstance(self.sets, Disassociated) else None

    @property
    def records(self) -> int:
        return len(self.sets)

    def tables(self) -> dict[str, pl.DataFrame]:
        second = {} if self.sensitive_table is None else {SENSITIVE_TABLE: self.sensitive_table}
        return {DATA: self.table} | second

    def files(self, folder: Path, formats: Sequence[str]) -> list[Path]:
        """Write what is published; clusters of pieces are no table and become JSON whatever format is asked for."""
        if self.chunks is None:
            return super().files(folder, formats)
        write_chunks(self.chunks, folder / CHUNKS)
        return [folder / CHUNKS]

    def shuffled(self, order: IntArray, seed: str) -> Self:  # noqa: ARG002
        raise InternalError("sets are in published order when they are made; please report this")

    def claims(self) -> dict[str, Any]:
        second = None if self.sensitive_table is None else claim_of_sensitive(self.sensitive_table, self.schema)
        hierarchy = self.item_hierarchy
        return {
            "kind": self.kind,
            "columns": columns_of(self.table, self.schema),
            "weights": {},
            "quasi_identifier_sets": self.schema.sets,
            "rows": self.table.height if self.chunks is None else len(self.chunks),
            "group_column": self.group_column,
            "sensitive_table": second,
            "sensitive_items": tuple(sorted(self.sensitive_items)),
            "item_hierarchy": () if hierarchy is None else tuple(map(tuple, hierarchy.rows())),
        }

    def check(self, models: Sequence[PrivacyModel], given: Given) -> tuple[Verdict, ...]:
        hierarchy = (given.hierarchies or {}).get(ITEM, self.item_hierarchy)
        sensitive = self.sensitive_items if given.sensitive is None else frozenset(names_of(given.sensitive))
        return check_sets(self.sets, models, hierarchy=hierarchy, sensitive=sensitive)

    def summary(self, release: "Release") -> Mapping[str, Iterable[str]]:
        return sections(release, self.sets)

    @classmethod
    def is_described_by(cls, claims: Claims) -> bool:
        return claims.kind == cls.kind

    @classmethod
    def of_files(cls, folder: Path, claims: Claims, schema: Schema) -> Self:  # noqa: ARG003  sets have one schema
        sets = load_sets(folder, claims)
        return cls(sets, frozenset(claims.sensitive_items), claims.hierarchy_of_items)
