"""The agreement of clusters, before and after, on tables where it can be worked out by hand."""

import numpy as np
import polars as pl
import pytest

import krypsis
from krypsis.errors import UsageError
from krypsis.kinds.table.utility import cluster_agreement

pytestmark = pytest.mark.exposed

# Three clear clusters of ten records each.
AGES = [10, 11] * 5 + [50, 51] * 5 + [90, 91] * 5
BEFORE = pl.DataFrame({"age": AGES})


def rand_index(before, after):
    """Hubert and Arabie's definition, by counting pairs."""
    rows = range(len(before))
    pairs = [(one, other) for one in rows for other in rows if one < other]
    both = sum(before[one] == before[other] and after[one] == after[other] for one, other in pairs)
    first = sum(before[one] == before[other] for one, other in pairs)
    second = sum(after[one] == after[other] for one, other in pairs)
    expected = first * second / len(pairs)
    return (both - expected) / ((first + second) / 2 - expected)


def test_clusters_that_stay_apart_agree():
    after = pl.DataFrame({"age": [f"[{age // 20 * 20}-{age // 20 * 20 + 20})" for age in AGES]})
    assert cluster_agreement(BEFORE, after).adjusted_rand == 1


def test_clusters_that_fall_together_agree_less():
    # [0-60) joins the first two; two clusters are found twice, and a third has nothing left to split.
    after = pl.DataFrame({"age": ["[0-60)"] * 20 + ["[80-100)"] * 10})
    expected = rand_index([0] * 10 + [1] * 10 + [2] * 10, [0] * 20 + [1] * 10)
    found = cluster_agreement(BEFORE, after)
    assert found.adjusted_rand == pytest.approx(expected)
    assert found.sentence.endswith(f"the clusters reach {expected:.2f}")


def test_where_nothing_is_left_the_agreement_is_that_of_chance():
    assert cluster_agreement(BEFORE, pl.DataFrame({"age": ["*"] * 30})).adjusted_rand == 0


def test_suppressed_records_are_a_cluster_of_their_own():
    after = BEFORE[:25]
    expected = rand_index([0] * 10 + [1] * 10 + [2] * 10, [0] * 10 + [1] * 10 + [2] * 5 + [3] * 5)
    found = cluster_agreement(BEFORE, after, suppressed_rows=range(25, 30))
    assert found.adjusted_rand == pytest.approx(expected)


def test_a_release_knows_what_it_has_suppressed():
    table = pl.DataFrame({"age": [*AGES, 300], "job": ["a"] * 31})
    release = krypsis.anonymize(
        table, {"age": "quasi-identifier", "job": "insensitive"}, models="k-anonymity:k=5", suppression=1,
        hierarchies={"age": {"kind": "intervals", "width": 20}},
    )  # fmt: skip
    assert release.suppressed == 1
    expected = rand_index([0] * 20 + [1] * 10 + [2], [0] * 10 + [1] * 10 + [2] * 10 + [3])
    assert cluster_agreement(table, release).adjusted_rand == pytest.approx(expected)


def test_columns_of_text_count_too():
    table = pl.DataFrame({"job": ["cook"] * 5 + ["nurse"] * 5})
    assert cluster_agreement(table, table, clusters=2).adjusted_rand == 1


def test_many_labels_and_missing_values_do_no_harm():
    draw = np.random.default_rng(1)
    table = pl.DataFrame({"zip": [f"z{code}" for code in draw.integers(0, 300, 400)], "age": [None, 30, 40, 50] * 100})
    assert cluster_agreement(table, table).adjusted_rand == 1


def test_records_that_are_missing_without_a_trace_are_asked_for():
    with pytest.raises(UsageError, match=r"lacks 5 of 30 records and nothing says which; pass the release itself"):
        cluster_agreement(BEFORE, BEFORE[:25])


@pytest.mark.parametrize("rows", [[1, 2], [28, 29, 30], [3, 3, 3]])
def test_rows_that_cannot_be_the_missing_ones_are_refused(rows):
    with pytest.raises(UsageError, match="lacks 3 of 30 records and suppressed_rows names"):
        cluster_agreement(BEFORE, BEFORE[:27], suppressed_rows=rows)


@pytest.mark.parametrize("clusters", [1, 31])
def test_the_clusters_must_fit_the_records(clusters):
    with pytest.raises(UsageError, match="clusters must be at least 2 and at most the 30 published records"):
        cluster_agreement(BEFORE, BEFORE, clusters=clusters)
