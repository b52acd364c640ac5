"""What every model about all groups together has to keep."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.data.groups import Groups
from krypsis.models.base import TableModel
from models.population_references import TOGETHER
from strategies import models_of, table_models

every_model = pytest.mark.parametrize("cls", table_models().values(), ids=list(table_models()))
some_sizes = st.lists(st.integers(1, 6), min_size=1, max_size=7)


def some_model(cls: type[TableModel]) -> st.SearchStrategy[TableModel]:
    """A model that the reference can judge."""
    exact = {"estimator": "zayatz"} if "estimator" in cls.model_fields else {}
    return models_of(cls).map(lambda model: model.model_copy(update=exact))


@every_model
@given(data=st.data())
def test_it_agrees_with_the_slow_reference_for_all_groups_or_none(cls, data):
    assert cls.name in TOGETHER, "write a plain reference in tests/models/population_references.py"
    sizes, model = data.draw(some_sizes), data.draw(some_model(cls))
    expected = TOGETHER[cls.name](model, sizes)
    assert model.accepts(Groups.of_sizes(sizes)).tolist() == [expected] * len(sizes)


@every_model
@given(data=st.data())
def test_the_level_achieved_says_whether_the_promise_holds(cls, data):
    groups, model = Groups.of_sizes(data.draw(some_sizes)), data.draw(models_of(cls))
    achieved = model.measure(groups)
    assert isinstance(achieved, float)
    assert model.accepts(groups).all() == (
        achieved >= model.required if cls.better == "higher" else achieved <= model.required
    )


@every_model
@given(data=st.data())
def test_the_order_of_groups_means_nothing(cls, data):
    sizes, model = data.draw(some_sizes), data.draw(models_of(cls))
    other = data.draw(st.permutations(sizes))
    assert model.measure(Groups.of_sizes(sizes)) == pytest.approx(model.measure(Groups.of_sizes(other)))


@every_model
@given(data=st.data())
def test_no_fewer_records_can_be_left_out(cls, data):
    """Try all ways to leave out groups, besides one that is refused already."""
    sizes, model = data.draw(some_sizes), data.draw(some_model(cls))
    gone = data.draw(st.none() | st.integers(0, len(sizes) - 1))
    groups, refused = Groups.of_sizes(sizes), np.arange(len(sizes)) == (-1 if gone is None else gone)
    left_out = model.refused(groups, refused)
    assert (left_out >= refused).all()
    free = np.flatnonzero(~refused).tolist()
    lost = int(groups.sizes[left_out & ~refused].sum())
    kept = groups.sizes[~left_out].tolist()
    assert not kept or TOGETHER[cls.name](model, kept)
    ways = [way for number in range(len(free) + 1) for way in combinations(free, number)]
    enough = [
        sum(sizes[place] for place in way)
        for way in ways
        if len(way) == len(free) or TOGETHER[cls.name](model, [sizes[place] for place in free if place not in way])
    ]
    assert lost == min(enough)


@every_model
@given(data=st.data())
def test_of_groups_of_one_size_the_first_are_left_out_and_smaller_ones_before(cls, data):
    sizes, model = data.draw(some_sizes), data.draw(some_model(cls))
    left_out = model.refused(Groups.of_sizes(sizes), np.zeros(len(sizes), dtype=np.bool_))
    in_order = sorted(range(len(sizes)), key=lambda place: (sizes[place], place))
    number = int(left_out.sum())
    assert left_out[in_order].tolist() == [True] * number + [False] * (len(sizes) - number)


@every_model
@given(data=st.data())
def test_without_groups_nothing_is_refused_and_the_level_is_0(cls, data):
    model = data.draw(models_of(cls))
    assert model.accepts(Groups.of_sizes([])).tolist() == []
    assert model.measure(Groups.of_sizes([])) == 0.0
    assert model.least_suppressed(Groups.of_sizes([1, 2])).tolist() == [0, 0]
