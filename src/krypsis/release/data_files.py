"""The data files of a release: tables in the formats that are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import polars as pl

from krypsis.errors import OutputError, UsageError, did_you_mean
from krypsis.format import files
from krypsis.io.write import write_csv, write_parquet

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
    return [_write_table(table, folder / stem, name) for stem, table in tables.items() for name in formats]


def _write_table(table: pl.DataFrame, stem: Path, name: str) -> Path:
    path, write = stem.with_suffix(WRITERS[name][0]), WRITERS[name][1]
    try:
        write(table, path)
    except OutputError as error:
        raise OutputError(f"{path.name} of the release cannot be written: {error.__cause__}; {UNTOUCHED}") from error
    return path
