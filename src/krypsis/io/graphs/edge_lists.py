"""Edge lists: text files with one edge per line, as SNAP, KONECT, networkx and spreadsheets write them."""

import ast
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from krypsis.errors import DataError, DataWarning
from krypsis.io.csv_file import parse_delimiter, records
from krypsis.io.graphs.edge_table import (
    VERTEX_NAMES,
    Columns,
    EdgeTable,
    end_columns,
    is_usual_header,
    table_of_frame,
)
from krypsis.io.graphs.pair_arrays import LARGE, NO_INTEGER, READ, SHORT, Bytes, parse_pairs
from krypsis.io.paths import check_names
from krypsis.io.source import TextSource

COMMENTS = ("#", "%")
BLANK = " "
"""The delimiter that stands for any number of spaces and tabs."""
DELIMITERS = (",", ";", "|")
LOOKED_AT = 200
"""Lines that are looked at to find out how a file is laid out."""
SHORTEST = 4
"""The bytes of the shortest line of an edge list; memory that is not written to costs nothing."""
NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
IN_BRACES = re.compile(r"\s*\{.*\}\s*$")
DIRECTED = re.compile(r"(?<!un)directed graph|\basym\b", re.IGNORECASE)
UNDIRECTED = re.compile(r"undirected|\bsym\b", re.IGNORECASE)


@dataclass(frozen=True)
class LineLayout:
    """How the lines of a text file are laid out."""

    delimiter: str
    names: tuple[str, ...]
    """What the columns are called, or their numbers."""
    has_header: bool
    is_guess: bool
    """Whether the first line counts as a header only because no line below names the vertices in it."""
    begin: int
    """Where the first line begins that holds data, in bytes."""
    comments: tuple[str, ...]
    """The comments before it."""
    first: tuple[str, ...]
    """The fields of the first line."""


def read_edge_list(
    source: TextSource,
    delimiter: str | None = None,
    ends: tuple[str | None, str | None] = (None, None),
    wanted: Columns = None,
) -> EdgeTable:
    """Return the edges of a text file; ``wanted`` are further columns that are needed.

    Raises
    ------
    DataError
        if a line does not fit the others, with its number.
    """
    asked = [one for one in (*ends, *([wanted] if isinstance(wanted, str) else wanted or ())) if one is not None]
    layout = layout_of(source, delimiter, asked)
    if layout is None:
        empty = pl.Series(dtype=pl.Int64)
        return EdgeTable(source.path.name, empty, empty)
    places = end_columns(layout.names, *ends)
    said = " ".join(layout.comments)
    is_directed = True if DIRECTED.search(said) else False if UNDIRECTED.search(said) else None
    needed = [name for name in asked if name in layout.names and layout.names.index(name) not in places]
    if not needed and (found := _read_integers(source, layout, places)) is not None:
        table = found
    else:
        table = _read_texts(source, layout, ends)
    return EdgeTable(table.where, table.source, table.target, table.columns, table.unread, is_directed=is_directed)


def layout_of(source: TextSource, delimiter: str | None, asked: Sequence[str] = ()) -> LineLayout | None:
    """Return how a text file is laid out; ``None`` if there is nothing but comments.

    Parameters
    ----------
    asked
        columns that somebody has named: a first line with these names is a header.
    """
    begin, comments, lines = _first_lines(source)
    if not lines:
        return None
    mark = _delimiter(lines) if delimiter is None else parse_delimiter(delimiter)
    rows = [fields_of(line, mark, source.path.name) for line in lines]
    is_sure = _is_header(rows, asked)
    is_guess = not is_sure and mark != BLANK and _names_nothing_below(rows) and not any(map(str.isdecimal, asked))
    names = rows[0] if is_sure or is_guess else _numbers_or_comment(len(rows[0]), comments)
    return LineLayout(mark, tuple(names), is_sure or is_guess, is_guess, begin, tuple(comments), tuple(rows[0]))


