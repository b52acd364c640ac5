"""The pages of a Parquet file, decoded without a library: their bytes follow from the values of a column."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO

import numpy as np
import numpy.typing as npt
import polars as pl

from krypsis.errors import Undecidable
from krypsis.format.thrift import Foreign, Reader, written
from krypsis.io.texts import PLAIN as NAME

Values = npt.NDArray[np.int64]

BOOLEAN, INT32, INT64, FLOAT, DOUBLE, TEXT = 0, 1, 2, 4, 5, 6
PLAIN, PLAIN_DICTIONARY, RLE, RLE_DICTIONARY = 0, 2, 3, 8
UNCOMPRESSED, SNAPPY, ZSTD = 0, 1, 6
FIXED_LENGTH = 7
ZSTD_FRAME = b"\x28\xb5\x2f\xfd"
BLOCKS = (32, 64, 256)
"""How many numbers programs pack at once."""
LARGEST_BLOCK = BLOCKS[-1]


def physical_type(dtype: pl.DataType) -> int:
    """Return the type in which Parquet stores a published column."""
    if dtype == pl.String:
        return TEXT
    if dtype.is_float():
        return FLOAT if dtype == pl.Float32 else DOUBLE
    if dtype == pl.Boolean:
        return BOOLEAN
    return INT64 if dtype in (pl.Int64, pl.UInt64, pl.Time) or isinstance(dtype, pl.Datetime) else INT32


def plain(values: pl.Series) -> bytes:
    """Return values, none of them missing, as a page of the encoding PLAIN holds them."""
    kind = physical_type(values.dtype)
    if kind == TEXT:
        return _plain_texts(values)
    if kind == BOOLEAN:
        return np.packbits(values.to_numpy(), bitorder="little").tobytes()
    if kind in (FLOAT, DOUBLE):
        return values.to_numpy().astype("<f4" if kind == FLOAT else "<f8").tobytes()
    whole = values.to_physical()
    numbers = whole.to_numpy().view(np.int64) if whole.dtype == pl.UInt64 else whole.cast(pl.Int64).to_numpy()
    return numbers.astype("<i4" if kind == INT32 else "<i8").tobytes()


def _plain_texts(values: pl.Series) -> bytes:
    """Return texts one after the other, each after its length in four bytes."""
    lengths = values.str.len_bytes().to_numpy().astype(np.int64)
    starts = np.cumsum(lengths + 4) - lengths - 4
    out = np.zeros(int(lengths.sum()) + 4 * len(lengths), dtype=np.uint8)
    is_text = np.ones(len(out), dtype=np.bool_)
    sizes = lengths.astype("<u4").view(np.uint8).reshape(-1, 4)
    for place in range(4):
        out[starts + place] = sizes[:, place]
        is_text[starts + place] = False
    out[is_text] = np.frombuffer("".join(values.to_list()).encode(), dtype=np.uint8)
    return out.tobytes()


@dataclass
class Chunk:
    """A column of a group of rows, and what its pages have shown so far."""

    values: pl.Series
    optional: bool
    codec: int
    rows: int = 0
    """How many rows the pages so far have held."""
    dictionary: pl.Series | bytes | None = None
    count: int = 0
    """How many values the dictionary has."""
    used: set[int] = field(default_factory=set)

    def add_dictionary(self, raw: bytes, count: int) -> None:
        """Take the dictionary page, which must hold different values and nothing else."""
        if self.dictionary is not None or self.rows:
            raise Foreign("a column has a dictionary in an unusual place")
        if physical_type(self.values.dtype) == TEXT:
            texts = list(_texts(raw))
            self.dictionary = pl.Series(NAME, texts, dtype=pl.String)
            entries: list[object] = list(texts)
        else:
            width = len(plain(self.values.drop_nulls()[:1])) or 1
            if physical_type(self.values.dtype) == BOOLEAN or len(raw) % width:
                raise Foreign("a dictionary is longer than its values")
            self.dictionary = raw
            entries = [raw[place : place + width] for place in range(0, len(raw), width)]
        if len(entries) != count or len(set(entries)) != count:
            raise Foreign("a dictionary holds values that are not counted, or one twice")
        self.count = count

    def add_page(self, levels: bytes | None, raw: bytes, count: int, encoding: int) -> pl.Series:
        """Take a data page and return the published values of its rows, after making sure that it holds just them."""
        rows = self.values.slice(self.rows, max(count, 0))
        if len(rows) != count:
            raise Foreign("pages hold more rows than are published")
        self.rows += count
        if levels is not None and not np.array_equal(hybrid(levels, 1, count), rows.is_not_null().to_numpy()):
            raise Foreign("a page misses other values than are published")
        if levels is None and rows.null_count():
            raise Foreign("a page misses other values than are published")
        present = rows.drop_nulls()
        if encoding in (RLE_DICTIONARY, PLAIN_DICTIONARY):
            self._check_indices(raw, present)
        elif encoding == RLE and physical_type(rows.dtype) == BOOLEAN:
            if raw[:4] != (len(raw) - 4).to_bytes(4, "little"):
                raise Foreign("a page has another length than it says")
            if not np.array_equal(hybrid(raw[4:], 1, len(present)), present.to_numpy()):
                raise Foreign("a page holds other values than are published")
        elif encoding != PLAIN:
            raise Undecidable(f"values are encoded in a form (number {encoding}) that this version cannot look into")
        elif raw != plain(present):
            raise Foreign("a page holds more than its published values")
        return rows

    def _check_indices(self, raw: bytes, present: pl.Series) -> None:
        if self.dictionary is None:
            raise Foreign("a page needs a dictionary that is not there")
        if not len(present) and not raw:
            return
        if not raw or raw[0] > max(self.count.bit_length(), 1):
            raise Foreign("a page of places in a dictionary is damaged")
        places = hybrid(raw[1:], raw[0], len(present))
        if places.max(initial=-1) >= self.count:
            raise Foreign("a page points outside of its dictionary")
        if not len(present):
            return
        self.used.update(np.unique(places).tolist())
        if isinstance(self.dictionary, bytes):
            entries = np.frombuffer(self.dictionary, dtype=np.uint8).reshape(self.count, -1)
            same = entries[places].tobytes() == plain(present)
        else:
            same = self.dictionary.gather(places).equals(present.rename(NAME))
        if not same:
            raise Foreign("a page holds other values than are published")

    def finish(self) -> None:
        """Refuse what is left: rows without a page, and values of the dictionary that no row has."""
        if self.rows != len(self.values):
            raise Foreign("pages hold fewer rows than are published")
        if self.dictionary is not None and len(self.used) != self.count:
            raise Foreign("a dictionary holds values that no published record has")


def _texts(raw: bytes) -> Iterator[str]:
    reader = Reader(raw)
    while reader.place < reader.end:
        text = reader.bytes(int.from_bytes(reader.bytes(4), "little"))
        try:
            yield text.decode()
        except UnicodeDecodeError:
            raise Foreign("a dictionary holds what is no text") from None


def hybrid(raw: bytes, width: int, count: int) -> Values:
    r"""Return numbers in runs of equal ones and runs of packed ones; refuse any bits that stand for none of them.

    Examples
    --------
    >>> hybrid(b"\x06\x01\x03\x05", 1, 8).tolist()
    [1, 1, 1, 1, 0, 1, 0, 0]
    """
    reader, found, left = Reader(raw), [np.zeros(0, dtype=np.int64)], count
    packed_before = [np.zeros(LARGEST_BLOCK, dtype=np.int64)]
    while left:
        head = reader.varint()
        number = head >> 1
        if head & 1:
            packed = np.frombuffer(reader.bytes(number * width), dtype=np.uint8)
            bits = np.unpackbits(packed, bitorder="little").reshape(number * 8, width)
            values = bits.astype(np.int64) @ (1 << np.arange(width, dtype=np.int64))
            packed_before.append(values)
            if not number or not _is_filled(packed_before, len(values) - left):
                raise Foreign("a page holds packed numbers that belong to no row")
            values = values[:left]
        else:
            value = int.from_bytes(reader.bytes((width + 7) // 8), "little")
            if not 1 <= number <= left or value >> width:
                raise Foreign("a page holds a run of numbers that belong to no row")
            values = np.full(number, value, dtype=np.int64)
        found.append(values)
        left -= len(values)
    if reader.place != reader.end:
        raise Foreign("a page holds bytes behind its numbers")
    return np.concatenate(found)


def _is_filled(packed: list[Values], more: int) -> bool:
    """Say whether a last run is filled up with nothing: with zeros, or with what a block held before this one.

    Programs pack numbers in blocks of a fixed length, and some leave in the rest of the last one what stood there.
    """
    if more <= 0:
        return True
    if more >= LARGEST_BLOCK:
        return False
    every = np.concatenate(packed)
    rest = every[-more:]
    return not rest.any() or any(
        more < block and np.array_equal(rest, every[len(every) - more - block : len(every) - block]) for block in BLOCKS
    )


def unpacked(body: bytes, codec: int, size: int) -> bytes:
    """Return the content of a page, which must be all that its packed bytes hold."""
    if codec == ZSTD:
        _check_frame(body, size)
    elif codec == SNAPPY:
        if Reader(body).varint() != size or (not size and len(body) > 1):
            raise Foreign("a page has another size than it says")
    elif codec != UNCOMPRESSED:
        raise Undecidable(f"pages are packed in a form (number {codec}) that this version cannot look into")
    if codec != UNCOMPRESSED and not size:
        return b""
    found = body if codec == UNCOMPRESSED else _read_packed(body, codec, size)
    if len(found) != size:
        raise Foreign("a page has another size than it says")
    return found


def _check_frame(body: bytes, size: int) -> None:
    """Refuse packed bytes that are not one frame of Zstandard without empty blocks: they may hold anything."""
    reader = Reader(body)
    if reader.bytes(4) != ZSTD_FRAME:
        raise Foreign("a page is packed in more than one piece")
    flags = reader.bytes(1)[0]
    is_single = bool(flags & 32)
    if flags & 0b11011:
        raise Foreign("a page is packed with a dictionary, or in an unknown form")
    if not is_single:  # then the content is larger than the window, whose size is a power of two
        window = reader.bytes(1)[0]
        if not flags >> 6 or window & 7 or 1 << (10 + (window >> 3)) >= size:
            raise Undecidable("pages are packed in a form of Zstandard that this version cannot look into")
    if int.from_bytes(reader.bytes((1, 2, 4, 8)[flags >> 6]), "little") != size - 256 * (flags >> 6 == 1):
        raise Foreign("a page has another size than it says")
    is_last, blocks = False, 0
    while not is_last:
        head = int.from_bytes(reader.bytes(3), "little")
        is_last, kind, length = bool(head & 1), head >> 1 & 3, head >> 3
        if kind == 3 or (not length and (not is_last or kind)) or (not size and (blocks or length)):
            raise Foreign("a page is packed with blocks that hold nothing of it")
        reader.bytes(1 if kind == 1 else length)
        blocks += 1
    reader.bytes(4 if flags & 4 else 0)
    if reader.place != reader.end:
        raise Foreign("a page is packed in more than one piece")


def _read_packed(body: bytes, codec: int, size: int) -> bytes:
    """Return what packed bytes hold: they are read as the only value of a small Parquet file made around them."""
    page = written({1: 0, 2: size, 3: len(body), 5: {1: 1, 2: PLAIN, 3: RLE, 4: RLE}}) + body
    column = {
        1: FIXED_LENGTH,
        2: [PLAIN],
        3: [b"a"],
        4: codec,
        5: 1,
        6: len(page) - len(body) + size,
        7: len(page),
        9: 4,
    }
    schema = [{4: b"root", 5: 1}, {1: FIXED_LENGTH, 2: size, 3: 0, 4: b"a"}]
    group = {1: [{2: 4, 3: column}], 2: size, 3: 1}
    footer = written({1: 1, 2: schema, 3: 1, 4: [group]})
    file = b"PAR1" + page + footer + len(footer).to_bytes(4, "little") + b"PAR1"
    try:
        return bytes(pl.read_parquet(BytesIO(file)).item())
    except (pl.exceptions.PolarsError, OSError):
        raise Foreign("a page cannot be unpacked") from None
