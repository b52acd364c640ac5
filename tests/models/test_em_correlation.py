"""(e,m)-correlation: the figures of S10.20, brute force over random releases, and what cannot be checked."""

import io
from fractions import Fraction
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from algorithms.histories.diseases import DISEASES, FIGURE_3_7_AND_3_8
from krypsis import registry
from krypsis.checker import check_history
from krypsis.checker.histories import judge_alone
from krypsis.checker.invariance import Bound
from krypsis.checker.similarity import similar
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.errors import UsageError
from krypsis.io.history import Version
from krypsis.models.correlation import LeafOrder
from krypsis.models.em_correlation import EMCorrelation
from oracles import correlation as plain

PROMISE = EMCorrelation(e="8/5", m=2)


def figure(column):
    table = pl.read_csv(io.StringIO(FIGURE_3_7_AND_3_8), infer_schema=False)
    return Version.of(table, group=column, sensitive="condition", person="id")


def check(versions, e="8/5", m=2, bound=None, taxonomy=DISEASES):
    (verdict,) = check_history(versions, [EMCorrelation(e=e, m=m)], bound, taxonomy)
    return verdict


def test_the_ordinary_release_groups_values_that_are_too_closely_related():
    """Figure 3.7 with erratum 38: groups 1, 2 and 4 have a correlation of 8/3."""
    verdict = check([figure("ordinary")])
    assert not verdict.holds
    assert {one["values"]["group"] for one in verdict.offending} == {"1", "2", "4"}
    assert "highest correlation 8/3" in verdict.sentence


def test_the_correlated_release_keeps_the_promise_exactly():
    """Figure 3.8 with erratum 39: the highest correlation is 8/5, in group 2 both values stand twice."""
    verdict = check([figure("correlated")])
    assert verdict.holds
    assert verdict.achieved == 2
    assert not check([figure("correlated")], e=Fraction(8, 5) - Fraction(1, 10**30)).holds
    assert not check([figure("correlated")], m=3).holds


def test_values_that_are_not_equally_frequent_are_refused():
    table = pl.DataFrame({"group": ["1"] * 3, "value": ["flu", "flu", "lung cancer"]})
    verdict = check([Version(table)])
    assert not verdict.holds
    assert verdict.achieved == 0


NODES = [label for labels in DISEASES.labels[:3] for label in labels]
signatures = st.frozensets(st.sampled_from(sorted(set(NODES))), min_size=1, max_size=3)
TREE = plain.Tree(DISEASES)


def as_node(label):
    return next(
        frozenset(value for value in DISEASES.values if DISEASES.label(value, level) == label)
        for level in range(4)
        if label in DISEASES.labels[level]
    )


@given(signatures, signatures)
def test_signatures_are_similar_if_some_matching_follows_stable_paths(first, second):
    expected = plain.similar([as_node(one) for one in first], [as_node(one) for one in second])
    assert similar(first, second, LeafOrder(DISEASES)) == expected


LEAVES = st.lists(st.sampled_from(DISEASES.values), min_size=1, max_size=5)


@given(st.lists(LEAVES, min_size=1, max_size=3), st.fractions(1, 8, max_denominator=5), st.integers(2, 3))
def test_one_release_is_judged_as_by_brute_force(groups, e, m):
    rows = [(str(number), value) for number, values in enumerate(groups) for value in values]
    version = Version(pl.DataFrame(rows, schema=["group", "value"], orient="row"))
    expected = all(
        len(set(values)) >= m
        and len({values.count(value) for value in values}) == 1
        and plain.is_uncorrelated(TREE, values, e)
        for values in groups
    )
    assert check([version], e, m).holds == expected


@given(st.lists(st.dictionaries(st.sampled_from("ABCD"), signatures, min_size=1), min_size=1, max_size=3))
def test_a_sequence_is_judged_as_by_brute_force(lives):
    """Conditions 1 and 2 of definition 23; everybody is in a group of its own."""
    versions = [Version.of_signatures(one) for one in lives]
    expected = all(
        len(signature) >= 2 and all(TREE.correlation(*a, *b) <= Fraction(8, 5) for a, b in combinations(nodes, 2))
        for one in lives
        for signature in one.values()
        for nodes in [[as_node(label) for label in signature]]
    )
    for person in "ABCD":
        own = [[as_node(label) for label in one[person]] for one in lives if person in one]
        expected &= all(plain.similar(a, b) for a, b in combinations(own, 2))
    assert check(versions).holds == expected


def version(**people):
    """Who is in which group, as ``group: value``; one record for everybody."""
    rows = [(name, *text.split(": ")) for name, text in people.items()]
    table = pl.DataFrame(rows, schema=["name", "group", "value"], orient="row")
    return Version.of(table, group="group", sensitive="value", person="name")


def test_a_value_may_become_more_general_and_go_back_the_same_way():
    lives = [version(Ann=f"1: {value}", Bob="1: lung cancer") for value in ("flu", "X", "flu")]
    assert check(lives).holds


def test_a_value_must_not_come_back_as_another_below_the_general_one():
    lives = [version(Ann=f"1: {value}", Bob="1: lung cancer") for value in ("flu", "X", "strain")]
    verdict = check(lives)
    assert not verdict.holds
    assert {one["values"]["person"] for one in verdict.offending} == {"Ann", "Bob"}


def test_two_who_shared_a_group_must_not_go_different_ways_later():
    """Condition 3: nobody's own signatures differ but in generality, and together they tell who has what."""
    first = version(Ann="1: X", Bob="1: lung cancer", Cid="2: X", Dan="2: bladder cancer")
    second = version(Ann="1: flu", Eva="1: lung cancer", Bob="2: lung cancer", Fay="2: strain")
    assert check([first]).holds
    assert check([second]).holds
    verdict = check([first, second])
    assert not verdict.holds
    assert {one["values"]["person"] for one in verdict.offending} == {"Ann", "Bob"}


