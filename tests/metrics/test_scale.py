"""Labels are read all at once, with the same result as one by one."""

import datetime as dt

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from krypsis.metrics.scale import Scale, bounds_of, bounds_of_labels, numbers_of

NUMBERS = st.one_of(
    st.integers(-(10**20), 10**20).map(str),
    st.decimals(-(10**6), 10**6, places=3).map(str),
    st.sampled_from(["1e3", "1e-401", "1e400", "+5", ".5", "5.", " 7 ", "-0", "9" * 399, "٣", "inf", "nan"]),
)
RANGES = st.tuples(
    st.sampled_from(["[", "(", ""]),
    NUMBERS,
    st.sampled_from(["-", " to ", ", ", ",", "–"]),
    NUMBERS,
    st.sampled_from([")", "]", "", ") (mean 3)"]),
).map("".join)
LABELS = st.one_of(st.none(), NUMBERS, RANGES, st.sampled_from(["[31]", ">=65", "<3", "*", "3202*", "flu", "", "1--5"]))


@given(st.lists(LABELS, max_size=6))
@example(["[1-3] (mean 2)", "\x1c5", "31\n", None])
def test_labels_read_all_at_once_have_the_bounds_that_each_has_alone(labels):
    alone = [bounds_of(label) or (np.nan, np.nan) for label in labels]
    assert np.array_equal(bounds_of_labels(labels), np.reshape(np.array(alone, dtype=float), (-1, 2)), equal_nan=True)


@given(st.lists(st.datetimes(dt.datetime(1, 1, 1), dt.datetime(9999, 1, 1)), min_size=1, max_size=5), st.data())  # noqa: DTZ001
def test_dates_and_times_keep_their_distances_however_they_are_written(moments, data):
    moments = [moment.replace(microsecond=0) for moment in moments]
    written = [moment.isoformat(sep) if (sep := data.draw(st.sampled_from(["T", " "]))) else "" for moment in moments]
    found = numbers_of([*written, None])
    expected = [(moment - dt.datetime(1970, 1, 1)).total_seconds() for moment in moments]  # noqa: DTZ001
    assert found.tolist()[:-1] == expected
    assert np.isnan(found[-1])


@pytest.mark.parametrize("odd", ["2024-02-30", "0000-01-01", "2024-01-01T24:00:01", "2024-01-01T10:00:60", "flu", "07"])
def test_one_value_that_is_no_number_and_no_date_makes_a_column_of_categories(odd):
    assert numbers_of(["2024-01-01", odd]) is None
    assert numbers_of(["5", odd]) is None


def test_the_widths_of_the_largest_and_the_smallest_numbers_are_shares():
    assert Scale(-1.7e308, 1.7e308).widths(np.array([[-1.7e308, 0], [0, np.inf]])).tolist() == [0.5, 0.5]
    assert Scale(0, 5e-324).widths(np.array([[0, 5e-324]])).tolist() == [0]
