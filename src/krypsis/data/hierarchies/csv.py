"""Hierarchies as CSV files: one row per value, the value first, then its generalizations; no header."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from krypsis.data.hierarchies.base import TOP, Hierarchy, HierarchyBuilder, Label
from krypsis.errors import HierarchyError, OutputError

DELIMITERS = (";", ",", "\t", "|")
SNIFFED_ROWS = 200

QUOTED = re.compile(r'(?:^|(?<=[;,\t|]))"[^"]*+(?:""[^"]*+)*+"', re.MULTILINE)
NEEDS_QUOTES = re.compile(r'[;,\t|"\r\n\ufeff]|^\s|\s$')


class CsvFile(HierarchyBuilder):
    """The hierarchy lies in a CSV file.

    Examples
    --------
    >>> CsvFile(file="age.csv", delimiter=",").file.name
    'age.csv'
    """

    kind: ClassVar[str] = "csv"

    file: Path = Field(description="the file, without header: the value, then its generalizations")
    delimiter: str | None = Field(
        default=None, min_length=1, max_length=1, description="what separates cells; found out unless given"
    )

    def build(self, values: Sequence[Label], name: str) -> Hierarchy:
        return read_csv(self.file, self.delimiter).covering(values, name)


def read_csv(path: str | Path, delimiter: str | None = None) -> Hierarchy:
    """Read a hierarchy from a UTF-8 file.

    The delimiter is found out among ``;``, ``,``, tab and ``|`` unless given. An empty first cell is the missing value;
    below the top its row may be empty altogether, which keeps it apart from all other values.

    Raises
    ------
    HierarchyError
        with the name of the file and the row, if it is not a hierarchy.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise HierarchyError(f"cannot read the hierarchy file {path}: {error.strerror}") from error
    return parse_csv(content, path.name, delimiter)


def parse_csv(content: str | bytes, name: str = "hierarchy", delimiter: str | None = None) -> Hierarchy:
    r"""Read a hierarchy from the content of a CSV file: its text, or its bytes in UTF-8.

    Examples
    --------
    >>> parse_csv("male;*\nfemale;*\n;*\n").values
    ('male', 'female', None)
    """
    text = _decode(content, name) if isinstance(content, bytes) else content
    rows = _rows(text, name, _sniff(text) if delimiter is None else delimiter)
    while rows and not rows[-1]:
        rows.pop()
    if not rows:
        raise HierarchyError(f"{name} is empty; expected one row per value: the value, then its generalizations")
    _check_header(rows, name)
    return Hierarchy.from_rows(_labels(rows, name), name)


def write_csv(hierarchy: Hierarchy, path: str | Path, delimiter: str = ";") -> None:
    """Write a hierarchy to a UTF-8 file that :func:`read_csv` reads back unchanged."""
    path = Path(path)
    text = format_csv(hierarchy, delimiter)
    try:
        path.write_bytes(text.encode("utf-8"))
    except UnicodeEncodeError:
        raise HierarchyError(f"{path.name}: a value holds half a character and cannot be written as UTF-8") from None
    except OSError as error:
        raise OutputError(f"cannot write the hierarchy file {path}: {error.strerror}") from error


def format_csv(hierarchy: Hierarchy, delimiter: str = ";") -> str:
    r"""Return a hierarchy as the text of a CSV file.

    Examples
    --------
    >>> format_csv(Hierarchy.from_rows([["male", "*"], ["a;b", "*"]]))
    'male;*\n"a;b";*\n'
    """
    if delimiter not in DELIMITERS:
        raise HierarchyError(f"delimiter {delimiter!r} is not one of {', '.join(map(repr, DELIMITERS))}")
    written = [{label: _cell(label, hierarchy.height) for label in labels} for labels in hierarchy.labels]
    columns = [[cells[label] for label in hierarchy.column(level)] for level, cells in enumerate(written)]
    return "".join(delimiter.join(row) + "\n" for row in zip(*columns, strict=True))


def _cell(label: Label, height: int) -> str:
    if label is None:
        return "" if height else '""'  # an empty line would be no row at all
    if label == "" or "\0" in label:
        raise HierarchyError(
            f"value {label!r} cannot be written to a CSV file; an empty cell is the missing value and a NUL is no text"
        )
    return '"' + label.replace('"', '""') + '"' if NEEDS_QUOTES.search(label) else label


def _decode(content: bytes, name: str) -> str:
    if b"\0" in content:
        raise HierarchyError(f"{name} holds NUL bytes: it is not a text file in UTF-8; save it as CSV in UTF-8")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = content.count(b"\n", 0, error.start) + 1
        raise HierarchyError(f"{name}: row {row} is not UTF-8; save the file as CSV in UTF-8") from None


def _sniff(text: str) -> str:
    """Return the delimiter that stands equally often in each of the first rows; else the most frequent in the first."""
    plain = QUOTED.sub("", text) if '"' in text else text
    rows = [row for row in plain.split("\n", SNIFFED_ROWS)[:SNIFFED_ROWS] if row.strip("\r")]
    for delimiter in DELIMITERS:
        counts = {row.count(delimiter) for row in rows}
        if len(counts) == 1 and counts != {0}:
            return delimiter
    return max(DELIMITERS, key=rows[0].count) if rows else DELIMITERS[0]


def _rows(text: str, name: str, delimiter: str) -> list[list[str]]:
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise HierarchyError(f"{name}: {delimiter!r} cannot separate cells; give one character such as ; , tab or |")
    rows: list[list[str]] = []
    try:
        rows.extend(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise HierarchyError(f"{name}: row {len(rows) + 1} cannot be read: {error}") from None
    return rows


def _labels(rows: Sequence[Sequence[str]], name: str) -> Iterator[list[Label]]:
    for number, row in enumerate(rows, start=1):
        if row and "" in row and (row[0] or not row[-1]) and len(row) > 1:
            place = row.index("") if row[0] else len(row) - 1
            raise HierarchyError(
                f"{name}: row {number}: cell {place + 1} is empty; "
                f"write the generalization, '{TOP}' if there is nothing better, or remove the row"
            )
        yield [cell or None for cell in row]


def _check_header(rows: Sequence[Sequence[str]], name: str) -> None:
    tops = {row[-1] for row in rows[1:] if row}
    if len(rows) > 2 and len(tops) == 1 and rows[0] and rows[0][-1] not in tops:
        raise HierarchyError(
            f"{name}: row 1 ends with {rows[0][-1]!r} and all others with {tops.pop()!r}; "
            "a hierarchy file has no header: remove the row, or correct its last cell"
        )
