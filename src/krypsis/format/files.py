"""Read the files of a release, after making sure that they are the ones its manifest speaks of."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from io import BufferedReader
from pathlib import Path

import polars as pl

from krypsis.errors import PromiseBroken, Undecidable, shorten
from krypsis.format.claims import MANIFEST, TYPES, Claims, PublishedColumn, PublishedFile, restore_types
from krypsis.format.parquet_layout import check_layout
from krypsis.format.thrift import Foreign
from krypsis.io.panics import panics_are_errors
from krypsis.io.write import PARQUET_LAYOUTS, PARQUET_WRITER, digest_of, write_csv

DATA = "data"
SENSITIVE_TABLE = "sensitive"
CHUNKS = "data.json"
"""The file of disassociated sets."""
CSV = ".csv"
PARQUET = ".parquet"

MOST_PROVEN = 1000
_proven: set[tuple[object, ...]] = set()
"""Checksums of files, with the types of their columns, that were found to hold their values and nothing else.

This follows from the bytes, the types and the named writer alone, so it need not be found again when the same files
are read again.
"""


_kept: ContextVar[dict[tuple[object, ...], dict[str, pl.DataFrame]] | None] = ContextVar("kept", default=None)
"""The tables that were read so far, where they are read once; otherwise nothing is kept."""


@contextmanager
def read_once() -> Iterator[None]:
    """Read and verify each table of a release once, however often it is asked for inside this block.

    Whoever asks again gets the table that was verified, also if the files change meanwhile.
    """
    before = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(before)


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
    kept = _kept.get()
    for file in files:
        verified = ("verified", folder.absolute(), file)
        if kept is None or verified not in kept:
            with opened(folder / file.name, file):
                pass
        if kept is not None:
            kept[verified] = {}


def fingerprint(path: Path) -> PublishedFile:
    """Return the name, size and checksum of a file."""
    with path.open("rb") as stream:
        return _fingerprint(stream, path.name)


def _fingerprint(stream: BufferedReader, name: str) -> PublishedFile:
    digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return PublishedFile(name=name, sha256=digest, bytes=stream.tell())


@contextmanager
def opened(path: Path, file: PublishedFile) -> Iterator[BufferedReader]:
    """Open a file of a release, after verifying it; what is parsed is then what was verified.

    It is read through this handle alone: a name may look like a pattern for other files (``release[1]``), and another
    file may take its place meanwhile.
    """
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise PromiseBroken(f"{path} must be a plain file, got a link or a folder; do not trust this release")
    if not path.exists():
        raise PromiseBroken(f"{path} is missing, although the manifest names it; the release is incomplete")
    with path.open("rb") as stream:
        found = _fingerprint(stream, path.name)
        if found != file:
            raise PromiseBroken(
                f"{path} was changed after the release was made: expected {file.bytes} bytes with SHA-256 "
                f"{file.sha256[:12]}…, got {found.bytes} bytes with {found.sha256[:12]}…"
            )
        stream.seek(0)
        yield stream


def read_data(folder: Path, claims: Claims, *, prefer: str = CSV) -> pl.DataFrame:
    """Return the published table; where it is published in two formats, both must say the same."""
    return _read(folder, claims, DATA, claims.columns, claims.rows, prefer)


def read_sensitive_table(folder: Path, claims: Claims, *, prefer: str = CSV) -> pl.DataFrame | None:
    """Return the second table of a release in groups, if it has one."""
    if claims.sensitive_table is None:
        return None
    return _read(folder, claims, SENSITIVE_TABLE, claims.sensitive_table.columns, claims.sensitive_table.rows, prefer)


def read_tables(folder: Path, claims: Claims, *, prefer: str = CSV) -> dict[str, pl.DataFrame]:
    """Return the further tables of a release of several by their names."""
    return {name: _read(folder, claims, name, one.columns, one.rows, prefer) for name, one in claims.tables.items()}


def _read(
    folder: Path, claims: Claims, stem: str, columns: Sequence[PublishedColumn], rows: int, prefer: str
) -> pl.DataFrame:
    listed = tuple(file for file in claims.files if file.name in (stem + CSV, stem + PARQUET))
    kept, key = _kept.get(), (folder.absolute(), listed, tuple(columns), rows, claims.parquet_writer)
    if kept is None:
        tables = _whole_tables(folder, claims, stem, columns, rows)
    else:
        if key not in kept:
            kept[key] = _whole_tables(folder, claims, stem, columns, rows)
        tables = kept[key]
    return tables.get(prefer, next(iter(tables.values())))


def _whole_tables(
    folder: Path, claims: Claims, stem: str, columns: Sequence[PublishedColumn], rows: int
) -> dict[str, pl.DataFrame]:
    tables = verified_tables(folder, claims, stem, columns)
    for table in tables.values():
        if table.height != rows:
            raise PromiseBroken(f"{folder} publishes {table.height} records, but its manifest says {rows}")
    return tables


def verified_tables(
    folder: Path, claims: Claims, stem: str, columns: Sequence[PublishedColumn]
) -> dict[str, pl.DataFrame]:
    """Return a published table, or a part of one, in each format that it is published in, by the ending of the file.

    Raises
    ------
    PromiseBroken
        if a file is not the one that the manifest names, holds more than its values, or has other columns.
    """
    files = {file.name: file for file in claims.files}
    tables: dict[str, pl.DataFrame] = {}
    for ending, read in ((CSV, read_csv), (PARQUET, read_parquet)):
        if stem + ending in files:
            with opened(folder / (stem + ending), files[stem + ending]) as stream:
                tables[ending] = read(stream, folder / (stem + ending))
    if not tables:
        raise PromiseBroken(f"{folder} publishes no {stem}: its manifest names neither {stem}{CSV} nor {stem}{PARQUET}")
    for table in tables.values():
        _check_columns(folder, table, columns)
    proof = (
        tuple((ending, files[stem + ending].sha256) for ending in tables),
        tuple((column.name, column.type) for column in columns),
        claims.parquet_writer,
    )
    if proof not in _proven:
        if CSV in tables:
            _check_csv(folder, files[stem + CSV], columns, tables)
        if PARQUET in tables:
            _check_parquet(folder, files[stem + PARQUET], columns, tables[PARQUET], claims.parquet_writer)
        if len(_proven) >= MOST_PROVEN:
            _proven.clear()
        _proven.add(proof)
    return tables


def read_csv(stream: BufferedReader, path: Path) -> pl.DataFrame:
    """Read a CSV file of a release, every column as text; an empty cell is missing, ``""`` is empty text."""
    try:
        # The header is read as a row: polars leaves doubled quotes in column names otherwise.
        cells = pl.read_csv(stream, has_header=False, infer_schema=False)
    except (pl.exceptions.PolarsError, OSError, UnicodeError) as error:
        raise PromiseBroken(f"{path} cannot be read as a table: {error}") from error
    names = ["" if name is None else str(name) for name in cells.row(0)]
    if len(set(names)) < len(names):
        raise PromiseBroken(f"{path} has two columns of the same name: {shorten(names)}")
    return cells.slice(1).rename(dict(zip(cells.columns, names, strict=True))).rechunk()


def read_parquet(stream: BufferedReader, path: Path) -> pl.DataFrame:
    """Read a Parquet file of a release."""
    try:
        with panics_are_errors(str(path), PromiseBroken):
            return pl.read_parquet(stream)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise PromiseBroken(f"{path} cannot be read as a table: {error}") from error


def _check_csv(
    folder: Path, file: PublishedFile, columns: Sequence[PublishedColumn], tables: dict[str, pl.DataFrame]
) -> None:
    """Refuse a CSV file that holds more than its values, and one that differs from its Parquet copy.

    The values, written again, must give the same bytes. So there is one spelling for every value of a type, and no
    room for packed content, comments, marks or anything else that a reader passes over.
    """
    typed = restore_types(tables[CSV], columns, tables[CSV].columns)
    other = tables.get(PARQUET)
    if other is not None and digest_of(write_csv, other) != file.sha256:
        differing = [name for name in typed.columns if not typed.get_column(name).equals(other.get_column(name))]
        where = f" in column {differing[0]!r}" if differing else ""
        raise PromiseBroken(
            f"{file.name} and {Path(file.name).with_suffix(PARQUET)} of {folder} say different things{where}"
        )
    if other is None and digest_of(write_csv, typed) != file.sha256:
        raise PromiseBroken(
            f"{folder / file.name} is not written as a release writes the values of its columns, so it may hold more "
            "than these values; do not trust this release"
        )


def _check_parquet(
    folder: Path, file: PublishedFile, columns: Sequence[PublishedColumn], table: pl.DataFrame, writer: str
) -> None:
    """Refuse a Parquet file that holds more than its values: metadata, unused dictionary values, bytes between pages.

    The values, written again by the same writer, must give the same bytes. Of another writer, every part of the file
    must follow from the values, see :mod:`krypsis.format.parquet_layout`.
    """
    for column in columns:
        if table.schema[column.name] != TYPES.get(column.type):
            raise PromiseBroken(
                f"{folder / file.name} has {table.schema[column.name]} in column {column.name!r}, but the manifest "
                f"says {column.type}"
            )
    if any(digest_of(write, table) == file.sha256 for write in PARQUET_LAYOUTS):
        return
    if writer in ("", PARQUET_WRITER):
        raise PromiseBroken(
            f"{folder / file.name} is not written as a release writes the values of its columns, so it may hold more "
            "than these values; do not trust this release"
        )
    try:
        with opened(folder / file.name, file) as stream:
            check_layout(stream.read(), table)
    except Foreign as error:
        raise PromiseBroken(
            f"{folder / file.name} may hold more than the values of its columns: {error}; do not trust this release"
        ) from None
    except Undecidable as error:
        raise Undecidable(
            f"{folder / file.name} was written by {writer}, and this is {PARQUET_WRITER}: {error}. Check it with "
            f"{writer}, or ask for the release as CSV"
        ) from None


def _check_name(folder: Path, name: str) -> None:
    if name in ("", ".", "..", MANIFEST) or any(sign in name for sign in ("/", "\\", "\0")):
        raise PromiseBroken(
            f"the manifest of {folder} names the file {name!r}; "
            "a release names files inside its own folder: do not trust this release"
        )


def _check_columns(folder: Path, table: pl.DataFrame, columns: Sequence[PublishedColumn]) -> None:
    names = [column.name for column in columns]
    if table.columns != names:
        raise PromiseBroken(
            f"{folder} publishes the columns {shorten(table.columns)}, but its manifest names {shorten(names)}"
        )
