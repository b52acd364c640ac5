"""Whether a Parquet file holds its published values and nothing else, whichever program has written it.

Everything between the first byte and the last one is accounted for: the marks at both ends, the pages of every column,
the indexes of pages, the copies of a column's description behind its pages, and the description of the file. What is
known of a part must follow from the published values: counts, sizes, places, smallest and largest values. What does not
follow from them is refused: bytes outside of these parts, metadata, names, values of dictionaries that no record has,
Bloom filters. Two programs may still order a dictionary or pack bytes differently, so the file is not the only one with
these values; what a packing program may choose is not looked into.
"""

import re
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from krypsis.format import parquet_pages
from krypsis.format.arrow_schema import check_arrow_schema
from krypsis.format.thrift import BINARY, BOOL, BYTE, I16, I32, I64, Foreign, Form, Reader, Struct

MARK = b"PAR1"
DATA_PAGE, DICTIONARY_PAGE, DATA_PAGE_V2 = 0, 2, 3
ROOTS = (b"root", b"schema", b"duckdb_schema", b"m")
"""What programs call the whole of all columns."""
WRITERS = re.compile(
    rb"(Polars( \(python\))?|parquet-cpp-arrow|DuckDB)"
    rb"( version v?[0-9]{1,4}(\.[0-9]{1,4}){0,3}(-?(a|b|rc|alpha|beta|dev)[.-]?[0-9]{0,4})?"
    rb"( \(build [0-9a-f]{7,40}\))?)?"
)
"""How programs name themselves; any other text might be about somebody."""
LARGEST = 64
"""No number in a description of a type is larger."""

# The structures of parquet.thrift, without what a release never holds: metadata of columns, Bloom filters, encryption.
UNIT: Form = {1: {}, 2: {}, 3: {}}
INSTANT: Form = {1: BOOL, 2: UNIT}
LOGICAL: Form = {1: {}, 6: {}, 7: INSTANT, 8: INSTANT, 10: {1: BYTE, 2: BOOL}}
ELEMENT: Form = {1: I32, 3: I32, 4: BINARY, 5: I32, 6: I32, 10: LOGICAL}
STATISTICS: Form = {**dict.fromkeys((1, 2, 5, 6), BINARY), 3: I64, 4: I64, 7: BOOL, 8: BOOL, 9: I64}
SIZES: Form = {1: I64, 2: [I64], 3: [I64]}
COUNTED: Form = {1: I32, 2: I32, 3: I32}
ABOUT: Form = {
    1: I32,
    2: [I32],
    3: [BINARY],
    4: I32,
    **dict.fromkeys((5, 6, 7, 9, 11), I64),
    12: STATISTICS,
    13: [COUNTED],
    16: SIZES,
}
CHUNK: Form = {2: I64, 3: ABOUT, 4: I64, 5: I32, 6: I64, 7: I32}
GROUP: Form = {1: [CHUNK], 2: I64, 3: I64, 5: I64, 6: I64, 7: I16}
FOOTER: Form = {1: I32, 2: [ELEMENT], 3: I64, 4: [GROUP], 5: [{1: BINARY, 2: BINARY}], 6: BINARY, 7: [{1: {}}]}
PAGE: Form = {
    **dict.fromkeys((1, 2, 3, 4), I32),
    5: {**dict.fromkeys((1, 2, 3, 4), I32), 5: STATISTICS},
    7: {1: I32, 2: I32, 3: BOOL},
    8: {**dict.fromkeys((1, 2, 3, 4, 5, 6), I32), 7: BOOL, 8: STATISTICS},
}
VALUES_INDEX: Form = {1: [BOOL], 2: [BINARY], 3: [BINARY], 4: I32, 5: [I64], 6: [I64], 7: [I64]}
PAGES_INDEX: Form = {1: [{1: I64, 2: I32, 3: I64}], 2: [I64]}


@dataclass(frozen=True)
class _Page:
    """A page in a column: where it lies, its kind, its encoding and the published values of its rows."""

    start: int
    end: int
    kind: int
    encoding: int
    rows: pl.Series | None
    first: int


def check_layout(content: bytes, table: pl.DataFrame) -> None:
    """Refuse a Parquet file that holds more than the values of the table that was read from it.

    Raises
    ------
    Foreign
        if a part of it does not follow from the values.
    Undecidable
        if values are encoded or packed in a form that is not known here.
    """
    size = int.from_bytes(content[-8:-4], "little")
    start = len(content) - 8 - size
    if content[:4] != MARK or content[-4:] != MARK or start < len(MARK):
        raise Foreign("it does not begin and end as a Parquet file does")
    reader = Reader(content, start, len(content) - 8)
    footer = reader.struct(FOOTER, "its description")
    _require(reader.place == reader.end, "its description is followed by other bytes")
    _File(content, table, footer, start).check()