def _first_lines(source: TextSource) -> tuple[int, list[str], list[str]]:
    """Return where data begins, the comments before it, and the first lines of data without later comments."""
    size = 2**16
    while True:
        raw = source.head(size)
        head = raw[: raw.rfind(b"\n") + 1] if len(raw) == size else raw
        begin, comments, lines = 3 * raw.startswith(b"\xef\xbb\xbf"), [], []
        for line in head[begin:].split(b"\n"):
            text = line.decode("utf-8", "replace").strip("\r")
            if text.strip() and not text.lstrip().startswith(COMMENTS):
                lines.append(text)
            elif not lines:
                comments.append(text.strip())
                begin += len(line) + 1
            if len(lines) == LOOKED_AT:
                break
        if lines or len(raw) < size:
            return begin, [one for one in comments if one], lines
        size *= 16


def _delimiter(lines: Sequence[str]) -> str:
    """Return what stands between the fields: a comma, semicolon or bar if most lines have one, else blanks."""
    plain = [IN_BRACES.sub("", line) for line in lines]
    for mark in DELIMITERS:
        if mark in plain[0] and 2 * sum(mark in line for line in plain) > len(plain):
            return mark
    # A tab between names that hold spaces.
    if all("\t" in line for line in plain) and any(" " in line.strip() for line in plain):
        return "\t"
    return BLANK


def fields_of(line: str, delimiter: str, where: str) -> list[str]:
    """Return the fields of a line."""
    if delimiter == BLANK and '"' not in line:
        return IN_BRACES.sub(" {}", line).split()
    _, fields = next(iter(records(line + "\n", delimiter, where)), (0, []))
    return [(one or "").strip() for one in fields]


def _is_header(rows: Sequence[Sequence[str]], asked: Sequence[str]) -> bool:
    """Say whether the first line names columns: as asked for, as usual, or above numbers."""
    first, below = rows[0], rows[1:]
    if any(name in first and not name.isdecimal() for name in asked) or is_usual_header(first):
        return True
    if any(map(NUMBER.fullmatch, first[:2])):
        return False
    return bool(below) and all(NUMBER.fullmatch(cell) for row in below for cell in row[:2])


def _names_nothing_below(rows: Sequence[Sequence[str]]) -> bool:
    """Say whether the first line names vertices that no line below has."""
    first, below = rows[0][:2], rows[1:]
    ends = {cell for row in below for cell in row[:2]}
    return bool(below) and not any(map(NUMBER.fullmatch, first)) and not ends & set(first)


def _numbers_or_comment(width: int, comments: Sequence[str]) -> list[str]:
    """Return names of columns without a header: those that the last comment has for them, or their numbers."""
    words = re.split(r"[\s,;]+", comments[-1].lstrip("#% ")) if comments else []
    return words if len(words) == width and is_usual_header(words) else [str(at + 1) for at in range(width)]


def _read_integers(source: TextSource, layout: LineLayout, places: tuple[int, int]) -> EdgeTable | None:
    """Return edges between whole numbers, read in one go; nothing if there is anything else."""
    content = source.array()
    begin = _after_header(source, layout) if layout.has_header else layout.begin
    begin -= len(source.head(3)) if source.head(3) == b"\xef\xbb\xbf" else 0
    lines = len(content) // SHORTEST + 1
    # Most numbers are small, and half as many bytes are half the work.
    for dtype in (np.dtype(np.int32), np.dtype(np.int64)):
        sources, targets = np.empty(lines, dtype), np.empty(lines, dtype)
        rows, state, place = parse_pairs(
            content, begin, ord(layout.delimiter), np.array(places), np.iinfo(dtype).max, sources, targets
        )
        if state != LARGE:
            break
    if state == NO_INTEGER or (state != READ and (content == ord('"')).any()):
        return None
    if state != READ:
        line = int(np.count_nonzero(content[:place] == ord("\n"))) + 1
        raise _ragged(source.path.name, line, "fewer fields than are needed" if state == SHORT else None)
    rest = [name for at, name in enumerate(layout.names) if at not in places and name != "{}"]
    unread = _shown(rest, layout) + _in_braces(content, layout)
    return EdgeTable(
        source.path.name, pl.Series("source", sources[:rows]), pl.Series("target", targets[:rows]), unread=unread
    )


