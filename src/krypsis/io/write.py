"""Writing a table to a file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from io import RawIOBase
from pathlib import Path
from typing import IO

import polars as pl

from krypsis.errors import OutputError

PARQUET_WRITER = f"polars {pl.__version__}"
"""What writes Parquet files: another version may write the same table as other bytes."""
Target = str | Path | IO[bytes]


def write_csv(frame: pl.DataFrame, path: Target) -> None:
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
            _target(path),
            include_header=True,
            separator=",",
            quote_style="necessary",
            # readers take a mark at the beginning for that of the file and not for a part of the first name
            include_bom=bool(frame.columns) and frame.columns[0].startswith("\ufeff"),
        )
    except (OSError, pl.exceptions.PolarsError) as error:
        raise _not_written(path, error) from error


def write_parquet(frame: pl.DataFrame, path: Target) -> None:
    """Write the table as Parquet, types kept.

    Raises
    ------
    OutputError
        if the file cannot be written.
    """
    try:
        frame.write_parquet(_target(path))
    except (OSError, pl.exceptions.PolarsError) as error:
        raise _not_written(path, error) from error


def digest_of(write: Callable[[pl.DataFrame, IO[bytes]], None], frame: pl.DataFrame) -> str:
    r"""Return the SHA-256 of what a table is written as, without keeping it.

    Examples
    --------
    >>> digest_of(write_csv, pl.DataFrame({"age": [34]})) == hashlib.sha256(b"age\n34\n").hexdigest()
    True
    """
    found = _Digest()
    write(frame, found)  # type: ignore[arg-type]  # it is written to and nothing else
    return found.digest.hexdigest()


class _Digest(RawIOBase):
    """A file that keeps the checksum of what is written to it, and nothing else."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, content: bytes) -> int:  # type: ignore[override]
        self.digest.update(content)
        return len(content)


def _target(path: Target) -> Path | IO[bytes]:
    return Path(path) if isinstance(path, str | Path) else path


def _not_written(path: Target, error: Exception) -> OutputError:
    return OutputError(f"{path} cannot be written: {error}")
