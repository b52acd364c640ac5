"""Values of every published type are written so that the checker reads exactly them, in both formats."""

import tempfile
from datetime import date, datetime
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import krypsis
from krypsis.data.schema import Schema
from krypsis.format.claims import TYPES
from krypsis.kinds.table.make import release_of
from krypsis.release.release import Release

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
MOMENTS = st.datetimes(datetime(1700, 1, 1), datetime(2200, 1, 1))  # noqa: DTZ001  published moments have no zone


def values_of(dtype):
    if dtype.is_integer():
        low, high = (pl.select(bound).item() for bound in (dtype.min(), dtype.max()))
        return st.integers(low, high)
    if dtype.is_float():
        return st.floats(width=32 if dtype == pl.Float32 else 64, allow_nan=False, allow_infinity=False)
    if isinstance(dtype, pl.Datetime):
        return MOMENTS.map(lambda one: one.replace(microsecond=one.microsecond // 1000 * 1000))
    kinds = {pl.Boolean: st.booleans(), pl.Date: st.dates(date(1, 1, 2)), pl.Time: st.times()}
    return kinds.get(type(dtype), TEXTS)


@pytest.mark.parametrize("name", TYPES)
@settings(max_examples=10)
@given(data=st.data())
def test_the_checker_accepts_what_the_writer_writes_of_every_type(name, data):
    dtype = TYPES[name]
    found = data.draw(st.lists(st.none() | values_of(dtype), min_size=2, max_size=6))
    table = pl.DataFrame({"sex": ["*"] * len(found), "value": pl.Series(found, dtype=dtype, strict=False)})
    release = release_of(table, Schema.of({"sex": "QI", "value": "sensitive"}), promises=("k-anonymity:k=2",))
    with tempfile.TemporaryDirectory() as place:
        folder = release.save(Path(place, "release"), ["csv", "parquet"]).folder
        alone = release.save(Path(place, "alone")).folder
        assert all((*krypsis.check(folder), *krypsis.check(alone)))
        assert sorted(Release.load(alone).table.rows(), key=repr) == sorted(release.table.rows(), key=repr)
