"""A generalized table that is published in several files, none of which has to be in memory with the others."""

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import polars as pl

from krypsis.arrays import IntArray
from krypsis.checker.base import Given
from krypsis.checker.disclosure import Disclosure, disclosures_of_rows
from krypsis.checker.parted_rows import PartedRows
from krypsis.checker.table import check_table
from krypsis.data.hierarchies.base import Hierarchy, Label
from krypsis.data.schema import Schema
from krypsis.errors import InternalError, MemoryShort, UsageError
from krypsis.format.claims import PARTED_FORMAT, TYPES, Claims, publishable
from krypsis.format.files import DATA, PARQUET
from krypsis.format.part_files import MOST_PARTS, PublishedParts, part_stem
from krypsis.io.frames import picked
from krypsis.io.parts import TableParts
from krypsis.io.scratch import ScratchFolder
from krypsis.io.texts import text_of
from krypsis.kinds.table.hierarchy_rows import rows_in_use
from krypsis.kinds.table.summary import sections
from krypsis.models.base import GroupModel, PrivacyModel, Verdict
from krypsis.models.coverage import rules_out_certainty
from krypsis.release.plain_types import cast_texts, types_of_texts
from krypsis.release.provenance import Before
from krypsis.release.publication import Publication, columns_of_types, write_table

if TYPE_CHECKING:
    from krypsis.release.release import Release


