"""What Incognito refuses, and what it says then."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.tables.lattices import (
    of_models,
    slow_solutions,
)
from krypsis import registry
from krypsis.algorithms.tables.incognito.incognito import MOST_NODES, Incognito
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import FrequencySet
from krypsis.errors import Infeasible, UsageError
from krypsis.models.base import GroupModel
from krypsis.models.k_anonymity import KAnonymity
from strategies import frequency_sets

LOSS = registry.create("metric", "loss")
OPTIONS = [Incognito(super_roots=roots, cube=cube) for roots, cube in product([True, False], repeat=2)]


class Picky(GroupModel):
    """Accepts groups of an even number of records below six: neither kind of monotone."""

    name = ""
    monotone = False
    monotone_with_suppression = False
    better = "higher"
    reference = "none"

    @property
    def spec(self):
        return "picky"

    @property
    def required(self):
        return 0.0

    def promise(self):
        return "every group has two or four records"

    def accepts(self, groups):
        return np.isin(groups.sizes, [2, 4])

    def measure(self, groups):
        return float(groups.sizes.min())


@given(frequency=frequency_sets(sensitive=1))
def test_a_model_that_is_not_monotone_is_refused_with_the_reason_and_the_way_out(frequency):
    with pytest.raises(UsageError, match=r"incognito .*picky is not monotone: two groups .* algorithm 'optimal'"):
        Incognito().search(frequency, [KAnonymity(k=2), Picky()], LOSS, Limits(0))
    with pytest.raises(UsageError, match="picky is not monotone"):
        Incognito().solutions(frequency, [Picky()], Limits(0))


@given(frequency=frequency_sets(sensitive=1), model=of_models("monotone"), limit=st.integers(1, 5))
def test_suppression_is_refused_where_it_may_cost_more_higher_up(frequency, model, limit):
    if model.monotone_with_suppression:
        Incognito().solutions(frequency, [model], Limits(limit))
        return
    with pytest.raises(UsageError, match=rf"up to {limit} suppressed records .* suppress more\. .*'optimal'"):
        Incognito().search(frequency, [model], LOSS, Limits(limit))


@given(frequency=frequency_sets(sensitive=0))
def test_suppressed_records_that_stay_are_refused_unless_none_may_be_suppressed(frequency):
    with pytest.raises(UsageError, match=r"kept as a group: .* too few .*'optimal'"):
        Incognito().search(frequency, [KAnonymity(k=2)], LOSS, Limits(1, keep=True))
    expected = slow_solutions(frequency, [KAnonymity(k=2)], Limits(0))
    assert list(Incognito().solutions(frequency, [KAnonymity(k=2)], Limits(0, keep=True)).nodes) == expected


def flat_table(attributes, height=1):
    tree = Hierarchy.from_rows([["a", *"bcdefghij"[: height - 1], "*"], ["z", *"zyxwvutsr"[: height - 1], "*"]])
    codes = np.array([[0] * attributes, [1] * attributes], dtype=np.int32)
    names = tuple(f"q{number}" for number in range(attributes))
    return FrequencySet(names, (tree,) * attributes, codes, np.array([2, 2]))


def test_forty_attributes_are_refused_with_their_number_of_nodes():
    with pytest.raises(UsageError, match=rf"up to {MOST_NODES:,}; here are {3**40 - 1:,}\. .*'optimal' or 'datafly'"):
        Incognito().search(flat_table(40), [KAnonymity(k=2)], LOSS, Limits(0))


def test_attributes_may_be_held_at_their_lowest_level():
    limits = Limits(0, highest=(1,) * 3 + (0,) * 7)
    found = Incognito().solutions(flat_table(10), [KAnonymity(k=2)], limits)
    assert found.minimal == ((0,) * 10,)
    assert len(found.nodes) == 8


def test_levels_out_of_range_are_named():
    with pytest.raises(UsageError, match="levels of 'q1' must lie between 0 and 1"):
        Incognito().search(flat_table(2), [KAnonymity(k=2)], LOSS, Limits(0, highest=(1, 2)))


@given(frequency=frequency_sets(sensitive=0))
def test_more_records_than_there_are_cannot_look_alike(frequency):
    models = [KAnonymity(k=frequency.rows + 1)]
    with pytest.raises(Infeasible, match=rf"the best is k-anonymity {frequency.rows}\b"):
        Incognito().search(frequency, models, LOSS, Limits(0))
    assert Incognito().solutions(frequency, models, Limits(frequency.rows)).nodes == ()


@given(frequency=frequency_sets(max_attributes=2, sensitive=2), k=st.integers(1, 3))
def test_sensitive_attributes_nobody_asks_about_change_nothing(frequency, k):
    without = replace(frequency, sensitive={})
    for incognito in OPTIONS:
        assert incognito.solutions(frequency, [KAnonymity(k=k)], Limits(1)) == incognito.solutions(
            without, [KAnonymity(k=k)], Limits(1)
        )
