"""The accuracy of a decision tree, before and after, on tables where it can be worked out by hand."""

import sys

import polars as pl
import pytest

import krypsis
from krypsis.errors import ColumnError, UsageError
from krypsis.kinds.table.utility import tree_accuracy

pytestmark = pytest.mark.exposed

# In this table the age tells the ward: 60 young in A, 40 old in B.
BEFORE = pl.DataFrame({"age": [30] * 60 + [70] * 40, "ward": ["A"] * 60 + ["B"] * 40})


def published(ages, wards=("A",) * 60 + ("B",) * 40):
    return pl.DataFrame({"age": ages, "ward": wards})


def test_a_column_that_tells_the_class_is_learned():
    found = tree_accuracy(BEFORE, published(["[20-40)"] * 60 + ["[60-80)"] * 40), "ward")
    assert (found.before, found.after, found.guess, found.lost) == (1, 1, 0.6, 0)


def test_once_the_column_says_nothing_only_the_most_common_class_is_told():
    found = tree_accuracy(BEFORE, published(["*"] * 100), "ward")
    assert (found.before, found.after) == (1, 0.6)
    assert found.sentence == (
        "a decision tree predicts ward correctly for 100.0% of the original records and for 60.0% with the release; "
        "guessing the most common class is right for 60.0%"
    )


def test_a_suppressed_record_is_right_if_its_class_is_the_most_common_one():
    # 5 of A and 10 of B are left out; 85 are predicted correctly by their age, the 5 of A by being most common.
    after = published([30] * 55 + [70] * 30, ["A"] * 55 + ["B"] * 30)
    assert tree_accuracy(BEFORE, after, "ward").after == (85 + 5) / 100


def test_text_is_learned_as_well_as_numbers():
    job = ["cook"] * 30 + ["nurse"] * 30 + ["cook"] * 40
    before = BEFORE.with_columns(job=pl.Series(job)).drop("age")
    # 30 nurses are all in A; of 70 cooks 40 are in B: 70 of 100 are predicted correctly.
    assert tree_accuracy(before, before, "ward").before == 0.7


def test_missing_values_are_a_class_and_a_reason_of_their_own():
    before = pl.DataFrame({"age": [None] * 50 + [30] * 50, "ward": ["A"] * 50 + [None] * 50})
    assert tree_accuracy(before, before, "ward").after == 1


def test_the_same_seed_gives_the_same_figures():
    table = pl.DataFrame({"age": list(range(200)), "ward": ["A", "B", "B", "A", "A"] * 40})
    assert tree_accuracy(table, table, "ward", seed=3) == tree_accuracy(table, table, "ward", seed=3)


def test_a_release_is_compared_with_its_table(tmp_path):
    release = krypsis.anonymize(
        BEFORE,
        {"age": "quasi-identifier", "ward": "sensitive"},
        models="k-anonymity:k=50",
        hierarchies={"age": {"kind": "intervals", "width": 10}},
        suppression=0.5,
        metric="loss",
    )
    assert release.suppressed == 40
    # The 60 of A are predicted correctly; the 40 of B are suppressed and A is the most common class.
    assert tree_accuracy(BEFORE, release, "ward").after == 0.6
    release.save(tmp_path / "release")
    assert tree_accuracy(BEFORE, tmp_path / "release", "ward").after == 0.6


def test_a_target_that_was_generalized_is_refused():
    with pytest.raises(UsageError, match=r"more records with 'ward' than the original; choose a target"):
        tree_accuracy(BEFORE, published([30] * 100, ["ward"] * 100), "ward")


def test_an_unknown_column_is_named():
    with pytest.raises(ColumnError, match="Did you mean 'ward'"):
        tree_accuracy(BEFORE, BEFORE, "wards")
    with pytest.raises(ColumnError, match="Did you mean 'age'"):
        tree_accuracy(BEFORE, BEFORE, "ward", columns=["ages"])


def test_a_table_with_the_target_alone_is_refused():
    with pytest.raises(UsageError, match="no column to look at"):
        tree_accuracy(BEFORE.select("ward"), BEFORE, "ward")


def test_tables_in_the_wrong_order_are_noticed():
    with pytest.raises(UsageError, match="give the original first"):
        tree_accuracy(BEFORE.head(10), BEFORE, "ward")


@pytest.mark.parametrize("folds", [0, 1, 4])
def test_the_folds_must_fit_the_records(folds):
    few = BEFORE.head(3)
    with pytest.raises(UsageError, match="folds must be at least 2 and at most the 3 published records"):
        tree_accuracy(few, few, "ward", folds=folds)


def test_without_the_extra_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.tree", None)
    with pytest.raises(UsageError, match=r"pip install 'krypsis\[utility\]'"):
        tree_accuracy(BEFORE, BEFORE, "ward")