@dataclass(frozen=True, eq=False, repr=False)
class PartedTable(Publication):
    """One table of generalized records in parts, in published order.

    Everything works on one part at a time, or on counts of distinct rows. Only :attr:`table` brings all rows into
    memory, where they fit. A single part is published as one file, like any other table.

    Examples
    --------
    >>> frames = [pl.DataFrame({"age": ["3*"] * 2, "disease": ["flu", other]}) for other in ("gout", "cold")]
    >>> schema = Schema.of({"age": "quasi-identifier", "disease": "sensitive"})
    >>> published = PartedTable(TableParts.of(frames, ScratchFolder()), schema)
    >>> published
    PartedTable(4 records; age, disease)
    >>> published.table["disease"].to_list()
    ['flu', 'gout', 'flu', 'cold']
    """

    kind = "table"
    holds_records: ClassVar[bool] = True
    is_in_memory: ClassVar[bool] = False

    parts: TableParts
    schema: Schema
    sensitive_hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict, kw_only=True)
    from_text: frozenset[str] = field(default=frozenset(), kw_only=True)
    """Columns that are published as they were in a text file; in Parquet they have the type of their values."""
    is_shuffled: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        if len(self.parts.paths) > MOST_PARTS:
            raise UsageError(
                f"a release has at most {MOST_PARTS:,} parts, got {len(self.parts.paths):,}; make them larger"
            )
        object.__setattr__(self, "parts", _publishable(self.parts))

    def __getstate__(self) -> dict[str, Any]:
        if self.parts.scratch is not None:
            raise UsageError(
                "a release in parts that is not saved yet cannot be pickled: its rows are in files that vanish with "
                "it. Save it, and load it where it is needed: Release.load(folder)"
            )
        return super().__getstate__()

    @property
    def table(self) -> pl.DataFrame:  # type: ignore[override]
        """All rows, brought into memory.

        Raises
        ------
        UsageError
            if they would take more than half of the memory that is free.
        """
        try:
            return self.rows().collected()
        except MemoryShort as error:
            raise UsageError(
                f"{error}. Save the release and work on its files one by one, or with a tool that need not hold them "
                "all, such as pl.scan_parquet or DuckDB"
            ) from None

    @property
    def height(self) -> int:
        return self.parts.rows

    @property
    def columns(self) -> list[str]:
        return self.parts.columns

    def rows(self) -> PartedRows:
        return self._rows

    @cached_property
    def _rows(self) -> PartedRows:
        return PartedRows(self.parts.columns, self.parts.rows, self.parts.frames)

    def frames(self) -> Iterator[pl.DataFrame]:
        return self.parts.frames()

    def first_rows(self, most: int) -> dict[str, tuple[pl.DataFrame, int]]:
        return {DATA: (next(iter(self.parts.frames())).head(most), self.records)}

    def tables(self) -> dict[str, pl.DataFrame]:
        return {DATA: self.table}

    def files(self, folder: Path, formats: Sequence[str]) -> list[Path]:
        number = len(self.parts.paths)
        stems = [folder / (DATA if number == 1 else part_stem(place)) for place in range(number)]
        # Parts in a scratch folder were written as they are published; those of another release perhaps by another
        # version, and files of two releases must not be one and the same.
        linked = [name for name in formats if name == "parquet" and self.parts.scratch is not None]
        written = [name for name in formats if name not in linked]
        paths = [
            _put(source, stem.with_suffix(PARQUET))
            for source, stem in zip(self.parts.paths, stems, strict=True)
            for _ in linked
        ]
        if written:
            for stem, frame in zip(stems, self.parts.frames(), strict=True):
                paths += [write_table(frame, stem, name) for name in written]
        return sorted(paths)

    def with_plain_types(self) -> Self:
        wanted = self.from_text - self.sensitive_hierarchies.keys()
        types = types_of_texts(self.parts.frames, [name for name in self.columns if name in wanted])
        if not types:
            return self
        typed = TableParts.of((cast_texts(frame, types) for frame in self.parts.frames()), ScratchFolder())
        return replace(self, parts=typed)

    def with_columns_in_order(self, names: Sequence[str]) -> Self:
        """Return the same with its columns in another order."""
        return replace(self, parts=TableParts.of((picked(one, names) for one in self.parts.frames()), ScratchFolder()))

    def shuffled(self, order: IntArray, seed: str) -> Self:  # noqa: ARG002
        raise InternalError("a table in parts is made in published order; please report this")

    def claims(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "columns": columns_of_types(self.parts.types, self.schema),
            "weights": {name: weight for name, weight in self.schema.weights.items() if name in self.columns},
            "quasi_identifier_sets": self.schema.sets,
            "rows": self.records,
            "sensitive_hierarchies": self._hierarchy_rows(),
        }

    def _hierarchy_rows(self) -> dict[str, tuple[tuple[Label, ...], ...]]:
        if not self.sensitive_hierarchies:
            return {}
        # Counted with the quasi-identifiers, as promises are judged, so that the parts are read once for both.
        counted = self.rows().counted([*self.schema.quasi_identifiers, *self.schema.sensitive])
        return {
            name: rows_in_use(hierarchy, set(counted.columns[name].shown_as(text_of)[1].to_list()))
            for name, hierarchy in self.sensitive_hierarchies.items()
        }

    def without_private_parts(self) -> Self:
        rows = self._hierarchy_rows() if self.records else {}
        known = {name: Hierarchy.from_rows(paths, name) for name, paths in rows.items() if paths}
        return replace(self, sensitive_hierarchies=known)

    def check(self, models: Sequence[PrivacyModel], given: Given) -> tuple[Verdict, ...]:
        own = Given(self.schema.sets, self.schema.sensitive, hierarchies=self.sensitive_hierarchies)
        return check_table(self.rows(), models, given.or_else(own)) if models else ()

    def disclosures(self, models: Sequence[PrivacyModel], before: Before) -> tuple[Disclosure, ...]:  # noqa: ARG002
        if any(not isinstance(model, GroupModel) or model.kind != self.kind for model in models):
            return ()
        hidden = [name for name in self.schema.sensitive if not rules_out_certainty(models, name)]
        return disclosures_of_rows(self.rows(), self.schema.sets, hidden)

    def summary(self, release: "Release") -> Mapping[str, Iterable[str]]:
        return sections(release)

    @classmethod
    def is_described_by(cls, claims: Claims) -> bool:
        return claims.kind == cls.kind and claims.format == PARTED_FORMAT

    @classmethod
    def of_files(cls, folder: Path, claims: Claims, schema: Schema) -> Self:
        parts = PublishedParts.in_folder(folder, claims)
        return cls(parts, schema, sensitive_hierarchies=claims.hierarchies_of_sensitive)


def _publishable(parts: TableParts) -> TableParts:
    """Return parts of types that a release may have, and without "not a number"; they are written anew if need be."""
    if isinstance(parts, PublishedParts):
        return parts
    floats = [name for name, dtype in parts.types.items() if dtype.is_float()]
    is_plain = all(str(dtype) in TYPES for dtype in parts.types.values())
    if is_plain and not any(frame.get_column(name).is_nan().any() for frame in _some(parts, floats) for name in floats):
        return parts
    return TableParts.of((publishable(frame) for frame in parts.frames()), ScratchFolder())


def _some(parts: TableParts, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Yield some columns of the parts; nothing is read where there are none."""
    return (pl.read_parquet(path, columns=list(columns), glob=False) for path in parts.paths if columns)


def _put(source: Path, target: Path) -> Path:
    """Put a file in another place without writing it again, where the file system can do that."""
    try:
        os.link(source, target)
    except OSError:  # another file system, or one without links
        shutil.copyfile(source, target)
    return target