def _after_header(source: TextSource, layout: LineLayout) -> int:
    size = layout.begin + 2**16
    while True:
        head = source.head(size)
        place = head.find(b"\n", layout.begin)
        if place >= 0 or len(head) < size:
            return place + 1 if place >= 0 else len(head)
        size *= 16


def _shown(names: Sequence[str], layout: LineLayout) -> tuple[str, ...]:
    """Return names for people: a column without one is called by its number."""
    is_numbered = list(layout.names) == [str(at + 1) for at in range(len(layout.names))]
    dictionaries = {name for name, cell in zip(layout.names, layout.first, strict=False) if cell == "{}"}
    return tuple(f"column {name}" if is_numbered else name for name in names if name not in dictionaries)


def _in_braces(content: Bytes, layout: LineLayout) -> tuple[str, ...]:
    """Return what is named in braces at the end of lines, as networkx writes attributes of edges."""
    if "{}" not in layout.first:
        return ()
    found = re.search(rb"\{[^}\n]*[^\s}][^}\n]*\}", content.data)
    if found is None:
        return ()
    try:
        return tuple(map(str, ast.literal_eval(found[0].decode("utf-8", "replace"))))
    except (ValueError, SyntaxError, TypeError):
        return ("what stands in braces",)


def _ragged(where: str, line: int, what: str | None = None) -> DataError:
    return DataError(
        f"{where}, line {line}: {what or 'another number of fields than in the first line'}; expected one edge per "
        "line, with the same columns in each. Names that hold spaces cannot be read from a list with spaces between "
        "the columns: write them in quotes, separated by commas"
    )


def _read_texts(source: TextSource, layout: LineLayout, ends: tuple[str | None, str | None]) -> EdgeTable:
    """Return edges between names of any form."""
    frame = read_fields(source, layout)
    if layout.is_guess:
        places = end_columns(layout.names, *ends)
        if any(_is_known(layout.first[place], frame.to_series(other)) for place in places for other in places):
            names = _numbers_or_comment(len(layout.names), layout.comments)
            return _read_texts(source, replace(layout, names=tuple(names), has_header=False, is_guess=False), ends)
        warnings.warn(
            DataWarning(
                f"the first line of {source.path.name} was taken for a header: no line below names what is in it; "
                "if it is an edge, say so: source='1', target='2'"
            ),
            stacklevel=2,
        )
    rest = [place for place in range(frame.width) if place not in end_columns(layout.names, *ends)]
    if layout.delimiter == BLANK and ends == (None, None) and not layout.has_header:
        for place in rest:
            column = frame.to_series(place).drop_nulls()
            if not column.str.contains(r"^[-+]?\d+(\.\d*)?([eE][-+]?\d+)?$").all():
                raise DataError(
                    f"{source.path.name} has {frame.width} columns, and column {place + 1} holds no numbers; if names "
                    "of vertices hold spaces, write them in quotes, separated by commas; else name the columns: "
                    "source='1', target='2'"
                )
    table = table_of_frame(frame, source.path.name, *ends)
    if layout.has_header:
        return table
    wanted = [name for name in table.columns.columns if name.isdecimal()]
    renamed = {name: f"column {name}" for name in wanted}
    return EdgeTable(table.where, table.source, table.target, table.columns.rename(renamed))


