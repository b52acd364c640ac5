"""(ε,m)-anonymity: how many numbers of a group are near to one of them."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import krypsis
from krypsis import registry
from krypsis.data.groups import Groups
from krypsis.errors import UsageError
from krypsis.models.em_anonymity import EMAnonymity
from krypsis.models.l_diversity import FrequencyLDiversity
from models.references import naive_accepts

SALARIES = {"30": 2, "31": 1, "32": 2, "33": 1, "34": 1, "35": 2, "80": 1}
numbers = st.integers(-30, 30).map(str) | st.decimals(-3, 3, places=1).map(str)
number_groups = st.lists(
    st.dictionaries(numbers | st.none(), st.integers(1, 3), min_size=1, max_size=6), min_size=1, max_size=5
)


@pytest.mark.parametrize(("epsilon", "share"), [(0, 0.2), (1, 0.5), (2, 0.7), (3, 0.9), (5, 0.9)])
def test_the_textbook_salaries(epsilon, share):
    sample = Groups.of_histograms([SALARIES])
    assert EMAnonymity(epsilon=epsilon, m=1).measure(sample) == pytest.approx(1 / share)
    assert EMAnonymity(epsilon=epsilon, m=2).accepts(sample).tolist() == [share <= 0.5]


@given(groups=number_groups, epsilon=st.integers(0, 40), m=st.integers(1, 4), relative=st.booleans())
def test_it_agrees_with_the_definition_on_any_numbers(groups, epsilon, m, relative):
    sample = Groups.of_histograms(groups)
    model = EMAnonymity(epsilon=epsilon / 10, m=m, proximity="relative" if relative else "absolute")
    assert model.accepts(sample).tolist() == naive_accepts(model, sample)


def test_the_union_of_accepted_groups_may_be_refused():
    sample = Groups.of_histograms([{"0": 1, "10": 1}, {"5": 1, "20": 1}, {"0": 1, "5": 1, "10": 1, "20": 1}])
    assert EMAnonymity(epsilon=5, m=2).accepts(sample).tolist() == [True, True, False]
    assert EMAnonymity(epsilon=5, m=1).levels(sample.sensitive["sensitive"], sample.sizes)[2] == pytest.approx(4 / 3)
    assert not EMAnonymity.monotone


@given(groups=number_groups, diversity=st.integers(1, 4))
def test_numbers_that_must_be_equal_to_be_near_are_frequency_diversity(groups, diversity):
    """Unless a number is written in two ways."""
    sample = Groups.of_histograms(
        [
            {value: count for value, count in group.items() if value is None or "." not in value} or {"1": 1}
            for group in groups
        ]
    )
    near = EMAnonymity(epsilon=0, m=diversity).accepts(sample)
    assert near.tolist() == FrequencyLDiversity(l=diversity).accepts(sample).tolist()


def test_texts_of_the_same_number_are_near_to_each_other():
    sample = Groups.of_histograms([{"30": 1, "30.0": 1, "99": 2}])
    assert EMAnonymity(epsilon=0, m=1).measure(sample) == 2


def test_decimals_that_are_epsilon_apart_are_near():
    sample = Groups.of_histograms([{"0.1": 1, "0.3": 1}])
    assert EMAnonymity(epsilon=0.2, m=2).accepts(sample).tolist() == [False]
    assert EMAnonymity(epsilon=0.199999, m=2).accepts(sample).tolist() == [True]


def test_relative_proximity_of_negative_numbers_is_a_part_of_their_size():
    sample = Groups.of_histograms([{"-100": 1, "-91": 1}, {"-100": 1, "-89": 1}, {"0": 1, "0.001": 1}])
    assert EMAnonymity(epsilon=0.1, m=2, proximity="relative").accepts(sample).tolist() == [False, True, True]


def test_missing_values_are_near_to_missing_values_alone():
    sample = Groups.of_histograms([{None: 2, "1": 1, "9": 1}, {None: 1, "1": 1}, {None: 3}])
    assert EMAnonymity(epsilon=100, m=2).accepts(sample).tolist() == [True, True, False]


def test_a_group_without_records_makes_no_noise():
    empty = Groups(np.array([0, 2]), Groups.of_histograms([{}, {"1": 1, "9": 1}]).sensitive)
    assert EMAnonymity(epsilon=1, m=2).accepts(empty).tolist() == [False, True]


@pytest.mark.parametrize("value", ["flu", "inf", "nan", ""])
def test_what_is_no_number_is_refused_by_name(value):
    sample = Groups.of_histograms([{"30": 1, value: 1}], "salary")
    with pytest.raises(UsageError) as caught:
        EMAnonymity(epsilon=1, m=2).accepts(sample)
    assert f"(ε,m)-anonymity is about numbers; salary has 1 value(s) that are none: {value!r}" in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("em-anonymity:epsilon=-1,m=2", "epsilon of em-anonymity must be at least 0, got -1"),
        ("em-anonymity:epsilon=inf,m=2", "epsilon of em-anonymity"),
        ("em-anonymity:epsilon=1,m=0", "m of em-anonymity must be at least 1, got 0"),
    ],
)
def test_a_parameter_out_of_range_is_refused_with_its_range(spec, message):
    with pytest.raises(UsageError) as caught:
        registry.create("model", spec)
    assert message in str(caught.value)


@pytest.mark.parametrize("promise", ["em-anonymity:epsilon=1,m=2", "ke-anonymity:k=2,e=1"])
def test_a_number_too_large_to_compute_with_is_named(promise):
    table = pl.DataFrame({"job": ["a", "a"], "pay": ["5", "1e400"]})
    with pytest.raises(UsageError, match="'1e400'"):
        krypsis.check(table, promise, quasi_identifiers=["job"], sensitive="pay")
