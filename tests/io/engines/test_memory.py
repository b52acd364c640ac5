"""The memory engine counts and rewrites a table in memory."""

from collections import Counter

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import FullDomain
from krypsis.data.schema import Schema
from krypsis.io.dataset import Dataset
from strategies import VALUES, hierarchies, tables


@given(tables(), st.data())
def test_the_frequency_set_counts_every_tuple_and_its_sensitive_values(table, data):
    roles = {name: "quasi-identifier" if name.startswith("q") else "sensitive" for name in table.columns}
    trees = {name: data.draw(hierarchies(VALUES)) for name in table.columns}
    frequency = Dataset.of(table).engine.count_tuples(Schema.of(roles), trees).frequency
    public = [name for name in table.columns if name.startswith("q")]
    tuples = [
        tuple(hierarchy.values[code] for hierarchy, code in zip(frequency.hierarchies, codes, strict=True))
        for codes in frequency.codes
    ]
    assert dict(zip(tuples, frequency.counts.tolist(), strict=True)) == Counter(table.select(public).rows())
    for name, histogram in frequency.sensitive.items():
        counted = {
            (*tuples[group], histogram.domain.values[value]): count
            for group, value, count in zip(histogram.group, histogram.value, histogram.count, strict=True)
        }
        assert counted == Counter(table.select(*public, name).rows())
    assert [tuple(codes) for codes in frequency.codes] == sorted(tuple(codes) for codes in frequency.codes)


def test_untouched_columns_keep_their_types():
    table = pl.DataFrame({"age": [30, 30, 41, 41], "pay": [1.5, 2.5, 3.5, 4.5], "on": [True, False, True, False]})
    roles = {"age": "quasi-identifier", "pay": "sensitive", "on": "insensitive"}
    assert krypsis.anonymize(table, roles, models="k-anonymity:k=2").table.sort("pay").equals(table)


@given(tables())
def test_quasi_identifiers_at_level_0_are_published_as_they_are(table):
    engine = Dataset.of(table).engine
    names = [name for name in table.columns if name.startswith("q")]
    schema = Schema.of({name: "quasi-identifier" if name in names else "insensitive" for name in table.columns})
    flat = {name: Hierarchy.from_rows([value, "*"] for value in engine.distinct(name)) for name in names}
    counted = engine.count_tuples(schema, flat)
    unchanged = FullDomain((0,) * len(names), np.zeros(len(counted.frequency.counts), dtype=np.bool_))
    assert counted.apply(unchanged, "remove").equals(table)


def test_values_that_count_as_equal_are_published_alike():
    table = pl.DataFrame({"weight": [0.0, -0.0, float("nan"), None]})
    release = krypsis.anonymize(table, {"weight": "quasi-identifier"}, models="k-anonymity:k=2")
    assert release.levels == {"weight": 0}
    assert sorted(map(str, release.table["weight"])) == ["0.0", "0.0", "None", "None"]


def test_a_column_without_a_role_is_not_published():
    table = pl.DataFrame({"age": [30, 30], "name": ["Ann", "Bob"]})
    assert krypsis.anonymize(table, {"age": "quasi-identifier"}, models="k-anonymity:k=2").table.columns == ["age"]
