"""Finding the delimiter of a CSV file from its first records."""

from __future__ import annotations

from itertools import islice

from krypsis.errors import DataError, UsageError
from krypsis.io.records import Field, is_blank, records

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
