"""pd- and npd-recursive diversity: values that may be learned, and values nobody may be known not to have."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis import registry
from krypsis.data.groups import Groups
from krypsis.errors import UsageError
from krypsis.models.recursive_l_diversity import NpdRecursiveLDiversity, PdRecursiveLDiversity, RecursiveLDiversity
from models.references import naive_accepts
from strategies import PRESENT, groups, histograms

MANY = [str(number) for number in range(200)]
some_values = st.lists(st.sampled_from(PRESENT), unique=True, max_size=4).map(tuple)
ratios, ranks = st.sampled_from([0.5, 1, 1.5, 2, 4]), st.integers(2, 5)


@given(sample=groups(), c=ratios, rank=ranks, strict=st.booleans())
def test_without_allowed_values_it_is_recursive_diversity(sample, c, rank, strict):
    plain = RecursiveLDiversity(c=c, l=rank, strict=strict)
    pd = PdRecursiveLDiversity(c=c, l=rank, strict=strict)
    assert pd.accepts(sample).tolist() == plain.accepts(sample).tolist()
    assert pd.measure(sample) == plain.measure(sample)


@given(sample=groups(), c=ratios, rank=ranks, allowed=some_values, protected=some_values, percent=st.integers(0, 60))
def test_npd_implies_pd_and_is_pd_where_nothing_is_protected(sample, c, rank, allowed, protected, percent):
    pd = PdRecursiveLDiversity(c=c, l=rank, allowed=allowed).accepts(sample)
    npd = NpdRecursiveLDiversity(c1=c, c2=percent, l=rank, allowed=allowed, protected=protected)
    assert (npd.accepts(sample) <= pd).all()
    assert npd.model_copy(update={"protected": ()}).accepts(sample).tolist() == pd.tolist()


@given(sample=groups(), c=ratios, rank=ranks, allowed=some_values, more=st.sampled_from(PRESENT))
def test_allowing_another_value_refuses_no_group_more(sample, c, rank, allowed, more):
    fewer = PdRecursiveLDiversity(c=c, l=rank, allowed=allowed).accepts(sample)
    assert (fewer <= PdRecursiveLDiversity(c=c, l=rank, allowed=(*allowed, more)).accepts(sample)).all()


@given(histograms=histograms(), rank=ranks, allowed=some_values, c=st.sampled_from([1.001, 2, 5]))
def test_with_c_above_1_a_hidden_value_behind_the_first_l_1_never_matters(histograms, rank, allowed, c):
    """It is not more frequent than the value at rank l - 1, which is left when l - 2 others are ruled out."""
    accepted = PdRecursiveLDiversity(c=c, l=rank, allowed=allowed).accepts(Groups.of_histograms(histograms))
    for group, good in zip(histograms, accepted, strict=True):
        in_order = sorted(group, key=lambda value: (-group[value], value in allowed))
        hidden = [place for place, value in enumerate(in_order, start=1) if value not in allowed]
        if not hidden or hidden[0] > rank - 1:
            assert good


@pytest.mark.parametrize(("rank", "c"), [(3, 1), (2, 1 / 3)])
def test_the_textbook_block_with_cancer_allowed(rank, c):
    """Counts 2;1;1, Cancer the most frequent: y = 2; (c,3) needs c > 1 and (c,2) needs c > 1/3."""
    sample = Groups.of_histograms([{"Cancer": 2, "Heart Disease": 1, "Viral Infection": 1}])
    assert PdRecursiveLDiversity(c=1, l=rank, allowed=("Cancer",)).measure(sample) == pytest.approx(c)
    assert not PdRecursiveLDiversity(c=c, l=rank, allowed=("Cancer",)).accepts(sample).any()
    assert PdRecursiveLDiversity(c=c + 0.001, l=rank, allowed=("Cancer",)).accepts(sample).all()


def test_a_group_of_allowed_values_alone_tells_nothing_that_must_stay_hidden():
    sample = Groups.of_histograms([{"healthy": 5}, {"healthy": 4, "cold": 1}, {"healthy": 4, "hiv": 1}])
    model = PdRecursiveLDiversity(c=0.01, l=3, allowed=("healthy", "cold"))
    assert model.accepts(sample).tolist() == [True, True, False]
    assert model.measure(Groups.of_histograms([{"healthy": 5}])) == 0


def test_a_missing_value_is_never_allowed():
    sample = Groups.of_histograms([{None: 3}])
    assert PdRecursiveLDiversity(c=9, l=2, allowed=("None",)).measure(sample) == math.inf


def test_ties_are_read_in_the_strict_way():
    """Cancer, allowed, and flu are both most frequent: flu counts as the first."""
    sample = Groups.of_histograms([{"cancer": 3, "flu": 3, "hiv": 1, "cold": 1}])
    # y = 1 ≤ l - 1, so f(1) = 3 against f(3) + f(4) = 2; at rank 2 it would be the same sum
    assert PdRecursiveLDiversity(c=1, l=3, allowed=("cancer",)).measure(sample) == pytest.approx(1.5)


def test_a_protected_value_must_be_common_enough_everywhere():
    sample = Groups.of_histograms(
        [{"flu": 6, "cold": 3, "hiv": 1}, {"flu": 6, "cold": 6}, {"flu": 6, "cold": 6, "hiv": 1}]
    )
    model = NpdRecursiveLDiversity(c1=9, c2=10, l=2, protected=("hiv",))
    assert model.accepts(sample).tolist() == [True, False, False]  # 10 %, 0 %, 7.7 %
    assert model.measure(sample) == math.inf


@pytest.mark.parametrize(("percent", "count", "size"), [(10, 3, 30), (30, 3, 10), (70, 7, 10), (0.7, 7, 1000)])
def test_a_percentage_that_is_hit_exactly_is_enough(percent, count, size):
    sample = Groups.of_histograms([{"hiv": count, "flu": size - count}])
    assert NpdRecursiveLDiversity(c1=999, c2=percent, l=2, protected=("hiv",)).accepts(sample).all()


def test_a_protected_value_that_is_nowhere_makes_it_impossible():
    sample = Groups.of_histograms([{"flu": 1, "cold": 1}])
    assert not NpdRecursiveLDiversity(c1=9, c2=0.1, l=2, protected=("hiv",)).accepts(sample).any()
    assert NpdRecursiveLDiversity(c1=9, c2=0, l=2, protected=("hiv",)).accepts(sample).all()


@given(data=st.data(), c=ratios, rank=ranks)
def test_it_agrees_with_the_definition_where_few_of_many_values_occur(data, c, rank):
    group = st.dictionaries(st.sampled_from(MANY), st.integers(1, 5), min_size=1, max_size=5)
    sample = Groups.of_histograms(data.draw(st.lists(group, min_size=1, max_size=8)), whole=dict.fromkeys(MANY, 1))
    allowed = tuple(data.draw(st.sets(st.sampled_from(MANY), max_size=150)))
    model = PdRecursiveLDiversity(c=c, l=rank, allowed=allowed)
    assert model.accepts(sample).tolist() == naive_accepts(model, sample)


def test_a_group_without_records_makes_no_noise():
    empty = Groups(np.array([0, 2]), Groups.of_histograms([{}, {"a": 1, "b": 1}]).sensitive)
    assert PdRecursiveLDiversity(c=2, l=2).accepts(empty)[1]
    assert NpdRecursiveLDiversity(c1=2, c2=50, l=2, protected=("a",)).accepts(empty).tolist() == [False, True]


def test_values_are_given_as_a_list_with_commas():
    model = registry.create("model", 'npd-recursive-l-diversity:c1=2,c2=5,l=3,allowed="healthy,cold",protected=hiv')
    assert model.allowed == ("healthy", "cold")
    assert model.protected == ("hiv",)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("pd-recursive-l-diversity:c=2,l=1", "l of pd-recursive-l-diversity must be at least 2, got 1"),
        ("pd-recursive-l-diversity:c=0,l=2", "c of pd-recursive-l-diversity must be more than 0, got 0"),
        ("npd-recursive-l-diversity:c1=2,c2=101,l=2", "c2 of npd-recursive-l-diversity must be at most 100, got 101"),
        ("npd-recursive-l-diversity:c1=2,c2=-1,l=2", "c2 of npd-recursive-l-diversity must be at least 0, got -1"),
    ],
)
def test_a_parameter_out_of_range_is_refused_with_its_range(spec, message):
    with pytest.raises(UsageError) as caught:
        registry.create("model", spec)
    assert message in str(caught.value)