def test_what_people_are_bound_to_counts_like_an_earlier_release():
    now = version(Ann="1: flu", Bob="1: lung cancer")
    people = pl.DataFrame({"person": ["Ann", "Bob"], "signature": [0, 0]})
    for other, holds in (("lung cancer", True), ("bladder cancer", False)):
        bound = Bound(people, pl.DataFrame({"signature": [0, 0], "value": ["flu", other]}))
        assert check([now], bound=bound).holds == holds


def test_a_missing_value_may_meet_any_other():
    table = pl.DataFrame({"group": ["1", "1"], "value": ["flu", None]})
    assert check([Version(table)], e=1, taxonomy=DISEASES.with_missing()).holds


def test_without_the_hierarchy_the_promise_cannot_be_checked():
    with pytest.raises(UsageError, match=r"em-correlation:e=8/5,m=2 is about how closely .* give it as 'taxonomy'"):
        check_history([figure("correlated")], [PROMISE])


def test_one_release_alone_decides_nothing_and_says_what_it_lacks():
    unseen = judge_alone(figure("ordinary"), PROMISE)
    seen = judge_alone(figure("ordinary"), PROMISE, DISEASES)
    kept = judge_alone(figure("correlated"), PROMISE, DISEASES)
    assert unseen.holds is None
    assert "cannot be seen without their hierarchy" in unseen.sentence
    assert seen.holds is False
    assert kept.holds is None
    assert "without their hierarchy" not in kept.sentence


@pytest.mark.parametrize("values", [["*", "flu"], [None, "*"], ["*", "*"], [None]])
def test_odd_values_can_be_judged_alone(values):
    table = pl.DataFrame({"group": ["1"] * len(values), "value": pl.Series(values, dtype=pl.String)})
    verdict = judge_alone(Version(table), PROMISE)
    assert (verdict.holds is None) == (len(set(values)) == 2)


@pytest.mark.parametrize("given_e", ["8/5", "1.6", 1.6, Fraction(8, 5)])
def test_the_bound_is_exact_however_it_is_written(given_e):
    assert EMCorrelation(e=given_e, m=2) == PROMISE
    assert registry.create("model", "em-correlation:e=8/5,m=2") == PROMISE


@pytest.mark.parametrize("wrong", ["1/2", "x", "1/0", "nan", np.nan, np.inf])
def test_a_bound_below_one_or_no_number_is_refused(wrong):
    with pytest.raises(ValidationError, match=r"valid fraction|greater than or equal to 1"):
        EMCorrelation(e=wrong, m=2)


@pytest.mark.parametrize(("bound_to", "holds"), [("flu", True), ("X", True), ("NonCancer", False)])
def test_nothing_is_more_special_than_the_lowest_that_people_are_bound_to(bound_to, holds):
    """Else two releases could be similar to that, and not to each other."""
    now = version(Ann="1: X", Bob="1: lung cancer")
    people = pl.DataFrame({"person": ["Ann", "Bob"], "signature": [0, 0]})
    values = pl.DataFrame({"signature": [0, 0], "value": [bound_to, "lung cancer"]})
    assert check([now], bound=Bound(people, values)).holds
    verdict = check([now], bound=Bound(people, values, is_lowest=True))
    assert verdict.holds == holds
    assert {one["values"]["person"] for one in verdict.offending} == (set() if holds else {"Ann", "Bob"})


def test_a_value_outside_of_the_hierarchy_is_refused():
    table = pl.DataFrame({"group": ["1", "1"], "value": ["flu", "gout"]})
    with pytest.raises(UsageError, match="'gout' is nowhere in the hierarchy"):
        check([Version(table)], taxonomy=Hierarchy.from_rows([["flu", "*"], ["aids", "*"]]))


def test_who_is_bound_to_the_same_values_need_not_stay_similar_to_each_other_without_a_common_group():
    """Ann and Cid had the same values in different groups; later Cid's becomes more general, Ann's more special."""
    now = version(Ann="1: flu", Bob="1: lung cancer", Cid="2: strain", Dan="2: lung cancer")
    people = pl.DataFrame({"person": ["Ann", "Cid"], "signature": [0, 0]})
    bound = Bound(people, pl.DataFrame({"signature": [0, 0], "value": ["X", "lung cancer"]}))
    assert check([now], bound=bound).holds


@pytest.mark.parametrize("name", ["e", "low", "high"])
def test_a_number_with_a_million_digits_is_refused_at_once(name):
    with pytest.raises(ValidationError, match="valid fraction"):
        EMCorrelation(**{"e": 2, "m": 2, "low": 0, "high": 9, name: "1e999999999"})


def test_numbers_are_judged_by_their_distance_as_by_brute_force():
    """Two releases of the same groups: 10 apart is allowed with e = 10, 9 is not; 5 and 5.0 are the same number."""
    for values, holds in [(["0", "10"], True), (["1", "10"], False), (["5", "5.0"], False), (["0", None], True)]:
        table = pl.DataFrame({"group": ["1", "1"], "value": values, "name": ["Ann", "Bob"]})
        release = Version.of(table, group="group", sensitive="value", person="name")
        (verdict,) = check_history([release, release], [EMCorrelation(e=10, m=2, low=0, high=100)])
        assert verdict.holds is holds, values
    changed = Version.of_signatures({"Ann": ["0", "20"]})
    (verdict,) = check_history(
        [Version.of_signatures({"Ann": ["0", "10"]}), changed], [EMCorrelation(e=10, m=2, low=0, high=100)]
    )
    assert not verdict.holds
    assert "1 person(s) are not always among similar values" in verdict.sentence
