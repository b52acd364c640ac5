"""A label is compared with the values of everybody, however many labels there are."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from krypsis.checker.coverage import coverage_of
from krypsis.errors import DataError
from krypsis.kinds.history import check as membership

NUMBERS = st.sampled_from(["0", "3", "-3", "03", "5", "5.0", "5.5", "12", "1e1", None])
RANGES = st.tuples(st.integers(-4, 6), st.sampled_from(["-", " to "]), st.integers(6, 12)).map(
    lambda ends: f"[{ends[0]}{ends[1]}{ends[2]}]"
)
LABELS = st.one_of(RANGES, st.sampled_from(["*", "[3-3]", "[5-12)", "(3-5]", "[0.5-5.5]", "{3, 5}", ">=3"]))


@given(st.lists(st.tuples(LABELS, NUMBERS), min_size=1, max_size=8))
def test_labels_compared_all_at_once_cover_what_each_of_them_covers(pairs):
    labels, values = ([*column] for column in zip(*pairs, strict=True))
    texts = pl.Series(labels, dtype=pl.String), pl.Series(values, dtype=pl.String)
    own = {label: [value for other, value in pairs if other == label] for label in labels}
    inside = {label: list(dict.fromkeys(found)) for label, found in own.items()}
    try:
        rows = {label: coverage_of([label], found, "age")[0] for label, found in inside.items()}
    except DataError:  # a set of none of these values
        return
    expected = [not rows[label][inside[label].index(value)] for label, value in pairs]
    assert membership._uncovered(*texts, "age", None).tolist() == expected


def test_one_value_outside_of_its_range_is_found_among_ten_thousand_ranges():
    values = [str(number) for number in range(10_000)]
    labels = [f"[{number}-{number + 1}]" for number in range(10_000)]
    for place in (1, 5_001, 9_999):
        moved = [*values]
        moved[place] = "77777"
        wrong = membership._uncovered(pl.Series(labels), pl.Series(moved), "age", None)
        assert wrong.nonzero()[0].tolist() == [place]
