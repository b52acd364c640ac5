"""What is published of a table that changes: one version, in groups, with the number of counterfeits of each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from krypsis.checker.histories import COUNTERFEITS
from krypsis.checker.published_tables import PublishedVersion
from krypsis.format.claims import Claims
from krypsis.io.texts import text_of
from krypsis.kinds.table.publication import BucketedTables, tables_in
from krypsis.release.publication import PublishedTable


@dataclass(frozen=True, eq=False, repr=False)
class HistoryVersion(BucketedTables):
    """One version of a table that changes."""

    counterfeits: PublishedTable = field(kw_only=True)
    """Group → how many of its records nobody has."""

    @property
    def further(self) -> Mapping[str, PublishedTable]:  # type: ignore[override]
        return {COUNTERFEITS: self.counterfeits}

    def tables(self) -> dict[str, pl.DataFrame]:
        return super().tables() | {COUNTERFEITS: self.counterfeits.table}

    def claims(self) -> dict[str, Any]:
        return super().claims() | {"tables": {COUNTERFEITS: self.counterfeits.claim()}}

    def as_checked(self) -> PublishedVersion:
        group, count = self.counterfeits.table.get_columns()
        counts = dict(zip(text_of(group), count.cast(pl.Int64), strict=True))
        return PublishedVersion(self.table, self.group_column, self.sensitive_table, counterfeits=counts)

    @classmethod
    def is_described_by(cls, claims: Claims) -> bool:
        return claims.kind == cls.kind and list(claims.tables) == [COUNTERFEITS]

    @classmethod
    def _further_parts(cls, folder: Path, claims: Claims) -> dict[str, Any]:
        counterfeits = tables_in(folder, claims)[COUNTERFEITS]
        return super()._further_parts(folder, claims) | {"counterfeits": counterfeits}