def _require(condition: object, reason: str) -> None:
    if not condition:
        raise Foreign(reason)


class _File:
    """A Parquet file, and the parts of it that are accounted for."""

    def __init__(self, content: bytes, table: pl.DataFrame, footer: Struct, end: int) -> None:
        self.content, self.table, self.footer, self.end = content, table, footer, end
        self.parts = [(0, len(MARK))]
        self.described: dict[int, Struct] = {}
        """Where the pages of a column end → the description of the column."""

    def check(self) -> None:
        footer = self.footer
        _require(footer.get(1) in (1, 2), "its version is not known")
        _require(footer.get(3) == self.table.height, "it counts other rows than it has")
        _require(WRITERS.fullmatch(footer.get(6, b"DuckDB")), "the name of its writer is not known")
        self.optional = self._schema(footer.get(2, []))
        self._metadata(footer.get(5, []))
        _require(all(one == {1: {}} for one in footer.get(7, [])), "the order of its values is not known")
        _require(len(footer.get(7, [])) in (0, self.table.width), "the order of its values is not known")
        first = 0
        for number, group in enumerate(footer.get(4, [])):
            first += self._group(group, number, first)
        _require(first == self.table.height, "its groups count other rows than it has")
        self._cover()

    def _schema(self, elements: Sequence[Struct]) -> list[bool]:
        """Return of each column whether values may be missing in it."""
        _require(len(elements) == self.table.width + 1, "its schema has other columns than it publishes")
        root, *leaves = elements
        _require(set(root) <= {3, 4, 5} and root.get(3, 0) == 0, "its schema is not known")
        _require(root.get(4) in ROOTS and root.get(5) == len(leaves), "its schema is not known")
        for leaf, column in zip(leaves, self.table, strict=True):
            _require(leaf.get(4) == column.name.encode(), "its schema names other columns than it publishes")
            _require(leaf.get(1) == parquet_pages.physical_type(column.dtype), "a column is stored in an unusual type")
            _require(leaf.get(3) in (0, 1) and 0 <= leaf.get(6, 0) < LARGEST, "a column is stored in an unusual form")
            _require(5 not in leaf and len(leaf.get(10, {})) <= 1, "a column is stored in an unusual form")
        return [leaf[3] == 1 for leaf in leaves]

    def _metadata(self, entries: Sequence[Struct]) -> None:
        _require(len(entries) <= 1, "it holds metadata")
        for entry in entries:
            _require(entry.get(1) == b"ARROW:schema", "it holds metadata")
            check_arrow_schema(entry.get(2, b""), self.table.columns)

    def _group(self, group: Struct, number: int, first: int) -> int:
        """Check a group of rows and return how many rows it has."""
        columns, rows = group.get(1, []), group.get(3, -1)
        _require(len(columns) == self.table.width and rows >= 0, "a group of rows has other columns than it publishes")
        for place, chunk in enumerate(columns):
            self._chunk(chunk, self.table.to_series(place).slice(first, rows), rows, self.optional[place])
        totals = [sum(chunk[3][field] for chunk in columns) for field in (6, 7)]
        _require(group.get(2) == totals[0] and group.get(6, totals[1]) == totals[1], "a group of rows has another size")
        _require(not columns or group.get(5, 0) in (0, _start(columns[0][3])), "a group of rows lies elsewhere")
        _require(group.get(7, number) == number, "groups of rows are numbered in another order")
        return int(rows)

    def _chunk(self, chunk: Struct, values: pl.Series, rows: int, optional: bool) -> None:
        about = chunk.get(3, {})
        _require({1, 2, 3, 4, 5, 6, 7, 9} <= set(about), "the description of a column is incomplete")
        _require(about[3] == [values.name.encode()], "a column has another name")
        _require(about[1] == parquet_pages.physical_type(values.dtype), "a column is stored in an unusual type")
        _require(about[5] == len(values) == rows, "a column counts other values than it has")
        start = _start(about)
        end = start + about[7]
        _require(len(MARK) <= start <= end <= self.end, "a column lies outside of the file")
        _require(
            chunk.get(2) in (0, start, about[9], end, about[9] + about[7]), "the description of a column lies elsewhere"
        )
        pages = self._pages(start, end, about, values, optional=optional)
        self.parts.append((start, end))
        self.described[end] = about
        data = [page for page in pages if page.kind != DICTIONARY_PAGE]
        _require(not data or data[0].start == about[9], "the pages of a column lie elsewhere")
        _require((11 in about) == (len(data) < len(pages)), "a column has no dictionary where it says so")
        encodings = about[2]
        _require(len(set(encodings)) == len(encodings) and all(0 <= one <= 9 for one in encodings), "encodings differ")
        _check_statistics(about.get(12, {}), values)
        if 13 in about:
            # Arrow counts pages of the second kind as pages of the first one.
            counted = Counter((page.kind % DATA_PAGE_V2, page.encoding) for page in pages)
            found = Counter({(one.get(1, 0) % DATA_PAGE_V2, one.get(2)): one.get(3) for one in about[13]})
            is_plain = all(set(one) == {1, 2, 3} for one in about[13]) and len(found) == len(about[13])
            _require(is_plain and found == counted, "pages are counted differently")
        if 16 in about:
            _check_sizes(about[16], values)
        self._indexes(chunk, data, values.drop_nulls())

    def _pages(self, start: int, end: int, about: Struct, values: pl.Series, *, optional: bool) -> list[_Page]:
        reader, chunk, pages, unpacked_size = (
            Reader(self.content, start, end),
            parquet_pages.Chunk(values, optional, about[4]),
            [],
            0,
        )
        while reader.place < end:
            begin, before = reader.place, chunk.rows
            head = reader.struct(PAGE, "a page")
            unpacked_size += reader.place - begin + head.get(2, 0)
            body = reader.bytes(head.get(3, -1))
            _require(4 not in head or head[4] & 0xFFFFFFFF == zlib.crc32(body), "a page has another checksum")
            kind, encoding, rows = _page(head, body, chunk)
            pages.append(_Page(begin, reader.place, kind, encoding, rows, before))
        chunk.finish()
        _require(about[6] == unpacked_size, "a column has another size than it says")
        return pages

    def _indexes(self, chunk: Struct, pages: list[_Page], column: pl.Series) -> None:
        rows = [page.rows for page in pages if page.rows is not None]
        if (index := self._index(chunk, 6, VALUES_INDEX)) is not None:
            present = [one.drop_nulls() for one in rows]
            _require(index.get(1) == [not len(one) for one in present], "an index of values counts other pages")
            for place, is_fitting in ((2, _is_low), (3, _is_high)):
                found = index.get(place, [])
                _require(len(found) == len(rows), "an index of values counts other pages")
                for value, one in zip(found, present, strict=True):
                    fits = not value if not len(one) else is_fitting(value, one) or is_fitting(value, column)
                    _require(fits, "an index of values holds values that no published record has")
            _require(index.get(4) in (0, 1, 2), "an index of values has an unknown order")
            missing = [one.null_count() for one in rows]
            _require(index.get(5, missing) == missing, "an index of values counts other missing values")
            levels = [number for one in rows for number in (one.null_count(), len(one) - one.null_count())]
            _require(not index.get(6) and index.get(7, levels) == levels, "an index of values counts other levels")
        if (index := self._index(chunk, 4, PAGES_INDEX)) is not None:
            wanted = [{1: page.start, 2: page.end - page.start, 3: page.first} for page in pages]
            _require(index.get(1) == wanted, "an index of pages names other pages")
            lengths = [_text_bytes(one) for one in rows]
            _require(index.get(2, lengths) == lengths, "an index of pages counts other sizes")

    def _index(self, chunk: Struct, field: int, form: Form) -> Struct | None:
        """Return an index that lies outside of the pages: where it begins and how long it is are two fields."""
        if field not in chunk and field + 1 not in chunk:
            return None
        start, end = chunk.get(field, -1), chunk.get(field, -1) + chunk.get(field + 1, -1)
        _require(len(MARK) <= start < end <= self.end, "an index lies outside of the file")
        reader = Reader(self.content, start, end)
        found = reader.struct(form, "an index")
        _require(reader.place == end, "an index is followed by other bytes")
        self.parts.append((start, end))
        return found

    def _cover(self) -> None:
        """Refuse bytes outside of the parts; behind its pages, a column may be described once more."""
        place = 0
        for start, end in [*sorted(self.parts), (self.end, self.end)]:
            if start > place:
                reader = Reader(self.content, place, start)
                again = place in self.described and reader.struct(ABOUT, "a column") == self.described[place]
                _require(again and reader.place == start, "it holds bytes that belong to no column")
            _require(start >= place, "parts of it lie in the same place")
            place = end


