"""Columns as arrays and back."""

from datetime import date, datetime

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_series_equal

from krypsis.data.columns import NumericColumn
from krypsis.errors import DataError
from krypsis.io.columns import category_column, read_column, write_column

ROUND_TRIPS = [
    pl.Series("a", [1, 2, None], dtype=pl.UInt8),
    pl.Series("a", [-(2**53), 2**53]),
    pl.Series("a", ["1.50", "2.25", None]),
    pl.Series("a", ["1.5", "2", "3.25"]),
    pl.Series("a", ["0.1234567890123456", "1"]),
    pl.Series("a", ["-0.5", "-12"]),
    pl.Series("a", ["01234", "00001"]),
    pl.Series("a", ["2024-02-29", None, "1955-01-01"]),
    pl.Series("a", [date(1955, 1, 1), None]),
    pl.Series("a", [datetime(2024, 1, 1, 3, 4, 5, 123456), None]),  # noqa: DTZ001
    pl.Series("a", [0.1, 1 / 3, 1e300, -7.25, None]),
    pl.Series("a", [0.1, 2.5], dtype=pl.Float32),
    pl.Series("a", ["1.25", "10.00"]).cast(pl.Decimal(10, 2)),
    pl.Series("a", [True, None, False]),
    pl.Series("a", ["f", "m", None], dtype=pl.Categorical),
    pl.Series("a", [None, None], dtype=pl.String),
    pl.Series("^a.*$", ["x", "y"]),
]


@pytest.mark.parametrize("series", ROUND_TRIPS, ids=lambda series: f"{series.dtype} {series[0]}")
@pytest.mark.parametrize("works_on", ["both", "categories"])
def test_a_column_that_is_not_changed_comes_back_as_it_was(series, works_on):
    assert_series_equal(write_column(read_column(series, works_on), series), series)


@given(st.lists(st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False, width=32)), min_size=1))
def test_numbers_of_any_size_come_back(values):
    series = pl.Series("a", [*values, 1.0], dtype=pl.Float64)
    assert_series_equal(write_column(read_column(series, "numbers"), series), series)


@pytest.mark.parametrize(
    ("original", "expected"),
    [
        (pl.Series("a", [1, 2], dtype=pl.Int16), pl.Series("a", [-3, 8], dtype=pl.Int16)),
        (pl.Series("a", [1, 2], dtype=pl.UInt8), pl.Series("a", [-3, 8], dtype=pl.Int64)),
        (pl.Series("a", ["1", "2"]), pl.Series("a", ["-3", "8"])),
        (pl.Series("a", ["1.0", "2.5"]), pl.Series("a", ["-2.6", "7.5"])),
        (pl.Series("a", ["1.00", "2.5"]), pl.Series("a", ["-2.6", "7.54"])),
        (pl.Series("a", ["1970-01-02", "1980-01-01"]), pl.Series("a", ["1969-12-29", "1970-01-09"])),
        (pl.Series("a", [0.5, 2.0]), pl.Series("a", [-2.6, 7.5])),
    ],
)
def test_new_numbers_are_written_as_the_old_ones_were(original, expected):
    column = read_column(original, "numbers")
    changed = NumericColumn("a", np.array([-2.601, 7.54]), column.decimals)
    assert_series_equal(write_column(changed, original), expected)


def test_a_number_that_rounds_to_nothing_has_no_sign():
    series = pl.Series("a", ["1.0", "2.0"])
    assert write_column(NumericColumn("a", np.array([-0.01, 0.01]), 1), series).to_list() == ["0.0", "0.0"]


@pytest.mark.parametrize(
    ("series", "words"),
    [
        (pl.Series("pay", ["12", "none", "n/a"]), ["'pay'", "2 different", "'none'", "leave the cell empty"]),
        (pl.Series("pay", ["1,5"]), ["'1,5'"]),
        (pl.Series("zip", ["01234", "7"]), ["'zip'", "'01234'", "codes"]),
        (pl.Series("pay", [1.0, float("inf")]), ["'pay'", "infinite"]),
        (pl.Series("pay", [None, None], dtype=pl.Float64), ["'pay'", "no values"]),
        (pl.Series("pay", [float("nan")]), ["'pay'", "no values"]),
        (pl.Series("pay", ["", ""]), ["'pay'"]),
        (pl.Series("id", [2**60]), ["'id'", "exactly"]),
        (pl.Series("sick", [True]), ["'sick'", "Boolean"]),
        (pl.Series("list", [[1]]), ["'list'", "List"]),
        (pl.Series("when", ["2024-02-30"]), ["'when'", "2024-02-30"]),
    ],
)
def test_what_is_no_number_is_named(series, words):
    with pytest.raises(DataError) as caught:
        read_column(series, "numbers")
    assert all(word in str(caught.value) for word in words)


def test_categories_are_sorted_and_missing_comes_last():
    column = category_column(pl.Series("a", ["b", None, "a"]))
    assert column.labels == ("a", "b", None)
    assert column.codes.tolist() == [1, 2, 0]
