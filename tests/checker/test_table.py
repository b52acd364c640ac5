"""Groups and verdicts against plain Python over records."""

from collections import Counter, defaultdict

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis.checker import Given, check_table
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import ColumnError, UsageError
from krypsis.models.k_anonymity import KAnonymity
from krypsis.models.l_diversity import DistinctLDiversity, EntropyLDiversity
from krypsis.models.recursive_l_diversity import RecursiveLDiversity
from krypsis.models.t_closeness import TCloseness

VALUES = ["a", "b", "*", "", None]
NAMES = ["count", "group", "disease"]  # names the checker might use itself
ROWS = st.lists(st.tuples(*[st.sampled_from(VALUES)] * 3), min_size=1, max_size=12)


def frame(rows):
    return pl.DataFrame(rows, schema=dict.fromkeys(NAMES, pl.String), orient="row")


@given(ROWS, st.integers(1, 5))
def test_k_is_the_size_of_the_smallest_set_of_equal_records(rows, k):
    sizes = Counter(row[:2] for row in rows)
    (verdict,) = check_table(frame(rows), [KAnonymity(k=k)], Given(["count", "group"]))
    assert verdict.achieved == min(sizes.values())
    assert verdict.holds == all(size >= k for size in sizes.values())
    broken = sorted(size for size in sizes.values() if size < k)
    assert [group["size"] for group in verdict.offending] == broken[:5]
    for group in verdict.offending:
        assert sizes[tuple(group["values"].values())] == group["size"]


@given(ROWS, st.integers(1, 4))
def test_distinct_l_is_the_smallest_number_of_values_in_a_group(rows, l):  # noqa: E741
    values = defaultdict(set)
    for *key, value in rows:
        values[tuple(key)].add(value)
    (verdict,) = check_table(
        frame(rows), [DistinctLDiversity(l=l)], Given(["count", "group"], ["disease"], literal=True)
    )
    assert verdict.achieved == min(map(len, values.values()))
    assert verdict.holds == all(len(found) >= l for found in values.values())
    shown = [len(values[tuple(group["values"].values())]) for group in verdict.offending]
    assert shown == sorted(len(found) for found in values.values() if len(found) < l)[:5]


@given(ROWS)
def test_t_compares_each_group_with_the_whole(rows):
    whole, groups = Counter(row[2] for row in rows), defaultdict(Counter)
    for *key, value in rows:
        groups[tuple(key)][value] += 1
    farthest = max(
        sum(abs(counts[value] / counts.total() - whole[value] / whole.total()) for value in whole) / 2
        for counts in groups.values()
    )
    (verdict,) = check_table(frame(rows), [TCloseness(t=1)], Given(["count", "group"], ["disease"], literal=True))
    assert verdict.achieved == pytest.approx(farthest)


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_rows_and_columns_changes_no_verdict(rows, random):
    models = [
        KAnonymity(k=3),
        DistinctLDiversity(l=2),
        EntropyLDiversity(l=1.5),
        RecursiveLDiversity(c=2, l=2),
        TCloseness(t=0.2),
    ]
    shuffled = random.sample(rows, len(rows))
    columns = random.sample(NAMES, len(NAMES))
    first = check_table(frame(rows), models, Given(["count", "group"], ["disease"]))
    assert check_table(frame(shuffled).select(columns), models, Given(["count", "group"], ["disease"])) == first


@given(ROWS)
def test_with_several_sets_the_worst_counts(rows):
    alone = [check_table(frame(rows), [KAnonymity(k=3)], Given([name]))[0] for name in ("count", "group")]
    (verdict,) = check_table(frame(rows), [KAnonymity(k=3)], Given([["count"], ["group"]]))
    assert verdict.achieved == min(found.achieved for found in alone)
    assert verdict.holds == all(alone)
    if not verdict.holds:
        assert verdict.offending[0]["size"] == verdict.achieved


def test_a_broken_set_is_named():
    table = pl.DataFrame({"age": ["1", "1"], "zip": ["1", "2"]})
    (verdict,) = check_table(table, [KAnonymity(k=2)], Given([["age"], ["zip"]]))
    assert "2 of 2 groups formed by zip" in verdict.sentence


def test_a_star_equals_only_a_star_and_missing_only_missing():
    table = pl.DataFrame({"age": ["*", "*", "30", "30", None, None, "", ""]})
    (verdict,) = check_table(table, [KAnonymity(k=2)], Given(["age"]))
    assert (verdict.holds, verdict.achieved) == (True, 2)
    (verdict,) = check_table(table, [KAnonymity(k=3)], Given(["age"]))
    assert len(verdict.offending) == 4


@pytest.mark.parametrize(
    "ages",
    [
        [30, 30, 31],
        [30.5, 30.5, 31.0],
        [True, True, False],
        pl.Series(["x", "x", "y"], dtype=pl.Categorical),
        pl.Series([0, 0, 86400], dtype=pl.Duration("ms")),
        pl.Series([0, 0, 1], dtype=pl.Date),
    ],
)
def test_columns_of_any_plain_type_can_be_checked(ages):
    table = pl.DataFrame({"age": ages, "other": ages})
    verdicts = check_table(table, [KAnonymity(k=2), DistinctLDiversity(l=1)], Given(["age"], ["other"]))
    assert [verdict.achieved for verdict in verdicts] == [1, 1]
    assert verdicts[0].offending[0]["size"] == 1


def test_numbers_that_are_published_differently_are_different():
    (verdict,) = check_table(pl.DataFrame({"x": [0.0, -0.0]}), [KAnonymity(k=2)], Given(["x"]))
    assert verdict.achieved == 1


