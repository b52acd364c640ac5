import datetime as dt
import decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import ColumnError, DataError, HierarchyError, UsageError
from krypsis.io.dataset import Dataset
from krypsis.io.texts import distinct, encode

MIDNIGHT = dt.datetime(2024, 3, 5)  # noqa: DTZ001
COLUMNS = {"age": [34, 51, 34], "zip": ["01234", None, ""]}


def relation():
    return duckdb.sql("select * from (values (34, '01234'), (51, null), (34, '')) as t(age, zip)")


@pytest.mark.parametrize(
    "make",
    [
        lambda: pl.DataFrame(COLUMNS),
        lambda: pl.LazyFrame(COLUMNS),
        lambda: pd.DataFrame(COLUMNS),
        lambda: pd.DataFrame(COLUMNS, index=pd.Index([7, 8, 9], name="patient")),
        lambda: pd.DataFrame(COLUMNS).convert_dtypes(),
        lambda: pa.table(COLUMNS),
        relation,
        lambda: Dataset(pl.DataFrame(COLUMNS), "given"),
    ],
    ids=["polars", "lazy", "pandas", "pandas with index", "pandas nullable", "pyarrow", "duckdb", "dataset"],
)
def test_tables_of_every_library_say_the_same(make):
    dataset = Dataset.of(make())
    assert dataset.columns == ["age", "zip"]
    assert sorted(zip(dataset.collect_texts("age"), dataset.collect_texts("zip"), strict=True), key=str) == [
        ("34", ""),
        ("34", "01234"),
        ("51", None),
    ]


@pytest.mark.parametrize("kind", [str, lambda path: path])
def test_a_path_is_read(tmp_path, kind):
    path = tmp_path / "patients.csv"
    path.write_text("age;zip\n34;01234\n")
    dataset = Dataset.of(kind(path))
    assert (dataset.name, dataset.path, dataset.collect().rows()) == ("patients.csv", path, [("34", "01234")])


def test_the_given_table_is_not_changed():
    given_frame = pd.DataFrame({"x": [1.5, float("nan")], "c": pd.Categorical(["a", None])}, index=[3, 4])
    before = given_frame.copy(deep=True)
    dataset = Dataset.of(given_frame)
    dataset.collect_texts("x")
    pd.testing.assert_frame_equal(given_frame, before)


def test_a_dataset_is_frozen():
    with pytest.raises(AttributeError):
        Dataset.of(pl.DataFrame(COLUMNS)).name = "other"


@pytest.mark.parametrize("data", [None, 5, [1, 2], {"a": [1]}, np.zeros((2, 2)), pl.Series([1]), object()])
def test_other_things_are_refused_with_what_is_accepted(data):
    with pytest.raises(UsageError, match="expected a polars, pandas or pyarrow table, a duckdb relation"):
        Dataset.of(data)


@pytest.mark.parametrize(
    "data", [pl.DataFrame(), pl.DataFrame({"a": []}), pd.DataFrame({"a": []}), pa.table({"a": []})]
)
def test_a_table_without_rows_is_refused(data):
    with pytest.raises(DataError, match="no rows"):
        Dataset.of(data)


@pytest.mark.parametrize(
    "data",
    [
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        pd.DataFrame([[1, 2]], columns=["1", 1]),
        pa.table([[1], [2]], names=["a", "a"]),
    ],
    ids=["pandas", "pandas text and number", "pyarrow"],
)
def test_columns_of_the_same_name_are_refused(data):
    with pytest.raises(DataError, match="same name"):
        Dataset.of(data)


def test_a_pandas_column_of_mixed_values_is_named():
    with pytest.raises(DataError, match="column 'zip' cannot be read"):
        Dataset.of(pd.DataFrame({"a": [1, 2], "zip": [1234, "01234"]}))


