"""Entropy of the source that a small group is drawn from."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given

from krypsis import registry
from krypsis.data.groups import Groups
from krypsis.models.l_diversity import DistinctLDiversity, EntropyLDiversity, GrassbergerLDiversity
from strategies import histograms

PUBLISHED = {1: -1.27036, 2: 0.72964, 3: 0.72964, 4: 1.39630, 6: 1.79630, 100: 4.60519}
"""G(n) as tables print it, rounded."""


@pytest.mark.parametrize("count", PUBLISHED)
def test_the_corrected_logarithm_is_the_published_one(count):
    """A group of ``n`` values, each once, has the estimate G(n) - G(1); many values, so that entropy is what counts."""
    estimate = math.exp(PUBLISHED[count] - PUBLISHED[1])
    sample = Groups.of_histograms([{str(number): 1 for number in range(count)}])
    assert GrassbergerLDiversity(l=1).measure(sample) == pytest.approx(min(count, estimate), rel=1e-5)


def test_two_accepted_groups_may_be_refused_as_one():
    sample = Groups.of_histograms([{"flu": 1, "cancer": 1}, {"flu": 2, "cancer": 2}])
    assert GrassbergerLDiversity(l=2).accepts(sample).tolist() == [True, False]
    assert GrassbergerLDiversity(l=1).levels(sample.sensitive["sensitive"], sample.sizes).tolist() == pytest.approx(
        [2, math.exp(2 / 3)]
    )
    assert not GrassbergerLDiversity.monotone


@given(histograms=histograms())
def test_it_implies_distinct_diversity(histograms):
    sample = Groups.of_histograms(histograms)
    for diversity in (1, 2, 2.5, 3):
        distinct = DistinctLDiversity(l=math.ceil(diversity)).accepts(sample)
        assert (GrassbergerLDiversity(l=diversity).accepts(sample) <= distinct).all()


def test_in_large_groups_the_correction_vanishes():
    sample = Groups.of_histograms([{"a": 70_000, "b": 20_000, "c": 10_000}])
    assert GrassbergerLDiversity(l=1).measure(sample) == pytest.approx(EntropyLDiversity(l=1).measure(sample), rel=1e-4)


def test_on_average_over_all_samples_it_is_nearer_to_the_entropy_of_the_source():
    """All samples of four from three equally likely values, whose entropy is log 3."""
    samples = [np.bincount(drawn, minlength=3) for drawn in product(range(3), repeat=4)]
    sample = Groups.of_histograms([{str(v): int(c) for v, c in enumerate(counts) if c} for counts in samples])
    histogram = sample.sensitive["sensitive"]
    plain = np.log(EntropyLDiversity(l=1).levels(histogram, sample.sizes)).mean()
    # the estimate itself, not cut at the number of values
    weights = np.bincount(histogram.group, histogram.count * _g(histogram.count))
    corrected = (_g(sample.sizes) - weights / sample.sizes).mean()
    assert abs(corrected - math.log(3)) < abs(plain - math.log(3)) / 2


def _g(counts):
    return np.array([sum(2 / (2 * step - 1) for step in range(1, count // 2 + 1)) for count in counts])


def test_it_is_called_by_its_long_name_too():
    assert registry.create("model", "grassberger-entropy-l-diversity:l=3") == GrassbergerLDiversity(l=3)


def test_a_column_without_values_and_a_group_without_records():
    assert GrassbergerLDiversity(l=1).accepts(Groups.of_histograms([{None: 3}])).tolist() == [True]
    empty = Groups(np.array([0, 2]), Groups.of_histograms([{}, {"a": 1, "b": 1}]).sensitive)
    assert GrassbergerLDiversity(l=1).accepts(empty).tolist() == [False, True]
