import datetime as dt

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.data.hierarchies.resolve import resolve
from krypsis.io.dataset import Dataset
from krypsis.io.read import read_table
from krypsis.io.texts import distinct
from krypsis.kinds.table.profile.column import profile_column
from krypsis.kinds.table.profile.propose import propose_hierarchy


def proposed(name, values):
    dataset = Dataset.of(pl.DataFrame({name: values}))
    texts = dataset.collect_texts(name)
    spec = propose_hierarchy(profile_column(name, texts), dataset)
    return spec, resolve(spec, distinct(texts), name)


@pytest.mark.parametrize(
    ("name", "values", "spec"),
    [
        ("age", list(range(17, 91)), {"kind": "intervals", "width": 5}),
        ("year", list(range(1900, 2000)), {"kind": "intervals", "width": 5}),
        ("amount", [number / 100 for number in range(100)], {"kind": "intervals", "width": 0.05}),
        ("income", [number * 997 for number in range(100)], {"kind": "intervals", "width": 5000}),
        ("born", [dt.date(1990, 1, 1 + day) for day in range(20)], {"kind": "dates"}),
        ("born", ["31/12/1999", "01/02/2003"], {"kind": "dates", "format": "dd/mm/yyyy"}),
        ("zip", ["10115", "10117", "20095", "50667", "50668", "80331"], {"kind": "masking", "side": "right"}),
        ("zip", [10115, 10117, 20095, 50667, 50668, 80331], {"kind": "masking", "side": "right"}),
        ("τκ", ["11521", "11522", "10431", "54621", "54622", "85100"], {"kind": "masking", "side": "right"}),
        ("code", ["AB12", "AB13", "AC01", "BA77", "BB78", "CC01"], {"kind": "masking", "side": "right"}),
        ("sex", ["m", "f"], {"kind": "flat"}),
        ("smoker", [True, False], {"kind": "flat"}),
        ("job", ["cook", "smith", "nurse", "clerk", "judge", "pilot"], {"kind": "flat"}),
        ("city", [f"{letter}-town" for letter in "abcdefghijklmnopqrstuvwxyz"], {"kind": "flat"}),
        ("born", [f"{day} Mar 1990" for day in range(1, 20)], {"kind": "dates", "format": "%d %b %Y"}),
        ("born", ["March 1, 1990", "May 17, 1991"], {"kind": "dates", "format": "%B %d, %Y"}),
    ],
)
def test_the_proposal_fits_the_values(name, values, spec):
    assert proposed(name, values)[0] == spec


def test_a_few_far_away_numbers_do_not_widen_the_intervals():
    assert proposed("age", [*range(20, 80), *range(20, 80), 9999])[0] == {"kind": "intervals", "width": 5}


@pytest.mark.parametrize(
    "values", [list(range(18, 90)), [number / 7 for number in range(1000)], [-5, 0, 3, 900, 17, 4]]
)
def test_numbers_get_three_to_five_levels(values):
    assert 3 <= proposed("x", values)[1].height <= 5


def test_no_proposal_publishes_the_ends_of_groups():
    values = [f"{1 + number % 28}/{1 + number % 12}/{40 + number % 59}" for number in range(300)]
    spec, hierarchy = proposed("dob", values)
    assert spec == {"kind": "flat"}
    assert hierarchy.labels[1:] == (("*",),)


VALUES = st.one_of(
    st.lists(st.none() | st.integers(-(10**17), 10**17), min_size=1),
    st.lists(st.none() | st.integers(0, 120), min_size=1),
    st.lists(st.none() | st.floats(allow_nan=True, allow_infinity=True), min_size=1),
    st.lists(st.none() | st.dates(dt.date(1000, 1, 1)), min_size=1),
    st.lists(st.none() | st.datetimes(dt.datetime(1000, 1, 1)), min_size=1),  # noqa: DTZ001
    st.lists(st.none() | st.booleans(), min_size=1),
    st.lists(st.none() | st.text(max_size=30), min_size=1),
    st.lists(st.none() | st.text("0123456789", min_size=5, max_size=5), min_size=1),
    st.lists(st.none() | st.dates(dt.date(1000, 1, 1)).map(lambda day: day.strftime("%d.%m.%Y")), min_size=1),
    st.lists(st.none() | st.dates(dt.date(1000, 1, 1)).map(lambda day: day.strftime("%d %b %Y")), min_size=1),
    st.lists(st.none() | st.dates(dt.date(1000, 1, 1)).map(lambda day: day.strftime("%B %d, %Y")), min_size=1),
    st.lists(st.none() | st.from_regex(r"[ +-]?[0-9.]{1,6}(e-?[0-9]{1,3})?", fullmatch=True), min_size=1),
)


@given(name=st.sampled_from(["x", "age", "zip", "phone", "date", "city"]), values=VALUES)
def test_every_proposal_can_be_built_on_its_own_column(name, values):
    hierarchy = proposed(name, values)[1]
    assert hierarchy.height >= 1


@pytest.mark.data
@pytest.mark.parametrize("table", ["adult", "cmc", "cahousing", "italia", "fars_subset"])
def test_every_proposal_for_public_tables_can_be_built(data_folder, table):
    dataset = Dataset.of(read_table(data_folder / "relational" / table / f"{table}.csv"))
    for name in dataset.columns:
        texts = dataset.collect_texts(name)
        spec = propose_hierarchy(profile_column(name, texts), dataset)
        assert resolve(spec, distinct(texts), name).height >= 1
