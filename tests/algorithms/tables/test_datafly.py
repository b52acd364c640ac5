"""Datafly takes the steps of its paper."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krypsis import registry
from krypsis.algorithms.tables.datafly import Datafly
from krypsis.algorithms.tables.lattice.lattice import Limits
from krypsis.data.recoding import FrequencySet
from krypsis.errors import Infeasible
from krypsis.models.k_anonymity import KAnonymity
from oracles.brute_force import BruteForce
from strategies import frequency_sets, some_group_model

LOSS = registry.create("metric", "loss")

some_model = some_group_model()


def slow_datafly(frequency: FrequencySet, models: list[Any], allowed: int) -> tuple[int, ...] | None:
    """Sweeney's loop over records in plain Python."""
    force = BruteForce(frequency)
    levels = (0,) * len(frequency.attributes)
    while True:
        node = force.node(levels, models)
        if node.lost <= allowed and node.lost < len(force.rows):
            return levels
        distinct = [len({label[column] for label in node.released}) for column in range(len(levels))]
        free = [column for column, level in enumerate(levels) if level < frequency.heights[column]]
        if not free:
            return None
        widest = next(column for column in free if distinct[column] == max(distinct[column] for column in free))
        levels = tuple(level + (column == widest) for column, level in enumerate(levels))


@given(frequency_sets(sensitive=1), some_model, st.integers(0, 5))
def test_it_goes_where_the_slow_loop_goes(frequency, model, allowed):
    expected = slow_datafly(frequency, [model], allowed)
    try:
        found = Datafly().search(frequency, [model], LOSS, Limits(allowed)).levels
    except Infeasible:
        found = None
    assert found == expected


@given(frequency_sets(sensitive=0), st.integers(1, 4))
def test_without_a_limit_at_most_k_records_are_suppressed(frequency, k):
    if frequency.rows < k:
        return
    recoding = Datafly().search(frequency, [KAnonymity(k=k)], LOSS, Limits())
    assert frequency.counts[recoding.suppressed].sum() <= k
    assert recoding.levels == slow_datafly(frequency, [KAnonymity(k=k)], k)


@given(frequency_sets(sensitive=0), st.integers(1, 4))
def test_records_that_stay_make_a_group_of_k(frequency, k):
    try:
        recoding = Datafly().search(frequency, [KAnonymity(k=k)], LOSS, Limits(frequency.rows, keep=True))
    except Infeasible:
        assert frequency.rows < k
        return
    suppressed = frequency.counts[recoding.suppressed].sum()
    assert suppressed == 0 or suppressed >= k


@given(frequency_sets(sensitive=0))
def test_its_trace_tells_every_step(frequency):
    recoding = Datafly().search(frequency, [KAnonymity(k=1)], LOSS, Limits(0))
    (step,) = recoding.figures
    force = BruteForce(frequency)
    values = [Counter(row[0][column] for row in force.rows) for column in range(len(frequency.attributes))]
    assert step == {
        "levels": (0,) * len(frequency.attributes),
        "distinct": dict(zip(frequency.attributes, map(len, values), strict=True)),
        "undersized": 0,
    }


@given(frequency_sets(sensitive=0))
def test_more_records_than_there_are_cannot_look_alike(frequency):
    with pytest.raises(Infeasible, match=rf"the best is k-anonymity {frequency.rows}\b") as caught:
        Datafly().search(frequency, [KAnonymity(k=frequency.rows + 1)], LOSS, Limits(0))
    assert caught.value.closest["achievable"] == {f"k-anonymity:k={frequency.rows + 1}": frequency.rows}
