"""What a workbook holds besides the table that is read from it: further sheets, comments, formulas, hidden cells."""

import html
import posixpath
import re
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from krypsis.errors import DataWarning, shorten

EXAMINED = "xl/workbook.xml"
"""The part that the workbooks have whose content is examined; older and other ones are built differently."""
TYPES, RELATIONS = "[content_types].xml", "xl/_rels/workbook.xml.rels"
REST = rb"\s(?:[^>\"']|\"[^\"]*\"|'[^']*')*>"
SHEET = re.compile(rb"<(?:\w+:)?sheet" + REST)
RELATION = re.compile(rb"<(?:\w+:)?Relationship" + REST)
ATTRIBUTE = re.compile(rb"([\w:]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
HIDDEN = re.compile(rb"<(?:\w+:)?(row|col)\s[^>]*?\bhidden\s*=\s*[\"'](?:1|true)[\"']")
FORMULA = re.compile(rb"<(?:\w+:)?f[\s>/]")
FORMULA_WITHOUT_VALUE = re.compile(
    rb"<(?:\w+:)?f(?:\s[^>]*)?(?:/>|>[^<]*</(?:\w+:)?f>)\s*"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>|</(?:\w+:)?c>)"
)
COPIES = {
    "pivot tables with a copy of their data": re.compile(r"xl/pivotcache/"),
    "values of linked workbooks": re.compile(r"xl/externallinks/"),
    "charts, images or drawings": re.compile(r"xl/(?:charts|media|diagrams|drawings/drawing|chartsheets)"),
    "embedded files": re.compile(r"xl/embeddings/"),
    "macros": re.compile(r"xl/vbaproject"),
}
"""Parts that hold data or text apart from the cells."""


@dataclass(frozen=True)
class Extras:
    """What a workbook holds besides the values of one table."""

    name: str
    """Of the file."""
    sheets: tuple[str, ...] = ()
    """Those that are not read."""
    hidden_sheets: frozenset[str] = frozenset()
    is_hidden: bool = False
    """Whether the sheet that is read is hidden."""
    hidden_rows: int = 0
    hidden_columns: bool = False
    comments: bool = False
    formulas: int = 0
    formulas_without_value: int = 0
    copies: tuple[str, ...] = ()
    stray_columns: int = 0
    """How many columns have cells and no name."""
    is_examined: bool = True
    """False for formats whose comments, formulas and hidden cells cannot be examined."""

    def not_read(self) -> tuple[str, ...]:
        """Return what is in the file and in no value of the table.

        Examples
        --------
        >>> Extras("t.xlsx", sheets=("Names",), comments=True).not_read()
        ("1 further sheet named 'Names'", 'cell comments')
        """
        named = shorten(f"{name!r}{' (hidden)' * (name in self.hidden_sheets)}" for name in self.sheets)
        found = [f"{_count(len(self.sheets), 'further sheet')} named {named}"] if self.sheets else []
        found += ["cell comments"] if self.comments else []
        found += [f"{_count(self.stray_columns, 'column')} without a name"] if self.stray_columns else []
        found += self.copies
        return tuple(found)

    def sentences(self) -> Iterator[str]:
        """Yield what whoever reads the table should know, one sentence each."""
        for part in self.not_read():
            yield f"{self.name} also holds {part}, which Krypsis neither reads nor publishes"
        if self.formulas:
            counted = _count(self.formulas, "formula")
            yield f"{self.name} has {counted}: the stored values are used, which may be outdated"
        if self.formulas_without_value:
            without = _count(self.formulas_without_value, "formula")
            yield f"{self.name} has {without} without a stored value, read as missing: open and save it in Excel first"
        if self.hidden_rows or self.hidden_columns:
            parts = [_count(self.hidden_rows, "hidden row")] if self.hidden_rows else []
            named = " and ".join([*parts, *(["hidden columns"] if self.hidden_columns else [])])
            yield f"{self.name} has {named}: read like all others"
        if self.is_hidden:
            yield f"the sheet of {self.name} that is read is hidden"
        if not self.is_examined:
            yield (
                f"comments, formulas and hidden cells of {self.name} were not examined, which needs an .xlsx or .xlsm "
                "file"
            )


def warn_of(extras: Extras) -> None:
    """Warn of what a workbook holds besides the table that is read."""
    for sentence in extras.sentences():
        warnings.warn(sentence, DataWarning, stacklevel=2)


def extras_of(path: Path, names: list[str], position: int, stray_columns: int = 0) -> Extras:
    """Return what a workbook holds besides one of its sheets; the file is one that was checked for its size.

    Parameters
    ----------
    path
        of the workbook.
    names, position
        its sheets, and which one is read, from 0.
    stray_columns
        how many of its columns have no name.
    """
    others = [name for place, name in enumerate(names) if place != position]
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as book:
            parts = {part.filename.lower().lstrip("/"): part.filename for part in book.infolist()}
            if EXAMINED in parts:
                return _examined(book, parts, path.name, names[position], others, stray_columns)
    return Extras(path.name, tuple(others), stray_columns=stray_columns, is_examined=False)


def _examined(
    book: zipfile.ZipFile, parts: dict[str, str], name: str, sheet: str, others: list[str], stray_columns: int
) -> Extras:
    sheets = {one.get("name", ""): one for one in _tags(SHEET, book.read(parts[EXAMINED]))}
    hidden = {title for title, one in sheets.items() if one.get("state", "visible") != "visible"}
    content = _sheet(book, parts, sheets.get(sheet, {}))
    types = book.read(parts[TYPES]).lower() if TYPES in parts else b""
    kinds = HIDDEN.findall(content)
    return Extras(
        name,
        tuple(others),
        frozenset(hidden),
        is_hidden=sheet in hidden,
        hidden_rows=kinds.count(b"row"),
        hidden_columns=b"col" in kinds,
        comments=b"comments+xml" in types or any("comment" in part for part in parts),
        formulas=len(FORMULA.findall(content)),
        formulas_without_value=len(FORMULA_WITHOUT_VALUE.findall(content)),
        copies=tuple(what for what, place in COPIES.items() if any(map(place.match, parts))),
        stray_columns=stray_columns,
    )


def _sheet(book: zipfile.ZipFile, parts: dict[str, str], sheet: dict[str, str]) -> bytes:
    """Return the part of a sheet; all sheets if the workbook does not say which one it is."""
    tags = _tags(RELATION, book.read(parts[RELATIONS])) if RELATIONS in parts else ()
    relations = {one.get("Id"): one.get("Target", "") for one in tags}
    number = next((value for key, value in sheet.items() if key.endswith(":id")), None)
    place = posixpath.normpath(posixpath.join("/xl", relations.get(number, ""))).lstrip("/").lower()
    if place in parts:
        return book.read(parts[place])
    return b"".join(book.read(name) for part, name in parts.items() if part.startswith("xl/worksheets/sheet"))


def _tags(kind: re.Pattern[bytes], content: bytes) -> Iterator[dict[str, str]]:
    """Yield the attributes of every tag of a kind."""
    for tag in kind.findall(content):
        found = ATTRIBUTE.findall(tag)
        yield {name.decode(): html.unescape((one or other).decode("utf-8", "replace")) for name, one, other in found}


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
