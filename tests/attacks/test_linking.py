"""Joining a published table with a register: who is found, and what is learned."""

from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.attacks.linkage import RegisterLinkageAttack
from krypsis.errors import ColumnError, DataError
from oracles.links import links_of_originals

JOBS = {"any": {"artist": ["writer", "dancer"], "professional": ["lawyer"]}}
LABELS = {"*": {"1", "2", "3", None}, "[1-2]": {"1", "2"}, "{2, 3}": {"2", "3"}, "1": {"1"}, "7": {"7"}, None: {None}}


def covers(label, row):
    return all(value in LABELS[one] for one, value in zip(label, row, strict=True))


def frame(rows, names):
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


labels = st.sampled_from(list(LABELS))
values = st.sampled_from(["1", "2", "3", None])


@given(
    published=st.lists(st.tuples(labels, labels, st.sampled_from(["flu", "hiv", None])), min_size=1, max_size=8),
    register=st.lists(st.tuples(values, values), min_size=1, max_size=6),
)
def test_it_finds_what_comparing_every_pair_finds(published, register):
    looks = [row[:2] for row in published]
    found = RegisterLinkageAttack(persons=frame(register, "ab"), known=["a", "b"], sensitive="s").find(
        frame(published, "abs")
    )
    assert found["matches"].to_list() == links_of_originals(register, looks, covers)
    for person, (_, value, share) in zip(register, found.rows(), strict=True):
        counts = Counter(row[2] for row in published if covers(row[:2], person))
        assert share == (max(counts.values()) / counts.total() if counts else None)
        assert not counts or counts[value] == max(counts.values())


def test_a_generalized_value_is_understood_by_its_hierarchy_and_refused_without_one_it_needs():
    published = pl.DataFrame({"job": ["artist", "artist", "lawyer"]})
    register = pl.DataFrame({"name": ["Ann", "Bob"], "job": ["writer", "lawyer"]})
    found = RegisterLinkageAttack(persons=register, known=["job"], hierarchies={"job": JOBS}).find(published)
    assert found.rows() == [(2,), (1,)]
    with pytest.raises(DataError, match="'artists'"):
        RegisterLinkageAttack(persons=register, known=["job"], hierarchies={"job": JOBS}).find(
            published.with_columns(job=pl.lit("artists"))
        )


def test_without_the_sensitive_attribute_only_matches_are_counted():
    table = pl.DataFrame({"age": ["30"], "disease": ["flu"]})
    assert RegisterLinkageAttack(persons=table, known=["age"]).find(table).columns == ["matches"]


@pytest.mark.parametrize(("published", "register"), [("zip", "age"), ("age", "zip")])
def test_a_column_that_one_side_lacks_is_named(published, register):
    with pytest.raises(ColumnError, match=r"column 'age' not found; columns: zip\."):
        RegisterLinkageAttack(persons=pl.DataFrame({register: ["1"]}), known=["age"]).find(
            pl.DataFrame({published: ["1"]})
        )
