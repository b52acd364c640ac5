"""Reading Excel workbooks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from krypsis.errors import DataError, UsageError, did_you_mean
from krypsis.io.names import check_names
from krypsis.io.workbook_extras import Extras, extras_of, warn_of

EXACT = 2**53
"""Up to here floating point numbers hold every integer."""


@dataclass(frozen=True)
class _Sheet:
    """A sheet of a workbook whose header was read."""

    path: Path
    book: Any
    position: int
    names: list[str]
    width: int
    """How many columns have cells, also those without a name."""

    def columns(self, first: int, end: int) -> pl.DataFrame:
        """Return what stands below the header."""
        chosen = list(range(first, end))
        loaded = self.book.load_sheet(self.position, header_row=None, skip_rows=1, use_columns=chosen)
        frame: pl.DataFrame = loaded.to_polars()
        return frame

    def extras(self) -> Extras:
        """Return what the workbook holds besides the table of the sheet."""
        width = len(self.names)
        rest = self.columns(width, self.width) if width < self.width else pl.DataFrame()
        stray = sum(column.null_count() < len(column) for column in rest)
        return extras_of(self.path, self.book.sheet_names, self.position, stray)


def read_excel_file(path: Path, sheet: str | int | None = None) -> pl.DataFrame:
    """Return the table of a sheet: its name, its number from 1, or the first; warn of what else the workbook holds."""
    found = _sheet(path, sheet)
    frame = found.columns(0, len(found.names))
    frame = pl.DataFrame([_whole(column) for column in frame.head(_last_row(frame))])
    frame.columns = found.names
    if not frame.height:
        raise DataError(f"{path.name} has a header and no rows; expected at least one record")
    warn_of(found.extras())
    return frame


def examine_excel_file(path: Path) -> Extras:
    """Return what a workbook holds besides the table of its first sheet."""
    return _sheet(path, None).extras()


def _sheet(path: Path, sheet: str | int | None) -> _Sheet:
    book = _open(path)
    position = _position(book.sheet_names, sheet, path.name)
    first = book.load_sheet(position, header_row=None, n_rows=1, dtypes="string").to_polars()
    if not first.height:
        where = f"sheet {book.sheet_names[position]!r} of {path.name}"
        raise DataError(f"{where} is empty; expected a header and a record")
    names = _names(first)
    check_names(names, path.name)
    return _Sheet(path, book, position, names, first.width)


def _open(path: Path) -> Any:
    try:
        import fastexcel  # noqa: PLC0415  an extra
    except ModuleNotFoundError as error:
        raise UsageError(
            f"reading {path.name} needs the Excel extra; install it: pip install 'krypsis[excel]', "
            "or pip install -e '.[excel]' in a clone"
        ) from error
    try:
        return fastexcel.read_excel(path)
    except fastexcel.FastExcelError as error:
        raise DataError(f"{path.name} is not an Excel workbook: {str(error).splitlines()[0]}") from error


def _position(names: list[str], sheet: str | int | None, where: str) -> int:
    if sheet is None:
        return 0
    if sheet in names:
        return names.index(str(sheet))
    if str(sheet).isdecimal() and 1 <= int(sheet) <= len(names):
        return int(sheet) - 1
    raise UsageError(
        f"{where} has no sheet {sheet!r}; sheets: {', '.join(names)}, or their number from 1."
        f"{did_you_mean(str(sheet), names)}"
    )


def _names(first: pl.DataFrame) -> list[str]:
    """Return the first row without the empty cells at its end."""
    names = [str(name or "") for name in first.row(0)]
    while names and not names[-1]:
        names.pop()
    return names


def _whole(column: pl.Series) -> pl.Series:
    """Return numbers without decimals as integers: a workbook stores all numbers as floating point ones."""
    if not column.dtype.is_float() or not column.is_finite().all() or not (column.abs() <= EXACT).all():
        return column
    return column.cast(pl.Int64) if (column == column.round()).all() else column


def _last_row(frame: pl.DataFrame) -> int:
    """Return how many rows stand before the empty ones at the end, which only carry formats."""
    filled = frame.select(pl.any_horizontal(pl.all().is_not_null()).arg_true().max()).item()
    return 0 if filled is None else int(filled) + 1
