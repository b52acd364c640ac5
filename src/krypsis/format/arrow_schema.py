"""The schema of Arrow inside a Parquet file: nothing but the names and types of the columns.

It is a FlatBuffer, in which anything may lie between its tables. Every byte is accounted for: what belongs to no table,
list or text must be zero.
"""

import base64
import binascii
import struct
from collections.abc import Sequence

from krypsis.format.thrift import Foreign

CONTINUES = b"\xff\xff\xff\xff"
LARGEST = 64
"""No number in a description of types is larger."""

SCALARS = {"b": 1, "h": 2, "i": 4, "q": 8}
MESSAGE = "hboqv"
"""The fields of a message: version, kind of header, header, length of the body, metadata."""
SCHEMA = "hvvv"
"""Byte order, columns, metadata, features."""
FIELD = "sbboovv"
"""Name, whether values may be missing, kind of type, type, dictionary, children, metadata."""
TYPE = "ii"
"""At most two numbers, of one to four bytes; a time zone is no part of a published type."""


def check_arrow_schema(text: bytes, columns: Sequence[str]) -> None:
    """Refuse a schema that says more than the names and types of the columns.

    Raises
    ------
    Foreign
        if it holds metadata, other names, or bytes that belong to nothing.
    """
    try:
        content = base64.b64decode(text, validate=True)
    except binascii.Error:
        raise Foreign("its schema of Arrow is no base64") from None
    if base64.b64encode(content) != text:
        raise Foreign("its schema of Arrow is written in an unusual form")
    if content[:4] == CONTINUES:
        content = content[4:]
    try:
        if struct.unpack_from("<I", content)[0] != len(content) - 4:
            raise Foreign("its schema of Arrow has another length than it says")
        _Buffer(content[4:]).check(columns)
    except struct.error:
        raise Foreign("its schema of Arrow is damaged") from None


class _Buffer:
    def __init__(self, content: bytes) -> None:
        self.content, self.seen = content, bytearray(len(content))

    def check(self, columns: Sequence[str]) -> None:
        message = self._table(self._offset(0), MESSAGE)
        schema = self._table(self._followed(message, 2), SCHEMA)
        self._require_empty(message, 4)
        self._require_empty(schema, 2)
        self._require_empty(schema, 3)
        fields = [] if schema[1] is None else self._vector(schema[1])
        if [self._field(place) for place in fields] != [name.encode() for name in columns]:
            raise Foreign("its schema of Arrow names other columns")
        if any(byte for byte, seen in zip(self.content, self.seen, strict=True) if not seen):
            raise Foreign("its schema of Arrow holds bytes that belong to nothing")

    def _field(self, place: int) -> bytes:
        field = self._table(place, FIELD)
        if field[4] is not None:
            raise Foreign("its schema of Arrow has a dictionary")
        self._require_empty(field, 5)
        self._require_empty(field, 6)
        self._table(self._followed(field, 3), TYPE)
        return b"" if field[0] is None else self._text(field[0])

    def _table(self, place: int, kinds: str) -> list[int | None]:
        """Return where the fields of a table point to; numbers must be small and are not returned."""
        at = place - self._read("i", place)
        size, width = self._read("H", at), self._read("H", at + 2)
        if size % 2 or size < 4 or size > 4 + 2 * len(kinds):
            raise Foreign("its schema of Arrow has fields that are not known")
        found: list[int | None] = [None] * len(kinds)
        slots = [self._read("H", at + 4 + 2 * number) for number in range((size - 4) // 2)]
        for number, slot in enumerate(slots):
            if not slot:
                continue
            kind = kinds[number]
            if kind in SCALARS:
                later = min([other for other in slots if other > slot], default=width)
                self._number(place + slot, min(later - slot, SCALARS[kind]))
            else:
                found[number] = self._offset(place + slot)
        return found

    def _number(self, place: int, width: int) -> None:
        if not 0 <= int.from_bytes(self._bytes(place, width), "little") <= LARGEST:
            raise Foreign("its schema of Arrow holds a number that describes no type")

    def _followed(self, table: list[int | None], number: int) -> int:
        place = table[number]
        if place is None:
            raise Foreign("its schema of Arrow is incomplete")
        return place

    def _require_empty(self, table: list[int | None], number: int) -> None:
        place = table[number]
        if place is not None and self._read("I", place):
            raise Foreign("its schema of Arrow holds metadata")

    def _vector(self, place: int) -> list[int]:
        return [self._offset(place + 4 + 4 * number) for number in range(self._read("I", place))]

    def _text(self, place: int) -> bytes:
        length = self._read("I", place)
        return self._bytes(place + 4, length)

    def _offset(self, place: int) -> int:
        return place + int(self._read("I", place))

    def _read(self, form: str, place: int) -> int:
        return int(struct.unpack("<" + form, self._bytes(place, struct.calcsize("<" + form)))[0])

    def _bytes(self, place: int, width: int) -> bytes:
        if place < 0 or place + width > len(self.content):
            raise Foreign("its schema of Arrow points outside of itself")
        self.seen[place : place + width] = b"\1" * width
        return self.content[place : place + width]
