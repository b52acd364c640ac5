"""How much a workbook unpacks to, found out before it is read.

A workbook is a zip file. Its parts can be packed a thousandfold, two cells in far corners stand for all the empty ones
between them, and one long text can be the content of a million cells.
"""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import numpy as np

from krypsis.errors import DataError
from krypsis.io.archive import DAMAGED
from krypsis.io.limits import check_unpacked, most_unpacked

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
