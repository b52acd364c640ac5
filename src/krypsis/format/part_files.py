"""A table that is published in several files, ``data-00000.parquet`` and so on, each read and verified by itself."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from krypsis.errors import DataError, PromiseBroken, shorten
from krypsis.format.claims import PARTED_FORMAT, SINGLE_FORMAT, TYPES, Claims, PublishedFile, restore_types
from krypsis.format.files import CSV, DATA, PARQUET, verified_tables
from krypsis.io.parts import TableParts

MOST_PARTS = 100_000
"""Names of parts have five digits."""
PART = re.compile(rf"{DATA}-[0-9]{{5}}(\{CSV}|\{PARQUET})")


def part_stem(number: int) -> str:
    """Return the name of a part without its ending.

    Examples
    --------
    >>> part_stem(12)
    'data-00012'
    """
    return f"{DATA}-{number:05}"


def format_of(files: Iterable[PublishedFile]) -> int:
    """Return the format of a release that publishes these files: readers of one file know nothing of parts."""
    return PARTED_FORMAT if any(PART.fullmatch(file.name) for file in files) else SINGLE_FORMAT


def part_names(claims: Claims) -> frozenset[str]:
    """Return the names that the parts of a release may have; none where it publishes one file."""
    if claims.format != PARTED_FORMAT:
        return frozenset()
    return frozenset(file.name for file in claims.files if PART.fullmatch(file.name))


def part_stems(folder: Path, claims: Claims) -> list[str]:
    """Return the names of the parts without their ending, in their order.

    Raises
    ------
    PromiseBroken
        if the manifest names something else than two or more parts, numbered from 0 on without a gap, all of them in
        each format in which there is one.
    """
    names = [file.name for file in claims.files]
    endings = [ending for ending in (CSV, PARQUET) if any(name.endswith(ending) for name in names)]
    number = len(names) // max(len(endings), 1)
    stems = [part_stem(place) for place in range(number)]
    expected = {stem + ending for stem in stems for ending in endings}
    if set(names) != expected or len(names) != len(expected):
        odd = sorted(set(names) ^ expected) or names
        raise PromiseBroken(
            f"the manifest of {folder} does not name its parts one after the other, {part_stem(0)}, {part_stem(1)} and "
            f"so on, each once in each format: see {shorten(odd, 5)}; do not trust this release"
        )
    if not 2 <= number <= MOST_PARTS:
        raise PromiseBroken(
            f"the manifest of {folder} has the format of a table in parts and names {number} part(s); there are 2 to "
            f"{MOST_PARTS:,}, and a single file is called {DATA}: do not trust this release"
        )
    return stems


@dataclass(frozen=True, eq=False)
class PublishedParts(TableParts):
    """The parts of a release in its folder: each is verified when it is read, and what was verified is what is read."""

    folder: Path = Path()
    claims: Claims | None = None
    prefer: str = PARQUET

    @classmethod
    def in_folder(cls, folder: Path, claims: Claims, *, prefer: str = PARQUET) -> "PublishedParts":
        """Return the parts of a release; nothing but its manifest is looked at yet."""
        stems = part_stems(folder, claims)
        if unknown := [column.type for column in claims.columns if column.type not in TYPES]:
            raise DataError(f"the manifest names the type {unknown[0]!r}; types: {shorten(TYPES, len(TYPES))}")
        types = {column.name: TYPES[column.type] for column in claims.columns}
        paths = [folder / stem for stem in stems]
        return cls(paths, types, claims.rows, folder=folder, claims=claims, prefer=prefer)

    def frames(self) -> Iterator[pl.DataFrame]:
        for table in self.as_written():
            yield restore_types(table, self._claims.columns, table.columns)

    def as_written(self) -> Iterator[pl.DataFrame]:
        """Yield the parts as the files have them: everything from a CSV file as text.

        Raises
        ------
        PromiseBroken
            if a part is not the one that the manifest names, holds more than its values, has other columns or no
            records, or if there are more or fewer records than the manifest says.
        """
        rows = 0
        for path in self.paths:
            tables = verified_tables(self.folder, self._claims, path.name, self._claims.columns)
            table = tables.get(self.prefer, next(iter(tables.values())))
            if any(one.height != table.height for one in tables.values()) or not table.height:
                raise PromiseBroken(
                    f"{path.name} of {self.folder} has no records, or not as many in each format; do not trust this "
                    "release"
                )
            rows += table.height
            if rows > self.rows:
                break
            yield table
        if rows != self.rows:
            more = "or more, " * (rows > self.rows)
            raise PromiseBroken(
                f"{self.folder} publishes {rows} records {more}in {len(self.paths)} parts, but its manifest says "
                f"{self.rows}"
            )

    @property
    def _claims(self) -> Claims:
        if self.claims is None:
            raise DataError(f"{self.folder} has no manifest")
        return self.claims
