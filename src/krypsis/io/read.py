"""Reading a table from a file."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from krypsis.errors import DataError, UsageError, did_you_mean
from krypsis.io.csv_file import read_csv_file
from krypsis.io.excel import examine_excel_file, read_excel_file
from krypsis.io.limits import check_unpacked
from krypsis.io.names import check_names
from krypsis.io.panics import panics_are_errors
from krypsis.io.paths import usable_path
from krypsis.io.source import read_bytes
from krypsis.io.workbook_extras import Extras
from krypsis.io.workbook_size import check_workbook_size

EXCEL = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
PARQUET = (".parquet", ".pq")
NUMBER_BYTES, TEXT_BYTES = 8, 16
"""What a number and a reference to a text take in memory, at most and at least."""
TEXT = (".csv", ".tsv", ".txt", ".tab", ".gz", ".xz", ".data", ".dat")


def read_table(
    path: str | Path, *, delimiter: str | None = None, encoding: str | None = None, sheet: str | int | None = None
) -> pl.DataFrame:
    r"""Return the table in a CSV, Parquet or Excel file.

    Every column of a CSV file is read as text, so ``01234`` stays what it is; an empty field without quotes is a
    missing value, ``""`` an empty text. Nothing is dropped or stripped, except empty lines at the end of a table of
    several columns. Parquet and Excel keep their types. What a workbook holds besides the table of one sheet, such as
    further sheets, comments and formulas, is not read: a :class:`~krypsis.errors.DataWarning` says so.

    Parameters
    ----------
    path
        the file; CSV may be packed with gzip or xz.
    delimiter
        of a CSV file; found from its first records unless given.
    encoding
        of a CSV file; UTF-8 and UTF-16 are recognized, Western text is read as cp1252, anything else must be named.
    sheet
        of an Excel workbook, by name or number from 1; the first unless given.

    Raises
    ------
    DataError
        if the file does not hold a table, with the line where that shows.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "patients.csv")
    ...     _ = file.write_text("age;zip\n34;01234\n", encoding="utf-8")
    ...     read_table(file).rows()
    [('34', '01234')]
    """
    path = usable_path(path)
    _check_file(path)
    kind = file_kind(path)
    _check_options(path, kind, delimiter=delimiter, encoding=encoding, sheet=sheet)
    if kind == "parquet":
        return _read_parquet(path)
    if kind == "excel":
        check_workbook_size(path)
        with panics_are_errors(path.name):
            return read_excel_file(path, sheet)
    return read_csv_file(path, delimiter, encoding)


def unread_of(path: Path) -> Extras | None:
    """Return what a workbook holds besides the table that is read from it; ``None`` for files of other kinds."""
    if not path.is_file() or file_kind(path) != "excel":
        return None
    check_workbook_size(path)
    with panics_are_errors(path.name):
        return examine_excel_file(path)


def file_kind(path: Path) -> str:
    """Return ``csv``, ``parquet`` or ``excel``, by the ending of the name or else the first bytes."""
    ending = path.suffix.lower()
    if ending in PARQUET:
        return "parquet"
    if ending in EXCEL:
        return "excel"
    if ending in TEXT:
        return "csv"
    start = read_bytes(path, 4)
    return {b"PAR1": "parquet", b"PK\x03\x04": "excel"}.get(start, "csv")


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise DataError(f"{path} is a folder; expected a CSV, Parquet or Excel file")
    if not path.exists():
        raise DataError(f"file {path} not found{_neighbors(path)}")
    if not path.is_file():
        raise DataError(f"{path} is not a regular file; expected a CSV, Parquet or Excel file")
    if not path.stat().st_size:
        raise DataError(f"{path.name} is empty; expected a header and at least one record")


def _neighbors(path: Path) -> str:
    names = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
    return f".{did_you_mean(path.name, names)}"


def _check_options(path: Path, kind: str, *, delimiter: object, encoding: object, sheet: object) -> None:
    given = {"delimiter": delimiter, "encoding": encoding, "sheet": sheet}
    fitting = {"csv": ("delimiter", "encoding"), "excel": ("sheet",), "parquet": ()}[kind]
    for name, value in given.items():
        if value is not None and name not in fitting:
            raise UsageError(f"{name} has no meaning for {path.name}, which is read as {kind}; leave it out")


def _read_parquet(path: Path) -> pl.DataFrame:
    with panics_are_errors(path.name):
        try:
            _check_rows(path)
            frame = pl.read_parquet(path, glob=False)
        except pl.exceptions.PolarsError as error:
            reason = str(error).splitlines()[0]
            raise DataError(f"{path.name} is not a Parquet file that can be read: {reason}") from error
    check_names(frame.columns, path.name)
    if not frame.height:
        raise DataError(f"{path.name} has columns and no rows; expected at least one record")
    return frame


def _check_rows(path: Path) -> None:
    """Check what the table takes in memory: equal values take next to nothing in the file."""
    table = pl.scan_parquet(path, glob=False)
    kinds = table.collect_schema().dtypes()
    rows = int(table.select(pl.len()).collect().item())
    widths = [TEXT_BYTES if kind == pl.String or kind.is_nested() else NUMBER_BYTES for kind in kinds]
    check_unpacked(rows * sum(widths), path.name)
