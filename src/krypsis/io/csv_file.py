"""Reading CSV files: every column as text, every record accounted for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from krypsis.errors import DataError
from krypsis.io.delimiter import first_records, parse_delimiter, sniff_delimiter
from krypsis.io.names import check_names
from krypsis.io.records import is_blank, records
from krypsis.io.scan import Scan, scan
from krypsis.io.source import HEAD, Source


@dataclass(frozen=True)
class Header:
    """The column names of a file and what stands between them."""

    names: tuple[str, ...]
    delimiter: str


def read_csv_file(path: Path, delimiter: str | None = None, encoding: str | None = None) -> pl.DataFrame:
    """Return the table of a CSV file; see :func:`krypsis.io.read.read_table`."""
    source = Source.open(path, encoding)
    try:
        return _read(source, delimiter)
    except UnicodeDecodeError as error:
        return _read(source.read_differently(error), delimiter)


def describe_csv(path: Path, delimiter: str | None = None, encoding: str | None = None) -> tuple[str, str]:
    """Return the delimiter and the encoding with which the file is read."""
    source = Source.open(path, encoding)
    try:
        source.text()
    except UnicodeDecodeError as error:
        source = source.read_differently(error)
    return find_header(source, delimiter).delimiter, source.encoding


def find_header(source: Source, delimiter: str | None = None) -> Header:
    """Return the first record of the file, reading on until it is complete."""
    size = HEAD
    while True:
        raw = source.head(size)
        is_whole = len(raw) < size
        # a letter cut in two at the end of the head is not an error; a wrong byte in the names is one
        head = raw.decode("utf-8-sig", "surrogateescape")
        mark = sniff_delimiter(head, is_whole=is_whole) if delimiter is None else parse_delimiter(delimiter)
        found = first_records(head, mark, 1, is_whole=is_whole)
        if found or is_whole:
            break
        size *= 4
    if not found:
        next(records(head, mark, source.path.name), None)  # raises if a quote in the header is not closed
        raise DataError(f"{source.path.name} is empty; expected a header and at least one record")
    names = tuple(name or "" for name in found[0])
    "\n".join(names).encode("utf-8", "surrogateescape").decode("utf-8")  # apart: two halves are no letter
    return Header(names, mark)


def _read(source: Source, delimiter: str | None) -> pl.DataFrame:
    header = find_header(source, delimiter)
    check_names(header.names, source.path.name)
    found = scan(source.array(), header.delimiter)
    if found.nul_line:
        raise _nul_byte(source, found.nul_line)
    frame = _read_fast(source, header, found) if found.is_regular else None
    if frame is None:
        frame = _read_exactly(source, header)
    if not frame.height:
        raise DataError(f"{source.path.name} has a header and no rows; expected at least one record")
    return frame


def _read_fast(source: Source, header: Header, found: Scan) -> pl.DataFrame | None:
    """Return the table as polars reads it, or nothing if any record may be other than it seems."""
    try:
        frame = pl.read_csv(source.content(), separator=header.delimiter, infer_schema=False, glob=False)
    except pl.exceptions.PolarsError:
        return None
    if frame.width != len(header.names):
        return None
    frame.columns = list(header.names)
    if frame.width > 1:
        frame = frame.head(max(frame.height - found.blank_lines_at_end, 0))
    return frame if _is_complete(frame, header, found) else None


def _is_complete(frame: pl.DataFrame, header: Header, found: Scan) -> bool:
    """Whether no record is shorter or longer than the header.

    polars fills short records up with missing values, and overlooks an empty field too many at the very end. Both
    show in the number of delimiters, once those inside quoted fields are set aside.
    """
    if found.tail.endswith(header.delimiter.encode()):
        return False
    inside = sum(name.count(header.delimiter) for name in header.names)
    if found.has_quotes:
        counts = frame.select(pl.all().str.count_matches(header.delimiter, literal=True).sum().cast(pl.Int64))
        inside += sum(counts.row(0))
    return found.delimiters == (frame.width - 1) * (frame.height + 1) + inside


def _nul_byte(source: Source, line: int) -> DataError:
    return DataError(
        f"{source.path.name}, line {line}: NUL byte; a CSV file is text: remove the byte, "
        "or name the encoding if the file is UTF-16 (utf-16-le, utf-16-be)"
    )


def _read_exactly(source: Source, header: Header) -> pl.DataFrame:
    """Read record by record; raise with the line of the first record that does not fit the header."""
    where, expected = source.path.name, len(header.names)
    found = records(source.text(), header.delimiter, where)
    next((fields for _, fields in found if not is_blank(fields)), None)
    rows, blank_line = [], 0
    for line, fields in found:
        if is_blank(fields) and expected > 1:
            blank_line = blank_line or line
            continue
        if blank_line:
            raise DataError(f"{where}, line {blank_line}: the line is empty; expected {expected} fields")
        if len(fields) != expected:
            raise _ragged(where, line, expected, len(fields), header.delimiter)
        rows.append(fields)
    return pl.DataFrame(rows, schema=dict.fromkeys(header.names, pl.String), orient="row")


def _ragged(where: str, line: int, expected: int, got: int, delimiter: str) -> DataError:
    return DataError(
        f"{where}, line {line}: expected {expected} fields as in the header, got {got} "
        f"(delimiter {delimiter!r}); put fields that hold the delimiter in quotes, or name another delimiter"
    )
