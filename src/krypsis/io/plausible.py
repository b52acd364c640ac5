"""Whether bytes are text at all, and whether a text was read in the right encoding."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from krypsis.errors import DataError

LETTERS = re.compile(r"[^\W\d_]*[À-ÿ][^\W\d_]*")
STRANGE = re.compile(r"[À-ÿ]{3}")
"""No Western word has three accented letters in a row; words of other alphabets read as Western have nothing else."""
TOO_MANY = 0.2
OTHERS = {"cp1253": "Greek", "iso-8859-7": "Greek", "cp1251": "Cyrillic"}
CONTROL = set(range(32)) - set(b"\t\n\v\f\r\x1b")
KINDS_OF_CONTROL = 6
"""Text may hold a control character as a delimiter or by accident; so many different ones are no accident."""


def check_western(text: str, path: Path) -> None:
    """Raise if a text read as cp1252 is made of words that no Western language has.

    Raises
    ------
    DataError
        naming the encodings to try.
    """
    words = LETTERS.findall(text)
    strange = [word for word in words if STRANGE.search(word)]
    if len(strange) <= TOO_MANY * len(words):
        return
    shown = max(strange[:100], key=len)[:20]
    raise DataError(
        f"{path.name} is not UTF-8, and it is no Western text: as cp1252 it holds words like {shown!r}. "
        f"Name its encoding, as in '--encoding cp1253' or 'read: {{encoding: cp1253}}' in a plan; "
        f"the word is {_readings(shown)}"
    )


def check_text(head: bytes, path: Path) -> None:
    """Raise if the first bytes of a file are those of a picture, a program or noise."""
    if len(CONTROL.intersection(head)) >= KINDS_OF_CONTROL and (b"\0" in head or not _is_utf8(head)):
        raise DataError(
            f"{path.name} is not a text file: it begins with {head[:8]!r}; expected a CSV file, or a Parquet or Excel "
            "file with the ending of its kind"
        )


def _is_utf8(head: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # the end of the head may cut a letter in two
    except UnicodeDecodeError:
        return False
    return True


def _readings(word: str) -> str:
    raw = word.encode("cp1252")
    readings = {name: raw.decode(name, "replace") for name in OTHERS}
    return ", ".join(f"{reading!r} in {name} ({OTHERS[name]})" for name, reading in readings.items())
