"""Columns that lie in a table of their own: put at the right records, and nobody is forgotten."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.errors import DataError
from krypsis.io.dataset import Dataset
from krypsis.kinds.table.plan import with_private_columns

PEOPLE = Dataset.of(pl.DataFrame({"id": [7, 8, None], "ward": ["a", "a", "b"]}))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=15), st.dictionaries(st.integers(0, 9), st.sampled_from("xyz")))
def test_every_record_gets_what_is_told_of_its_person(persons, told):
    told = {person: value for person, value in told.items() if person in persons}
    if not told:
        return
    private = pl.DataFrame({"node": list(told.values()), "id": [str(person) for person in told]})
    found = with_private_columns(Dataset.of(pl.DataFrame({"id": persons})), private).collect()
    assert found.rows() == [(person, told.get(person)) for person in persons]


def test_two_columns_may_say_whose_record_it_is_and_a_missing_one_is_a_value():
    private = pl.DataFrame({"id": [None, "7"], "ward": ["b", "a"], "node": ["x", "y"]})
    assert with_private_columns(PEOPLE, private).collect_column("node").to_list() == ["y", None, "x"]


def test_without_such_a_column_the_order_says_it():
    assert with_private_columns(PEOPLE, pl.DataFrame({"node": ["x", None, "z"]})).collect_column("node").to_list() == [
        "x",
        None,
        "z",
    ]


@pytest.mark.parametrize(
    ("private", "words"),
    [
        ({"id": ["7", "7"], "node": ["x", "y"]}, "has several records for id=7; give one for each person"),
        ({"id": ["7", "70"], "node": ["x", "y"]}, r"1 record\(s\) of persons who are not in the data, such as id=70"),
        ({"node": ["x", "y"]}, "has 2 records and the data 3, and no column says whose they are.*id, ward"),
        ({"id": ["7"]}, "has no column that the data does not have; its columns: id"),
    ],
)
def test_what_would_make_a_wish_void_is_refused(private, words):
    with pytest.raises(DataError, match=words):
        with_private_columns(PEOPLE, pl.DataFrame(private))
