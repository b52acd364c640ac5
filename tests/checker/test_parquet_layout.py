"""Parquet files of any writer hold their values and nothing else, or are refused."""

import datetime as dt
import io

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from krypsis.errors import KrypsisError, Undecidable
from krypsis.format.parquet_layout import check_layout
from krypsis.format.parquet_pages import SNAPPY, ZSTD, hybrid, unpacked
from krypsis.format.thrift import Foreign


def frame(rows, missing, seed=0):
    """A table with a column of each published type."""
    rng = np.random.default_rng(seed)
    there = rng.random((14, rows)) >= missing
    columns = {
        "few": (pl.String(), [["x", "y", "zebra é"][number] for number in rng.integers(0, 3, rows)]),
        "long": (pl.String(), [f"{'k' * number}{place}" for place, number in enumerate(rng.integers(60, 150, rows))]),
        "empty": (pl.String(), [None] * rows),
        "small": (pl.Int8(), rng.integers(-5, 5, rows).tolist()),
        "unsigned": (pl.UInt32(), rng.integers(0, 2**32, rows).tolist()),
        "large": (pl.UInt64(), [2**64 - 1 - number for number in rng.integers(0, 2**40, rows).tolist()]),
        "ascending": (pl.Int64(), list(range(rows))),
        "single": (pl.Float32(), rng.random(rows).tolist()),
        "double": (pl.Float64(), rng.choice([0.0, 1.5, -2.25], rows).tolist()),
        "true": (pl.Boolean(), (rng.random(rows) < 0.5).tolist()),
        "date": (
            pl.Date(),
            [dt.date(2000, 1, 1) + dt.timedelta(number) for number in rng.integers(0, 99, rows).tolist()],
        ),
        "moment": (
            pl.Datetime("us"),
            [dt.datetime(2000, 1, 1, number) for number in rng.integers(0, 24, rows).tolist()],  # noqa: DTZ001
        ),
        "time": (pl.Time(), [dt.time(number) for number in rng.integers(0, 24, rows).tolist()]),
        "half": (pl.Int64(), rng.integers(0, 700, rows).tolist()),
    }
    return pl.DataFrame(
        {
            name: pl.Series([value if here else None for value, here in zip(values, row, strict=True)], dtype=dtype)
            for (name, (dtype, values)), row in zip(columns.items(), there.tolist(), strict=True)
        }
    )


def of_polars(table, **options):
    target = io.BytesIO()
    table.write_parquet(target, **options)
    return target.getvalue()


def of_pyarrow(table, **options):
    target = io.BytesIO()
    pq.write_table(table.to_arrow(), target, **options)
    return target.getvalue()


WRITERS = {
    "polars": of_polars,
    "polars, small": lambda table: of_polars(table, row_group_size=70, compression="snappy", data_page_size=300),
    "polars, plain": lambda table: of_polars(table, compression="uncompressed", statistics="full"),
    "pyarrow": of_pyarrow,
    "pyarrow, second version": lambda table: of_pyarrow(
        table, data_page_version="2.0", compression="zstd", write_page_index=True, write_page_checksum=True
    ),
    "pyarrow, small": lambda table: of_pyarrow(table, compression="none", data_page_size=200, write_page_index=True),
}


@pytest.mark.parametrize("missing", [0, 0.1, 0.9])
@pytest.mark.parametrize("rows", [1, 7, 200, 5000])
@pytest.mark.parametrize("writer", WRITERS)
def test_files_of_any_writer_and_type_are_accounted_for(writer, rows, missing):
    table = frame(rows, missing)
    content = WRITERS[writer](table)
    assert pl.read_parquet(io.BytesIO(content)).equals(table)
    check_layout(content, table)


def test_a_table_without_records_is_accounted_for():
    table = frame(0, 0)
    check_layout(of_polars(table), table)


@pytest.mark.parametrize("writer", ["polars", "polars, plain"])
@settings(max_examples=examples(300), deadline=None)
@given(share=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_a_changed_bit_is_refused_unless_it_describes_the_same_values(writer, share, bit):
    """Only codes of types, encodings and orders, and the version of the writer, may differ; no value or name may."""
    table = frame(40, 0.1).select("few", "small", "true")
    clean = WRITERS[writer](table)
    place = int(share * len(clean))
    changed = bytearray(clean)
    changed[place] ^= 1 << bit
    try:
        check_layout(bytes(changed), table)
    except KrypsisError:
        return
    footer = len(clean) - 8 - int.from_bytes(clean[-8:-4], "little")
    assert place >= footer or clean[place] == 0  # the code of the plain encoding, or of no order


def test_other_values_than_those_that_were_read_are_refused():
    table = frame(40, 0.1)
    content = of_polars(table)
    for column in table:
        other = table.with_columns(column.reverse())
        if not other.equals(table):
            with pytest.raises(Foreign):
                check_layout(content, other)


FRAME = bytes.fromhex("28b52ffd2003190000") + b"Ann"
"""Three letters as one frame of Zstandard, not packed."""


def test_packed_bytes_are_one_frame_and_nothing_else():
    assert unpacked(FRAME, ZSTD, 3) == b"Ann"
    skipped = bytes.fromhex("502a4d1803000000") + b"flu"
    empty_block = bytes.fromhex("28b52ffd2003") + b"\2\0\0f" + FRAME[6:]
    for smuggled in (FRAME + skipped, skipped + FRAME, FRAME + FRAME, empty_block):
        with pytest.raises(Foreign):
            unpacked(smuggled, ZSTD, 3)
    with pytest.raises(Foreign):
        unpacked(b"\x03\x08Ann!", SNAPPY, 3)
    with pytest.raises(Undecidable):
        unpacked(b"", 2, 0)


def test_bits_that_stand_for_no_row_are_refused():
    assert hybrid(b"\x03\x05", 1, 3).tolist() == [1, 0, 1]
    for smuggled in (b"\x03\xf5", b"\x06\x03", b"\x08\x01", b"\x06\x01\x06", b"\x83\x00\x05", b"\x01\x06\x01"):
        with pytest.raises(Foreign):
            hybrid(smuggled, 1, 3)
