"""Attributes as axes: their order, what a run of ranks costs, and what the user may say about them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis import registry
from krypsis.algorithms.tables.boxes import axes_of
from krypsis.data.hierarchies.base import Hierarchy
from krypsis.data.recoding import FrequencySet
from krypsis.errors import UsageError
from oracles.brute_force import expand, ncp_of_label
from strategies import frequency_sets

JOB = [["cook", "service", "*"], ["judge", "law", "*"], ["waiter", "service", "*"], [None, None, "*"]]


def axis_of(hierarchy, metric="generalized-loss", **options):
    codes = np.arange(len(hierarchy.values), dtype=np.int32).reshape(-1, 1)
    frequency = FrequencySet(("a",), (hierarchy,), codes, np.ones(len(codes), dtype=np.int64))
    return axes_of(frequency, registry.create("metric", metric), **options)[0]


def flat(*values):
    return Hierarchy.from_rows([[value, "*"] for value in values])


def in_order(axis):
    return [axis.hierarchy.values[code] for code in axis.code_at]


def test_numbers_come_by_size_other_values_as_the_tree_lists_them_and_missing_ones_last():
    assert in_order(axis_of(flat("10", None, "9", "1e1"))) == ["9", "10", "1e1", None]
    assert in_order(axis_of(Hierarchy.from_rows(JOB))) == ["cook", "waiter", "judge", None]


def test_a_tree_that_joins_numbers_that_are_no_neighbors_counts_by_its_own_order():
    odd = Hierarchy.from_rows([["1", "odd", "*"], ["2", "even", "*"], ["3", "odd", "*"]])
    assert in_order(axis_of(odd)) == ["1", "2", "3"]
    assert in_order(axis_of(odd, publish="hierarchy")) == ["1", "3", "2"]
    assert axis_of(odd, publish="hierarchy").kind == "taxonomy"


def test_the_kind_follows_from_the_values_and_may_be_said():
    assert axis_of(flat("1", "2")).kind == "numeric"
    assert axis_of(flat("01", "12")).kind == "ordered"
    assert axis_of(Hierarchy.from_rows(JOB)).kind == "taxonomy"
    assert axis_of(flat("01", "12"), kinds={"a": "numeric"}).kind == "numeric"
    assert axis_of(Hierarchy.from_rows(JOB), kinds={"a": "ordered"}).form == "set"


@pytest.mark.parametrize("option", ["kinds", "publish"])
def test_an_attribute_that_there_is_not_is_an_error_with_the_names_there_are(option):
    given_for = {"kinds": "ordered", "publish": "sets"}[option]
    with pytest.raises(UsageError, match=rf"{option} names 'aa'.*those are: a\. Did you mean 'a'"):
        axis_of(flat("1", "2"), **{option: {"aa": given_for}})


def test_a_range_of_numbers_costs_its_share_of_the_distance_or_with_loss_of_the_values():
    ages = flat("20", "21", "40")
    assert axis_of(ages).cost(np.array([0]), np.array([1])).tolist() == [0.05]
    assert axis_of(ages, "loss").cost(np.array([0]), np.array([1])).tolist() == [0.5]


def test_numbers_at_the_ends_of_what_there_is_have_places_on_the_axis():
    axis = axis_of(flat("-1.7e308", "0", "1.7e308"))
    assert axis.position.tolist() == [0, 0.5, 1]


def test_a_missing_value_beside_others_costs_everything_and_alone_nothing():
    axis = axis_of(flat("1", "2", None))
    assert axis.cost(np.array([1, 2]), np.array([2, 2])).tolist() == [1, 0]


@given(frequency=frequency_sets(), data=st.data())
def test_a_node_costs_what_the_metric_charges_for_the_lowest_common_ancestor(frequency, data):
    metric = registry.create("metric", data.draw(st.sampled_from(["loss", "ncp", "precision"])))
    for axis in axes_of(frequency, metric, "hierarchy"):
        if axis.form != "node":
            continue
        low, high = sorted(data.draw(st.tuples(*[st.integers(0, len(axis.code_at) - 1)] * 2)))
        table, members = axis.hierarchy.table, axis.code_at[low : high + 1]
        level = next(level for level in range(len(table)) if len(set(table[level, members])) == 1)
        leaves = (table[level] == table[level, members[0]]).sum()
        wanted = metric.penalty(np.array([leaves]), len(axis.code_at), np.array([level / axis.hierarchy.height]))
        if metric.name == "ncp":
            occurring = [row[0][frequency.attributes.index(axis.name)] for row in expand(frequency)]
            label = axis.hierarchy.label(axis.hierarchy.values[members[0]], level)
            wanted = [ncp_of_label(axis.hierarchy.rows(), level, label, occurring)]
        assert axis.cost(np.array([low]), np.array([high])) == pytest.approx(wanted)


@given(frequency=frequency_sets(), publish=st.sampled_from(["auto", "ranges", "sets", "hierarchy"]))
def test_ranks_and_codes_are_two_names_of_the_same_values_and_wider_runs_never_cost_less(frequency, publish):
    for axis in axes_of(frequency, registry.create("metric", "loss"), publish):
        ranks = np.arange(len(axis.code_at))
        assert (axis.rank_of[axis.code_at] == ranks).all()
        low, high = (part.ravel() for part in np.meshgrid(ranks, ranks))
        costs = np.where(low <= high, axis.cost(np.minimum(low, high), high), 0).reshape(len(ranks), len(ranks))
        known = costs[: axis.known, : axis.known]
        assert (np.diff(known, axis=0) >= 0).all()
        assert costs.min() >= 0
        assert costs.max() <= 1
