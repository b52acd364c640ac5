"""The original table, for promises that are decided by comparing what was published with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from krypsis.checker.linkage import Linkage
from krypsis.data.hierarchies import HierarchySpec, resolve
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import Undecidable
from krypsis.io.frames import frame_of
from krypsis.io.texts import distinct_texts


@dataclass(frozen=True, eq=False)
class Original:
    """The records behind a published table, in any order, and the hierarchies that its labels come from."""

    table: pl.DataFrame
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        data: Any,
        hierarchies: Mapping[str, HierarchySpec],
        folder: Path | None = None,
        what: str = "the original table",
    ) -> Original:
        """Return the original table of a frame or file, with hierarchies in any form that a task may give."""
        table = frame_of(data, what)
        found = {
            name: resolve(spec, distinct_texts(table.get_column(name)), name, folder)
            for name, spec in hierarchies.items()
            if name in table.columns
        }
        return cls(table, found)

    def links_to(self, published: pl.DataFrame, sets: Sequence[Sequence[str]]) -> list[Linkage]:
        """Link the original records to the published ones, once for each quasi-identifier set."""
        return [Linkage.of(self.table, published, names, self.hierarchies) for names in sets]


def required(original: Original | None, promise: str) -> Original:
    """Return the original table, or say that a promise cannot be decided without it."""
    if original is None:
        raise Undecidable(
            f"{promise} is about who could be behind a published record, which nobody can verify from the published "
            "files alone; give the original table: --original private.csv, original=… in Python"
        )
    return original
