"""The exact reading of CSV text, record by record: slow, and able to say which line is wrong.

Files are read by polars; this reader finds the header, tries delimiters, and explains a file that polars refuses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from krypsis.errors import DataError

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
