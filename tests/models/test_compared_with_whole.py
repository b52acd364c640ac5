"""δ-disclosure, β-likeness and Bayes breaches: what a group reveals beyond the whole table."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis import registry
from krypsis.data.groups import Groups
from krypsis.errors import UsageError
from krypsis.models.bayes_breach import BayesBreach
from krypsis.models.beta_likeness import BasicBetaLikeness, EnhancedBetaLikeness
from krypsis.models.delta_disclosure import DeltaDisclosure
from krypsis.models.t_closeness import TCloseness
from strategies import groups

ALL = ["delta-disclosure:delta=0.5", "basic-beta-likeness:beta=1", "enhanced-beta-likeness:beta=1"]
betas = st.sampled_from([0.1, 0.5, 1.0, 3.0])


def test_half_of_a_group_with_cancer_where_the_table_has_one_in_twenty():
    sample = Groups.of_histograms([{"flu": 5, "cancer": 5}], whole={"flu": 95, "cancer": 5})
    assert BasicBetaLikeness(beta=1).measure(sample) == pytest.approx(9)  # ten times as frequent: a gain of nine times
    assert DeltaDisclosure(delta=1).measure(sample) == pytest.approx(math.log(10))
    assert BayesBreach(p1=0.1, p2=0.4).measure(sample) == pytest.approx(0.5)


@given(sample=groups(), beta=betas)
def test_enhanced_likeness_implies_basic_likeness(sample, beta):
    assert (EnhancedBetaLikeness(beta=beta).accepts(sample) <= BasicBetaLikeness(beta=beta).accepts(sample)).all()


@given(sample=groups(), delta=st.sampled_from([0.1, 0.5, 1.0, 2.0]))
def test_delta_disclosure_implies_likeness_with_the_same_factor(sample, delta):
    likeness = BasicBetaLikeness(beta=math.exp(delta) - 1)
    assert (DeltaDisclosure(delta=delta).accepts(sample) <= likeness.accepts(sample)).all()


@given(sample=groups(), beta=st.sampled_from([0.1, 0.5, 0.9]))
def test_likeness_bounds_the_distance_of_a_group_from_the_whole(sample, beta):
    """Σ max(p - q, 0) ≤ Σ beta·q = beta."""
    assert (BasicBetaLikeness(beta=beta).accepts(sample) <= TCloseness(t=beta).accepts(sample)).all()


@given(sample=groups())
def test_under_enhanced_likeness_nobody_is_certain_of_a_value_unless_all_have_it(sample):
    for name, histogram in sample.sensitive.items():
        certain = np.bincount(histogram.group, minlength=len(sample)) == 1
        if np.count_nonzero(histogram.whole) > 1:
            assert not EnhancedBetaLikeness(beta=1e9, attribute=name).accepts(sample)[certain].any()


def test_a_group_that_lacks_a_value_of_the_table_discloses_that():
    sample = Groups.of_histograms([{"flu": 3, "cancer": 2}], whole={"flu": 3, "cancer": 2, "hiv": 1})
    assert DeltaDisclosure(delta=100).accepts(sample).tolist() == [False]
    assert DeltaDisclosure(delta=100).measure(sample) == math.inf


def test_looking_only_at_values_that_a_group_has_would_not_be_monotone():
    """ARX leaves out values that a group lacks; then both groups would pass and their union would not."""
    whole = {"flu": 50, "cancer": 50}
    groups_of_arx = [{"flu": 10}, {"flu": 6, "cancer": 4}, {"flu": 16, "cancer": 4}]
    levels = [
        max(abs(math.log2(count / sum(group.values()) / 0.5)) for count in group.values()) for group in groups_of_arx
    ]
    assert levels[0] < 1.1
    assert levels[1] < 1.1
    assert levels[2] > 1.1
    sample = Groups.of_histograms(groups_of_arx, whole=whole)
    assert DeltaDisclosure(delta=1.1 * math.log(2)).accepts(sample).tolist() == [False, True, False]


@pytest.mark.parametrize("spec", ALL)
def test_one_distinct_value_in_the_whole_table_tells_nothing(spec):
    sample = Groups.of_histograms([{"flu": 3}, {"flu": 1}])
    assert registry.create("model", spec).accepts(sample).all()
    assert registry.create("model", spec).measure(sample) == 0


@pytest.mark.parametrize("spec", [*ALL, "bayes-breach:p1=0.1,p2=0.5"])
def test_a_column_without_any_value_tells_nothing(spec):
    sample = Groups.of_histograms([{None: 3}, {None: 1}])
    assert registry.create("model", spec).accepts(sample).all()


@pytest.mark.parametrize("spec", [*ALL, "bayes-breach:p1=0.1,p2=0.5"])
def test_a_value_that_the_whole_table_does_not_have_is_refused_without_a_warning(spec):
    sample = Groups.of_histograms([{"flu": 1, "hiv": 9}], whole={"flu": 10})
    assert registry.create("model", spec).accepts(sample).tolist() == [False]


@pytest.mark.parametrize("spec", [*ALL, "bayes-breach:p1=0.1,p2=0.5"])
def test_a_group_without_records_makes_no_noise(spec):
    filled = Groups.of_histograms([{}, {"a": 1, "b": 1}])
    assert registry.create("model", spec).accepts(Groups(np.array([0, 2]), filled.sensitive))[1]


@pytest.mark.parametrize(("beta", "whole"), [(0.1, 10), (0.3, 10), (0.7, 10), (0.5, 4)])
def test_a_gain_that_is_hit_exactly_is_allowed(beta, whole):
    gained = round(whole * (1 + beta))
    sample = Groups.of_histograms([{"a": gained, "b": 100 - gained}], whole={"a": whole, "b": 100 - whole})
    assert BasicBetaLikeness(beta=beta).accepts(sample).all()
    assert not BasicBetaLikeness(beta=beta - 0.001).accepts(sample).any()


def test_a_breach_may_be_a_value_that_becomes_unlikely():
    sample = Groups.of_histograms(
        [{"healthy": 1, "flu": 3}, {"healthy": 3, "flu": 1}, {"flu": 4}], whole={"healthy": 95, "flu": 5}
    )
    # of healthy, 95 % before, 25 %, 75 % and 0 % are left
    assert BayesBreach(p1=0.1, p2=0.5).accepts(sample).tolist() == [False, True, False]
    assert BayesBreach(p1=0.1, p2=0.5).measure(sample) == 1


@given(sample=groups(), p2=st.sampled_from([0.5, 0.9, 0.99]))
def test_values_that_are_neither_unlikely_nor_likely_are_no_breach(sample, p2):
    for name, histogram in sample.sensitive.items():
        if (
            histogram.whole.min() * 1000 > histogram.whole.sum()
            and histogram.whole.max() * 1000 < 999 * histogram.whole.sum()
        ):
            assert BayesBreach(p1=0.001, p2=p2, attribute=name).accepts(sample).all()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("delta-disclosure:delta=0", "delta of delta-disclosure must be more than 0, got 0"),
        ("delta-disclosure:delta=nan", "delta of delta-disclosure"),
        ("basic-beta-likeness:beta=-1", "beta of basic-beta-likeness must be more than 0, got -1"),
        ("enhanced-beta-likeness:beta=inf", "beta of enhanced-beta-likeness"),
        ("bayes-breach:p1=0,p2=0.5", "p1 of bayes-breach must be more than 0, got 0"),
        ("bayes-breach:p1=0.1,p2=1.5", "p2 of bayes-breach must be less than 1, got 1.5"),
        ("bayes-breach:p1=0.5,p2=0.3", "p2 of bayes-breach must be at least p1, got p1=0.5 and p2=0.3"),
    ],
)
def test_a_parameter_out_of_range_is_refused_with_its_range(spec, message):
    with pytest.raises(UsageError) as caught:
        registry.create("model", spec)
    assert message in str(caught.value)