def _start(about: Struct) -> int:
    return int(about[11 if 11 in about else 9])


def _page(head: Struct, body: bytes, chunk: parquet_pages.Chunk) -> tuple[int, int, pl.Series | None]:
    """Check a page and return its kind, its encoding and the published values of its rows."""
    kind, size = int(head.get(1, -1)), int(head.get(2, -1))
    fields = {DATA_PAGE: 5, DICTIONARY_PAGE: 7, DATA_PAGE_V2: 8}
    _require(
        kind in fields and set(head) - {4} == {1, 2, 3, fields[kind]} and size >= 0, "a page is of an unknown kind"
    )
    about = head[fields[kind]]
    if kind == DICTIONARY_PAGE:
        _require(
            about.get(2) in (parquet_pages.PLAIN, parquet_pages.PLAIN_DICTIONARY),
            "a dictionary is encoded in an unusual form",
        )
        chunk.add_dictionary(parquet_pages.unpacked(body, chunk.codec, size), about.get(1, -1))
        return kind, about[2], None
    if kind == DATA_PAGE:
        _require(about.get(3) == 3 and about.get(4) == 3, "a page is encoded in an unusual form")
        raw = parquet_pages.unpacked(body, chunk.codec, size)
        levels, encoding = None, about.get(2, -1)
        if chunk.optional:
            length = 4 + int.from_bytes(raw[:4], "little")
            _require(length <= len(raw), "a page is shorter than it says")
            levels, raw = raw[4:length], raw[length:]
    else:
        length, encoding = about.get(5, 0), about.get(4, -1)
        _require(0 <= length <= min(len(body), size) and about.get(6) == 0, "a page is encoded in an unusual form")
        _require(chunk.optional or not length, "a page is encoded in an unusual form")
        levels = body[:length] if chunk.optional else None
        raw = parquet_pages.unpacked(body[length:], chunk.codec if about.get(7, True) else 0, size - length)
    rows = chunk.add_page(levels, raw, about.get(1, -1), encoding)
    if kind == DATA_PAGE_V2:
        _require(about.get(2) == rows.null_count() and about.get(3) == len(rows), "a page counts other rows")
    _check_statistics(about.get(5 if kind == DATA_PAGE else 8, {}), rows, chunk.values)
    return kind, encoding, rows


