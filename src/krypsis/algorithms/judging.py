"""What a promise says of many groups, compiled for those promises that searches ask thousands of times."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from krypsis.groups import BoolArray, FloatArray, Groups, Histogram, IntArray
from krypsis.kernels.histograms import divide_by_rare, sum_excess
from krypsis.models.base import GroupModel, SensitiveModel
from krypsis.models.recursive_l_diversity import RecursiveLDiversity
from krypsis.models.t_closeness import TCloseness

MOST_RANKS = 8
"""Up to this rank the largest counts of a group are noted one by one; beyond, sorting is as fast."""


def accepted(model: GroupModel, groups: Groups) -> BoolArray:
    """Say for each group whether it keeps the promise: what the model itself says, only faster.

    Examples
    --------
    >>> groups = Groups.of_histograms([{"flu": 3, "cancer": 1, "hiv": 1}, {"flu": 4, "cancer": 1, "hiv": 1}])
    >>> accepted(RecursiveLDiversity(c=2, l=2), groups)
    array([ True, False])
    """
    levels = _COMPILED.get(type(model))
    if levels is None or not isinstance(model, SensitiveModel):
        return model.accepts(groups)
    histograms = groups.histograms(model.attribute)
    answers = [model.suffices(levels(model, histogram, groups.sizes)) for histogram in histograms.values()]
    return np.asarray(np.logical_and.reduce(answers))


def _distances(model: SensitiveModel, histogram: Histogram, sizes: IntArray) -> FloatArray:
    if not isinstance(model, TCloseness) or model.distance != "equal":
        return model.levels(histogram, sizes)
    shares = histogram.whole / max(int(histogram.whole.sum()), 1)
    sums = np.zeros(len(sizes))
    sum_excess(histogram.group, histogram.value, histogram.count, sizes, shares, sums)
    return sums


def _ratios(model: SensitiveModel, histogram: Histogram, sizes: IntArray) -> FloatArray:
    if not isinstance(model, RecursiveLDiversity) or not 2 <= model.l <= MOST_RANKS:
        return model.levels(histogram, sizes)
    largest = np.zeros((len(sizes), model.l - 1), dtype=np.int64)
    ratios = np.zeros(len(sizes))
    divide_by_rare(histogram.group, histogram.count, largest, ratios)
    return ratios


_COMPILED: Mapping[type[GroupModel], Callable[[SensitiveModel, Histogram, IntArray], FloatArray]] = {
    RecursiveLDiversity: _ratios,
    TCloseness: _distances,
}
