"""Tables in several Parquet files, as DuckDB, Spark and others write them: a folder of parts, or a pattern."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path

import polars as pl

from krypsis.errors import DataError, shorten
from krypsis.io.panics import panics_are_errors
from krypsis.io.parts import TableParts
from krypsis.io.paths import check_names, usable_path
from krypsis.io.read import PARQUET, check_parquet_size

MARKS = re.compile(r"_SUCCESS|_(started|committed)_[0-9]+|\..*\.crc|_(common_)?metadata")
"""Files that Spark and others put next to the parts: marks, checksums, and copies of their descriptions."""
MANIFEST = "manifest.json"
"""What the folder of a release has, and a folder of parts has not."""


def is_parts(data: object) -> bool:
    """Say whether a path is that of a table in several Parquet files: a folder with some, or a pattern.

    Examples
    --------
    >>> is_parts("visits/*.parquet"), is_parts("visits.parquet")
    (True, False)
    """
    if not isinstance(data, str | os.PathLike):
        return False
    path = usable_path(data)
    if path.is_dir():
        return not (path / MANIFEST).exists() and any(_is_parquet(entry) for entry in path.iterdir())
    return has_magic(os.fspath(data)) and not path.exists() and path.suffix.lower() in PARQUET


def parts_at(data: str | os.PathLike[str]) -> "ParquetParts":
    """Return the parts of a table in several Parquet files; see :func:`is_parts`.

    Raises
    ------
    DataError
        if there are none, if they have different columns, or if something else lies between them.
    """
    path = usable_path(data)
    files = _in_folder(path) if path.is_dir() else sorted(map(Path, glob(os.fspath(data))))  # noqa: PTH207  a whole path is a pattern
    if not files:
        raise DataError(f"no file matches {os.fspath(data)}; give the pattern or the folder of the Parquet files")
    if len({file.parent for file in files}) > 1:
        # The names of folders may be values of a column, as in year=2020, which no file shows.
        raise DataError(f"the files of {os.fspath(data)} lie in several folders; check each folder by itself")
    return ParquetParts.of(files)


def _in_folder(folder: Path) -> list[Path]:
    entries = sorted(entry for entry in folder.iterdir() if not MARKS.fullmatch(entry.name))
    if strange := [entry.name for entry in entries if not (entry.is_file() and _is_parquet(entry))]:
        raise DataError(
            f"{folder} holds more than Parquet files: {shorten(strange, 5)}; name the files by a pattern, such as "
            f"{folder / '*.parquet'}"
        )
    return entries


def _is_parquet(path: Path) -> bool:
    return path.suffix.lower() in PARQUET and not path.name.startswith((".", "_"))


@dataclass(frozen=True, eq=False)
class ParquetParts(TableParts):
    """Parts that another program has written."""

    @classmethod
    def of(cls, files: Sequence[Path]) -> "ParquetParts":  # type: ignore[override]
        """Return files as parts, after a look at their columns and number of records."""
        types: dict[str, pl.DataType] = {}
        rows = 0
        for file in files:
            with _readable(file):
                lazy = pl.scan_parquet(file, glob=False, hive_partitioning=False)
                own = dict(lazy.collect_schema())
                rows += int(lazy.select(pl.len()).collect().item())
            if not types:
                check_names(list(own), str(file))
                types = own
            elif list(own.items()) != list(types.items()):
                raise DataError(f"{file} has other columns or types than {files[0]}: {_difference(types, own)}")
        if not rows:
            raise DataError(f"the {len(files)} file(s) in {files[0].parent} have no rows; expected at least one record")
        return cls(list(files), types, rows)

    def frames(self) -> Iterator[pl.DataFrame]:
        for path in self.paths:
            with _readable(path):
                check_parquet_size(path)
                found = pl.read_parquet(path, glob=False, hive_partitioning=False)
            if list(found.schema.items()) != list(self.types.items()):
                raise DataError(f"{path} has changed while it was read; try again")
            yield found


def _difference(some: dict[str, pl.DataType], others: dict[str, pl.DataType]) -> str:
    pairs = set(some.items()) ^ set(others.items())
    return shorten(sorted({name for name, _ in pairs}), 5) if pairs else "they are in another order"


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Say in plain words that a file cannot be read."""
    try:
        with panics_are_errors(str(path)):
            yield
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(f"{path} cannot be read as a Parquet file: {error}") from error
