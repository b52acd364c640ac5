"""Tables as Parquet files: those that are, and those that become some in a scratch folder."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from glob import has_magic
from pathlib import Path
from typing import Any

import polars as pl

from krypsis.arrays import IntArray
from krypsis.errors import DataError
from krypsis.io.csv_file import convert_csv_file
from krypsis.io.frames import frame_of, picked, to_polars
from krypsis.io.panics import panics_are_errors
from krypsis.io.paths import check_names, usable_path
from krypsis.io.read import PARQUET, check_file, check_options, file_kind, read_table
from krypsis.io.scratch import ScratchFolder
from krypsis.io.sql.column_values import as_type
from krypsis.io.sql.database import changed
from krypsis.io.write import write_parquet

Fingerprint = tuple[int, int, int]
WRITTEN_AS = {
    **dict.fromkeys(("HUGEINT", "UHUGEINT"), "decimal(38, 0)"),
    **dict.fromkeys(("UUID", "BIT"), "varchar"),
    "TIME WITH TIME ZONE": "time",
}
"""Types of DuckDB that Parquet files would hold as something else."""


@dataclass(frozen=True, eq=False)
class ParquetFiles:
    """The files of one table, all with the same columns.

    Examples
    --------
    >>> files = parquet_files(pl.DataFrame({"age": [31, 40]}), "the table")
    >>> len(files.paths), files.types
    (1, {'age': Int64})
    """

    name: str
    """As messages call the table."""
    paths: Sequence[Path]
    types: Mapping[str, pl.DataType]
    found: Sequence[Fingerprint]
    """What the files were when they were looked at first."""
    scratch: ScratchFolder | None = None
    """The folder of the files, where it is ours."""

    @classmethod
    def of(cls, paths: Sequence[Path], name: str, scratch: ScratchFolder | None = None) -> "ParquetFiles":
        """Look at files.

        Raises
        ------
        DataError
            if one is no Parquet file, they have different columns, or together no rows.
        """
        found = [_fingerprint(path) for path in paths]
        types = _types(paths[0], name)
        for path in paths[1:]:
            if list((other := _types(path, name)).items()) != list(types.items()):
                raise DataError(
                    f"{path.name} is not a part of the same table as {paths[0].name}: {_difference(types, other)}"
                )
        check_names(list(types), name)
        if not any(_rows(path) for path in paths):
            raise DataError(f"{name} has columns and no rows; expected at least one record")
        return cls(name, tuple(paths), types, found, scratch)

    def rows_of(self, names: Sequence[str]) -> pl.DataFrame:
        """Return the rows of some columns, in their order."""
        known = list(self.types)
        places = sorted({known.index(name) for name in names})  # polars takes names like "^a$" for patterns
        frames = [pl.read_parquet(path, columns=places, glob=False) for path in self.paths]
        return self._typed(picked(pl.concat(frames), names))

    def sample_of(self, rows: IntArray, names: Sequence[str]) -> pl.DataFrame:
        """Return some rows of some columns, by the numbers of the rows in ascending order."""
        known = list(self.types)
        chosen = pl.nth([1 + known.index(name) for name in names])  # polars takes names like "^a$" for patterns
        number, start, found = _free_name(known), 0, []
        for path in self.paths:
            end = start + _rows(path)
            here = rows[(rows >= start) & (rows < end)] - start
            numbered = pl.scan_parquet(path, glob=False).with_row_index(number)
            wanted = pl.nth(0).is_in(pl.Series(here, dtype=pl.get_index_type()).implode())
            found.append(numbered.filter(wanted).select(chosen).collect(engine="streaming"))
            start = end
        return self._typed(pl.concat(found))

    def _typed(self, frame: pl.DataFrame) -> pl.DataFrame:
        return pl.DataFrame([as_type(column, self.types[column.name]) for column in frame])

    def check_unchanged(self) -> None:
        """Raise if a file is no longer what it was."""
        for path, before in zip(self.paths, self.found, strict=True):
            if not path.is_file() or _fingerprint(path) != before:
                raise changed(f"the file {path.name} is not what it was")


def parquet_files(data: object, what: str, **reading: str | None) -> ParquetFiles:
    """Return a table in any form that is understood as Parquet files.

    Parameters
    ----------
    data
        the path of a Parquet file, of a folder of them, or a pattern such as ``visits/*.parquet``; the path of a CSV
        or Excel file; a relation of DuckDB; or a table of another library.
    what
        how messages call it.
    reading
        how to read a file where the usual guess fails: ``delimiter``, ``encoding``, ``sheet``.

    Raises
    ------
    UsageError
        if it is something else.
    DataError
        if it holds no table, or one without rows.
    """
    if isinstance(data, str | os.PathLike):
        return _of_path(os.fspath(data), reading)
    scratch = ScratchFolder()
    target = scratch.path / "table.parquet"
    if not _is_relation(data):
        write_parquet(frame_of(data, what), target)
        return ParquetFiles.of([target], what, scratch)
    _check_relation(data)
    types = dict(to_polars(data.limit(0)).schema)  # type: ignore[attr-defined]
    _written(data, target)
    return replace(ParquetFiles.of([target], what, scratch), types=types)


def _of_path(text: str, reading: Mapping[str, str | None]) -> ParquetFiles:
    path = Path(text)
    if has_magic(text) and not path.exists():
        return _of_several(sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor)))), text)
    path = usable_path(path)
    if path.is_dir():
        return _of_several(sorted(one for one in path.iterdir() if one.suffix.lower() in PARQUET), text)
    check_file(path)
    kind = file_kind(path)
    check_options(path, kind, **reading)
    if kind == "parquet":
        return ParquetFiles.of([path], path.name)
    scratch = ScratchFolder()
    target = scratch.path / "table.parquet"
    if kind == "csv":
        convert_csv_file(path, target, reading.get("delimiter"), reading.get("encoding"))
    else:
        write_parquet(read_table(path, **reading), target)
    return ParquetFiles.of([target], path.name, scratch)


def _of_several(paths: Sequence[Path], text: str) -> ParquetFiles:
    chosen = [path for path in paths if path.is_file() and not path.name.startswith((".", "_"))]
    if not chosen:
        raise DataError(f"{text} names no Parquet file; expected files that end in .parquet")
    return ParquetFiles.of(chosen, Path(text).name)


def _free_name(taken: Sequence[str]) -> str:
    """Return a name that no column has."""
    return max(taken, key=len) + "_"


def _is_relation(data: object) -> bool:
    kind = type(data)
    return kind.__name__ == "DuckDBPyRelation" and "duckdb" in kind.__module__


def _check_relation(relation: Any) -> None:
    for name, kind in zip(relation.columns, relation.types, strict=True):
        if str(kind) == "INTERVAL":
            raise DataError(
                f"column {name!r} holds INTERVAL, which has no text of its own; cast it to text or a number"
            )


def _written(relation: Any, target: Path) -> None:
    """Write a relation so that no value changes, in the types of Parquet that DuckDB writes."""
    import duckdb  # noqa: PLC0415  it is large

    casts = {name: WRITTEN_AS.get(str(kind)) for name, kind in zip(relation.columns, relation.types, strict=True)}
    quoted = {name: '"' + name.replace('"', '""') + '"' for name in casts}
    shown = [
        f"cast({quoted[name]} as {kind}) as {quoted[name]}" if kind else quoted[name] for name, kind in casts.items()
    ]
    try:
        (relation.project(", ".join(shown)) if any(casts.values()) else relation).write_parquet(str(target))
    except duckdb.Error as error:
        raise DataError(f"the relation cannot be read: {str(error).splitlines()[0]}") from None


def _types(path: Path, name: str) -> dict[str, pl.DataType]:
    with panics_are_errors(name):
        try:
            return dict(pl.scan_parquet(path, glob=False).collect_schema())
        except (pl.exceptions.PolarsError, OSError) as error:
            reason = str(error).splitlines()[0]
            raise DataError(f"{path.name} is not a Parquet file that can be read: {reason}") from error


def _rows(path: Path) -> int:
    return int(pl.scan_parquet(path, glob=False).select(pl.len()).collect().item())


def _difference(first: Mapping[str, pl.DataType], other: Mapping[str, pl.DataType]) -> str:
    for name in first:
        if name not in other:
            return f"it has no column {name!r}"
        if first[name] != other[name]:
            return f"its column {name!r} holds {other[name]} and not {first[name]}"
    more = [name for name in other if name not in first]
    return f"it has a further column {more[0]!r}" if more else "its columns are in another order"


def _fingerprint(path: Path) -> Fingerprint:
    found = path.stat()
    return found.st_size, found.st_mtime_ns, found.st_ino
