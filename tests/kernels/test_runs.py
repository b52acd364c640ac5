"""What the compiled loops charge for a run of values is what the axis charges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.algorithms.tables.boxes import axes_of
from krypsis.algorithms.tables.clustering.space import run_costs
from krypsis.data.recoding import FrequencySet
from krypsis.kernels.runs import box_cost, cost_of_run, join_costs
from krypsis.metrics.loss import GeneralizedLoss, Loss
from krypsis.metrics.ncp import NormalizedCertaintyPenalty
from strategies import VALUES, hierarchies

METRICS = (GeneralizedLoss(), Loss(), NormalizedCertaintyPenalty())


@st.composite
def spaces(draw):
    """Two axes with weights, published in any form, with tables of all runs or without."""
    trees = (draw(hierarchies(VALUES)), draw(hierarchies(VALUES)))
    codes = np.zeros((1, 2), dtype=np.int32)
    weights = (draw(st.sampled_from([0.5, 1.0, 3.0])), 1.0)
    frequency = FrequencySet(("a", "b"), trees, codes, np.ones(1, dtype=np.int64), weights=weights)
    publish = draw(st.sampled_from(["auto", "ranges", "sets", "hierarchy"]))
    axes = axes_of(frequency, draw(st.sampled_from(METRICS)), publish)
    return axes, run_costs(axes, draw(st.sampled_from([0, 256])))


def runs(axis):
    ranks = range(len(axis.code_at))
    return [(low, high) for low in ranks for high in ranks if low <= high]


@given(space=spaces())
def test_every_run_costs_what_its_axis_says_times_the_weight(space):
    axes, costs = space
    for place, axis in enumerate(axes):
        for low, high in runs(axis):
            expected = axis.weight * axis.cost(np.array([low]), np.array([high]))[0]
            assert cost_of_run(costs, place, low, high) == pytest.approx(expected, abs=1e-12)


@given(space=spaces(), data=st.data())
def test_a_box_joined_with_others_costs_what_the_box_around_both_costs(space, data):
    axes, costs = space
    drawn = st.tuples(*[st.sampled_from(runs(axis)) for axis in axes])
    boxes = np.array(data.draw(st.lists(drawn, min_size=2, max_size=6)), dtype=np.int32)
    lows, highs = (np.ascontiguousarray(boxes[:, :, side].T) for side in (0, 1))
    joined = np.empty(len(boxes) - 1)
    join_costs(costs, lows[:, 0].copy(), highs[:, 0].copy(), lows[:, 1:].copy(), highs[:, 1:].copy(), joined)
    around = [
        box_cost(costs, np.minimum(lows[:, 0], lows[:, other]), np.maximum(highs[:, 0], highs[:, other]))
        for other in range(1, len(boxes))
    ]
    assert joined == pytest.approx(around, abs=1e-12)
