from collections import Counter
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.io.dataset import Dataset
from krypsis.kinds.table.profile import table as module
from krypsis.kinds.table.profile.table import Encoded, measure, profile_table


def by_hand(rows):
    """Uniqueness, smallest group and separation from the definition, pair of records by pair."""
    counts = Counter(rows)
    pairs = list(combinations(rows, 2))
    return (
        sum(1 for row in rows if counts[row] == 1) / len(rows),
        min(counts.values()),
        sum(1 for left, right in pairs if left != right) / len(pairs) if pairs else 0.0,
    )


@given(st.lists(st.tuples(*[st.sampled_from(["a", "b", "c", None])] * 3), min_size=1, max_size=25))
def test_pairs_and_triples_are_those_of_comparing_by_hand(rows):
    names = ["age", "sex", "zip"]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    profile = profile_table(Dataset.of(frame))
    for found in (*profile.pairs, *profile.triples):
        places = [names.index(name) for name in found.columns]
        expected = by_hand([tuple(row[place] for place in places) for row in rows])
        assert (found.unique_share, found.smallest_group, found.separation) == pytest.approx(expected)


def test_groups_are_counted_the_same_with_few_and_with_many_possible_keys(monkeypatch):
    draw = np.random.default_rng(1)
    sizes = (7, 300, 50_000)
    columns = {
        name: Encoded(draw.integers(0, size, 500).astype(np.int32), size, 1.0)
        for name, size in zip("abc", sizes, strict=True)
    }
    rows = list(zip(*(columns[name].codes.tolist() for name in "abc"), strict=True))
    expected = by_hand(rows)
    for space in (2**62, 10_000_000, 10):
        monkeypatch.setattr(module, "KEY_SPACE", space)
        found = measure("abc", columns)
        assert (found.unique_share, found.smallest_group, found.separation) == pytest.approx(expected)


def test_the_most_identifying_combination_comes_first():
    frame = pl.DataFrame(
        {
            "sex": ["m", "f"] * 50,
            "age": [str(age) for age in range(25) for _ in range(4)],
            "city": ["x", "x", "y", "y"] * 25,
        }
    )
    profile = profile_table(Dataset.of(frame))
    assert set(profile.triples[0].columns) == {"sex", "age", "city"}
    assert profile.triples[0].unique_share == 1.0
    assert [found.unique_share for found in profile.pairs] == sorted(
        (found.unique_share for found in profile.pairs), reverse=True
    )


def test_identifiers_constants_and_empty_columns_are_not_combined():
    frame = pl.DataFrame(
        {
            "name": [f"n{row}" for row in range(20)],
            "visit_number": list(range(20)),
            "country": ["GR"] * 20,
            "note": [None] * 20,
            "disease": ["flu", "cold"] * 10,
            "age": [30, 40] * 10,
            "zip": ["1", "2", "3", "4"] * 5,
        }
    )
    profile = profile_table(Dataset.of(frame))
    assert sorted(profile.candidates) == ["age", "zip"]
    assert [found.columns for found in profile.pairs] == [("zip", "age")]
    assert profile.triples == ()


def test_a_wide_table_says_what_was_left_out():
    draw = np.random.default_rng(0)
    frame = pl.DataFrame({f"c{number}": draw.integers(0, 5, 200) for number in range(30)})
    profile = profile_table(Dataset.of(frame))
    assert len(profile.candidates) == 15
    assert any("15 of 30 columns" in note for note in profile.notes)


def test_a_long_table_is_not_sampled_and_says_which_combinations_were_left_out(monkeypatch):
    monkeypatch.setattr(module, "WORK", 1000)
    draw = np.random.default_rng(0)
    frame = pl.DataFrame({f"c{number}": draw.integers(0, 2 + number, 500) for number in range(12)})
    profile = profile_table(Dataset.of(frame))
    assert any("20 of 66 pairs" in note for note in profile.notes)
    assert any("20 of 220 triples" in note for note in profile.notes)
    assert {"c11", "c10"} <= set(profile.triples[0].columns) | set(profile.triples[1].columns)


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"age": [5]}),
        pl.DataFrame({"a": [None, None]}),
        pl.DataFrame({"a": [None, 1], "b": ["x", "x"], "c": [1.5, float("nan")]}),
    ],
    ids=["one cell", "all missing", "odd"],
)
def test_tiny_and_odd_tables_have_a_profile(frame):
    profile = profile_table(Dataset.of(frame))
    assert profile.rows == frame.height
    assert len(profile.columns) == frame.width


def test_row_order_changes_nothing():
    draw = np.random.default_rng(3)
    frame = pl.DataFrame({name: draw.integers(0, 9, 300) for name in ("age", "zip", "sex", "hours")})
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=1)
    assert profile_table(Dataset.of(frame)) == profile_table(Dataset.of(shuffled))


@pytest.mark.parametrize("name", ["^s$", "^.*$", "*", "count", "text", "\ufeffx"], ids=ascii)
def test_a_column_of_any_name_has_a_profile(name):
    frame = pl.DataFrame({name: ["a", "b", "a", "b"], "s": ["x", "x", "y", "y"]})
    found = profile_table(Dataset.of(frame))
    assert [(column.name, column.distinct) for column in found.columns] == [(name, 2), ("s", 2)]
