"""Statistics before and after."""

import json

import numpy as np
import polars as pl
import pytest

import krypsis
from krypsis.data.columns import CategoryColumn, NumericColumn
from krypsis.kinds.table.statistics import compare, in_words


def numbers(name, *values):
    return NumericColumn(name, np.array(values, dtype=float))


def test_numbers_are_compared_by_moments_and_quantiles():
    found = compare({"a": numbers("a", 1, 2, 3, 6, np.nan)}, {"a": numbers("a", 1, 2, 5, 8, np.nan)})["columns"]["a"]
    assert found["changed"] == 0.5
    assert found["before"] == {
        "records": 5,
        "missing": 1,
        "mean": 3.0,
        "variance": 3.5,
        "minimum": 1.0,
        "lower_quartile": 1.75,
        "median": 2.5,
        "upper_quartile": 3.75,
        "maximum": 6.0,
    }
    assert found["after"]["mean"] == 4.0


def test_categories_are_compared_by_counts():
    before = CategoryColumn("sex", np.array([0, 0, 1, 2], dtype=np.int32), ("f", "m", None))
    after = CategoryColumn("sex", np.array([0, 1, 1, 2], dtype=np.int32), ("f", "m", None))
    found = compare({"sex": before}, {"sex": after})["columns"]["sex"]
    assert found["changed"] == pytest.approx(1 / 3)
    assert found["distance"] == 0.25
    assert found["before"] == {"records": 4, "missing": 1, "values": 2, "counts": {"f": 2, "m": 1}}


def test_correlations_are_those_of_complete_records():
    columns = {"a": numbers("a", 1, 2, 3, np.nan), "b": numbers("b", 2, 4, 7, 9), "c": numbers("c", 5, 5, 5, 6)}
    found = compare(columns, columns)["correlations"]
    assert found["columns"] == ["a", "b", "c"]
    assert found["before"][0][1] == pytest.approx(np.corrcoef([1, 2, 3], [2, 4, 7])[0, 1])
    assert found["before"][0][2] is None
    assert "changed by at most 0" in list(in_words(compare(columns, columns)))[-1]


@pytest.mark.filterwarnings("ignore::krypsis.errors.PrivacyWarning")  # the only number of a column stays where it is
def test_statistics_of_any_release_are_plain_json():
    data = pl.DataFrame({"a": [1.0, None, 3.0], "b": [None, 2.0, None], "c": ["x", None, "x"]})
    release = krypsis.anonymize(data, dict.fromkeys("abc", "QI"), algorithm="data-swapping:rate=1")
    assert json.loads(json.dumps(release.statistics, allow_nan=False)) == release.statistics


def test_a_recoding_has_none():
    data = pl.DataFrame({"a": ["x", "x"]})
    assert krypsis.anonymize(data, {"a": "QI"}, models="k-anonymity:k=2").statistics == {}