def read_fields(source: TextSource, layout: LineLayout) -> pl.DataFrame:
    """Return all columns of a text file as texts.

    Raises
    ------
    DataError
        naming a line with another number of fields than the first one.
    """
    try:
        text = source.text()
    except UnicodeDecodeError as error:
        text = source.read_differently(error).text()
    names = [name for name, cell in zip(layout.names, layout.first, strict=True) if cell != "{}"]
    lines = re.sub(rb"(?m)^[ \t]*(?:[#%].*)?\r?\n", b"", text.encode())
    if layout.has_header:
        lines = lines.partition(b"\n")[2]
    if not lines:
        return pl.DataFrame(schema=dict.fromkeys(names, pl.String))
    separator = "\t" if layout.delimiter == BLANK else layout.delimiter
    try:
        frame = pl.read_csv(
            _with_tabs(lines) if layout.delimiter == BLANK else lines,
            separator=separator,
            has_header=False,
            infer_schema=False,
        )
    except pl.exceptions.PolarsError as error:
        raise _ragged(source.path.name, _ragged_line(text, layout, len(names))) from error
    has_gap = frame.width != len(names) or frame.to_series(frame.width - 1).null_count()
    if has_gap and (line := _ragged_line(text, layout, len(names))):
        raise _ragged(source.path.name, line)
    frame.columns = names
    return frame if layout.delimiter == "\t" else frame.with_columns(pl.all().str.strip_chars(" "))


def _with_tabs(lines: bytes) -> bytes:
    """Return lines with one tab between fields, and without what stands in braces at their end."""
    if b"{" in lines:
        lines = re.sub(rb"(?m)[ \t]+\{.*\}[ \t]*\r?$", b"", lines)
    if b'"' in lines:
        lines = re.sub(rb'("[^"\n]*")|[ \t]+', lambda found: found[1] or b"\t", lines)
    else:
        lines = re.sub(rb"[ \t]+", b"\t", lines)
    return re.sub(rb"(?m)^\t|\t(?=\r?$)", b"", lines)


def _ragged_line(text: str, layout: LineLayout, width: int) -> int:
    """Return the number of the first line with more or fewer fields than the first one; 0 if there is none."""
    if layout.delimiter != BLANK:
        text = re.sub(r"(?m)^[ \t]*[#%].*$", "", text)
        found = records(text, layout.delimiter, "edges")
        return next((line for line, fields in found if fields != [None] and len(fields) != width), 0)
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip() and not line.lstrip().startswith(COMMENTS):
            fields = [one for one in fields_of(line.strip(), BLANK, "edges") if one != "{}"]
            if len(fields) != width:
                return number
    return 0


def read_vertex_list(source: TextSource, delimiter: str | None, known: pl.Series) -> pl.DataFrame:
    """Return the vertices of a text file, one per line with what is known about it.

    The first line names the columns, unless it begins with one of the ``known`` vertices.
    """
    layout = layout_of(source, delimiter or _delimiter_of_vertices(source, known))
    if layout is None:
        raise DataError(f"{source.path.name} is empty; expected one line per vertex")
    words = {cell.lower() for cell in layout.first}
    has_header = bool(words.intersection(VERTEX_NAMES)) or not _is_known(layout.first[0], known)
    if not has_header or all(map(NUMBER.fullmatch, layout.first)):
        names = ["vertex", *(f"label {at}" for at in range(1, len(layout.first)))]
        names = ["vertex", "label"] if len(names) == 2 else names
        has_header = False
    else:
        names = list(layout.first)
    check_names(names, source.path.name)
    return read_fields(source, replace(layout, names=tuple(names), has_header=has_header))


def _delimiter_of_vertices(source: TextSource, known: pl.Series) -> str | None:
    """Return a comma where each line is one name that may hold blanks; nothing where the lines say it themselves."""
    _, _, lines = _first_lines(source)
    if not lines or _delimiter(lines) != BLANK:
        return None
    cells = {
        mark: pl.Series([next(iter(fields_of(line, mark, source.path.name)), "") for line in lines])
        for mark in (BLANK, ",")
    }
    words, names = (int(cells[mark].is_in(known.cast(pl.String).implode()).sum()) for mark in (BLANK, ","))
    # Blanks stand between the columns of plain text files, and not of CSV files; what the edges name decides first.
    is_one_name = names > words or (names == words and source.path.suffix.lower() == ".csv")
    return "," if is_one_name and not any("\t" in line for line in lines) else None


def _is_known(name: str, known: pl.Series) -> bool:
    return bool((known.cast(pl.String) == name).any())
