"""The data files of a release."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from krypsis.errors import OutputError, UsageError, did_you_mean
from krypsis.format import files
from krypsis.format.chunks_file import write_chunks
from krypsis.format.files import CHUNKS, DATA, SENSITIVE_TABLE
from krypsis.io.write import write_csv, write_parquet

if TYPE_CHECKING:
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


def write_data(release: Release, folder: Path, formats: Sequence[str]) -> list[Path]:
    """Write what is published; clusters of pieces are no table and become JSON whatever format is asked for."""
    if release.chunks is not None:
        write_chunks(release.chunks, folder / CHUNKS)
        return [folder / CHUNKS]
    tables = (
        {DATA: release.table}
        if release.sensitive_table is None
        else {DATA: release.table, SENSITIVE_TABLE: release.sensitive_table}
    )
    tables |= {name: one.table for name, one in release.tables.items()}
    return [_write_table(table, folder / stem, name) for stem, table in tables.items() for name in formats]


def _write_table(table: pl.DataFrame, stem: Path, name: str) -> Path:
    path, write = stem.with_suffix(WRITERS[name][0]), WRITERS[name][1]
    try:
        write(table, path)
    except OutputError as error:
        raise OutputError(f"{path.name} of the release cannot be written: {error.__cause__}; {UNTOUCHED}") from error
    return path
