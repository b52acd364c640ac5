"""Association rules: found as the definition says, and kept or lost word for word."""

from itertools import combinations, product

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis.errors import UsageError
from krypsis.kinds.table.utility import kept_rules

pytestmark = pytest.mark.exposed

# A basket of four records, worked out by hand.
TABLE = pl.DataFrame({"job": ["cook", "cook", "cook", "nurse"], "sex": ["F", "F", "M", "F"]})


def texts(rules):
    return [str(rule) for rule in rules]


def test_rules_are_found_with_their_support_and_confidence():
    found = kept_rules(TABLE, TABLE, support=0.5, confidence=0.6)
    assert texts(found.kept) == ["job=cook → sex=F", "sex=F → job=cook"]
    assert {(rule.support, rule.confidence) for rule in found.kept} == {(0.5, 2 / 3)}
    assert (found.share, found.lost) == (1, ())


def test_the_most_confident_rules_come_first():
    found = kept_rules(TABLE, TABLE, support=0.25, confidence=0.5)
    # nurse → F is always true; then those that hold for two of three
    assert texts(found.kept)[0] == "job=nurse → sex=F"
    assert texts(kept_rules(TABLE, TABLE, support=0.25, confidence=0.5, most=1).kept) == ["job=nurse → sex=F"]


def test_a_rule_is_lost_once_its_labels_are_generalized():
    after = TABLE.with_columns(job=pl.lit("*"))
    found = kept_rules(TABLE, after, support=0.5, confidence=0.6)
    assert texts(found.lost) == ["job=cook → sex=F", "sex=F → job=cook"]
    assert found.share == 0
    assert found.sentence == "0 of the 2 strongest rules of the original table can still be found in the release"


def test_a_suppressed_record_supports_nothing():
    found = kept_rules(TABLE, TABLE[1:], support=0.5, confidence=0.5)
    assert found.share == 0  # one cook F of four records is left


def test_a_rule_that_is_not_certain_any_more_is_lost():
    before = pl.DataFrame({"job": ["cook"] * 8 + ["nurse"] * 2, "ward": ["A"] * 8 + ["B"] * 2})
    after = pl.DataFrame({"job": ["cook"] * 8 + ["cook"] * 2, "ward": ["A"] * 8 + ["B"] * 2})
    found = kept_rules(before, after, support=0.5, confidence=0.9)
    assert texts(found.kept) == ["ward=A → job=cook"]
    assert texts(found.lost) == ["job=cook → ward=A"]  # eight of ten cooks now


def test_missing_values_are_items():
    table = pl.DataFrame({"job": [None, None, "cook"], "sex": ["F", "F", "M"]})
    assert "job=None → sex=F" in texts(kept_rules(table, table, support=0.6).kept)


def test_a_release_keeps_the_rules_of_what_it_does_not_touch():
    table = pl.DataFrame({"age": ["31", "32", "58", "59"], "ward": ["A", "A", "B", "B"], "sex": ["F", "F", "M", "M"]})
    roles = {"age": "quasi-identifier", "ward": "sensitive", "sex": "insensitive"}
    release = krypsis.anonymize(table, roles, models="k-anonymity:k=2", hierarchies={"age": {"kind": "flat"}})
    found = kept_rules(table, release, support=0.25, confidence=1, longest=2)
    assert {str(rule) for rule in found.kept} == {
        "ward=A → sex=F",
        "sex=F → ward=A",
        "ward=B → sex=M",
        "sex=M → ward=B",
    }
    assert all("age" in str(rule) for rule in found.lost)


def slow_rules(rows, columns, support, confidence, longest):
    """Every rule by trying every combination of labels."""
    items = sorted({(column, row[column]) for row in rows for column in range(columns)}, key=str)
    found = set()
    for size in range(2, longest + 1):
        for chosen in combinations(items, size):
            both = sum(all(row[column] == label for column, label in chosen) for row in rows)
            for conclusion in chosen:
                premise = [item for item in chosen if item != conclusion]
                all_of_premise = sum(all(row[column] == label for column, label in premise) for row in rows)
                if both and both / len(rows) >= support and both / all_of_premise >= confidence:
                    found.add((frozenset(premise), conclusion))
    return found


@given(
    st.lists(st.tuples(*[st.sampled_from(["x", "y", None])] * 3), min_size=1, max_size=10),
    st.sampled_from([0.1, 0.25, 0.5]),
    st.sampled_from([0.5, 0.75, 1.0]),
    st.integers(2, 3),
)
def test_the_rules_are_those_of_trying_every_combination(rows, support, confidence, longest):
    table = pl.DataFrame(rows, schema=dict.fromkeys("012", pl.String), orient="row")
    expected = slow_rules(rows, 3, support, confidence, longest)
    if not expected:
        with pytest.raises(UsageError, match="no rule"):
            kept_rules(table, table, support=support, confidence=confidence, longest=longest)
        return
    found = kept_rules(table, table, support=support, confidence=confidence, longest=longest, most=10_000)
    plain = {
        (
            frozenset((int(column), label) for column, label in rule.premise),
            (int(rule.conclusion[0]), rule.conclusion[1]),
        )
        for rule in found.kept
    }
    assert plain == expected
    assert not found.lost


@pytest.mark.parametrize(("name", "share"), list(product(("support", "confidence"), (0, -1, 1.5))))
def test_shares_out_of_range_are_refused(name, share):
    with pytest.raises(UsageError, match=f"{name} must be more than 0 and at most 1"):
        kept_rules(TABLE, TABLE, **{name: share})


def test_numbers_out_of_range_are_refused():
    with pytest.raises(UsageError, match="most must be at least 1 and longest at least 2, got 0 and 1"):
        kept_rules(TABLE, TABLE, most=0, longest=1)
