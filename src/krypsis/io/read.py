"""Reading a table from a file."""

import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from polars import selectors

from krypsis.errors import DataError, MemoryShort, UsageError, did_you_mean
from krypsis.io.archive import DAMAGED
from krypsis.io.coded_table import CodedTable, are_many
from krypsis.io.csv_file import read_csv_file
from krypsis.io.memory import available_memory, shown_bytes
from krypsis.io.panics import panics_are_errors
from krypsis.io.paths import check_names, usable_path
from krypsis.io.source import check_unpacked, most_unpacked, read_bytes
from krypsis.io.workbook_extras import Extras, extras_of, warn_of

CELL_BYTES = 32
"""What a cell takes in memory, also an empty one."""
DENSEST = 1032
"""No part of a zip file is packed more densely than this."""
PIECE = 1024**2
SHEET = re.compile(r"xl/worksheets/[^/]+\.xml", re.IGNORECASE)
ROW = re.compile(rb'<(?:\w+:)?(?:row|c)\b[^>]*?\sr="[A-Za-z]{0,3}(\d{1,7})"')
LETTERS = {width: re.compile(rb'\sr="[A-Za-z]{%d,}\d' % width) for width in (3, 2)}
TEXTS, TEXT_END = "xl/sharedstrings.xml", b"</si>"
TEXT_CELL = re.compile(rb't="s"[^>]*><v>(\d{1,9})</v>')
COLUMN = re.compile(rb'\sr="([A-Za-z]{1,3})\d')


def check_workbook_size(path: Path) -> None:
    """Raise if a workbook would take more memory than a packed file may; older workbooks are not packed.

    Raises
    ------
    DataError
        if it is a zip file that cannot be unpacked.
    """
    if not zipfile.is_zipfile(path):
        return
    try:
        with zipfile.ZipFile(path) as book:
            _check_parts(book, path.name)
            texts = b"".join(book.read(part) for part in book.infolist() if part.filename.lower() == TEXTS)
            for part in book.infolist():
                if SHEET.fullmatch(part.filename):
                    content = book.read(part)
                    _check_rectangle(content, path.name)
                    _check_texts(content, texts, path.name)
    except DAMAGED as error:
        raise DataError(f"{path.name} is not an Excel workbook that can be read: it is damaged ({error})") from error
    except RuntimeError as error:  # what zipfile raises for a password
        raise DataError(f"{path.name} is encrypted; expected a workbook without a password") from error


def _check_parts(book: zipfile.ZipFile, name: str) -> None:
    """Look at what the file says of its size, and do not believe it where it could be otherwise."""
    parts = book.infolist()
    check_unpacked(sum(part.file_size for part in parts), name)
    if sum(part.compress_size for part in parts) * DENSEST <= most_unpacked():
        return
    size = 0
    for part in parts:
        with book.open(part) as stream:
            while piece := stream.read(PIECE):
                size += len(piece)
                check_unpacked(size, name)


def _check_rectangle(content: bytes, name: str) -> None:
    """Check the rectangle around all cells, beginning with what is quickly found out about it."""
    rows = max(map(int, ROW.findall(content)), default=0)
    widest = next((26**width for width in (3, 2) if LETTERS[width].search(content)), 26)
    if rows * widest * CELL_BYTES > most_unpacked():
        columns = max(map(_number, set(COLUMN.findall(content))), default=0)
        check_unpacked(rows * columns * CELL_BYTES, name)


def _check_texts(content: bytes, texts: bytes, name: str) -> None:
    """Check the texts of all cells, which are stored once and referred to by their number."""
    if content.count(b't="s"') * len(texts) <= most_unpacked():
        return
    lengths = np.array([len(one) for one in texts.split(TEXT_END)], np.int64)
    cells = np.array(TEXT_CELL.findall(content), np.int64)
    check_unpacked(int(lengths[cells[cells < len(lengths)]].sum()), name)


def _number(letters: bytes) -> int:
    """Return the number of a column.

    Examples
    --------
    >>> _number(b"A"), _number(b"AA")
    (1, 27)
    """
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - 64
    return number


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


EXCEL = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
PARQUET = (".parquet", ".pq")
NUMBER_BYTES, TEXT_BYTES = 8, 16
"""What a number and a reference to a text take in memory, at most and at least."""
BYTES_PER_CELL = 32
"""What a cell takes at most while a table is published: one text of 16 bytes, and what counting them needs."""
BYTES_PER_TEXT_BYTE = 5
"""The same for a byte of a text file, in which a cell has some eight."""
TEXT = (".csv", ".tsv", ".txt", ".tab", ".gz", ".xz", ".bz2", ".data", ".dat")


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
        the file; CSV may be packed with gzip, xz or bzip2.
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
    check_file(path)
    kind = file_kind(path)
    check_options(path, kind, delimiter=delimiter, encoding=encoding, sheet=sheet)
    if kind == "parquet":
        return _read_parquet(path)
    if kind == "excel":
        check_workbook_size(path)
        with panics_are_errors(path.name):
            return read_excel_file(path, sheet)
    return read_csv_file(path, delimiter, encoding)


