"""The bytes of a text file as UTF-8, whatever it is encoded or compressed with."""

import bz2
import codecs
import gzip
import logging
import lzma
import os
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from krypsis.errors import DataError, TooLarge, UsageError

VARIABLE = "KRYPSIS_MOST_UNPACKED"
"""The environment variable that sets the limit, in MB."""
USUAL = 4096
MEGABYTE = 1024**2


def most_unpacked() -> int:
    """Return how many bytes a packed file may unpack to.

    Examples
    --------
    >>> most_unpacked() >= MEGABYTE
    True
    """
    written = os.environ.get(VARIABLE, "").strip() or str(USUAL)
    if not written.isdecimal() or not int(written):
        raise UsageError(f"{VARIABLE} must be a whole number of MB, such as {USUAL}; got {written[:40]!r}")
    return int(written) * MEGABYTE


def check_unpacked(size: int, name: str) -> None:
    """Raise if the content of a file takes more than it may."""
    if size > (most := most_unpacked()):
        raise TooLarge(
            f"{name} unpacks to more than {most // MEGABYTE:,} MB; if that is what you expect, and there is memory "
            f"for it, allow more: set the environment variable {VARIABLE} to the number of MB"
        )


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


HEAD = 64 * 1024
"""How much of a file is looked at to find its encoding and delimiter."""
PIECE = 1024**2
"""How much of a packed file is unpacked at a time."""
PACKED = {"gzip": rb"\x1f\x8b", "xz": rb"\xfd7zXZ\x00", "bzip2": rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"}
"""How packed files begin, as patterns; text may begin with the letters of bzip2, but not with what follows them."""
OPENED: dict[str, Callable[[Path], Any]] = {"gzip": gzip.open, "xz": lzma.open, "bzip2": bz2.open}
FALLBACK = "cp1252"
"""Tried for files that are not UTF-8: Latin-1 with the characters Windows added."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TextSource:
    """A text file; ``data`` holds its text as UTF-8 unless the file itself is plain UTF-8."""

    path: Path
    data: bytes | None
    encoding: str
    given: bool
    """Whether the encoding was named by the user rather than found."""

    @classmethod
    def open(cls, path: Path, encoding: str | None = None) -> "TextSource":
        """Find out how the file is encoded; read all of it only where it must be decoded or unpacked."""
        head = read_bytes(path, 10)
        unpacked = _unpack(path, head)
        head = unpacked[:HEAD] if unpacked is not None else read_bytes(path, HEAD)
        name = _sniff(head) if encoding is None else _codec(encoding)
        if name == "utf-8":
            check_text(head, path)
        needs_change = name not in ("utf-8", "ascii") or _is_old_mac(head)
        source = cls(path, unpacked, name, given=encoding is not None)
        return source._decoded(name) if needs_change else source

    def content(self) -> bytes | Path:
        """Return what polars should read."""
        return self.path if self.data is None else self.data

    def head(self, size: int = HEAD) -> bytes:
        """Return the first bytes."""
        return read_bytes(self.path, size) if self.data is None else self.data[:size]

    def text(self) -> str:
        """Return everything; raises ``UnicodeDecodeError`` if it is not UTF-8."""
        return self._raw().decode("utf-8-sig")

    def array(self) -> npt.NDArray[np.uint8]:
        """Return all bytes after the byte order mark as numbers, without a copy of their own."""
        if self.data is not None:
            content = np.frombuffer(self.data, np.uint8)
        elif not self.head(1):
            content = np.empty(0, np.uint8)  # nothing cannot be mapped
        else:
            content = np.asarray(np.memmap(self.path, np.uint8, mode="r"))
        return content[len(codecs.BOM_UTF8) :] if self.head(3) == codecs.BOM_UTF8 else content

    def read_differently(self, error: UnicodeDecodeError) -> "TextSource":
        """Return the source in the fallback encoding after ``error`` has shown that it is not UTF-8."""
        raw = self._raw()
        if self.given:
            raise undecodable(self.path, self.encoding, raw, error)
        if _is_damaged_utf8(raw):
            raise undecodable(self.path, "utf-8", raw, error)
        decoded = self._decoded(FALLBACK)
        check_western(decoded.text(), self.path)
        log.warning(
            "%s is not UTF-8 and was read as %s; name another encoding if letters look wrong", self.path.name, FALLBACK
        )
        return decoded

    def _raw(self) -> bytes:
        return read_bytes(self.path) if self.data is None else self.data

    def _decoded(self, encoding: str) -> "TextSource":
        raw = self._raw()
        try:
            text = raw.decode(encoding).removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            raise undecodable(self.path, encoding, raw, error) from None
        if "\n" not in text:
            text = text.replace("\r", "\n")
        return TextSource(self.path, text.encode("utf-8", "surrogatepass"), encoding, self.given)


def read_bytes(path: Path, size: int = -1) -> bytes:
    """Return the first ``size`` bytes of a file, or all of it."""
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from error


def undecodable(path: Path, encoding: str, raw: bytes, error: UnicodeDecodeError) -> DataError:
    """Return the error for bytes that are not text in the encoding."""
    line = raw.count(b"\n", 0, error.start) + 1
    return DataError(
        f"{path.name}, line {line}: byte 0x{raw[error.start]:02x} at offset {error.start} is not {encoding}; "
        "name the encoding of the file, such as utf-8, cp1252, iso-8859-7 or utf-16, or repair the file"
    )


def _unpack(path: Path, head: bytes) -> bytes | None:
    """Return the content of a packed file; ``None`` if it is not packed."""
    kind = next((name for name, mark in PACKED.items() if re.match(mark, head, re.DOTALL)), None)
    if kind is None:
        return None
    unpacked = BytesIO()
    try:
        with OPENED[kind](path) as packed:
            while piece := packed.read(PIECE):
                unpacked.write(piece)
                check_unpacked(unpacked.tell(), path.name)
    except (gzip.BadGzipFile, EOFError, zlib.error, lzma.LZMAError) as error:
        raise DataError(f"{path.name} is a damaged {kind} file ({error}); fetch or pack it again") from error
    except OSError as error:
        if error.errno is None:  # what bz2 raises for a wrong stream
            raise DataError(f"{path.name} is a damaged {kind} file ({error}); fetch or pack it again") from error
        raise DataError(f"{path} cannot be read: {error.strerror}") from error
    return unpacked.getvalue()


def _codec(encoding: str) -> str:
    try:
        name = codecs.lookup(encoding).name
        "a".encode(name)  # refuses codecs that are not about text, such as base64
    except (LookupError, ValueError):
        raise UsageError(
            f"encoding {encoding!r} is not known; for example utf-8, cp1252, iso-8859-7 or utf-16"
        ) from None
    return "utf-8" if name == "utf-8-sig" else name


def _sniff(head: bytes) -> str:
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    zeros = (head[0::2].count(0), head[1::2].count(0))
    if sum(zeros) * 5 >= len(head) > 0 and 0 in zeros:
        return "utf-16-le" if zeros[0] == 0 else "utf-16-be"
    return "utf-8"


def _is_old_mac(head: bytes) -> bool:
    """Whether lines end with a carriage return alone."""
    return b"\r" in head and b"\n" not in head


def _is_damaged_utf8(raw: bytes) -> bool:
    """Whether most letters beyond ASCII are proper UTF-8, so that only a few bytes are wrong."""
    text = raw.decode("utf-8", "replace")
    wrong = text.count("\ufffd")
    beyond_ascii = len(text) - len(text.encode("ascii", "ignore"))
    return beyond_ascii - wrong > wrong
