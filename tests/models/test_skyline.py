"""Skyline: the formula is what an attacker finds out who tries every world."""

from collections import Counter

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import krypsis
from effort import examples
from krypsis import registry
from krypsis.data.groups import Groups
from krypsis.errors import UsageError
from krypsis.models.l_diversity import FrequencyLDiversity
from krypsis.models.skyline import Skyline
from oracles.worlds import Worlds
from strategies import histograms

knowledge = st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2))
one_group = st.lists(st.sampled_from("abc"), min_size=1, max_size=6).map(lambda group: [Counter(group)])
few_groups = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(Counter), min_size=2, max_size=3)


def skyline(known, **options):
    return Skyline(l=known[0], k=known[1], m=known[2], **{"c": 1, **options})


@pytest.mark.parametrize("followers", ["group", "table"])
@given(groups=one_group | few_groups, known=knowledge)
@settings(max_examples=examples(100))
def test_nobody_who_tries_all_worlds_is_surer_than_the_level_and_somebody_is_as_sure(followers, groups, known):
    worlds, sample = Worlds(groups), Groups.of_histograms(groups)
    levels = skyline(known, followers=followers).levels(sample.sensitive["sensitive"], sample.sizes)
    for number, group in enumerate(groups):
        surest = max(worlds.surest(number, value, *known, followers == "group") for value in group)
        assert levels[number] == pytest.approx(float(surest), abs=1e-12)


@pytest.mark.parametrize(
    ("known", "groups", "sure"),
    [
        # By hand. Nothing known: the share of the most frequent value.
        ((0, 0, 0), [{"a": 2, "b": 1, "c": 1}], 1 / 2),
        # b or c ruled out: a is 2 of 3
        ((1, 0, 0), [{"a": 2, "b": 1, "c": 1}], 2 / 3),
        # One who has b known: a is 2 of 3
        ((0, 1, 0), [{"a": 2, "b": 1, "c": 1}], 2 / 3),
        # Of the 12 worlds 6 give a to the target; in 2 of the other 6 one other person, of three, has none of both a
        ((0, 0, 1), [{"a": 2, "b": 1, "c": 1}], 6 / 8),
        # A relative in a group where all have a: so has the target
        ((0, 0, 1), [{"a": 1, "b": 3}, {"a": 2}], 1),
    ],
)
def test_small_cases_by_hand(known, groups, sure):
    assert skyline(known).measure(Groups.of_histograms(groups)) == pytest.approx(sure)


@given(groups=histograms(max_groups=4), known=knowledge, c=st.sampled_from([0.3, 0.5, 0.75, 0.9]))
def test_people_anywhere_are_at_least_as_dangerous_as_people_of_the_group(groups, known, c):
    sample = Groups.of_histograms(groups)
    anywhere, here = (skyline(known, c=c, followers=where).accepts(sample) for where in ("table", "group"))
    assert (anywhere <= here).all()


@given(groups=histograms(min_groups=3, max_groups=5, max_count=8), known=knowledge)
def test_uniting_two_groups_of_a_table_never_makes_anybody_surer(groups, known):
    model = skyline(known)
    united = [Counter(groups[0]) + Counter(groups[1]), *groups[2:]]
    assert model.measure(Groups.of_histograms(united)) <= model.measure(Groups.of_histograms(groups)) + 1e-12


@given(groups=histograms(min_groups=2, max_groups=5), known=knowledge)
def test_suppressing_a_group_never_makes_anybody_surer(groups, known):
    model = skyline(known)
    assert model.measure(Groups.of_histograms(groups[1:])) <= model.measure(Groups.of_histograms(groups)) + 1e-12


@given(groups=histograms(), known=knowledge, c=st.sampled_from([0.5, 0.75, 0.9]), strict=st.booleans())
def test_a_table_is_accepted_exactly_if_nobody_is_too_sure_of_anybody(groups, known, c, strict):
    sample, model = Groups.of_histograms(groups), skyline(known, c=c, strict=strict)
    assert model.accepts(sample).all() == model.suffices(model.measure(sample))


@given(groups=histograms(min_groups=2), known=knowledge, c=st.sampled_from([0.5, 0.75, 0.9]))
def test_the_accepted_groups_of_a_table_are_safe_among_themselves(groups, known, c):
    model = skyline(known, c=c)
    accepted = model.accepts(Groups.of_histograms(groups))
    kept = [group for group, good in zip(groups, accepted, strict=True) if good]
    assert model.accepts(Groups.of_histograms(kept)).all()


@given(groups=histograms(), known=knowledge, more=st.sampled_from([(1, 0, 0), (0, 1, 0), (0, 0, 1)]))
def test_who_knows_more_is_at_least_as_sure(groups, known, more):
    sample = Groups.of_histograms(groups)
    informed = tuple(one + other for one, other in zip(known, more, strict=True))
    assert skyline(informed).measure(sample) >= skyline(known).measure(sample) - 1e-12


@given(groups=histograms(), diversity=st.integers(1, 5))
def test_who_knows_nothing_guesses_the_most_frequent_value(groups, diversity):
    sample = Groups.of_histograms(groups)
    ignorant = skyline((0, 0, 0), c=1 / diversity, strict=False)
    assert ignorant.accepts(sample).tolist() == FrequencyLDiversity(l=diversity).accepts(sample).tolist()


def test_one_group_that_endangers_others_is_what_is_suppressed():
    table = pl.DataFrame({"age": ["1"] * 4 + ["2"] * 4 + ["3"], "disease": [*"abcdabcd", "a"]})
    release = krypsis.anonymize(
        table, {"age": "quasi-identifier", "disease": "sensitive"}, models="skyline:l=0,k=0,m=1,c=0.6", suppression=1
    )
    assert release.suppressed == 1
    assert all(release.verdicts)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("skyline:l=-1,k=0,m=0,c=0.5", "l of skyline must be at least 0, got -1"),
        ("skyline:l=0,k=0,m=0,c=1.5", "c of skyline must be at most 1, got 1.5"),
        ("skyline:l=0,k=0,m=0,c=0", "c of skyline must be more than 0, got 0"),
    ],
)
def test_a_parameter_out_of_range_is_refused_with_its_range(spec, message):
    with pytest.raises(UsageError) as caught:
        registry.create("model", spec)
    assert message in str(caught.value)
