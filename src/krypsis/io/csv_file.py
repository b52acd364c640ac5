"""Reading CSV files: every column as text, every record accounted for.

The exact reading of CSV text, record by record: slow, and able to say which line is wrong.

Files are read by polars; this reader finds the header, tries delimiters, and explains a file that polars refuses.
"""

import mmap
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from krypsis.errors import DataError, UsageError
from krypsis.io.paths import check_names
from krypsis.io.source import HEAD, TextSource

Field = str | None
"""The text of a field; ``None`` is an empty field without quotes, a missing value."""


def records(text: str, delimiter: str, where: str) -> Iterator[tuple[int, list[Field]]]:
    r"""Yield each record with the number of the line it starts on.

    A field is quoted if it starts with a double quote; a quote inside an unquoted field is an ordinary character.

    Raises
    ------
    DataError
        if a quoted field is not closed, or text follows its closing quote.

    Examples
    --------
    >>> list(records('a,b\n1,"x, y"\n', ",", "file"))
    [(1, ['a', 'b']), (2, ['1', 'x, y'])]
    """
    pattern = _field(delimiter)
    position, line, start, fields = 0, 1, 1, list[Field]()
    while position < len(text) or fields:
        match = pattern.match(text, position)
        if match is None:
            raise _bad_quote(text, position, line, where)
        fields.append(_value(match))
        line += text.count("\n", position, match.end())
        position = match.end()
        if match["end"] != delimiter:
            yield start, fields
            start, fields = line, []


def is_blank(fields: list[Field]) -> bool:
    """Whether the record is an empty line."""
    return fields == [None]


@cache
def _field(delimiter: str) -> re.Pattern[str]:
    mark = re.escape(delimiter)
    return re.compile(
        rf'(?:"(?P<quoted>(?:[^"]++|"")*+)"|(?!")(?P<plain>(?:[^{mark}\n\r]++|\r(?!\n))*+))(?P<end>{mark}|\r?\n|\Z)'
    )


def _value(match: re.Match[str]) -> Field:
    quoted = match["quoted"]
    return (match["plain"] or None) if quoted is None else quoted.replace('""', '"')


def _bad_quote(text: str, position: int, line: int, where: str) -> DataError:
    closing = re.compile(r'"(?:[^"]++|"")*+"').match(text, position)
    if closing is None:
        return DataError(
            f"{where}, line {line}: a quoted field starts here and is never closed; "
            f"close it with a double quote, or write a quote inside a field twice"
        )
    after = text[closing.end() : closing.end() + 20].splitlines()[0]
    line += text.count("\n", position, closing.end())
    return DataError(
        f"{where}, line {line}: expected a delimiter or the end of the line after a closing quote, got {after!r}; "
        f"write a quote inside a quoted field twice"
    )


USUAL = (",", ";", "\t", "|")
UNUSUAL = ("^", "~", ":", "\x1f", "\x01")
NAMES = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
LOOKED_AT = 100
"""How many records are compared."""


def parse_delimiter(text: str) -> str:
    r"""Return the delimiter a user wrote; ``tab`` and ``\t`` are understood.

    Examples
    --------
    >>> parse_delimiter("tab")
    '\t'
    """
    delimiter = NAMES.get(text, text)
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        raise UsageError(
            f"delimiter must be one ASCII character other than a quote or a line end, got {text!r}; "
            f"for example ',' ';' '|' or {', '.join(map(repr, list(NAMES)[:1]))}"
        )
    return delimiter


def sniff_delimiter(head: str, *, is_whole: bool) -> str:
    r"""Return the delimiter that gives all records of ``head`` the number of fields of the first.

    Where several do, the one with more fields; where none does, the usual one that most records agree on, so that
    the message about a ragged line is about the right delimiter. A header without any delimiter is one column.

    Examples
    --------
    >>> sniff_delimiter("a;b\n1,5;2\n", is_whole=True)
    ';'
    """
    scores = {mark: _agreement(head, mark, is_whole=is_whole) for mark in (*USUAL, *UNUSUAL)}
    possible = [mark for mark, (_, fields) in scores.items() if fields > 1]
    usual = [mark for mark in possible if mark in USUAL]
    mostly = [mark for mark in usual if scores[mark][0] >= 0.5]
    fully = [mark for mark in possible if scores[mark][0] == 1.0]
    return max(mostly or fully or usual or [","], key=lambda mark: scores[mark])


def first_records(head: str, delimiter: str, most: int, *, is_whole: bool) -> list[list[Field]]:
    """Return the first complete records that are not blank lines."""
    found: list[list[Field]] = []
    try:
        for _, fields in islice(records(head, delimiter, "head"), most + 1):
            found.append(fields)
    except DataError:
        # the head ends inside a quoted field, or this is not the delimiter: what came before counts
        is_whole = True
    if len(found) <= most and not is_whole:
        found.pop()  # the end of the head cuts the last record
    return [fields for fields in found if not is_blank(fields)][:most]


