"""One pass over the bytes of a CSV file, which tells whether its records can be taken at face value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]

WINDOW = 1024 * 1024
"""How many bytes are looked at together, few enough for the processor's cache."""
TAIL = 1024
QUOTE, RETURN, NEWLINE = b'"\r\n'


@dataclass(frozen=True)
class Scan:
    """What the bytes tell.

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
    is_regular = is_regular and quotes % 2 == 0
    return Scan(delimiters, quotes > 0, is_regular, None, content[-TAIL:].tobytes())


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
