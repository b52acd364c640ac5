"""``optimal`` agrees with trying every node, for every model, metric and suppression limit."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from krypsis import registry
from krypsis.algorithms.evaluation import Judge, Limits
from krypsis.algorithms.tables.optimal import Optimal
from krypsis.errors import Infeasible
from krypsis.frequency import FrequencySet
from krypsis.metrics.base import Metric
from oracles.brute_force import METRICS, BruteForce
from strategies import frequency_sets, models_of, models_of_tuples, some_group_model

TABLES = 300
"""Random tables for each combination of model, metric and suppression limit."""

some_model = some_group_model()


def test_every_metric_has_a_slow_twin() -> None:
    of_tables = {name for name, cls in registry.classes("metric").items() if issubclass(cls, Metric)}
    assert set(METRICS) == of_tables


@pytest.mark.parametrize("name", models_of_tuples())
@given(data=st.data())
@settings(max_examples=TABLES)
def test_no_node_beats_the_optimum(name: str, data: st.DataObject) -> None:
    frequency = data.draw(frequency_sets(max_attributes=3, max_rows=12, sensitive=1))
    model = data.draw(models_of(models_of_tuples()[name]))
    assert_optimal(frequency, [model], limits=(0, frequency.rows // 4, frequency.rows))


@given(frequency_sets(max_attributes=3, max_rows=12, sensitive=2), st.lists(some_model, min_size=2, max_size=3))
def test_several_models_hold_together(frequency: FrequencySet, models: list[Any]) -> None:
    assert_optimal(frequency, models, limits=(0, frequency.rows // 2))


@given(frequency_sets(max_attributes=3, sensitive=1), st.lists(some_model, min_size=1, max_size=2), st.data())
def test_several_quasi_identifier_sets_hold_each(
    frequency: FrequencySet, models: list[Any], data: st.DataObject
) -> None:
    columns = st.integers(0, len(frequency.attributes) - 1)
    sets = data.draw(
        st.lists(
            st.sets(columns, min_size=1).map(lambda chosen: tuple(sorted(chosen))), min_size=2, max_size=3, unique=True
        )
    )
    assert_optimal(replace(frequency, sets=tuple(sets)), models, limits=(0, frequency.rows // 2, frequency.rows))


@given(frequency_sets(max_attributes=3, sensitive=1), st.lists(some_model, min_size=1, max_size=2))
def test_records_that_stay_keep_the_promises_too(frequency: FrequencySet, models: list[Any]) -> None:
    assert_optimal(frequency, models, limits=(frequency.rows // 2, frequency.rows), keep=True)


@given(frequency_sets(max_attributes=3, sensitive=1), some_model, st.data())
def test_weights_shift_the_optimum(frequency: FrequencySet, model: Any, data: st.DataObject) -> None:
    weights = st.sampled_from([0.0, 0.5, 1.0, 3.0])
    drawn = data.draw(st.tuples(*[weights] * len(frequency.attributes)).filter(any))
    assert_optimal(replace(frequency, weights=drawn), [model], limits=(0, frequency.rows // 2))


@given(frequency_sets(max_attributes=3, sensitive=1), some_model, st.data())
def test_levels_stay_within_their_limits(frequency: FrequencySet, model: Any, data: st.DataObject) -> None:
    bounds = [sorted(data.draw(st.tuples(*[st.integers(0, height)] * 2))) for height in frequency.heights]
    lowest, highest = (tuple(side) for side in zip(*bounds, strict=True))
    force = BruteForce(frequency)
    inside = [
        node
        for node in force.nodes([model])
        if all(low <= level <= high for low, level, high in zip(lowest, node.levels, highest, strict=True))
    ]
    limits = Limits(frequency.rows // 2, lowest=lowest, highest=highest)
    expected = force.best_score("loss", inside, frequency.rows // 2)
    assert score_of(frequency, [model], "loss", limits) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def assert_optimal(frequency: FrequencySet, models: list[Any], limits: tuple[int, ...], *, keep: bool = False) -> None:
    force = BruteForce(frequency)
    nodes = force.nodes(models)
    for metric in METRICS:
        for limit in limits:
            expected = force.best_score(metric, nodes, limit, keep=models if keep else None)
            found = score_of(frequency, models, metric, Limits(limit, keep=keep))
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-9), (metric, limit)


@given(frequency_sets(max_attributes=3, sensitive=1), some_model)
def test_of_equal_optima_one_with_the_lowest_levels_is_taken(frequency: FrequencySet, model: Any) -> None:
    force = BruteForce(frequency)
    nodes = [node for node in force.nodes([model]) if node.lost < frequency.rows]
    for metric, score in METRICS.items():
        best = force.best_score(metric, nodes, frequency.rows)
        if best is None or len(registry.create("metric", metric).criteria) > 1:  # further criteria break the tie there
            continue
        tied = [sum(node.levels) for node in nodes if score(force, node) == pytest.approx(best, rel=1e-9, abs=1e-12)]
        found = Optimal().search(frequency, [model], registry.create("metric", metric), Limits(frequency.rows))
        assert sum(found.levels) == min(tied)


def score_of(frequency: FrequencySet, models: list[Any], metric: str, limits: Limits) -> float | None:
    objective = registry.create("metric", metric)
    try:
        recoding = Optimal().search(frequency, models, objective, limits)
    except Infeasible:
        return None
    judge = Judge(frequency, models)
    node, numbers = judge.rollup.coarsen(judge.rollup.bottom(), recoding.levels)
    refused = judge.refused(node, models)
    assert (refused[numbers] == recoding.suppressed).all()
    return objective.compute(judge.outcome(node, refused))