def _agreement(head: str, delimiter: str, *, is_whole: bool) -> tuple[float, int]:
    """Return the share of records with as many fields as the first, and that number."""
    if delimiter not in head:
        return (0.0, 0)
    found = first_records(head, delimiter, LOOKED_AT, is_whole=is_whole)
    if not found:
        return (0.0, 0)
    fields = len(found[0])
    return (sum(len(record) == fields for record in found) / len(found), fields)


Bytes = npt.NDArray[np.uint8]

WINDOW = 1024 * 1024
"""How many bytes are looked at together, few enough for the processor's cache."""
KEPT = 64 * WINDOW
"""How many bytes of a file that was looked at may stay in memory."""
TAIL = 1024
QUOTE, RETURN, NEWLINE = b'"\r\n'


@dataclass(frozen=True)
class Scan:
    """What the bytes say.

    ``is_regular``: each quoted field opens after a delimiter or line end and closes before one, and each carriage
    return belongs to a line end or to the middle of a text. Only then do all readers of CSV agree.
    """

    delimiters: int
    has_quotes: bool
    is_regular: bool
    nul_line: int | None
    """The line of the first NUL byte."""
    tail: bytes

    @property
    def blank_lines_at_end(self) -> int:
        """How many empty lines follow the last record."""
        line_ends = self.tail[len(self.tail.rstrip(b"\r\n")) :]
        return max(line_ends.count(b"\n") - 1, 0)


def scan(content: Bytes, delimiter: str) -> Scan:
    r"""Look at all bytes once.

    Examples
    --------
    >>> scan(np.frombuffer(b'a,b\n1,"x ""y"\n', np.uint8), ",").is_regular
    True
    >>> scan(np.frombuffer(b'a,b\n1,"x "y""\n', np.uint8), ",").is_regular
    False
    """
    mark, delimiters, quotes, is_regular = ord(delimiter), 0, 0, True
    for start in range(0, len(content), WINDOW):
        window = content[start : start + WINDOW]
        piece = window.tobytes()  # looking for a single byte is much faster in bytes than in an array
        if b"\0" in piece:
            return Scan(0, False, False, _line_of(content, start + piece.index(b"\0")), b"")
        delimiters += int(np.count_nonzero(window == mark))
        if b'"' in piece:
            places = start + np.flatnonzero(window == QUOTE)
            is_regular = is_regular and _fit(content, places, quotes, mark)
            quotes += len(places)
        if b"\r" in piece:
            is_regular = is_regular and _end_lines(content, start + np.flatnonzero(window == RETURN), mark)
        if start % KEPT == 0:
            _forget(content)
    is_regular = is_regular and quotes % 2 == 0
    return Scan(delimiters, quotes > 0, is_regular, None, content[-TAIL:].tobytes())


def _forget(content: Bytes) -> None:
    """Let go of what was read of a file, which else counts as memory of this process until all of it was read."""
    base: object = content
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        base.madvise(mmap.MADV_DONTNEED)


def _fit(content: Bytes, quotes: npt.NDArray[np.int64], before: int, mark: int) -> bool:
    """Whether opening quotes follow, and closing quotes precede, a delimiter, a line end or another quote."""
    first_closes = before % 2
    opening, closing = quotes[first_closes::2], quotes[1 - first_closes :: 2]
    ahead = content[opening[opening > 0] - 1]
    after = content[closing[closing < len(content) - 1] + 1]
    allowed = _one_of(mark, NEWLINE, QUOTE)
    return bool(allowed[ahead].all() and (allowed | _one_of(RETURN))[after].all())


def _end_lines(content: Bytes, returns: npt.NDArray[np.int64], mark: int) -> bool:
    """Whether no carriage return stands at the end of a field without ending the line."""
    if returns[-1] == len(content) - 1:
        return False
    alone = returns[content[returns + 1] != NEWLINE]
    at_end_of_field = _one_of(mark, RETURN)[content[alone + 1]]
    after_quote = content[np.maximum(alone - 1, 0)] == QUOTE
    return not bool((at_end_of_field | after_quote).any())


def _one_of(*numbers: int) -> npt.NDArray[np.bool_]:
    """Return a table that says of each byte whether it is one of these."""
    table = np.zeros(256, dtype=np.bool_)
    table[list(numbers)] = True
    return table


def _line_of(content: Bytes, place: int) -> int:
    return int(np.count_nonzero(content[:place] == NEWLINE)) + 1


@dataclass(frozen=True)
class Header:
    """The column names of a file and what stands between them."""

    names: tuple[str, ...]
    delimiter: str


def read_csv_file(path: Path, delimiter: str | None = None, encoding: str | None = None) -> pl.DataFrame:
    """Return the table of a CSV file; see :func:`krypsis.io.read.read_table`."""
    source = TextSource.open(path, encoding)
    try:
        return _read(source, delimiter)
    except UnicodeDecodeError as error:
        return _read(source.read_differently(error), delimiter)


