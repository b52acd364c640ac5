"""Frequency l-diversity, (α,k)-anonymity and (k,e)-anonymity beyond what every model has to keep."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis import registry
from krypsis.data.groups import Groups
from krypsis.errors import UsageError
from krypsis.models.alpha_k_anonymity import AlphaKAnonymity
from krypsis.models.ke_anonymity import KEAnonymity
from krypsis.models.l_diversity import DistinctLDiversity, EntropyLDiversity, FrequencyLDiversity
from strategies import histograms


def test_one_record_too_many_among_billions_is_noticed():
    third = 10**12
    exact = Groups.of_histograms([{"a": third, "b": 2 * third}])
    missed = Groups.of_histograms([{"a": third + 1, "b": third, "c": third}])
    assert FrequencyLDiversity(l=3).accepts(missed).tolist() == [False]
    assert FrequencyLDiversity(l=3).accepts(Groups.of_histograms([dict.fromkeys("abc", third)])).tolist() == [True]
    assert AlphaKAnonymity(alpha=0.5, k=2, value="a").measure(exact) == pytest.approx(1 / 3)


@given(histograms=histograms(), diversity=st.integers(1, 4))
def test_frequency_diversity_implies_distinct_and_entropy_diversity(histograms, diversity):
    sample = Groups.of_histograms(histograms)
    kept = FrequencyLDiversity(l=diversity).accepts(sample)
    assert (DistinctLDiversity(l=diversity).accepts(sample) >= kept).all()
    assert (EntropyLDiversity(l=diversity).accepts(sample) >= kept).all()


@given(histograms=histograms(), diversity=st.integers(1, 5))
def test_a_share_of_1_in_l_is_frequency_diversity(histograms, diversity):
    sample = Groups.of_histograms(histograms)
    share = AlphaKAnonymity(alpha=1 / diversity, k=1)
    assert share.accepts(sample).tolist() == FrequencyLDiversity(l=diversity).accepts(sample).tolist()


def test_a_group_that_is_too_small_has_no_share_that_would_do():
    sample = Groups.of_histograms([{"a": 1, "b": 1}])
    assert AlphaKAnonymity(alpha=1, k=3).measure(sample) == math.inf


@pytest.mark.parametrize(("alpha", "count", "size"), [(0.1, 3, 30), (0.3, 3, 10), (0.7, 7, 10), (0.07, 7, 100)])
def test_a_decimal_share_that_is_hit_exactly_is_enough(alpha, count, size):
    sample = Groups.of_histograms([{"a": count, "b": size - count}])
    assert AlphaKAnonymity(alpha=alpha, k=1, value="a").accepts(sample).all()


def test_the_share_of_a_value_that_does_not_occur_is_0():
    sample = Groups.of_histograms([{"flu": 3}])
    assert AlphaKAnonymity(alpha=0.1, k=3, value="hiv").measure(sample) == 0


def test_the_ends_of_a_group_may_be_decimals():
    sample = Groups.of_histograms([{"0.1": 1, "0.3": 1}])
    assert KEAnonymity(k=2, e=0.2).accepts(sample).all()
    assert not KEAnonymity(k=2, e=0.200001).accepts(sample).any()


def test_different_texts_of_the_same_number_are_one_value():
    sample = Groups.of_histograms([{"30": 1, "30.0": 1, "31": 1}, {"30": 1, "31": 1, None: 1}])
    assert KEAnonymity(k=3, e=1).accepts(sample).tolist() == [False, True]
    assert KEAnonymity(k=2, e=1).measure(sample) == 2


def test_a_group_without_any_number_is_refused_if_numbers_must_be_apart():
    sample = Groups.of_histograms([{None: 3}])
    assert KEAnonymity(k=1, e=0).accepts(sample).tolist() == [True]
    assert KEAnonymity(k=1, e=0.5).accepts(sample).tolist() == [False]


@pytest.mark.parametrize("value", ["flu", "inf", "nan", "1_000", ""])
def test_what_is_no_number_is_refused_by_name(value):
    sample = Groups.of_histograms([{"30": 1, value: 1}], "salary")
    with pytest.raises(UsageError) as caught:
        KEAnonymity(k=2, e=1).accepts(sample)
    assert f"salary has 1 value(s) that are none: {value!r}" in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("frequency-l-diversity:l=0", "l of frequency-l-diversity must be at least 1, got 0"),
        ("alpha-k-anonymity:alpha=0,k=2", "alpha of alpha-k-anonymity must be more than 0, got 0"),
        ("alpha-k-anonymity:alpha=1.5,k=2", "alpha of alpha-k-anonymity must be at most 1, got 1.5"),
        ("alpha-k-anonymity:alpha=0.5", "alpha-k-anonymity needs k: smallest number of records"),
        ("ke-anonymity:k=3,e=-1", "e of ke-anonymity must be at least 0, got -1"),
        ("ke-anonymity:k=3,e=inf", "e of ke-anonymity"),
    ],
)
def test_a_parameter_out_of_range_is_refused_with_its_range(spec, message):
    with pytest.raises(UsageError) as caught:
        registry.create("model", spec)
    assert message in str(caught.value)
