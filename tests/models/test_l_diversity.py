import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis import registry
from krypsis.data.groups import Groups
from krypsis.errors import UsageError
from krypsis.models.l_diversity import DistinctLDiversity, EntropyLDiversity
from krypsis.models.recursive_l_diversity import RecursiveLDiversity
from models.references import naive_accepts

MANY = [str(number) for number in range(200)]


def test_l_diversity_without_a_kind_means_distinct():
    assert registry.create("model", "l-diversity:l=3") == DistinctLDiversity(l=3)


def test_a_missing_sensitive_value_is_a_value_of_its_own():
    sample = Groups.of_histograms([{"flu": 1, None: 1}, {None: 2}])
    assert DistinctLDiversity(l=2).accepts(sample).tolist() == [True, False]
    assert EntropyLDiversity(l=2).accepts(sample).tolist() == [True, False]


@given(values=st.integers(1, 200), times=st.integers(1, 10**9))
def test_a_group_of_equally_frequent_values_has_as_many_as_its_entropy_says(values, times):
    sample = Groups.of_histograms([dict.fromkeys(MANY[:values], times)])
    assert EntropyLDiversity(l=values).accepts(sample).all()
    assert EntropyLDiversity(l=1).measure(sample) == pytest.approx(values, rel=1e-9)
    assert not EntropyLDiversity(l=values + 0.001).accepts(sample).any()


def test_a_group_of_one_value_has_entropy_level_one():
    sample = Groups.of_histograms([{"flu": 7}])
    assert EntropyLDiversity(l=1).accepts(sample).all()
    assert EntropyLDiversity(l=1).measure(sample) == pytest.approx(1)


def test_entropy_of_the_textbook_groups():
    # (2, 1) has entropy log 1.8899 and (1, 3) has log 1.7548; both are printed as rounded in the literature
    sample = Groups.of_histograms([{"Dehydration": 2, "Fever": 1}, {"Flu": 1, "Fever": 3}])
    assert EntropyLDiversity(l=1.8).accepts(sample).tolist() == [True, False]
    assert EntropyLDiversity(l=1.75).accepts(sample).tolist() == [True, True]


def test_recursive_diversity_counts_the_rare_values_from_rank_l():
    # counts 5, 3, 2, 1: from rank 3 on 3 records, from rank 2 on 6 records
    sample = Groups.of_histograms([{"a": 3, "b": 5, "c": 1, "d": 2}])
    assert RecursiveLDiversity(c=1.7, l=3).accepts(sample).tolist() == [True]
    assert RecursiveLDiversity(c=1.6, l=3).accepts(sample).tolist() == [False]
    assert RecursiveLDiversity(c=1, l=3).measure(sample) == pytest.approx(5 / 3)
    assert RecursiveLDiversity(c=1, l=2).measure(sample) == pytest.approx(5 / 6)


def test_recursive_diversity_is_strict_unless_told_otherwise():
    sample = Groups.of_histograms([{"a": 4, "b": 1, "c": 1}])
    assert RecursiveLDiversity(c=2, l=2).accepts(sample).tolist() == [False]
    assert RecursiveLDiversity(c=2, l=2, strict=False).accepts(sample).tolist() == [True]


@pytest.mark.parametrize(("c", "rest"), [(0.1, 30), (0.3, 10), (0.7, 10), (1.1, 10), (4.35, 100)])
def test_a_decimal_c_that_is_hit_exactly_counts_as_equal(c, rest):
    sample = Groups.of_histograms([{"a": round(c * rest)} | dict.fromkeys(MANY[:rest], 1)])
    assert not RecursiveLDiversity(c=c, l=2).accepts(sample).any()
    assert RecursiveLDiversity(c=c, l=2, strict=False).accepts(sample).all()


def test_a_group_with_fewer_than_l_values_is_refused_however_large_c_is():
    sample = Groups.of_histograms([{"a": 1, "b": 1}])
    model = RecursiveLDiversity(c=1e9, l=3, strict=False)
    assert model.accepts(sample).tolist() == [False]
    assert model.measure(sample) == math.inf


@given(data=st.data())
def test_recursive_diversity_agrees_with_the_reference_where_few_of_many_values_occur(data):
    # a group of a few values out of 200 takes another path than a group of most of 6 values
    group = st.dictionaries(st.sampled_from(MANY), st.integers(1, 5), min_size=1, max_size=5)
    histograms = data.draw(st.lists(group, min_size=1, max_size=8))
    sample = Groups.of_histograms(histograms, whole=dict.fromkeys(MANY, 1))
    c, rank = data.draw(st.sampled_from([0.5, 1, 1.5, 2, 4])), data.draw(st.integers(1, 5))
    model = RecursiveLDiversity(c=c, l=rank, strict=data.draw(st.booleans()))
    assert model.accepts(sample).tolist() == naive_accepts(model, sample)


def test_counts_in_the_billions_do_not_overflow():
    sample = Groups.of_histograms([{"a": 3 * 10**9, "b": 2 * 10**9, "c": 10**9}] * 50, whole=dict.fromkeys(MANY, 1))
    assert RecursiveLDiversity(c=1.01, l=2).accepts(sample).all()
    assert not RecursiveLDiversity(c=1, l=2).accepts(sample).any()
    assert EntropyLDiversity(l=2.7).accepts(sample).all()


def test_a_group_without_records_is_refused_without_a_warning():
    empty = Groups(np.array([0, 2]), Groups.of_histograms([{}, {"a": 1, "b": 1}]).sensitive)
    assert DistinctLDiversity(l=1).accepts(empty).tolist() == [False, True]
    assert EntropyLDiversity(l=1).accepts(empty).tolist() == [False, True]
    assert RecursiveLDiversity(c=2, l=1).accepts(empty).tolist() == [False, True]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("distinct-l-diversity:l=0", "l of distinct-l-diversity must be at least 1, got 0"),
        ("entropy-l-diversity:l=0.5", "l of entropy-l-diversity must be at least 1, got 0.5"),
        ("entropy-l-diversity:l=nan", "l of entropy-l-diversity"),
        ("entropy-l-diversity:l=inf", "l of entropy-l-diversity"),
        ("recursive-l-diversity:c=0,l=2", "c of recursive-l-diversity must be more than 0, got 0"),
        ("recursive-l-diversity:c=inf,l=2", "c of recursive-l-diversity"),
        ("recursive-l-diversity:l=2", "recursive-l-diversity needs c: how many times"),
        ("distinct-l-diversity", "distinct-l-diversity needs l: smallest number"),
        ("distinct-l-diversity:k=2", "has no parameter 'k'; parameters: attribute, l"),
        ("distinct-l-diversity:l=two", "l of distinct-l-diversity"),
    ],
)
def test_a_parameter_out_of_range_is_refused_with_its_range(spec, message):
    with pytest.raises(UsageError) as caught:
        registry.create("model", spec)
    assert message in str(caught.value)