def convert_csv_file(path: Path, target: Path, delimiter: str | None = None, encoding: str | None = None) -> None:
    r"""Write the table of a CSV file, exactly as :func:`read_csv_file` returns it, as a Parquet file.

    It is not held in memory, unless it is packed, or in another encoding than UTF-8, or only the exact reader
    understands it.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file, target = Path(folder, "patients.csv"), Path(folder, "patients.parquet")
    ...     _ = file.write_text('age,note\n34,""\n,x\n', encoding="utf-8")
    ...     convert_csv_file(file, target)
    ...     pl.read_parquet(target).rows()
    [('34', ''), (None, 'x')]
    """
    source = TextSource.open(path, encoding)
    try:
        _convert(source, target, delimiter)
    except UnicodeDecodeError as error:
        _convert(source.read_differently(error), target, delimiter)


def describe_csv(path: Path, delimiter: str | None = None, encoding: str | None = None) -> tuple[str, str]:
    """Return the delimiter and the encoding with which the file is read."""
    source = TextSource.open(path, encoding)
    try:
        source.text()
    except UnicodeDecodeError as error:
        source = source.read_differently(error)
    return find_header(source, delimiter).delimiter, source.encoding


def find_header(source: TextSource, delimiter: str | None = None) -> Header:
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


def _read(source: TextSource, delimiter: str | None) -> pl.DataFrame:
    header, found = _look(source, delimiter)
    frame = _read_fast(source, header, found) if found.is_regular else None
    if frame is None:
        frame = _read_exactly(source, header)
    _check_height(frame.height, source)
    return frame


def _convert(source: TextSource, target: Path, delimiter: str | None) -> None:
    header, found = _look(source, delimiter)
    height = _convert_fast(source, target, header, found) if found.is_regular else None
    if height is None:
        frame = _read_exactly(source, header)
        height = frame.height
        frame.write_parquet(target)
    _check_height(height, source)


def _look(source: TextSource, delimiter: str | None) -> tuple[Header, Scan]:
    header = find_header(source, delimiter)
    check_names(header.names, source.path.name)
    found = scan(source.array(), header.delimiter)
    if found.nul_line:
        raise _nul_byte(source, found.nul_line)
    return header, found


def _check_height(height: int, source: TextSource) -> None:
    if not height:
        raise DataError(f"{source.path.name} has a header and no rows; expected at least one record")


def _read_fast(source: TextSource, header: Header, found: Scan) -> pl.DataFrame | None:
    """Return the table as polars reads it, or nothing if any record may be other than it seems."""
    try:
        frame = pl.read_csv(source.content(), separator=header.delimiter, infer_schema=False, glob=False)
    except pl.exceptions.PolarsError:
        return None
    if frame.width != len(header.names):
        return None
    frame.columns = list(header.names)
    frame = frame.head(_records_in(frame.height, header, found))
    return frame if _is_complete(frame.lazy(), frame.height, header, found) else None


def _convert_fast(source: TextSource, target: Path, header: Header, found: Scan) -> int | None:
    """Write what :func:`_read_fast` would return; return the number of records, or nothing."""
    table = pl.scan_csv(source.content(), separator=header.delimiter, infer_schema=False, glob=False)
    try:
        if len(table.collect_schema()) != len(header.names):
            return None
        names = list(header.names)
        table = pl.scan_csv(
            source.content(), separator=header.delimiter, infer_schema=False, glob=False, new_columns=names
        )
        table.sink_parquet(target)
    except pl.exceptions.PolarsError:
        return None
    written = pl.scan_parquet(target, glob=False)
    read = int(written.select(pl.len()).collect().item())
    height = _records_in(read, header, found)
    if height < read:
        whole = target.rename(target.with_suffix(".whole"))
        pl.scan_parquet(whole, glob=False).head(height).sink_parquet(target)
        whole.unlink()
    return height if _is_complete(pl.scan_parquet(target, glob=False), height, header, found) else None


def _records_in(height: int, header: Header, found: Scan) -> int:
    """Return the number of records without the empty lines at the end, which are none where there are columns."""
    return max(height - found.blank_lines_at_end, 0) if len(header.names) > 1 else height


def _is_complete(table: pl.LazyFrame, height: int, header: Header, found: Scan) -> bool:
    """Whether no record is shorter or longer than the header.

    polars fills short records up with missing values, and overlooks an empty field too many at the very end. Both
    show in the number of delimiters, once those inside quoted fields are set aside.
    """
    if found.tail.endswith(header.delimiter.encode()):
        return False
    inside = sum(name.count(header.delimiter) for name in header.names)
    if found.has_quotes:
        counts = table.select(pl.all().str.count_matches(header.delimiter, literal=True).sum().cast(pl.Int64))
        inside += sum(counts.collect(engine="streaming").row(0))
    return found.delimiters == (len(header.names) - 1) * (height + 1) + inside


def _nul_byte(source: TextSource, line: int) -> DataError:
    return DataError(
        f"{source.path.name}, line {line}: NUL byte; a CSV file is text: remove the byte, "
        "or name the encoding if the file is UTF-16 (utf-16-le, utf-16-be)"
    )


def _read_exactly(source: TextSource, header: Header) -> pl.DataFrame:
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