LARGER = "Write 'engine: duckdb' into the plan, which works on files that are larger than memory, leave out columns"
"""What can be done about a table that does not fit into memory."""


def read_coded(path: str | Path, **options: Any) -> pl.DataFrame | CodedTable:
    """Return the table in a file as :func:`read_table` does, but many rows with their texts as numbers.

    Of a Parquet file, one column at a time is in memory as it was.

    Raises
    ------
    MemoryShort
        if publishing the table would take more memory than there is.
    """
    path = usable_path(path)
    check_file(path)
    kind = file_kind(path)
    check_options(path, kind, **options)
    check_memory(path, kind, needed_memory(path, kind), LARGER)
    if kind != "parquet":
        table = read_table(path, **options)
        return CodedTable.of(_handed_over(table)) if are_many(table.height) else table
    with _parquet_errors(path):
        lazy = pl.scan_parquet(path, glob=False)
        if not are_many(_height(lazy)):
            return _read_parquet(path)
        names = lazy.collect_schema().names()
        check_names(names, path.name)
        check_parquet_size(path)
        columns = (lazy.select(selectors.by_index(place)).collect().to_series() for place in range(len(names)))
        return CodedTable.of(columns)


def _handed_over(table: pl.DataFrame) -> Iterator[pl.Series]:
    """Yield the columns of a table that nobody needs any more; each is forgotten when the next is asked for."""
    for name in table.columns:
        yield table.drop_in_place(name)


def needed_memory(path: Path, kind: str) -> int:
    """Return about how many bytes it takes to publish the table of a file in memory.

    Of a Parquet file, which may be packed to next to nothing, the number of cells decides. Workbooks are small: how
    large they may be is checked by itself.
    """
    if kind == "parquet":
        return prod(_shape(path)) * BYTES_PER_CELL
    return path.stat().st_size * BYTES_PER_TEXT_BYTE if kind == "csv" else 0


def check_memory(path: Path, kind: str, need: int, otherwise: str) -> None:
    """Raise if there is less memory than a run needs: without it, the process would be stopped without a message.

    Raises
    ------
    MemoryShort
        saying both sizes, and what can be done ``otherwise`` than to use a machine with more memory.
    """
    if need > (there := available_memory()):
        size = "{:,} records of {} columns".format(*_shape(path)) if kind == "parquet" else _size_of_text(path)
        raise MemoryShort(
            f"{path.name} has {size}; to publish them in memory takes about {shown_bytes(need)}, and "
            f"{shown_bytes(there)} are available. {otherwise}, or use a machine with more memory"
        )


def _size_of_text(path: Path) -> str:
    return f"{shown_bytes(path.stat().st_size)} of text"


def _shape(path: Path) -> tuple[int, int]:
    """Return how many rows and columns a Parquet file says that it has."""
    with _parquet_errors(path):
        table = pl.scan_parquet(path, glob=False)
        return _height(table), len(table.collect_schema())


def _height(table: pl.LazyFrame) -> int:
    return int(table.select(pl.len()).collect().item())


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


def check_file(path: Path) -> None:
    """Raise unless there is a file with something in it."""
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


def check_options(
    path: Path, kind: str, *, delimiter: object = None, encoding: object = None, sheet: object = None
) -> None:
    """Raise if an option is given that has no meaning for a kind of file."""
    given = {"delimiter": delimiter, "encoding": encoding, "sheet": sheet}
    fitting = {"csv": ("delimiter", "encoding"), "excel": ("sheet",), "parquet": ()}[kind]
    for name, value in given.items():
        if value is not None and name not in fitting:
            raise UsageError(f"{name} has no meaning for {path.name}, which is read as {kind}; leave it out")


@contextmanager
def _parquet_errors(path: Path) -> Iterator[None]:
    with panics_are_errors(path.name):
        try:
            yield
        except pl.exceptions.PolarsError as error:
            reason = str(error).splitlines()[0]
            raise DataError(f"{path.name} is not a Parquet file that can be read: {reason}") from error


def _read_parquet(path: Path) -> pl.DataFrame:
    with _parquet_errors(path):
        check_parquet_size(path)
        frame = pl.read_parquet(path, glob=False)
    check_names(frame.columns, path.name)
    if not frame.height:
        raise DataError(f"{path.name} has columns and no rows; expected at least one record")
    return frame


def check_parquet_size(path: Path) -> None:
    """Raise if a Parquet file takes more memory than a packed file may: equal values take next to nothing in it."""
    table = pl.scan_parquet(path, glob=False)
    kinds = table.collect_schema().dtypes()
    rows = _height(table)
    widths = [TEXT_BYTES if kind == pl.String or kind.is_nested() else NUMBER_BYTES for kind in kinds]
    check_unpacked(rows * sum(widths), path.name)
