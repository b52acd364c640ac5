"""Numbers in place of texts."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from krypsis.io.texts import numbered

ODD = st.sampled_from(["0", "-0", "+1", "1", "01", " 1", "1 ", "-1", "10", "9", "", "x", "1e1", "٣", None, "9" * 25])
COLUMNS = st.lists(st.lists(ODD | st.integers(-30, 30).map(str), max_size=8), min_size=1, max_size=3)


@given(
    columns=COLUMNS | st.lists(st.lists(st.integers(0, 20).map(str) | st.none(), max_size=8), min_size=1, max_size=3)
)
def test_texts_have_the_same_number_exactly_if_they_are_the_same(columns):
    series = [pl.Series(column, dtype=pl.String) for column in columns]
    numbers, limit = numbered(series)
    assert [len(one) for one in numbers] == [len(column) for column in columns]
    texts = [text for column in columns for text in column]
    found = [number for one in numbers for number in one.tolist()]
    assert all(0 <= number < limit for number in found)
    pairs = set(zip(texts, found, strict=True))
    assert len(pairs) == len({text for text, _ in pairs}) == len({number for _, number in pairs})