def test_an_empty_table_keeps_nothing():
    table = frame([])
    for verdict in check_table(table, [KAnonymity(k=1), TCloseness(t=1)], Given(["count"], ["disease"])):
        assert not verdict.holds
        assert "no records" in verdict.sentence


def test_the_worst_group_is_shown_first_even_among_many():
    # 40 groups that break the promise; the group of n has n equal values, so the last is the farthest from the whole.
    rows = [(str(n), "same" if i < n else f"{n}-{i}") for n in range(40) for i in range(40)]
    table = pl.DataFrame(rows, schema=["q", "s"], orient="row")
    (verdict,) = check_table(table, [EntropyLDiversity(l=39.99)], Given(["q"], ["s"]))
    assert [group["values"]["q"] for group in verdict.offending] == ["39", "38", "37", "36", "35"]


def test_the_reference_counts_records_that_were_suppressed():
    table = pl.DataFrame({"q": ["a"] * 4, "s": ["x", "x", "y", "y"]})
    (alone,) = check_table(table, [TCloseness(t=0)], Given(["q"], ["s"]))
    (with_all,) = check_table(table, [TCloseness(t=0)], Given(["q"], ["s"], reference={"s": {"x": 2, "y": 6}}))
    assert alone.achieved == 0
    assert with_all.achieved == pytest.approx(0.25)


def test_a_reference_may_count_missing_values():
    table = pl.DataFrame({"q": ["a"] * 2, "s": ["x", None]})
    (verdict,) = check_table(table, [TCloseness(t=0.3)], Given(["q"], ["s"], reference={"s": {"x": 3, None: 1}}))
    assert verdict.achieved == pytest.approx(0.25)


def test_a_reference_that_lacks_published_records_is_refused():
    table = pl.DataFrame({"q": ["a"] * 2, "s": ["x", "y"]})
    with pytest.raises(UsageError, match=r"'s' must cover every published record.*'y'"):
        check_table(table, [TCloseness(t=0.3)], Given(["q"], ["s"], reference={"s": {"x": 3}}))


def test_a_hierarchy_of_the_sensitive_attribute_sets_the_distances():
    table = pl.DataFrame({"q": ["a", "b"], "s": ["flu", "cold"]})
    hierarchy = Hierarchy.from_rows([["flu", "lung", "*"], ["cold", "lung", "*"], ["ulcer", "stomach", "*"]])
    promise = [TCloseness(t=0.5, distance="hierarchical")]
    reference = {"s": {"flu": 1, "cold": 1}}
    (verdict,) = check_table(table, promise, Given(["q"], ["s"], hierarchies={"s": hierarchy}, reference=reference))
    # Half of the records move from one leaf to its sibling, one of two levels up: 0.5 * 1/2.
    assert verdict.achieved == pytest.approx(0.25)


def test_an_unlimited_level_is_told_in_words():
    table = pl.DataFrame({"q": ["a", "a"], "s": ["x", "x"]})
    (verdict,) = check_table(table, [RecursiveLDiversity(c=2, l=2)], Given(["q"], ["s"]))
    assert not verdict.holds
    assert "inf" not in verdict.sentence


@pytest.mark.parametrize(
    ("models", "known", "message"),
    [
        ([KAnonymity(k=2)], Given(["ag"]), "column 'ag' not found; columns: age, zip. Did you mean 'age'?"),
        ([KAnonymity(k=2)], Given(["age"], ["zipp"]), "Did you mean 'zip'?"),
        ([KAnonymity(k=2)], Given([]), "no quasi-identifier is given"),
        ([KAnonymity(k=2)], Given([["age"], []]), "no quasi-identifier is given"),
        ([KAnonymity(k=2)], Given(["age", ["zip"]]), "write every set as a list"),
        ([], Given(["age"]), "no promise is given"),
        (["k-anonymity:k=2"], Given(["age"]), "a promise must be a model"),
        ([DistinctLDiversity(l=2)], Given(["age"]), "sensitive attribute and none is given"),
        ([DistinctLDiversity(l=2, attribute="job")], Given(["age"], ["zip"]), "column 'job' not found; columns: zip"),
    ],
)
def test_wrong_questions_are_answered_with_what_to_do(models, known, message):
    with pytest.raises(UsageError) as error:
        check_table(pl.DataFrame({"age": ["1"], "zip": ["2"]}), models, known)
    assert message in str(error.value)
    assert isinstance(error.value, ColumnError) == ("not found" in str(error.value))


def test_values_that_cannot_be_compared_are_refused():
    with pytest.raises(UsageError, match="'q' holds List"):
        check_table(pl.DataFrame({"q": [[1], [2]]}), [KAnonymity(k=2)], Given(["q"]))


def test_an_unknown_way_to_treat_missing_values_is_refused():
    with pytest.raises(UsageError, match="'value' or 'wildcard', got 'drop'"):
        check_table(pl.DataFrame({"q": [1]}), [KAnonymity(k=1)], Given(["q"], missing="drop"))


def test_whole_numbers_have_the_same_text_in_a_part_of_the_table_as_in_the_whole(tmp_path):
    # the suppressed record holds the only number with decimals
    table = pl.DataFrame({"age": ["a"] * 4 + ["b"] * 4 + ["c"], "pay": [5.0, 6.0, 5.0, 6.0] * 2 + [0.5]})
    roles = {"age": "quasi-identifier", "pay": "sensitive"}
    promises = ["k-anonymity:k=4", "t-closeness:t=0.3"]
    release = krypsis.anonymize(table, roles, models=promises, suppression=1, max_levels={"age": 0})
    assert release.suppressed == 1
    release.save(tmp_path / "release")
    assert all(krypsis.check(tmp_path / "release"))
