"""Read the files of a release, after making sure that they are the ones its manifest speaks of."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from krypsis.checker.claims import MANIFEST, Claims, Column, PublishedFile
from krypsis.checker.types import restore_types
from krypsis.errors import PromiseBroken, shorten
from krypsis.io.panics import panics_are_errors

DATA = "data"
COMPANION = "sensitive"
CHUNKS = "data.json"
"""The file of disassociated sets."""
CSV = ".csv"
PARQUET = ".parquet"


def verify_files(folder: Path, files: Sequence[PublishedFile]) -> None:
    """Raise unless the folder holds exactly the files of the manifest, each unchanged.

    Raises
    ------
    PromiseBroken
        if a file is missing, changed, not a plain file or not in the manifest.
    """
    names = [file.name for file in files]
    for name in names:
        _check_name(folder, name)
    if twice := {name for name in names if names.count(name) > 1}:
        raise PromiseBroken(f"the manifest of {folder} names {shorten(sorted(twice))} twice; the release is damaged")
    if extra := sorted(path.name for path in folder.iterdir() if path.name not in {*names, MANIFEST}):
        raise PromiseBroken(
            f"{folder} holds files that its manifest does not name: {shorten(extra)}; "
            "nothing is known about them: remove them, or publish the release again"
        )
    for file in files:
        _check_content(folder / file.name, file)


def refuse_unread(folder: Path, claims: Claims) -> None:
    """Raise if the manifest names a file that is none of those that are checked: nothing would be known about it.

    Raises
    ------
    PromiseBroken
        with the names of such files.
    """
    names = {file.name for file in claims.files}
    stems = {DATA, *claims.tables} | (set() if claims.companion is None else {COMPANION})
    is_in_pieces = claims.kind == "transactions" and CHUNKS in names
    read = {CHUNKS} if is_in_pieces else {stem + ending for stem in stems for ending in (CSV, PARQUET)}
    if unread := sorted(names - read):
        raise PromiseBroken(
            f"the manifest of {folder} names files that no promise is checked on: {shorten(unread)}; "
            "nothing is known about them: do not trust this release"
        )


def fingerprint(path: Path) -> PublishedFile:
    """Return the name, size and checksum of a file."""
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return PublishedFile(name=path.name, sha256=digest, bytes=path.stat().st_size)


def read_data(folder: Path, claims: Claims, *, prefer: str = CSV) -> pl.DataFrame:
    """Return the published table; where it is published in two formats, both must say the same."""
    return _read(folder, claims, DATA, claims.columns, claims.rows, prefer)


def read_companion(folder: Path, claims: Claims, *, prefer: str = CSV) -> pl.DataFrame | None:
    """Return the second table of a release in groups, if it has one."""
    if claims.companion is None:
        return None
    return _read(folder, claims, COMPANION, claims.companion.columns, claims.companion.rows, prefer)


def read_tables(folder: Path, claims: Claims, *, prefer: str = CSV) -> dict[str, pl.DataFrame]:
    """Return the further tables of a release of several by their names."""
    return {name: _read(folder, claims, name, one.columns, one.rows, prefer) for name, one in claims.tables.items()}


def _read(folder: Path, claims: Claims, stem: str, columns: Sequence[Column], rows: int, prefer: str) -> pl.DataFrame:
    names = {file.name for file in claims.files}
    readers = ((CSV, read_csv), (PARQUET, _read_parquet))
    tables = {ending: read(folder / (stem + ending)) for ending, read in readers if stem + ending in names}
    if not tables:
        raise PromiseBroken(f"{folder} publishes no {stem}: its manifest names neither {stem}{CSV} nor {stem}{PARQUET}")
    for table in tables.values():
        _check_shape(folder, table, columns, rows)
    if len(tables) == 2:
        _check_same(folder, stem, restore_types(tables[CSV], columns, tables[CSV].columns), tables[PARQUET])
    return tables.get(prefer, next(iter(tables.values())))


def read_csv(path: Path) -> pl.DataFrame:
    """Read a CSV file of a release, every column as text; an empty cell is missing, ``""`` is empty text."""
    try:
        # The header is read as a row: polars leaves doubled quotes in column names otherwise.
        cells = pl.read_csv(path, has_header=False, infer_schema=False)
    except pl.exceptions.PolarsError as error:
        raise PromiseBroken(f"{path} cannot be read as a table: {error}") from None
    names = ["" if name is None else str(name) for name in cells.row(0)]
    if len(set(names)) < len(names):
        raise PromiseBroken(f"{path} has two columns of the same name: {shorten(names)}")
    return cells.slice(1).rename(dict(zip(cells.columns, names, strict=True))).rechunk()


def _read_parquet(path: Path) -> pl.DataFrame:
    try:
        with panics_are_errors(str(path), PromiseBroken):
            return pl.read_parquet(path, glob=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise PromiseBroken(f"{path} cannot be read as a table: {error}") from None


def _check_name(folder: Path, name: str) -> None:
    if name in ("", ".", "..", MANIFEST) or any(sign in name for sign in ("/", "\\", "\0")):
        raise PromiseBroken(
            f"the manifest of {folder} names the file {name!r}; "
            "a release names files inside its own folder: do not trust this release"
        )


def _check_content(path: Path, file: PublishedFile) -> None:
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise PromiseBroken(f"{path} must be a plain file, got a link or a folder; do not trust this release")
    if not path.exists():
        raise PromiseBroken(f"{path} is missing, although the manifest names it; the release is incomplete")
    found = fingerprint(path)
    if found != file:
        raise PromiseBroken(
            f"{path} was changed after the release was made: expected {file.bytes} bytes with SHA-256 "
            f"{file.sha256[:12]}…, got {found.bytes} bytes with {found.sha256[:12]}…"
        )


def _check_shape(folder: Path, table: pl.DataFrame, columns: Sequence[Column], rows: int) -> None:
    names = [column.name for column in columns]
    if table.columns != names:
        raise PromiseBroken(
            f"{folder} publishes the columns {shorten(table.columns)}, but its manifest names {shorten(names)}"
        )
    if table.height != rows:
        raise PromiseBroken(f"{folder} publishes {table.height} records, but its manifest says {rows}")


def _check_same(folder: Path, stem: str, one: pl.DataFrame, other: pl.DataFrame) -> None:
    for name in one.columns:
        if not one.get_column(name).equals(other.get_column(name), null_equal=True):
            raise PromiseBroken(f"{stem}{CSV} and {stem}{PARQUET} of {folder} say different things in column {name!r}")
