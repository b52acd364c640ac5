"""What every model that compares groups with a population has to keep."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.data.groups import Groups
from krypsis.errors import UsageError
from krypsis.models.base import GroupModel
from krypsis.models.delta_presence import DeltaPresence, PublishedPresence
from models.population_references import PEOPLE
from strategies import models_of, population_models

every_model = pytest.mark.parametrize("cls", population_models().values(), ids=list(population_models()))


@st.composite
def crowds(draw: st.DrawFn, min_groups: int = 1, min_records: int = 0) -> Groups:
    """Groups of a population; of some nobody is in the data."""
    pairs = st.tuples(st.integers(min_records, 6), st.integers(0, 6)).filter(any)
    drawn = draw(st.lists(pairs, min_size=min_groups, max_size=6))
    return crowd([(records, records + others) for records, others in drawn])


def crowd(pairs: list[tuple[int, int]]) -> Groups:
    records, people = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return Groups(records, population=people)


def pairs_of(groups: Groups) -> list[tuple[int, int]]:
    return list(zip(groups.sizes.tolist(), groups.people("it").tolist(), strict=True))


def together(groups: Groups) -> Groups:
    return crowd([(groups.rows, int(groups.people("it").sum()))])


def often_kept(cls: type[GroupModel]) -> st.SearchStrategy[GroupModel]:
    """A model whose limits are shares of small numbers, so that groups are at a limit or just beyond it."""
    if "delta_min" not in cls.model_fields:
        return models_of(cls)
    shares = st.tuples(*[st.sampled_from([0, 0.2, 0.25, 0.5, 0.75, 0.8, 1])] * 2).map(sorted)
    return shares.map(lambda limits: cls(delta_min=limits[0], delta_max=limits[1]))


@every_model
@given(data=st.data())
def test_it_agrees_with_the_slow_reference(cls, data):
    assert cls.name in PEOPLE, "write a plain reference in tests/models/population_references.py"
    groups, model = data.draw(crowds()), data.draw(models_of(cls))
    expected = [PEOPLE[cls.name](model, records, people) for records, people in pairs_of(groups)]
    assert model.accepts(groups).tolist() == expected


@every_model
@given(data=st.data())
def test_the_level_achieved_says_whether_all_groups_are_accepted(cls, data):
    groups, model = data.draw(crowds(min_records=1)), data.draw(models_of(cls))
    achieved = model.measure(groups)
    assert model.accepts(groups).all() == (
        achieved >= model.required if cls.better == "higher" else achieved <= model.required
    )


@every_model
@given(data=st.data())
def test_the_level_achieved_is_that_of_the_worst_group(cls, data):
    groups, model = data.draw(crowds(min_records=1)), data.draw(models_of(cls))
    levels = [model.measure(crowd([pair])) for pair in pairs_of(groups)]
    assert model.measure(groups) == (min(levels) if cls.better == "higher" else max(levels))


@every_model
@given(data=st.data())
def test_unions_are_accepted_where_claimed(cls, data):
    groups, model = data.draw(crowds(min_groups=2)), data.draw(often_kept(cls))
    accepted = model.accepts(groups)
    if cls.monotone and accepted.all():
        assert model.accepts(together(groups)).all()
    first_two = crowd(pairs_of(groups)[:2])
    if cls.monotone_with_suppression and groups.sizes[0] and accepted[0]:
        assert model.accepts(together(first_two)).all()


@every_model
@given(data=st.data())
def test_what_must_be_suppressed_in_a_group_is_suppressed_however_it_is_cut(cls, data):
    parts, model = data.draw(crowds()), data.draw(models_of(cls))
    lost = int(parts.sizes[~model.accepts(parts)].sum())
    (least,) = model.least_suppressed(together(parts))
    assert 0 <= least <= parts.rows
    if not model.judges_absent:  # then one refused group refuses them all
        assert least <= lost


@every_model
@given(data=st.data())
def test_without_groups_nothing_is_refused_and_the_level_is_0(cls, data):
    model = data.draw(models_of(cls))
    assert model.accepts(crowd([])).tolist() == []
    assert model.measure(crowd([])) == 0.0


@every_model
@given(data=st.data())
def test_it_asks_for_the_population(cls, data):
    model = data.draw(models_of(cls))
    with pytest.raises(UsageError, match=f"{cls.name}:.* is about the population .* none is given; .*--population"):
        model.accepts(Groups.of_sizes([3]))


def test_who_does_not_count_may_push_a_group_below_its_limit():
    """Why published-presence is not monotone, and delta-presence not with suppression."""
    published, everybody = PublishedPresence(delta_min=0.75, delta_max=1), DeltaPresence(delta_min=0.75, delta_max=1)
    assert published.accepts(crowd([(3, 4), (0, 1)])).tolist() == [True, True]
    assert everybody.accepts(crowd([(3, 4), (0, 1)])).tolist() == [True, False]
    for model in (published, everybody):
        assert model.accepts(crowd([(3, 5)])).tolist() == [False]
