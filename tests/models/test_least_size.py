"""What a promise says of the sizes of groups is true of every group."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis.models.k_anonymity import KAnonymity
from strategies import group_models, groups, models_of


@pytest.mark.parametrize("name", group_models())
@given(data=st.data())
def test_a_group_smaller_than_the_promise_says_is_never_accepted(name, data):
    model, drawn = data.draw(models_of(group_models()[name])), data.draw(groups())
    assert model.least_size >= 1
    assert not model.accepts(drawn)[drawn.sizes < model.least_size].any()


def test_k_anonymity_says_how_small_a_group_may_be():
    assert KAnonymity(k=5).least_size == 5
