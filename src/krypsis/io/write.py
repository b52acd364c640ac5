"""Writing a table to a file."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from krypsis.errors import OutputError


def write_csv(frame: pl.DataFrame, path: str | Path) -> None:
    """Write the table as CSV: UTF-8, commas, a header, quotes where needed.

    A missing value is an empty field, an empty text is ``""``, so :func:`krypsis.io.read.read_table` brings back the
    same texts.

    Raises
    ------
    OutputError
        if the file cannot be written, or a column holds lists or other nested values, which CSV cannot hold.
    """
    try:
        frame.write_csv(
            Path(path),
            include_header=True,
            separator=",",
            quote_style="necessary",
            # readers take a mark at the beginning for that of the file and not for a part of the first name
            include_bom=bool(frame.columns) and frame.columns[0].startswith("\ufeff"),
        )
    except (OSError, pl.exceptions.PolarsError) as error:
        raise _not_written(path, error) from error


def write_parquet(frame: pl.DataFrame, path: str | Path) -> None:
    """Write the table as Parquet, types kept.

    Raises
    ------
    OutputError
        if the file cannot be written.
    """
    try:
        frame.write_parquet(Path(path))
    except (OSError, pl.exceptions.PolarsError) as error:
        raise _not_written(path, error) from error


def _not_written(path: str | Path, error: Exception) -> OutputError:
    return OutputError(f"{path} cannot be written: {error}")