def _check_statistics(found: Struct, values: pl.Series, all_values: pl.Series | None = None) -> None:
    """Refuse statistics that are not those of the values, nor, of a page, the least and most of its whole column."""
    present = values.drop_nulls()
    _require(found.get(3, values.null_count()) == values.null_count(), "statistics count other missing values")
    _require(4 not in found or found[4] == present.n_unique(), "statistics count other values")
    _require(found.get(9, 0) == 0, "statistics count values that are not published")
    for place, is_fitting in ((1, _is_high), (2, _is_low), (5, _is_high), (6, _is_low)):
        fits = place not in found or any(
            len(one) and is_fitting(found[place], one)
            for one in (present, *(() if all_values is None else (all_values.drop_nulls(),)))
        )
        _require(fits, "statistics hold values that no published record has")


def _is_low(found: bytes, values: pl.Series) -> bool:
    """Say whether a statistic is the smallest value, or the beginning of it where it is long."""
    low = (
        values.rename("values").sort()[:1]
        if values.dtype == pl.Boolean
        else pl.Series([values.min()], dtype=values.dtype)
    )
    if parquet_pages.physical_type(values.dtype) == parquet_pages.TEXT:
        return parquet_pages.plain(low)[4:].startswith(found) and bool(found or not parquet_pages.plain(low)[4:])
    return found in _spellings(low)


def _is_high(found: bytes, values: pl.Series) -> bool:
    """Say whether a statistic is the largest value, or its beginning with the last byte raised where it is long."""
    high = pl.Series([values.max()], dtype=values.dtype)
    if parquet_pages.physical_type(values.dtype) != parquet_pages.TEXT:
        return found in _spellings(high)
    text = parquet_pages.plain(high)[4:]
    place = len(found) - 1
    raised = 0 < len(found) < len(text) and found[:-1] == text[:place] and found[-1] > text[place]
    return found == text or raised


def _spellings(value: pl.Series) -> tuple[bytes, ...]:
    """Return a number as statistics hold it; zero has two signs."""
    if parquet_pages.physical_type(value.dtype) in (parquet_pages.FLOAT, parquet_pages.DOUBLE) and not value[0]:
        return parquet_pages.plain(value.abs()), parquet_pages.plain(-value.abs())
    return (parquet_pages.plain(value),)


def _check_sizes(found: Struct, values: pl.Series) -> None:
    levels = [values.null_count(), len(values) - values.null_count()]
    _require(found.get(1, _text_bytes(values)) == _text_bytes(values), "statistics count other sizes")
    _require(not found.get(2) and found.get(3, levels) in (levels, []), "statistics count other levels")


def _text_bytes(values: pl.Series) -> int:
    return int(values.str.len_bytes().sum()) if values.dtype == pl.String else 0
