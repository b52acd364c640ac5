"""The part of Thrift's compact protocol that Parquet files are described in, read so that nothing can hide in it.

The protocol allows several spellings of the same structure: numbers with leading zeros, fields in any order, long forms
of short headers. Here each structure has one spelling, and all others are refused, so what was read is all there is.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from krypsis.errors import PromiseBroken

Struct = dict[int, Any]
"""Number of a field → its value: a number, a truth value, bytes, a list or another structure."""
Form = Mapping[int, Any]
"""Number of a field → its type: one of the numbers below, a form, or a list of the type of the elements."""

TRUE, FALSE, BYTE, I16, I32, I64, BINARY, LIST, STRUCT = 1, 2, 3, 4, 5, 6, 8, 9, 12
BOOL = TRUE
LARGEST = {I16: 2**15, I32: 2**31, I64: 2**63}
LONG_LIST = 15


class Foreign(PromiseBroken):
    """A file holds what does not follow from its published values."""


class Reader:
    """Reads structures one after the other from a part of a file."""

    def __init__(self, content: bytes | memoryview, start: int = 0, end: int | None = None) -> None:
        self.content, self.place = content, start
        self.end = len(content) if end is None else end

    def struct(self, form: Form, what: str) -> Struct:
        """Read a structure that has no other fields than its form."""
        found: Struct = {}
        number = 0
        while head := self.bytes(1)[0]:
            step = head >> 4
            if not step:
                step = self._signed() - number
                if 1 <= step <= LONG_LIST:
                    raise Foreign("a field is numbered in an unusual form")
            if step < 1:
                raise Foreign("fields of a structure are not in order")
            number += step
            if number not in form:
                raise Foreign(f"{what} has a field (number {number}) that does not follow from published values")
            found[number] = self._value(head & 15, form[number], what)
        return found

    def varint(self) -> int:
        """Read a number without a sign."""
        found = shift = 0
        while True:
            byte = self.bytes(1)[0]
            found |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                if not byte and shift > 7:
                    raise Foreign("a number is written with leading zeros")
                return found
            if shift > 63:
                raise Foreign("a number is too long")

    def bytes(self, count: int) -> bytes:
        """Read as many bytes."""
        if count < 0 or self.place + count > self.end:
            raise Foreign("a part of the file ends too early")
        self.place += count
        return bytes(self.content[self.place - count : self.place])

    def _signed(self) -> int:
        number = self.varint()
        return (number >> 1) ^ -(number & 1)

    def _value(self, kind: int, form: Any, what: str) -> Any:
        wanted = STRUCT if isinstance(form, Mapping) else LIST if isinstance(form, list) else form
        if kind != wanted and not (kind == FALSE and wanted == BOOL):
            raise Foreign(f"a field of {what} has another type than it should")
        if wanted == STRUCT:
            return self.struct(form, what)
        if wanted == LIST:
            return self._list(form[0], what)
        if wanted == BOOL:
            return kind == TRUE
        if wanted == BINARY:
            return self.bytes(self.varint())
        if wanted == BYTE:
            return self.bytes(1)[0]
        number, largest = self._signed(), LARGEST[wanted]
        if not -largest <= number < largest:
            raise Foreign(f"a number of {what} is larger than its type allows")
        return number

    def _list(self, form: Any, what: str) -> list[Any]:
        head = self.bytes(1)[0]
        count, kind = head >> 4, head & 15
        if count == LONG_LIST:
            count = self.varint()
            if count < LONG_LIST:
                raise Foreign("the length of a list is written in an unusual form")
        if count > self.end - self.place:
            raise Foreign("a part of the file ends too early")
        if form != BOOL:
            return [self._value(kind, form, what) for _ in range(count)]
        values = self.bytes(count)
        if kind != TRUE or not set(values) <= {TRUE, FALSE}:
            raise Foreign("a list of truth values holds something else")
        return [value == TRUE for value in values]


def written(fields: Mapping[int, Any]) -> bytes:
    """Return a structure as bytes: of numbers, names, lists of structures or names, and structures.

    Examples
    --------
    >>> Reader(written({1: 7, 4: b"root", 5: [{2: -3}]})).struct({1: I32, 4: BINARY, 5: [{2: I32}]}, "this")
    {1: 7, 4: b'root', 5: [{2: -3}]}
    """
    out, before = bytearray(), 0
    for number, value in fields.items():
        kind, content = _written_value(value)
        out.append((number - before) << 4 | kind)
        out += content
        before = number
    return bytes(out) + b"\0"


def _written_value(value: Any) -> tuple[int, bytes]:
    if isinstance(value, int):
        return I64 if abs(value) >= 2**31 else I32, _varint(value << 1 if value >= 0 else (-value << 1) - 1)
    if isinstance(value, bytes):
        return BINARY, _varint(len(value)) + value
    if isinstance(value, Sequence):
        found = [_written_value(one) for one in value]
        return LIST, bytes([len(found) << 4 | found[0][0]]) + b"".join(content for _, content in found)
    return STRUCT, written(value)


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])