@pytest.mark.parametrize(
    ("values", "dtype", "texts"),
    [
        ([5, -3, None], pl.Int64, ["5", "-3", None]),
        ([2**64 - 1], pl.UInt64, ["18446744073709551615"]),
        ([5.0, 0.1, None, float("nan"), -0.0], pl.Float64, ["5", "0.1", None, None, "0"]),
        ([31.0, None, 1e15, -2.0], pl.Float64, ["31", None, "1000000000000000", "-2"]),
        ([1e300, float("inf"), 10.01], pl.Float64, ["1e+300", "inf", "10.01"]),
        ([0.1], pl.Float32, ["0.1"]),
        ([True, False, None], pl.Boolean, ["true", "false", None]),
        ([dt.date(2024, 3, 5), None], pl.Date, ["2024-03-05", None]),
        ([MIDNIGHT, None], pl.Datetime, ["2024-03-05", None]),
        (
            [MIDNIGHT, MIDNIGHT + dt.timedelta(hours=7, minutes=30, seconds=1.5)],
            pl.Datetime,
            ["2024-03-05T00:00:00", "2024-03-05T07:30:01.500"],
        ),
        ([dt.time(7, 30)], pl.Time, ["07:30:00"]),
        ([dt.timedelta(days=2)], pl.Duration, ["P2D"]),
        (["b", "a", None], pl.Categorical, ["b", "a", None]),
        (["b", "a", None], pl.Enum(["a", "b"]), ["b", "a", None]),
        ([decimal.Decimal("1.50")], pl.Decimal(10, 2), ["1.50"]),
        ([None, None], pl.Null, [None, None]),
        ([" x ", "", None], pl.String, [" x ", "", None]),
    ],
)
def test_values_of_every_type_have_one_text(values, dtype, texts):
    series = Dataset.of(pl.DataFrame({"x": pl.Series(values, dtype=dtype)})).collect_texts("x")
    assert series.dtype == pl.String
    assert series.to_list() == texts


def test_whole_numbers_of_pandas_with_a_missing_one_are_written_like_integers():
    texts = Dataset.of(pd.DataFrame({"age": [31, None, 40]})).collect_texts("age")
    assert texts.to_list() == ["31", None, "40"]


def test_moments_with_a_time_zone_keep_their_offset():
    frame = pl.DataFrame({"x": [dt.datetime(2024, 7, 1, tzinfo=dt.UTC)]})
    local = frame.with_columns(pl.col("x").dt.convert_time_zone("Europe/Athens"))
    assert Dataset.of(local).collect_texts("x").to_list() == ["2024-07-01T03:00:00+03:00"]


@given(st.lists(st.floats(allow_nan=False) | st.none(), min_size=1))
def test_the_text_of_a_number_is_the_number(values):
    texts = Dataset.of(pl.DataFrame({"x": pl.Series(values, dtype=pl.Float64)})).collect_texts("x")
    assert [None if text is None else float(text) for text in texts] == values


@pytest.mark.parametrize("values", [[[1, 2]], [{"a": 1}], [b"bytes"]])
def test_values_without_a_text_are_refused_with_the_column(values):
    with pytest.raises(DataError, match="column 'x' holds"):
        Dataset.of(pl.DataFrame({"x": values, "y": [1]})).collect_texts("x")


def test_an_unknown_column_is_refused_with_the_nearest():
    with pytest.raises(ColumnError, match="Did you mean 'age'"):
        Dataset.of(pl.DataFrame(COLUMNS)).collect_texts("agee")


LABELS = st.none() | st.text(max_size=3)


@given(st.lists(LABELS, min_size=1, unique=True), st.data())
def test_codes_are_the_places_of_the_values_in_the_hierarchy(values, data):
    hierarchy = Hierarchy.from_rows([[value, "*"] for value in values])
    rows = data.draw(st.lists(st.sampled_from(values), min_size=1))
    codes = encode(pl.Series(rows, dtype=pl.String), hierarchy, "x")
    assert codes.dtype == np.int32
    assert codes.tolist() == [values.index(row) for row in rows]


def test_values_that_the_hierarchy_lacks_are_listed():
    hierarchy = Hierarchy.from_rows([["a", "*"], ["b", "*"]])
    with pytest.raises(HierarchyError, match=r"'letter' lacks 2 value\(s\) of the data: 'x', 'y'"):
        encode(pl.Series(["a", "y", "x", "y", None]), hierarchy, "letter")


def test_missing_values_need_a_code_in_the_hierarchy():
    hierarchy = Hierarchy.from_rows([["a", "*"], ["b", "*"]])
    with pytest.raises(HierarchyError, match="missing value"):
        encode(pl.Series(["a", None]), hierarchy, "letter")
    assert encode(pl.Series(["a", None]), hierarchy.covering(["a", None], "letter"), "letter").tolist() == [0, 2]


def test_a_column_without_any_value_can_be_encoded():
    hierarchy = Hierarchy.from_rows([[None, "*"]])
    assert encode(pl.Series([None, None], dtype=pl.String), hierarchy, "x").tolist() == [0, 0]


@pytest.mark.parametrize(
    ("values", "ordered"),
    [
        (["10", "9", "-1", "9.5"], ["-1", "9", "9.5", "10"]),
        (["10", "9", "x"], ["10", "9", "x"]),
        (["b", None, "a", "", None], ["", "a", "b", None]),
        ([None, None], [None]),
        (["2", None, "10"], ["2", "10", None]),
    ],
)
def test_distinct_values_are_in_natural_order_with_missing_last(values, ordered):
    assert distinct(pl.Series(values, dtype=pl.String)) == ordered
